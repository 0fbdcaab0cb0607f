import Chirper
import ChirperModel
import Foundation

/// Recordings by their details, as chirper exports them with `--tidy`: lines of JSON, or a table
/// whose headings are the names of columns. Also lines with the records of one catalogue.
struct DetailsTable: ImportSource {
  enum Form: Sendable {
    case lines
    /// Lines of JSON as a service sends them, and the recordings of one.
    case records(@Sendable (RecordingFields) -> (rows: [Recording], leftOut: Int))
    case table(DelimitedRows.Form)
  }

  static let exportAgain = "Export the recordings again with chirper export."
  let claim: ImportClaim
  let advice = exportAgain
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

  /// The object in the first line of a file; `nil` if it has none.
  static func object(_ start: [UInt8]) -> RecordingFields? {
    try? RecordingFields(parsing: String(decoding: start.prefix { $0 != 0x0A }, as: UTF8.self))
  }

  /// Whether an object is that of a recording with its details.
  static func isLine(_ fields: RecordingFields) -> Bool {
    ["id", "catalogue", "scientificName"].allSatisfy { fields[$0] != nil }
  }

  func read(
    staging _: String, _ progress: (Int64) throws -> Void, _ body: (ImportedRow) throws -> Void
  ) throws {
    // No JSON has a zero, so that a line is one cell.
    var rowForm = DelimitedRows.Form(separator: 0, quote: nil)
    if case .table(let form) = form { rowForm = form }
    let next = try pieces()
    var bytes = ReadBytes()
    var rows = DelimitedRows(rowForm) { bytes.counted(try next()) }
    try rows.read({ try progress(bytes.read) }, body, recording)
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
        return found.rows.isEmpty
          ? .unreadable(line: row.line, reason: "it has no id")
          : .recordings(
            found.rows, line: row.line, leftOut: found.leftOut, isOnly: false)
      }
      values = fields.members.filter { !$0.value.isNull }.map {
        ($0.name, Array($0.value.json.utf8))
      }
    case .table:
      values = headings.indices.filter { !row.isEmpty($0) }.map {
        (headings[$0], DetailsRecord.json(of: row[$0], in: headings[$0]))
      }
    }
    func text(_ name: String) -> String? {
      values.first { $0.name == name }.map {
        RecordingFields.Value(json: String(decoding: $0.json, as: UTF8.self)).text
      }
    }
    return DetailsRecord.row(
      row.line, catalogues, catalogue: text("catalogue") ?? "", id: text("id") ?? "", values)
  }
}

/// Records that are made of details.
enum DetailsRecord {
  private static let columns = Dictionary(
    uniqueKeysWithValues: DetailColumn.allCases.map { ($0.name, $0) })

  /// A recording of a catalogue that is known, with those of the values that are details.
  static func row(
    _ line: Int, _ catalogues: Set<CatalogueID>, catalogue: String, id: String,
    _ values: [(name: String, json: [UInt8])]
  ) -> ImportedRow {
    guard !id.isEmpty, !catalogue.isEmpty else {
      return .unreadable(line: line, reason: "it has no id and catalogue")
    }
    let recordingID = RecordingID(catalogue: CatalogueID(rawValue: catalogue), value: id)
    guard catalogues.contains(recordingID.catalogue) else {
      return .unreadable(
        line: line, reason: "its catalogue is not one that chirper knows: \(catalogue)")
    }
    var names: Set<String> = []
    let own = values.filter { columns[$0.name] != nil && names.insert($0.name).inserted }
    let fields = RecordingFields(importedAs: .details, own)
    return .recordings([Recording(id: recordingID, fields: fields)], line: line)
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
  /// - Parameter catalogues: those whose recordings are known.
  static func rules(_ catalogues: [Catalogue]) -> ImportRules {
    let known = Set(catalogues.map(\.id))
    var rules = ImportRules("", advice: DetailsTable.exportAgain) { recordings($0, known) }
    rules.takesSilent = true
    return rules
  }

  private static func recordings(_ row: ArchiveRow, _ known: Set<CatalogueID>) -> ImportedRow {
    let parts = row.key.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let catalogue = String(parts[0])
    var id = parts.count > 1 ? String(parts[1]) : ""
    // The sample's ids begin with its name.
    if !id.isEmpty, catalogue == Catalogues.defaultWithoutKey.id.rawValue { id = row.key }
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
    return DetailsRecord.row(
      row.line, known, catalogue: catalogue, id: id,
      values.map { ($0.name, DetailsRecord.json(of: $0.value, in: $0.name)) })
  }
}
