import Chirper
import ChirperModel

/// The list that is open, and the tasks that run for it; opening another list replaces the whole value.
struct BrowsedList: Identifiable {
  /// Different for every list that was opened; events carry it.
  let id: Int
  let query: CatalogueQuery
  let pager: Pager
  /// Passes the list's snapshots on; cancelled alone, which a task of a group cannot be.
  let watching: Task<Void, Never>
  /// The newest.
  var snapshot: ListSnapshot?
  var sort: ListSort?
  /// The rows in the current order; made when it is needed, and `nil` again after every change of the list.
  var reader: ListReader?
  /// The rows that match the filter; those of an earlier text until the first answer for the latest.
  var matches: Matches?
  var filtering = LatestSearch()

  init(id: Int, query: CatalogueQuery, pager: Pager, watching: Task<Void, Never>) {
    self.id = id
    self.query = query
    self.pager = pager
    self.watching = watching
  }

  /// The rows that match a text, so far.
  struct Matches: Sendable {
    let text: String
    /// Positions in `reader`, ascending; another reader may have other rows there.
    let positions: [Int]
    let reader: ListReader
    /// Whether every row was checked.
    let isComplete: Bool
  }

  /// The position in the list of that match; `nil` where there is none.
  func position(of search: MatchSearch) -> Int? {
    guard let positions = matches?.positions else { return nil }
    return switch search {
    case .index(let index): positions.indices.contains(index) ? positions[index] : nil
    case .after(let position): positions.first { $0 > position }
    case .before(let position): positions.last { $0 < position }
    }
  }

  mutating func cancel() {
    watching.cancel()
    filtering.cancel()
    Task { [pager] in await pager.cancel() }
  }
}

/// Searches the rows of a list, batch by batch, and reports the matches found so far.
struct FilterScan: Sendable {
  let repository: RecordingRepository
  let query: CatalogueQuery
  let sort: ListSort?
  /// The rows in that order, where they were read before.
  let reader: ListReader?
  let search: TypedExpression

  private static let firstReport: Duration = .milliseconds(15)
  private static let reportInterval: Duration = .milliseconds(100)

  /// Runs until every row was checked or the task is cancelled; a cancelled scan reports nothing more.
  ///
  /// - Throws: `CancellationError`, `SearchExpressionError` for a list that is not stored, `StoreError.recordingForgotten` where a row was removed
  ///   meanwhile, and errors of reading.
  func run(report: (BrowsedList.Matches) -> Void) throws {
    let matcher = try repository.matcher(search.expression)
    let reader = try self.reader ?? repository.reader(of: query, sort: [sort].compactMap(\.self))
    var (reportedAt, interval) = (ContinuousClock.now, Self.firstReport)
    let positions = try reader.positions(matching: matcher) { found in
      guard reportedAt.duration(to: .now) > interval else { return }
      (reportedAt, interval) = (.now, Self.reportInterval)
      report(BrowsedList.Matches(text: search.text, positions: found(), reader: reader, isComplete: false))
    }
    try Task.checkCancellation()
    report(BrowsedList.Matches(text: search.text, positions: positions, reader: reader, isComplete: true))
  }
}
