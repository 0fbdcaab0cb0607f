import GRDB

/// Whether the schema of a file is chirper's, and nothing in it runs by itself.
///
/// SQLite runs the triggers of a file and the conditions of its tables. So every statement
/// of the schema is compared with those that the migrations make, each time the file is
/// opened, before anything else is read or written.
enum SchemaCheck {
  /// A table, index, view or trigger.
  private struct Item: Hashable {
    /// The type as SQLite spells it: `table`.
    let type: String
    let name: String
    let table: String

    var text: String { "the \(type) \"\(name)\"" }
  }

  /// The problems of a file that has run the migrations, one sentence each without a period
  /// at its end; empty if it is sound.
  ///
  /// A file with the very statements of the migrations is sound, which is known without
  /// running them. Running them takes a millisecond, a tenth of a short command.
  static func problems(in db: Database, after migrations: some Sequence<Migration>) throws
    -> [String]
  {
    let found = try items(db)
    var statements: Set<String> = []
    for migration in migrations {
      // Comments come before it.
      var lines = migration.sql.utf8.split(separator: UInt8(ascii: "\n")).map(Substring.init)[...]
      while let start = lines.firstIndex(where: { $0.hasPrefix("CREATE ") }),
        let end = lines[start...].firstIndex(where: { $0.hasSuffix(";") })
      {
        statements.insert(String(lines[start...end].joined(separator: "\n").dropLast()))
        lines = lines[(end + 1)...]
      }
    }
    let foundStatements = found.values.filter { !$0.isEmpty }
    if foundStatements.count == statements.count, Set(foundStatements) == statements { return [] }
    let expected = try items(madeBy: migrations)
    if expected.keys.allSatisfy({ found[$0] == nil }) { return ["it has none of chirper's tables"] }
    let tables = Set(expected.keys.map(\.table))
    // Tables that someone added, with their indexes, change nothing here.
    let foreign = found.keys.filter {
      expected[$0] == nil
        && ($0.type == "trigger" || $0.type == "view"
          || $0.type == "index" && tables.contains($0.table))
    }
    let missing = expected.keys.filter { found[$0] == nil }
    let changed = expected.filter { found[$0.key] != nil && found[$0.key] != $0.value }
    let problems =
      foreign.map { "\($0.text) was not created by chirper" }
      + missing.map { "\($0.text) is missing" }
      + changed.keys.map { "\($0.text) is not as chirper created it" }
    // A hostile file may have thousands.
    return Array(problems.sorted().prefix(10))
  }

  /// Whether everything that belongs to those tables is as the migrations make it, whatever else
  /// was added.
  static func hasTables(
    _ tables: [String], in db: Database, after migrations: some Sequence<Migration>
  ) throws -> Bool {
    let found = try items(db)
    return try items(madeBy: migrations).allSatisfy {
      !tables.contains($0.key.table) || found[$0.key] == $0.value
    }
  }

  private static func items(madeBy migrations: some Sequence<Migration>) throws -> [Item: String] {
    try RecordingStore.inMemory(migrations: Array(migrations)).queue.read(items)
  }

  /// Each with its statement.
  private static func items(_ db: Database) throws -> [Item: String] {
    var items: [Item: String] = [:]
    try db.forEachRow("SELECT type, name, tbl_name, sql FROM sqlite_schema") { row in
      items[Item(type: row.text(0), name: row.text(1), table: row.text(2))] = row.text(3)
    }
    return items
  }
}
