/// The goal of a fetch, and the pages that it may reuse.
public struct FetchPlan: Hashable, Sendable {
  /// The goal of a fetch.
  public enum Goal: Hashable, Sendable, ExpressibleByIntegerLiteral {
    /// Pages 1 to this one, or to the end if that comes first.
    case pages(Int)
    /// The end of the list.
    case all

    /// A number of pages: `pages: 3`.
    public init(integerLiteral pages: Int) { self = .pages(pages) }
  }

  /// Pages 1 to this one, or all.
  public var goal: Goal
  /// The age from which a page is fetched again; `nil` if every page is.
  public var maxAge: Duration?
  /// Whether a complete list is read a second time, which makes it `verified`.
  public var verify: Bool
  /// The least time between two requests, if it is longer than the catalogue's own; a shorter one
  /// counts only if the base URL is not the catalogue's own host.
  public var interval: Duration?
  /// The time in which each page of a complete list is read again: a sync without a walk reads as
  /// many pages as that takes, those read longest ago first.
  public var rereadingWithin: Duration
  /// 14 days.
  public static let defaultRereading: Duration = .days(14)

  /// A plan; without `maxAge`, every page is fetched again.
  public init(
    _ goal: Goal, maxAge: Duration? = nil, verify: Bool = false, interval: Duration? = nil,
    rereadingWithin: Duration = defaultRereading
  ) {
    self.goal = goal
    self.maxAge = maxAge
    self.verify = verify
    self.interval = interval
    self.rereadingWithin = rereadingWithin
  }
}

extension Duration {
  /// That many days of 24 hours: `maxAge: .days(14)`.
  public static func days(_ days: Int) -> Duration { .seconds(days * 86_400) }
}
