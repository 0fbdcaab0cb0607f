import ChirperModel

extension RecordingStore {
  /// The statements that make this schema, as SQLite keeps them; what `docs/schema.sql` holds.
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
