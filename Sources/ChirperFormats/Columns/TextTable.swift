/// Columns of text padded to fit a terminal.
struct TextTable {
  struct Column: Equatable {
    let heading: String
    var alignRight = false
    /// The width that the column is cut to before a column after it is left out; `nil` if
    /// it has the table's.
    var defaultWidth: Int?
    var least: Int?
    var isEssential = false
    var shortening = CellText.Shortening.end
  }

  private let columns: [Column]
  private let layout: ColumnFit.Layout

  /// Fits the columns (`ColumnFit`) into a width, by the rows that are known when the table begins.
  init(
    _ columns: [Column], rows: [[String]], width: Int, defaultWidth: Int = ColumnFit.defaultWidth,
    needed: Int? = nil
  ) {
    self.columns = columns
    let needs = columns.indices.map { index in
      let wanted = rows.reduce(Self.width(of: columns[index].heading)) {
        max($0, Self.width(of: $1[index]))
      }
      return ColumnFit.Need(
        wanted, defaultWidth: columns[index].defaultWidth ?? defaultWidth,
        least: columns[index].least,
        isEssential: columns[index].isEssential)
    }
    layout = ColumnFit.layout(needs, in: width, needed: needed)
  }

  /// The indices of the columns that fit.
  var shown: [Int] { layout.columns.map(\.index) }

  var header: String { line(columns.map(\.heading)) }

  func line(_ cells: [String]) -> String {
    var text = layout.columns.map { fitted in
      let column = columns[fitted.index]
      return CellText.fitted(
        cells[fitted.index], columns: fitted.width, alignRight: column.alignRight,
        shortening: column.shortening)
    }.joined(separator: String(repeating: " ", count: layout.gap))
    while text.hasSuffix(" ") { text.removeLast() }
    return text
  }

  private static func width(of text: String) -> Int {
    CellText.cut(text, columns: ColumnFit.widest).columns
  }
}
