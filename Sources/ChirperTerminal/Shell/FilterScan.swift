import Chirper
import ChirperModel

/// Looks for the rows with a text, batch by batch, and tells what it has so far.
struct FilterScan: Sendable {
  let reader: ListReader
  let text: String
  let catalogue: Catalogue

  private static let batch = 500
  private static let interval: Duration = .milliseconds(100)

  func run(tell: @Sendable (FilterMatches) -> Void) async {
    let search = RowSearch(text)
    let fields = RowSearch.fields(of: catalogue)
    var positions: [Int] = []
    var told = ContinuousClock.now
    for start in stride(from: 0, to: reader.count, by: Self.batch) {
      guard !Task.isCancelled, let rows = try? reader.rows(start..<min(start + Self.batch, reader.count)) else { return }
      for (index, row) in rows.enumerated() where search.matches(row, in: fields) { positions.append(start + index) }
      if told.duration(to: .now) > Self.interval {
        told = .now
        tell(FilterMatches(text: text, positions: positions, isWhole: false))
      }
      await Task.yield()
    }
    guard !Task.isCancelled else { return }
    tell(FilterMatches(text: text, positions: positions, isWhole: true))
  }
}
