import Chirper
import ChirperModel

/// A column of tidy tables: a detail (`DetailColumn`), or what else is known of a recording.
///
/// The tables of `--tidy`, the properties of GeoJSON, the Darwin Core Archive, the data package and the table schema in
/// docs/table-schema.json follow from `all`.
package struct TidyColumn: RowColumn {
  /// The name of the column; a term of Darwin Core, Dublin Core or Audiovisual Core where there is one.
  package let name: String
  /// The address of that term; `nil` for a column of chirper's own.
  package let term: String?
  package let type: ColumnType
  /// What it is, its unit, and the terms it takes, in a sentence or two.
  package let description: String
  private let source: Source

  private enum Source {
    case id, catalogue, audioFile
    case detail(DetailColumn)
  }

  /// Every column, in the order of the tables.
  package static let all: [TidyColumn] =
    [
      TidyColumn(.id, "id", .key, "The catalogue's own id of the recording, unique together with `catalogue`."),
      TidyColumn(.catalogue, "catalogue", .key, "The catalogue that the recording is in, by its name in `--source`."),
    ] + DetailColumn.allCases.map(TidyColumn.init)
    + [TidyColumn(.audioFile, "audioFile", .text, "The path of the audio that chirper keeps on this machine.")]

  func value(of row: DetailedRecording) -> ColumnValue {
    switch source {
    case .id: .text(row.recording.id.value)
    case .catalogue: .text(row.recording.id.catalogue.rawValue)
    case .audioFile: ColumnValue(row.audioPath)
    case .detail(let column): column.value(of: row.details)
    }
  }

  /// The columns named in `a,b,c`, in that order; every column if `nil`.
  package static func named(_ list: String?) throws(RowTableError) -> [TidyColumn] {
    let places = ColumnNames(Array(zip(all.map(\.name), all.indices)))
    return try places.columns(list)?.map { all[$0] } ?? all
  }

  private init(_ source: Source, _ name: String, _ type: ColumnType, _ description: String) {
    (self.source, self.name, self.type, self.description) = (source, name, type, description)
    term = nil
  }

  private init(_ column: DetailColumn) {
    (source, name, type, description) = (.detail(column), column.name, column.type, column.meaning)
    term = column.term
  }
}
