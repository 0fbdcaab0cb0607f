import ChirperModel

/// Gathers the terms and columns of up to `capacity` recordings in memory, to be written in one transaction.
struct SegmentBuilder {
  /// The most keys of a segment.
  static let capacity = 65_536

  private let firstKey: Int64
  private var numbers = TermNumbers()
  private var rows: [[UInt16]] = []
  /// The terms of values that many recordings share, by the value as it is in the details.
  private var known: [SearchTermKey: [String: [Int]]] = [:]
  private var wide: [SearchIndexColumn: [Double]]
  private var dates: [SearchIndexColumn: [Int32]] = [.eventDate: [], .uploaded: []]
  private var qualities: [UInt8] = []
  private var storedAt: [(time: Int64, count: Int32)] = []
  /// Rows that the runs have.
  private var storedAtCount = 0

  private static let wideColumns: [SearchIndexColumn] = [.duration, .number, .latitude, .longitude, .elevation]

  init(firstKey: Int64) {
    self.firstKey = firstKey
    wide = Dictionary(uniqueKeysWithValues: Self.wideColumns.map { ($0, []) })
  }

  /// Keys are added in ascending order, each less than `firstKey + capacity`.
  ///
  /// - Parameter details: `nil` for a recording that the index cannot decide about.
  mutating func add(_ key: Int64, catalogue: CatalogueID, _ details: RecordingDetails?, storedAt time: Int64) {
    let row = Int(key - firstKey)
    addColumns(row, details ?? RecordingDetails(), time)
    insert(row, term(SearchTermKey.everything.term([])))
    guard let details else { return insert(row, term(SearchTermKey.unknown.term([]))) }
    insert(row, term(SearchTermKey.source.term(catalogue.rawValue.utf8)))
    addShared(row, .englishName, details.vernacularName, isSearched: true)
    addShared(row, .scientificName, details.scientificName, isSearched: true)
    addShared(row, .country, details.country, isSearched: true)
    addShared(row, .recordist, details.recordedBy, isSearched: true)
    for text in details.soundType { addShared(row, .soundType, text, isSearched: true) }
    addShared(row, .genus, details.genus)
    addShared(row, .epithet, details.specificEpithet)
    addShared(row, .subspecies, details.infraspecificEpithet)
    addShared(row, .group, details.group)
    for text in details.sex { addShared(row, .sex, text) }
    for text in details.lifeStage { addShared(row, .lifeStage, text) }
    addShared(row, .method, details.samplingProtocol)
    if let licence = details.licence { addValue(row, .licence, licence.indexed) }
    // Nearly every recording has another of these.
    if let text = details.locality { addText(row, .locality, text) }
    for text in details.backgroundSpecies { addText(row, .background, text) }
    if let text = details.remarks { addText(row, nil, text) }
  }

  private mutating func addColumns(_ row: Int, _ details: RecordingDetails, _ time: Int64) {
    for column in Self.wideColumns {
      let value: Double? =
        switch column {
        case .duration: details.duration
        case .number: SearchNumberField.number.number(of: details)
        case .latitude: details.coordinate?.latitude
        case .longitude: details.coordinate?.longitude
        default: details.elevation
        }
      Self.set(value ?? .nan, at: row, in: &wide[column, default: []], empty: .nan)
    }
    Self.set(details.eventDate?.packed ?? 0, at: row, in: &dates[.eventDate, default: []], empty: 0)
    Self.set(details.uploaded?.packed ?? 0, at: row, in: &dates[.uploaded, default: []], empty: 0)
    Self.set(details.quality?.rank ?? 0, at: row, in: &qualities, empty: 0)
    // Keys without a recording belong to the run of the next one.
    let count = Int32(row + 1 - storedAtCount)
    if storedAt.last?.time == time { storedAt[storedAt.count - 1].count += count } else { storedAt.append((time, count)) }
    storedAtCount = row + 1
  }

  private static func set<Value>(_ value: Value, at row: Int, in column: inout [Value], empty: Value) {
    while column.count < row { column.append(empty) }
    column.append(value)
  }

  /// - Parameter isSearched: whether bare words are searched in it.
  private mutating func addShared(_ row: Int, _ key: SearchTermKey, _ text: String?, isSearched: Bool = false) {
    guard let text else { return }
    if let terms = known[key]?[text] {
      for term in terms { insert(row, term) }
      return
    }
    let folded = TextFolding.folded(text.utf8)
    var terms = value(key, folded).map { [$0] } ?? []
    if isSearched { terms += words(of: folded) }
    known[key, default: [:]][text] = terms
    for term in terms { insert(row, term) }
  }

  private mutating func addText(_ row: Int, _ key: SearchTermKey?, _ text: String) {
    let folded = TextFolding.folded(text.utf8)
    if let key { addValue(row, key, folded) }
    for term in words(of: folded) { insert(row, term) }
  }

  private mutating func words(of folded: [UInt8]) -> [Int] {
    var terms: [Int] = []
    // After a byte that each word replaces in turn, so that no term is copied to be looked up.
    var text = [0] + folded
    text.withUnsafeMutableBufferPointer { text in
      let bytes = UnsafeBufferPointer(rebasing: text[1...])
      FoldedText.forEachWord(of: bytes) { word in
        let end = min(word.upperBound, word.lowerBound + SearchTermKey.longestWord)
        let before = text[word.lowerBound]
        text[word.lowerBound] = SearchTermKey.word.rawValue
        terms.append(numbered(UnsafeBufferPointer(rebasing: text[word.lowerBound..<(end + 1)])))
        text[word.lowerBound] = before
      }
    }
    return terms
  }

  private mutating func addValue(_ row: Int, _ key: SearchTermKey, _ folded: [UInt8]) {
    if let term = value(key, folded) { insert(row, term) }
  }

  /// `nil` for an empty value, which no search finds.
  private mutating func value(_ key: SearchTermKey, _ folded: [UInt8]) -> Int? {
    if folded.isEmpty { return nil }
    return term(folded.count <= SearchTermKey.longestValue ? key.term(folded) : key.ofLongValues)
  }

  private mutating func term(_ term: [UInt8]) -> Int {
    term.withUnsafeBufferPointer { numbered($0) }
  }

  private mutating func numbered(_ term: UnsafeBufferPointer<UInt8>) -> Int {
    let number = numbers.number(of: term)
    if number == rows.count { rows.append([]) }
    return number
  }

  private mutating func insert(_ row: Int, _ term: Int) {
    // A recording can have a word several times.
    if rows[term].last != UInt16(row) { rows[term].append(UInt16(row)) }
  }

  // MARK: As the store keeps it

  /// Calls `body` with each term and the bytes of its rows, in the order of the terms.
  func forEachTerm(span: Int, _ body: ([UInt8], [UInt8]) throws -> Void) rethrows {
    for (number, term) in numbers.terms.enumerated().sorted(by: { $0.element.lexicographicallyPrecedes($1.element) }) {
      try body(Array(term), RowSet.encoded(rows[number], span: span))
    }
  }

  /// The bytes of a column.
  func bytes(of column: SearchIndexColumn) -> [UInt8] {
    var bytes: [UInt8] = []
    if let values = wide[column] {
      for value in values { Self.append(value.bitPattern, to: &bytes) }
    } else if let values = dates[column] {
      for value in values { Self.append(UInt32(bitPattern: value), to: &bytes) }
    } else if column == .quality {
      bytes = qualities
    } else {
      for run in storedAt {
        Self.append(UInt64(bitPattern: run.time), to: &bytes)
        Self.append(UInt32(bitPattern: run.count), to: &bytes)
      }
    }
    return bytes
  }

  private static func append(_ value: some FixedWidthInteger, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }
}

/// Gives terms numbers from 0. They are kept one after the other: a dictionary would have an array for each.
private struct TermNumbers {
  private var bytes: [UInt8] = []
  private var ends: [Int] = []
  /// Numbers of terms by their hash, -1 where there is none; never more than half full.
  private var slots = [Int32](repeating: -1, count: 1024)

  /// Every term, by its number.
  var terms: [ArraySlice<UInt8>] {
    ends.indices.map { bytes[($0 == 0 ? 0 : ends[$0 - 1])..<ends[$0]] }
  }

  /// The number of the term; the next one if it is new.
  mutating func number(of term: UnsafeBufferPointer<UInt8>) -> Int {
    var slot = self.slot(of: term)
    while slots[slot] >= 0 {
      if isTerm(Int(slots[slot]), term) { return Int(slots[slot]) }
      slot = (slot + 1) & (slots.count - 1)
    }
    slots[slot] = Int32(ends.count)
    bytes.append(contentsOf: term)
    ends.append(bytes.count)
    if ends.count * 2 > slots.count { grow() }
    return ends.count - 1
  }

  private func slot(of term: UnsafeBufferPointer<UInt8>) -> Int {
    Int(truncatingIfNeeded: ByteScan.hash(term)) & (slots.count - 1)
  }

  private func isTerm(_ number: Int, _ term: UnsafeBufferPointer<UInt8>) -> Bool {
    let start = number == 0 ? 0 : ends[number - 1]
    guard ends[number] - start == term.count else { return false }
    for index in term.indices where bytes[start + index] != term[index] { return false }
    return true
  }

  private mutating func grow() {
    slots = [Int32](repeating: -1, count: slots.count * 2)
    for (number, term) in terms.enumerated() {
      var slot = term.withUnsafeBufferPointer { self.slot(of: $0) }
      while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = Int32(number)
    }
  }
}
