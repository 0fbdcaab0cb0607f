/// Text brought to an exact number of columns.
extension CellText {
  static let ellipsis = "…"

  /// The part of a text that is left out if the text is too long.
  package enum Shortening: Equatable, Sendable {
    /// The end of the text.
    case end
    /// The prefix `CC` of a Creative Commons licence, then the version: `BY-NC-SA 4.0`,
    /// `BY-NC-SA`. The end of any other text.
    case licence
  }

  /// The text in exactly `columns` columns: cut with an ellipsis, or filled with spaces.
  package static func fitted(
    _ raw: String, columns: Int, alignRight: Bool = false, shortening: Shortening = .end
  ) -> String {
    guard columns > 0 else { return "" }
    let raw = shortening == .licence ? shortLicence(raw, columns: columns) : raw
    let cut = cut(raw, columns: columns)
    let fill = String(repeating: " ", count: columns - cut.columns)
    return alignRight ? fill + cut.text : cut.text + fill
  }

  private static func shortLicence(_ name: String, columns: Int) -> String {
    guard name.hasPrefix("CC "), name.utf8.count > columns else { return name }
    let code = name.dropFirst("CC ".count)
    return String(code.utf8.count > columns ? code.prefix { $0 != " " } : code)
  }

  /// Enough of the text for the widest column; a field may have megabytes.
  package static func beginning(of raw: String) -> String {
    let limit = 16 * ColumnFit.widest
    return raw.utf8.count <= limit ? raw : String(raw.unicodeScalars.prefix(limit))
  }

  /// The text in at most `columns` columns, and the number of columns that it takes.
  package static func cut(_ raw: String, columns: Int) -> (text: String, columns: Int) {
    guard columns > 0 else { return ("", 0) }
    let cells = CellText(raw, limit: columns).cells
    var text = ""
    var used = 0
    for (index, cell) in cells.enumerated() {
      let isLast = index == cells.count - 1
      guard used + cell.columns <= (isLast ? columns : columns - 1) else {
        text += ellipsis
        return (text, used + 1)
      }
      text.unicodeScalars.append(contentsOf: cell.text.unicodeScalars)
      used += cell.columns
    }
    return (text, used)
  }

  /// The text in lines of at most `columns` columns, broken at its line ends, and at spaces
  /// if it has any.
  package static func wrapped(_ raw: String, columns: Int) -> [String] {
    guard columns > 0 else { return [] }
    let paragraphs = raw.unicodeScalars.split(omittingEmptySubsequences: false) {
      $0 == "\n" || $0 == "\r"
    }
    return paragraphs.enumerated().flatMap { index, paragraph in
      // CR LF leaves an empty piece between its two scalars.
      if paragraph.isEmpty, index > 0, paragraphs[index - 1].endIndex < paragraph.startIndex,
        raw.unicodeScalars[paragraphs[index - 1].endIndex] == "\r"
      {
        return [String]()
      }
      return wrappedParagraph(String(paragraph), columns: columns)
    }
  }

  private static func wrappedParagraph(_ raw: String, columns: Int) -> [String] {
    var lines: [String] = []
    var line: [Cell] = []
    var used = 0
    for cell in CellText(raw).cells where cell.columns <= columns {
      if used + cell.columns > columns {
        var rest: [Cell] = []
        if cell.text != " ", let space = line.lastIndex(where: { $0.text == " " }) {
          rest = Array(line[(space + 1)...])
          line.removeSubrange(space...)
        }
        lines.append(joined(line))
        line = rest
        used = rest.reduce(0) { $0 + $1.columns }
        if cell.text == " ", line.isEmpty { continue }
      }
      line.append(cell)
      used += cell.columns
    }
    lines.append(joined(line))
    return lines
  }

  private static func joined(_ cells: [Cell]) -> String {
    cells.reduce(into: "") { $0.unicodeScalars.append(contentsOf: $1.text.unicodeScalars) }
  }
}
