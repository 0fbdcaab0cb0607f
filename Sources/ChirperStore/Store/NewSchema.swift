#if Collection

import ChirperModel
import Foundation
import GRDB

/// Gives a damaged file, whose own schema SQLite cannot read, the schema of a new store, so
/// that its tables can be read.
///
/// A file begins with its header and schema; without them every row is lost. Both are equal
/// in all stores that one version created, and on equal pages: in a file that gives back
/// space (decision 0018) SQLite keeps the first pages of all tables and indexes at the
/// start. So all pages of a new store replace those of the file, except the first pages of
/// tables and indexes, which lead to the rows. In a store that was migrated, later tables
/// begin where the version that created it had the schema. With that version's schema all
/// but these are read.
enum NewSchema {
  private static let pageSize = 4096

  /// Copies the file with the header and schema of a new store of some version; `false` if there is
  /// not even a page to copy.
  static func copy(_ path: String, to copy: String, _ migrations: [Migration]) throws(StoreError)
    -> Bool
  {
    let store = try RecordingStore.writable(file: copy, migrations: migrations)
    return try RecordingStore.translating(path) {
      let roots = Set(
        try store.queue.read { try $0.rows("SELECT rootpage FROM sqlite_schema") { $0.int(0) } })
      try store.queue.close()
      do {
        let new = try Data(contentsOf: URL(fileURLWithPath: copy))
        try FileManager.default.removeItem(atPath: copy)
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: copy))
        defer { try? file.close() }
        let pages = Int(try file.seekToEnd()) / pageSize
        let newPages = new.count / pageSize
        guard pages > 1 else { return false }
        let size = max(pages, newPages)
        // Pages that were cut off are zeros then, which SQLite refuses to read.
        try file.truncate(atOffset: UInt64(size * pageSize))
        for page in 0..<newPages where !roots.contains(page + 1) {
          try file.seek(toOffset: UInt64(page * pageSize))
          try file.write(contentsOf: new[page * pageSize..<(page + 1) * pageSize])
        }
        // The header's size in pages.
        try file.seek(toOffset: 28)
        try file.write(contentsOf: (0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * $0)) })
        return true
      } catch let error as CocoaError {
        if error.code == .fileWriteOutOfSpace { throw StoreError(.diskFull(path: copy)) }
        throw StoreError(.inputOutput(path: path, detail: error.localizedDescription))
      }
    }
  }
}

#endif
