import ChirperModel

/// How far a fetch goes, and how it goes there.
public struct FetchPlan: Hashable, Sendable {
  public enum Goal: Hashable, Sendable {
    /// Pages 1 to this one, or to the end where that comes first.
    case pages(Int)
    case all
  }

  public var goal: Goal
  /// Pages younger than this are not asked for again; `nil`: every page is.
  public var maxAge: Duration?
  /// Whether a complete list is read a second time to make it `verified`.
  public var verify: Bool
  /// A longer time between two requests than the catalogue's own; a shorter one counts only where the base URL points
  /// elsewhere.
  public var interval: Duration?

  public init(_ goal: Goal, maxAge: Duration? = nil, verify: Bool = false, interval: Duration? = nil) {
    self.goal = goal
    self.maxAge = maxAge
    self.verify = verify
    self.interval = interval
  }
}
