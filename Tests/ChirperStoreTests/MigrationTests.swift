import ChirperModel
import Foundation
import GRDB
import Testing

@testable import ChirperStore

/// How a file gets the tables of this version: with migrations made for the tests, as well as the
/// shipped ones.
@Suite struct MigrationTests {
  private let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
    "chirper-\(UUID().uuidString)")

  private var file: String { directory.appendingPathComponent(RecordingStore.fileName).path }
  private func cleanUp() { try? FileManager.default.removeItem(at: directory) }

  /// Each adds to what the ones before it made.
  static let made = [
    Migration(
      name: "0001_create_note",
      sql: "CREATE TABLE note (\n  note_id INTEGER PRIMARY KEY,\n  text TEXT NOT NULL\n) STRICT;\n"),
    Migration(
      name: "0002_add_day",
      sql: "ALTER TABLE note ADD COLUMN day INTEGER;\nUPDATE note SET day = 7;\n"),
    Migration(
      name: "0003_move_notes",
      sql: """
        CREATE TABLE remark (
          text TEXT PRIMARY KEY,
          day INTEGER
        ) STRICT, WITHOUT ROWID;
        INSERT INTO remark (text, day) SELECT text, day FROM note;
        DROP TABLE note;
        CREATE INDEX remark_day ON remark (day);

        """),
  ]
  static let olderVersions = 1..<made.count

  /// A store of that version with two rows.
  private func makeStore(version: Int) throws {
    let store = try RecordingStore.writable(
      in: directory, migrations: Array(Self.made.prefix(version)))
    try store.write { try $0.execute(sql: "INSERT INTO note (text) VALUES ('a'), ('b')") }
    try store.queue.close()
  }

  private func change(_ sql: String) throws {
    let database = try DatabaseQueue(path: file)
    try database.write { try $0.execute(sql: sql) }
    try database.close()
  }

  private func bytes() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: file)) }

  @Test(arguments: olderVersions)
  func `an older store is migrated and keeps its rows`(version: Int) throws {
    defer { cleanUp() }
    try makeStore(version: version)
    let store = try RecordingStore.writable(in: directory, migrations: Self.made)
    #expect(try store.schema() == RecordingStore.inMemory(migrations: Self.made).schema())
    let (rows, number) = try store.read { db in
      (
        try Row.fetchAll(db, sql: "SELECT * FROM remark").map {
          "\($0["text"] as String) \($0["day"] as Int? ?? 0)"
        },
        try Int.fetchOne(db, sql: "PRAGMA user_version")
      )
    }
    // The second migration gave a day to the rows that were there.
    #expect(rows == (version == 1 ? ["a 7", "b 7"] : ["a 0", "b 0"]))
    #expect(number == 3)
    let before = try bytes()
    try store.queue.close()
    _ = try RecordingStore.writable(in: directory, migrations: Self.made)
    #expect(try bytes() == before)
  }

  @Test(arguments: olderVersions)
  func `an older store that can only be read is refused, because it would have to be migrated`(
    version: Int
  ) throws {
    defer { cleanUp() }
    try makeStore(version: version)
    let before = try bytes()
    let detail =
      "it has version \(version) and can only be read, so it cannot be brought to version 3"
    #expect(throws: StoreError(.cannotOpen(path: file, detail: detail))) {
      try RecordingStore.readOnly(file: file, migrations: Self.made)
    }
    #expect(try bytes() == before)
  }

  @Test func `an empty file that can only be read is refused`() throws {
    defer { cleanUp() }
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    try Data().write(to: URL(fileURLWithPath: file))
    #expect(throws: StoreError(.readOnly(path: file))) { try RecordingStore.readOnly(file: file) }
  }

  @Test func `a migration that fails leaves the file as it was`() throws {
    defer { cleanUp() }
    try makeStore(version: 1)
    let before = try bytes()
    let failing =
      Self.made.prefix(2) + [
        Migration(name: "0003_fail", sql: "DELETE FROM note;\nDELETE FROM absent;\n")
      ]
    #expect(
      throws: StoreError(.unexpected(path: file, detail: "SQLite reports: no such table: absent"))
    ) {
      try RecordingStore.writable(in: directory, migrations: Array(failing))
    }
    #expect(try bytes() == before)
  }

  @Test func `a store with another schema than its version has is not migrated`() throws {
    defer { cleanUp() }
    try makeStore(version: 1)
    try change("ALTER TABLE note ADD COLUMN day TEXT")
    let before = try bytes()
    #expect(
      throws: StoreError(
        .damaged(
          path: file, detail: "the table \"note\" is not as chirper created it"))
    ) {
      try RecordingStore.writable(in: directory, migrations: Self.made)
    }
    #expect(try bytes() == before)
  }

  @Test(arguments: olderVersions)
  func `a trigger in an older store does not run when the store is migrated`(version: Int) throws {
    defer { cleanUp() }
    try makeStore(version: version)
    try change("CREATE TRIGGER evil AFTER UPDATE ON note BEGIN DELETE FROM note; END")
    let before = try bytes()
    #expect(
      throws: StoreError(
        .damaged(
          path: file, detail: "the trigger \"evil\" was not created by chirper"))
    ) {
      try RecordingStore.writable(in: directory, migrations: Self.made)
    }
    #expect(try bytes() == before)
  }

  @Test func `a newer store is refused`() throws {
    defer { cleanUp() }
    try makeStore(version: 2)
    let before = try bytes()
    #expect(throws: StoreError(.newer(path: file, version: 2, known: 1))) {
      try RecordingStore.writable(in: directory, migrations: Array(Self.made.prefix(1)))
    }
    #expect(try bytes() == before)
  }
}
