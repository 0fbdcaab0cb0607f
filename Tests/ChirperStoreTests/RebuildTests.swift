import ChirperModel
import Foundation
import GRDB
import Testing

@testable import ChirperStore

/// A repair copies every column of every table.
@Suite struct RebuildTests {
  private let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
    "chirper-\(UUID().uuidString)")
  private let now = Date(timeIntervalSince1970: 1_780_000_000)

  private var file: String { directory.appendingPathComponent(RecordingStore.fileName).path }

  @Test func `the tables that are copied are those of the schema but the search index`() throws {
    let tables = try RecordingStore.inMemory().queue.read { db in
      try String.fetchAll(
        db,
        sql:
          "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'search!_%' ESCAPE '!' ORDER BY rowid"
      )
    }
    #expect(Rebuild.tables == tables)
  }

  @Test func `a page that lost rows does not claim their records`() {
    var list = SalvagedList()
    list.pages[1] = PageRecord(number: 1, walk: 1, fetchedAt: now, records: 3, rowCount: 4)
    list.rows[1] = [SalvagedList.Row(position: 0, recording: 1, isCarried: false)]
    list.repair(fetchedAt: now)
    #expect(list.pages[1]?.recordCount == 1 && list.lostRows == 3)
  }

  @Test(arguments: [0, 100, 4096])
  func `every value of a store is in the repaired one`(lostBytes: Int) throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let before = try makeStore()
    for (table, rows) in before {
      let empty = rows.first.map { first in
        first.indices.filter { column in rows.allSatisfy { $0[column].isNull } }
      }
      #expect(empty == [], "a row of \(table) must have a value in each column")
    }
    var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    bytes.replaceSubrange(0..<lostBytes, with: Data(count: lostBytes))
    try bytes.write(to: URL(fileURLWithPath: file))
    let repair = try #require(try StoreRepair(directory: directory, now: now).run())
    #expect((repair.lost, repair.incomplete) == (Repair.Counts(), []))
    let store = try RecordingStore.writable(in: directory)
    #expect(try store.schema() == RecordingStore.inMemory().schema())
    #expect(try store.queue.read { try Self.contents($0) } == before)
  }

  @Test(arguments: [false, true])
  func `a store that the first version created is repaired without its header`(isMigrated: Bool)
    throws
  {
    defer { try? FileManager.default.removeItem(at: directory) }
    let store = try RecordingStore.writable(in: directory, migrations: [Migrations.all[0]])
    let query = CatalogueQuery(
      catalogue: .sample, identity: "q", pageSize: 500, typed: "q", requestText: "q")
    try store.write { db in
      try db.execute(
        sql: """
          INSERT INTO catalogue VALUES (1, 'sample', 11, 12);
          INSERT INTO query VALUES (1, 1, 'q', 500, 'q', 'q', 1, 0, 0, 0, 'complete', NULL, 31);
          INSERT INTO page VALUES (1, 1, 1, 51, 500, 1, 1, NULL, NULL, '', 0, NULL, 500, 0);
          WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 500)
          INSERT INTO recording SELECT n, 1, n, '{"id":"' || n || '","t":"' || hex(zeroblob(200)) || '"}', 21, 21 FROM number;
          INSERT INTO entry SELECT 1, 1, recording_id - 1, recording_id, 0 FROM recording;
          """)
    }
    try store.queue.close()
    if isMigrated { try RecordingStore.writable(in: directory).queue.close() }
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: file))
    try file.write(contentsOf: Data(count: 4096))
    try file.close()
    let repair = try #require(try StoreRepair(directory: directory, now: now).run())
    #expect((repair.kept.recordings, repair.kept.rows, repair.lost) == (500, 500, Repair.Counts()))
    let stored = try RecordingStore.readable(in: directory).stored(query)
    #expect((stored?.count, stored?.completeness) == (500, .complete))
  }

  @Test func `labels that cannot be read are named by their file`() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    _ = try makeStore()
    let store = try RecordingStore.readable(in: directory)
    let page = try store.queue.read {
      try Int.fetchOne($0, sql: "SELECT rootpage FROM sqlite_schema WHERE name = 'label'") ?? 0
    }
    try store.queue.close()
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: file))
    try file.seek(toOffset: UInt64(page - 1) * 4096)
    try file.write(contentsOf: Data(repeating: 0xFF, count: 4096))
    try file.close()
    let repair = try #require(try StoreRepair(directory: directory, now: now).run())
    #expect(repair.lostLabels == ["a.txt"])
    #expect(repair.kept.recordings == 3)
    #expect(try StoreRepair(directory: directory, now: now).run()?.lostLabels == .some(nil))
  }

  /// A store with a value in every column.
  private func makeStore() throws -> [String: [[DatabaseValue]]] {
    let store = try RecordingStore.writable(file: file)
    defer { try? store.queue.close() }
    return try store.queue.write { db in
      try db.execute(
        sql: """
          INSERT INTO catalogue VALUES (1, 'sample', 11, 12);
          INSERT INTO field VALUES (1, 1, 'id'), (2, 1, 't');
          INSERT INTO recording VALUES (1, 1, 'a', '{"id":"a"}', 21, 22), (2, 1, 'b', '{"id":"b","t":1}', 23, 24),
            (3, 1, 'c', '{"id":"c"}', 25, 26);
          INSERT INTO query VALUES (1, 1, 'q', 2, 'Q', 'sent', 3, 0, 1, 0, 'complete', 31, 32);
          INSERT INTO departure VALUES (3, 1, 41);
          INSERT INTO page VALUES (1, 1, 3, 51, 2, 2, 1, 2, 'token', '', 0, 1, 1, 0),
            (1, 2, 3, 52, 2, 2, 1, NULL, NULL, 'a', 0, 1, 1, 0);
          INSERT INTO entry VALUES (1, 1, 0, 1, 0), (1, 2, 0, 2, 0);
          INSERT INTO arrival VALUES (2, 1, 42);
          INSERT INTO change VALUES (1, 2, 24, '{"id":"b","t":0}'), (2, 1, 22, '{"id":"a","t":0}');
          INSERT INTO fall VALUES (1, 3, 61);
          INSERT INTO exchange VALUES (1, 2, 1);
          INSERT INTO import VALUES (1, '10.1/a', 't', '2026-11-20', 'a.zip', 'f', 3, 1, 1, '2 long' || char(10), 'c', 'r');
          INSERT INTO name_list VALUES (1, 'hessen', 'hessen.csv', 71, 1, 'de 2');
          INSERT INTO name VALUES ('turdus merula', 'de', 1, 2, 'amsel', 'Amsel'),
            ('turdus merula', 'de', 1, 3, 'schwarzdrossel', 'Schwarzdrossel');
          INSERT INTO label VALUES (1, 'a', 'a.txt', 'A. Name', 81, '[{"startTime":1}]'),
            (1, 'z', 'a.txt', 'A. Name', 81, '[]');
          """)
      return try Self.contents(db)
    }
  }

  /// Every row of the tables that are copied.
  private static func contents(_ db: Database) throws -> [String: [[DatabaseValue]]] {
    var contents: [String: [[DatabaseValue]]] = [:]
    for table in Rebuild.tables {
      contents[table] = try Row.fetchAll(db, sql: "SELECT * FROM \(table)").map {
        Array($0.databaseValues)
      }
    }
    return contents
  }
}
