import ChirperModel
import GRDB
import GRDBSQLite

/// The reading for screens, on a connection of its own. A store in memory has only one
/// connection.
extension RecordingStore {
  /// The facts about a stored query; `nil` if it was never fetched.
  package func shown(_ query: CatalogueQuery) throws(StoreError) -> StoredQuery? {
    try shown(query, waits: true) ?? nil
  }

  /// The facts about a stored query; the inner `nil` if it was never fetched.
  ///
  /// - Parameter waits: if `false`, the result is `nil` if the facts could not be read at
  ///   once.
  package func shown(_ query: CatalogueQuery, waits: Bool) throws(StoreError) -> StoredQuery?? {
    try readForScreen(waits: waits) { db in
      try queryRow(of: query, db).map { try storedQuery($0, db) }
    }
  }

  /// The queries with rows in the catalogue and with the page size of a query whose text is that of
  /// it or of one of its alternatives, or which were typed so; the latest first.
  ///
  /// - Parameter waits: if `false`, the result is `nil` if they could not be read at once.
  package func queriesWithRows(like query: CatalogueQuery, waits: Bool) throws(StoreError)
    -> [CatalogueQuery]?
  {
    let sameList = "catalogue.name = ? AND page_size = ?"
    let hasRows = "EXISTS (SELECT 1 FROM entry WHERE entry.query_id = query.query_id)"
    return try readForScreen(waits: waits) { db in
      func queries(_ condition: String, _ text: String) throws -> [CatalogueQuery] {
        try db.rows(
          "\(QueryRow.select) WHERE \(sameList) AND \(condition) AND \(hasRows) ORDER BY query_id DESC",
          query.catalogue.rawValue, query.pageSize, text
        ) { try QueryRow($0).query }
      }
      for form in [query] + query.alternatives {
        let found = try queries("text = ?", form.identity)
        if !found.isEmpty { return found }
      }
      return try queries("typed = ? COLLATE NOCASE", query.typed)
    }
  }

  /// The recordings with those keys, without those that are deleted.
  ///
  /// - Parameter waits: if `false`, the result is `nil` if they could not be read at once.
  package func recordings(_ keys: [Int64], waits: Bool) throws(StoreError) -> [StoredRecording]? {
    try readForScreen(waits: waits) { db in try recordings(keys, ifStored: true, db) }
  }

  /// The rows at those positions of a query's list, from 0, clamped to its end; costs the rows
  /// read, not the list.
  package func rows(of query: CatalogueQuery, in range: Range<Int>) throws(StoreError)
    -> [Recording]
  {
    try rows(of: query, in: range, waits: true) ?? []
  }

  /// The rows of a query's list in a range of positions.
  ///
  /// - Parameter waits: if `false`, the result is `nil` if the rows could not be read at
  ///   once, because a different thread reads for a screen, or a process is just writing a
  ///   transaction to the file.
  package func rows(of query: CatalogueQuery, in range: Range<Int>, waits: Bool) throws(StoreError)
    -> [Recording]?
  {
    try readForScreen(waits: waits) { db in
      try recordings(readableKeys(of: query, in: range, db).keys, db).map(\.recording)
    }
  }

  /// A version of the store. It differs after every change of the database by a different
  /// connection, of any process, and for a store in memory after every change of rows by
  /// this one. Two files have different versions.
  package func version() throws(StoreError) -> [Int] {
    try readForScreen(waits: true) { db in
      let version = try db.firstRow("PRAGMA data_version") { $0.int(0) } ?? 0
      return [version, db.totalChangesCount, Int(truncatingIfNeeded: file?.inode ?? 0)]
    } ?? []
  }

  /// Whether the path leads to a different file than the one that is open; waits for nothing.
  package var isReplaced: Bool {
    do throws(StoreError) {
      if file != nil { try checkPath() }
      _ = try readForScreen(waits: false) { _ in true }
    } catch {
      if case .replaced = error.reason { return true }
    }
    return false
  }

  private func readForScreen<T>(waits: Bool, _ body: (Database) throws -> T) throws(StoreError)
    -> T?
  {
    guard path != Self.memoryPath else { return try read(body) }
    let wait = DatabaseWait()
    return try usingFile {
      try screens.use(waits: waits) {
        // It writes nothing, but it must be able to play back the journal that a killed process
        // left.
        try newConnection()
      } _: { connection in
        do {
          return try Self.reading(connection) { db in
            if waits { return try wait.limited(on: db) { try checked(db, wait: wait, body) } }
            sqlite3_busy_timeout(db.sqliteConnection, 0)
            return try checked(db, body)
          }
        } catch let error as DatabaseError where !waits && error.resultCode == .SQLITE_BUSY {
          return nil
        }
      }
    }
  }
}
