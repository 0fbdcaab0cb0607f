import ChirperModel
import ChirperPlatform
import Foundation

// What an app asks of the store. Each call here runs the plain one of the same name, which
// chirper's own command uses, on a thread of its own. An app's query means any of its forms
// (`list(of:)`).
extension RecordingRepository {
  /// Calls `body` on a thread of its own while the caller's task is suspended, so that a
  /// call that waits or takes long holds up neither the main actor nor one of the few
  /// threads that Swift's tasks share.
  ///
  /// - Parameter body: the work with the repository; it is cancelled with the caller's
  ///   task, and runs with its priority.
  /// - Returns: The result of `body`.
  package func perform<Value: Sendable, Failure: Error>(
    _ body: @Sendable (RecordingRepository) throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    try await onOwnThread { () throws(Failure) in try body(self) }
  }

  /// Every stored query, the most recently fetched first, but for those that never found anything.
  public func storedQueries() async throws(StoreError) -> [StoredQuery] {
    try await perform { store throws(StoreError) in try store.storedQueries() }
  }

  /// The facts about a stored query, under whichever of its names it was found; `nil` if it was
  /// never fetched.
  public func stored(_ query: CatalogueQuery) async throws(StoreError) -> StoredQuery? {
    try await perform { store throws(StoreError) in try store.stored(store.list(of: query)) }
  }

  /// The current state of a query: the facts that are stored, and the load state of this
  /// process.
  public func snapshot(of query: CatalogueQuery) async throws(StoreError) -> ListSnapshot {
    try await perform { store throws(StoreError) in try store.snapshot(of: query) }
  }

  /// One recording, whichever query found it; `nil` if it is not stored.
  public func recording(_ id: RecordingID) async throws(StoreError) -> Recording? {
    try await perform { store throws(StoreError) in try store.recording(id) }
  }

  /// Reads the list of this moment in batches, and holds no lock between them.
  ///
  /// - Parameters:
  ///   - query: the list's query.
  ///   - part: the rows of the list, the rows that are new or changed, or the recordings
  ///     that left it.
  ///   - sort: keys, the most important first; without keys the rows have the order of the
  ///     part.
  ///   - window: the positions of the rows to read, from 0 and in the order asked for; `nil` for
  ///     all.
  public func reader(
    of query: CatalogueQuery, part: ListReader.Part = .rows, sort: [SortKey] = [],
    window: Range<Int>? = nil
  ) async throws(StoreError) -> ListReader {
    try await perform { store throws(StoreError) in
      try store.reader(of: store.list(of: query), part: part, sort: sort, window: window)
    }
  }

  /// Searches every stored recording, of all lists and catalogues, each once. A name of a bird
  /// finds it under every name that it is stored as (`SearchResults.otherNames`). Recordings
  /// that are in no list any more are left out and counted, unless the expression asks for
  /// them (`gone:yes`, `gone:any`, `in:none`) or for a catalogue number. Recordings of the
  /// built-in catalogue, which are made up, are left out if real ones are stored, unless the
  /// expression asks for a catalogue or a list (`source:any`).
  ///
  /// The index decides about most recordings; the rest are read. No lock is held between
  /// segments and batches, so a fetch can go on meanwhile; each recording counts as it was
  /// when it was read. Memory does not grow with the store.
  ///
  /// - Parameters:
  ///   - expression: the search that recordings must satisfy.
  ///   - sort: keys, the most important first; without keys, the recordings that were
  ///     stored first come first.
  ///   - ranked: whether recordings with the bare words in a name come first, then those
  ///     with the words in the type, the place or the recordist. The sort keys order the
  ///     recordings of one rank.
  ///   - distinct: leaves out each copy (`alsoIn`) of a recording that is found too.
  ///   - window: the recordings to keep for `SearchResults.rows`, by position from 0; all
  ///     if `nil`.
  ///   - progress: called after each batch, on the thread of the search, with the part of the
  ///     store that is done, from 0 to 1.
  /// - Throws: `SearchExpressionError` for a list that is not stored, `StoreError`, and
  ///   `CancellationError` soon after the task is cancelled.
  public func search(
    _ expression: SearchExpression, sort: [SortKey] = [], ranked: Bool = false,
    distinct: Bool = false, window: Range<Int>? = nil,
    progress: @Sendable (_ done: Double) -> Void = { _ in }
  ) async throws -> SearchResults {
    try await perform {
      try $0.search(
        expression, sort: sort, ranked: ranked, distinct: distinct, window: window,
        progress: progress)
    }
  }

  /// The recordings that are new, changed and gone in each stored list since a moment, the
  /// most recently fetched list first. The sample's lists are left out if real ones have
  /// rows.
  ///
  /// - Parameters:
  ///   - since: the moment, UTC.
  ///   - limit: the recordings of each kind that are read; all are counted.
  public func news(since: Date, limit: Int = 1000) async throws(StoreError) -> [StoredQuery.News] {
    try await perform { store throws(StoreError) in try store.news(since: since, limit: limit) }
  }

  /// Removes a query, the recordings that no other query contains, and their audio.
  ///
  /// A long list is removed from its end, in steps between which others use the store.
  /// After an error or a kill the list has its first pages.
  ///
  /// - Returns: A report of what was removed; `nil` if the query was not stored.
  @discardableResult
  public func forget(_ query: CatalogueQuery) async throws(StoreError) -> ForgetReport? {
    try await perform { store throws(StoreError) in
      // What led to the list of a different text has nothing of that list.
      let isStored = try store.stored(query) != nil
      return try store.forget(isStored ? query : store.list(of: query))
    }
  }

  /// Checks the whole file, which takes about ten seconds for a million recordings, and
  /// longer if they must be read from a disk.
  ///
  /// Others read meanwhile, and write between two checks. The longest check is SQLite's
  /// own, about four of the ten seconds. It cannot be divided, because it compares all
  /// parts of the file. With the rollback journal, writing waits for it, and while
  /// something waits, a screen has placeholders for the rows that it has not read yet.
  public func diagnosis() async throws(StoreError) -> Diagnosis {
    try await perform { store throws(StoreError) in try store.diagnosis() }
  }

  /// Copies the database as it is at one moment into a file that is empty or does not
  /// exist. Others can use the database meanwhile.
  ///
  /// - Parameters:
  ///   - file: the copy. Downloaded audio is not in it.
  ///   - progress: called with the number of pages of the database that are copied, and of
  ///     all pages, on the thread of the copy.
  /// - Throws: `StoreError`.
  public func backup(
    to file: URL, progress: @escaping @Sendable (_ copied: Int, _ all: Int) -> Void = { _, _ in }
  ) async throws(StoreError) {
    try await perform { store throws(StoreError) in try store.backup(to: file, progress: progress) }
  }
}

extension AudioLibrary {
  /// The complete audio file of a recording, under the name of its kind; `nil` if none is
  /// downloaded.
  public func downloadedFile(of id: RecordingID) async throws(AudioError) -> URL? {
    try await onOwnThread { () throws(AudioError) in try downloadedFile(of: id) }
  }

  /// The amount of downloaded audio, by looking at every file.
  public func usage() async -> Usage {
    await onOwnThread { usage() }
  }

  /// Deletes the audio of a recording, also parts of it; `false` if none was there. A download
  /// of it that is under way fails; cancel it first.
  ///
  /// - Throws: `AudioError`, if a file cannot be deleted.
  @discardableResult
  public func remove(_ id: RecordingID) async throws(AudioError) -> Bool {
    try await onOwnThread { () throws(AudioError) in try remove(id) }
  }
}

extension RecordingList {
  /// The rows that are at those positions now, from 0; fewer where the list ends earlier. They are
  /// read in one transaction, so that no row is among them twice, and they are not kept.
  public func read(_ positions: Range<Int>) async throws(StoreError) -> [Recording] {
    try await onOwnThread { () throws(StoreError) in try read(positions) }
  }

  /// The ids of all rows that are in the list now, in order and without duplicates. For a
  /// million rows it takes one to three seconds and 30 MB; a screen over such a list asks for a
  /// `rows(in:)`.
  public func ids() async throws(StoreError) -> [RecordingID] {
    try await onOwnThread { () throws(StoreError) in try ids(nil) }
  }

  /// The rows that are at those positions now, from 0, cut to the end of the list, as `ForEach`
  /// and a selection identify them. Only their ids are read.
  public func rows(in positions: Range<Int>) async throws(StoreError) -> [Row] {
    try await onOwnThread { () throws(StoreError) in
      zip(positions.clamped(to: indices), try ids(positions.clamped(to: indices))).map {
        Row(position: $0, id: $1)
      }
    }
  }
}

extension ListReader {
  /// The recordings at those positions, from 0, cut to the end; throws `.recordingForgotten` if one
  /// was deleted meanwhile, or changed so that the search no longer finds it.
  public func rows(_ range: Range<Int>) async throws(StoreError) -> [Recording] {
    try await repository.perform { _ throws(StoreError) in try rows(range) }
  }
}

extension SearchResults {
  /// The recordings at those positions, from 0, cut to the end; throws `.recordingForgotten` if one
  /// was deleted meanwhile, or changed so that the search no longer finds it.
  public func rows(_ range: Range<Int>) async throws(StoreError) -> [RecordingRow] {
    try await reader.repository.perform { _ throws(StoreError) in try rows(range) }
  }

  /// Counts the recordings found by one detail or two: a name, a country, a recordist, the month,
  /// the hour of `eventTime`, the week of `eventDate`, … By `acceptedNameUsage`, a bird counts
  /// once, under whichever name it is stored; by `scientificName`, each name does.
  ///
  /// - Parameter columns: one or two of `RecordingCounts.columns`. Anything else ends the program.
  /// - Throws: `StoreError`, and `CancellationError` soon after the task is cancelled.
  public func counts(by columns: DetailColumn...) async throws -> RecordingCounts {
    let keys = columns.map { column in
      guard let key = CountKey.counting(by: column) else {
        preconditionFailure("recordings are not counted by \(column.name)")
      }
      return key
    }
    precondition(
      (1...2).contains(keys.count) && Set(keys).count == keys.count,
      "recordings are counted by one detail or two different ones, not by "
        + columns.map(\.name).joined(separator: ", "))
    return try await reader.repository.perform { _ in try counts(by: keys) }
  }

  /// The changes of the recordings found.
  ///
  /// - Parameter since: the moment whose stored versions are compared; the oldest versions
  ///   that are kept if `nil`.
  /// - Throws: `StoreError`, and `CancellationError` soon after the task is cancelled.
  public func changes(since: Date? = nil) async throws -> RecordingChanges {
    try await reader.repository.perform { _ in try changes(since: since) }
  }
}

extension RecordingChanges {
  /// The changes at those positions, from 0, cut to the end; throws `.recordingForgotten` if a
  /// recording was deleted, or changed again, meanwhile.
  public func rows(_ range: Range<Int>) async throws(StoreError) -> [RecordingChanges.Change] {
    try await repository.perform { _ throws(StoreError) in try rows(range) }
  }
}

private func onOwnThread<Value: Sendable, Failure: Error>(
  _ body: @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
  try await withTaskExecutorPreference(QueueExecutor("chirper.performing")) {
    () async throws(Failure) in try body()
  }
}
