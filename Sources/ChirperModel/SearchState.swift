/// What a screen shows of a query; every screen is driven by this enum (docs/architecture.md).
public enum SearchState: Equatable, Sendable {
  /// Nothing is stored yet, and the first page is being requested.
  case loading
  /// Rows, and the number of the next page upstream.
  case paging([Recording], next: Int)
  /// Every row of the list.
  case populated([Recording])
  /// The list has no rows.
  case empty
  /// The last load failed; what is stored is still shown.
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

  /// The state that follows from what is stored and from the load state; `nil` means "not fetched yet", which is different
  /// from `empty`.
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
    /// At least one page: the rows (all, or the window that was requested), how many rows the whole list has, and the number
    /// of the next page, `nil` once the end was reached.
    case pages(rows: [Recording], count: Int, next: Int?)
  }
}

/// Whether pages are being requested; a property of the load, never of the rows.
public enum LoadState: Equatable, Sendable {
  /// Nothing is being requested, and the last request did not fail.
  case idle
  /// A page is being requested.
  case loading
  /// The last load ended with this error.
  case failed(SearchError)
}
