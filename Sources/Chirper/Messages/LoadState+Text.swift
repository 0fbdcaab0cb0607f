import ChirperModel
import Foundation

extension LoadState {
  /// The progress, or the error, in words for a person, without a period: `loading page 3 of 9`;
  /// `nil` while nothing is being loaded.
  public var message: String? {
    switch self {
    case .idle: nil
    case .loading(let step): step.message(in: .current)
    case .failed(let error): error.presentation.summary
    }
  }
}

extension LoadState.Step {
  /// The step in words for a person, without a period: `loading page 3 of 9`, with a time of that
  /// zone.
  package func message(in zone: TimeZone) -> String {
    func time(_ until: Date?, _ word: String) -> String {
      until.map { " \(word) \(AgeText.timeOfDay($0, in: zone))" } ?? ""
    }
    return switch self {
    case .starting: "connecting"
    case .refreshing(let page, let of), .loading(let page, let of):
      "loading page \(page)\(of.map { " of \($0)" } ?? "")"
    case .waiting(let until, .retryAfter), .waiting(let until, .rateLimit):
      "rate-limited\(time(until, "until"))"
    case .waiting(let until, .backoff(let error, let attempt)):
      "\(error.presentation.problem); attempt \(attempt)\(time(until, "at"))"
    case .waiting(_, .otherProcess): "another chirper process is fetching this list"
    case .startingOver(let pass): "the list changed: fetching it again, pass \(pass)"
    case .verifying: "verifying: fetching every page a second time"
    }
  }
}
