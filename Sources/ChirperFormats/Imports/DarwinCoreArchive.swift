import Chirper
import ChirperModel

/// A Darwin Core archive with sounds, read as a stream: its records, and the media that a table of
/// its own has.
struct DarwinCoreArchive: ImportSource {
  let claim: ImportClaim
  var advice: String { rules.advice }
  let neededBytes: Int64
  /// The bytes of the tables that are read.
  let size: Int64
  private let files: ArchiveFiles
  private let description: ArchiveDescription
  private let media: [ArchiveDescription.Table]
  /// The records as their publishers have them, in a download of GBIF.
  private let verbatim: ArchiveDescription.Table?
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
    let metadata = description.metadata.flatMap { $0.contains("/") ? nil : $0 }
    let eml = ArchiveMetadata(try files.bytes(of: metadata ?? "metadata.xml") ?? [])
    let terms = Set(description.core.columns.map(\.term))
    let known = catalogues.lazy.compactMap(\.imports).first {
      !$0.isTable && (terms.contains($0.term) || $0.term == description.core.rowType)
    }
    guard let rules = eml.system == "chirper" ? OwnExport(catalogues).archiveRules : known else {
      throw UserFacingError.notImportable(
        files.name, "the rows of this archive are not occurrences",
        hint:
          "Ask its publisher for an archive of occurrences, or GBIF for a download of the dataset."
      )
    }
    self.files = files
    self.description = description
    self.rules = rules
    dataset = eml.dataset ?? eml.title ?? file.file
    media = description.extensions.filter { $0.kind == "Multimedia" && $0.key != nil }
    guard !media.isEmpty else {
      throw UserFacingError.notImportable(
        files.name, "this archive has no table of media, so no sounds", hint: rules.advice)
    }
    var bytes = Int64(0)
    var mediaBytes = Int64(0)
    verbatim = description.extensions.first {
      $0.kind == "Occurrence" && $0.key != nil && files.size(of: $0.file) != nil
    }
    for table in [description.core] + media + [verbatim].compactMap(\.self) {
      guard let size = files.size(of: table.file) else {
        throw UserFacingError.badArchive(files.name, "\(table.file) is not in it")
      }
      bytes += size
      if media.contains(table) { mediaBytes += size }
    }
    size = bytes
    // A staged row has its JSON, its key twice and the pages of both trees; a stored one its JSON,
    // its entry and its part of the search index.
    neededBytes = 2 * bytes + mediaBytes
    var claim = file
    let citations = try Self.text(files, "citations.txt")
    claim.doi = eml.doi ?? citations.flatMap { DOI.first(in: $0, of: "10.15468/dl.") }
    // Exports of different rows can have one title.
    if eml.system != "chirper" { claim.title = eml.title }
    claim.madeOn = eml.date
    claim.citations = citations
    claim.rights = try Self.text(files, "rights.txt")
    self.claim = claim
  }

  private static func text(_ files: ArchiveFiles, _ name: String) throws -> String? {
    // A text of more bytes is one of thousands of datasets, which the DOI names as well.
    guard let size = files.size(of: name), size <= 256 << 10 else { return nil }
    return try files.bytes(of: name).map { String(decoding: $0, as: UTF8.self) }
  }

  func read(
    staging directory: String, _ progress: (Int64) throws -> Void,
    _ body: (ImportedRow) throws -> Void
  ) throws {
    let stage = try ImportStage(in: directory)
    let bytes = ReadBytes()
    func lack(_ row: ImportedRow, of table: ArchiveDescription.Table) throws {
      guard let (line, reason) = row.missing else { return }
      try body(.incomplete(line: line, reason: "of \(table.file): \(reason)"))
    }
    for (index, table) in media.enumerated() {
      try add(table, index, to: stage, bytes, progress) { try lack($0, of: table) }
    }
    try stage.finish()
    var hybrids: [ByteScan.Hash: String] = [:]
    if let verbatim {
      hybrids = try hybridNames(verbatim, rows(verbatim, bytes)) { try lack($0, of: verbatim) }
    }
    var core = try rows(description.core, bytes)
    let columns = RecordColumns(description.core, names: rules.names, lists: rules.lists)
    var keys: Set<ByteScan.Hash> = []
    try core.read({ try progress(bytes.read) }, body) { row, _ in
      guard let key = row.key(description.core.key) else {
        return .unreadable(line: row.line, reason: "it has no id")
      }
      guard keys.insert(ByteScan.hash(of: key)).inserted else {
        return .unreadable(line: row.line, reason: "its recordings are those of an earlier row")
      }
      let media = try stage.records(of: key)
      guard !media.isEmpty || rules.takesSilent else { return .silent }
      var record = columns.record(of: row)
      if let hybrid = hybrids[ByteScan.hash(of: key)], record[Self.verbatimName] == nil {
        record = RecordingFields(
          canonical: record.bytes.dropLast() + ",\"\(Self.verbatimName)\":\(hybrid)}".utf8)
      }
      try bytes.write(record, files.name)
      let count = media.reduce(record.bytes.count) { $0 + $1.bytes.count }
      guard count <= DelimitedRows.rowLimit else {
        return .unreadable(
          line: row.line, reason: "it and its media have more than \(DelimitedRows.rowLimit) bytes")
      }
      return rules.recordings(
        ArchiveRow(line: row.line, key: key, record: record, media: media, dataset: dataset))
    }
    try stage.forEachItem { key, table, line in
      guard !keys.contains(ByteScan.hash(of: key)) else { return }
      let reason = "of \(media[table].file): no record has its id, \(key)"
      try body(.incomplete(line: line, reason: reason))
    }
  }

  /// The rows of a table, whose bytes are counted.
  private func rows(
    _ table: ArchiveDescription.Table, _ bytes: ReadBytes
  ) throws -> DelimitedRows {
    let next = try files.pieces(of: table.file)
    var form = table.form
    form.mayBeCut = files.isFolder
    return DelimitedRows(form) { bytes.counted(try next()) }
  }

  /// Adds the sounds of a table of media to the stage.
  private func add(
    _ table: ArchiveDescription.Table, _ index: Int, to stage: ImportStage, _ bytes: ReadBytes,
    _ progress: (Int64) throws -> Void, _ body: (ImportedRow) throws -> Void
  ) throws {
    let columns = RecordColumns(table)
    var rows = try rows(table, bytes)
    var batch = [ImportStage.Item]()
    func add() throws {
      try stage.add(batch)
      batch.removeAll(keepingCapacity: true)
      try progress(bytes.read)
    }
    try rows.read(add, body) { row, _ in
      // Half an address is not an address.
      guard row.fault == nil, let addresses = columns.addresses(row) else { return nil }
      guard let key = row.key(table.key) else {
        return .unreadable(line: row.line, reason: "it has no id")
      }
      for address in addresses {
        let item = columns.record(of: row, address.map { ("identifier", $0) })
        try bytes.write(item, files.name)
        batch.append(ImportStage.Item(key: key, table: index, line: row.line, record: item))
      }
      return nil
    }
  }
}

extension DarwinCoreArchive {
  /// The name of the member with a record's name as its publisher has it.
  private static let verbatimName = "verbatimScientificName"

  /// The names of hybrids, as JSON, that a table of GBIF's download has as publishers write them, by
  /// the hashes of their keys: the interpretation has the genus alone.
  private func hybridNames(
    _ table: ArchiveDescription.Table, _ rows: DelimitedRows,
    _ body: (ImportedRow) throws -> Void
  ) throws -> [ByteScan.Hash: String] {
    let columns = RecordColumns(table)
    var rows = rows
    var found = [ByteScan.Hash: String]()
    try rows.read({}, body) { row, _ in
      guard let key = row.key(table.key), let name = columns.text("scientificName", of: row),
        ScientificName.isHybrid(name), name.utf8.count <= 200
      else { return nil }
      found[ByteScan.hash(of: key)] = name.json
      return nil
    }
    return found
  }
}

extension DelimitedRows.Row {
  /// The key in a cell, without white space around it; `nil` if it has none.
  fileprivate func key(_ index: Int?) -> String? {
    text(index).map(TagOperand.trimmed).flatMap { $0.isEmpty ? nil : $0 }
  }
}

extension RecordColumns {
  /// The addresses of the items of a row of a table of media, which are one or more; `nil` if it is
  /// neither a sound nor the picture of one.
  fileprivate func addresses(_ row: DelimitedRows.Row) -> [String?]? {
    let address = text("identifier", of: row)
    let isSonogram = ["title", "description"].contains {
      text($0, of: row)?.lowercased().hasPrefix("sonogram") == true
    }
    let isSound = MediaKind.isSound(
      format: text("format", of: row), type: text("type", of: row), address: address)
    guard isSonogram || isSound else { return nil }
    return address.flatMap(Self.addresses) ?? [address]
  }

  /// The addresses of a cell that has several, with white space, bars, semicolons or commas between
  /// them; `nil` for any other.
  private static func addresses(_ cell: String) -> [String]? {
    guard cell.utf8.contains(where: marks.contains) else { return nil }
    let parts = cell.utf8.split(whereSeparator: marks.contains).map(Substring.init)
    let areAddresses = parts.allSatisfy { $0.hasPrefix("http://") || $0.hasPrefix("https://") }
    return areAddresses && parts.count > 1 ? parts.map(String.init) : nil
  }

  private static let marks = Array(" \t\n|;,".utf8)
}
