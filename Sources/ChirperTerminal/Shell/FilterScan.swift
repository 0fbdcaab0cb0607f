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
    let search = RowSearch(text, in: catalogue)
    var positions: [Int] = []
    var told = ContinuousClock.now
    for start in stride(from: 0, to: reader.count, by: Self.batch) {
      guard !Task.isCancelled, let found = try? reader.positions(start..<(start + Self.batch), matching: search) else { return }
      positions += found
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
