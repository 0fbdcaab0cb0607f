import Foundation

extension StoredQuery {
  /// A fall of a list: the latest walk found less than half of its rows. They stay until a later walk
  /// finds the same, because the service may be failing, or may understand the query in a new way.
  public struct Fall: Hashable, Sendable {
    /// Rows that were found by the walk that first found so few.
    public let found: Int
    /// The time at which that walk was closed, UTC.
    public let seenAt: Date

    /// A fall that the store has seen.
    package init(found: Int, seenAt: Date) {
      self.found = found
      self.seenAt = seenAt
    }

    /// The time from which on a walk that finds the same is believed: the other rows leave the list.
    public var believedFrom: Date { seenAt.addingTimeInterval(Self.leastAge) }

    /// Half a day, in seconds: most faults of a service are mended by then.
    static let leastAge = 43_200.0
    /// A list with fewer rows is believed when two walks of one run have found the same.
    package static let leastRows = 10

    /// Whether a list falls that keeps `left` rows and loses `gone`: less than half of its
    /// rows are left.
    package static func isFall(left: Int, gone: Int) -> Bool { left < gone }

    /// Whether a walk that found `rows` confirms one that found `earlier`. It does if the
    /// further loss is not a fall of its own.
    package static func confirms(_ rows: Int, _ earlier: Int) -> Bool {
      !isFall(left: rows, gone: earlier - rows)
    }
  }
}
