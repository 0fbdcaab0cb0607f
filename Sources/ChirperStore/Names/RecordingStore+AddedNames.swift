#if Collection

import ChirperModel
import Foundation
import GRDB

extension RecordingStore {
  /// The lists of names that were added, by name.
  package func nameLists() throws(StoreError) -> [NameList] {
    try read { db in
      try db.rows(
        "SELECT name, file, added_at, species_count, languages FROM name_list ORDER BY name"
      ) { row in
        NameList(
          name: row.text(0), file: row.text(1), addedAt: row.date(2), species: row.count(3),
          languages: row.text(4).split(separator: ",").map { language in
            let parts = language.split(separator: " ")
            return NameList.Language(
              code: String(parts.first ?? ""), names: parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
          })
      }
    }
  }

  /// Whether a list of names was added.
  package func hasNameLists() throws(StoreError) -> Bool {
    try read { db in try db.hasRow("SELECT 1 FROM name_list") }
  }

  /// The species that have each of those names in an added list, by the name.
  ///
  /// - Parameter names: letters of names (`TextFolding.foldedLetters`).
  package func addedSpecies(named names: Set<String>) throws(StoreError) -> [String: [AddedSpecies]]
  {
    guard !names.isEmpty else { return [:] }
    return try read { db in
      var found: [String: [AddedSpecies]] = [:]
      for name in names {
        let species = try addedSpecies("folded", name, db)
        if !species.isEmpty { found[name] = species }
      }
      return found
    }
  }

  /// The species that have that name in an added list.
  package func addedSpecies(named name: String) throws(StoreError) -> [AddedSpecies] {
    try read { db in try addedSpecies("folded", TextFolding.foldedLetters(name), db) }
  }

  /// The species that have that scientific name in an added list; several if lists have different
  /// English names for it.
  package func addedSpecies(listedAs name: Binomial) throws(StoreError) -> [AddedSpecies] {
    try read { db in try addedSpecies("scientific", name.description, db) }
  }

  private func addedSpecies(
    _ column: String, _ value: String, _ db: Database
  ) throws -> [AddedSpecies] {
    try db.rows(
      """
      SELECT DISTINCT scientific,
        (SELECT text FROM name AS english WHERE english.scientific = name.scientific
         AND english.language = 'en' AND english.name_list_id = name.name_list_id LIMIT 1),
        name_list_id
      FROM name WHERE \(column) = ?
      """, value
    ) { (listed: $0.text(0), english: $0.optionalText(1), list: $0.int64(2)) }
    .map { name in
      let inFamily = name.english == nil ? Binomial(description: name.listed)?.onlySpecies() : nil
      let present = inFamily.flatMap { Binomial($0.scientificName) }?.description
      let isListed = try db.hasRow(
        "SELECT 1 FROM name WHERE scientific = ? AND name_list_id = ?", present, name.list)
      return AddedSpecies(
        listed: name.listed, english: name.english, onlyInFamily: isListed ? nil : inFamily)
    }.uniqued
  }

  /// Names of the added lists that begin with the letters of a text, in their order.
  package func addedNames(beginningWith text: String, limit: Int) throws(StoreError) -> [String] {
    let letters = TextFolding.foldedLetters(text)
    return try read { db in
      try db.rows(
        """
        SELECT min(text) FROM name WHERE folded >= ? AND folded < ? GROUP BY folded
        ORDER BY folded LIMIT ?
        """, letters, letters + "\u{10FFFF}", limit
      ) { $0.text(0) }
    }
  }

  /// The name in a language of the first of those species that has one: of several the first of the
  /// list that was added last.
  package func name(of species: [Binomial], in language: String) throws(StoreError) -> String? {
    guard !species.isEmpty else { return nil }
    return try read { db in
      for species in species {
        let name = try db.firstRow(
          """
          SELECT text FROM name WHERE scientific = ? AND language = ?
          ORDER BY name_list_id DESC, position LIMIT 1
          """, species.description, language
        ) { $0.text(0) }
        if let name { return name }
      }
      return nil
    }
  }

  /// Adds a list of names, whole or not at all.
  ///
  /// - Parameter names: calls its argument with each name, in the order of the file; a name that a
  ///   species has twice in a language is added once. What it throws is thrown.
  /// - Returns: The list with its numbers; `nil` if there is a list of that name already, and nothing was
  ///   added.
  package func add(
    _ list: NameList, names: (_ add: (AddedName) throws -> Void) throws -> Void
  ) throws -> NameList? {
    var failure: (any Error)?
    do {
      return try write { db in
        let isTaken = try db.hasRow("SELECT 1 FROM name_list WHERE name = ?", list.name)
        guard !isTaken else { return nil }
        // The names are written in the order of the file, all over the tables.
        let cache = try db.firstRow("PRAGMA cache_size") { $0.int64(0) } ?? -2000
        try db.execute(sql: "PRAGMA cache_size = -\(Self.cacheOfNames)")
        defer { try? db.execute(sql: "PRAGMA cache_size = \(cache)") }
        try db.run(
          """
          INSERT INTO name_list (name, file, added_at, species_count, languages)
          VALUES (?, ?, ?, 0, '')
          """, list.name, list.file, list.addedAt)
        let key = db.lastInsertedRowID
        var added: [String: Int] = [:]
        do {
          try names { name in
            guard try insert(name, key, db) else { return }
            added[name.language, default: 0] += 1
          }
        } catch {
          failure = error
          throw error
        }
        return try close(list, key, added, db)
      }
    } catch {
      throw failure.flatMap { $0 is DatabaseError ? nil : $0 } ?? error
    }
  }

  /// Writes and returns the numbers of a list whose names were added.
  ///
  /// - Parameter added: the number of names in each language.
  private func close(
    _ list: NameList, _ key: Int64, _ added: [String: Int], _ db: Database
  ) throws -> NameList {
    let languages = added.sorted { $0.key < $1.key }.map {
      NameList.Language(code: $0.key, names: $0.value)
    }
    let species =
      try db.firstRow(
        "SELECT count(*) FROM (SELECT 1 FROM name WHERE name_list_id = ? GROUP BY scientific)", key
      ) { $0.count(0) } ?? 0
    try db.run(
      "UPDATE name_list SET species_count = ?, languages = ? WHERE name_list_id = ?", species,
      languages.map { "\($0.code) \($0.names)" }.joined(separator: ","), key)
    return NameList(
      name: list.name, file: list.file, addedAt: list.addedAt, species: species,
      languages: languages)
  }

  /// The kilobytes of tables that are kept in memory while names are added.
  private static let cacheOfNames = 64_000

  /// Adds a name unless the species has it in that language.
  private func insert(_ name: AddedName, _ list: Int64, _ db: Database) throws -> Bool {
    let scientific = name.scientific.description
    let folded = TextFolding.foldedLetters(name.text)
    let isKnown = try db.hasRow(
      """
      SELECT 1 FROM name
      WHERE scientific = ? AND language = ? AND name_list_id = ? AND folded = ?
      """, scientific, name.language, list, folded)
    guard !isKnown, !folded.isEmpty else { return false }
    try db.run(
      "INSERT INTO name (scientific, language, name_list_id, position, folded, text) VALUES (?, ?, ?, ?, ?, ?)",
      scientific, name.language, list, name.position, folded, name.text)
    return true
  }

  /// Removes a list of names; `false` without a list of that name.
  package func removeNames(_ list: String) throws(StoreError) -> Bool {
    let isRemoved = try write { db in
      try db.run(
        """
        DELETE FROM name
        WHERE name_list_id = (SELECT name_list_id FROM name_list WHERE name = ?)
        """, list)
      try db.run("DELETE FROM name_list WHERE name = ?", list)
      return db.changesCount > 0
    }
    if isRemoved { giveBackSpace() }
    return isRemoved
  }
}

#endif
