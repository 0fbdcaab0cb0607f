import Chirper
import Foundation
import Testing

/// What an app shows of an error.
@Suite struct ErrorSentenceTests {
  @Test func `every error of the library describes itself in a sentence, and says what to do`() {
    let errors: [(any PresentableError, title: String, sentence: String, suggestion: String?)] = [
      (
        LoadError.fetch(
          .serverBusy(status: 503, retryAfter: .seconds(90)), catalogue: .xenoCanto, page: 3),
        "Service busy",
        "xeno-canto cannot answer now.", "Try again in 1 minute."
      ),
      (
        LoadError.fetch(
          .offline(host: "shelf.example"), catalogue: CatalogueID(rawValue: "shelf"), page: 1),
        "No network",
        "No network, or the address of shelf was not found.",
        "What is stored can still be used. Try again when you are connected."
      ),
      (LoadError.cancelled, "Stopped", "Loading was stopped.", "What arrived is stored."),
      (
        FetchError(.timedOut(host: "shelf.example", phase: .connect)), "No answer",
        "The service did not answer in time.",
        "Try again later. What is stored is not affected."
      ),
      (
        StoreError(.diskFull(path: "/a")), "Storage full",
        "The disk is full; what was stored before is safe.",
        "Free some space, and try again."
      ),
      (
        QueryError(.blank), "Nothing to search for", "The query is empty.",
        "Type what to look for, as in: parrot"
      ),
      (
        QueryError(.unknownTag("cn", nearest: ["cnt", "en"])), "Unknown tag",
        "Unknown tag \"cn:\".",
        "Did you mean cnt: or en:?"
      ),
      (AudioError.none, "No audio", "This recording has no audio.", nil),
      (
        SearchExpressionError(.missingValue(tag: "q"), at: 3), "Value missing",
        "The tag \"q:\" has no value.",
        "Type the value directly after the colon: q:value"
      ),
    ]
    for (error, title, sentence, suggestion) in errors {
      #expect(error.localizedDescription == sentence)
      #expect(error.title == title && error.recoverySuggestion == suggestion)
    }
    #expect((errors[0].0 as LocalizedError).failureReason == "page 3, status 503")
  }
}
