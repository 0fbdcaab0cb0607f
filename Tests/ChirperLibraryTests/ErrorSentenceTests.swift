import Chirper
import Foundation
import Testing

/// What an app shows of an error.
@Suite struct ErrorSentenceTests {
  @Test func `every error of the library describes itself in a sentence`() {
    let errors: [(any Error, String)] = [
      (
        LoadError.fetch(.serverBusy(status: 503, retryAfter: .seconds(90)), catalogue: .xenoCanto, page: 3),
        "xeno-canto, page 3: the server cannot answer now (status 503); it asks to wait 1 minute."
      ),
      (
        LoadError.fetch(.offline(host: "shelf.example"), catalogue: CatalogueID(rawValue: "shelf"), page: 1),
        "shelf, page 1: no network, or shelf.example did not resolve."
      ),
      (LoadError.cancelled, "Interrupted."),
      (FetchError.timedOut(host: "shelf.example", phase: .connect), "shelf.example did not accept a connection in time."),
      (FetchError.truncated, "The answer was cut off, so it was not stored."),
      (StoreError.diskFull(path: "/a"), "/a: the disk is full; what was stored before is safe."),
      (QueryError.blank, "The query is empty."),
      (AudioError.none, "It has no audio."),
      (SearchExpressionError(.missingValue(tag: "q"), at: 3), "search, column 3: the tag \"q:\" has no value."),
      (SearchExpressionError(.empty, at: 1), "The search is empty."),
    ]
    for (error, sentence) in errors { #expect(error.localizedDescription == sentence) }
  }
}
