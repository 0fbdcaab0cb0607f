import ChirperFormats
import ChirperModel
import Foundation
import Testing

@testable import Chirper
@testable import ChirperCommand

/// Swift Testing has an `ExitStatus` too.
typealias Status = Chirper.ExitStatus

struct FetchOutcomeTests {
  private let query = CatalogueQuery(
    catalogue: .xenoCanto, identity: "parrot", pageSize: 50, typed: "parrot",
    requestText: "en:\"parrot\"")

  private func outcome(signal: Int32? = nil, _ change: (inout FetchReport) -> Void) -> FetchOutcome
  {
    var report = FetchReport()
    change(&report)
    return FetchOutcome(
      query, in: Catalogues.defaultCatalogue, report, signal: signal,
      now: Date(timeIntervalSince1970: 0))
  }

  @Test(
    arguments: [
      (.offline(host: "h"), .unreachable), (.unreachable(host: "h", detail: "d"), .unreachable),
      (.timedOut(host: "h", phase: .connect), .tryLater), (.truncated, .notUnderstood),
      (.rateLimited(retryAfter: nil), .tryLater),
      (.serverBusy(status: 503, retryAfter: .seconds(9)), .tryLater),
      (.refused(status: 404, message: nil), .failed),
      (.keyMissing, .key), (.keyRefused(status: 401, message: "no"), .key),
      (.webPage, .notUnderstood),
      (.malformed("m"), .notUnderstood), (.endless(pages: 9, announced: 2), .notUnderstood),
      (.tooLarge(limit: 9), .notUnderstood), (.unknownEncoding("br"), .notUnderstood),
      (.addressRefused("a"), .configuration), (.redirectRefused("r"), .unreachable),
      (.badCertificate(host: "h"), .unreachable),
      (.failed("The disk was removed."), .failed), (.cancelled, .interrupted),
    ] as [(FetchError.Reason, Status)])
  func `the exit code of a run without results follows from its error`(
    reason: FetchError.Reason, status: Status
  ) {
    let failure = LoadError.fetch(FetchError(reason), catalogue: .xenoCanto, page: 1)
    #expect(outcome { $0.failure = failure }.status == status)
  }

  @Test func `a transient error after some pages is partly done, a rate limit is not`() {
    func after(_ error: FetchError) -> Status {
      outcome { ($0.failure, $0.pagesFetched) = (.fetch(error, catalogue: .xenoCanto, page: 3), 2) }
        .status
    }
    #expect(after(.offline(host: "h")) == .partly)
    #expect(after(.rateLimited(retryAfter: nil)) == .tryLater)
    #expect(after(.keyRefused(status: 401, message: nil)) == .key)
    #expect(after(FetchError(.endless(pages: 9, announced: 2))) == .partly)
  }

  @Test func `pages that are missing are partly done`() {
    let outcome = outcome {
      $0.failedPages = [.init(number: 5, error: .serverBusy(status: 500, retryAfter: nil))]
    }
    #expect(
      outcome.error?.message == "Page 5 could not be fetched (server-busy); all others are stored.")
    #expect(outcome.status == .partly)
    let unreadable = self.outcome {
      let fault = FetchError.malformed("it has the id 7 where only ids below 5 follow")
      $0.failedPages = [.init(number: 5, error: fault)]
    }
    #expect(
      unreadable.error?.hint
        == "The answer of xeno-canto cannot be read (it has the id 7 where only ids below 5 follow). "
        + "Type the same command again later: it requests only what is missing.")
  }

  @Test func `one record that was skipped is counted as one`() {
    let lines = outcome { $0.skipped = 1 }.summary(next: nil, now: Date(timeIntervalSince1970: 0))
    #expect(lines.contains("1 record could not be read and was skipped"), "\(lines)")
  }

  @Test func `a list that fell is partly done, with the time of the decision in one line`() {
    let start = Date(timeIntervalSince1970: 0)
    let stored = StoredQuery(
      query: query, count: 60, pagesStored: 3,
      totals: RecordingPage.Totals(recordings: 0, pages: 1), next: nil,
      completeness: .shifted(rows: 60, total: 0), oldestFetchedAt: start, newestFetchedAt: start,
      skipped: 0, fall: StoredQuery.Fall(found: 0, seenAt: start), carried: 60)
    let fallen = outcome { $0.stored = stored }
    #expect(fallen.status == .partly)
    let decision = "stay until a sync after 1970-01-01T12:00:00Z finds the same"
    let message = "xeno-canto lists only 0 of the 60 rows now, so all \(decision)."
    #expect(fallen.error?.kind == "list-fell" && fallen.error?.message == message)
    let hint = fallen.error?.hint?.split(separator: "\n").first
    let command = "chirper fetch parrot --source xeno-canto --per-page 50 --all --verify"
    #expect(hint == "To decide at once: \(command)")
    let last = fallen.summary(next: nil, now: start).last
    #expect(last == "parrot: 60 rows, 3 pages, shifted (0 rows were found, the others \(decision))")
    // What could not be read is said first.
    let both = outcome {
      $0.stored = stored
      $0.failedPages = [.init(number: 5, error: .serverBusy(status: 500, retryAfter: nil))]
    }
    #expect(both.error?.kind == "pages-missing")
  }

  @Test func `the summary of an unchanged list says how that was found`() {
    func line(_ change: (inout FetchReport) -> Void) -> String? {
      outcome(change).summary(next: nil, now: Date()).first
    }
    #expect(line { _ in } == "0 new, 0 changed, 0 gone, no page was requested")
    let incremental = "0 new, 0 changed, 0 gone, according to the catalogue's uploads and its total"
    #expect(line { ($0.requests, $0.isIncremental) = (2, true) } == incremental)
    #expect(
      line { ($0.requests, $0.isIncremental, $0.recheckedPages) = (3, true, [4]) } == incremental
        + "; page 4 was read again")
    #expect(
      line { ($0.requests, $0.isIncremental, $0.recheckedPages) = (4, true, [4, 5]) }
        == incremental + "; pages 4, 5 were read again")
    #expect(line { ($0.requests, $0.pagesFetched) = (2, 2) } == "0 new, 0 changed, 0 gone")
    #expect(
      line {
        ($0.requests, $0.failedPages) = (
          10, [.init(number: 5, error: .serverBusy(status: 500, retryAfter: nil))]
        )
      }
        == "0 new, 0 changed, 0 gone")
  }

  @Test func `the new recordings that were found again are counted beside them`() {
    let outcome = outcome { ($0.new, $0.foundAgain, $0.gone, $0.requests) = (3, 1, 2, 9) }
    #expect(
      outcome.summary(next: nil, now: Date()).first == "3 new (1 found again), 0 changed, 2 gone")
  }

  @Test func `what is in no row of its own is counted`() {
    let outcome = outcome { ($0.leftOut, $0.repeated) = (4800, 1) }
    #expect(
      outcome.summary(next: nil, now: Date()).dropFirst().prefix(2)
        == [
          "4800 sounds left out: a record gives at most 200 rows, and 8 MB of rows, "
            + "because each has the whole record",
          "1 row came twice on a page; each id is stored once",
        ])
    #expect(outcome.json.text.contains(#""soundsLeftOut":4800,"repeatedRows":1"#))
    #expect(!self.outcome { _ in }.json.text.contains("soundsLeftOut"))
  }

  @Test func `without an error a run is done, after a signal it is interrupted`() {
    #expect(outcome { _ in }.status == .done)
    #expect(outcome(signal: SIGINT) { $0.failure = .cancelled }.status == .interrupted)
    #expect(outcome(signal: SIGTERM) { $0.failure = .cancelled }.status == .terminated)
    #expect(outcome(signal: SIGHUP) { $0.failure = .cancelled }.status == .terminated)
  }

  @Test(
    arguments: [
      (.damaged(path: "p", detail: "d"), .damaged),
      (.newer(path: "p", version: 9, known: 1), .damaged),
      (.notOurs(path: "p"), .damaged),
      (.readOnly(path: "p"), .inputOutput), (.diskFull(path: "p"), .inputOutput),
      (.inputOutput(path: "p", detail: "d"), .inputOutput),
      (.busy(path: "p"), .tryLater), (.cannotOpen(path: "p", detail: "d"), .configuration),
      (.queryForgotten, .tryLater),
      (.queryInUse(), .tryLater),
      (.listIsImported(address: nil), .usage),
      (.walkClosed, .tryLater), (.recordingForgotten, .tryLater),
      (.unexpected(path: "p", detail: "d"), .failed),
    ] as [(StoreError.Reason, Status)])
  func `the exit code of a store error follows from its reason`(
    reason: StoreError.Reason, status: Status
  ) {
    #expect(outcome { $0.failure = .store(StoreError(reason)) }.status == status)
  }
}
