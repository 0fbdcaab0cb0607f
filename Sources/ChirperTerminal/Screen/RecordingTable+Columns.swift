import ChirperFormats
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
      widths[index] = max(widths[index], CellText.cut(value, columns: ColumnFit.widest).columns)
    }
  }

  /// The columns that fit into that many columns of the terminal, the one sorted by among them.
  func layout(columns available: Int) -> [Column] {
    let sorted = sort.flatMap { sort in catalogue.tableColumns.firstIndex { $0.field == sort.field } }
    var wanted = widths
    // Its heading has an arrow.
    if let sorted { wanted[sorted] = max(wanted[sorted], DisplayWidth.columns(catalogue.tableColumns[sorted].heading) + 1) }
    return ColumnFit.columns(wanted, in: available, needed: sorted).map { index, width in
      Column(table: catalogue.tableColumns[index], columns: width)
    }
  }
}
