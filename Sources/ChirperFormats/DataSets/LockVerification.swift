import Chirper
import ChirperModel
import Foundation

/// Compares the lines of a lock with what is known now, one after the other.
package struct LockVerification: Sendable {
  private let lock: String
  private let folder: String?
  private let repository: RecordingRepository
  private let asked: AskedLists?

  /// - Parameters:
  ///   - folder: the folder that was built from the lock; `nil` if kept audio is compared.
  ///   - asked: the lists that were read just now; `nil` if no catalogue is asked.
  package init(
    of lock: String, folder: String?, in repository: RecordingRepository, asked: AskedLists?
  ) {
    self.lock = lock
    self.folder = folder
    self.repository = repository
    self.asked = asked
  }

  /// Compares all lines.
  ///
  /// - Parameters:
  ///   - progress: called with the number of lines compared, and that of all.
  ///   - difference: called with each recording that is not the same, in the order of the lock.
  package func run(
    _ progress: (Int, Int) -> Void, difference: (LockCheck) throws -> Void
  ) async throws -> LockSummary {
    let reader = try LockReader(lock)
    var summary = LockSummary()
    var asker = Asker(repository, asked ?? AskedLists())
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
          if case .absent(.missing)? = sound, !locked.id.mayBePassedOn(under: locked.licence) {
            sound = nil
            summary.leftOut += 1
          }
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
        if check.reason != .same { try difference(check) }
        progress(summary.total, reader.header.recordings)
      }
    }
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
    if asked?.unreachable.contains(locked.id.catalogue) == true {
      return .absent(.notReachable)
    }
    if let listed { return .stored(listed, repository.details(of: listed)) }
    if asked != nil { return try await asker.record(locked.id) }
    return .absent(try isStored(locked.id) ? .withdrawn : .notAsked)
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
    return .absent(.missing)
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

/// The lists of a lock that were read just now.
package struct AskedLists: Sendable {
  fileprivate var lists: Set<CatalogueQuery> = []
  /// Catalogues that could not be asked.
  fileprivate var unreachable: Set<CatalogueID> = []
  /// Catalogues of which a list was not read to its end.
  fileprivate var partial: Set<CatalogueID> = []

  fileprivate init() {}

  /// Asks for the lists of a lock. A list that was imported is taken as it is stored: no catalogue
  /// can be asked for it.
  ///
  /// - Parameter fetch: fetches a list; returns `nil` if its catalogue is not asked any more.
  package init(
    of header: LockHeader, in repository: RecordingRepository,
    fetch: (CatalogueQuery, FetchPlan.Goal) async throws -> FetchReport?
  ) async throws {
    let (asked, others) = try header.queries(in: repository)
    partial = Set(others)
    for (query, goal) in asked {
      let catalogue = query.catalogue
      guard let report = try await fetch(query, goal) else {
        unreachable.insert(catalogue)
        continue
      }
      if report.failure != nil || !report.failedPages.isEmpty || report.stored?.fall != nil {
        unreachable.insert(catalogue)
      }
      // Rows of a list that fell by half stay for a while, and are asked for one by one.
      if let stored = report.stored, stored.fall == nil {
        lists.insert(stored.query)
        if goal != .all { partial.insert(catalogue) }
      } else {
        partial.insert(catalogue)
      }
    }
    try addImported(of: header, in: repository)
  }

  /// Asks for the lists of a lock; a catalogue that cannot be reached, or refuses the key, once.
  init(of header: LockHeader, in repository: RecordingRepository) async throws {
    var unavailable: Set<CatalogueID> = []
    try await self.init(of: header, in: repository) { query, goal in
      guard !unavailable.contains(query.catalogue) else { return nil }
      let report = await repository.fetch(query, FetchPlan(goal))
      try Task.checkCancellation()
      if report.failure?.fetchError?.scope == .service { unavailable.insert(query.catalogue) }
      return report
    }
  }

  private mutating func addImported(
    of header: LockHeader, in repository: RecordingRepository
  ) throws(StoreError) {
    let stored = try repository.storedQueries().filter { $0.imported != nil }.map(\.query)
    for list in header.lists where list["imported"]?.object != nil {
      lists.formUnion(
        stored.filter {
          $0.catalogue.rawValue == list["source"]?.text && $0.typed == list["query"]?.text
        })
    }
  }
}

extension LockHeader {
  /// The queries of its lists and how far each was read, and the catalogues of the lists that
  /// cannot be asked for.
  package func queries(in repository: RecordingRepository) throws(StoreError) -> (
    asked: [(query: CatalogueQuery, goal: FetchPlan.Goal)], others: [CatalogueID]
  ) {
    let stored = try repository.storedQueries().map(\.query)
    var asked: [(query: CatalogueQuery, goal: FetchPlan.Goal)] = []
    var others: [CatalogueID] = []
    for list in lists {
      let id = CatalogueID(rawValue: list["source"]?.text ?? "")
      guard list["imported"]?.object == nil, let catalogue = repository.catalogue(id),
        let query = query(of: list, catalogue, stored)
      else {
        others.append(id)
        continue
      }
      let isWhole = list["next"]?.integer == nil
      asked.append((query, isWhole ? .all : .pages(max(1, list["pagesStored"]?.integer ?? 1))))
    }
    return (asked, others)
  }

  /// The query of a list, by its identity; `nil` if the catalogue has no such list.
  ///
  /// What is sent follows from the identity: a lock is a file that people pass on, and rows of other
  /// texts must not be stored under this one.
  private func query(
    of list: RecordingFields, _ catalogue: Catalogue, _ stored: [CatalogueQuery]
  ) -> CatalogueQuery? {
    guard let identity = list["identity"]?.text, let pageSize = list["pageSize"]?.integer,
      let typed = list["query"]?.text
    else { return nil }
    let same = stored.filter { $0.catalogue == catalogue.id && $0.identity == identity }
    if let query = same.first(where: { $0.pageSize == pageSize }) ?? same.first { return query }
    let readings = [false, true].lazy.compactMap {
      try? catalogue.query(identity, scientific: $0, pageSize: pageSize)
    }
    guard let text = readings.first(where: { $0.identity == identity })?.requestText else {
      return nil
    }
    // An identity has no capitals.
    let sent = list["sent"]?.text ?? text
    return CatalogueQuery(
      catalogue: catalogue.id, identity: identity, pageSize: pageSize, typed: typed,
      requestText: sent.lowercased() == text.lowercased() ? sent : text)
  }
}

/// Asks catalogues for records and audio of single recordings.
private struct Asker {
  private let repository: RecordingRepository
  private var asked: AskedLists
  private var run: AudioRun

  init(_ repository: RecordingRepository, _ asked: AskedLists) {
    self.repository = repository
    self.asked = asked
    run = AudioRun(repository.audio)
  }

  mutating func record(_ id: RecordingID) async throws -> LockCheck.Present {
    guard !asked.unreachable.contains(id.catalogue) else { return .absent(.notReachable) }
    do throws(LoadError) {
      switch try await repository.ask(for: id) {
      case .found(let recording): return .stored(recording, repository.details(of: recording))
      case .notFound: return .absent(.withdrawn)
      // Lists that were read to their ends do not have it.
      case .cannotAsk:
        return .absent(asked.partial.contains(id.catalogue) ? .notAsked : .withdrawn)
      }
    } catch {
      switch error {
      case .cancelled: throw CancellationError()
      case .store(let error): throw error
      case .query(let error): throw error
      case .fetch(let failure, _, _):
        if [404, 410].contains(failure.refusedStatus) { return .absent(.withdrawn) }
        if failure.scope == .service { asked.unreachable.insert(id.catalogue) }
        return .absent(.notReachable)
      }
    }
  }

  mutating func sound(of recording: Recording, asks: Bool) async throws -> LockCheck.Sound {
    if let file = try repository.audio.localFile(of: recording) {
      return .file(try LockedRecording.Audio(of: file))
    }
    guard asks else { return .absent(.notAsked) }
    if let file = await run.file(of: recording) {
      return .file(try LockedRecording.Audio(of: file))
    }
    try Task.checkCancellation()
    // A catalogue that has the recording without its audio has changed the audio.
    return switch run.lastError {
    case .withheld?, AudioError.none?: .absent(.audio)
    case .fetch(let error)?: .absent(error.refusedStatus == nil ? .notReachable : .audio)
    default: .absent(.notReachable)
    }
  }
}
