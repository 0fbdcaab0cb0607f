import Chirper
import ChirperModel

/// The recordings of a data set with their audio and parts, ready to be written as a lock.
package struct DataSetLock: Sendable {
  private let definition: DataSetDefinition
  private let repository: RecordingRepository
  private let choice: DataSetChoice
  private let hasAudio: Bool
  private var groups: DataSetGroups
  /// The audio of each recording; empty for a lock without.
  private var files: [LockedRecording.Audio?] = []
  private var parts: [DataSetPart?] = []
  /// The lists that the recordings are in.
  private var lists: Set<CatalogueQuery> = []
  package private(set) var report = DataSet.LockReport()

  /// Audio that could not be fetched now, and may be later.
  package struct MissingAudio: Error {
    package let error: AudioError
    package let id: RecordingID
  }

  /// Chooses the recordings, fetches the audio that is not kept, and decides the parts.
  ///
  /// - Parameters:
  ///   - selections: the rows of each selection of the definition.
  ///   - given: the parts of a file, if the definition names one.
  ///   - choosing: called with the number of rows read.
  ///   - progress: called with the number of each recording, and that of all.
  /// - Throws: `MissingAudio`, and `CancellationError` soon after the task is cancelled.
  package init(
    _ definition: DataSetDefinition, choosingFrom selections: [Rows],
    parts given: DataSetParts?, hasAudio: Bool, in repository: RecordingRepository,
    choosing: (Int) -> Void = { _ in }, progress: (Int, Int) -> Void
  ) async throws {
    self.definition = definition
    self.repository = repository
    self.hasAudio = hasAudio
    groups = DataSetGroups(definition.split?.holdOut)
    choice = try DataSetChoice(selections, definition.limits, progress: choosing)
    report.choices = selections.flatMap(\.purposes.lines)
    report.beyondLimits = choice.beyondLimits
    try await read(progress)
    try divide(given)
    report.notes =
      try [groups.aboveSpeciesLine].compactMap(\.self) + choice.linesOfDropped(besides: lists)
  }

  private mutating func read(_ progress: (Int, Int) -> Void) async throws {
    var run = AudioRun(repository.audio)
    var species = Set<String>()
    var isDone = true
    let completed =
      hasAudio ? try AudioSums(directory: repository.audio.directory).read() : [:]
    for range in (0..<choice.count).batches() {
      for (position, row) in zip(range, try choice.rows(range)) {
        try Task.checkCancellation()
        if hasAudio {
          progress(position + 1, choice.count)
          let file = await run.file(of: row.recording)
          let found = try file.map { try LockedRecording.Audio(of: $0) }
          if let file, let sum = completed[AudioSums.name(of: file)], sum != found?.sha256 {
            throw UserFacingError(
              .damaged, kind: "audio-damaged", subject: file.path,
              problem: "these are not the bytes that were completed",
              hint: "Remove this file; then the same command fetches it again.")
          }
          files.append(found)
          guard file != nil else {
            let isAboutOneFile = run.lastError?.isAboutOneFile == true
            if isAboutOneFile { report.refused += 1 }
            isDone = isDone && isAboutOneFile
            continue
          }
        }
        let locked = try locked(row)
        groups.add(locked)
        if let name = locked.species { species.insert(name) }
        lists.formUnion(row.lists)
      }
    }
    report.recordings = groups.count
    report.species = species.count
    if hasAudio { report.audio = run.report }
    if !isDone, let error = run.report.error, let id = run.report.failedID {
      throw MissingAudio(error: error, id: id)
    }
  }

  /// A row as the lock has it, without audio and part.
  private func locked(_ row: RecordingRow) throws -> LockedRecording {
    let volatile = repository.catalogue(row.id.catalogue)?.volatileFields ?? []
    return try LockedRecording(row.recording, row.details, volatile: volatile)
  }

  private mutating func divide(_ given: DataSetParts?) throws {
    guard let split = definition.split else { return }
    if var given {
      try choice.forEach { position, row in
        if files.isEmpty || files[position] != nil {
          parts.append(given.part(of: row.id, row.details.catalogNumber))
        }
      }
      let without = parts.count { $0 == nil }
      if without > 0 {
        report.parts.append(
          "\(Plural.words(without, "recording")) without a part in \(given.name)")
      }
      report.parts += [given.unusedLine].compactMap(\.self)
    } else {
      let divided = groups.parts(split)
      parts = divided.parts
      report.parts = divided.lines
    }
    report.parts.append(groups.leaks(parts).text)
  }

  package func write(to output: any ByteOutput) throws {
    let catalogues = try choice.selections.flatMap { try $0.sources() }.map(\.query.catalogue)
      .uniqued
    let lists = try choice.lists(among: lists)
    let header = LockHeader(
      definition, recordings: groups.count, found: choice.count + choice.beyondLimits,
      beyondLimits: choice.beyondLimits, hasAudio: hasAudio, lists: lists,
      citations: try lists.compactMap { try repository.citation(of: $0) },
      catalogues: catalogues.compactMap(repository.catalogue))
    output.buffer += header.line.utf8
    var written = 0
    try choice.forEach { position, row in
      var recording = try locked(row)
      if hasAudio {
        guard let audio = files[position] else { return }
        recording.audio = audio
      }
      if !parts.isEmpty { recording.split = parts[written] }
      written += 1
      recording.append(to: &output.buffer)
      try output.writeIfFull()
    }
  }
}

extension AudioError {
  /// Whether only this file is not there, so that others may be.
  fileprivate var isAboutOneFile: Bool {
    switch self {
    case .withheld, .none, .addressRefused, .badID: true
    case .fetch(let error): error.refusedStatus != nil
    case .store, .inUse, .file: false
    }
  }
}
