/// The health of a store.
public struct Diagnosis: Equatable, Sendable {
  /// Of the database file.
  public let path: String
  /// `false` if the file does not exist yet.
  public let exists: Bool
  /// `true` if it can only be read.
  public let isReadOnly: Bool
  /// Bytes.
  public let size: Int64
  /// The version of the database.
  public let schemaVersion: Int
  /// The version of the SQLite library.
  public let sqliteVersion: String
  /// What SQLite's integrity check and ours found; empty if nothing.
  public let problems: [String]
  /// Whether everything but the search index is sound, which is computed from it.
  public let areRecordingsSound: Bool
  /// Stored queries.
  public let queries: Int
  /// Stored recordings.
  public let recordings: Int
  /// The rate limit of each catalogue that was requested.
  public let pacing: [RateLimitStatus]
}
