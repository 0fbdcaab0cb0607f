import ChirperModel

/// Which columns fit, and how wide each is.
extension RecordingTable {
  struct Column {
    let table: Catalogue.TableColumn
    let columns: Int
  }

  /// Remembers how wide the row's values are.
  mutating func widen(for row: Recording) {
    for (index, column) in catalogue.tableColumns.enumerated() {
      let value = row.text(column.field) ?? ""
      guard value.utf8.count > widths[index] else { continue }
      widths[index] = max(widths[index], CellText.cut(value, columns: Self.widest).columns)
    }
  }

  /// The most important columns that fit into that many, wide ones cut at first and given what is left over.
  func layout(columns available: Int) -> [Column] {
    var fitted: [Column] = []
    var left = available
    for (index, column) in catalogue.tableColumns.enumerated() {
      let width = min(widths[index], Self.usual)
      let gap = fitted.isEmpty ? 0 : Self.gap
      guard width + gap <= left else { break }
      fitted.append(Column(table: column, columns: width))
      left -= width + gap
    }
    if fitted.isEmpty, let first = catalogue.tableColumns.first { return [Column(table: first, columns: available)] }
    return fitted.enumerated().map { index, column in
      let more = min(left, widths[index] - column.columns)
      left -= more
      return Column(table: column.table, columns: column.columns + more)
    }
  }

  static let gap = 2
  private static let usual = 28
  private static let widest = 80
}
