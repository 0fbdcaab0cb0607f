import ChirperModel
import Foundation
import GRDB

/// The rate limit of each catalogue, which all processes keep together, also after a restart.
extension RecordingStore {
  /// When a request may be made.
  package enum RequestSlot: Equatable, Sendable {
    /// At this time, which no other request has reserved.
    case at(Date)
    /// Not before this time, as the catalogue's Retry-After asks.
    case paused(until: Date)
  }

  /// A longer Retry-After counts as this: services have been seen to send weeks, and dates far in the future.
  package static let longestPause: Duration = .seconds(86_400)
  /// More reserved intervals than this mean that the clock was set back.
  private static let longestQueue = 64

  /// Reserves the next moment at which a request to the catalogue may start.
  ///
  /// - Parameter interval: the least time since the previous request; zero reserves nothing.
  package func reserveRequest(
    to catalogue: CatalogueID, interval: Duration, now: Date
  ) throws(StoreError) -> RequestSlot {
    let interval = Int64(interval / .milliseconds(1))
    let now = now.milliseconds
    if interval <= 0 {
      let pausedUntil = try read { db in try rateLimit(of: catalogue, db)?.pausedUntil }
      return slot(pausedUntil: pausedUntil, now: now) ?? .at(Date(milliseconds: now))
    }
    return try write { db in
      let id = try catalogueID(of: catalogue, db)
      let limit = try self.rateLimit(of: catalogue, db)
      if let paused = slot(pausedUntil: limit?.pausedUntil, now: now) { return paused }
      let last = limit?.last ?? Timestamp.range.lowerBound
      let at = last - now > interval * Int64(Self.longestQueue) ? now : max(now, last + interval)
      try SQLStatement(db, "UPDATE catalogue SET last_request_at = ? WHERE catalogue_id = ?").run(.int(at), .int(id))
      return .at(Date(milliseconds: at))
    }
  }

  /// Stores that no request may be sent to a catalogue for that time. A stored pause that ends later stays, unless it is
  /// longer than a day, which means that the clock was set back.
  package func pause(_ catalogue: CatalogueID, for wait: Duration, now: Date) throws(StoreError) {
    try write { db in
      let id = try catalogueID(of: catalogue, db)
      var until = now.milliseconds + Int64(min(wait, Self.longestPause) / .milliseconds(1))
      if case .paused(let stored) = slot(pausedUntil: try rateLimit(of: catalogue, db)?.pausedUntil, now: now.milliseconds) {
        until = max(until, stored.milliseconds)
      }
      try SQLStatement(db, "UPDATE catalogue SET paused_until = ? WHERE catalogue_id = ?").run(.int(until), .int(id))
    }
  }

  /// The rate limit of every catalogue that was ever requested.
  package func pacing() throws(StoreError) -> [RateLimitStatus] {
    try read { db in
      try SQLStatement(db, "SELECT name, last_request_at, paused_until FROM catalogue ORDER BY name").map { row in
        RateLimitStatus(
          catalogue: CatalogueID(rawValue: row.text(0)),
          lastRequestAt: row.isNull(1) ? nil : Date(milliseconds: row.int64(1)),
          pausedUntil: row.isNull(2) ? nil : Date(milliseconds: row.int64(2)))
      }
    }
  }

  private func rateLimit(of catalogue: CatalogueID, _ db: Database) throws -> (last: Int64?, pausedUntil: Int64?)? {
    try SQLStatement(db, "SELECT last_request_at, paused_until FROM catalogue WHERE name = ?")
      .first(.text(catalogue.rawValue)) {
        ($0.isNull(0) ? nil : $0.time(0), $0.isNull(1) ? nil : $0.time(1))
      }
  }

  /// A pause that ends more than a day from now was stored before the clock was set back, and does not count.
  private func slot(pausedUntil: Int64?, now: Int64) -> RequestSlot? {
    guard let pausedUntil, pausedUntil > now, pausedUntil - now <= Int64(Self.longestPause / .milliseconds(1)) else {
      return nil
    }
    return .paused(until: Date(milliseconds: pausedUntil))
  }
}
