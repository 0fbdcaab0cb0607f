import ChirperModel
import GRDB

extension RecordingStore {
  /// The species that a typed name means: those of the list of birds that have it, else those of
  /// the recordings that are stored with it. And the scientific names, other than the typed one,
  /// under which recordings of these are stored, in their order.
  ///
  /// A name of the list of species (`NameTable`) is of that species alone. A different name is of
  /// one if `RecordedNames` decides so for a recording with it, or for a copy of that. The
  /// recordings with an epithet of the same stem are looked up in the index, of each name a few are
  /// read. Recordings that are not in the index are read if they have the stem.
  ///
  /// The name of an animal that is not a bird is found under those that a catalogue accepts for
  /// it, or that a copy has.
  ///
  /// No lock is held between the transactions, of which one reads the index.
  ///
  /// - Parameters:
  ///   - names: reads the names of a recording.
  ///   - copies: reads those of the original and the copies of a recording, by its key and names.
  /// - Throws: `StoreError`, and `CancellationError` soon after the task is cancelled.
  package func species(
    named typed: TypedName, names: @escaping @Sendable (Recording) -> RecordedNames,
    copies: @escaping @Sendable (NamedRecording) throws -> [RecordedNames]
  ) throws -> (species: NamedSpecies, otherNames: [Binomial]) {
    var reader = StoredNameReader(self, typed, names, copies)
    let others = try reader.others()
    return (reader.meant, others)
  }

  /// A few recordings that the index has with each of those names.
  package func samples(
    of binomials: [Binomial], names: @escaping @Sendable (Recording) -> RecordedNames
  ) throws -> [Binomial: [NamedRecording]] {
    let reader = SampleReader(store: self, names: names)
    var found: [Binomial: [NamedRecording]] = [:]
    _ = try readIndex { db in
      for segment in try Segment.all(db) where segment.isCurrent {
        let query = SegmentQuery(termsOf: segment, db)
        for binomial in binomials where found[binomial, default: []].count < SampleReader.most {
          let rows = try query.rows(named: binomial)
          found[binomial, default: []] += try reader.samples(of: rows, in: query)
        }
      }
    }
    return found
  }
}

/// The species that a name means.
package struct NamedSpecies: Sendable {
  /// The species of the list of birds.
  package fileprivate(set) var listed: Set<BirdSpecies>
  /// The names of an animal that is not in the list.
  fileprivate var ownNames: Set<Binomial> = []

  /// Whether the names are those of one of the species.
  package func includes(_ names: RecordedNames) -> Bool {
    names.species().map(listed.contains) ?? !ownNames.isDisjoint(with: names.binomials)
  }
}

/// The names of a stored recording.
package struct NamedRecording: Sendable {
  /// The key in the store.
  package let key: Int64
  package let names: RecordedNames

  package init(key: Int64, names: RecordedNames) { (self.key, self.names) = (key, names) }
}

extension [NamedRecording] {
  /// The species that all of them are whose own names decide it, else that all of their copies are;
  /// `nil` if these differ.
  package func species(copies: (NamedRecording) throws -> [RecordedNames]) rethrows -> BirdSpecies?
  {
    let own = compactMap { $0.names.species() }
    if !own.isEmpty { return RecordedNames.only(own) }
    return RecordedNames.only(try flatMap(copies).compactMap { $0.species() })
  }
}

/// Reads a few recordings of many.
private struct SampleReader {
  let store: RecordingStore
  let names: @Sendable (Recording) -> RecordedNames

  /// The most recordings of a name that are read in a segment: each has a different English name.
  static let most = 4

  /// A few of those recordings, each with a different English name.
  func samples(of rows: Bitmap, in query: SegmentQuery) throws -> [NamedRecording] {
    var (rest, samples) = (rows, [NamedRecording]())
    while samples.count < Self.most, let row = rest.first(where: { _ in true }) {
      rest.remove(row)
      guard let sample = try read(row, in: query) else { continue }
      samples.append(sample)
      if let english = sample.names.english {
        rest.subtract(try query.rows(.vernacularName, TextFolding.folded(english.utf8)))
      }
    }
    return samples
  }

  /// A recording; `nil` if it was deleted since.
  func read(_ row: Int, in query: SegmentQuery) throws -> NamedRecording? {
    let key = query.segment.first + Int64(row)
    let stored = try store.recordings([key], ifStored: true, query.db).first
    return stored.map { NamedRecording(key: key, names: names($0.recording)) }
  }
}

/// Reads the names of stored recordings.
private struct StoredNameReader {
  private let store: RecordingStore
  private let typed: TypedName
  private let reader: SampleReader
  private let copies: @Sendable (NamedRecording) throws -> [RecordedNames]
  /// The species that the typed name means.
  private(set) var meant: NamedSpecies
  /// A few recordings of each name that is not decided by them.
  private var undecided: [Binomial: [NamedRecording]] = [:]
  /// The names of the list by the stem of the epithet, as far as they were needed.
  private var listed: [[UInt8]: [Binomial]] = [:]
  /// Whether each name that was met is one of the species.
  private var isOther: [Binomial: Bool] = [:]

  /// The most recordings of a name that are kept to ask for their copies.
  private static let mostMet = 8
  /// The most names with one stem that are read in a segment.
  private static let namesOfStem = 16
  /// Recordings without the index that are looked at in one transaction.
  private static let window = 10_000
  /// The most texts that are looked for; to look for more takes longer than to read every recording.
  private static let mostTexts = 8

  init(
    _ store: RecordingStore, _ typed: TypedName,
    _ names: @escaping @Sendable (Recording) -> RecordedNames,
    _ copies: @escaping @Sendable (NamedRecording) throws -> [RecordedNames]
  ) {
    (self.store, self.typed, self.copies) = (store, typed, copies)
    reader = SampleReader(store: store, names: names)
    meant = NamedSpecies(listed: Set(typed.species))
  }

  mutating func others() throws -> [Binomial] {
    if typed.mayBeStored { try findSpecies() }
    var stems = Dictionary(grouping: meant.listed, by: \.stem)
    for name in meant.ownNames { stems[NameTable.stem(of: name.epithet.utf8), default: []] += [] }
    guard !stems.isEmpty else { return [] }
    try readIndex { reader, query in
      for (stem, species) in stems { try reader.findNames(stem, of: species, in: query) }
    }
    try readUnindexed(with: Array(stems.keys)) { reader, sample in
      guard let binomial = sample.names.scientific.flatMap(Binomial.init),
        !reader.isTyped(binomial), !reader.hasTypedName(sample.names)
      else { return }
      if reader.meant.includes(sample.names) {
        reader.isOther[binomial] = true
      } else if sample.names.species() == nil {
        reader.keep(sample, of: binomial)
      }
    }
    for (binomial, samples) in undecided where isOther[binomial] != true {
      guard let found = try samples.species(copies: copies) else { continue }
      isOther[binomial] = meant.listed.contains(found)
    }
    return isOther.filter(\.value).keys.sorted { $0.description < $1.description }
  }

  /// Finds the species of the stored recordings that have the typed name, or its other names,
  /// unless it is a name of the list.
  private mutating func findSpecies() throws {
    guard meant.listed.isEmpty else { return }
    let typed = typed
    var met: [NamedRecording] = []
    try readIndex { reader, query in
      var rows =
        try typed.kinds.contains(.english)
        ? query.rows(.vernacularName, TextFolding.folded(typed.text.utf8)) : query.noRows
      if let binomial = typed.binomial { rows.formUnion(try query.rows(named: binomial)) }
      met += try reader.reader.samples(of: rows, in: query)
    }
    let word = typed.binomial?.epithet ?? longestWord(typed.text)
    try readUnindexed(with: [Array(word.utf8)]) { reader, sample in
      let isMeant =
        reader.hasTypedName(sample.names)
        || typed.binomial.map { $0 == sample.names.scientific.flatMap(Binomial.init) } ?? false
      if isMeant, met.count < Self.mostMet || sample.names.species() != nil { met.append(sample) }
    }
    meant.listed = Set(met.compactMap { $0.names.species() })
    guard meant.listed.isEmpty else { return }
    let copies = try met.prefix(Self.mostMet).flatMap(copies)
    if let found = RecordedNames.only(copies.compactMap { $0.species() }) {
      meant.listed = [found]
      return
    }
    meant.ownNames = Set([typed.binomial].compactMap(\.self)).union(
      met.flatMap(\.names.acceptedBinomials))
    // Different names of copies, or of recordings with one English name, are different species.
    for names in [met.map(\.names), copies] {
      let named = Set(names.compactMap { $0.scientific.flatMap(Binomial.init) })
      if named.count == 1 { meant.ownNames.formUnion(named) }
    }
  }

  /// Keeps a recording by which a name may be decided.
  private mutating func keep(_ sample: NamedRecording, of binomial: Binomial) {
    guard undecided[binomial, default: []].count < Self.mostMet else { return }
    undecided[binomial, default: []].append(sample)
  }

  /// Finds the names of a segment whose epithets have that stem.
  private mutating func findNames(
    _ stem: [UInt8], of species: [BirdSpecies], in query: SegmentQuery
  ) throws {
    var rest = try query.rows(withStem: stem)
    guard !rest.isEmpty else { return }
    for binomial in species.compactMap({ Binomial($0.scientificName) }) {
      let named = try query.rows(named: binomial)
      rest.subtract(named)
      try add(binomial, named, in: query)
    }
    for binomial in listedNames(withStem: stem) where !rest.isEmpty {
      rest.subtract(try query.rows(named: binomial))
    }
    for binomial in meant.ownNames where NameTable.stem(of: binomial.epithet.utf8) == stem {
      let named = try query.rows(named: binomial)
      rest.subtract(named)
      try add(binomial, named, in: query)
    }
    let met = isOther.filter { NameTable.stem(of: $0.key.epithet.utf8) == stem }
    for (binomial, isOther) in met where !rest.isEmpty {
      let named = try query.rows(named: binomial)
      rest.subtract(named)
      if isOther == false, try isAnyOf(species, named, in: query) {
        try add(binomial, named, in: query)
      }
    }
    for _ in 0..<Self.namesOfStem {
      guard let row = rest.first(where: { _ in true }) else { break }
      rest.remove(row)
      guard let name = try reader.read(row, in: query)?.names.scientific else { continue }
      guard let binomial = Binomial(name) else {
        rest.subtract(try query.rows(.scientificName, TextFolding.folded(name.utf8)))
        continue
      }
      let named = try query.rows(named: binomial)
      rest.subtract(named)
      guard isOther[binomial] == nil else { continue }
      isOther[binomial] = false
      let samples = try reader.samples(of: named, in: query)
      if samples.contains(where: { meant.includes($0.names) }) {
        try add(binomial, named, in: query)
      } else {
        for sample in samples where sample.names.species() == nil { keep(sample, of: binomial) }
      }
    }
  }

  /// The names of the list whose epithets have that stem.
  private mutating func listedNames(withStem stem: [UInt8]) -> [Binomial] {
    if let known = listed[stem] { return known }
    let names = NameTable.species(withStem: stem).compactMap { Binomial($0.scientificName) }
    listed[stem] = names
    return names
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

  /// Calls `body` with the names of the recordings that are not in the index, or changed since, and
  /// have one of the texts.
  private mutating func readUnindexed(
    with texts: [[UInt8]], _ body: (inout Self, NamedRecording) -> Void
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

  private mutating func read(_ keys: [Int64], _ body: (inout Self, NamedRecording) -> Void) throws {
    for batch in keys.batches() {
      for row in try store.recordings(Array(batch), ifStored: true) {
        let found = NamedRecording(key: row.key, names: reader.names(row.recording))
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
