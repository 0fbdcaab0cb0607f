import Chirper
import ChirperFormats
import ChirperModel
import Foundation

/// The progress of a fetch, event by event.
struct FetchProgress: Sendable {
  private let query: CatalogueQuery
  private let catalogue: Catalogue?
  private var doing = "requesting"
  private var rows = 0
  /// The end of the current wait, without a time if it is not known how long it takes, and
  /// its reason.
  private var wait: (until: ContinuousClock.Instant?, why: String)?

  init(_ query: CatalogueQuery, in catalogue: Catalogue?) {
    self.query = query
    self.catalogue = catalogue
  }

  /// A line to print, and whether it stays on a terminal that also shows a progress line.
  struct Line: Equatable {
    let text: String
    var isLasting = true
  }

  /// Applies an event; returns the line to print for it, if any.
  mutating func apply(_ event: FetchEvent, now: ContinuousClock.Instant, wallClock: Date) -> Line? {
    wait = nil
    switch event {
    case .stored(let stored):
      rows = stored?.count ?? 0
      let origin = stored.map { $0.origin(in: catalogue, now: wallClock) }
      return Line(text: "stored: \(origin ?? "nothing yet")")
    case .lookedUp(let lookup):
      return Line(text: lookup.text(in: catalogue))
    case .asking(let other):
      return Line(text: other.reading ?? "nothing found; asked as \(other.requestText)")
    case .requesting(let page, let all):
      doing = Self.page(page, of: all)
      return nil
    case .page(let number, let stored):
      // One that left the list stays until the walk is closed.
      rows = stored.count - stored.carried
      doing = Self.page(number, of: stored.totals?.exact?.pages)
      return Line(text: "\(doing): \(Plural.words(rows, "row")) stored", isLasting: false)
    case .closed:
      // The summary shows it.
      doing = "done"
      return nil
    case .waiting(let time, let reason):
      wait = (time > .zero ? now + time : nil, why(reason))
      // Short waits for the rate limit are not worth a line.
      let isWorthALine = reason != .rateLimit || time >= .seconds(5)
      let length = time > .zero ? " \(AgeText.words(time))" : ""
      return isWorthALine ? Line(text: "waiting\(length): \(why(reason))", isLasting: false) : nil
    case .startingOver(let pass):
      doing = "starting over"
      return Line(
        text: "the list changed while it was read: reading it again (pass \(pass))")
    case .verifying:
      doing = "verifying"
      return Line(text: "complete; reading it once more to verify it")
    case .failed(_, let error) where error.scope != .page:
      // It ends the run, and is the command's own error.
      return nil
    case .failed(let page, let error):
      return Line(text: "page \(page) failed: \(problem(error))", isLasting: false)
    }
  }

  func text(now: ContinuousClock.Instant) -> String {
    var waiting = ""
    if let wait {
      let left = wait.until.map { $0 - now }
      if left ?? .seconds(1) > .milliseconds(300) {
        waiting = ", waiting\(left.map { " \(AgeText.words($0))" } ?? ""): \(wait.why)"
      }
    }
    return "\(query.typed): \(doing), \(Plural.words(rows, "row"))\(waiting)"
  }

  /// The number of a page, with the number of all pages unless the page is beyond them. An
  /// empty list has page 1, whatever the catalogue counts.
  private static func page(_ number: Int, of all: Int?) -> String {
    "page \(number)\(all.map { $0 >= number ? " of \($0)" : "" } ?? "")"
  }

  private func problem(_ error: FetchError) -> String {
    UserFacingError(error, catalogue: query.catalogue, page: nil).problem
  }

  private func why(_ reason: LoadState.WaitReason) -> String {
    switch reason {
    case .rateLimit: "keeping the rate limit"
    case .retryAfter: "the service asks for it"
    case .backoff(let error, let attempt): "\(problem(error)), before try \(attempt)"
    case .otherProcess(let holder):
      "\(holder ?? "another chirper process") is fetching the same query"
    }
  }
}
