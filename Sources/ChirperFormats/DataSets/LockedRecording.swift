import Chirper
import ChirperModel
import Foundation

/// A recording of a data set as it was when the set was locked: a line of `NAME.lock.jsonl`.
package struct LockedRecording: Sendable, Equatable {
  package let id: RecordingID
  /// The values of `columns` as JSON; `nil` for a value that is not known.
  private var values: [String?]
  /// SHA-256 of the record as sent, without volatile fields (`RecordingFields.canonical`). Of a
  /// record that was imported it is that of its details, after `d:`.
  let sha256: String
  /// The audio; `nil` if the lock was made without.
  var audio: Audio?
  package var split: DataSetPart?

  /// An audio file by its content.
  struct Audio: Sendable, Hashable {
    let sha256: String
    let bytes: Int64
    /// The extension of the file, which is its kind by its bytes: `mp3`.
    let kind: String

    /// The most bytes of a file in a lock.
    static let sizeLimit = 1 << 40
  }

  /// The details that a line has, in their order.
  static let columns: [DetailColumn] = [
    .catalogNumber, .references, .accessURI, .scientificName, .taxonRank, .vernacularName,
    .acceptedNameUsage,
    .recordedBy, .eventDate, .eventTime, .countryCode, .country, .locality, .decimalLatitude,
    .decimalLongitude, .coordinateUncertaintyInMeters, .dataGeneralizations, .informationWithheld,
    .behavior, .sex, .lifeStage, .quality, .license, .licenseName, .rightsHolder, .mediaDuration,
    .alsoIn, .annotations,
  ]

  /// A recording as it is now.
  ///
  /// The accepted name follows from its own names alone: what others show depends on what else is
  /// stored.
  init(_ recording: Recording, _ details: RecordingDetails, volatile: Set<String>)
    throws(JSONFault)
  {
    id = recording.id
    var own = details
    own.storedSpecies = nil
    own.acceptedName = nil
    own.shownName = nil
    values = Self.columns.map { $0.value(of: own).lockedJSON }
    if recording.fields.importedForm == nil {
      sha256 = SHA256.text(SHA256.digest(try recording.fields.canonical(without: volatile)))
    } else {
      let details = values.map { $0 ?? "null" }.joined(separator: ",")
      sha256 = Self.ofDetails + SHA256.text(SHA256.digest(Array(details.utf8)))
    }
  }

  /// Comes before a hash of details.
  private static let ofDetails = "d:"

  /// Whether the record was imported, so that it is compared by its details alone.
  var isOfDetails: Bool { sha256.hasPrefix(Self.ofDetails) }

  func json(_ column: DetailColumn) -> String? {
    Self.columns.firstIndex(of: column).flatMap { values[$0] }
  }

  func value(_ column: DetailColumn) -> RecordingFields.Value? {
    json(column).map { RecordingFields.Value(json: $0) }
  }

  package func text(_ column: DetailColumn) -> String? { value(column)?.text }

  func number(_ column: DetailColumn) -> Double? { value(column)?.double }

  var coordinate: RecordingDetails.Coordinate? {
    guard let latitude = number(.decimalLatitude), let longitude = number(.decimalLongitude) else {
      return nil
    }
    return RecordingDetails.Coordinate(latitude: latitude, longitude: longitude)
  }

  /// The recording that this one is a copy of.
  package var original: RecordingID? {
    guard let text = text(.alsoIn), let blank = text.firstIndex(of: " ") else { return nil }
    return RecordingID(
      catalogue: CatalogueID(rawValue: String(text[..<blank])),
      value: String(text[blank...].dropFirst()))
  }

  /// The species that it counts as; `nil` if its name is not that of one species.
  var species: String? {
    RecordingDetails.species(
      text(.scientificName), rank: text(.taxonRank), accepted: text(.acceptedNameUsage))
  }

  /// The licence with its rights; `nil` for a recording without a licence.
  var licence: RecordingDetails.Licence? {
    text(.license).flatMap { RecordingDetails.Licence(creativeCommons: $0) }
      ?? text(.licenseName).map { RecordingDetails.Licence(other: $0) }
  }

  /// The names, as the rules about names take them.
  var names: RecordingDetails {
    var details = RecordingDetails()
    details.scientificName = text(.scientificName)
    details.vernacularName = text(.vernacularName)
    return details
  }

  /// Recordist, number and licence in one line.
  var credit: String {
    var details = RecordingDetails()
    details.recordedBy = text(.recordedBy)
    details.catalogNumber = text(.catalogNumber) ?? id.description
    details.licence = licence
    return details.credit
  }

  /// The columns of which the other recording has a different value.
  func changes(to other: LockedRecording) -> [DetailColumn] {
    Self.columns.filter { json($0) != other.json($0) }
  }

  /// Whether it comes before the other in a lock: by catalogue, then by id, the shorter first.
  static func precedes(_ left: RecordingID, _ right: RecordingID) -> Bool {
    if left.catalogue != right.catalogue {
      return left.catalogue.rawValue.utf8.lexicographicallyPrecedes(right.catalogue.rawValue.utf8)
    }
    let one = left.value.utf8
    let other = right.value.utf8
    return one.count == other.count ? one.lexicographicallyPrecedes(other) : one.count < other.count
  }

  // MARK: The line

  /// Appends the line, with its end.
  func append(to out: inout [UInt8]) {
    var line: JSONObject = ["catalogue": id.catalogue.rawValue, "id": id.value]
    for (column, value) in zip(Self.columns, values) {
      if let value { line.add(column.name, raw: value) }
    }
    line.add("sha256", sha256)
    if let audio {
      line.add(
        "audio",
        ["sha256": audio.sha256, "bytes": audio.bytes, "kind": audio.kind] as JSONObject)
    }
    line.add(known: ["split": split?.rawValue])
    out += "\(line.text)\n".utf8
  }

  init(line: [UInt8]) throws(JSONFault) {
    var reader = JSONReader(line)
    guard reader.kind == .object else { throw reader.fault(.unexpected("a recording")) }
    var catalogue = String?.none
    var id = String?.none
    var hash = String?.none
    var values = [String?](repeating: nil, count: Self.columns.count)
    var audio = Audio?.none
    var split = DataSetPart?.none
    try reader.object { name, reader throws(JSONFault) in
      let fault = reader.fault(.unexpected("the value of \(name.json)"))
      switch name {
      case "catalogue": catalogue = try reader.value().text
      case "id": id = try reader.value().text
      case "sha256":
        hash = try reader.value().text
        guard hash.map(Self.isHash) == true else { throw fault }
      case "audio":
        let members = try reader.value().object
        guard let hash = members?["sha256"]?.text, Self.isHash(hash),
          let bytes = members?["bytes"]?.integer, (0...Audio.sizeLimit).contains(bytes),
          let kind = members?["kind"]?.text, AudioKind(rawValue: kind) != nil
        else { throw fault }
        audio = Audio(sha256: hash, bytes: Int64(bytes), kind: kind)
      case "split":
        split = DataSetPart(rawValue: try reader.value().text)
        guard split != nil else { throw fault }
      default:
        // A later version may know more of a recording.
        let value = try reader.value()
        if let column = DetailColumn(rawValue: name),
          let position = Self.columns.firstIndex(of: column)
        {
          values[position] = value.json
        }
      }
    }
    try reader.end()
    guard let catalogue, let id, let hash, !catalogue.isEmpty, !id.isEmpty else {
      throw JSONFault(reason: .unexpected("catalogue, id and sha256"), offset: 0)
    }
    self.id = RecordingID(catalogue: CatalogueID(rawValue: catalogue), value: id)
    self.values = values
    sha256 = hash
    self.audio = audio
    self.split = split
  }

  private static func isHash(_ text: String) -> Bool {
    let digits = text.trimmingPrefix(ofDetails).utf8
    return digits.count == 64 && digits.allSatisfy { "0123456789abcdef".utf8.contains($0) }
  }
}

extension LockedRecording.Audio {
  /// Reads a file, whose kind is that of its bytes.
  ///
  /// - Throws: `AudioError`, and `CancellationError` soon after the task is cancelled.
  init(of file: URL) throws {
    let (sha256, bytes) = try AudioLibrary.content(of: file)
    self.init(sha256: sha256, bytes: bytes, kind: AudioLibrary.kind(of: file))
  }
}

extension DetailColumn.Value {
  /// The value in a line; `nil` for no value.
  fileprivate var lockedJSON: String? {
    switch self {
    case .none: return nil
    case .list(let texts): return texts.isEmpty ? nil : texts.json
    default:
      var out: [UInt8] = []
      append(to: &out)
      return String(decoding: out, as: UTF8.self)
    }
  }
}
