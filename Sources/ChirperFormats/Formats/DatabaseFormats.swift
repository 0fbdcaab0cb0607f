import Chirper
import ChirperModel
import Foundation

extension RecordFormat {
  /// An SQLite database with the tidy columns as a table.
  public static let sqlite = RecordFormat(
    name: "sqlite", title: "SQLite: Datasette, DBeaver", mediaType: "application/vnd.sqlite3",
    fileExtension: "sqlite", choosesDetails: true, content: .database(.sqlite))

  /// A GeoPackage: points with the tidy columns as attributes.
  public static let geoPackage = RecordFormat(
    name: "gpkg", title: "GeoPackage: QGIS, sf", mediaType: "application/geopackage+sqlite3",
    fileExtension: "gpkg", choosesDetails: true, content: .database(.geoPackage))
}

enum DatabaseForm: Sendable {
  /// SQLite, for Datasette, DBeaver and dbplyr.
  case sqlite
  /// GeoPackage 1.3 (https://www.geopackage.org/spec130/), for QGIS, R and geopandas: each row is
  /// a point, or has no place.
  case geoPackage
}

/// The table of a database file: encoded rows gather in `buffer` and are inserted from there.
final class DatabaseOutput: ByteOutput {
  var buffer: [UInt8] = []
  private let form: DatabaseForm
  private let columns: [TidyColumn]
  /// The names of the columns in the file.
  private let names: [String]
  private let table: TableFile

  /// - Parameter output: of the file, which is not written in any other way.
  /// - Throws: `UserFacingError` if that is not a file, `TableFile.Failure` if it cannot be
  ///   written.
  init(_ form: DatabaseForm, _ columns: [TidyColumn], to output: any ByteOutput) throws {
    guard let path = output.file else { throw UserFacingError.needsFile(form) }
    self.form = form
    self.columns = columns
    // SQLite does not distinguish upper and lower case.
    var taken: Set = ["fid", "geom"]
    names = columns.map { column in
      var name = column.name
      while !taken.insert(name.lowercased()).inserted { name += "_2" }
      return name
    }
    var opening = [String]()
    var placeholders = columns.map { _ in "?" }
    var definitions = zip(columns, names).map {
      "\(Self.quoted($1)) \(Self.declaration(of: $0.type))"
    }
    if form == .geoPackage {
      opening = GeoPackage.statements
      definitions = ["fid INTEGER PRIMARY KEY NOT NULL", "geom POINT"] + definitions
      placeholders = ["NULL", "?"] + placeholders
    } else {
      // SQLite keeps the comments with the statement, which programs show.
      definitions = zip(columns, definitions).map { "-- \($0.description)\n\($1)" }
      if columns.have([.catalogue, .id]) { definitions.append("PRIMARY KEY (catalogue, id)") }
    }
    table = try TableFile(
      path: path,
      opening: opening + [
        "BEGIN", "CREATE TABLE recordings (\n\(definitions.joined(separator: ",\n"))\n)",
      ], insertion: "INSERT INTO recordings VALUES (\(placeholders.joined(separator: ",")))",
      point: GeoPackage.point)
    output.fileIsOpen()
  }

  /// The indexes that serve what people ask for most, and the views that sum up the rows and have a
  /// row for each annotation.
  private var indexesAndViews: [(sql: String, values: [DetailColumn.Value])] {
    let indexed: [DetailColumn] = [.scientificName, .countryCode, .eventDate, .recordedBy]
    var statements = indexed.filter { columns.have([.detail($0)]) }.map {
      "CREATE INDEX recordings_\($0.name) ON recordings (\($0.name))"
    }
    let summed: [(name: String, columns: [DetailColumn])] = [
      ("species", [.scientificName, .vernacularName]), ("countries", [.countryCode]),
      ("recordists", [.recordedBy]), ("licences", [.licenseName, .license]),
    ]
    statements += summed.filter { columns.have($0.columns.map { .detail($0) }) }.map {
      let names = $0.columns.map(\.name).joined(separator: ", ")
      return """
        CREATE VIEW \($0.name) AS SELECT \(names), count(*) AS recordings FROM recordings
        GROUP BY \(names) ORDER BY recordings DESC, \(names)
        """
    }
    if columns.have([.catalogue, .id, .detail(.annotations)]) {
      let members = AnnotationColumn.allCases.map {
        "json_extract(annotation.value, '$.\($0.rawValue)') AS \($0.rawValue)"
      }
      statements.append(
        """
        CREATE VIEW annotations AS SELECT recordings.catalogue, recordings.id, \(members.joined(separator: ", "))
        FROM recordings, json_each(recordings.annotations) AS annotation
        """)
    }
    return statements.map { ($0, []) }
  }

  private static func declaration(of type: ColumnType) -> String {
    switch type {
    case .key: "TEXT NOT NULL"
    case .text, .serial, .list, .objects, .pattern, .address, .date, .rating: "TEXT"
    case .number: "REAL"
    case .integer: "INTEGER"
    case .boolean: "BOOLEAN"
    }
  }

  private static func quoted(_ name: String) -> String {
    "\"\((PlainLine.text(name) ?? "column").replacing("\"", with: "\"\""))\""
  }

  /// Encodes rows for `buffer`.
  var rowWriter: some RowWriter<RecordingRow> {
    DatabaseRowWriter(form: form, columns: columns.map(\.column))
  }

  func writeIfFull() throws {
    // Rows come in batches, which are whole.
    try table.insert(buffer)
    buffer.removeAll(keepingCapacity: true)
  }

  func flush() throws { try writeIfFull() }

  func finish(_ provenance: Provenance, _ format: RecordFormat, _ summary: ExportSummary) throws {
    try flush()
    let facts = provenance.file(format: format.name, summary)
    try table.finish { box in
      guard form == .geoPackage else {
        return [
          (
            "CREATE TABLE provenance AS SELECT key AS name, value FROM json_each(?)",
            [.text(facts)]
          )
        ] + indexesAndViews
      }
      return GeoPackage.closing(
        columns, names, box, title: "Sound recordings: \(provenance.title)",
        text: provenance.lines.joined(separator: "\n"), provenance: facts,
        writtenAt: provenance.exportedAt)
    }
  }
}

extension [TidyColumn] {
  fileprivate func have(_ wanted: [RecordingColumn]) -> Bool {
    Set(wanted).isSubset(of: map(\.column))
  }
}

extension UserFacingError {
  /// A database was to be written to something that is not a regular file.
  fileprivate static func needsFile(_ form: DatabaseForm) -> UserFacingError {
    .usage(
      "A database is written to a file only, not to standard output, a pipe or a device",
      hint: "Type -o FILE, as in: -o parrot.\(form == .sqlite ? "sqlite" : "gpkg")")
  }
}

extension RecordFormat {
  /// Refuses to write a database to a pipe or a device.
  package func check(file path: String) throws(UserFacingError) {
    if case .database(let form) = content, AtomicFile.isDevice(path) { throw .needsFile(form) }
  }

  /// Calls `write` with the output. SQLite writes only to a file, so a database is written to one of
  /// its own, which is copied.
  package func writing<Result>(
    to output: any ByteOutput, _ write: (any ByteOutput) throws -> Result
  ) throws -> Result {
    guard isDatabase else { return try write(output) }
    let database = try TemporaryDatabase()
    let result = try write(database)
    try database.copy(to: output)
    return result
  }
}

/// A file in the temporary folder for a database that is copied at once.
///
/// SQLite needs a name only to open it, so the name is removed then, and the file goes with this
/// process however it ends.
final class TemporaryDatabase: ByteOutput {
  var buffer: [UInt8] = []
  var file: String? { path }
  let path: String
  private let content: FileHandle

  /// Creates the file.
  ///
  /// - Throws: `TableFile.Failure`.
  init() throws {
    let folder = FileManager.default.temporaryDirectory
    path = folder.appending(path: "chirper-\(UUID().uuidString)").path
    let descriptor = open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw TableFile.Failure(number: errno) }
    content = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  deinit { unlink(path) }

  func fileIsOpen() {
    // Apple's SQLite stops using a file that has no name; there the system empties the folder.
    #if !canImport(Darwin)
    unlink(path)
    #endif
  }

  func writeIfFull() {}
  func flush() {}

  /// Copies the file once it is whole.
  func copy(to output: any ByteOutput) throws {
    while let piece = try content.read(upToCount: 1 << 16), !piece.isEmpty {
      output.buffer += piece
      try output.writeIfFull()
    }
    try output.flush()
  }
}

private struct DatabaseRowWriter: RowWriter {
  let form: DatabaseForm
  let columns: [RecordingColumn]

  func append(_ row: RecordingRow, to out: inout [UInt8]) -> Bool {
    if form == .geoPackage { TableFile.append(row.details.coordinate, to: &out) }
    for value in row.values(of: columns) { TableFile.append(value, to: &out) }
    return true
  }
}
