import Chirper
import ChirperModel
import Foundation
import Testing

@testable import ChirperCommand

/// The lines of a fetch, and which of them stay above the line that a terminal rewrites.
@Suite struct FetchProgressTests {
  private static let query = CatalogueQuery(
    catalogue: .xenoCanto, identity: "q", pageSize: 2, typed: "q", requestText: "q")

  private static let stored = StoredQuery(
    query: query, count: 2, pagesStored: 1, totals: RecordingPage.Totals(recordings: 4, pages: 2),
    next: 2, completeness: .partial(pages: 1, of: 2), oldestFetchedAt: .distantPast,
    newestFetchedAt: .distantPast, skipped: 0)

  @Test(
    arguments: [
      (.stored(nil), "stored: nothing yet", true),
      (.requesting(page: 1, of: 2), nil, false),
      (.page(number: 1, stored), "page 1 of 2: 2 rows stored", false),
      (.waiting(.seconds(2), .rateLimit), nil, false),
      (.waiting(.seconds(9), .rateLimit), "waiting 9 seconds: keeping the rate limit", false),
      (
        .startingOver(pass: 2), "the list changed while it was read: reading it again (pass 2)",
        true
      ),
      (.verifying, "complete; reading it once more to verify it", true),
      (.closed(.complete, gone: 0), nil, false),
    ] as [(FetchEvent, String?, Bool)])
  func `what happens to the whole list stays on a terminal, and what happens to a page does not`(
    _ event: FetchEvent, _ text: String?, _ isLasting: Bool
  ) {
    var progress = FetchProgress(Self.query, in: nil)
    let line = progress.apply(event, now: .now, wallClock: .now)
    #expect(line == text.map { FetchProgress.Line(text: $0, isLasting: isLasting) })
  }
}
