/// The state of a query that a screen shows; every screen is driven by this enum.
public enum ListState: Equatable, Sendable {
  /// The store has no page yet, and the first one is being requested.
  case loading
  /// Rows, and the number of the next page upstream. A list that had reached its end is here again
  /// while its pages are read anew, because upstream has changed: its rows stay, and `next` is the
  /// first page that was not read since.
  case paging(RecordingList, next: Int)
  /// Every row of the list.
  case populated(RecordingList)
  /// The list has no rows.
  case empty
  /// The last load failed; the stored rows are still shown.
  case error(LoadError, cached: RecordingList)

  /// The rows to show, whatever the state.
  public var currentRecordings: RecordingList {
    switch self {
    case .loading, .empty: []
    case .paging(let recordings, next: _), .populated(let recordings),
      .error(_, cached: let recordings):
      recordings
    }
  }

  /// The state that follows from the stored pages and the load state; `nil`, "not fetched
  /// yet", is not `empty`.
  package static func derived(from stored: Stored, load: LoadState) -> ListState? {
    switch (stored, load) {
    case (.nothing, .idle): nil
    case (.nothing, .loading): .loading
    case (.nothing, .failed(let error)): .error(error, cached: [])
    case (.pages(let rows, _), .failed(let error)): .error(error, cached: rows)
    case (.pages(let rows, let next?), .idle), (.pages(let rows, let next?), .loading):
      .paging(rows, next: next)
    case (.pages(let rows, next: nil), .idle), (.pages(let rows, next: nil), .loading):
      rows.isEmpty ? .empty : .populated(rows)
    }
  }

  /// The pages of a query in the store.
  package enum Stored: Equatable, Sendable {
    /// The query was never fetched.
    case nothing
    /// The rows of one page or more, and the number of the next page; `nil` once the end was
    /// reached.
    case pages(rows: RecordingList, next: Int?)
  }
}
