import Chirper
import ChirperModel
import Foundation

/// An example of each case of the library's errors.
package enum ErrorExamples {
  package static let fetch =
    ([
      .offline(host: "h.example"), .unreachable(host: "h.example", detail: "DETAIL"),
      .timedOut(host: "h.example", phase: .connect),
      .timedOut(host: "h.example", phase: .firstByte),
      .timedOut(host: "h.example", phase: .idle), .timedOut(host: "h.example", phase: .whole),
      .truncated, .rateLimited(retryAfter: nil), .serverBusy(status: 503, retryAfter: .seconds(5)),
      .refused(status: 400, message: nil), .refused(status: 400, message: "no such thing"),
      .tooDeep(total: 9, limit: 5), .unknownTag("a", total: 9, limit: 5),
      .endless(pages: 3, announced: 2), .listUnfinished, .listNotThere("no list"), .tokenRefused,
      .notKept, .notChirper,
      .serverIsOlder(
        stored: Date(timeIntervalSince1970: 86_400), served: Date(timeIntervalSince1970: 0)),
      .unknownCatalogue,
      .keyMissing,
      .keyRefused(status: 401, message: nil), .webPage, .malformed("DETAIL"), .tooLarge(limit: 5),
      .unknownEncoding("DETAIL"), .addressRefused("DETAIL"), .redirectRefused("DETAIL"),
      .badCertificate(host: "h.example"), .proxyRefused(proxy: "h.example:1"), .failed("DETAIL"),
      .cancelled,
    ] as [FetchError.Reason]).map { FetchError($0) }

  package static let store =
    ([
      .damaged(path: "/p", detail: "DETAIL"), .newer(path: "/p", version: 9, known: 8),
      .notOurs(path: "/p"), .readOnly(path: "/p", owner: nil), .readOnly(path: "/p", owner: "anna"),
      .diskFull(path: "/p"), .inputOutput(path: "/p", detail: "DETAIL"),
      .busy(path: "/p", holder: nil), .busy(path: "/p", holder: "process 4711 (sqlite3)"),
      .queryInUse(holder: nil), .cannotOpen(path: "/p", detail: "DETAIL"), .queryForgotten,
      .listIsImported(address: nil), .listIsImported(address: "https://doi.org/10.1/a"),
      .walkClosed, .replaced(path: "/p"), .removed(path: "/p"), .recordingForgotten,
      .unexpected(path: "/p", detail: "DETAIL"),
    ] as [StoreError.Reason]).map { StoreError($0) }

  package static let query =
    ([
      .blank, .tooLong(count: 9, limit: 8), .controlCharacter(7),
      .pageSize(asked: 9, served: 1...8, catalogue: "shelf"), .unknownTag("a", nearest: []),
      .mistypedTag("a", nearest: ["b"], exact: "=a:c"),
      .unsupportedTag("a", catalogue: "shelf", supported: ["b"]), .missingValue(tag: "a"),
      .badValue(tag: "a", value: "b", expected: "a number"), .unclosedQuote,
      .mixed(words: "a", suggestion: "en:a"), .unknownCatalogue("birds", known: ["a", "b"]),
      .severalCatalogues("birds", "shelf"), .importedOnly(catalogue: "shelf"),
    ] as [QueryError.Reason]).map { QueryError($0) }

  package static let search: [SearchExpressionError] = [
    .empty, .tooLong(count: 9, limit: 8), .tooManyTerms(limit: 8), .controlCharacter(7),
    .unknownTag("a", nearest: ["b"]), .unknownTag("a", nearest: []), .missingValue(tag: "a"),
    .badValue(tag: "a", value: "b", expected: "a number", nearest: [], isOpen: false),
    .badValue(tag: "a", value: "b", expected: "text", nearest: ["c"], isOpen: true),
    .nothingToFind("-"), .unclosedQuote, .misplacedQuote, .emptyNegation,
    .operatorWord("OR", instead: "Type a comma"), .unknownList("a", nearest: ["b"]),
    .unknownList("a", nearest: []),
  ].map { SearchExpressionError($0, at: 3) }

  package static let audio: [AudioError] = [
    .withheld(reason: "restricted_species"), .none, .addressRefused("DETAIL"), .badID,
    .fetch(.refused(status: 404, message: nil)), .store(StoreError(.walkClosed)),
    .inUse(holder: nil),
    .file(path: "/p", errno: 28), .file(path: "/p", errno: 13), .file(path: "/p", errno: 40),
  ]

  package static let load: [LoadError] =
    fetch.map { .fetch($0, catalogue: .xenoCanto, page: 1) } + store.map { .store($0) }
    + [.query(QueryError(.blank)), .cancelled]

  package static let all: [any PresentableError] = fetch + store + query + search + audio + load
}
