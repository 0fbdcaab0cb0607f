import ChirperModel

/// The goal of a fetch, and the pages that it may reuse.
public struct FetchPlan: Hashable, Codable, Sendable {
  /// The goal of a fetch.
  public enum Goal: Hashable, Codable, Sendable, ExpressibleByIntegerLiteral {
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
  /// The condition on which a list of a catalogue that has replaced its taxonomy is
  /// requested by the newer one.
  package var moving: Moving = .ifAllAreFound

  /// The condition on which a list moves to the newer taxonomy of its catalogue.
  package enum Moving: Hashable, Codable, Sendable {
    /// The list stays, and the catalogue is not asked.
    case never
    /// The list moves if the taxon of the same name has all its recordings there. The catalogue is
    /// asked once.
    case ifAllAreFound
    /// The list moves if there is a taxon of the same rank. Recordings that it does not have leave
    /// the list.
    case always
  }

  /// 14 days.
  public static let defaultRereading: Duration = .days(14)

  /// Parameters are described at the properties.
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

  /// The plan with a different condition on which a list moves.
  package func moving(_ moving: Moving) -> FetchPlan {
    var plan = self
    plan.moving = moving
    return plan
  }
}

extension Duration {
  /// That many days of 24 hours: `maxAge: .days(14)`.
  public static func days(_ days: Int) -> Duration { .seconds(days * 86_400) }
}
