#if Collection

import ChirperModel
import Foundation
import GRDB

/// The rows of a table that an archive joins to its records, staged on the disk until they are
/// joined, because neither table has an order that can be relied on. The file loses its name before
/// the first write, so it ends with the process, however that ends.
package final class ImportStage: Sendable {
  private let queue: DatabaseQueue
  private let path: String
  private static let prefix = "chirper-import-"

  /// - Parameter directory: of the store, whose disk has room for it.
  package init(in directory: String) throws(StoreError) {
    let path = "\(directory)/\(Self.prefix)\(UUID().uuidString)"
    self.path = path
    queue = try RecordingStore.translating(path) {
      let queue = try DatabaseQueue(path: path)
      try? FileManager.default.removeItem(atPath: path)
      Self.removeLeftOvers(in: directory)
      try queue.inDatabase { db in
        // Nobody reads the file after the process.
        for pragma in ["journal_mode = OFF", "synchronous = OFF", "locking_mode = EXCLUSIVE"] {
          try db.run("PRAGMA \(pragma)")
        }
        try db.run("PRAGMA cache_size = -32768")
        // The key has no type: of a number the index takes half as much.
        try db.run(
          "CREATE TABLE item (key NOT NULL, media_table INT NOT NULL, line INT NOT NULL, json TEXT NOT NULL)"
        )
      }
      return queue
    }
  }

  /// Removes the empty files of imports that were killed before they lost their names, and nothing
  /// else that is named like them.
  private static func removeLeftOvers(in directory: String) {
    let files = FileManager.default
    for name in (try? files.contentsOfDirectory(atPath: directory)) ?? []
    where name.hasPrefix(prefix) && UUID(uuidString: String(name.dropFirst(prefix.count))) != nil {
      let path = "\(directory)/\(name)"
      guard let facts = try? files.attributesOfItem(atPath: path),
        facts[.type] as? FileAttributeType == .typeRegular, facts[.size] as? Int == 0
      else { continue }
      try? files.removeItem(atPath: path)
    }
  }

  /// A row of a table, with the key of its record.
  package struct Item: Sendable {
    let key: String
    /// The number of the table, and the line of the row in it.
    let table, line: Int
    let record: RecordingFields

    package init(key: String, table: Int, line: Int, record: RecordingFields) {
      self.key = key
      self.table = table
      self.line = line
      self.record = record
    }
  }

  package func add(_ items: [Item]) throws(StoreError) {
    try RecordingStore.translating(path) {
      try queue.write { db in
        for item in items {
          try db.run(
            "INSERT INTO item VALUES (?, ?, ?, ?)", Self.key(item.key), item.table, item.line,
            item.record)
        }
      }
    }
  }

  /// Prepares for `records(of:)`, after the last row was added.
  package func finish() throws(StoreError) {
    try RecordingStore.translating(path) {
      try queue.write { try $0.run("CREATE INDEX item_key ON item (key)") }
    }
  }

  /// The rows with a key, in the order in which they were added.
  package func records(of key: String) throws(StoreError) -> [RecordingFields] {
    try RecordingStore.translating(path) {
      try queue.inDatabase { db in
        try db.rows("SELECT json FROM item WHERE key = ? ORDER BY rowid", Self.key(key)) {
          RecordingFields(canonical: $0.bytes(0))
        }
      }
    }
  }

  /// Calls `body` with each row that was added.
  package func forEachItem(
    _ body: (_ key: String, _ table: Int, _ line: Int) throws -> Void
  ) throws {
    try queue.inDatabase { db in
      try db.forEachRow("SELECT key, media_table, line FROM item ORDER BY rowid") {
        try body($0.text(0), $0.count(1), $0.count(2))
      }
    }
  }

  /// A key as it is stored: a number if it is spelled as one is.
  private static func key(_ text: String) -> any SQLValue {
    if let number = Int64(text), String(number) == text { number } else { text }
  }
}

#endif
