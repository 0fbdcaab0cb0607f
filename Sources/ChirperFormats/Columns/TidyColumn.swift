import Chirper
import ChirperModel

/// A column of tidy tables: a detail (`DetailColumn`), or a different fact about a
/// recording.
///
/// The tables of `--tidy`, the properties of GeoJSON, the Darwin Core Archive, the data
/// package and the table schema in docs/table-schema.json follow from `all`.
struct TidyColumn: Sendable {
  /// The column of recordings. Its name is a term of Darwin Core, Dublin Core or
  /// Audiovisual Core if there is one.
  let column: RecordingColumn
  /// The address of that term; `nil` for a column of chirper's own.
  let term: String?
  let type: ColumnType
  /// The meaning of the column, its unit, and the terms it takes, in a sentence or two.
  let description: String

  var name: String { column.name }

  /// The columns of tidy tables, in their order.
  static let defaults: [RecordingColumn] =
    [.id, .catalogue] + DetailColumn.allCases.map { .detail($0) } + [.audioFile]

  /// The columns of `defaults` with their descriptions.
  static let all = defaults.map(TidyColumn.init)

  init(_ column: RecordingColumn) {
    (term, type, description) =
      switch column {
      case .id:
        (nil, .key, "The catalogue's own id of the recording, unique together with `catalogue`.")
      case .catalogue:
        (nil, .key, "The catalogue that the recording is in, by its name in `--source`.")
      case .detail(let detail): (detail.term, detail.type, detail.meaning)
      case .audioFile: (nil, .text, "The path of the audio that chirper keeps on this machine.")
      case .audio: (nil, .boolean, "Whether chirper keeps its audio on this machine.")
      case .lists: (nil, .list, "The queries whose lists it is in.")
      case .leftLists:
        (nil, .list, "The queries whose lists it was in until its catalogue removed it.")
      case .copies: (nil, .list, "The copies of it in other catalogues: gbif 5006703001-0a0b0c0d.")
      case .firstSeenAt: (nil, .text, "When it was first stored, UTC.")
      case .enteredAt: (nil, .text, "When it entered the list, UTC.")
      case .changedAt: (nil, .text, "When it changed last, UTC.")
      case .goneAt: (nil, .text, "When it left the list, UTC.")
      case .field(let name): (nil, .text, "The catalogue's own field `\(name)`.")
      }
    self.column = column
  }
}
