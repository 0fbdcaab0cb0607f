import Chirper
import ChirperModel

/// A Darwin Core archive with sounds, read as a stream: its records, and the media that a table of
/// its own has.
package struct DarwinCoreArchive: ImportSource {
  package let claim: ImportClaim
  package let neededBytes: Int64
  /// The bytes of the tables that are read.
  package let size: Int64
  private let files: ArchiveFiles
  private let description: ArchiveDescription
  private let media: [ArchiveDescription.Table]
  private let rules: ImportRules
  /// The identifier of the archive, or what is next to one.
  private let dataset: String

  /// Recognises an archive.
  ///
  /// - Parameters:
  ///   - file: the name and the fingerprint of the file.
  ///   - catalogues: those whose archives can be imported.
  /// - Throws: `UserFacingError` if it is not an archive with sounds.
  init(_ files: ArchiveFiles, _ file: ImportClaim, _ catalogues: [Catalogue]) throws {
    guard let meta = try files.bytes(of: "meta.xml") else {
      throw UserFacingError.badArchive(files.name, "it has no meta.xml")
    }
    let description = try ArchiveDescription(meta, of: files.name)
    let eml = ArchiveMetadata(
      try files.bytes(of: description.metadata.map(Self.localName) ?? "metadata.xml") ?? [])
    let terms = Set(description.core.columns.map(\.term))
    let known = catalogues.lazy.compactMap(\.imports).first {
      !$0.isTable && (terms.contains($0.term) || $0.term == description.core.rowType)
    }
    guard let rules = eml.system == "chirper" ? OwnArchive.rules : known else {
      throw UserFacingError.notImportable(
        files.name, "the rows of this archive are not occurrences",
        hint: "Ask GBIF for a download of the dataset, as a Darwin Core archive.")
    }
    (self.files, self.description, self.rules) = (files, description, rules)
    dataset = eml.dataset ?? eml.title ?? file.file
    media = description.extensions.filter { $0.kind == "Multimedia" && $0.key != nil }
    guard !media.isEmpty else {
      throw UserFacingError.notImportable(
        files.name, "this archive has no table of media, so no sounds",
        hint: "Ask GBIF for the download as a Darwin Core archive, with the filter "
          + "Media type: Audio.")
    }
    var (bytes, mediaBytes) = (Int64(0), Int64(0))
    for table in [description.core] + media {
      guard let size = files.size(of: table.file) else {
        throw UserFacingError.badArchive(files.name, "\(table.file) is not in it")
      }
      bytes += size
      if table != description.core { mediaBytes += size }
    }
    size = bytes
    // A staged row has its JSON, its key twice and the pages of both trees; a stored one its JSON,
    // its entry and its part of the search index.
    neededBytes = 2 * mediaBytes + 2 * (bytes - mediaBytes) + mediaBytes
    var claim = file
    let citations = try Self.text(files, "citations.txt")
    (claim.doi, claim.title, claim.madeOn) = (eml.doi, eml.title, eml.date)
    if claim.doi == nil { claim.doi = citations.flatMap { DOI.first(in: $0, of: "10.15468/dl.") } }
    (claim.citations, claim.rights) = (citations, try Self.text(files, "rights.txt"))
    self.claim = claim
  }

  private static func localName(_ name: String) -> String {
    name.contains("/") ? "metadata.xml" : name
  }

  private static func text(_ files: ArchiveFiles, _ name: String) throws -> String? {
    // A text of more bytes is one of thousands of datasets, which the DOI names as well.
    guard let size = files.size(of: name), size <= 256 << 10 else { return nil }
    return try files.bytes(of: name).map { String(decoding: $0, as: UTF8.self) }
  }

  package func read(
    staging directory: String, _ progress: (Int64) throws -> Void,
    _ body: ([ImportedRow]) throws -> Void
  ) throws {
    let stage = try ImportStage(in: directory)
    var done: Int64 = 0
    func counted(_ table: ArchiveDescription.Table) throws -> DelimitedRows {
      let next = try files.pieces(of: table.file)
      return DelimitedRows(table.form) {
        let piece = try next()
        done += Int64(piece.count)
        return piece
      }
    }
    for table in media {
      var rows = try counted(table)
      let reader = MediaReader(table)
      var batch: [(key: String, json: [UInt8])] = []
      while let result = try rows.row() {
        guard case .row(let row) = result else {
          if case .unreadable(let line, let reason) = result {
            try body([.unreadable(line: line, reason: "of \(table.file): \(reason)")])
          }
          continue
        }
        guard let item = reader.item(row.cells) else { continue }
        batch.append(item)
        guard batch.count == Self.batch else { continue }
        try stage.add(batch)
        batch.removeAll(keepingCapacity: true)
        try progress(done)
      }
      try stage.add(batch)
    }
    try stage.finish()
    var rows = try counted(description.core)
    var batch: [DelimitedRows.Result] = []
    while let result = try rows.row() {
      batch.append(result)
      guard batch.count == Self.batch else { continue }
      try body(joined(batch, stage, rows.headings?.count))
      batch.removeAll(keepingCapacity: true)
      try progress(done)
    }
    if !batch.isEmpty { try body(joined(batch, stage, rows.headings?.count)) }
    try progress(done)
  }

  private static let batch = 300

  /// - Parameter width: the number of cells of the heading.
  private func joined(
    _ batch: [DelimitedRows.Result], _ stage: ImportStage, _ width: Int?
  ) throws -> [ImportedRow] {
    let core = description.core
    let keys = batch.map { result in
      if case .row(let row) = result { row.cells.value(at: core.key) ?? "" } else { "" }
    }
    return zip(batch, try stage.rows(of: keys)).map { result, media in
      switch result {
      case .unreadable(let line, let reason): return .unreadable(line: line, reason: reason)
      case .row(let row):
        guard let key = row.cells.value(at: core.key) else {
          return .unreadable(line: row.line, reason: "it has no id")
        }
        guard row.cells.count <= width ?? .max else {
          return .unreadable(line: row.line, reason: "it has more cells than the heading")
        }
        guard !media.isEmpty || rules.takesSilent else { return .silent }
        let recordings = rules.recordings(
          ArchiveRow(
            key: key, values: core.values(row.cells), media: media, dataset: dataset))
        return recordings.isEmpty ? .silent : .recordings(recordings, line: row.line)
      }
    }
  }
}

extension ArchiveDescription.Table {
  /// The values of a row that are not empty, by the names of their columns.
  fileprivate func values(_ cells: [String]) -> [(name: String, value: String)] {
    columns.compactMap { column in
      let value = cells.value(at: column.index) ?? column.standard
      return value.flatMap { $0.isEmpty ? nil : (column.name, $0) }
    }
  }
}

extension [String] {
  /// The cell at a position; `nil` if it is empty or not there.
  fileprivate func value(at index: Int?) -> String? {
    guard let index, indices.contains(index), !self[index].isEmpty else { return nil }
    return self[index]
  }
}

/// Makes items of media from the rows of a table: the sounds, and the pictures of sounds. Other
/// media are left out.
private struct MediaReader {
  private let table: ArchiveDescription.Table
  /// The names of Audiovisual Core in the terms of GBIF's multimedia.
  private static let renamed = [
    "accessURI": "identifier", "caption": "title", "Owner": "rightsHolder",
    "WebStatement": "license", "UsageTerms": "license", "rights": "license",
  ]

  init(_ table: ArchiveDescription.Table) { self.table = table }

  func item(_ cells: [String]) -> (key: String, json: [UInt8])? {
    guard let key = cells.value(at: table.key) else { return nil }
    var values = table.values(cells).map {
      (name: Self.renamed[$0.name] ?? $0.name, value: $0.value)
    }
    let type = values.firstIndex { $0.name == "type" }
    let format = values.first { $0.name == "format" }?.value ?? ""
    let isSound =
      type.map { values[$0].value.lowercased().hasSuffix("sound") } ?? format.hasPrefix("audio/")
    if isSound, let type { values[type].value = "Sound" }
    let isSonogram = values.contains {
      ["title", "description"].contains($0.name) && $0.value.lowercased().hasPrefix("sonogram")
    }
    guard isSound || isSonogram else { return nil }
    var (json, names): ([UInt8], Set<String>) = ([], [])
    for (name, value) in values where names.insert(name).inserted {
      json.append(UInt8(ascii: json.isEmpty ? "{" : ","))
      JSONText.append(quoted: name, to: &json)
      json.append(UInt8(ascii: ":"))
      JSONText.append(quoted: value, to: &json)
    }
    return (key, json + [UInt8(ascii: "}")])
  }
}
