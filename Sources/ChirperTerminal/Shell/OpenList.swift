import Chirper
import ChirperModel

/// The list that is open, and the tasks that run for it; opening another list replaces the whole value.
struct OpenList: Identifiable {
  /// Different for every list that was opened; events carry it.
  let id: Int
  let query: SearchQuery
  let catalogue: Catalogue
  var sort: ListSort?
  /// The rows in the current order; made when it is needed, and `nil` again after every change of the list.
  var reader: ListReader?
  /// What the filter searches for; `matches` may still be those of the previous text.
  var filterText: String?
  var matches: Matches?
  // Each task runs beside the loop and is cancelled alone, which a task group cannot do.
  var loading: Task<Void, Never>?
  var watching: Task<Void, Never>?
  var filtering: Task<Void, Never>?

  init(id: Int, query: SearchQuery, catalogue: Catalogue) {
    self.id = id
    self.query = query
    self.catalogue = catalogue
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

  func cancel() {
    for task in [loading, watching, filtering] { task?.cancel() }
  }
}

/// Searches the rows for a text, batch by batch, and reports the matches found so far.
struct FilterScan: Sendable {
  let reader: ListReader
  let text: String
  let catalogue: Catalogue

  private static let batch = 500
  private static let reportInterval: Duration = .milliseconds(100)

  /// Runs until every row was checked or the task is cancelled; a cancelled scan reports nothing more.
  ///
  /// - Throws: `.recordingForgotten` where a row was removed meanwhile, and errors of reading.
  func run(report: @Sendable (OpenList.Matches) -> Void) async throws(StoreError) {
    let search = RowSearch(text, in: catalogue)
    var positions: [Int] = []
    var reportedAt = ContinuousClock.now
    for start in stride(from: 0, to: reader.count, by: Self.batch) {
      guard !Task.isCancelled else { return }
      positions += try reader.positions(start..<(start + Self.batch), matching: search)
      if reportedAt.duration(to: .now) > Self.reportInterval {
        reportedAt = .now
        report(OpenList.Matches(text: text, positions: positions, reader: reader, isComplete: false))
      }
      await Task.yield()
    }
    guard !Task.isCancelled else { return }
    report(OpenList.Matches(text: text, positions: positions, reader: reader, isComplete: true))
  }
}
