import ArgumentParser
import Chirper
import ChirperFormats
import ChirperModel
import ChirperPlatform
import Foundation

struct DatasetVerify: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Say for each recording of a lock what became of it.",
    discussion: """
      Compares each line with what is stored and with the audio that is kept, or that is in FOLDER: same, different \
      species, licence changed, renamed, audio changed, missing (in FOLDER), fields changed, withdrawn, not reachable, \
      not asked. --sync asks the catalogues first: for the lists of the lock that were not imported, then by number for \
      recordings that are in none of them, then for audio that is not kept. The exit code is 3 if not all are the same.

        chirper dataset verify wrens.lock.jsonl
        chirper dataset verify wrens.lock.jsonl wrens
        chirper dataset verify wrens.lock.jsonl --sync
      """)

  @Argument(help: "A lock.", completion: .file(extensions: ["jsonl"]))
  var lock: String

  @Argument(help: "A folder that was built from it.", completion: .directory)
  var folder: String?

  @Flag(help: "Ask the catalogues first.")
  var sync = false

  @OptionGroup var common: CommonOptions

  func run() async throws {
    let reader = try DataSetFile.lock(lock)
    let session = try sync ? Session() : nil
    let repository = try session?.repository() ?? Session.offline(.read)
    let line = ProgressLine(isShown: TerminalDevice.canRewriteError && !common.json)
    var (asked, error) = (AskedLists?.none, UserFacingError?.none)
    if let session {
      try session.checkKey(for: reader.header.queries(in: repository).map(\.query.catalogue))
      (asked, error) = try await fetchLists(of: reader.header, repository)
      try asked?.addImported(of: reader.header, in: repository)
    }
    let checker = LockChecker(
      lock: lock, repository: repository, folder: folder, asked: asked, isJSON: common.json)
    let summary = try await SignalHandling.interruptible(changesNothing: session == nil) {
      defer { line.close() }
      return try await checker.check { count, all in line.show { "checking \(count) of \(all)" } }
    }
    if !common.json { try ByteSink.printOut(summary.text) }
    guard !summary.areSame else { return }
    throw UserFacingError(
      .partly, kind: "not-the-same",
      problem: "Not every recording is the same as when it was locked",
      hint: error?.message ?? hint(summary))
  }

  private func hint(_ summary: LockSummary) -> String {
    if summary[.missing] > 0 { return "chirper dataset build adds what is missing." }
    return summary[.notAsked] > 0 && !sync
      ? "Type --sync to ask the catalogues." : "chirper dataset lock -o writes a new lock."
  }

  /// Fetches the lists of the lock.
  ///
  /// - Returns: the lists that were read, and the first error.
  private func fetchLists(
    of header: LockHeader, _ repository: RecordingRepository
  ) async throws -> (AskedLists, UserFacingError?) {
    let reporter = FetchReporter(repository: repository, common: common, isQuiet: false)
    let queries = try header.queries(in: repository)
    var (asked, batch) = (AskedLists(), FetchBatch(count: queries.count))
    for (query, goal) in queries {
      let isLast = await batch.run(query) {
        reporter.printHeader(query, repository.catalogue(query.catalogue), isFallback: false)
        let outcome = await reporter.fetch(query, FetchPlan(goal))
        reporter.printSummary(outcome)
        if outcome.error != nil { asked.unreachable.insert(query.catalogue) }
        // Rows of a list that fell by half stay for a while, and are asked for one by one.
        if let stored = outcome.report.stored, stored.fall == nil {
          asked.lists.insert(stored.query)
          if goal != .all { asked.partial.insert(query.catalogue) }
        } else {
          asked.partial.insert(query.catalogue)
        }
        return outcome
      }
      if isLast, let error = batch.error(done: "fetched") { throw error }
    }
    asked.unreachable.formUnion(batch.notTried.map(\.catalogue))
    return (asked, batch.error(done: "fetched"))
  }
}

/// The lists of a lock that were read just now.
private struct AskedLists: Sendable {
  var lists: Set<CatalogueQuery> = []
  /// Catalogues that could not be asked.
  var unreachable: Set<CatalogueID> = []
  /// Catalogues of which a list was not read to its end.
  var partial: Set<CatalogueID> = []

  /// Adds the lists that were imported, as they are stored: no catalogue can be asked for them.
  mutating func addImported(of header: LockHeader, in repository: RecordingRepository) throws {
    let stored = try repository.storedQueries().filter { $0.imported != nil }
    for list in header.lists where list["imported"]?.object != nil {
      let catalogue = CatalogueID(rawValue: list["source"]?.text ?? "")
      partial.insert(catalogue)
      lists.formUnion(
        stored.map(\.query).filter {
          $0.catalogue == catalogue && $0.typed == list["query"]?.text
        })
    }
  }
}

extension LockHeader {
  /// The queries of its lists, and how far each was read.
  func queries(in repository: RecordingRepository) throws(StoreError) -> [(
    query: CatalogueQuery, goal: FetchPlan.Goal
  )] {
    let stored = try repository.storedQueries().map(\.query)
    return lists.filter { $0["imported"]?.object == nil }.compactMap { list in
      guard let source = list["source"]?.text, let typed = list["query"]?.text,
        let catalogue = repository.catalogue(CatalogueID(rawValue: source))
      else { return nil }
      let sent = list["sent"]?.text
      let known = stored.first {
        ($0.catalogue, $0.typed, $0.requestText) == (catalogue.id, typed, sent)
      }
      // A list that is not here is asked for as it was typed.
      let readings =
        [known].compactMap(\.self)
        + [false, true].compactMap {
          try? catalogue.query(typed, scientific: $0, pageSize: list["pageSize"]?.integer)
        }
      guard let query = readings.first(where: { $0.requestText == sent }) ?? readings.first else {
        return nil
      }
      let isWhole = list["next"]?.integer == nil
      return (query, isWhole ? .all : .pages(max(1, list["pagesStored"]?.integer ?? 1)))
    }
  }
}

/// Compares the lines of a lock with what is known now, one after the other.
private struct LockChecker: Sendable {
  let lock: String
  let repository: RecordingRepository
  let folder: String?
  /// The lists that were read just now; `nil` if no catalogue is asked.
  let asked: AskedLists?
  let isJSON: Bool

  /// Prints what became of the recordings that are not the same.
  func check(_ progress: (Int, Int) -> Void) async throws -> LockSummary {
    let reader = try DataSetFile.lock(lock)
    var lines = DataSetLines(.standardOutput(), isJSON: isJSON, member: "recordings")
    var (summary, asker) = (LockSummary(), Asker(repository, asked ?? AskedLists()))
    let names = [false, true].map { DataSetNames(reader.header, arePlain: $0) }
    while true {
      var batch: [LockedRecording] = []
      while batch.count < 250, let recording = try reader.next() { batch.append(recording) }
      if batch.isEmpty { break }
      let listed = try listed(batch.map(\.id))
      for locked in batch {
        try Task.checkCancellation()
        let volatile = reader.header.volatile[locked.id.catalogue] ?? []
        let present = try await present(locked, listed[locked.id], &asker)
        var sound: LockCheck.Sound?
        if let folder, locked.audio != nil {
          sound = try self.sound(inOneOf: names.map { "\(folder)/\($0.path(of: locked))" })
        } else if case .stored(let recording, _) = present, locked.audio != nil {
          sound = try await asker.sound(of: recording, asks: asked != nil)
        }
        var check = LockCheck(locked, present, sound, volatile: volatile)
        if check.reasons.contains(.fields), check.changes.isEmpty,
          case .stored(let recording, _) = present
        {
          check.changedFields = try changedFields(of: recording, locked, volatile)
        }
        summary.add(check)
        if check.reason != .same { try lines.add(check.text, check.json) }
        progress(summary.total, reader.header.recordings)
      }
    }
    try lines.end(["summary": summary.json])
    return summary
  }

  /// The recordings that are in a list: of those that were read just now, or of any.
  private func listed(_ ids: [RecordingID]) throws(StoreError) -> [RecordingID: Recording] {
    if let asked { return try repository.recordings(ids, in: asked.lists) }
    var found: [RecordingID: Recording] = [:]
    for id in try repository.listedIDs(among: ids) { found[id] = try repository.recording(id) }
    return found
  }

  private func present(
    _ locked: LockedRecording, _ listed: Recording?, _ asker: inout Asker
  ) async throws -> LockCheck.Present {
    if let asked {
      if asked.unreachable.contains(locked.id.catalogue) { return .notReachable }
      if let listed { return .stored(listed, repository.details(of: listed)) }
      return try await asker.record(locked.id)
    }
    if let listed { return .stored(listed, repository.details(of: listed)) }
    return try isStored(locked.id) ? .withdrawn : .notAsked
  }

  /// The file in the folder, by either of its names.
  private func sound(inOneOf paths: [String]) throws -> LockCheck.Sound {
    for path in paths {
      do {
        let file = URL(filePath: path, directoryHint: .notDirectory)
        return .file(try LockedRecording.Audio(of: file))
      } catch is AudioError {
        // It is not there by this name.
      }
    }
    return .missing
  }

  private func isStored(_ id: RecordingID) throws -> Bool { try repository.recording(id) != nil }

  /// The names of the raw fields that differ, if the store still has the record of the lock.
  private func changedFields(
    of recording: Recording, _ locked: LockedRecording, _ volatile: Set<String>
  ) throws -> [String] {
    let earlier = try repository.earlierVersions(of: recording.id).first { fields in
      (try? fields.canonical(without: volatile)).map { SHA256.text(SHA256.digest($0)) }
        == locked.sha256
    }
    guard let earlier else { return [] }
    return (earlier.names + recording.fields.names).uniqued.filter {
      earlier[$0] != recording.fields[$0] && !volatile.contains($0)
    }
  }
}

/// Asks catalogues for records and audio of single recordings.
private struct Asker {
  private let repository: RecordingRepository
  private var asked: AskedLists
  private var run: AudioRun

  init(_ repository: RecordingRepository, _ asked: AskedLists) {
    (self.repository, self.asked) = (repository, asked)
    run = AudioRun(repository.audio)
  }

  mutating func record(_ id: RecordingID) async throws -> LockCheck.Present {
    guard !asked.unreachable.contains(id.catalogue) else { return .notReachable }
    do throws(LoadError) {
      switch try await repository.ask(for: id) {
      case .found(let recording): return .stored(recording, repository.details(of: recording))
      case .notFound: return .withdrawn
      // Lists that were read to their ends do not have it.
      case .cannotAsk: return asked.partial.contains(id.catalogue) ? .notAsked : .withdrawn
      }
    } catch {
      switch error {
      case .cancelled: throw CancellationError()
      case .store(let error): throw error
      case .fetch(.refused(status: 404, _), _, _), .fetch(.refused(status: 410, _), _, _):
        return .withdrawn
      case .fetch(let failure, _, _):
        if failure.scope == .service { asked.unreachable.insert(id.catalogue) }
        return .notReachable
      }
    }
  }

  mutating func sound(of recording: Recording, asks: Bool) async throws -> LockCheck.Sound {
    if let file = try repository.audio.localFile(of: recording) {
      return .file(try LockedRecording.Audio(of: file))
    }
    guard asks else { return .notAsked }
    if let file = await run.file(of: recording) {
      return .file(try LockedRecording.Audio(of: file))
    }
    try Task.checkCancellation()
    switch run.lastError {
    case .withheld?, AudioError.none?, .fetch(.refused)?: return .withdrawn
    default: return .notReachable
    }
  }
}
