/// The limit for the answers of a service that are requested for a list or a sound.
///
/// The first answer with a total is believed. A list can grow while it is read, so twice
/// that number of answers and ten more are requested. A service that announces nothing, or
/// millions, gets `mostAnswers`; a later run continues there.
struct AnswerLimit {
  /// The number that the service announced first; `nil` if it has not.
  private(set) var announced: Int?
  private(set) var count = 0

  /// The most answers that are requested. At the rate limit of most catalogues they take
  /// more than a day.
  static let mostAnswers = 100_000

  /// Counts an answer. Returns whether one more may be requested.
  mutating func countAnswer(announced: Int?) -> Bool {
    count += 1
    self.announced = self.announced ?? announced
    return count < min(max(0, self.announced ?? .max), Self.mostAnswers) * 2 + 10
  }
}
