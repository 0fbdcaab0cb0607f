import ChirperFormats
import ChirperModel

/// Which columns fit, and how wide each is.
extension RecordingTable {
  struct Column {
    /// Its index in `tableColumns` and in the cells of a row.
    let index: Int
    let table: Catalogue.TableColumn
    let columns: Int
  }

  /// The text of each column: the detail that the column's field holds where it reads better than the field (a length
  /// as `3:45`, a date without its time), else the field as the catalogue sent it.
  func cells(of recording: Recording) -> [String] {
    let details = catalogue.details(of: recording)
    return catalogue.tableColumns.map { column in
      let text: String? =
        switch catalogue.mapping.detail(ofField: column.field) {
        case .duration: details.duration.map { AgeText.length(seconds: $0) }
        case .eventDate: details.eventDate?.description
        case .quality: details.quality?.rawValue
        default: nil
        }
      return text ?? recording.text(column.field) ?? ""
    }
  }

  /// Remembers how wide the row's cells are.
  mutating func widen(for row: Row) {
    for (index, value) in row.cells.enumerated() {
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
      Column(index: index, table: catalogue.tableColumns[index], columns: width)
    }
  }
}
