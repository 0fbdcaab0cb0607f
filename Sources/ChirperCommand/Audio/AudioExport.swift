import Chirper
import ChirperFormats
import ChirperModel
import Foundation

/// Copies the audio of a selection, with names for people, to a folder or into a zip file, and
/// writes a playlist, credits and a table next to it: `export --audio`. Audio that is not there is
/// fetched.
struct AudioExport {
  /// The folder or the zip file, as it was typed.
  let target: String
  /// Whether files in the folder that chirper wrote and that are no longer chosen are deleted.
  var prunes = false
  /// Whether a table of selections has the rows whose file is not there too.
  var hasAllRows = false
  /// The most rows of a species.
  var perSpecies: Int?
  let rows: SelectionOptions
  let columns: ColumnOptions
  let output: OutputOptions

  /// The result so far.
  private struct Outcome {
    var folder: AudioFolder
    var audio = AudioLibrary.Report()
    var copied = 0
    /// Files in the folder that chirper wrote and that are no longer chosen.
    var others: [String] = []
    /// The number of `others` that were deleted.
    var pruned = 0
    var error: (any Error)?
    /// The summary of the table of selections.
    var selections = ExportSummary()
  }

  private var isZip: Bool { RecordFormat.pathExtension(of: target) == "zip" }

  func run(_ queries: [String]) async throws {
    try rows.check()
    try UserFacingError.check("--per-species", perSpecies, in: 1...1_000_000, example: 5)
    let isOther = output.format.map { AudioFolder.selectionTable(of: $0) == nil } ?? false
    if isOther || output.target.output != nil || !columns.isUntyped {
      throw UserFacingError.usage(
        "--audio writes files of its own, so a format, a file and columns cannot be chosen",
        hint: "Leave them out. --format raven and audacity add a table for these files.")
    }
    guard !["", "-"].contains(target) else {
      throw UserFacingError.usage(
        "--audio needs the name of a folder or of a .zip file",
        example: "chirper export parrot --audio parrots")
    }
    if prunes, isZip {
      throw UserFacingError.usage(
        "A zip file is written anew, so --prune cannot be used with it", hint: "Leave it out.")
    }
    let session = try Session()
    let repository = try session.repositoryOrReadOnly()
    let selection = try rows.selection(queries).rows(
      in: rows.names.applied(to: repository), for: "export", perSpecies: perSpecies,
      output.common.printer)
    try selection.checkIsWhole(forExport: true)
    let folder = try AudioFolder(selection)
    let line = output.common.printer.progress(after: .zero)
    let (outcome, signal) = await SignalHandling.cancelling {
      await copy(folder, repository.audio, line)
    }
    line.close()
    try report(outcome, isInterrupted: signal != nil)
    if let signal { throw UserFacingError.interrupted(by: signal) }
    if let error = outcome.error { throw error }
    try outcome.audio.checkIsComplete()
  }

  private func options() throws(UserFacingError) -> WriteOptions {
    var options = try output.target.writeOptions
    options.columnSet = .tidy
    options.hasAllRows = hasAllRows
    return options
  }

  private func copy(_ folder: AudioFolder, _ audio: AudioLibrary, _ line: ProgressLine) async
    -> Outcome
  {
    var outcome = Outcome(folder: folder)
    var run = AudioRun(audio)
    do {
      let options = try options()
      let target: any AudioTarget =
        try isZip
        ? AudioZip(path: target, date: folder.selection.date(options))
        : AudioDirectory(path: target, texts: AudioFolder.written(with: output.format))
      do {
        let count = folder.selection.count
        for position in 0..<count {
          try Task.checkCancellation()
          line.show { "audio \(position + 1) of \(count)" }
          for row in try folder.selection.rows(at: [position]) {
            outcome.folder.choose(row)
            guard let file = await run.file(of: row.recording) else { continue }
            if try target.add(file, as: folder.name(of: row, kind: file.pathExtension)) {
              outcome.copied += 1
            }
            outcome.folder.add(row.recording.id)
          }
        }
        try Task.checkCancellation()
        let directory = target as? AudioDirectory
        try directory?.beginTexts()
        outcome.selections = try outcome.folder.writeTexts(options, output.format, target.write)
        if let directory {
          let chosen = outcome.folder
          outcome.others = directory.manifest.files {
            !chosen.isChosen($0) && !directory.texts.contains($0.lowercased())
          }
          if prunes { outcome.pruned = outcome.others.count { directory.manifest.delete($0) } }
        }
        try target.finish()
      } catch {
        target.discard()
        throw error
      }
    } catch {
      outcome.error = error
    }
    outcome.audio = run.report
    return outcome
  }

  private func report(_ outcome: Outcome, isInterrupted: Bool) throws {
    // If the folder cannot be written, nothing was done: the error says all.
    if outcome.error != nil, outcome.audio == AudioLibrary.Report() { return }
    let options = try options()
    let selection = outcome.folder.selection
    let files = outcome.folder.count
    let isWhole = outcome.error == nil && !isInterrupted
    let printer = output.common.printer
    if printer.isJSON {
      guard isWhole else { return }
      var done: JSONObject = [
        "folder": target, "files": files, "copied": outcome.copied, "audio": outcome.audio.json,
      ]
      if !isZip {
        done.add("notChosen", outcome.others)
        done.add("pruned", outcome.pruned)
      }
      return try printer.print(
        Report(try selection.report.json(after: done, now: selection.date(options))))
    }
    printer.notes(selection.report.choiceNotes + outcome.audio.lines)
    let there = files - outcome.copied
    let already = there > 0 ? ", \(there) of them there already" : ""
    if isWhole {
      let written = Plural.written(files, "audio file", to: target)
      printer.note("\(written)\(already), with a playlist, credits and a table")
      printer.notes(output.format.map(outcome.selections.soundLines) ?? [])
      printer.note(Self.note(of: outcome, in: target))
      let report = selection.report
      printer.notes(report.notes(.csv, options) + report.spellingNotes)
    } else if isZip {
      printer.note("\(target) was not written")
    } else {
      let all = Plural.words(selection.count, "recording")
      printer.note(
        "\(Plural.words(files, "audio file")) of \(all) \(Plural.are(files)) in \(target)\(already)"
      )
    }
  }
}

extension AudioLibrary.Report {
  /// Throws the error of the first file that could not be fetched.
  func checkIsComplete() throws(UserFacingError) {
    guard let error, let id = failedID else { return }
    throw UserFacingError(error, id).with(
      status: .partly, hint: "Type the same command again: it continues with what is missing.")
  }
}

extension AudioExport {
  /// A note on files that are no longer chosen; `nil` if all are chosen.
  private static func note(of outcome: Outcome, in folder: String) -> String? {
    let others = outcome.others
    let pruned = outcome.pruned
    guard !others.isEmpty else { return nil }
    let files = Plural.words(others.count, "file")
    if pruned == others.count {
      return "deleted \(files) in \(folder) that \(Plural.were(pruned)) no longer chosen"
    }
    if pruned > 0 { return "deleted \(pruned) of \(files) in \(folder) that were no longer chosen" }
    let names = FirstNames(others, limit: 5).text
    let are = Plural.are(others.count)
    return "\(files) in \(folder) \(are) no longer chosen (--prune deletes): \(names)"
  }
}

private protocol AudioTarget {
  /// Copies a file, and returns whether that was necessary.
  func add(_ file: URL, as name: String) throws -> Bool
  func write(_ name: String, _ body: (any ByteOutput) throws -> Void) throws
  func finish() throws
  func discard()
}

/// A folder in which each file appears whole. A copy has the time of the downloaded file, by
/// which a later run knows it.
///
/// A link with the name of a file is replaced. It may be someone else's, and lead to any
/// file.
private final class AudioDirectory: AudioTarget {
  let path: String
  /// The texts that this export writes.
  let texts: [String]
  private let own = OwnFiles()
  /// The files there that exports wrote.
  var manifest: AudioManifest

  init(path: String, texts: [String]) throws {
    self.path = path
    self.texts = texts
    // Before the manifest is read, which another export writes before its texts.
    let contents = texts.map { AudioManifest.content(of: $0, in: path) }
    manifest = AudioManifest(folder: path)
    try own.check(output: path)
    try AudioFolder.create(path)
    for (name, content) in zip(texts, contents) { try checkIsOwn(name, content) }
    if !manifest.isThere { try finish() }
  }

  /// Refuses to replace a file that is not as an export wrote it.
  private func checkIsOwn(_ name: String, _ content: String?) throws(UserFacingError) {
    guard let content, !manifest.has(name, content) else { return }
    try own.check(output: path(of: name))
    throw .inTheWay(path(of: name), isChanged: manifest.has(name))
  }

  func add(_ file: URL, as name: String) throws -> Bool {
    let source = RegularFile(file.path)
    let copy = RegularFile(path(of: name))
    // FAT keeps the time to two seconds.
    if let source, let copy, source.size == copy.size,
      abs(source.time.timeIntervalSince(copy.time)) <= 2
    {
      manifest.add(name)
      return false
    }
    try checkIsOwn(name, AudioManifest.content(of: name, in: path))
    try write(name, modified: source?.time) { try AudioFolder.copy(file, to: $0) }
    manifest.add(name)
    return true
  }

  func write(_ name: String, _ body: (any ByteOutput) throws -> Void) throws {
    try write(name, modified: nil, body)
    manifest.add(name)
  }

  private func write(
    _ name: String, modified: Date?, _ body: (any ByteOutput) throws -> Void
  ) throws {
    try own.check(output: path(of: name), links: .replace)
    let file = try AtomicFile(path: path(of: name), links: .replace)
    try AtomicFile.committing([file]) {
      try body(file.sink)
      guard let modified, let part = file.temporary else { return }
      try file.sink.flush()
      // A file system that cannot keep the time has the file copied again.
      try? FileManager.default.setAttributes([.modificationDate: modified], ofItemAtPath: part)
    }
  }

  /// Notes that the texts are written from now on, so that a later export replaces them even if
  /// this one is killed.
  func beginTexts() throws { try writeManifest(beginning: texts) }

  func finish() throws { try writeManifest(beginning: []) }

  private func writeManifest(beginning texts: [String]) throws {
    // Another export may write to the folder meanwhile. Some file systems have no locks.
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(folder) }
    _ = flock(folder, LOCK_EX)
    manifest.add(AudioManifest(folder: path))
    manifest.begin(texts)
    try write(AudioManifest.fileName, modified: nil, manifest.write)
  }

  /// Keeps the files that are there, so that a later export continues with them.
  func discard() { if !manifest.isEmpty { try? finish() } }

  private func path(of name: String) -> String { "\(path)/\(name)" }
}

/// A zip file, which appears when it is whole.
private struct AudioZip: AudioTarget {
  private let file: AtomicFile
  private let zip: ZipWriter

  init(path: String, date: Date) throws {
    file = try AtomicFile.all([path])[0]
    do {
      zip = try ZipWriter(file.sink, date: date)
    } catch {
      file.discard()
      throw error
    }
  }

  func add(_ file: URL, as name: String) throws -> Bool {
    try zip.add(name, isCompressed: false) { try AudioFolder.copy(file, to: $0) }
    return true
  }

  func write(_ name: String, _ body: (any ByteOutput) throws -> Void) throws {
    try zip.add(name, body)
  }

  func finish() throws {
    try zip.finish()
    try file.commit()
  }

  func discard() { file.discard() }
}
