import ChirperModel
import Testing

/// Each row of the state table.
@Suite struct ListStateTests {
  private static let rows = RecordingList(
    ["a", "b"].map {
      Recording(
        id: RecordingID(catalogue: .sample, value: $0),
        fields: RecordingFields(canonical: #"{"id":"\#($0)"}"#))
    })
  private static let failure = LoadError.fetch(.offline(host: "h"), catalogue: .sample, page: 1)
  private static let more = ListState.Stored.pages(rows: rows, next: 2)
  private static let whole = ListState.Stored.pages(rows: rows, next: nil)
  private static let none = ListState.Stored.pages(rows: [], next: nil)

  @Test(arguments: [
    (ListState.Stored.nothing, LoadState.loading(.starting), ListState?.some(.loading)),
    (.nothing, .failed(failure), .error(failure, cached: [])),
    (.nothing, .idle, nil),
    (none, .idle, .empty),
    (none, .loading(.starting), .empty),
    (more, .idle, .paging(rows, next: 2)),
    (more, .loading(.starting), .paging(rows, next: 2)),
    (whole, .idle, .populated(rows)),
    (whole, .loading(.starting), .populated(rows)),
    (more, .failed(failure), .error(failure, cached: rows)),
    (whole, .failed(failure), .error(failure, cached: rows)),
    (none, .failed(failure), .error(failure, cached: [])),
  ])
  func `the state is derived from what is stored and the load state`(
    stored: ListState.Stored, load: LoadState, state: ListState?
  ) {
    #expect(ListState.derived(from: stored, load: load) == state)
  }

  @Test func `every state has its rows`() {
    let states: [ListState] = [
      .loading, .empty, .paging(Self.rows, next: 2), .populated(Self.rows),
      .error(Self.failure, cached: Self.rows),
    ]
    #expect(states.map(\.currentRecordings.count) == [0, 0, 2, 2, 2])
  }
}
