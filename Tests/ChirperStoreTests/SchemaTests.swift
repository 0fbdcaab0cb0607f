import Foundation
import Testing

@testable import ChirperStore

@Suite struct SchemaTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Run with CHIRPER_WRITE_SCHEMA=1 to write the file.
  @Test func `the schema in docs is the schema of a new store`() throws {
    let schema = try RecordingStore.inMemory().schema()
    let file = Self.root.appendingPathComponent("docs/schema.sql")
    if ProcessInfo.processInfo.environment["CHIRPER_WRITE_SCHEMA"] != nil {
      try schema.write(to: file, atomically: true, encoding: .utf8)
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == schema)
  }

  @Test func `the list of migrations is the folder, numbered without gaps`() throws {
    let folder = try FileManager.default.contentsOfDirectory(atPath: Self.root.appendingPathComponent("Migrations").path)
    let files = folder.filter { $0.hasSuffix(".sql") }.sorted()
    #expect(files == Migrations.all.map { $0.name + ".sql" })
    for (index, file) in files.enumerated() {
      #expect(Int(file.prefix(4)) == index + 1)
    }
  }

  @Test func `every migration in the program is the file on disk`() throws {
    for migration in Migrations.all {
      let file = Self.root.appendingPathComponent("Migrations/\(migration.name).sql")
      #expect(try String(contentsOf: file, encoding: .utf8) == migration.sql)
    }
  }

  @Test func `the tables that are checked when a file is opened are those that the migrations create`() throws {
    for migrations in [Migrations.all] + (1...MigrationTests.made.count).map({ Array(MigrationTests.made.prefix($0)) }) {
      var names: Set<SchemaCheck.Item> = []
      for migration in migrations { SchemaCheck.apply(migration.sql, to: &names) }
      var found: Set<SchemaCheck.Item> = []
      try RecordingStore.inMemory(migrations: migrations).queue.read { db in
        try SQLStatement(db, "SELECT type, name FROM sqlite_schema WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!'").forEach {
          found.insert(SchemaCheck.Item(type: $0.text(0), name: $0.text(1)))
        }
        #expect(try SchemaCheck(migrations).problems(in: db) == [])
        #expect(try SchemaCheck(migrations).columnProblems(in: db) == [])
      }
      #expect(names == found, "\(migrations.map(\.name))")
    }
  }

  @Test func `a statement that removes something is understood`() {
    var names: Set<SchemaCheck.Item> = []
    SchemaCheck.apply(
      """
      CREATE TABLE a (x);
      CREATE UNIQUE INDEX a_x ON a (x);
      CREATE VIRTUAL TABLE f USING fts5(x);
      CREATE TRIGGER t AFTER INSERT ON a BEGIN
        DELETE FROM a;
      END;
      DROP INDEX a_x;
      """, to: &names)
    let expected = [("table", "a"), ("table", "f"), ("trigger", "t")]
    #expect(names == Set(expected.map { SchemaCheck.Item(type: $0.0, name: $0.1) }))
  }

  /// A shipped file is never edited: stores that ran it would have another schema than new ones. Add a new file's line here
  /// when it ships.
  private static let shipped: [String: (bytes: Int, checksum: UInt32)] = [
    "0001_create_store": (8_290, 0xDA6B_1508)
  ]

  @Test func `no migration has changed since it shipped`() throws {
    #expect(Set(Migrations.all.map(\.name)) == Set(Self.shipped.keys))
    for migration in Migrations.all {
      let (bytes, checksum) = try #require(Self.shipped[migration.name])
      #expect((migration.sql.utf8.count, Self.crc32(migration.sql)) == (bytes, checksum), "\(migration.name)")
    }
  }

  /// CRC-32 as `gzip` and `cksum -o 3` compute it.
  private static func crc32(_ text: String) -> UInt32 {
    ~text.utf8.reduce(~0) { crc, byte in
      (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
  }
}
