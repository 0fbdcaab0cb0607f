import ChirperModel

/// A column of recordings of any catalogue. Catalogues have different fields, so most columns are
/// details.
#if hasAttribute(nonexhaustive)
  @nonexhaustive
#endif
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
  package var name: String {
    switch self {
    case .detail(let column): column.name
    case .field(let name): Self.names.contains(name) ? "raw.\(name)" : name
    // Not "\(self)": to print any value costs a command half a millisecond at its start.
    case .id: "id"
    case .catalogue: "catalogue"
    case .lists: "lists"
    case .leftLists: "leftLists"
    case .audio: "audio"
    case .audioFile: "audioFile"
    case .copies: "copies"
    case .firstSeenAt: "firstSeenAt"
    case .enteredAt: "enteredAt"
    case .changedAt: "changedAt"
    case .goneAt: "goneAt"
    }
  }

  /// The heading of a table.
  package var heading: String {
    switch self {
    case .id: "ID"
    case .catalogue: "Source"
    case .detail(let detail): detail.heading
    case .lists: "Lists"
    case .leftLists: "Left"
    case .audio: "Audio"
    case .firstSeenAt: "First seen"
    case .enteredAt: "Entered"
    case .changedAt: "Changed"
    case .goneAt: "Gone"
    case .copies: "Also in"
    case .audioFile, .field: name
    }
  }

  /// The contents of a row that its values need.
  var contents: RowContents {
    switch self {
    case .detail(.acceptedNameUsage), .detail(.acceptedVernacularName), .detail(.nameAccordingTo):
      [.details, .species]
    case .detail: .details
    case .lists, .leftLists: .lists
    case .audio, .audioFile: .audio
    case .copies: .copies
    case .enteredAt, .changedAt, .goneAt: .dates
    case .id, .catalogue, .firstSeenAt, .field: []
    }
  }
}

extension Collection<RecordingColumn> {
  /// The contents of a row that the values of all columns need.
  package var contents: RowContents { reduce(into: []) { $0.formUnion($1.contents) } }
}

extension Catalogue.TableColumn {
  /// The column that it shows.
  package var column: RecordingColumn {
    if showsID { return .id }
    return detail.map { .detail($0) } ?? .field(field)
  }
}
