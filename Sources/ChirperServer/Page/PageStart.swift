import ChirperModel
import Foundation
import NIOHTTP1

/// What the page asks for when it begins. Its document brings the answers, so that a page with rows
/// takes three requests.
enum PageStart {
  /// The recordings of a block of the page's rows (`blockSize` in rows.js).
  private static let blockSize = 100

  /// The request for the rows that the page at an address shows first; `nil` for an address that
  /// names a recording or a species. A page with other columns, or names in another language, asks
  /// by itself.
  static func rows(_ page: Request) -> Request? {
    guard page.path.isEmpty else { return nil }
    func first(_ name: String) -> String? { page.all(name).first }
    let list = first("list").flatMap { $0.contains(":") ? $0 : nil }
    let search = first("q").flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 }
    let sort = Array(page.all("sort").prefix(4))
    var parameters: [(name: String, value: String)] = []
    if let list { parameters.append(("list", list)) }
    if let search { parameters.append(("q", search)) }
    if list == nil, first("copies") == "all" { parameters.append(("distinct", "false")) }
    parameters += sort.map { ("sort", $0) }
    if sort.isEmpty, search != nil { parameters.append(("sort", "rank")) }
    let row = max(0, first("at").flatMap { Int($0) } ?? 0)
    parameters += [
      ("offset", "\(row / blockSize * blockSize)"), ("limit", "\(blockSize)"),
      ("columns", PageTables.firstFields), ("soft", "true"), ("found-in", "\(search != nil)"),
    ]
    return page.with(parameters)
  }

  /// The address of rows as a browser writes it.
  static func address(of rows: Request) -> String {
    "/api/chirper/rows?"
      + rows.parameters.map { "\(encoded($0.name))=\(encoded($0.value))" }.joined(separator: "&")
  }

  /// Answers by their addresses, as an object of JSON that can be a part of a document. Those that
  /// failed are left out.
  static func block(_ answers: [(address: String, answer: Answer)]) -> String {
    let members = answers.compactMap { address, answer -> String? in
      guard answer.status == .ok, case .bytes(let bytes) = answer.body else { return nil }
      return "\(JSONText.quoted(address)):\(String(decoding: bytes, as: UTF8.self))"
    }
    // Only texts have this sign, and in a text it can be written otherwise.
    return "{\(members.joined(separator: ","))}".replacing("<", with: "\\u003c")
  }

  /// A text as `URLSearchParams` writes it.
  private static func encoded(_ text: String) -> String {
    let kept = CharacterSet(charactersIn: "a"..."z").union(.init(charactersIn: "A"..."Z"))
      .union(.init(charactersIn: "0"..."9")).union(.init(charactersIn: "*-._ "))
    return text.addingPercentEncoding(withAllowedCharacters: kept)?.replacing(" ", with: "+") ?? ""
  }
}
