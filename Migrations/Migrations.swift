/// The schema's history: numbered SQL files, run in order, each once; a shipped file is never edited.
package enum Migrations {
  /// Every migration, oldest first; the schema version of a database is the number of those it has run.
  package static let all = [
    Migration(name: "0001_create_store", sql: PackageResources._001_create_store_sql)
  ]
}

/// One numbered file.
package struct Migration: Sendable {
  package let name: String
  package let sql: String

  init(name: String, sql: [UInt8]) {
    self.name = name
    self.sql = String(decoding: sql, as: UTF8.self)
  }
}
