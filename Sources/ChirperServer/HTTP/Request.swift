import ChirperFormats
import Foundation
import NIOHTTP1

/// A request that passed the limits.
struct Request: Sendable {
  let method: HTTPMethod
  /// The parts of the path between its slashes, decoded.
  let path: [String]
  /// The names and values of the query, decoded, in their order.
  private(set) var parameters: [(name: String, value: String)]
  private(set) var headers: HTTPHeaders
  private(set) var body: [UInt8]
  let arrived = ContinuousClock.now
  /// Whether no other request of its kind is answered meanwhile (`NeedsExclusiveAccess`).
  var hasExclusiveAccess = false
  /// Whether it is a reader's, who sees nothing of the machine and of what its owner fetches.
  var isReader = false
  /// The value of the browser's cookie, if it is one of this server.
  var session: String?
  /// The address of the machine that sent it.
  var remoteAddress: String?
  /// The address of this server in the records of recordings whose audio is kept; `nil` if they
  /// have their service's.
  var audioServer: String?

  init(_ head: HTTPRequestHead, body: [UInt8] = []) {
    method = head.method
    headers = head.headers
    self.body = body
    let parts = Self.target(of: head).split(
      separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    path = (parts.first ?? "").split(separator: "/").map { Self.decoded($0) }
    parameters =
      parts.count < 2
      ? []
      : parts[1].split(separator: "&").map { pair in
        let both = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return (
          Self.decoded(both[0], plusIsSpace: true),
          both.count > 1 ? Self.decoded(both[1], plusIsSpace: true) : ""
        )
      }
  }

  /// The sender's request with these parameters, without headers.
  func with(_ parameters: [(name: String, value: String)]) -> Request {
    var request = self
    request.parameters = parameters
    request.headers = [:]
    request.body = []
    return request
  }

  /// Whether the sender has the answer with that tag already. Weak tags are compared like strong
  /// ones, and `*` is any tag (RFC 9110, 13.1.2).
  func hasAnswer(tagged tag: String) -> Bool {
    headers[canonicalForm: "if-none-match"].contains {
      $0 == "*" || ($0.hasPrefix("W/") ? $0.dropFirst(2) : $0) == tag
    }
  }

  /// Whether a page of a different site sent the browser here.
  var isOfOtherSite: Bool {
    headers.first(name: "sec-fetch-site").map { !["same-origin", "none"].contains($0) } ?? false
  }

  /// Path and query. A client that takes the server for a proxy sends the host before them, which
  /// must be that of `Host`.
  static func target(of head: HTTPRequestHead) -> Substring {
    let origin = "http://\(head.headers.first(name: "host") ?? "")"
    let rest = head.uri.dropFirst(origin.count)
    return head.uri.lowercased().hasPrefix(origin.lowercased()) && rest.first == "/"
      ? rest : head.uri[...]
  }

  /// Whether it changes nothing.
  var isReading: Bool { method == .GET || method == .HEAD }

  /// The last value of that name; `nil` if it was not sent.
  subscript(name: String) -> String? { parameters.last { $0.name == name }?.value }

  /// All values of that name, in their order.
  func all(_ name: String) -> [String] { parameters.filter { $0.name == name }.map(\.value) }

  /// A number in a range; `nil` if it was not sent.
  func number(_ name: String, in range: ClosedRange<Int>) throws(UserFacingError) -> Int? {
    guard let text = self[name] else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw .usage(
        "\(name)= needs a number from \(range.lowerBound) to \(range.upperBound)",
        hint: "Send it as in: \(name)=20")
    }
    return number
  }

  /// Whether it was sent as `true`.
  func flag(_ name: String) throws(UserFacingError) -> Bool {
    guard let text = self[name] else { return false }
    guard let isSet = Bool(text) else {
      throw .usage("\(name)= needs true or false", hint: "Send it as in: \(name)=true")
    }
    return isSet
  }

  func needExclusiveAccess(searches: Bool = false) throws(NeedsExclusiveAccess) {
    guard hasExclusiveAccess else { throw NeedsExclusiveAccess(searches: searches) }
  }

  /// A text with `%` and two digits read as bytes. A `%` without them stays as it is,
  /// because clients put addresses together by hand.
  private static func decoded(_ text: Substring, plusIsSpace: Bool = false) -> String {
    var bytes = [UInt8]()
    var rest = text.utf8
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2,
        let value = UInt8(String(rest.prefix(2)) ?? "", radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// The error of a request that can take long, and memory for each stored recording. The
/// answer is computed while no request of this kind is.
struct NeedsExclusiveAccess: Error {
  /// Whether everything stored is searched: without its index that would be right, but could read
  /// every recording.
  let searches: Bool
}
