import Foundation
import GRDB

/// Whether the tables of a file are chirper's, and nothing in it runs by itself.
///
/// SQLite runs the triggers of a file with every write, whoever made them. So the names are checked each time the file is
/// opened, before anything is written.
struct SchemaCheck {
  /// A table, index, view or trigger.
  struct Item: Hashable {
    /// As SQLite spells it: `table`.
    let type: String
    let name: String
  }

  /// Problems to report; a hostile file may have thousands.
  private static let limit = 10

  /// What the migrations create.
  private let expected: Set<Item>
  private let migrations: [Migration]

  /// - Parameter migrations: those that the file has run.
  init(_ migrations: some Sequence<Migration>) {
    self.migrations = Array(migrations)
    expected = migrations.reduce(into: []) { Self.apply($1.sql, to: &$0) }
  }

  /// What is wrong, one sentence each without a period at its end; empty if nothing is.
  func problems(in db: Database) throws -> [String] {
    var found: Set<Item> = []
    var problems: [String] = []
    try SQLStatement(db, "SELECT type, name, tbl_name FROM sqlite_schema ORDER BY name").forEach { row in
      let item = Item(type: row.text(0), name: row.text(1))
      found.insert(item)
      guard !expected.contains(item), !item.name.hasPrefix("sqlite_") || item.type == "trigger" || item.type == "view" else {
        return
      }
      // Tables that someone added, with their indexes, change nothing here.
      let isOfOurTable = expected.contains(Item(type: "table", name: row.text(2)))
      guard item.type == "trigger" || item.type == "view" || item.type == "index" && isOfOurTable else { return }
      problems.append("the \(item.type) \"\(item.name)\" was not created by chirper")
    }
    let missing = expected.subtracting(found).sorted { ($0.type, $0.name) < ($1.type, $1.name) }
    if missing.count == expected.count { return ["it has none of chirper's tables"] }
    return Array((problems + missing.map { "the \($0.type) \"\($0.name)\" is missing" }).prefix(Self.limit))
  }

  /// The tables whose columns are not those that the migrations give them, one sentence each; empty if there are none.
  func columnProblems(in db: Database) throws -> [String] {
    let tables = expected.filter { $0.type == "table" }.map(\.name).sorted()
    return try RecordingStore.inMemory(migrations: migrations).queue.read { sound in
      try tables.filter { try Self.columns(of: $0, db) != Self.columns(of: $0, sound) }
    }.prefix(Self.limit).map { "the table \"\($0)\" has other columns than chirper gave it" }
  }

  private static func columns(of table: String, _ db: Database) throws -> [String] {
    try SQLStatement(db, "SELECT name FROM pragma_table_info(?)").map(.text(table)) { $0.text(0) }
  }

  /// The items that a migration's statements leave, by their first words; each statement begins its own line.
  static func apply(_ sql: String, to items: inout Set<Item>) {
    for line in sql.utf8.split(separator: UInt8(ascii: "\n")) {
      let isNew = line.starts(with: "CREATE ".utf8)
      guard isNew || line.starts(with: "DROP ".utf8) else { continue }
      let words = String(decoding: line, as: UTF8.self).split { " (;".contains($0) }
        .filter { !["UNIQUE", "VIRTUAL"].contains($0) }.map(String.init)
      guard words.count >= 3 else { continue }
      let item = Item(type: words[1].lowercased(), name: words[2])
      if isNew { items.insert(item) } else { items.remove(item) }
    }
  }
}
