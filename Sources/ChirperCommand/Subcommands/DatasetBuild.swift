import ArgumentParser
import Chirper
import ChirperFormats
import ChirperModel
import ChirperPlatform
import Foundation

struct DatasetBuild: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "build", abstract: "Make the folder of a data set from its lock.",
    discussion: """
      Copies the audio of each line, fetches what is not kept at the catalogue's pace, and writes tables, credits, \
      licences, a paragraph for a paper and descriptions for programs next to it. A file whose audio is not what was \
      locked is left out, and so is a recording whose licence does not allow everyone to pass it on, and one of which \
      the stored record says otherwise than the lock. No file is touched that chirper did not write. After an \
      interruption the same command continues.

        chirper dataset build wrens.lock.jsonl wrens
        chirper dataset build wrens.lock.jsonl /media/card/wrens --plain-names
      """)

  @Argument(help: "A lock.", completion: .file(extensions: ["jsonl"]))
  var lock: String

  @Argument(help: "The folder to make.", completion: .directory)
  var folder: String

  @Flag(
    name: .customLong("plain-names"),
    help: "Only ASCII letters, digits and _ in the names of folders.")
  var plainNames = false

  @OptionGroup var common: CommonOptions

  func run() async throws {
    let reader = try DataSetFile.lock(lock)
    guard reader.header.hasAudio else {
      throw UserFacingError.usage(
        "\(lock) has no audio, so nothing can be built from it",
        hint: "Lock the set without --no-audio.")
    }
    let repository = try Session().repositoryOrReadOnly()
    let names = DataSetNames(reader.header, arePlain: plainNames)
    let target = try DataSetTarget(path: folder, lock: lock, names: names)
    let line = ProgressLine(isShown: TerminalDevice.canRewriteError && !common.json)
    let builder = DataSetBuilder(
      lock: lock, repository: repository, names: names, target: target)
    let report = try await SignalHandling.interruptible {
      defer { line.close() }
      return try await builder.build { count, all in line.show { "audio \(count) of \(all)" } }
    }
    if common.json {
      try ByteSink.printOut(report.json(folder: folder).text)
    } else {
      for text in report.lines(folder: folder) { Console.line(text) }
    }
    guard report.missing > 0 else { return }
    if let error = report.audio.error, let id = report.audio.failedID {
      throw UserFacingError(error, id).with(
        status: .partly, hint: "Type the same command again: it continues with what is missing.")
    }
    throw UserFacingError(
      .partly, kind: "not-the-same",
      problem: report.contradicted.isEmpty
        ? "The audio of \(Plural.words(report.missing, "recording")) is not what was locked"
        : "Not every recording is as the lock says",
      hint: "Type: \(CommandText.line("dataset verify", lock)) --sync")
  }
}

/// The folder of a data set, to which one build writes at a time.
///
/// A hidden file in it says from which lock it was made. Without that file nothing in the folder is
/// chirper's.
struct DataSetTarget: Sendable {
  let path: String
  private let own = OwnFiles()
  private static let markName = ".chirper-dataset"

  init(path: String, lock: String, names: DataSetNames) throws {
    guard !["", "-"].contains(path) else {
      throw UserFacingError.usage(
        "dataset build needs the name of a folder",
        hint: "Type it as in: chirper dataset build wrens.lock.jsonl wrens")
    }
    self.path = path
    try own.check(output: path)
    guard
      (try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true))
        != nil
    else {
      throw UserFacingError.cannotCreate(
        path, "the folder cannot be created",
        hint: "Name a folder, or a new one in a place that you may write to.")
    }
    // Also what arranges the files: with other names they would be there twice.
    var digest = SHA256()
    try InputFile.reading(lock) { next in
      while case let piece = try next(), !piece.isEmpty { digest.add(piece) }
    }
    let mark = Array("\(digest.text()) \(names.arePlain ? "plain" : "species")\n".utf8)
    try take(mark) { try checkIsEmpty(for: lock, names) }
  }

  /// Refuses a folder in which a file is in the way of a first build.
  private func checkIsEmpty(for lock: String, _ names: DataSetNames) throws {
    func check(_ name: String) throws {
      var status = stat()
      guard lstat("\(path)/\(name)", &status) == 0 else { return }
      throw UserFacingError.cannotCreate(
        "\(path)/\(name)", "this file is there already, and is not chirper's",
        hint: "Name an empty folder, or a new one.")
    }
    for name in DataSetFolder.names { try check(name) }
    let reader = try DataSetFile.lock(lock)
    while let recording = try reader.next() {
      try check(names.path(of: recording))
      try check(names.annotations(of: recording))
    }
  }

  /// Locks the mark of the folder until the process ends, and writes it.
  private func take(_ mark: [UInt8], _ checkIsEmpty: () throws -> Void) throws {
    let name = "\(path)/\(Self.markName)"
    let descriptor = open(name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      throw UserFacingError(FileError.creating(name, errno: errno))
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      throw UserFacingError(
        .tryLater, kind: "in-use", subject: path,
        problem: "another build writes to this folder", hint: "Wait until it has ended.")
    }
    var found = [UInt8](repeating: 0, count: 200)
    let count = pread(descriptor, &found, found.count, 0)
    if count > 0 {
      guard Array(found.prefix(count)) == mark else {
        throw UserFacingError.cannotCreate(
          path, "this folder was made from a different lock, or with other names",
          hint: "Name a new folder.")
      }
      return
    }
    do {
      try checkIsEmpty()
    } catch {
      unlink(name)
      throw error
    }
    if let number = Descriptor.write(mark, to: descriptor) {
      throw UserFacingError(FileError.writing(name, errno: number))
    }
  }

  /// Writes a file of the folder, whole or not at all.
  ///
  /// - Returns: SHA-256 and bytes of what is in the file then.
  func write(
    _ name: String, _ body: (any ByteOutput) throws -> Void
  ) throws -> LockedRecording.Audio {
    let file = try AtomicFile(path: try place(name), links: .replace)
    try AtomicFile.committing([file]) { try body(file.sink) }
    return try content(of: name)
  }

  /// The content of a file of the folder.
  func content(of name: String) throws -> LockedRecording.Audio {
    try LockedRecording.Audio(of: URL(filePath: "\(path)/\(name)", directoryHint: .notDirectory))
  }

  /// The path of a file, whose folders are made. A link in its way is refused: it leads to a place
  /// that is not the folder's.
  private func place(_ name: String) throws -> String {
    var at = path
    for part in name.split(separator: "/").dropLast() {
      at += "/\(part)"
      if mkdir(at, 0o777) != 0, errno != EEXIST {
        throw UserFacingError(FileError.creating(at, errno: errno))
      }
      try checkIsNoLink(at)
    }
    let file = "\(path)/\(name)"
    try checkIsNoLink(file)
    try own.check(output: file, links: .replace)
    return file
  }

  private func checkIsNoLink(_ path: String) throws {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return }
    throw UserFacingError.cannotCreate(
      path, "this is a link, and chirper writes no file through it",
      hint: "Remove it, or name a new folder.")
  }
}

/// Fills the folder of a data set.
private struct DataSetBuilder: Sendable {
  let lock: String
  let repository: RecordingRepository
  let names: DataSetNames
  let target: DataSetTarget

  /// The result of a build.
  struct Report: Sendable {
    var audio = AudioLibrary.Report()
    var (files, copied) = (0, 0)
    /// Recordings left out because of their licences, by these.
    var licences: [String: Int] = [:]
    /// Numbers of recordings whose audio is not what was locked.
    var changed: [String] = []
    /// Recordings whose records say otherwise than their lines.
    var contradicted: [LockCheck] = []
    /// Recordings in the folder of which no record is stored.
    var notCompared = 0
    /// Annotations above half the sample rate of their files.
    var annotationsAbove = 0
    /// Recordings whose audio could not be fetched.
    var absent = 0

    var missing: Int { changed.count + contradicted.count + absent }
  }

  func build(_ progress: (Int, Int) -> Void) async throws -> Report {
    let reader = try DataSetFile.lock(lock)
    var (report, run, isThere) = (Report(), AudioRun(repository.audio), [Bool]())
    while let recording = try reader.next() {
      try Task.checkCancellation()
      progress(reader.count, reader.header.recordings)
      isThere.append(
        try await add(recording, reader.header.volatile, &report, &run))
    }
    report.audio = run.report
    report.files = isThere.count(where: \.self)
    var folder = DataSetFolder(
      reader.header, names: names, lock: (lock as NSString).lastPathComponent
    ) { [lock] in try DataSetFile.lock(lock) }
    try folder.finish(isThere: isThere, notCompared: report.notCompared)
    report.annotationsAbove = try folder.writeTexts { recording in
      AudioHeader(path: "\(target.path)/\(names.path(of: recording))")?.sampleRate
    } _: { name, body in
      try Task.checkCancellation()
      return try target.write(name, body)
    }
    return report
  }

  /// Puts the audio of a recording into the folder; returns whether it is there.
  private func add(
    _ recording: LockedRecording, _ volatile: [CatalogueID: Set<String>], _ report: inout Report,
    _ run: inout AudioRun
  ) async throws -> Bool {
    guard let locked = recording.audio else { return false }
    let stored = try stored(recording.id)
    let check = try stored.map {
      try self.check(recording, $0, volatile[recording.id.catalogue] ?? [])
    }
    if let check, check.contradictsLine {
      report.contradicted.append(check)
      return false
    }
    guard recording.mayBePassedOn else {
      let name = recording.licence?.name ?? ""
      report.licences[PlainLine.text(name) ?? "no licence given", default: 0] += 1
      return false
    }
    let name = names.path(of: recording)
    if (try? target.content(of: name)) != locked {
      let file = await file(of: recording, locked, stored, &run)
      try Task.checkCancellation()
      guard file != nil || run.hasOtherAudio else {
        report.absent += 1
        return false
      }
      guard let file, try LockedRecording.Audio(of: file) == locked else {
        report.changed.append(recording.text(.catalogNumber) ?? recording.id.value)
        return false
      }
      report.copied += 1
      guard try target.write(name, { try copy(file, to: $0) }) == locked else { return false }
    }
    if check == nil { report.notCompared += 1 }
    return true
  }

  /// The comparison of a line with the stored version of the record that was locked, else with the
  /// present one.
  private func check(
    _ locked: LockedRecording, _ stored: Recording, _ volatile: Set<String>
  ) throws -> LockCheck {
    func compared(_ record: Recording) -> LockCheck {
      LockCheck(
        locked, .stored(record, repository.details(of: record)), nil, volatile: volatile)
    }
    let now = compared(stored)
    if now.isSameRecord { return now }
    return try repository.earlierVersions(of: locked.id).lazy
      .map { compared(Recording(id: locked.id, fields: $0)) }.first(where: \.isSameRecord) ?? now
  }

  /// The audio that is kept, else fetched: from the address that the store has, else from the one
  /// in the lock.
  private func file(
    of recording: LockedRecording, _ audio: LockedRecording.Audio, _ stored: Recording?,
    _ run: inout AudioRun
  ) async -> URL? {
    if let stored { return await run.file(of: stored) }
    let empty = Recording(
      id: recording.id, fields: RecordingFields(["id": recording.id.value]))
    return await run.file(
      of: empty,
      at: recording.text(.accessURI).map { AudioClaim(address: $0, sha256: audio.sha256) })
  }

  private func stored(_ id: RecordingID) throws -> Recording? { try repository.recording(id) }

  private func copy(_ file: URL, to output: any ByteOutput) throws {
    guard let source = DownloadedAudioFile(path: file.path) else {
      throw UserFacingError.cannotRead(path: file.path, errno: errno)
    }
    try AudioFolder.copy(source, path: file.path, to: output)
    try output.flush()
  }
}

extension DataSetBuilder.Report {
  fileprivate func lines(folder: String) -> [String] {
    var lines = audio.new + audio.failed > 0 ? audio.lines : []
    let left = licences.values.reduce(0, +)
    if left > 0 {
      let reasons = licences.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        .map { "\($0.key): \($0.value)" }.joined(separator: ", ")
      lines.append(
        "\(Plural.words(left, "recording")) left out, because the licence does not allow to pass \(left == 1 ? "it" : "them") on: \(reasons)"
      )
    }
    if !changed.isEmpty {
      lines.append("left out, with other audio than was locked: \(FirstNames(changed).text)")
    }
    if !contradicted.isEmpty {
      let names = FirstNames(contradicted.map(\.text))
      lines.append("left out, because their records say otherwise than the lock:")
      lines += names.names + [names.more].compactMap(\.self)
    }
    if absent > 0 {
      lines.append("\(Plural.words(absent, "recording")) left out, without audio")
    }
    lines += [
      ExportSummary.aboveLine(annotationsAbove), DataSetFolder.notCompared(notCompared, of: files),
    ].compactMap(\.self)
    let there = files - copied
    let already = there > 0 ? ", \(there) of them there already" : ""
    return lines + ["\(Plural.words(files, "audio file")) in \(folder)\(already)"]
  }

  fileprivate func json(folder: String) -> JSONObject {
    let left = licences.sorted { $0.key < $1.key }.map { name, count -> JSONObject in
      ["licence": name, "recordings": count]
    }
    return [
      "folder": folder, "files": files, "copied": copied, "notAllowed": left, "changed": changed,
      "contradicted": contradicted.map(\.json), "notCompared": notCompared,
      "annotationsAbove": annotationsAbove, "absent": absent,
      "audio": audio.json,
    ]
  }
}
