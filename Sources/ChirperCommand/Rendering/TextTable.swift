/// Columns of text padded to fit a terminal.
struct TextTable: Equatable {
  struct Column: Equatable {
    let heading: String
    var alignRight = false
  }

  let columns: [Column]
  /// Cells per column; columns that do not fit are left out at the end.
  let widths: [Int]

  private static let gap = "  "
  private static let least = 8
  private static let most = 40

  /// Fits the columns, the most important first, into a width, by the rows that are known when the table begins.
  init(_ columns: [Column], rows: [[String]], width: Int) {
    var widths = columns.indices.map { index in
      rows.reduce(DisplayWidth.of(columns[index].heading)) { max($0, DisplayWidth.of($1[index])) }
    }
    widths = widths.map { min($0, Self.most) }
    func excess() -> Int { widths.reduce(0, +) + Self.gap.count * (widths.count - 1) - width }
    while excess() > 0, let widest = widths.indices.max(by: { widths[$0] < widths[$1] }), widths[widest] > Self.least {
      widths[widest] -= 1
    }
    while excess() > 0, widths.count > 1 { widths.removeLast() }
    self.columns = Array(columns.prefix(widths.count))
    self.widths = widths
  }

  var header: String { line(columns.map(\.heading)) }

  /// One row, cut where it is too long.
  func line(_ cells: [String]) -> String {
    var parts: [String] = []
    for (index, width) in widths.enumerated() {
      let cell = DisplayWidth.truncated(cells[index], to: width)
      let padding = String(repeating: " ", count: max(0, width - DisplayWidth.of(cell)))
      parts.append(columns[index].alignRight ? padding + cell : cell + padding)
    }
    var text = parts.joined(separator: Self.gap)
    while text.hasSuffix(" ") { text.removeLast() }
    return text
  }
}
