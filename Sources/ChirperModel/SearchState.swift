/// What a screen shows of a query: the one enum everything is driven by (docs/architecture.md).
public enum SearchState: Equatable, Sendable {
  case loading
  case paging([Recording], next: Int)
  case populated([Recording])
  case empty
  case error(SearchError, cached: [Recording])

  /// The rows to show, whatever the state.
  public var currentRecordings: [Recording] {
    switch self {
    case .loading, .empty: []
    case .paging(let recordings, next: _): recordings
    case .populated(let recordings): recordings
    case .error(_, cached: let recordings): recordings
    }
  }

  /// The state that follows from what is stored and how the load stands; `nil` means "not fetched yet", which is an
  /// answer of its own and never `empty`.
  public static func derived(from stored: Stored, load: LoadState) -> SearchState? {
    switch (stored, load) {
    case (.nothing, .idle): nil
    case (.nothing, .loading): .loading
    case (.nothing, .failed(let error)): .error(error, cached: [])
    case (.pages(let rows, _, _), .failed(let error)): .error(error, cached: rows)
    case (.pages(let rows, _, let next?), .idle), (.pages(let rows, _, let next?), .loading): .paging(rows, next: next)
    case (.pages(_, count: 0, next: nil), .idle), (.pages(_, count: 0, next: nil), .loading): .empty
    case (.pages(let rows, _, next: nil), .idle), (.pages(let rows, _, next: nil), .loading): .populated(rows)
    }
  }

  /// What the store holds of a query.
  public enum Stored: Equatable, Sendable {
    /// Never fetched.
    case nothing
    /// At least one page: the rows (all, or the window asked for), how many the whole list has, and the next page to
    /// ask for, `nil` once the end was reached.
    case pages(rows: [Recording], count: Int, next: Int?)
  }
}

/// How the load stands; it never says anything about the rows.
public enum LoadState: Equatable, Sendable {
  case idle
  case loading
  case failed(SearchError)
}
