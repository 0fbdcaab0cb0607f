import Foundation
import Testing

@testable import ChirperStore

@Suite struct SchemaTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
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
    let folder = try FileManager.default.contentsOfDirectory(
      atPath: Self.root.appendingPathComponent("Migrations").path)
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

  @Test func `what the migrations make is as chirper created it`() throws {
    for migrations in [Migrations.all]
      + (1...MigrationTests.made.count).map({ Array(MigrationTests.made.prefix($0)) })
    {
      let queue = try RecordingStore.inMemory(migrations: migrations).queue
      #expect(try queue.read { try SchemaCheck.problems(in: $0, after: migrations) } == [])
      // Tables that someone added change nothing, but every statement is compared then.
      try queue.write { try $0.execute(sql: "CREATE TABLE other (x)") }
      #expect(try queue.read { try SchemaCheck.problems(in: $0, after: migrations) } == [])
    }
  }

  @Test(arguments: [
    ("DROP INDEX arrival_query", "the index \"arrival_query\" is missing"),
    ("CREATE INDEX evil ON page (next)", "the index \"evil\" was not created by chirper"),
    ("ALTER TABLE query ADD COLUMN note TEXT", "the table \"query\" is not as chirper created it"),
    (
      """
      PRAGMA writable_schema = 1;
      UPDATE sqlite_schema SET sql = replace(sql, 'skipped >= 0', 'skipped >= length(hex(zeroblob(400000000)))')
      """, "the table \"page\" is not as chirper created it"
    ),
  ])
  func `any other statement in the schema is a problem`(change: String, problem: String) throws {
    let queue = try RecordingStore.inMemory().queue
    try queue.write { try $0.execute(sql: change) }
    #expect(try queue.read { try SchemaCheck.problems(in: $0, after: Migrations.all) } == [problem])
  }

  /// A shipped file is never edited: stores that ran it would have another schema than new ones.
  /// Add a new file's line here when it ships.
  private static let shipped: [String: (bytes: Int, checksum: UInt32)] = [
    "0001_create_store": (8_564, 0x70EF_D71E),
    "0002_create_change": (908, 0x94AB_0035),
    "0003_create_fall": (586, 0x56B7_2273),
    "0004_create_exchange": (666, 0x6941_3E37),
    "0005_create_name": (1_272, 0x341E_CE10),
    "0006_create_import": (1_121, 0x79E5_F7C9),
    "0007_create_views": (4_993, 0x41CC_4C8A),
    "0008_replace_views": (6_770, 0xB448_82F3),
    "0009_create_label": (905, 0xF65A_8C12),
  ]

  @Test func `no migration has changed since it shipped`() throws {
    #expect(Set(Migrations.all.map(\.name)) == Set(Self.shipped.keys))
    for migration in Migrations.all {
      let (bytes, checksum) = try #require(Self.shipped[migration.name])
      #expect(
        (migration.sql.utf8.count, Self.crc32(migration.sql)) == (bytes, checksum),
        "\(migration.name)")
    }
  }

  /// CRC-32 as `gzip` and `cksum -o 3` compute it.
  private static func crc32(_ text: String) -> UInt32 {
    ~text.utf8.reduce(~0) { crc, byte in
      (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in
        crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1
      }
    }
  }
}

extension RecordingStore {
  /// The schema's statements as SQLite keeps them: the text of `docs/schema.sql`.
  func schema() throws -> String {
    try read { db in
      let statements = try db.rows(
        "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid"
      ) { $0.text(0) + ";\n" }
      return "-- Generated from Migrations/; CONTRIBUTING.md says how.\n\n"
        + statements.joined(separator: "\n")
    }
  }
}
