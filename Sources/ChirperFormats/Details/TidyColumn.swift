import Chirper
import ChirperModel

/// A column of tidy tables: a detail (`DetailColumn`), or what else is known of a recording.
///
/// The tables of `--tidy`, the properties of GeoJSON, the Darwin Core Archive, the data package and the table schema in
/// docs/table-schema.json follow from `all`.
package struct TidyColumn: Sendable {
  /// Its name, which is a term of Darwin Core, Dublin Core or Audiovisual Core if there is one, and its values.
  let column: ValueColumn<DetailedRecording>
  /// The address of that term; `nil` for a column of chirper's own.
  var term: String?
  let type: ColumnType
  /// What it is, its unit, and the terms it takes, in a sentence or two.
  let description: String

  /// The name of the column.
  package var name: String { column.name }

  /// Every column, in the order of the tables.
  package static let all: [TidyColumn] =
    [
      TidyColumn(
        column: ValueColumn(name: "id") { .text($0.recording.id.value) }, type: .key,
        description: "The catalogue's own id of the recording, unique together with `catalogue`."),
      TidyColumn(
        column: ValueColumn(name: "catalogue") { .text($0.recording.id.catalogue.rawValue) }, type: .key,
        description: "The catalogue that the recording is in, by its name in `--source`."),
    ]
    + DetailColumn.allCases.map { detail in
      TidyColumn(
        column: ValueColumn(name: detail.name) { detail.value(of: $0.details) }, term: detail.term, type: detail.type,
        description: detail.meaning)
    } + [
      TidyColumn(
        column: ValueColumn(name: "audioFile") { ColumnValue($0.audioPath) }, type: .text,
        description: "The path of the audio that chirper keeps on this machine.")
    ]

  /// The columns named in `a,b,c`, in that order; every column if `nil`.
  package static func named(_ list: String?) throws(UserFacingError) -> [TidyColumn] {
    let places = ColumnNames(groups: [Array(zip(all.map(\.name), all.indices))], known: all.map(\.name))
    return try places.columns(list)?.map { all[$0] } ?? all
  }
}
