import Chirper
import ChirperModel
import Foundation

/// Fills the folder of a data set.
package struct DataSetBuild: Sendable {
  private let lock: String
  private let repository: RecordingRepository
  private let names: DataSetNames
  private let target: DataSetTarget

  /// - Parameters:
  ///   - folder: the path of the folder, which is made.
  ///   - usesPlainNames: whether names of folders have only ASCII letters, digits and `_`.
  ///   - isAllowed: refuses files that must not be replaced.
  package init(
    _ lock: String, to folder: String,
    from repository: @autoclosure () throws -> RecordingRepository,
    usesPlainNames: Bool = false, isAllowed: @escaping DataSet.OutputCheck = { _, _ in }
  ) throws {
    let header = try LockReader(lock).header
    guard header.hasAudio else {
      throw UserFacingError.usage(
        "\(lock) has no audio, so nothing can be built from it",
        hint: "Lock the set without --no-audio.")
    }
    self.lock = lock
    self.repository = try repository()
    names = DataSetNames(header, arePlain: usesPlainNames)
    target = try DataSetTarget(path: folder, lock: lock, names: names, isAllowed: isAllowed)
  }

  /// Copies and fetches audio, and writes the texts.
  ///
  /// - Parameter progress: called with the number of each recording, and that of all.
  package func run(_ progress: (Int, Int) -> Void) async throws -> DataSet.BuildReport {
    let reader = try LockReader(lock)
    var report = DataSet.BuildReport()
    var run = AudioRun(repository.audio)
    var isThere: [Bool] = []
    while let recording = try reader.next() {
      try Task.checkCancellation()
      progress(reader.count, reader.header.recordings)
      isThere.append(
        try await add(recording, reader.header.volatile, &report, &run))
    }
    report.audio = run.report
    report.files = isThere.count(where: \.self)
    let folder = try DataSetFolder(
      reader.header, names: names, lock: (lock as NSString).lastPathComponent, isThere: isThere,
      notCompared: report.notCompared
    ) { [lock] in try LockReader(lock) }
    try folder.writeTexts(&report) { recording in
      AudioHeader(path: "\(target.path)/\(names.path(of: recording))")
    } _: { name, body in
      try Task.checkCancellation()
      return try target.write(name, body)
    }
    return report
  }

  /// Puts the audio of a recording into the folder; returns whether it is there.
  private func add(
    _ recording: LockedRecording, _ volatile: [CatalogueID: Set<String>],
    _ report: inout DataSet.BuildReport, _ run: inout AudioRun
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
    guard recording.id.mayBePassedOn(under: recording.licence) else {
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
      let written = try target.write(name) { output in
        try AudioFolder.copy(file, to: output)
        try output.flush()
      }
      guard written == locked else { return false }
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
      .map { compared(stored.with($0)) }.first(where: \.isSameRecord) ?? now
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
}
