/// The reason why a load ended before its goal.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum LoadError: Error, Hashable, Sendable {
  /// The catalogue, the page if one was asked for, and the error of the fetch.
  case fetch(FetchError, catalogue: CatalogueID, page: Int?)
  /// The store could not be opened, read or written.
  case store(StoreError)
  /// The text that was typed cannot be a query.
  case query(QueryError)
  /// The task was cancelled; pages that arrived are stored.
  case cancelled

  /// Whether the network, or the way to the service, is missing.
  public var isOffline: Bool {
    switch fetchError?.reason {
    case .offline?, .unreachable?: true
    default: false
    }
  }

  /// The error of the fetch; `nil` for a different one.
  package var fetchError: FetchError? {
    if case .fetch(let error, _, _) = self { error } else { nil }
  }
}
