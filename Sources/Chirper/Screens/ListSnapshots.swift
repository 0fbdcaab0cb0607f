import ChirperModel

extension ListSnapshot {
  /// The successive snapshots of a query, for any number of observers, one after the other or
  /// at the same time.
  ///
  /// Each `for await` gets the newest snapshot first, and then one after each change; equal
  /// snapshots are not repeated. An observer that is slower than the changes gets the newest
  /// and misses those before. The loop ends when its task is cancelled. For a `Pager`, it
  /// also ends when the pager is released.
  public struct Updates: AsyncSequence, Sendable {
    let publisher: SnapshotPublisher
    let scope: SnapshotScope

    /// A new observer.
    public func makeAsyncIterator() -> Iterator {
      Iterator(publisher: publisher, stream: publisher.observe(scope).makeAsyncIterator())
    }

    /// One observer; it is removed when it is released.
    public struct Iterator: AsyncIteratorProtocol {
      /// Retained, because it sends the snapshots.
      fileprivate let publisher: SnapshotPublisher
      fileprivate var stream: AsyncStream<ListSnapshot>.Iterator
      fileprivate var last: ListSnapshot?

      /// Waits for the next snapshot; `nil` after the last.
      public mutating func next(isolation actor: isolated (any Actor)?) async -> ListSnapshot? {
        while let snapshot = await stream.next(isolation: actor) {
          // If an observer missed a snapshot, the next one can equal the one before.
          guard snapshot != last else { continue }
          last = snapshot
          return snapshot
        }
        return nil
      }
    }
  }
}

/// The changes that a screen sees: those since the scope was made. Earlier failures are not
/// its failures, and pages that the network brought earlier were, for this screen, in the
/// store.
final class SnapshotScope: Sendable {
  /// The query that the screen asks for.
  let asked: CatalogueQuery
  let repository: RecordingRepository
  let since: Int
  /// Whether rows stay hidden until the network answered or failed.
  let awaitsNetwork: Bool
  /// Changed by the publisher alone.
  let hasEnded = Locked(false)
  #if Collection
  /// The rows that the screen shows; `nil` if it shows the list as it is.
  let arrangement = Locked<RowArrangement?>(nil)
  #endif
  /// Changed by the publisher alone.
  let shown: Locked<Shown>

  /// The list that the screen shows.
  struct Shown: Sendable {
    /// The form of `asked` whose list it is.
    var query: CatalogueQuery
    var rows: RecordingCache
    /// Whether one form after the other is being asked, so that none has found nothing yet.
    var isAsking = false
  }

  var query: CatalogueQuery { shown.withLock(\.query) }

  /// Whether rows of the list are left out by a filter.
  var hidesRows: Bool {
    #if Collection
    arrangement.withLock(\.self)?.filter != nil
    #else
    false
    #endif
  }

  init(
    asked: CatalogueQuery, in repository: RecordingRepository, rows: RecordingCache, since: Int,
    awaitsNetwork: Bool
  ) {
    self.asked = asked
    self.repository = repository
    shown = Locked(Shown(query: asked, rows: rows))
    self.since = since
    self.awaitsNetwork = awaitsNetwork
  }
}
