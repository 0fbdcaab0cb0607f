import Chirper
import ChirperModel
import Foundation

/// Recognises files by their content.
package enum ImportFile {
  /// The source of the rows of a file or folder.
  ///
  /// - Parameter sender: the catalogue whose service sent the lines of JSON of the file.
  /// - Throws: `UserFacingError` for any other file, with a sentence about what it is.
  package static func source(
    _ path: String, catalogues: [Catalogue], sender: Catalogue? = nil
  ) throws -> any ImportSource {
    let name = URL(filePath: path).lastPathComponent
    if FileKind(path) == .directory {
      let claim = ImportClaim(file: name, fingerprint: try fingerprint(ofFolder: path))
      if let source = try source(ArchiveFiles(folder: path), claim, catalogues) { return source }
      throw UserFacingError.notImportable(
        path, "this folder has no meta.xml", hint: "Name the folder of a Darwin Core archive.")
    }
    let file = try ReadableFile(path)
    let claim = ImportClaim(file: name, fingerprint: try file.fingerprint())
    let start = try file.bytes(at: 0, count: 64 << 10)
    guard !start.isEmpty else {
      throw UserFacingError.notImportable(path, "it is empty", hint: "Download it again.")
    }
    func records(
      _ form: DelimitedRows.Form, advice: String = OwnExport.advice,
      _ imported: @escaping @Sendable (RecordingFields, Int) -> ImportedRow
    ) -> RecordFile {
      RecordFile(
        name: path, form: form, claim: claim, advice: advice, size: file.size,
        pieces: { file.pieces() }, imported: imported)
    }
    let first = object(start)
    let isOwnLine = first.map(OwnExport.isLine) == true
    if let sender {
      guard !isOwnLine else {
        throw UserFacingError.notImportable(
          path, "its lines are details, not records as \(sender.name) sends them",
          hint: "Leave out --source.")
      }
      guard let recordings = sender.recordings, first != nil else {
        throw UserFacingError.notImportable(
          path, "it does not have lines of JSON, as \(sender.name) sends its records",
          hint: "--source is for what chirper export wrote with --format jsonl.")
      }
      return records(.lines) { record, line in
        let found = recordings(RecordingFields(importedRecord: record))
        return found.rows.isEmpty
          ? .unreadable(line: line, reason: "it has no id")
          : .recordings(found.rows, line: line, leftOut: found.leftOut, isOnly: false)
      }
    }
    if ZipReader.isZip(start) { return try source(ZipReader(file), path, claim, catalogues) }
    try refuseSimpleDownload(start, path)
    let own = OwnExport(catalogues)
    if isOwnLine { return records(.lines, own.recording) }
    let table = try DelimitedRows.Form(ofTable: file.pieces())
    let headings = table.headings(start)
    // A catalogue's table has the heading of its ids.
    let rules = catalogues.lazy.compactMap(\.imports).first {
      $0.isTable && headings.contains($0.term)
    }
    if let rules { return records(table, advice: rules.advice, rules.imported) }
    guard headings.starts(with: ["id", "catalogue"]) else { throw unknown(path) }
    // It has escapes in place of quotes.
    guard table.separator != UInt8(ascii: "\t") else {
      throw UserFacingError.notImportable(
        path, "it was exported as tsv, which is not imported",
        hint: "Export the recordings again, with --tidy as jsonl or csv.")
    }
    return records(table, own.recording)
  }

  private static func source(
    _ zip: ZipReader, _ path: String, _ claim: ImportClaim, _ catalogues: [Catalogue]
  ) throws -> any ImportSource {
    for mark in ["meta.xml", OwnExport.package] {
      if let source = try source(ArchiveFiles(zip: zip, with: mark), claim, catalogues) {
        return source
      }
    }
    let tables = zip.entries.keys.filter { $0.hasSuffix(".csv") || $0.hasSuffix(".txt") }
    if tables.count == 1 { try refuseSimpleDownload(zip.pieces(of: tables[0])(), path) }
    throw unknown(path)
  }

  /// The object in the first line of a file; `nil` if it has none.
  private static func object(_ start: [UInt8]) -> RecordingFields? {
    try? RecordingFields(parsing: String(decoding: start.prefix { $0 != 0x0A }, as: UTF8.self))
  }

  /// The source of an archive or a data package; `nil` if the files are neither.
  private static func source(
    _ files: ArchiveFiles, _ claim: ImportClaim, _ catalogues: [Catalogue]
  ) throws -> (any ImportSource)? {
    if files.size(of: "meta.xml") != nil {
      return try DarwinCoreArchive(files, claim, catalogues)
    }
    guard let package = try files.bytes(of: OwnExport.package),
      let size = files.size(of: OwnExport.rows)
    else { return nil }
    var claim = claim
    let fields = try? RecordingFields(parsing: String(decoding: package, as: UTF8.self))
    claim.title = fields?["title"]?.text
    var form = DelimitedRows.Form.csv
    form.mayBeCut = files.isFolder
    return RecordFile(
      name: files.name, form: form, claim: claim, advice: OwnExport.advice, size: size,
      pieces: { try files.pieces(of: OwnExport.rows) }, imported: OwnExport(catalogues).recording)
  }

  /// Refuses a simple download of GBIF, by its heading.
  private static func refuseSimpleDownload(_ start: [UInt8], _ path: String) throws {
    let heading = String(decoding: start.prefix { $0 != 0x0A }, as: UTF8.self)
    let names = Set(heading.split(separator: "\t"))
    guard names.isSuperset(of: ["gbifID", "datasetKey", "occurrenceID"]) else { return }
    throw UserFacingError.notImportable(
      path, "this is a simple download of GBIF, or one table of a download: it has no sounds",
      hint: "Ask GBIF for the download as a Darwin Core archive, with the filter Media type: "
        + "Audio, and import its zip file.")
  }

  private static func unknown(_ path: String) -> UserFacingError {
    UserFacingError.notImportable(
      path, "it is not a file that can be imported",
      hint:
        "Name a Darwin Core archive, such as a download of GBIF, a CSV file of the Macaulay "
        + "Library, or a file that chirper export wrote with --format dwca, or with --tidy as "
        + "jsonl or csv. For jsonl without --tidy, name its catalogue with --source.")
  }

  private static func fingerprint(ofFolder path: String) throws -> String {
    let names = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    let prints = names.compactMap { name in
      (try? ReadableFile("\(path)/\(name)", followsLinks: false)).flatMap { file in
        (try? file.fingerprint()).map { "\(name) \($0)" }
      }
    }
    return String(StableHash.fnv1a(prints.joined(separator: "\n")), radix: 16)
  }
}

extension ReadableFile {
  /// A text that a different file does not have, nor the same one after a change: its size, the time
  /// of its last change, and a hash of its beginning and its end.
  fileprivate func fingerprint() throws -> String {
    let parts =
      try bytes(at: 0, count: 64 << 10) + bytes(at: max(0, size - 64 << 10), count: 64 << 10)
    let time = "\(modified.seconds).\(modified.nanoseconds)"
    return "\(size)-\(time)-\(String(StableHash.fnv1a(parts), radix: 16))"
  }
}
