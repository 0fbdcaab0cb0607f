#if Collection

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
  ///   - details: reads the details of a recording.
  ///   - elsewhere: reads the names that the rest of the store gives a recording.
  /// - Throws: `StoreError`, and `CancellationError` soon after the task is cancelled.
  package func species(
    named typed: TypedName, details: @escaping @Sendable (Recording) -> RecordingDetails,
    elsewhere: @escaping @Sendable (NamedRecording) throws -> [RecordedNames]
  ) throws -> (species: NamedSpecies, otherNames: [Binomial]) {
    var reader = StoredNameReader(
      store: self, typed: typed, reader: SampleReader(store: self, details: details),
      elsewhere: elsewhere, meant: NamedSpecies(listed: Set(typed.species)))
    let others = try reader.others()
    return (reader.meant, others)
  }

  /// The species that the index says for each of those names, none of which is in the list of birds.
  ///
  /// - Parameters:
  ///   - haveCopies: whether copies may decide where the names of a recording do not.
  ///   - details: reads the details of a recording.
  package func species(
    ofUnlisted wanted: Set<Binomial>, haveCopies: Bool,
    details: @escaping @Sendable (Recording) -> RecordingDetails
  ) throws -> [Binomial: SpeciesOfName] {
    let reader = SampleReader(store: self, details: details)
    var found: [Binomial: SpeciesOfName] = [:]
    _ = try readIndex { db in
      for segment in try Segment.all(db) where segment.isCurrent {
        let query = SegmentQuery(termsOf: segment, db)
        for unlisted in try query.unlistedNames() where wanted.contains(unlisted.name) {
          if let species = unlisted.species {
            found[unlisted.name, default: .init()].decided.insert(species)
          } else if haveCopies || unlisted.mayBeSpecies,
            found[unlisted.name, default: .init()].undecided.count < SampleReader.most
          {
            found[unlisted.name, default: .init()].undecided += try reader.samples(
              of: unlisted.rows, in: query)
          }
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

  /// Adds the species of a different name.
  package mutating func formUnion(_ other: NamedSpecies) {
    listed.formUnion(other.listed)
    ownNames.formUnion(other.ownNames)
  }

  /// Whether the names are those of one of the species.
  package func includes(_ names: RecordedNames) -> Bool {
    names.species.map(listed.contains) ?? !ownNames.isDisjoint(with: names.binomials)
  }
}

/// What recordings with a name say about its species.
package struct SpeciesOfName: Sendable {
  /// The species that the names of some of them mean.
  var decided: Set<BirdSpecies> = []
  /// A few of the recordings whose own names decide nothing.
  var undecided: [NamedRecording] = []

  package init() {}

  /// The species, which the rest of the store decides if the names of the recordings do not; `nil` if
  /// there are several.
  package func species(
    elsewhere: (NamedRecording) throws -> [RecordedNames]
  ) rethrows -> BirdSpecies? {
    guard decided.isEmpty else { return RecordedNames.only(Array(decided)) }
    return RecordedNames.only(try undecided.flatMap(elsewhere).compactMap { $0.species })
  }

  /// Every species that the name is stored for, which are several if it was split. Recordings whose
  /// own names decide nothing are of the species that other taxonomies and the rest of the store
  /// have. Of several, only those in the family of the genus count.
  func all(
    elsewhere: (NamedRecording) throws -> [RecordedNames]
  ) rethrows -> Set<BirdSpecies> {
    var others = Set<BirdSpecies>()
    var inFamily = Set<BirdSpecies>()
    for sample in undecided {
      let genus = sample.names.binomial?.genus
      let family = genus.flatMap { NameTable.species(ofGenus: $0).first?.family }
      let accepted = sample.names.acceptedBinomials.compactMap(\.species)
      for species in try accepted + elsewhere(sample).compactMap({ $0.species }) {
        others.insert(species)
        if species.family == family { inFamily.insert(species) }
      }
    }
    return decided.isEmpty && others.count == 1 ? others : decided.union(inFamily)
  }

  /// Adds a recording.
  package mutating func add(_ recording: NamedRecording) {
    if let species = recording.names.species {
      decided.insert(species)
    } else {
      undecided.append(recording)
    }
  }
}

/// The names of a stored recording.
package struct NamedRecording: Sendable {
  /// The key in the store.
  package let key: Int64
  package let catalogue: CatalogueID
  package let names: RecordedNames
  /// The recording that this one is a copy of.
  package let alsoIn: RecordingID?

  package init(_ row: StoredRecording, _ details: RecordingDetails) {
    key = row.key
    catalogue = row.recording.id.catalogue
    names = RecordedNames(details)
    alsoIn = details.alsoIn
  }
}

/// Reads a few recordings of many.
private struct SampleReader {
  let store: RecordingStore
  let details: @Sendable (Recording) -> RecordingDetails

  /// The most recordings of a name that are read in a segment: each has a different English name.
  static let most = 4

  /// A few of those recordings, each with a different English name.
  func samples(of rows: Bitmap, in query: SegmentQuery) throws -> [NamedRecording] {
    var rest = rows
    var samples = [NamedRecording]()
    while samples.count < Self.most, let row = rest.first(where: { _ in true }) {
      rest.remove(row)
      let key = query.segment.first + Int64(row)
      // It may have been deleted since.
      guard let stored = try store.recordings([key], ifStored: true, query.db).first else {
        continue
      }
      let sample = NamedRecording(stored, details(stored.recording))
      samples.append(sample)
      if let english = sample.names.english {
        rest.subtract(try query.rows(.vernacularName, TextFolding.folded(english.utf8)))
      }
    }
    return samples
  }
}

/// Reads the names of stored recordings.
private struct StoredNameReader {
  let store: RecordingStore
  let typed: TypedName
  let reader: SampleReader
  let elsewhere: @Sendable (NamedRecording) throws -> [RecordedNames]
  /// The species that the typed name means.
  var meant: NamedSpecies
  /// The names of recordings that are of these species by their own names, and those of recordings
  /// that are of others.
  var named: Set<Binomial> = []
  var namedOtherwise: Set<Binomial> = []
  /// Recordings of each name that do not decide it themselves.
  var undecided: [Binomial: SpeciesOfName] = [:]
  /// The names of the species other than the typed one.
  var found: Set<Binomial> = []

  /// The most recordings of a name that are kept to ask for their copies.
  private static let mostMet = 8
  /// Recordings without the index that are looked at in one transaction.
  private static let window = 10_000
  /// The most texts that are looked for; to look for more takes longer than to read every recording.
  private static let mostTexts = 8

  mutating func others() throws -> [Binomial] {
    if typed.mayBeStored { try findSpecies() }
    let stems = Set(meant.listed.map(\.stem)).union(meant.ownNames.map(\.stem))
    guard !stems.isEmpty else { return [] }
    let names = meant.ownNames.union(meant.listed.compactMap { Binomial($0.scientificName) })
      .filter { !isTyped($0) }
    try readIndex { reader, query in
      for name in names where !reader.found.contains(name) {
        try reader.add(name, query.rows(named: name), in: query)
      }
      try reader.readUnlistedNames(withStems: stems, in: query)
    }
    try readUnindexed(with: stems.map(NameTable.commonPart(ofStem:))) { reader, sample in
      guard let binomial = sample.names.binomial, !reader.isTyped(binomial) else { return }
      let isFound = reader.isFoundByEnglishName && reader.hasTypedName(sample.names)
      if reader.meant.includes(sample.names) {
        if isFound { reader.named.insert(binomial) } else { reader.found.insert(binomial) }
      } else if sample.names.species != nil {
        reader.namedOtherwise.insert(binomial)
      } else if !isFound {
        reader.keep(sample, of: binomial)
      }
    }
    for (binomial, recordings) in undecided where !found.contains(binomial) {
      let isNamed = named.contains(binomial) && !namedOtherwise.contains(binomial)
      if try isNamed || !meant.listed.isDisjoint(with: recordings.all(elsewhere: elsewhere)) {
        found.insert(binomial)
      }
    }
    return found.sorted { $0.description < $1.description }
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
        || typed.binomial.map { $0 == sample.names.binomial } ?? false
      if isMeant, met.count < Self.mostMet || sample.names.species != nil { met.append(sample) }
    }
    var species = SpeciesOfName()
    for recording in met
    where species.undecided.count < Self.mostMet || recording.names.species != nil {
      species.add(recording)
    }
    meant.listed = try species.all(elsewhere: elsewhere)
    guard meant.listed.isEmpty else { return }
    let copies = try species.undecided.flatMap(elsewhere)
    meant.ownNames = Set([typed.binomial].compactMap(\.self)).union(
      met.flatMap(\.names.acceptedBinomials))
    // Different names of copies, or of recordings with one English name, are different species.
    for names in [met.map(\.names), copies] {
      let named = Set(names.compactMap(\.binomial))
      if named.count == 1 { meant.ownNames.formUnion(named) }
    }
  }

  /// Keeps a recording by which a name may be decided.
  private mutating func keep(_ sample: NamedRecording, of binomial: Binomial) {
    if let other = sample.names.english.flatMap(NameTable.species(englishName:)),
      !meant.listed.contains(other)
    {
      namedOtherwise.insert(binomial)
    }
    guard undecided[binomial, default: .init()].undecided.count < Self.mostMet else { return }
    undecided[binomial, default: .init()].add(sample)
  }

  /// Reads what a segment says of the names that are not in the list.
  private mutating func readUnlistedNames(withStems stems: Set<[UInt8]>, in query: SegmentQuery)
    throws
  {
    for unlisted in try query.unlistedNames(withStems: stems) {
      let name = unlisted.name
      guard !isTyped(name), !found.contains(name) else { continue }
      if let decided = unlisted.species {
        if meant.listed.contains(decided) {
          named.insert(name)
          try add(name, unlisted.rows, in: query)
        } else {
          namedOtherwise.insert(name)
        }
        continue
      }
      guard undecided[name, default: .init()].undecided.count < Self.mostMet else { continue }
      for sample in try reader.samples(of: unlisted.rows, in: query)
      where !isFoundByEnglishName || !hasTypedName(sample.names) {
        if meant.includes(sample.names) {
          try add(name, unlisted.rows, in: query)
        } else {
          keep(sample, of: name)
        }
      }
    }
  }

  /// Adds a name, unless the recordings with it have the English name that was typed.
  private mutating func add(_ name: Binomial, _ rows: Bitmap, in query: SegmentQuery) throws {
    var rows = rows
    if isFoundByEnglishName {
      rows.subtract(try query.rows(.vernacularName, TextFolding.folded(typed.text.utf8)))
    }
    if !rows.isEmpty { found.insert(name) }
  }

  private func isTyped(_ binomial: Binomial) -> Bool {
    typed.binomial == binomial
      || typed.kinds.contains(.genus) && binomial.genus == TextFolding.folded(typed.text)
  }

  /// Whether recordings with the typed English name are found without a further name.
  private var isFoundByEnglishName: Bool {
    typed.kinds.contains(.english) && !typed.isOfOtherSpecies
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
    let texts = texts.filter { $0.count > 1 && $0.allSatisfy(\.isSmallLetter) }
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
      var ranges = [ClosedRange<Int64>]()
      var first = Int64(1)
      for segment in try Segment.all(db) where segment.isCurrent {
        if first < segment.first { ranges.append(first...(segment.first - 1)) }
        first = max(first, segment.last + 1)
      }
      return (keys, ranges + [first...Int64.max])
    }
    try read(changed, body)
    for gap in gaps { try read(gap, condition, values, body) }
  }

  /// Calls `body` with the names of the recordings in a range of keys that satisfy a condition. It
  /// reads them in windows, without a lock between them.
  private mutating func read(
    _ range: ClosedRange<Int64>, _ condition: String, _ values: [(any SQLValue)?],
    _ body: (inout Self, NamedRecording) -> Void
  ) throws {
    var first = range.lowerBound
    while true {
      try Task.checkCancellation()
      let (keys, last) = try store.read { db in
        let end =
          try db.firstRow(
            """
            SELECT max(recording_id) FROM (SELECT recording_id FROM recording
              WHERE recording_id BETWEEN ? AND ? ORDER BY recording_id LIMIT ?)
            """, first, range.upperBound, Self.window
          ) { $0.int64(0) } ?? 0
        var found: [Int64] = []
        try db.forEachRow(
          "SELECT recording_id FROM recording WHERE recording_id BETWEEN ? AND ?\(condition)",
          values: [first, end] + values
        ) { found.append($0.int64(0)) }
        return (found, end)
      }
      try read(keys, body)
      guard last >= first, last < range.upperBound else { break }
      first = last + 1
    }
  }

  private mutating func read(_ keys: [Int64], _ body: (inout Self, NamedRecording) -> Void) throws {
    for batch in keys.batches() {
      for row in try store.recordings(Array(batch), ifStored: true) {
        let found = NamedRecording(row, reader.details(row.recording))
        body(&self, found)
      }
    }
  }

  private func longestWord(_ text: String) -> String {
    let words: [Substring] = TextFolding.folded(text).split { !$0.isLetter }
    return words.max { $0.count < $1.count }.map(String.init) ?? ""
  }
}

/// A name that is not in the list of birds, in a segment.
private struct UnlistedName {
  let name: Binomial
  /// The species that the names of the recordings mean; `nil` if they decide nothing.
  let species: BirdSpecies?
  /// Whether the rest of the store may decide it.
  let mayBeSpecies: Bool
  let rows: Bitmap
}

extension SegmentQuery {
  fileprivate var noRows: Bitmap { Bitmap(span: segment.span) }

  /// The recordings with that text, which is folded, in a column.
  fileprivate func rows(_ column: DetailColumn, _ text: [UInt8]) throws -> Bitmap {
    guard let key = column.termKey else { return noRows }
    return try rows(of: key.term(text))
  }

  /// The recordings with that scientific name, those of subspecies too.
  fileprivate func rows(named binomial: Binomial) throws -> Bitmap {
    var rows = noRows
    guard let key = DetailColumn.scientificName.termKey else { return rows }
    let name = key.term(binomial.description.utf8)
    try forEachTerm(from: name, before: name + [UInt8(ascii: " ") + 1]) { term, encoded in
      if term.count == name.count || term[name.count] == UInt8(ascii: " ") {
        try rows.insert(encoded: encoded)
      }
    }
    return rows
  }

  /// The names that are not in the list of birds; only those with one of the stems, if there are
  /// any.
  fileprivate func unlistedNames(withStems stems: Set<[UInt8]>? = nil) throws -> [UnlistedName] {
    let key = SearchTermKey.unlistedName
    // To look up more takes longer than to read every name.
    let beginnings = stems.flatMap { $0.count > 8 ? nil : $0.map { key.term($0 + [0]) } }
    var names: [UnlistedName] = []
    for beginning in beginnings ?? [key.term([])] {
      try forEachTerm(with: beginning) { term, encoded in
        guard let end = term.indices.first(where: { term[$0] == 0 }),
          stems?.contains((1..<end).map { term[$0] }) ?? true
        else { return }
        let texts = (end + 1..<term.count).map { term[$0] }
          .split(separator: 0, omittingEmptySubsequences: false)
          .map { String(decoding: $0, as: UTF8.self) }
        guard texts.count == 2, let name = Binomial(description: texts[0]) else {
          throw SearchBlock.damaged
        }
        var rows = noRows
        try rows.insert(encoded: encoded)
        names.append(
          UnlistedName(
            name: name, species: NameTable.species(named: texts[1]),
            mayBeSpecies: texts[1] == SearchTermKey.maybeSpecies, rows: rows))
      }
    }
    return names
  }
}

#endif
