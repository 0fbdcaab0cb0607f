import ChirperModel
import GRDB

extension RecordingStore {
  /// Runs the migrations that the file has not run yet, all in one transaction: a kill leaves the
  /// old schema or the new one.
  func migrate() throws {
    let found = try queue.read { try schemaVersion($0) }
    guard found < migrations.count else { return }
    // Lets the file give back space (decision 0018); this must be chosen before the first table is
    // created.
    if found == 0 {
      try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL") }
    }
    try queue.write { db in
      // Another process may have migrated between the two transactions.
      let current = try schemaVersion(db)
      guard current < migrations.count else { return }
      for migration in migrations[current...] { try db.execute(sql: migration.sql) }
      try db.execute(sql: "PRAGMA application_id = \(Self.applicationID)")
      try db.execute(sql: "PRAGMA user_version = \(migrations.count)")
    }
  }

  /// The number of migrations that the file has run; 0 for an empty one. Throws for a file
  /// that is newer or not chirper's, and for one whose schema is not the schema
  /// of its version.
  func schemaVersion(_ db: Database) throws -> Int {
    let version = try headerVersion(db)
    if version > 0 {
      let problems = try SchemaCheck.problems(in: db, after: migrations.prefix(version))
      guard problems.isEmpty else {
        throw StoreError(.damaged(path: path, detail: problems.joined(separator: "; ")))
      }
    } else if try Int.fetchOne(db, sql: "PRAGMA application_id") == Self.applicationID {
      throw StoreError(
        .damaged(
          path: path, detail: "its header has chirper's application id but no version"))
    }
    return version
  }

  /// Reads the version as `schemaVersion` does, without a look at the schema, for a repair.
  func headerVersion(_ db: Database) throws -> Int {
    let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
    let application = try Int.fetchOne(db, sql: "PRAGMA application_id") ?? 0
    let isEmpty =
      try Bool.fetchOne(db, sql: "SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)") ?? true
    guard application == Self.applicationID || (application == 0 && version == 0 && isEmpty) else {
      throw StoreError(.notOurs(path: path))
    }
    guard (0...migrations.count).contains(version) else {
      throw StoreError(.newer(path: path, version: version, known: migrations.count))
    }
    return version
  }
}
