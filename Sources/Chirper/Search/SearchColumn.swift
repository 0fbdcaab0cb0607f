import ChirperModel
import ChirperStore
import Foundation

/// A stored recording, as a search or a selection reads it.
public struct RecordingRow: Hashable, Sendable, Identifiable {
  /// The recording with all its fields.
  public let recording: Recording
  /// The recording in standard terms, computed when it was read.
  public let details: RecordingDetails
  /// The lists that it is in, the oldest first.
  public let lists: [CatalogueQuery]
  /// The lists that it was in until its catalogue removed it from them.
  public let leftLists: [CatalogueQuery]
  /// The path of `audioFile`.
  package let audioPath: String?
  /// The time at which the recording was first stored, UTC.
  public let firstSeenAt: Date
  /// The time at which it entered the list that is read, changed, or left it, for a part of
  /// a list with dates.
  package let date: Date?
  /// The recordings of other catalogues that are copies of it, in the order in which they were
  /// first stored. Read only for rows of which that is asked.
  public let copies: [RecordingID]

  /// Catalogue and id of the recording.
  public var id: RecordingID { recording.id }
  /// The file of its audio; `nil` if it is not downloaded.
  public var audioFile: URL? { audioPath.map { URL(filePath: $0) } }

  /// A found recording for previews and tests; parameters are described at the properties.
  public init(
    recording: Recording, details: RecordingDetails, lists: [CatalogueQuery] = [],
    leftLists: [CatalogueQuery] = [],
    audioFile: URL?, firstSeenAt: Date
  ) {
    self.init(
      recording: recording, details: details, lists: lists, leftLists: leftLists,
      audioPath: audioFile?.path,
      firstSeenAt: firstSeenAt)
  }

  package init(
    recording: Recording, details: RecordingDetails, lists: [CatalogueQuery] = [],
    leftLists: [CatalogueQuery] = [],
    audioPath: String? = nil, firstSeenAt: Date = .distantPast, date: Date? = nil,
    copies: [RecordingID] = []
  ) {
    self.recording = recording
    self.details = details
    self.lists = lists
    self.leftLists = leftLists
    self.audioPath = audioPath
    self.firstSeenAt = firstSeenAt
    self.date = date
    self.copies = copies
  }

  /// Whether its audio is a file on this machine.
  public var isAudioDownloaded: Bool { audioPath != nil }
}

/// The contents of a row that are read besides its fields. Each takes time.
package struct RowContents: OptionSet, Sendable {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  package static let details = RowContents(rawValue: 1)
  package static let lists = RowContents(rawValue: 2)
  package static let audio = RowContents(rawValue: 4)
  package static let dates = RowContents(rawValue: 8)
  package static let copies = RowContents(rawValue: 16)
}

/// A column of recordings of any catalogue. Catalogues have different fields, so most columns are
/// details.
#if hasAttribute(nonexhaustive)
  @nonexhaustive
#endif
public enum RecordingColumn: Hashable, Codable, Sendable {
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
  public static let all: [RecordingColumn] =
    [.id, .catalogue] + DetailColumn.allCases.map { .detail($0) } + [
      .lists, .leftLists, .audio, .firstSeenAt, .copies,
    ]

  private static let names = Set((all + [.audioFile, .enteredAt, .changedAt, .goneAt]).map(\.name))

  /// The name as in headers and in JSON: `vernacularName`, `lists`. A raw field with the
  /// name of a different column is `raw.month`.
  public var name: String {
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

  /// The contents of a row that its values need.
  package var contents: RowContents {
    switch self {
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

/// One key of an order of found recordings. Values are compared as `ListSort` compares them,
/// catalogue numbers by their digits.
public struct SearchSort: Hashable, Codable, Sendable {
  /// The column by whose values rows are ordered.
  public let column: RecordingColumn
  /// Whether the greatest value comes first.
  public let descending: Bool

  /// An order by that column.
  public init(_ column: RecordingColumn, descending: Bool = false) {
    self.column = column
    self.descending = descending
  }
}

extension RecordingRow {
  /// The value of that column.
  public func value(of column: RecordingColumn) -> ColumnValue {
    switch column {
    case .id: .text(recording.id.value)
    case .catalogue: .text(recording.id.catalogue.rawValue)
    case .detail(let column): column.value(of: details)
    case .lists: .list(Self.names(lists))
    case .leftLists: .list(Self.names(leftLists))
    case .audio: .flag(isAudioDownloaded)
    case .audioFile: ColumnValue(audioPath)
    case .copies: .list(copies.map(\.description))
    case .firstSeenAt: .text(firstSeenAt.formatted(.iso8601))
    case .enteredAt, .changedAt, .goneAt: ColumnValue(date?.formatted(.iso8601))
    case .field(let name): recording[name].map { .field($0) } ?? .none
    }
  }

  /// The values of those columns.
  package func values(of columns: [RecordingColumn]) -> [ColumnValue] {
    // Once for all columns: a copy of the details takes longer than to write one of them.
    let details = details
    return columns.map { column in
      if case .detail(let detail) = column { detail.value(of: details) } else { value(of: column) }
    }
  }

  /// Each name once: two lists with the same text differ in their page size only.
  private static func names(_ lists: [CatalogueQuery]) -> [String] {
    lists.map(\.typed).reduce(into: []) { names, name in
      if !names.contains(name) { names.append(name) }
    }
  }
}

/// The values by which rows are compared: in each catalogue the detail that a field holds,
/// if it orders them better than the text does.
struct SortOrder {
  private let column: RecordingColumn
  private let columns: [CatalogueID: RecordingColumn]
  /// The contents that must be read of the rows.
  let contents: RowContents

  /// - Parameter catalogues: the catalogues of the rows.
  init(_ column: RecordingColumn, in catalogues: [Catalogue]) {
    self.column = column
    columns = Dictionary(catalogues.map { ($0.id, Self.ordering(column, in: $0)) }) { first, _ in
      first
    }
    contents = columns.isEmpty ? column.contents : columns.values.contents
  }

  private static func ordering(_ column: RecordingColumn, in catalogue: Catalogue)
    -> RecordingColumn
  {
    switch column {
    case .id where catalogue.sendsIDs: return .detail(.catalogNumber)
    case .id:
      return catalogue.tableColumns.first(where: \.showsID).map {
        ordering(.field($0.field), in: catalogue)
      } ?? column
    case .field(let name):
      if let detail = catalogue.tableColumns.first(where: { $0.field == name })?.detail {
        return .detail(detail)
      }
      guard let held = catalogue.mapping.detail(ofField: name), held.isOrderedByNumber else {
        return column
      }
      return .detail(held)
    default: return column
    }
  }

  /// The column of the search index with the values of `value`; `nil` if the index has none.
  var indexed: DetailColumn? {
    guard case .detail(let detail)? = columns.first?.value,
      columns.values.allSatisfy({ $0 == .detail(detail) })
    else {
      return nil
    }
    return detail.isOrderedByIndex ? detail : nil
  }

  /// A value that cannot be read (`no score`, `0000-00-00`) counts as none.
  func value(of row: RecordingRow) -> SortValue {
    switch columns[row.recording.id.catalogue] ?? column {
    // Most catalogues have numbers.
    case .id: SortValue(FieldValue(json: JSONText.quoted(row.recording.id.value)))
    case .field(let name): SortValue(row.recording[name])
    case .detail(let column): SortValue(column, of: row.details)
    case let column: SortValue(row.value(of: column))
    }
  }
}

extension SortValue {
  /// The value at a position of those of the index.
  init(_ values: IndexedValues, at position: Int) {
    switch values {
    case .numbers(let numbers):
      self = numbers[position].isNaN ? .nothing : .number(numbers[position])
    case .texts(let texts, let positions):
      self = positions[position] < 0 ? .nothing : .text(texts[Int(positions[position])])
    }
  }

  fileprivate init(_ value: ColumnValue) {
    let text = value.text(separator: ", ") ?? ""
    self =
      value.number.map { .number($0) }
      ?? (text.isEmpty ? .nothing : .text(TextFolding.folded(text)))
  }

  init(_ column: DetailColumn, of details: RecordingDetails) {
    if column.isOrderedByNumber {
      self = column.number(of: details).map { .number($0) } ?? .nothing
    } else {
      self.init(column.value(of: details))
    }
  }
}
