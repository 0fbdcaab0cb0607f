import ChirperMigrations
import ChirperStore
import Foundation
import Testing

@Suite struct SchemaTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Run with CHIRPER_WRITE_SCHEMA=1 to write the file anew.
  @Test func `the schema in docs is the schema of a new store`() throws {
    let schema = try RecordingStore.inMemory().schema()
    let file = Self.root.appendingPathComponent("docs/schema.sql")
    if ProcessInfo.processInfo.environment["CHIRPER_WRITE_SCHEMA"] != nil {
      try schema.write(to: file, atomically: true, encoding: .utf8)
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == schema)
  }

  @Test func `the list of migrations is the folder, numbered without holes`() throws {
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
}
