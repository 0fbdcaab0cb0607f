import ChirperModel

/// Hands a screen successive states of one query and loads the next page when asked.
public actor Pager {
  /// The snapshots in order: the store's own first, before any network call is made. For one consumer.
  public nonisolated let snapshots: AsyncStream<Snapshot>

  public init(_ repository: RecordingRepository, query: SearchQuery, policy: ReadPolicy = .cachedThenRefreshed) {
    fatalError()
  }

  /// Shows what is stored, then does what the policy says.
  public func start() async { fatalError() }

  /// Loads the page after the last; a second call while a load is under way joins it.
  public func loadNextPage() async { fatalError() }

  /// Reads the stored pages again from the catalogue.
  public func refresh() async { fatalError() }

  /// Stops the load under way; what arrived stays.
  public func cancel() async { fatalError() }
}
