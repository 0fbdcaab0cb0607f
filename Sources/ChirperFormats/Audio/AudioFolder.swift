import Chirper
import ChirperModel
import Foundation

/// The audio of a selection to take along: the names of the files, and the playlist, credits and
/// table next to them.
package struct AudioFolder: Sendable {
  package let selection: Rows
  /// The hashes of the names that several recordings have.
  private var doubles: Set<UInt64> = []
  /// The recordings whose files are there.
  private var arrived: Set<RecordingID> = []
  /// The hashes of the names of all recordings, without the extension.
  private var stems: Set<UInt64> = []

  /// Reads every row for its name.
  package init(_ selection: Rows) throws {
    self.selection = selection
    var names: Set<UInt64> = []
    try selection.forEach { row in
      let hash = Self.hash(Self.name(of: row))
      if !names.insert(hash).inserted { doubles.insert(hash) }
    }
  }

  /// Files that are there.
  package var count: Int { arrived.count }

  /// Notes that a recording's file is there.
  package mutating func add(_ recording: RecordingID) { arrived.insert(recording) }

  /// Notes that the file of a row is chosen, also if it is not there.
  package mutating func choose(_ row: RecordingRow) { stems.insert(Self.hash(stem(of: row))) }

  /// Whether a file has the name of a row that was noted, in whatever format its audio is.
  package func isChosen(_ file: String) -> Bool {
    stems.contains(Self.hash((file as NSString).deletingPathExtension))
  }

  /// Whether a name can be that of a file in the folder: one part of a path.
  package static func canBeFile(_ name: String) -> Bool {
    !name.hasPrefix(".") && !name.contains("/") && !name.contains("\0") && !name.isEmpty
  }

  /// The names of all texts that exports write.
  package static let texts = always + tables.values

  /// The names of the texts that an export writes if the format adds a table.
  package static func written(with format: RecordFormat?) -> [String] {
    always + [format.flatMap { tables[$0] }].compactMap(\.self)
  }

  private static let always = [playlist, credits, table]

  private static let (playlist, credits, table) = (
    "recordings.m3u8", "credits.txt", "recordings.csv"
  )

  /// The names of tables that a format adds.
  private static let tables: [RecordFormat: String] = [
    .raven: "recordings.selections.txt", .audacity: "recordings.labels.txt",
  ]

  /// The name of the table of selections that the format adds to the folder; `nil` if it adds none.
  package static func selectionTable(of format: RecordFormat) -> String? { tables[format] }

  /// `Eurasian Wren - song - XC123456 - A. Name.mp3`. File systems of cards take the name, and no
  /// other recording has it.
  ///
  /// - Parameter kind: the extension of the downloaded file.
  package func name(of row: RecordingRow, kind: String) -> String {
    "\(stem(of: row)).\(kind)"
  }

  private func stem(of row: RecordingRow) -> String {
    let name = Self.name(of: row)
    let recording = row.recording
    let catalogue = selection.repository.catalogue(recording.id.catalogue)
    // The other sounds of the record may be in a different export into the folder.
    let isOneOfSeveral = catalogue?.recordings.map { $0(recording.fields).rows.count > 1 } == true
    return isOneOfSeveral || doubles.contains(Self.hash(name))
      ? "\(name) - \(Self.id(of: row))" : name
  }

  /// Creates the folder of a path, unless it is there.
  package static func create(_ path: String) throws(UserFacingError) {
    guard
      (try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true))
        == nil
    else { return }
    throw .cannotCreate(
      path, "the folder cannot be created",
      hint: "Name a folder, or a new one in a place that you may write to.")
  }

  /// Writes the audio of the selection that is kept, and the texts, into a zip file.
  ///
  /// - Parameter kept: the rows whose audio is kept (`Rows.withDownloadedAudio`).
  package func write(_ kept: Rows, to zip: ZipWriter, _ options: WriteOptions) throws {
    var folder = self
    try kept.forEach(with: [.details, .audio]) { row in
      // It can have been deleted meanwhile.
      guard let path = row.audioPath, let file = DownloadedAudioFile(path: path) else { return }
      let name = name(of: row, kind: (path as NSString).pathExtension)
      try zip.add(name, isCompressed: false) { try Self.copy(file, to: $0) }
      folder.add(row.recording.id)
    }
    _ = try folder.writeTexts(options, nil) { name, body in try zip.add(name, body) }
    try zip.finish()
  }

  /// Bytes of the audio of rows that have it.
  package static func bytes(of kept: Rows) throws -> Int {
    var bytes = 0
    try kept.forEach(with: [.audio]) { row in
      bytes += row.audioPath.flatMap { DownloadedAudioFile(path: $0)?.size } ?? 0
    }
    return bytes
  }

  /// Copies a downloaded file's bytes. Stops if the task is cancelled.
  package static func copy(_ file: URL, to output: any ByteOutput) throws {
    guard let source = DownloadedAudioFile(path: file.path) else {
      throw UserFacingError.cannotRead(path: file.path, errno: errno)
    }
    try copy(source, to: output)
  }

  /// Copies the bytes of a downloaded file that is open.
  static func copy(_ file: DownloadedAudioFile, to output: any ByteOutput) throws {
    var at = 0
    func piece() throws -> [UInt8] {
      do {
        return try file.bytes(at: at, upTo: 1 << 18)
      } catch {
        let code = (error as? POSIXError)?.code.rawValue
        throw UserFacingError.cannotRead(path: file.path, errno: code ?? EIO)
      }
    }
    while case let piece = try piece(), !piece.isEmpty {
      try Task.checkCancellation()
      at += piece.count
      output.buffer += piece
      try output.writeIfFull()
    }
  }

  /// Writes the playlist of the files that are there, the credits and the table of all
  /// rows, and the table of selections that a format adds. Each is a call of `write` with
  /// its name and a function that writes its content.
  ///
  /// - Returns: The summary of the table of selections.
  package func writeTexts(
    _ options: WriteOptions, _ format: RecordFormat?,
    _ write: (_ name: String, _ body: (any ByteOutput) throws -> Void) throws -> Void
  ) throws -> ExportSummary {
    let provenance = try selection.report.provenance(now: selection.date(options))
    let table = try selection.detailTable([.details, .audio], columns)
    let playlist = PlaylistWriter(provenance: provenance, file: file)
    try write(Self.playlist) { _ = try table.writeRows(by: playlist, options, to: $0) }
    try write(Self.credits) {
      _ = try table.writeRows(
        by: CreditsWriter(form: .text, provenance: provenance), options, to: $0)
    }
    try write(Self.table) { try table.write(.csv, options, to: $0) }
    guard let format, let name = Self.tables[format] else { return ExportSummary() }
    let there = options.hasAllRows ? selection : try selection.including(arrived)
    let selected = try there.detailTable([.details, .audio])
    var summary = ExportSummary()
    try write(name) { output in
      summary =
        format == .raven
        ? try selected.writeRows(by: RavenWriter(location: file), options, to: output)
        : try selected.writeRows(by: AudacityWriter(), options, to: output)
    }
    summary.withoutAudio = selection.count - there.count
    return summary
  }

  /// The tidy columns, with the facts about the sound that only the file has.
  private var columns: ValueColumns<RecordingRow> {
    ValueColumns(TidyColumn.defaults.map(\.name) + ["channels", "sha256"]) { row in
      TidyColumn.defaults.map { column in
        switch column {
        case .detail(.mediaDuration): DetailColumn.Value(row.details.seconds ?? row.audioDuration)
        case .detail(.sampleRate): DetailColumn.Value(row.sampleRate)
        case .audioFile: DetailColumn.Value(file(row))
        default: row.value(of: column)
        }
      } + [DetailColumn.Value(row.audioHeader?.channels), DetailColumn.Value(digest(row))]
    }
  }

  /// SHA-256 of a row's file; `nil` if that is not there.
  private func digest(_ row: RecordingRow) -> String? {
    guard arrived.contains(row.recording.id), let file = row.audioFile else { return nil }
    return try? AudioLibrary.content(of: file).sha256
  }

  /// The name of a row's file; `nil` if that is not there.
  private func file(_ row: RecordingRow) -> String? {
    guard arrived.contains(row.recording.id), let path = row.audioPath else { return nil }
    return name(of: row, kind: (path as NSString).pathExtension)
  }

  // MARK: Names

  /// The name without the extension. At most 230 bytes, so that with the id of a double a name has
  /// no more than the 255 that file systems take.
  package static func name(of row: RecordingRow) -> String {
    let details = row.details
    let parts = [
      (details.vernacularName ?? details.scientificName, 80), (row.soundTypes, 40),
      (row.number, 60), (details.recordedBy, 40),
    ]
    let name = parts.compactMap { text, limit in text.flatMap { plain($0, limit) } }.joined(
      separator: " - ")
    // Windows keeps these names for devices, whatever comes after a dot.
    let device = name.prefix { $0 != "." }.uppercased()
    return name.isEmpty || devices.contains(device.trimmingCharacters(in: .whitespaces))
      ? "_\(name)" : name
  }

  private static let devices = Set(
    ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"]
      + "0123456789¹²³".flatMap { ["COM\($0)", "LPT\($0)"] })

  /// The text as one line of at most `limit` bytes; `nil` if nothing is left. Characters
  /// that FAT does not take are replaced, as are `#` and `%`, which players read as parts
  /// of an address. Dots and spaces at the end are removed, because file systems lose them.
  package static func plain(_ text: String, _ limit: Int) -> String? {
    let line = (PlainLine.text(text) ?? "").precomposedStringWithCanonicalMapping.escaped {
      scalar in
      switch scalar {
      case "\"": "'"
      case "*", "/", ":", "<", ">", "?", "\\", "|", "#", "%": "_"
      default: nil
      }
    }
    var name = ""
    var size = 0
    for character in line {
      size += character.utf8.count
      guard size <= limit else { break }
      name.append(character)
    }
    name = name.trimmingCharacters(in: CharacterSet(charactersIn: " .,-"))
    return name.isEmpty ? nil : name
  }

  /// The addition to a name that was given already: the id if case does not matter in it,
  /// else a hash of the id.
  private static func id(of row: RecordingRow) -> String {
    let id = row.identifier.replacing(":", with: " ")
    let isPlain =
      id.utf8.count <= 40
      && id.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789- ".utf8.contains($0) }
    return isPlain ? id : String(StableHash.fnv1a(row.identifier), radix: 16)
  }

  /// A hash of a name, equal for names that file systems without case do not distinguish.
  private static func hash(_ name: String) -> UInt64 {
    StableHash.fnv1a(name.uppercased().lowercased())
  }
}

/// A playlist (extended M3U in UTF-8).
private struct PlaylistWriter: RowWriter {
  let provenance: Provenance
  /// The file of a recording in the folder; a row without one is left out.
  let file: @Sendable (RecordingRow) -> String?

  mutating func begin(_ out: inout [UInt8]) {
    out += "#EXTM3U\n".utf8
    for line in provenance.lines { out += "# \(line)\n".utf8 }
  }

  mutating func append(_ row: RecordingRow, to out: inout [UInt8]) -> Bool {
    guard let file = file(row) else { return false }
    let title =
      PlainLine.text([row.title, row.soundTypes].compactMap(\.self).joined(separator: ", "))
      ?? row.number
    // -1 is an unknown length.
    let length = row.audioDuration.map(DecimalText.text) ?? "-1"
    out += "#EXTINF:\(length),\(title) - \(row.details.credit)\n\(file)\n".utf8
    return true
  }

  mutating func end(_ out: inout [UInt8], _ summary: ExportSummary) {
    if let upTo = summary.upToText { out += "# \(upTo)\n".utf8 }
  }
}
