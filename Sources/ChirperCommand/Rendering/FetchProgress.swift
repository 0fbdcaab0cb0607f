import Chirper
import ChirperModel
import Foundation

/// How far a fetch is, told event by event.
struct FetchProgress: Sendable {
  private let label: String
  private var doing = "asking"
  private var rows = 0
  private var wait: (until: ContinuousClock.Instant, why: String)?

  init(label: String) {
    self.label = label
  }

  /// A sentence, and whether it stays on a terminal where a progress line stands too.
  struct Told: Equatable {
    let line: String
    let isLasting: Bool
  }

  /// Takes an event in; what is to be told of it now, if anything.
  mutating func take(_ event: FetchEvent, now: ContinuousClock.Instant, wallClock: Date) -> Told? {
    wait = nil
    switch event {
    case .stored(let stored):
      rows = stored?.count ?? 0
      return Told(line: stored.map { "stored: \($0.origin(now: wallClock))" } ?? "stored: nothing yet", isLasting: true)
    case .asking(let page, let all):
      doing = Self.page(page, of: all)
      return nil
    case .page(let number, let stored):
      rows = stored.count
      doing = Self.page(number, of: stored.totals?.pages)
      return Told(line: "\(doing): \(Plural.words(rows, "row")) stored", isLasting: false)
    case .closed:
      // The summary says it.
      doing = "done"
      return nil
    case .waiting(let time, let reason):
      wait = (now + time, Self.why(reason))
      // Keeping the pace is no news.
      let isNews = reason != .pace || time >= .seconds(5)
      return isNews ? Told(line: "waiting \(DurationText.words(time)): \(Self.why(reason))", isLasting: false) : nil
    case .startingOver(let pass):
      doing = "starting over"
      return Told(line: "the list changed while it was read: reading it again (pass \(pass))", isLasting: true)
    case .verifying:
      doing = "verifying"
      return Told(line: "complete; reading it once more to verify it", isLasting: true)
    case .failed(let page, let error):
      return Told(line: "page \(page) failed: \(Self.short(error))", isLasting: false)
    }
  }

  /// The progress line.
  func text(now: ContinuousClock.Instant) -> String {
    let left = wait.map { $0.until - now } ?? .zero
    let waiting = wait.flatMap { left > .milliseconds(300) ? ", waiting \(DurationText.words(left)): \($0.why)" : nil }
    return "\(label): \(doing), \(Plural.words(rows, "row"))\(waiting ?? "")"
  }

  /// An empty list has page 1, whatever the catalogue counts.
  private static func page(_ number: Int, of all: Int?) -> String {
    "page \(number)\(all.map { $0 >= number ? " of \($0)" : "" } ?? "")"
  }

  private static func why(_ reason: WaitReason) -> String {
    switch reason {
    case .pace: "keeping the catalogue's pace"
    case .retryAfter: "the catalogue asks for it"
    case .backoff(let error, let attempt): "\(short(error)), before try \(attempt)"
    case .otherProcess: "another chirper fetches the same query"
    }
  }

  private static func short(_ error: FetchError) -> String {
    switch error {
    case .offline: "no network"
    case .unreachable: "unreachable"
    case .timedOut: "no answer in time"
    case .truncated: "the answer broke off"
    case .rateLimited: "too many requests"
    case .serverBusy(let status, _): "server busy (\(status))"
    case .refused(let status, _): "refused (\(status))"
    case .keyMissing: "no key"
    case .keyRefused: "key refused"
    case .webPage: "a web page came instead"
    case .malformed: "not understood"
    case .tooLarge: "too large"
    case .unknownEncoding: "unknown encoding"
    case .addressRefused: "address refused"
    case .redirectRefused: "redirect refused"
    case .proxyRefused: "the proxy asks for a password"
    case .badCertificate: "bad certificate"
    case .cancelled: "cancelled"
    }
  }
}
