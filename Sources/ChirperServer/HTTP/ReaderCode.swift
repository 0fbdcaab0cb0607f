import ChirperModel
import Foundation

/// A short code that is read aloud in place of the link for readers. It is for one run of the
/// server, and few enough can be tried that nobody finds it.
package final class ReaderCode: Sendable {
  /// The result of a try.
  enum Outcome: Equatable {
    case right
    case wrong
    /// The code was wrong once too often, and is off from now on.
    case lastWrong
    case off
    /// The try was not compared, because this address had too many wrong ones in the last minute.
    case tooSoon(seconds: Int)
  }

  /// Six letters.
  package let text: String
  /// The wrong tries of this run. They are no more than `ServerLimits.wrongCodes`.
  private let wrong = Locked<[(address: String?, at: Date)]>([])

  package init() {
    // I and O could be taken for digits.
    text = String((0..<6).compactMap { _ in "ABCDEFGHJKLMNPQRSTUVWXYZ".randomElement() })
  }

  /// Whether it still opens a session.
  var isOn: Bool { wrong.withLock { $0.count < ServerLimits.wrongCodes } }

  /// Compares what somebody typed, in letters of either case, and with blanks.
  func outcome(of typed: String, from address: String?, at now: Date) -> Outcome {
    let letters = typed.uppercased().filter { !$0.isWhitespace }
    return wrong.withLock { wrong in
      guard wrong.count < ServerLimits.wrongCodes else { return .off }
      // A time in the future is from before the clock was set back, and nobody waits for it.
      let ages = wrong.filter { $0.address == address }.map { now.timeIntervalSince($0.at) }
        .filter { (0..<60).contains($0) }
      if ages.count >= ServerLimits.wrongCodesInMinute, let oldest = ages.max() {
        return .tooSoon(seconds: Int((60 - oldest).rounded(.up)))
      }
      if SessionToken.areEqual(text, letters) { return .right }
      wrong.append((address, now))
      return wrong.count < ServerLimits.wrongCodes ? .wrong : .lastWrong
    }
  }
}
