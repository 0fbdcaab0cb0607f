import EmbeddedMigrations

/// The numbered SQL files of the folder `Migrations`, which run in order, each once; a shipped file
/// is never edited.
package enum Migrations {
  /// Every migration, oldest first; the schema version of a database is the number of those it has
  /// run.
  package static let all: [Migration] = {
    var all: [Migration] = []
    while let file = chirper_migration_at(all.count) {
      all.append(
        Migration(name: String(cString: file.pointee.name), sql: String(cString: file.pointee.sql)))
    }
    return all
  }()
}

/// One numbered SQL file.
package struct Migration: Sendable {
  /// The file's name without its extension: `0001_create_store`.
  let name: String
  /// The statements of the migration.
  let sql: String

  /// A migration that is not in the folder, for tests.
  package init(name: String, sql: String) {
    self.name = name
    self.sql = sql
  }
}
