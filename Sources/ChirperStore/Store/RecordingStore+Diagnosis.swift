#if Collection

import ChirperModel
import Foundation
import GRDB
import GRDBSQLite

/// The health of a store.
public struct Diagnosis: Hashable, Sendable {
  /// The path of the database file.
  package let path: String
  /// `false` if the file does not exist yet.
  package let exists: Bool
  /// `true` if it can only be read.
  package let isReadOnly: Bool
  /// The size of that file in bytes.
  package let size: Int64
  /// The version of the database.
  public let schemaVersion: Int
  /// The version of the SQLite library.
  package let sqliteVersion: String
  /// The problems that SQLite's integrity check and ours found; empty if the file is sound.
  public let problems: [String]
  /// Whether everything but the search index is sound, which is computed from it.
  package let areRecordingsSound: Bool
  /// Stored queries.
  package let queries: Int
  /// Stored recordings.
  package let recordings: Int
  /// The rate limit of each catalogue that was requested.
  package let pacing: [RateLimitStatus]
}

extension RecordingStore {
  /// The queries for what must not be, and the problem that a row of each is.
  private static let checks: [(sql: String, problem: @Sendable (SQLRow) -> String)] = [
    (
      "SELECT \"table\", parent FROM pragma_foreign_key_check WHERE \"table\" <> 'search_block'",
      { "a row of \($0.text(0)) refers to a row of \($0.text(1)) that does not exist" }
    ),
    (
      "SELECT query_id, number FROM page WHERE number > \(PageRecord.greatestNumber)",
      { "a page of query \($0.int64(0)) has the impossible number \($0.int64(1))" }
    ),
    (
      """
      SELECT number, query_id FROM page WHERE (row_count, carried_count) <>
        (SELECT count(*) FILTER (WHERE carried = 0), count(*) FILTER (WHERE carried = 1) FROM entry
         WHERE entry.query_id = page.query_id AND entry.page = page.number)
      """,
      {
        "page \($0.int(0)) of query \($0.int64(1)) has another number of rows than its record says"
      }
    ),
    (
      """
      SELECT typed FROM query WHERE NOT walk_open AND completeness IN ('complete', 'verified') AND
        (SELECT count(*) = max(number) AND sum(next IS NULL) = 1 FROM page
         WHERE page.query_id = query.query_id) IS NOT 1
      """,
      { "a page of the list \($0.text(0)) is missing" }
    ),
    (
      """
      SELECT DISTINCT typed FROM arrival JOIN query USING (query_id) WHERE NOT EXISTS
        (SELECT 1 FROM entry WHERE entry.recording_id = arrival.recording_id
         AND entry.query_id = arrival.query_id)
      """,
      { RecordingStore.lostArrival(in: $0.text(0)) }
    ),
    (
      """
      SELECT name FROM name_list WHERE species_count <>
        (SELECT count(*) FROM
          (SELECT 1 FROM name WHERE name.name_list_id = name_list.name_list_id
           GROUP BY scientific))
      """,
      { "the list of names \($0.text(0)) has a different number of species than its record says" }
    ),
  ]

  /// Checks the whole file; takes about as long as reading it. It uses a connection of its
  /// own and reads check by check, so that others read meanwhile, and write between two
  /// checks. SQLite's own check is one of them, because it compares all parts of the file.
  package func diagnosis(of directory: URL) throws(StoreError) -> Diagnosis {
    let file = directory.appendingPathComponent(Self.fileName).path
    let attributes = try? FileManager.default.attributesOfItem(atPath: file)
    let pacing = try pacing()
    let isReadOnly = queue.configuration.readonly
    return try usingFile {
      let connection: any DatabaseReader = path == Self.memoryPath ? queue : try newConnection()
      func reading<T>(_ body: (Database) throws -> T) throws -> T {
        try Self.reading(connection) { db in try checked(db, body) }
      }
      func rows(_ sql: String, _ body: (SQLRow) throws -> String) throws -> [String] {
        try reading { db in try db.rows(sql, body: body) }
      }
      func number(_ sql: String) throws -> Int {
        try reading { try $0.firstRow(sql) { $0.int(0) } ?? 0 }
      }
      var problems = try rows("PRAGMA integrity_check(20)") { $0.text(0) }.filter { $0 != "ok" }
      if !isReadOnly,
        try connection.unsafeRead({ sqlite3_db_readonly($0.sqliteConnection, "main") }) == 1
      {
        problems.append("its header says that it cannot be written")
      }
      for check in Self.checks { problems += try rows(check.sql, check.problem) }
      // Fields that are not JSON would make an export malformed.
      for (name, table, column) in [
        ("fields", "recording", "fields"), ("labels", "label", "annotations"),
      ] {
        let count = try number("SELECT count(*) FROM \(table) WHERE NOT json_valid(\(column))")
        if count > 0 { problems.append("the \(name) of \(count) recordings are not JSON") }
      }
      let isSound = problems.isEmpty
      problems += [try reading { try searchIndexProblem($0) }].compactMap(\.self)
      return Diagnosis(
        path: file, exists: attributes != nil, isReadOnly: isReadOnly,
        size: (attributes?[.size] as? NSNumber)?.int64Value ?? 0,
        schemaVersion: try number("PRAGMA user_version"),
        sqliteVersion: try rows("SELECT sqlite_version()") { $0.text(0) }.first ?? "",
        problems: problems, areRecordingsSound: isSound,
        queries: try number("SELECT count(*) FROM query"),
        recordings: try number("SELECT count(*) FROM recording"),
        pacing: pacing)
    }
  }
}

#endif
