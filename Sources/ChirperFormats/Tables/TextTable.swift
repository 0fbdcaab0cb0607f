/// Columns of text padded to fit a terminal.
struct TextTable: Equatable {
  struct Column: Equatable {
    let heading: String
    var alignRight = false
  }

  struct Fitted: Equatable {
    let column: Column
    let index: Int
    let width: Int
  }

  /// Those that fit, each with its place in a row and its width.
  let columns: [Fitted]

  private static let gap = String(repeating: " ", count: ColumnFit.gap)

  /// Fits the columns, the most important first, into a width, by the rows that are known when the table begins.
  ///
  /// - Parameters:
  ///   - usual: a wider column is cut to this before one behind it is left out.
  ///   - needed: the index of a column that stays.
  init(_ columns: [Column], rows: [[String]], width: Int, usual: Int = ColumnFit.usual, needed: Int? = nil) {
    let wanted = columns.indices.map { index in
      rows.reduce(Self.width(of: columns[index].heading)) { max($0, Self.width(of: $1[index])) }
    }
    self.columns = ColumnFit.columns(wanted, in: width, usual: usual, needed: needed).map { index, width in
      Fitted(column: columns[index], index: index, width: width)
    }
  }

  var header: String { line { $0.column.heading } }

  /// One row, cut where it is too long.
  func line(_ cells: [String]) -> String { line { cells[$0.index] } }

  private func line(_ cell: (Fitted) -> String) -> String {
    var text = columns.map { CellText.fitted(cell($0), columns: $0.width, alignRight: $0.column.alignRight) }
      .joined(separator: Self.gap)
    while text.hasSuffix(" ") { text.removeLast() }
    return text
  }

  private static func width(of text: String) -> Int { CellText.cut(text, columns: ColumnFit.widest).columns }
}
