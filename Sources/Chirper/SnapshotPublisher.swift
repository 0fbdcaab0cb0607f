import ChirperModel
import ChirperStore
import Foundation
import Synchronization

/// Publishes snapshots: keeps the load states of this process and sends every observer a new snapshot after a change.
final class SnapshotPublisher: Sendable {
  private let store: RecordingStore
  private let shared = Mutex(Shared())
  /// Held from reading a snapshot until it is sent: otherwise an observer could get an older one last.
  private let publishing = Mutex(())

  private struct Shared {
    var loads: [SearchQuery: LoadState] = [:]
    /// Queries for which a page has arrived in this process.
    var arrived: Set<SearchQuery> = []
    var observers: [Int: Observer] = [:]
    var nextObserver = 0
  }

  private struct Observer {
    let query: SearchQuery
    let window: Range<Int>?
    /// Whether rows stay hidden until a page has arrived or the load failed.
    var awaitsNetwork: Bool
    let continuation: AsyncStream<Snapshot>.Continuation
    var last: Snapshot?
  }

  init(store: RecordingStore) {
    self.store = store
  }

  func setLoadState(_ load: LoadState, of query: SearchQuery) {
    shared.withLock { $0.loads[query] = load }
    publish(query)
  }

  func markPageArrived(of query: SearchQuery) {
    _ = shared.withLock { $0.arrived.insert(query) }
    publish(query)
  }

  func snapshot(of query: SearchQuery, window: Range<Int>?) throws(StoreError) -> Snapshot {
    let (load, hasArrived) = shared.withLock { ($0.loads[query] ?? .idle, $0.arrived.contains(query)) }
    guard let (stored, rows) = try store.list(of: query, window: window) else {
      return Snapshot(
        query: query, state: .derived(from: .nothing, load: load), origin: nil, count: 0, totals: nil, pagesStored: 0,
        completeness: .partial(pages: 0, of: nil))
    }
    return Snapshot(
      query: stored.query,
      state: .derived(from: .pages(rows: rows, count: stored.count, next: stored.next), load: load),
      origin: Origin(
        place: hasArrived ? .network : .store, oldestFetchedAt: stored.oldestFetchedAt,
        newestFetchedAt: stored.newestFetchedAt),
      count: stored.count, totals: stored.totals, pagesStored: stored.pagesStored, completeness: stored.completeness)
  }

  func snapshots(of query: SearchQuery, window: Range<Int>?, awaitsNetwork: Bool = false) -> AsyncStream<Snapshot> {
    let (stream, continuation) = AsyncStream.makeStream(of: Snapshot.self)
    let observer = shared.withLock { shared in
      shared.nextObserver += 1
      shared.observers[shared.nextObserver] = Observer(
        query: query, window: window, awaitsNetwork: awaitsNetwork, continuation: continuation)
      return shared.nextObserver
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.shared.withLock { $0.observers.removeValue(forKey: observer) }
    }
    publish(query)
    return stream
  }

  /// Sends nothing if the store cannot be read; the load that failed reports the error.
  private func publish(_ query: SearchQuery) {
    publishing.withLock { _ in send(query) }
  }

  private func send(_ query: SearchQuery) {
    let observers = shared.withLock { $0.observers.filter { $0.value.query == query } }
    for (id, observer) in observers.sorted(by: { $0.key < $1.key }) {
      guard var snapshot = try? snapshot(of: query, window: observer.window) else { continue }
      shared.withLock { shared in
        if observer.awaitsNetwork, !shared.arrived.contains(query), !(shared.loads[query]?.hasFailed ?? false) {
          snapshot = Snapshot(
            query: query, state: .loading, origin: nil, count: 0, totals: nil, pagesStored: 0,
            completeness: .partial(pages: 0, of: nil))
        } else {
          shared.observers[id]?.awaitsNetwork = false
        }
        guard shared.observers[id] != nil, shared.observers[id]?.last != snapshot else { return }
        shared.observers[id]?.last = snapshot
        observer.continuation.yield(snapshot)
      }
    }
  }
}

extension LoadState {
  fileprivate var hasFailed: Bool {
    if case .failed = self { true } else { false }
  }
}
