import ArgumentParser
import Chirper
import ChirperFormats
import ChirperModel
import Foundation

extension DataSetCommand {
  struct Lock: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "lock", abstract: "Write down which recordings a data set has now.",
      discussion: """
        Writes a first line with the selections and the state of their lists, and then a line for each recording with its \
        values, a hash of its fields, and a hash of its audio. Audio that is not kept is fetched, at the \
        catalogue's pace. The lock is written whole or not at all; after an interruption the same command continues.

          chirper dataset lock wrens.dataset.json
          chirper dataset lock wrens.dataset.json --no-audio
          chirper dataset lock wrens.dataset.json -o wrens-2026-12.lock.jsonl
        """)

    @Argument(help: "A file NAME.dataset.json.", completion: .file(extensions: ["json"]))
    var file: String

    @Flag(name: .customLong("no-audio"), help: "Leave out the audio; such a lock cannot be built.")
    var noAudio = false

    @Option(
      name: [.customShort("o"), .customLong("output")],
      help: "The file to write. (default: NAME.lock.jsonl next to FILE)", completion: .file())
    var output: String?

    @OptionGroup var common: CommonOptions

    func run() async throws {
      let definition = try DataSetDefinition(file)
      let path =
        output
        ?? (file.hasSuffix(DataSetFile.definitionEnd)
          ? String(file.dropLast(DataSetFile.definitionEnd.count)) : file) + DataSetFile.lockEnd
      guard !["", "-"].contains(path) else {
        throw UserFacingError.usage(
          "A lock needs the name of a file",
          hint: "Type it as in: -o wrens-2026-12\(DataSetFile.lockEnd)")
      }
      try DataSetFile.checkIsNew(
        path, hint: "A lock is never replaced. Type -o and a different name, or remove it first.")
      let given = try definition.split?.file.map(givenParts)
      let repository = try noAudio ? Session.offline(.read) : Session().repositoryOrReadOnly()
      let selections = try DataSetSource(repository).selections(
        of: definition, hasNotes: !common.json)
      let line = ProgressLine(isShown: TerminalDevice.canRewriteError && !common.json)
      var lock = try await SignalHandling.interruptible { [noAudio] in
        defer { line.close() }
        return try await Self.prepared(
          selections, definition, repository, line, hasAudio: !noAudio)
      }
      if let error = lock.audio.error, let id = lock.audio.failedID, !lock.isDone {
        throw UserFacingError(error, id).with(
          hint: "\(path) was not written. Type the same command again: it continues.")
      }
      let parts = try lock.divide(definition.split, given)
      let files = try AtomicFile.all([path])
      try AtomicFile.writing(files) { try lock.write(definition, to: files[0].sink) }
      try report(lock, parts, path)
      if lock.refused > 0 {
        throw UserFacingError(
          .partly, kind: "audio-missing",
          problem: "The audio of \(Plural.words(lock.refused, "recording")) is not there",
          hint: "The lock does not have \(lock.refused == 1 ? "it" : "them").")
      }
    }

    /// The values that a lock is written from.
    fileprivate struct Prepared: Sendable {
      let choice: DataSetChoice
      let repository: RecordingRepository
      let hasAudio: Bool
      var groups: DataSetGroups
      /// The audio of each recording; empty for a lock without.
      var files: [LockedRecording.Audio?] = []
      var audio = AudioLibrary.Report()
      /// Recordings whose audio is refused, one by one.
      var refused = 0
      /// Whether everything was fetched that could be.
      var isDone = true
      var parts: [DataSetPart?] = []
      var species: Set<String> = []
      /// The lists that the recordings are in.
      var lists: Set<CatalogueQuery> = []

      init(
        _ choice: DataSetChoice, _ repository: RecordingRepository, _ definition: DataSetDefinition,
        hasAudio: Bool
      ) {
        (self.choice, self.repository, self.hasAudio) = (choice, repository, hasAudio)
        groups = DataSetGroups(definition.split?.holdOut)
      }
    }

    private static func prepared(
      _ selections: [Rows], _ definition: DataSetDefinition,
      _ repository: RecordingRepository, _ line: ProgressLine, hasAudio: Bool
    ) async throws -> Prepared {
      let choice = try DataSetChoice(selections, definition.limits) { count in
        line.show { "choosing, \(count) read" }
      }
      var lock = Prepared(choice, repository, definition, hasAudio: hasAudio)
      var run = AudioRun(repository.audio)
      for range in (0..<choice.count).batches() {
        for (position, row) in zip(range, try choice.rows(range)) {
          try Task.checkCancellation()
          if hasAudio {
            line.show { "audio \(position + 1) of \(choice.count)" }
            let file = await run.file(of: row.recording)
            lock.files.append(try file.map { try LockedRecording.Audio(of: $0) })
            guard file != nil else {
              if run.lastError?.isAboutOneFile == true { lock.refused += 1 }
              lock.isDone = lock.isDone && run.lastError?.isAboutOneFile ?? false
              continue
            }
          }
          let locked = try lock.locked(row)
          lock.groups.add(locked)
          if let name = locked.species { lock.species.insert(name) }
          lock.lists.formUnion(row.lists)
        }
      }
      lock.audio = run.report
      return lock
    }

    private func givenParts(_ name: String) throws -> DataSetParts {
      let path =
        name.hasPrefix("/")
        ? name : file.folderOfPath.isEmpty ? name : "\(file.folderOfPath)/\(name)"
      return try DataSetParts(path)
    }

    private func report(_ lock: Prepared, _ parts: [String], _ path: String) throws {
      let count = lock.groups.count
      let notes =
        try [lock.groups.aboveSpeciesLine].compactMap(\.self)
        + lock.choice.linesOfDropped(besides: lock.lists)
      guard !common.json else {
        var object: JSONObject = [
          "file": path, "recordings": count, "species": lock.species.count,
          "beyondLimits": lock.choice.beyondLimits,
        ]
        if lock.hasAudio { object.add("audio", lock.audio.json) }
        object.add("split", parts)
        object.add("notes", notes)
        return try ByteSink.printOut(object.text)
      }
      for selection in lock.choice.selections {
        for line in selection.purposes.lines { Console.line(line) }
      }
      if lock.choice.beyondLimits > 0 {
        Console.line(
          "\(Plural.words(lock.choice.beyondLimits, "recording")) left out by the limits")
      }
      if lock.hasAudio { for line in lock.audio.lines { Console.line(line) } }
      for line in parts + notes { Console.line(line) }
      Console.line(
        "wrote \(Plural.words(count, "recording")) of \(lock.species.count) species to \(path)")
    }
  }
}

extension DataSetCommand.Lock.Prepared {
  /// A row as the lock has it, without audio and part.
  fileprivate func locked(_ row: RecordingRow) throws -> LockedRecording {
    let volatile = repository.catalogue(row.id.catalogue)?.volatileFields ?? []
    return try LockedRecording(row.recording, row.details, volatile: volatile)
  }

  /// Decides the part of each recording; returns what is to be said about that.
  fileprivate mutating func divide(
    _ split: DataSetDefinition.Split?, _ given: DataSetParts?
  ) throws -> [String] {
    guard let split else { return [] }
    var lines: [String] = []
    if var given {
      var position = 0
      try choice.forEach { row in
        if files.isEmpty || files[position] != nil {
          parts.append(given.part(of: row.id, row.details.catalogNumber))
        }
        position += 1
      }
      let without = parts.count { $0 == nil }
      if without > 0 {
        lines.append("\(Plural.words(without, "recording")) without a part in \(given.name)")
      }
      lines += [given.unusedLine].compactMap(\.self)
    } else {
      let divided = groups.parts(split)
      (parts, lines) = (divided.parts, divided.lines)
    }
    return lines + [groups.leaks(parts).text]
  }

  fileprivate func write(_ definition: DataSetDefinition, to output: any ByteOutput) throws {
    let catalogues = try choice.selections.flatMap { try $0.sources() }.map(\.query.catalogue)
      .uniqued
    let lists = try choice.lists(among: lists)
    let header = LockHeader(
      definition, recordings: groups.count, found: choice.count + choice.beyondLimits,
      beyondLimits: choice.beyondLimits, hasAudio: hasAudio, lists: lists,
      citations: try lists.compactMap { try repository.citation(of: $0) },
      catalogues: catalogues.compactMap(repository.catalogue))
    let writer = LockWriter(header, to: output)
    var (position, written) = (0, 0)
    try choice.forEach { row in
      defer { position += 1 }
      var recording = try locked(row)
      if hasAudio {
        guard let audio = files[position] else { return }
        recording.audio = audio
      }
      if !parts.isEmpty { recording.split = parts[written] }
      written += 1
      try writer.add(recording)
    }
  }
}

extension AudioError {
  /// Whether only this file is not there, so that others may be.
  fileprivate var isAboutOneFile: Bool {
    switch self {
    case .withheld, .none, .addressRefused, .badID: true
    case .fetch(.refused): true
    case .fetch, .store, .inUse, .file: false
    }
  }
}
