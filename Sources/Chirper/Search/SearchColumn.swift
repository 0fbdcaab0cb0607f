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
  /// The catalogue.
  case source
  /// The catalogue's own id.
  case id
  /// Every detail but `coordinate`, which has two columns.
  case detail(DetailName)
  /// Degrees.
  case latitude, longitude
  /// Recordist, number and licence in one line.
  case credit
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
    [.source, .id]
    + DetailName.allCases.flatMap { $0 == .coordinate ? [.latitude, .longitude] : [.detail($0)] }
    + [.credit, .lists, .leftLists, .audio, .firstSeenAt]

  /// As in headers and in JSON: `vernacularName`, `lists`.
  public var name: String {
    switch self {
    case .source: "source"
    case .id: "id"
    case .detail(let detail): detail.rawValue
    case .latitude: "latitude"
    case .longitude: "longitude"
    case .credit: "credit"
    case .lists: "lists"
    case .leftLists: "leftLists"
    case .audio: "audio"
    case .firstSeenAt: "firstSeenAt"
    case .field(let name): name
    }
  }
}

/// The value that a recording has in a column.
public enum SearchValue: Hashable, Sendable {
  /// There is no value.
  case none
  /// One text.
  case text(String)
  /// A number in the unit of the column.
  case number(Double)
  /// Yes or no.
  case flag(Bool)
  /// Several texts, or none.
  case list([String])
  /// A raw field, as the catalogue sent it.
  case field(FieldValue)

  fileprivate init(_ text: String?) { self = text.map { .text($0) } ?? .none }
  fileprivate init(_ number: Double?) { self = number.map { .number($0) } ?? .none }
}

/// One key of an order of found recordings.
///
/// Values are compared as `ListSort` compares them, catalogue numbers by their digits. Recordings without a value come last.
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
  public func value(of column: SearchColumn) -> SearchValue {
    switch column {
    case .source: .text(recording.id.catalogue.rawValue)
    case .id: .text(recording.id.value)
    case .detail(let detail): value(of: detail)
    case .latitude: SearchValue(details.coordinate?.latitude)
    case .longitude: SearchValue(details.coordinate?.longitude)
    case .credit: .text(details.credit)
    case .lists: .list(Self.names(lists))
    case .leftLists: .list(Self.names(leftLists))
    case .audio: .flag(isAudioKept)
    case .firstSeenAt: .text(firstSeenAt.formatted(.iso8601))
    case .field(let name): recording[name].map { .field($0) } ?? .none
    }
  }

  private func value(of detail: DetailName) -> SearchValue {
    switch detail {
    case .scientificName: SearchValue(details.scientificName)
    case .genus: SearchValue(details.genus)
    case .specificEpithet: SearchValue(details.specificEpithet)
    case .infraspecificEpithet: SearchValue(details.infraspecificEpithet)
    case .vernacularName: SearchValue(details.vernacularName)
    case .group: SearchValue(details.group)
    case .recordedBy: SearchValue(details.recordedBy)
    case .country: SearchValue(details.country)
    case .locality: SearchValue(details.locality)
    case .coordinate: SearchValue(details.coordinate.map { "\($0.latitude),\($0.longitude)" })
    case .coordinateUncertainty: SearchValue(details.coordinateUncertainty)
    case .dataGeneralizations: SearchValue(details.dataGeneralizations)
    case .elevation: SearchValue(details.elevation)
    case .eventDate: SearchValue(details.eventDate?.description)
    case .eventTime: SearchValue(details.eventTime?.description)
    case .soundType: .list(details.soundType)
    case .sex: .list(details.sex)
    case .lifeStage: .list(details.lifeStage)
    case .quality: SearchValue(details.quality?.rawValue)
    case .duration: SearchValue(details.duration)
    case .sampleRate: SearchValue(details.sampleRate.map(Double.init))
    case .samplingProtocol: SearchValue(details.samplingProtocol)
    case .licence: SearchValue(details.licence?.name)
    case .rightsHolder: SearchValue(details.rightsHolder)
    case .remarks: SearchValue(details.remarks)
    case .backgroundSpecies: .list(details.backgroundSpecies)
    case .uploaded: SearchValue(details.uploaded?.description)
    case .pageURL: SearchValue(details.pageURL)
    case .audioURL: SearchValue(details.audioURL)
    case .sonogramURL: SearchValue(details.sonogramURL)
    case .catalogueNumber: SearchValue(details.catalogueNumber)
    case .alsoIn: SearchValue(details.alsoIn?.description)
    }
  }

  /// Two lists with the same text differ in their page size only.
  private static func names(_ lists: [CatalogueQuery]) -> [String] {
    var seen: Set<String> = []
    return lists.map(\.typed).filter { seen.insert($0).inserted }
  }

  /// - Parameter catalogue: of the recording.
  func sortValue(of column: SearchColumn, in catalogue: Catalogue?) -> SortValue {
    switch column {
    // Most catalogues have numbers.
    case .id: SortValue(FieldValue(json: JSONText.quoted(recording.id.value)))
    case .field(let name): SortOrder(field: name, in: catalogue).value(of: recording)
    case .detail(.catalogueNumber): SearchNumberField.number.number(of: details).map { .number($0) } ?? .nothing
    // As the index has them; the order is that of their texts.
    case .detail(.eventDate): details.eventDate.map { .number(Double($0.packed)) } ?? .nothing
    case .detail(.uploaded): details.uploaded.map { .number(Double($0.packed)) } ?? .nothing
    case .detail(.quality): details.quality.map { .number(Double($0.rank)) } ?? .nothing
    default: SortValue(value(of: column))
    }
  }
}

extension SearchColumn {
  /// The column of the index with the numbers that `sortValue` compares.
  var indexed: SearchIndexColumn? {
    switch self {
    case .latitude: .latitude
    case .longitude: .longitude
    case .detail(.elevation): .elevation
    case .detail(.eventDate): .eventDate
    case .detail(.uploaded): .uploaded
    case .detail(.quality): .quality
    case .detail(.duration): .duration
    case .detail(.catalogueNumber): .number
    default: nil
    }
  }
}

extension SortValue {
  /// A number of the index; `nan` is none.
  init(number: Double) {
    self = number.isNaN ? .nothing : .number(number)
  }

  fileprivate init(_ value: SearchValue) {
    switch value {
    case .text(let text) where !text.isEmpty: self = .text(TextFolding.folded(text))
    case .list(let texts) where !texts.isEmpty: self = .text(TextFolding.folded(texts.joined(separator: ", ")))
    case .number(let number): self = .number(number)
    case .flag(let isTrue): self = .number(isTrue ? 1 : 0)
    case .field(let field): self.init(field)
    case .none, .text, .list: self = .nothing
    }
  }
}
