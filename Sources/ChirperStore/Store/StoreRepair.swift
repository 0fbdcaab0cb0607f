#if Collection

import ChirperModel
import Foundation
import GRDB

/// The result of a repair.
package struct Repair: Hashable, Sendable {
  /// The path that the damaged file has now.
  package internal(set) var damagedCopy = ""
  /// The content of the new store.
  package internal(set) var kept = Counts()
  /// The content that was lost, as far as the rest of the file refers to it. Rows that left
  /// no trace cannot be counted.
  package internal(set) var lost = Counts()
  /// The queries, as they were typed, whose list is no longer whole. Their next fetch
  /// requests the missing rows.
  package internal(set) var incomplete: [String] = []
  /// The queries of `incomplete` whose rows were imported from a file, which no fetch requests.
  package internal(set) var imported: [String] = []
  /// The files whose labels can be lost, as far as they are known; `nil` if no labels are lost.
  package internal(set) var lostLabels: [String]?

  /// Numbers of things in a store.
  package struct Counts: Hashable, Sendable {
    /// Lists.
    package var queries = 0
    /// Pages of lists.
    package var pages = 0
    /// Rows of lists.
    package var rows = 0
    /// Recordings.
    package var recordings = 0
  }
}

/// Builds a sound store from the readable parts of a damaged one.
///
/// A new file is built next to the old one, which is then linked to a second name, and the
/// new one renamed over it. If the repair is killed before that, nothing has changed. A
/// database that is newer or not chirper's is left alone.
package struct StoreRepair {
  private let directory: URL
  private let now: Date
  /// The file itself, if a link that stays leads to it.
  private let path: String
  /// The path that the repair's own files begin with.
  private let temporary: String
  private let damagedName: String

  package init(directory: URL, now: Date) {
    self.directory = directory
    self.now = now
    path = RecordingStore.resolved(directory.appendingPathComponent(RecordingStore.fileName).path)
    damagedName = Self.damagedName(path, now)
    temporary = path + ".repair-\(UInt32.random(in: 0 ... .max))"
  }

  /// Repairs the store; `nil` if the file does not exist.
  package func run() throws(StoreError) -> Repair? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    if FileKind(path) == .device {
      throw StoreError(.cannotOpen(path: path, detail: "it is a device, not a database"))
    }
    let folder = path.folderOfPath
    guard access(folder, W_OK) == 0 else { throw .unwritable(path) }
    try moveOddCompanions()
    let fresh = temporary + ".sqlite"
    defer {
      for suffix in ["", "-journal"] {
        for file in [fresh, copy, attempt] { unlink(file + suffix) }
      }
    }
    return try RecordingStore.translating(path) {
      let isFile = FileKind(path) == .file
      if isFile,
        let repair = try rebuild(from: path, into: fresh, finish: { try finish(&$0, fresh) })
      {
        return repair
      }
      var repair = try isFile ? salvageCopy(into: fresh) ?? Repair() : Repair()
      try finish(&repair, fresh)
      return repair
    }
  }

  /// Checks the new file and puts it in the place of the old one.
  private func finish(_ repair: inout Repair, _ fresh: String) throws {
    let store = try RecordingStore.writable(file: fresh)
    let problems = try store.diagnosis(of: directory).problems
    guard problems.isEmpty else {
      throw StoreError(
        .unexpected(
          path: path, detail: "the repaired copy is not sound: \(problems[0])"))
    }
    try store.queue.close()
    repair.damagedCopy = try replaceStore(with: fresh)
  }

  /// Reads a copy of a file whose schema SQLite cannot read, with a new schema of the version that
  /// gives the most rows; `nil`, with nothing created, if nothing can be read.
  private func salvageCopy(into fresh: String) throws -> Repair? {
    var best: Repair?
    for version in (1...Migrations.all.count).reversed() {
      guard try NewSchema.copy(path, to: copy, Array(Migrations.all.prefix(version))) else {
        return nil
      }
      defer { unlink(copy) }
      guard let repair = try rebuild(from: copy, into: attempt) else { continue }
      guard
        best.map({ $0.kept.rows + $0.kept.recordings < repair.kept.rows + repair.kept.recordings })
          ?? true
      else {
        unlink(attempt)
        continue
      }
      guard rename(attempt, fresh) == 0 else { throw failure(fresh) }
      best = repair
    }
    return best
  }

  private var copy: String { temporary + ".copy" }
  private var attempt: String { temporary + ".attempt" }

  /// Moves aside files that are named like a journal but are not regular files. SQLite
  /// would wait for a named pipe.
  private func moveOddCompanions() throws(StoreError) {
    for suffix in SQLiteCompanion.suffixes {
      guard let kind = FileKind(path + suffix, followsLinks: false), kind != .file else { continue }
      guard rename(path + suffix, damagedName + suffix) == 0 else { throw failure(path + suffix) }
    }
  }

  /// `nil`, with nothing created, if the file does not have the tables that are copied.
  ///
  /// - Parameter finish: called when the new file is written, while other processes still wait for
  ///   the old one.
  private func rebuild(
    from file: String, into fresh: String, finish: (inout Repair) throws -> Void = { _ in }
  ) throws -> Repair? {
    var isReading = false
    do {
      // Opening plays back a journal that a killed process left.
      let damaged = try DatabaseQueue(
        path: file, configuration: RecordingStore.configuration(readOnly: false))
      defer { try? damaged.close() }
      let found = try RecordingStore(path: path, queue: damaged)
      let version = try damaged.read { try found.headerVersion($0) }
      let migrations = version > 0 ? Migrations.all.prefix(version) : Migrations.all[...]
      // The write lock keeps other processes out until the new file has its name.
      var repair: Repair?
      try damaged.writeWithoutTransaction { old in
        try old.inTransaction(.immediate) {
          guard try SchemaCheck.hasTables(Rebuild.tables, in: old, after: migrations) else {
            return .rollback
          }
          let salvage = try Salvage(old)
          isReading = true
          let store = try RecordingStore.writable(file: fresh)
          defer { try? store.queue.close() }
          var made = try store.queue.write { new in
            try Rebuild(old: salvage, new: new, now: now).run()
          }
          try store.queue.close()
          try finish(&made)
          RecordingStore.keepLog(old)
          repair = made
          return .rollback
        }
      }
      return repair
    } catch let error as DatabaseError where !isReading {
      switch error.resultCode {
      case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_CANTOPEN, .SQLITE_IOERR:
        return nil
      // Its header says so, not the file system.
      case .SQLITE_READONLY where access(file, W_OK) == 0: return nil
      default: throw error
      }
    }
  }

  /// Gives the old file a second name and renames the new one over the first, so that there is a
  /// store under that name at every moment. Returns the second name.
  private func replaceStore(with fresh: String) throws -> String {
    let name = damagedName
    if FileKind(path) != .file {
      guard Descriptor.rename(path, to: name, in: path.folderOfPath) else { throw failure(name) }
    } else {
      // A journal that could not be played back belongs to the old file; under its name it would be
      // played into the new one.
      for suffix in ["", "-journal", "-wal"]
      where FileManager.default.fileExists(atPath: path + suffix) {
        if link(path + suffix, name + suffix) != 0 {
          // A file system without links, such as that of a memory card.
          do {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: name + suffix)
          } catch {
            unlink(name + suffix)
            throw failure(name)
          }
        }
      }
      for suffix in SQLiteCompanion.suffixes { unlink(path + suffix) }
    }
    guard Descriptor.rename(fresh, to: path, in: path.folderOfPath) else { throw failure(path) }
    return name
  }

  private func failure(_ file: String) -> StoreError {
    switch errno {
    case ENOSPC, EDQUOT: StoreError(.diskFull(path: file))
    case EROFS, EACCES, EPERM: .unwritable(file)
    case let code: StoreError(.inputOutput(path: file, detail: String(cString: strerror(code))))
    }
  }

  /// `chirper.sqlite.damaged-20261121T101500Z`, followed by a number if that exists.
  private static func damagedName(_ path: String, _ now: Date) -> String {
    let stamp = now.formatted(
      Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted, timeZone: .gmt))
    let base = "\(path).damaged-\(stamp)"
    var name = base
    var count = 1
    while FileManager.default.fileExists(atPath: name) {
      count += 1
      name = "\(base)-\(count)"
    }
    return name
  }
}

#endif
