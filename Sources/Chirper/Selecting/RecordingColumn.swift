#if Collection

import ChirperModel

/// A column of recordings of any catalogue. Catalogues have different fields, so most columns are
/// details.
package enum RecordingColumn: Hashable, Codable, Sendable {
  /// The catalogue's own id.
  case id
  /// The catalogue that sent the recording.
  case catalogue
  /// A detail of the recording, in the same terms for every catalogue.
  case detail(DetailColumn)
  /// The lists that it is in, and those that it left, as typed.
  case lists, leftLists
  /// The recordings of other catalogues that are copies of it.
  case copies
  /// Whether its audio is a file on this machine, and the path of the file.
  case audio, audioFile
  /// The time at which the recording was first stored.
  case firstSeenAt
  /// The time at which it entered the list, changed, or left it; only for recordings of
  /// lists that were chosen by that.
  case enteredAt, changedAt, goneAt
  /// A raw field by the name that a catalogue has for it; without a value in recordings of other
  /// catalogues.
  case field(String)

  /// The columns of a search, in the order of tables and files: every one except raw fields
  /// and files.
  package static let all: [RecordingColumn] =
    [.id, .catalogue] + DetailColumn.allCases.map { .detail($0) } + [
      .lists, .leftLists, .audio, .firstSeenAt, .copies,
    ]

  private static let names = Set((all + [.audioFile, .enteredAt, .changedAt, .goneAt]).map(\.name))

  /// The name as in headers and in JSON: `vernacularName`, `lists`. A raw field with the
  /// name of a different column is `raw.month`.
  package var name: String { declaration.name }

  /// The heading of a table.
  package var heading: String { declaration.heading }

  /// The contents of a row that its values need.
  var contents: RowContents { declaration.contents }

  private var declaration: (name: String, heading: String, contents: RowContents) {
    switch self {
    case .detail(let detail)
    where [.acceptedNameUsage, .acceptedVernacularName, .nameAccordingTo].contains(detail):
      (detail.name, detail.heading, [.details, .species])
    case .detail(let detail): (detail.name, detail.heading, .details)
    // Not "\(self)": to print any value costs a command half a millisecond at its start.
    case .id: ("id", "ID", [])
    case .catalogue: ("catalogue", "Source", [])
    case .lists: ("lists", "Lists", .lists)
    case .leftLists: ("leftLists", "Left", .lists)
    case .copies: ("copies", "Also in", .copies)
    case .audio: ("audio", "Audio", .audio)
    case .audioFile: ("audioFile", "audioFile", .audio)
    case .firstSeenAt: ("firstSeenAt", "First seen", [])
    case .enteredAt: ("enteredAt", "Entered", .dates)
    case .changedAt: ("changedAt", "Changed", .dates)
    case .goneAt: ("goneAt", "Gone", .dates)
    case .field(let field) where Self.names.contains(field):
      ("raw.\(field)", "raw.\(field)", [])
    case .field(let field): (field, field, [])
    }
  }
}

extension Collection<RecordingColumn> {
  /// The contents of a row that the values of all columns need.
  package var contents: RowContents { reduce(into: []) { $0.formUnion($1.contents) } }

  /// The columns of the details among them.
  package var details: Set<DetailColumn> {
    Set(compactMap { column in if case .detail(let detail) = column { detail } else { nil } })
  }
}

extension Catalogue.TableColumn {
  /// The column that it shows.
  package var column: RecordingColumn {
    if showsID { return .id }
    return detail.map { .detail($0) } ?? .field(field)
  }
}

#endif
