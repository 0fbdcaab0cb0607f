import ChirperModel
import Foundation
import GRDB

/// The state of one catalogue's rate limit.
package struct RateLimitStatus: Hashable, Sendable {
  /// The catalogue whose rate it is.
  package let catalogue: CatalogueID
  /// The moment reserved for the latest request, UTC.
  package let lastRequestAt: Date?
  /// The time before which no request may be made, as the catalogue's Retry-After asks,
  /// UTC.
  package let pausedUntil: Date?
}

/// The rate limit of each catalogue, which all processes keep together, also after a restart.
extension RecordingStore {
  /// The time at which a request may be made.
  package enum RequestSlot: Equatable, Sendable {
    /// A time that no other request has reserved.
    case at(Date)
    /// A time before which no request may be made, as the catalogue's Retry-After asks.
    case paused(until: Date)
  }

  /// A longer Retry-After counts as this: services have been seen to send weeks, and dates far in
  /// the future.
  static let longestPause: Duration = .seconds(86_400)
  /// The most intervals that requests reserve in advance. More mean that the clock was set
  /// back.
  private static let longestQueue = 64.0

  /// Reserves the next moment at which a request to the catalogue may start.
  ///
  /// - Parameter interval: the least time since the previous request; zero reserves nothing.
  package func reserveRequest(
    to catalogue: CatalogueID, interval: Duration, now: Date
  ) throws(StoreError) -> RequestSlot {
    let interval = interval / .seconds(1)
    if interval <= 0 {
      return try read { db in slot(try status(of: catalogue, db), now) ?? .at(now) }
    }
    return try write { db in
      let id = try catalogueID(of: catalogue, db)
      let status = try status(of: catalogue, db)
      if let paused = slot(status, now) { return paused }
      let last = status?.lastRequestAt ?? .distantPast
      let at = last > now + interval * Self.longestQueue ? now : max(now, last + interval)
      try db.run("UPDATE catalogue SET last_request_at = ? WHERE catalogue_id = ?", at, id)
      return .at(Date(milliseconds: at.milliseconds))
    }
  }

  /// Stores that no request may be sent to a catalogue for that time. A stored pause that ends
  /// later stays, unless it is longer than a day, which means that the clock was set back.
  package func pause(_ catalogue: CatalogueID, for wait: Duration, now: Date) throws(StoreError) {
    try write { db in
      let id = try catalogueID(of: catalogue, db)
      var until = now + min(wait, Self.longestPause) / .seconds(1)
      if case .paused(let stored) = slot(try status(of: catalogue, db), now) {
        until = max(until, stored)
      }
      try db.run("UPDATE catalogue SET paused_until = ? WHERE catalogue_id = ?", until, id)
    }
  }

  /// The rate limit of every catalogue that was ever requested.
  func pacing() throws(StoreError) -> [RateLimitStatus] {
    try read { db in try pacing(db) }
  }

  private func pacing(_ db: Database) throws -> [RateLimitStatus] {
    try db.rows("SELECT name, last_request_at, paused_until FROM catalogue ORDER BY name") { row in
      RateLimitStatus(
        catalogue: CatalogueID(rawValue: row.text(0)), lastRequestAt: row.optionalDate(1),
        pausedUntil: row.optionalDate(2))
    }
  }

  private func status(of catalogue: CatalogueID, _ db: Database) throws -> RateLimitStatus? {
    try pacing(db).first { $0.catalogue == catalogue }
  }

  /// A pause that ends more than a day from now was stored before the clock was set back, and does
  /// not count.
  private func slot(_ status: RateLimitStatus?, _ now: Date) -> RequestSlot? {
    guard let until = status?.pausedUntil, until > now,
      until <= now + Self.longestPause / .seconds(1)
    else { return nil }
    return .paused(until: until)
  }
}
