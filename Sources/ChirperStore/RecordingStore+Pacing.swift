import ChirperModel
import Foundation
import GRDB

/// The pace that all processes keep together, over restarts too.
extension RecordingStore {
  /// When a request may be made.
  package enum RequestSlot: Equatable, Sendable {
    /// At this time, and nobody else at it.
    case at(Date)
    /// Not before this time, by the catalogue's own wish.
    case paused(until: Date)
  }

  /// A Retry-After longer than this is not believed (faults: clamped to a day).
  package static let longestPause: Duration = .seconds(86_400)
  /// A queue of reservations longer than this many intervals is a clock that was set back.
  private static let longestQueue = 64

  /// Reserves the next moment at which a catalogue may be asked.
  ///
  /// - Parameter interval: the least time since the request before; zero reserves nothing.
  package func reserveRequest(
    to catalogue: CatalogueID, interval: Duration, now: Date
  ) throws(StoreError) -> RequestSlot {
    let interval = Int64(interval / .milliseconds(1))
    let now = now.milliseconds
    if interval <= 0 {
      let pausedUntil = try read { db in try pace(of: catalogue, db)?.pausedUntil }
      return slot(pausedUntil: pausedUntil, now: now) ?? .at(Date(milliseconds: now))
    }
    return try write { db in
      let id = try catalogueID(of: catalogue, db)
      let pace = try self.pace(of: catalogue, db)
      if let paused = slot(pausedUntil: pace?.pausedUntil, now: now) { return paused }
      let last = pace?.last ?? Timestamp.range.lowerBound
      let at = last - now > interval * Int64(Self.longestQueue) ? now : max(now, last + interval)
      try SQLStatement(db, "UPDATE catalogue SET last_request_at = ? WHERE catalogue_id = ?").run(.int(at), .int(id))
      return .at(Date(milliseconds: at))
    }
  }

  /// Notes that a catalogue wants to be left alone; a longer pause already noted stays, but not one that a clock noted
  /// which has been set back since.
  package func pause(_ catalogue: CatalogueID, for wait: Duration, now: Date) throws(StoreError) {
    try write { db in
      let id = try catalogueID(of: catalogue, db)
      var until = now.milliseconds + Int64(min(wait, Self.longestPause) / .milliseconds(1))
      if case .paused(let noted) = slot(pausedUntil: try pace(of: catalogue, db)?.pausedUntil, now: now.milliseconds) {
        until = max(until, noted.milliseconds)
      }
      try SQLStatement(db, "UPDATE catalogue SET paused_until = ? WHERE catalogue_id = ?").run(.int(until), .int(id))
    }
  }

  /// Every catalogue that was asked, with the pace kept with it.
  package func pacing() throws(StoreError) -> [Pacing] {
    try read { db in
      var pacing: [Pacing] = []
      try SQLStatement(db, "SELECT name, last_request_at, paused_until FROM catalogue ORDER BY name").forEach { row in
        pacing.append(
          Pacing(
            catalogue: CatalogueID(rawValue: row.text(0)),
            lastRequestAt: row.isNull(1) ? nil : Date(milliseconds: row.int64(1)),
            pausedUntil: row.isNull(2) ? nil : Date(milliseconds: row.int64(2))))
      }
      return pacing
    }
  }

  private func pace(of catalogue: CatalogueID, _ db: Database) throws -> (last: Int64?, pausedUntil: Int64?)? {
    try SQLStatement(db, "SELECT last_request_at, paused_until FROM catalogue WHERE name = ?")
      .first(.text(catalogue.rawValue)) {
        ($0.isNull(0) ? nil : $0.time(0), $0.isNull(1) ? nil : $0.time(1))
      }
  }

  /// A pause that ends more than a day from now was noted by a clock that has been set back since.
  private func slot(pausedUntil: Int64?, now: Int64) -> RequestSlot? {
    guard let pausedUntil, pausedUntil > now, pausedUntil - now <= Int64(Self.longestPause / .milliseconds(1)) else {
      return nil
    }
    return .paused(until: Date(milliseconds: pausedUntil))
  }
}

/// The pace kept with one catalogue.
public struct Pacing: Equatable, Sendable {
  public let catalogue: CatalogueID
  /// Reserved for the latest request, UTC.
  public let lastRequestAt: Date?
  /// Not before this time, by the catalogue's own wish; UTC.
  public let pausedUntil: Date?
}
