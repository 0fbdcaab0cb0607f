import Chirper
import ChirperModel
import Foundation

/// Recordings by their details, as chirper exports them with `--tidy`: lines of JSON, or a table
/// whose headings are the names of columns. Also lines with the records of one catalogue.
struct DetailsTable: ImportSource {
  enum Form: Sendable {
    case lines
    /// Lines of JSON as a service sends them, and the recordings of one.
    case records(@Sendable (RecordingFields) -> [Recording])
    case table(DelimitedRows.Form)
  }

  let claim: ImportClaim
  let size: Int64
  var neededBytes: Int64 { 3 * size }
  private let form: Form
  private let catalogues: Set<CatalogueID>
  private let pieces: @Sendable () throws -> () throws -> [UInt8]

  /// - Parameters:
  ///   - catalogues: those whose recordings are known.
  ///   - pieces: returns a function that reads the file from its beginning.
  init(
    _ form: Form, _ claim: ImportClaim, size: Int64, catalogues: [Catalogue],
    _ pieces: @escaping @Sendable () throws -> () throws -> [UInt8]
  ) {
    (self.form, self.claim, self.size, self.pieces) = (form, claim, size, pieces)
    self.catalogues = Set(catalogues.map(\.id))
  }

  /// The files of a data package that chirper writes.
  static let (package, rows) = ("datapackage.json", "recordings.csv")

  /// Whether a file begins as a table of details does.
  static func isTable(_ start: [UInt8]) -> Bool {
    let bytes = start.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(start.dropFirst(3)) : start
    return bytes.starts(with: "id,catalogue,".utf8)
  }

  /// Whether a line is the object of a recording with its details.
  static func isLine(_ line: some Collection<UInt8>) -> Bool {
    guard let fields = try? RecordingFields(parsing: String(decoding: line, as: UTF8.self)) else {
      return false
    }
    return ["id", "catalogue", "scientificName"].allSatisfy { fields[$0] != nil }
  }

  func read(
    staging _: String, _ progress: (Int64) throws -> Void, _ body: ([ImportedRow]) throws -> Void
  ) throws {
    // No JSON has a zero, so that a line is one cell.
    var rowForm = DelimitedRows.Form(separator: 0, quote: nil)
    if case .table(let form) = form { rowForm = form }
    try DelimitedRows.read(rowForm, pieces(), progress, body, recording)
  }

  private func recording(_ row: DelimitedRows.Row, _ headings: [String]) -> ImportedRow {
    var values: [(name: String, json: [UInt8])] = []
    switch form {
    case .lines, .records:
      guard let fields = try? RecordingFields(parsing: row[0]) else {
        return .unreadable(line: row.line, reason: "it is not an object of JSON")
      }
      if case .records(let recordings) = form {
        let found = recordings(RecordingFields(importedRecord: fields))
        return found.isEmpty
          ? .unreadable(line: row.line, reason: "it has no id") : .recordings(found, line: nil)
      }
      values = fields.members.filter { !$0.value.isNull }.map {
        ($0.name, Array($0.value.json.utf8))
      }
    case .table:
      values = zip(headings, row.cells).filter { !$1.isEmpty }.map {
        ($0, DetailsRecord.json(of: $1, in: $0))
      }
    }
    func text(_ name: String) -> String? {
      values.first { $0.name == name }.map {
        RecordingFields.Value(json: String(decoding: $0.json, as: UTF8.self)).text
      }
    }
    guard let id = text("id"), let catalogue = text("catalogue"), !id.isEmpty else {
      return .unreadable(line: row.line, reason: "it has no id and catalogue")
    }
    let recordingID = RecordingID(catalogue: CatalogueID(rawValue: catalogue), value: id)
    guard catalogues.contains(recordingID.catalogue) else {
      return .unreadable(
        line: row.line, reason: "its catalogue is not one that chirper knows: \(catalogue)")
    }
    return .recordings([DetailsRecord.recording(recordingID, values)], line: row.line)
  }
}

/// Records that are made of details.
enum DetailsRecord {
  private static let columns = Dictionary(
    uniqueKeysWithValues: DetailColumn.allCases.map { ($0.name, $0) })

  /// A recording with those of the values that are details.
  static func recording(
    _ id: RecordingID, _ values: [(name: String, json: [UInt8])]
  ) -> Recording {
    var names: Set<String> = []
    let own = values.filter { columns[$0.name] != nil && names.insert($0.name).inserted }
    return Recording(id: id, fields: RecordingFields(importedAs: .details, own))
  }

  /// The JSON of a cell: that of annotations is JSON already.
  static func json(of cell: String, in column: String) -> [UInt8] {
    if columns[column]?.type == .objects {
      var (reader, json) = (JSONReader(Array(cell.utf8)), [UInt8]())
      if (try? reader.copyValue(into: &json)) != nil { return json }
    }
    var json: [UInt8] = []
    JSONText.append(quoted: cell, to: &json)
    return json
  }
}

/// The archives that chirper writes: their occurrences have details by the names of columns.
enum OwnArchive {
  static let rules: ImportRules = {
    var rules = ImportRules("", recordings: recordings)
    rules.takesSilent = true
    return rules
  }()

  @Sendable private static func recordings(_ row: ArchiveRow) -> [Recording] {
    guard let colon = row.key.firstIndex(of: ":") else { return [] }
    let catalogue = CatalogueID(rawValue: String(row.key[..<colon]))
    var id = String(row.key[row.key.index(after: colon)...])
    // The sample's ids begin with its name.
    if catalogue == Catalogues.defaultWithoutKey.id { id = row.key }
    var values = row.record.members.map { (name: $0.name, value: $0.value.text) }.filter {
      // What the format needs of a recording that does not have it.
      !($0.name == DetailColumn.occurrenceID.name && $0.value == row.key)
        && !($0.name == DetailColumn.basisOfRecord.name && $0.value == "MachineObservation")
    }
    let sound = row.media.first
    func add(_ column: DetailColumn, _ value: String?) {
      if let value, !value.isEmpty { values.append((name: column.name, value: value)) }
    }
    add(.accessURI, sound?["identifier"]?.text)
    let length = sound?["description"]?.text ?? ""
    if length.hasSuffix(" s") { add(.mediaDuration, String(length.dropLast(2))) }
    if !values.contains(where: { $0.name == DetailColumn.license.name }) {
      add(.licenseName, sound?["license"]?.text)
    }
    return [
      DetailsRecord.recording(
        RecordingID(catalogue: catalogue, value: id),
        values.map { ($0.name, DetailsRecord.json(of: $0.value, in: $0.name)) })
    ]
  }
}
