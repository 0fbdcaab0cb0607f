import Chirper
import ChirperModel
import ChirperTestSupport
import ChirperTesting
import Foundation

@testable import ChirperFormats

/// Imports files that are made by hand into a store of their own.
final class ImportedFiles {
  let repository: RecordingRepository
  private let program: BuiltProgram

  init() throws {
    program = try BuiltProgram()
    repository = try .inMemory(dependencies: ManualClock().dependencies())
  }

  deinit { program.remove() }

  /// Imports the files of a folder as the list `x`.
  @discardableResult
  func folder(_ files: [String: String]) async throws -> ImportReport {
    let folder = program.path("folder")
    try? FileManager.default.removeItem(atPath: folder)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (name, text) in files {
      try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(name)"))
    }
    return try await imported("folder")
  }

  /// Imports a file as the list `x`.
  ///
  /// - Parameter sender: the catalogue whose records it has.
  func file(_ bytes: [UInt8], sender: Catalogue? = nil) async throws -> ImportReport {
    try Data(bytes).write(to: URL(filePath: program.path("file")))
    return try await imported("file", sender)
  }

  private func imported(_ name: String, _ sender: Catalogue? = nil) async throws -> ImportReport {
    let source = try ImportFile.source(
      program.path(name), catalogues: repository.known, sender: sender)
    return try await repository.importRows(of: source, named: "x")
  }

  /// The recordings of a list, in its order.
  func recordings(_ report: ImportReport) throws -> [Recording] {
    try report.lists.flatMap { try repository.rows(of: $0.query, in: 0..<10_000) }
  }

  func details(_ report: ImportReport) throws -> [RecordingDetails] {
    try recordings(report).map { repository.details(of: $0) }
  }
}

/// An archive of a museum as the files of a folder: rows are dictionaries of cells by terms.
struct MuseumArchive {
  var core: [[String: String]] = []
  var media: [[String: String]] = []
  /// Further terms of the columns, in their order.
  var coreTerms = ["scientificName"]
  var mediaTerms = ["type", "format", "identifier"]
  /// The values that `meta.xml` gives to every row, by terms.
  var coreDefaults: [String: String] = [:]
  var mediaDefaults: [String: String] = [:]
  var mediaType = "http://rs.gbif.org/terms/1.0/Multimedia"
  /// The attribute of `eml.xml` with the program that wrote it.
  var system = "x"

  /// The files by their names; lines end with line feeds.
  var files: [String: String] {
    func table(_ terms: [String], _ rows: [[String: String]]) -> String {
      let lines = rows.map { row in (["id"] + terms).map { row[$0] ?? "" } }
      return ([["id"] + terms] + lines).map { $0.joined(separator: "\t") + "\n" }.joined()
    }
    func fields(_ terms: [String], _ defaults: [String: String]) -> String {
      terms.enumerated().map { #"<field index="\#($0 + 1)" term="\#(Self.term($1))"/>"# }.joined()
        + defaults.map { #"<field term="\#(Self.term($0))" default="\#($1)"/>"# }.joined()
    }
    let form =
      #"fieldsTerminatedBy="\t" linesTerminatedBy="\n" fieldsEnclosedBy="" ignoreHeaderLines="1""#
    return [
      "meta.xml": """
      <archive metadata="eml.xml"><core \(form) rowType="http://rs.tdwg.org/dwc/terms/Occurrence">
      <files><location>occurrence.txt</location></files><id index="0"/>\(fields(coreTerms, coreDefaults))</core>
      <extension \(form) rowType="\(mediaType)"><files><location>media.txt</location></files>
      <coreid index="0"/>\(fields(mediaTerms, mediaDefaults))</extension></archive>
      """,
      "eml.xml":
        #"<eml packageId="m/v1" system="\#(system)"><dataset><title>Museum</title></dataset></eml>"#,
      "occurrence.txt": table(coreTerms, core), "media.txt": table(mediaTerms, media),
    ]
  }

  /// An archive of records with one sound each.
  init(_ count: Int = 0) {
    for index in 0..<count { add("M\(index + 1)", sounds: 1) }
  }

  /// Adds a record with sounds.
  mutating func add(_ id: String, _ values: [String: String] = [:], sounds: Int = 1) {
    core.append(["id": id, "scientificName": "Turdus merula"].merging(values) { $1 })
    for index in 0..<sounds {
      media.append([
        "id": id, "type": "Sound", "identifier": "https://m.example/\(id)-\(index).mp3",
      ])
    }
  }

  /// Whole addresses, `dc:` for the older terms of Dublin Core, and names without a prefix.
  private static func term(_ name: String) -> String {
    if name.contains("/") { return name }
    if name.hasPrefix("dc:") { return "http://purl.org/dc/elements/1.1/\(name.dropFirst(3))" }
    let dublin = ["type", "format", "identifier", "license", "title", "creator", "description"]
    let space =
      dublin.contains(name) ? "http://purl.org/dc/terms/" : "http://rs.tdwg.org/dwc/terms/"
    return (name == "accessURI" ? "http://rs.tdwg.org/ac/terms/" : space) + name
  }
}

extension FetchReport {
  /// The query of an imported list.
  var query: CatalogueQuery { stored!.query }
}
