/// How many answers of a service are requested for a list or a sound.
///
/// The first answer that announces how many there are is taken at its word. A list can grow while it is read, so twice as many
/// and ten more are requested. A service that announces nothing, or millions, gets `mostAnswers`; a later run continues there.
struct AnswerLimit {
  /// What the service announced first; `nil` if it has not.
  private(set) var announced: Int?
  private(set) var count = 0

  /// At the rate limit of most catalogues this is more than a day.
  static let mostAnswers = 100_000

  /// Counts an answer; returns whether another one may be requested.
  mutating func allowsMore(announced: Int?) -> Bool {
    count += 1
    self.announced = self.announced ?? announced
    return count < min(max(0, self.announced ?? .max), Self.mostAnswers) * 2 + 10
  }
}
