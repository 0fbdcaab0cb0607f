import Chirper
import ChirperModel

/// The files that chirper exports with recordings by their details: the lines of JSON and tables of
/// `--tidy`, data packages and archives.
struct OwnExport: Sendable {
  static let advice = "Export the recordings again with chirper export."
  /// The files of a data package.
  static let (package, rows) = ("datapackage.json", "recordings.csv")

  private let known: Set<CatalogueID>

  /// - Parameter catalogues: those whose recordings are known.
  init(_ catalogues: [Catalogue]) { known = Set(catalogues.map(\.id)) }

  /// Whether an object is that of a recording with its details.
  static func isLine(_ fields: RecordingFields) -> Bool {
    ["id", "catalogue", "scientificName"].allSatisfy { fields[$0] != nil }
  }

  /// The recording of a line of JSON, or of a row of a table.
  func recording(_ record: RecordingFields, line: Int) -> ImportedRow {
    recording(
      line, catalogue: record["catalogue"]?.text ?? "", id: record["id"]?.text ?? "",
      record.members)
  }

  /// A recording of a catalogue that is known, with those of the values that are details.
  private func recording(
    _ line: Int, catalogue: String, id: String,
    _ values: [(name: String, value: RecordingFields.Value)]
  ) -> ImportedRow {
    guard !id.isEmpty, !catalogue.isEmpty else {
      return .unreadable(line: line, reason: "it has no id and catalogue")
    }
    let recordingID = RecordingID(catalogue: CatalogueID(rawValue: catalogue), value: id)
    guard known.contains(recordingID.catalogue) else {
      return .unreadable(
        line: line, reason: "its catalogue is not one that chirper knows: \(catalogue)")
    }
    var names: Set<String> = []
    var own: [(name: String, json: [UInt8])] = []
    for (name, value) in values where !value.isNull {
      guard let column = DetailColumn(rawValue: name), names.insert(name).inserted else { continue }
      own.append((name, Self.json(of: value, in: column)))
    }
    let fields = RecordingFields(importedAs: .details, own)
    return .recordings([Recording(id: recordingID, fields: fields)], line: line)
  }

  /// The JSON of a value: a cell has annotations as the text of their JSON.
  private static func json(of value: RecordingFields.Value, in column: DetailColumn) -> [UInt8] {
    if column.type == .objects, value.json.hasPrefix("\"") {
      var reader = JSONReader(Array(value.text.utf8))
      var json = [UInt8]()
      if (try? reader.copyValue(into: &json)) != nil { return json }
    }
    return Array(value.json.utf8)
  }

  // MARK: Archives

  /// The rules of an archive: its occurrences have details by the names of columns.
  var archiveRules: ImportRules {
    var rules = ImportRules("", advice: Self.advice) { recording($0) }
    rules.takesSilent = true
    return rules
  }

  private func recording(_ row: ArchiveRow) -> ImportedRow {
    let parts = row.key.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let catalogue = String(parts[0])
    var id = parts.count > 1 ? String(parts[1]) : ""
    // The sample's ids begin with its name.
    if !id.isEmpty, catalogue == Catalogues.defaultWithoutKey.id.rawValue { id = row.key }
    var values = row.record.members.filter {
      // What the format needs of a recording that does not have it.
      !($0.name == DetailColumn.occurrenceID.name && $0.value.text == row.key)
        && !($0.name == DetailColumn.basisOfRecord.name && $0.value.text == "MachineObservation")
    }
    let sound = row.media.first
    func add(_ column: DetailColumn, _ text: String?) {
      guard let text, !text.isEmpty else { return }
      values.append((column.name, RecordingFields.Value(json: text.json)))
    }
    add(.accessURI, sound?["identifier"]?.text)
    let length = sound?["description"]?.text ?? ""
    if length.hasSuffix(" s") { add(.mediaDuration, String(length.dropLast(2))) }
    if !values.contains(where: { $0.name == DetailColumn.license.name }) {
      add(.licenseName, sound?["license"]?.text)
    }
    return recording(row.line, catalogue: catalogue, id: id, values)
  }
}
