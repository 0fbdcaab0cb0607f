import ChirperModel
import Foundation

/// Hands a screen successive states of one query and loads the next page when asked.
public actor Pager {
  /// The snapshots in order: the store's own first, before any network call is made. For one consumer.
  public nonisolated let snapshots: AsyncStream<Snapshot>

  private let repository: RecordingRepository
  private let query: SearchQuery
  private let policy: ReadPolicy
  private var load: Task<FetchReport, Never>?

  public init(_ repository: RecordingRepository, query: SearchQuery, policy: ReadPolicy = .cachedThenRefreshed) {
    self.repository = repository
    self.query = query
    self.policy = policy
    snapshots = repository.publisher.snapshots(of: query, window: nil, awaitsNetwork: policy == .fresh)
  }

  /// Does what the policy says beyond showing what is stored.
  ///
  /// - Returns: what was loaded; `nil` where the policy asks for nothing.
  @discardableResult
  public func start() async -> FetchReport? {
    switch policy {
    case .localOnly: nil
    case .cachedThenRefreshed, .fresh: await refresh()
    case .ifOlder(let age):
      await loading { repository, query, stored in
        await repository.fetch(
          query, FetchPlan(stored.map { $0.next == nil ? .all : .pages(max(1, $0.pagesStored)) } ?? .pages(1), maxAge: age))
      }
    }
  }

  /// Loads the page after the last; a second call while a load is under way joins it.
  ///
  /// - Returns: `nil` where the end was reached.
  @discardableResult
  public func loadNextPage() async -> FetchReport? {
    let stored = try? repository.stored(query)
    if load == nil, let stored, stored.next == nil { return nil }
    return await loading { repository, query, _ in
      await repository.fetch(query, FetchPlan(.pages(stored?.next ?? 1)))
    }
  }

  /// Brings what is stored up to date, or loads the first page where nothing is.
  @discardableResult
  public func refresh() async -> FetchReport? {
    await loading { repository, query, stored in
      guard let stored else { return await repository.fetch(query, FetchPlan(.pages(1))) }
      return await repository.sync(stored)
    }
  }

  /// Stops the load under way; what arrived stays.
  public func cancel() async {
    load?.cancel()
    _ = await load?.value
  }

  private func loading(
    _ body: @escaping @Sendable (RecordingRepository, SearchQuery, StoredQuery?) async -> FetchReport
  ) async -> FetchReport {
    if let load { return await load.value }
    let (repository, query) = (repository, query)
    let task = Task { await body(repository, query, try? repository.stored(query)) }
    load = task
    let report = await task.value
    load = nil
    return report
  }
}
