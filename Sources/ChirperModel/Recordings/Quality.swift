extension RecordingDetails {
  /// The quality of a recording, from A (best) to E, as xeno-canto rates it. A recording
  /// without a rating has none.
  public enum Quality: String, CaseIterable, Hashable, Sendable, Comparable {
    /// The best.
    case a = "A"
    /// The second best.
    case b = "B"
    /// The middle.
    case c = "C"
    /// The second worst.
    case d = "D"
    /// The worst.
    case e = "E"

    /// The better is the greater: A is greater than B, as in xeno-canto's `q:">C"`.
    public static func < (left: Quality, right: Quality) -> Bool {
      left.rawValue > right.rawValue
    }
  }
}
