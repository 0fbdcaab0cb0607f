import ChirperMigrations
import ChirperModel
import GRDB

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
}
