import ChirperModel
import EmbeddedMigrations
import GRDB

/// The numbered SQL files of the folder `Migrations`, which run in order, each once; a shipped file is never edited.
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
  /// Runs the migrations up to that version that the file has not run yet, all in one transaction: a kill leaves the old
  /// schema or the new one.
  ///
  /// - Parameter choosesLayout: whether an empty file gets the layout of decision 0018.
  func migrate(to version: Int = Migrations.all.count, choosesLayout: Bool = true) throws {
    let path = path
    let found = try queue.read { try Self.schemaVersion(of: $0, path) }
    guard found < version else { return }
    if found == 0, choosesLayout { try chooseLayout() }
    try queue.write { db in
      // Another process may have migrated between the two transactions.
      let current = try Self.schemaVersion(of: db, path)
      guard current < version else { return }
      do {
        for migration in Migrations.all[current..<version] { try db.execute(sql: migration.sql) }
      } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
        // A table or column exists already, or is missing.
        throw StoreError.damaged(path: path, detail: "its tables are not those of version \(current): \(error.message ?? "")")
      }
      try db.execute(sql: "PRAGMA application_id = \(Self.applicationID)")
      try db.execute(sql: "PRAGMA user_version = \(version)")
    }
  }

  /// The number of migrations the file has run; 0 for an empty one. Throws for a file that is newer or not chirper's, and for
  /// one with other tables than that version has.
  static func schemaVersion(of db: Database, _ path: String) throws -> Int {
    let version = try headerVersion(of: db, path)
    if version > 0 {
      let problems = try SchemaCheck(version: version).problems(in: db)
      guard problems.isEmpty else { throw StoreError.damaged(path: path, detail: problems.joined(separator: "; ")) }
    } else if try Int.fetchOne(db, sql: "PRAGMA application_id") == applicationID {
      throw StoreError.damaged(path: path, detail: "its header has chirper's application id but no version")
    }
    return version
  }

  /// The same without a look at the tables, for a repair.
  static func headerVersion(of db: Database, _ path: String) throws -> Int {
    let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
    let application = try Int.fetchOne(db, sql: "PRAGMA application_id") ?? 0
    let isEmpty = try Bool.fetchOne(db, sql: "SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)") ?? true
    guard application == applicationID || (application == 0 && version == 0 && isEmpty) else {
      throw StoreError.notOurs(path: path)
    }
    guard version <= Migrations.all.count, version >= 0 else {
      throw StoreError.newer(path: path, version: version, known: Migrations.all.count)
    }
    return version
  }

  /// The schema's statements as SQLite keeps them: the text of `docs/schema.sql`.
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
