import ChirperModel
import ChirperStore
import Foundation

/// A recording that a search of everything stored found.
public struct FoundRecording: Hashable, Sendable {
  /// As it is stored.
  public let recording: Recording
  /// Computed when the recording was read.
  public let details: RecordingDetails
  /// The lists that it is in, the oldest first.
  public let lists: [CatalogueQuery]
  /// The lists that it was in until its catalogue removed it from them.
  public let leftLists: [CatalogueQuery]
  /// Whether its audio is kept on this machine.
  public let isAudioKept: Bool
  /// When it was first stored; UTC.
  public let firstSeenAt: Date
}

/// A column of what a search found. Catalogues have different fields, so most columns are details.
public enum SearchColumn: Hashable, Sendable {
  /// The catalogue's own id.
  case id
  /// The catalogue.
  case catalogue
  /// A detail.
  case detail(DetailColumn)
  /// The lists that it is in, and those that it left, as typed.
  case lists, leftLists
  /// Whether its audio is kept on this machine.
  case audio
  /// When the recording was first stored.
  case firstSeenAt
  /// A raw field by the name that a catalogue has for it; without a value in recordings of other catalogues.
  case field(String)

  /// Every column but those of raw fields, in the order of tables and files.
  public static let all: [SearchColumn] =
    [.id, .catalogue] + DetailColumn.allCases.map { .detail($0) } + [.lists, .leftLists, .audio, .firstSeenAt]

  /// As in headers and in JSON: `vernacularName`, `lists`.
  public var name: String {
    switch self {
    case .detail(let column): column.name
    case .field(let name): name
    default: "\(self)"
    }
  }
}

/// One key of an order of found recordings. Values are compared as `ListSort` compares them, catalogue numbers by their digits.
public struct SearchSort: Hashable, Sendable {
  /// What is compared.
  public let column: SearchColumn
  /// Whether the greatest value comes first.
  public let descending: Bool

  /// An order by that column.
  public init(_ column: SearchColumn, descending: Bool = false) {
    self.column = column
    self.descending = descending
  }
}

extension FoundRecording {
  /// The value of that column.
  public func value(of column: SearchColumn) -> ColumnValue {
    switch column {
    case .id: .text(recording.id.value)
    case .catalogue: .text(recording.id.catalogue.rawValue)
    case .detail(let column): column.value(of: details)
    case .lists: .list(Self.names(lists))
    case .leftLists: .list(Self.names(leftLists))
    case .audio: .flag(isAudioKept)
    case .firstSeenAt: .text(firstSeenAt.formatted(.iso8601))
    case .field(let name): recording[name].map { .field($0) } ?? .none
    }
  }

  /// Each name once: two lists with the same text differ in their page size only.
  private static func names(_ lists: [CatalogueQuery]) -> [String] {
    lists.map(\.typed).reduce(into: []) { names, name in if !names.contains(name) { names.append(name) } }
  }

  func sortValue(of column: SearchColumn, in catalogue: Catalogue?) -> SortValue {
    switch column {
    // Most catalogues have numbers.
    case .id: SortValue(FieldValue(json: JSONText.quoted(recording.id.value)))
    case .field(let name): SortOrder(field: name, in: catalogue).value(of: recording)
    case .detail(let column): SortValue(column, of: details)
    default: SortValue(value(of: column))
    }
  }
}

extension SortValue {
  /// A number of the index; `nan` is none.
  init(number: Double) {
    self = number.isNaN ? .nothing : .number(number)
  }

  fileprivate init(_ value: ColumnValue) {
    if case .field(let field) = value {
      self.init(field)
      return
    }
    let text = value.text(separator: ", ") ?? ""
    self = value.number.map { .number($0) } ?? (text.isEmpty ? .nothing : .text(TextFolding.folded(text)))
  }

  init(_ column: DetailColumn, of details: RecordingDetails) {
    if column.isOrderedByNumber {
      self = column.number(of: details).map { .number($0) } ?? .nothing
    } else {
      self.init(column.value(of: details))
    }
  }
}
