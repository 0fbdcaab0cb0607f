import ChirperModel
import EmbeddedMigrations
import GRDB

/// The schema's history: the numbered SQL files of the folder `Migrations`, run in order, each once; a shipped file is
/// never edited.
package enum Migrations {
  /// Every migration, oldest first; the schema version of a database is the number of those it has run.
  package static let all: [Migration] = {
    var all: [Migration] = []
    while let file = chirper_migration_at(all.count) {
      all.append(Migration(name: String(cString: file.pointee.name), sql: String(cString: file.pointee.sql)))
    }
    return all
  }()
}

/// One numbered SQL file.
package struct Migration: Sendable {
  /// The file's name without its extension: `0001_create_store`.
  package let name: String
  package let sql: String
}

extension RecordingStore {
  /// Runs the migrations the file has not run yet, all in one transaction, so a kill leaves the old schema or the new.
  func migrate() throws {
    let path = path
    guard try queue.read({ try Self.pending($0, path) }) > 0 else { return }
    try queue.write { db in
      // Another process may have migrated between the two transactions.
      let pending = try Self.pending(db, path)
      guard pending > 0 else { return }
      for migration in Migrations.all.suffix(pending) { try db.execute(sql: migration.sql) }
      try db.execute(sql: "PRAGMA application_id = \(Self.applicationID)")
      try db.execute(sql: "PRAGMA user_version = \(Migrations.all.count)")
    }
  }

  /// Refuses a file that may only be read and would have to be migrated first.
  func checkVersion() throws {
    if try queue.read({ try Self.pending($0, path) }) > 0 { throw StoreError.readOnly(path: path) }
  }

  /// How many migrations are to be run; throws for a file that is newer or not chirper's, touching nothing.
  static func pending(_ db: Database, _ path: String) throws -> Int {
    let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
    let application = try Int.fetchOne(db, sql: "PRAGMA application_id") ?? 0
    let isEmpty = try Bool.fetchOne(db, sql: "SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)") ?? true
    guard application == applicationID || (application == 0 && version == 0 && isEmpty) else {
      throw StoreError.notOurs(path: path)
    }
    guard version <= Migrations.all.count, version >= 0 else {
      throw StoreError.newer(path: path, version: version, known: Migrations.all.count)
    }
    return Migrations.all.count - version
  }

  /// The statements that make this schema, as SQLite keeps them; the text of `docs/schema.sql`.
  package func schema() throws(StoreError) -> String {
    try read { db in
      var statements: [String] = []
      try SQLStatement(db, "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid").forEach {
        statements.append($0.text(0) + ";\n")
      }
      return "-- Generated from Migrations/; CONTRIBUTING.md says how.\n\n" + statements.joined(separator: "\n")
    }
  }
}
