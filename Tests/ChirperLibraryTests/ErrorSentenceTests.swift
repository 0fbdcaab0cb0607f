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
        "shelf cannot be reached, because this machine has no network.",
        "What is stored can still be used. Try again when you are connected."
      ),
      (LoadError.cancelled, "Stopped", "Loading was stopped.", nil),
      (
        FetchError.timedOut(host: "shelf.example", phase: .connect), "No answer",
        "The service did not answer in time.",
        "Try again later. What is stored is not affected."
      ),
      (
        StoreError.diskFull(path: "/a"), "Storage full",
        "The disk has no space left to store more. What was stored before is safe.",
        "Free some space, and try again."
      ),
      (
        QueryError.blank, "Nothing to search for", "The search is empty.", "Enter what to look for."
      ),
      (
        QueryError.unknownTag("cn", nearest: ["cnt", "en"]), "Unknown tag",
        "The tag \"cn:\" does not exist.",
        "Did you mean cnt: or en:?"
      ),
      (AudioError.none, "No sound", "This recording has no sound.", nil),
      (
        SearchExpressionError(.missingValue(tag: "q"), at: 3), "Value missing",
        "The tag \"q:\" has no value.",
        "Enter it directly after the colon."
      ),
    ]
    for (error, title, sentence, suggestion) in errors {
      #expect(error.localizedDescription == sentence)
      #expect(error.title == title && error.recoverySuggestion == suggestion)
    }
  }

  @Test func `no text for people has the words of a terminal or a log`() throws {
    let fetch: [FetchError] = [
      .offline(host: "h.example"), .unreachable(host: "h.example", detail: "DETAIL"),
      .timedOut(host: "h.example", phase: .idle),
      .truncated, .rateLimited(retryAfter: nil), .serverBusy(status: 503, retryAfter: .seconds(5)),
      .refused(status: 400, message: nil), .refused(status: 400, message: "no such thing"),
      .tooDeep(total: 9, limit: 5), .unknownTag("a", total: 9, limit: 5),
      .endless(pages: 3, announced: 2), .unknownCatalogue, .keyMissing,
      .keyRefused(status: 401, message: "DETAIL"), .webPage,
      .malformed("DETAIL"), .tooLarge(limit: 5), .unknownEncoding("DETAIL"),
      .addressRefused("DETAIL"),
      .redirectRefused("DETAIL"), .badCertificate(host: "h.example"),
      .proxyRefused(proxy: "h.example:1"), .cancelled,
    ]
    let store: [StoreError] = [
      .damaged(path: "/p", detail: "DETAIL"), .newer(path: "/p", version: 9, known: 8),
      .notOurs(path: "/p"),
      .readOnly(path: "/p", owner: "anna"), .diskFull(path: "/p"),
      .inputOutput(path: "/p", detail: "DETAIL"),
      .busy(path: "/p", holder: "process 4711"), .queryInUse(holder: "process 4711"),
      .cannotOpen(path: "/p", detail: "DETAIL"),
      .queryForgotten, .walkClosed, .recordingForgotten, .unexpected(path: "/p", detail: "DETAIL"),
    ]
    let query: [QueryError] = [
      .blank, .tooLong(count: 9, limit: 8), .controlCharacter(7),
      .pageSize(asked: 9, served: 1...8, catalogue: "shelf"),
      .unknownTag("a", nearest: []),
      .mistypedTag("a", nearest: ["b"], exact: "=a:c"),
      .unsupportedTag("a", catalogue: "shelf", supported: ["b"]),
      .missingValue(tag: "a"),
      .badValue(tag: "a", value: "b", expected: "a number"), .unclosedQuote,
      .mixed(words: "a", suggestion: "en:a"),
    ]
    let search: [SearchExpressionError.Reason] = [
      .empty, .tooLong(count: 9, limit: 8), .tooManyTerms(limit: 8), .controlCharacter(7),
      .unknownTag("a", nearest: []),
      .missingValue(tag: "a"),
      .badValue(tag: "a", value: "b", expected: "a number", nearest: [], isOpen: false),
      .nothingToFind("-"), .unclosedQuote, .misplacedQuote, .emptyNegation,
      .unknownList("a", nearest: ["b"]),
    ]
    let audio: [AudioError] = [
      .withheld(reason: "restricted_species"), .none, .addressRefused("DETAIL"), .badID,
      .inUse(holder: "process 4711"),
      .file(path: "/p", errno: 28), .file(path: "/p", errno: 13), .fetch(.truncated),
      .store(.walkClosed),
    ]
    var errors: [any PresentableError] = fetch + store + query + audio
    errors += fetch.map { LoadError.fetch($0, catalogue: .xenoCanto, page: 1) }
    errors += search.map { SearchExpressionError($0, at: 1) }
    for text in ["a OR b", "a | b", "a AND b", "a NOT b"] {
      let error = try #require(throws: SearchExpressionError.self) {
        try SearchExpression(text, catalogues: [])
      }
      guard case .operatorWord = error.reason else {
        Issue.record("\(error)")
        continue
      }
      errors.append(error)
    }
    for error in errors {
      let shown = error.presentation
      #expect(shown.code.allSatisfy { ("a"..."z").contains($0) || $0 == "-" }, "\(error)")
      #expect(shown.title.split(separator: " ").count <= 4 && shown.title.last != ".", "\(error)")
      for text in [shown.message, shown.suggestion].compactMap(\.self) {
        #expect(
          text.first?.isUppercase == true || text.hasPrefix("xeno-canto") || text.hasPrefix("shelf")
            || text.first == "\"",
          "\(text)")
        for word in [
          "Type", "chirper", "status", "process", "/p", "DETAIL", "SQLite", "h.example", "CHIRPER_",
          "column",
        ] {
          #expect(!text.contains(word), "\(text)")
        }
      }
    }
  }
}
