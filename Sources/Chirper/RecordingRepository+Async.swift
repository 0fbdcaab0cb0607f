import ChirperModel
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
}

#if Collection
extension RecordingRepository {
  /// Reads a search: the number (`XC363793`) or the page's address of a recording, or an
  /// expression, which may name the repository's catalogues (`source:`) and use their own tags. If
  /// two catalogues have a tag of one name, it asks about the detail of the first. A tag finds
  /// recordings of every catalogue: it is a second name for chirper's tag for that detail, and
  /// takes the values of that tag.
  ///
  /// - Throws: `SearchExpressionError` for text that is empty, too long or not in the
  ///   language.
  public func searchExpression(_ text: String) throws(SearchExpressionError) -> SearchExpression {
    try SearchExpression(typed: text, in: catalogues)
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
    to file: URL, progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) async throws(StoreError) {
    try await perform { store throws(StoreError) in try store.backup(to: file, progress: progress) }
  }
}
#endif

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

private func onOwnThread<Value: Sendable, Failure: Error>(
  _ body: @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
  try await withTaskExecutorPreference(QueueExecutor("chirper.performing")) {
    () async throws(Failure) in try body()
  }
}
