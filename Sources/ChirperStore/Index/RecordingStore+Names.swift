import ChirperModel
import GRDB

extension RecordingStore {
  /// The scientific names, other than the typed one, under which recordings of the species are
  /// stored that a typed name means, in their order.
  ///
  /// A name of the list of species (`NameTable`) is of that species alone. A different name is of
  /// one if `RecordedNames` decides so for a recording with it. The recordings with an epithet of
  /// the same stem are looked up in the index, of each name a few are read. Recordings that are not
  /// in the index are read if they have the stem.
  ///
  /// No lock is held between the transactions, of which one reads the index.
  ///
  /// - Parameter names: reads the names of a recording.
  /// - Throws: `StoreError`, and `CancellationError` soon after the task is cancelled.
  package func otherNames(
    for typed: TypedName, names: @escaping @Sendable (Recording) -> RecordedNames
  ) throws -> [Binomial] {
    var reader = StoredNameReader(self, typed, names)
    return try reader.others()
  }
}

/// Reads the names of stored recordings.
private struct StoredNameReader {
  private let store: RecordingStore
  private let typed: TypedName
  private let names: @Sendable (Recording) -> RecordedNames
  private var species: Set<BirdSpecies>
  /// Whether each name that was met is one of the species.
  private var isOther: [Binomial: Bool] = [:]

  /// The most recordings of a name that are read in a segment: each has a different English name.
  private static let samplesOfName = 4
  /// The most names with one stem that are read in a segment.
  private static let namesOfStem = 16
  /// Recordings without the index that are looked at in one transaction.
  private static let window = 10_000
  /// Recordings that are read at once.
  private static let batch = 250
  /// With more texts than this, it takes longer to look for them than to read every recording.
  private static let mostTexts = 8

  init(
    _ store: RecordingStore, _ typed: TypedName,
    _ names: @escaping @Sendable (Recording) -> RecordedNames
  ) {
    (self.store, self.typed, self.names) = (store, typed, names)
    species = Set(typed.species)
  }

  mutating func others() throws -> [Binomial] {
    if species.isEmpty, typed.mayBeStored { try findSpecies() }
    guard !species.isEmpty else { return [] }
    let stems = Dictionary(grouping: species, by: \.stem)
    try readIndex { reader, query in
      for (stem, species) in stems { try reader.findNames(stem, of: species, in: query) }
    }
    try readUnindexed(with: Array(stems.keys)) { reader, names in
      guard let binomial = names.scientific.flatMap(Binomial.init),
        !reader.isTyped(binomial), !reader.hasTypedName(names), let found = names.species()
      else { return }
      if reader.species.contains(found) { reader.isOther[binomial] = true }
    }
    return isOther.filter(\.value).keys.sorted { $0.description < $1.description }
  }

  /// Finds the species of the stored recordings that have the typed name.
  private mutating func findSpecies() throws {
    let typed = typed
    try readIndex { reader, query in
      var rows =
        try typed.kinds.contains(.english)
        ? query.rows(.vernacularName, TextFolding.folded(typed.text.utf8)) : query.noRows
      if let binomial = typed.binomial { rows.formUnion(try query.rows(named: binomial)) }
      let samples = try reader.samples(of: rows, in: query)
      reader.species.formUnion(samples.compactMap { $0.species() })
    }
    let word = typed.binomial?.epithet ?? longestWord(typed.text)
    try readUnindexed(with: [Array(word.utf8)]) { reader, names in
      let isMeant =
        reader.hasTypedName(names)
        || typed.binomial.map { $0 == names.scientific.flatMap(Binomial.init) } ?? false
      if isMeant, let found = names.species() { reader.species.insert(found) }
    }
  }

  /// Finds the names of a segment whose epithets have that stem.
  private mutating func findNames(
    _ stem: [UInt8], of species: [BirdSpecies], in query: SegmentQuery
  )
    throws
  {
    var rest = try query.rows(withStem: stem)
    guard !rest.isEmpty else { return }
    for listed in NameTable.species(withStem: stem) {
      guard let binomial = Binomial(listed.scientificName) else { continue }
      let named = try query.rows(named: binomial)
      rest.subtract(named)
      if species.contains(listed) { try add(binomial, named, in: query) }
    }
    for (binomial, isOther) in isOther where !rest.isEmpty {
      let named = try query.rows(named: binomial)
      rest.subtract(named)
      if isOther == false, try isAnyOf(species, named, in: query) {
        try add(binomial, named, in: query)
      }
    }
    for _ in 0..<Self.namesOfStem {
      guard let row = rest.first(where: { _ in true }) else { break }
      let sample = try read(row, in: query)
      rest.remove(row)
      guard let name = sample.scientific else { continue }
      guard let binomial = Binomial(name) else {
        rest.subtract(try query.rows(.scientificName, TextFolding.folded(name.utf8)))
        continue
      }
      let named = try query.rows(named: binomial)
      rest.subtract(named)
      guard isOther[binomial] == nil else { continue }
      isOther[binomial] = false
      let samples = try samples(of: named, in: query)
      if samples.contains(where: { $0.species().map(species.contains) ?? false }) {
        try add(binomial, named, in: query)
      }
    }
  }

  /// Whether recordings with a name have the English name of one of the species.
  private func isAnyOf(_ species: [BirdSpecies], _ rows: Bitmap, in query: SegmentQuery) throws
    -> Bool
  {
    try species.contains { species in
      var both = try query.rows(.vernacularName, TextFolding.folded(species.englishName.utf8))
      both.formIntersection(rows)
      return !both.isEmpty
    }
  }

  /// Adds a name unless it was typed, or its recordings have the English name that was typed.
  private mutating func add(_ binomial: Binomial, _ rows: Bitmap, in query: SegmentQuery) throws {
    guard !isTyped(binomial), isOther[binomial] != true else { return }
    let found =
      typed.kinds.contains(.english)
      ? rows.subtracting(try query.rows(.vernacularName, TextFolding.folded(typed.text.utf8)))
      : rows
    if !found.isEmpty { isOther[binomial] = true }
  }

  private func isTyped(_ binomial: Binomial) -> Bool {
    typed.binomial == binomial
      || typed.kinds.contains(.genus) && binomial.genus == TextFolding.folded(typed.text)
  }

  private func hasTypedName(_ names: RecordedNames) -> Bool {
    typed.kinds.contains(.english)
      && names.english.map(TextFolding.folded) == TextFolding.folded(typed.text)
  }

  // MARK: Reading

  /// Calls `body` with the terms of each segment of the index, in one transaction.
  private mutating func readIndex(_ body: (inout Self, SegmentQuery) throws -> Void) throws {
    var reader = self
    _ = try store.readIndex { db in
      for segment in try Segment.all(db) where segment.isCurrent {
        try body(&reader, SegmentQuery(termsOf: segment, db))
      }
    }
    self = reader
  }

  /// The names of a few of those recordings, each with a different English name.
  private func samples(of rows: Bitmap, in query: SegmentQuery) throws -> [RecordedNames] {
    var (rest, samples) = (rows, [RecordedNames]())
    while samples.count < Self.samplesOfName, let row = rest.first(where: { _ in true }) {
      let sample = try read(row, in: query)
      samples.append(sample)
      rest.remove(row)
      if let english = sample.english {
        rest.subtract(try query.rows(.vernacularName, TextFolding.folded(english.utf8)))
      }
    }
    return samples
  }

  /// The names of a recording; none if it was deleted since.
  private func read(_ row: Int, in query: SegmentQuery) throws -> RecordedNames {
    let key = query.segment.first + Int64(row)
    let stored = try store.recordings([key], ifStored: true, query.db).first
    return stored.map { names($0.recording) } ?? RecordedNames()
  }

  /// Calls `body` with the names of the recordings that are not in the index, or changed since, and
  /// have one of the texts.
  private mutating func readUnindexed(
    with texts: [[UInt8]], _ body: (inout Self, RecordedNames) -> Void
  ) throws {
    // Other characters can be escaped in JSON.
    let texts = texts.filter { $0.count > 2 && $0.allSatisfy { (0x61...0x7A).contains($0) } }
    guard !texts.isEmpty else { return }
    let patterns =
      texts.count > Self.mostTexts
      ? [] : texts.map { "%\(String(decoding: $0, as: UTF8.self))%" }
    let values: [(any SQLValue)?] = patterns.map { $0 }
    let condition =
      patterns.isEmpty
      ? "" : " AND (\(patterns.map { _ in "fields LIKE ?" }.joined(separator: " OR ")))"
    let (changed, gaps) = try store.read { db in
      var keys: [Int64] = []
      try db.forEachRow(
        """
        SELECT recording_id FROM recording
        WHERE recording_id IN (SELECT recording_id FROM search_change)\(condition)
        """, values: values
      ) { keys.append($0.int64(0)) }
      var (ranges, first) = ([ClosedRange<Int64>](), Int64(1))
      for segment in try Segment.all(db) where segment.isCurrent {
        if first < segment.first { ranges.append(first...(segment.first - 1)) }
        first = max(first, segment.last + 1)
      }
      return (keys, ranges + [first...Int64.max])
    }
    try read(changed, body)
    for gap in gaps {
      var first = gap.lowerBound
      while true {
        try Task.checkCancellation()
        let (keys, last) = try store.read { db in
          let end =
            try db.firstRow(
              """
              SELECT max(recording_id) FROM (SELECT recording_id FROM recording
                WHERE recording_id BETWEEN ? AND ? ORDER BY recording_id LIMIT ?)
              """, first, gap.upperBound, Self.window
            ) { $0.int64(0) } ?? 0
          var found: [Int64] = []
          try db.forEachRow(
            "SELECT recording_id FROM recording WHERE recording_id BETWEEN ? AND ?\(condition)",
            values: [first, end] + values
          ) { found.append($0.int64(0)) }
          return (found, end)
        }
        try read(keys, body)
        guard last >= first, last < gap.upperBound else { break }
        first = last + 1
      }
    }
  }

  private mutating func read(_ keys: [Int64], _ body: (inout Self, RecordedNames) -> Void) throws {
    for start in stride(from: 0, to: keys.count, by: Self.batch) {
      let batch = Array(keys[start...].prefix(Self.batch))
      for row in try store.recordings(batch, ifStored: true) {
        let found = names(row.recording)
        body(&self, found)
      }
    }
  }

  private func longestWord(_ text: String) -> String {
    let words: [Substring] = TextFolding.folded(text).split { !$0.isLetter }
    return words.max { $0.count < $1.count }.map(String.init) ?? ""
  }
}

extension SegmentQuery {
  fileprivate var noRows: Bitmap { Bitmap(span: segment.span) }

  /// The recordings with that text, which is folded, in a column.
  fileprivate func rows(_ column: DetailColumn, _ text: [UInt8]) throws -> Bitmap {
    guard let key = column.indexKey.map(SearchTermKey.init) else { return noRows }
    return try rows(of: key.term(text))
  }

  /// The recordings with that scientific name, those of subspecies too.
  fileprivate func rows(named binomial: Binomial) throws -> Bitmap {
    try rows(beginning: .scientificName, Array(binomial.description.utf8)) { rest in
      rest.isEmpty || rest.first == UInt8(ascii: " ")
    }
  }

  /// The recordings whose epithets have that stem.
  fileprivate func rows(withStem stem: [UInt8]) throws -> Bitmap {
    try rows(beginning: .specificEpithet, stem) { NameTable.stem(of: stem + $0) == stem }
  }

  /// The recordings with a text in the column that begins so; `isMatch` is given the rest of it.
  private func rows(
    beginning column: DetailColumn, _ text: [UInt8], where isMatch: ([UInt8]) -> Bool
  ) throws -> Bitmap {
    var rows = noRows
    guard let key = column.indexKey.map(SearchTermKey.init) else { return rows }
    let beginning = key.term(text)
    try forEachTerm(from: beginning, before: beginning + [SearchTermKey.end]) { term, encoded in
      let rest = (beginning.count..<term.count).map { term[$0] }
      if isMatch(rest) { try rows.insert(encoded: encoded) }
    }
    return rows
  }
}
