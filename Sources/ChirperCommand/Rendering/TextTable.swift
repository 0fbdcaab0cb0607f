import ChirperTerminal

/// Columns of text padded to fit a terminal.
struct TextTable: Equatable {
  struct Column: Equatable {
    let heading: String
    var alignRight = false
  }

  let columns: [Column]
  /// Terminal columns per column; those that do not fit are left out at the end.
  let widths: [Int]

  private static let gap = String(repeating: " ", count: ColumnFit.gap)

  /// Fits the columns, the most important first, into a width, by the rows that are known when the table begins.
  init(_ columns: [Column], rows: [[String]], width: Int) {
    let wanted = columns.indices.map { index in
      rows.reduce(Self.width(of: columns[index].heading)) { max($0, Self.width(of: $1[index])) }
    }
    widths = ColumnFit.widths(wanted, in: width)
    self.columns = Array(columns.prefix(widths.count))
  }

  var header: String { line(columns.map(\.heading)) }

  /// One row, cut where it is too long.
  func line(_ cells: [String]) -> String {
    var text = zip(columns, zip(widths, cells)).map { column, cell in
      CellText.fitted(cell.1, columns: cell.0, alignRight: column.alignRight)
    }.joined(separator: Self.gap)
    while text.hasSuffix(" ") { text.removeLast() }
    return text
  }

  private static func width(of text: String) -> Int { CellText.cut(text, columns: ColumnFit.widest).columns }
}
