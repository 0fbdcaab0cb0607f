import ChirperModel

/// Gathers the terms and columns of up to `capacity` recordings in memory, to be written in one transaction.
struct SegmentBuilder {
  /// The most keys of a segment.
  static let capacity = 65_536

  private let firstKey: Int64
  private var numbers: [[UInt8]: Int] = [:]
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
  mutating func add(_ key: Int64, catalogue: CatalogueID, _ details: RecordingDetails, storedAt time: Int64) {
    let row = Int(key - firstKey)
    addColumns(row, details, time)
    insert(row, term(SearchTermKey.everything.term([])))
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
    var words: [Range<Int>] = []
    folded.withUnsafeBufferPointer { bytes in FoldedText.forEachWord(of: bytes) { words.append($0) } }
    return words.map { term(SearchTermKey.word.term(folded[$0].prefix(SearchTermKey.longestWord))) }
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
    if let number = numbers[term] { return number }
    numbers[term] = rows.count
    rows.append([])
    return rows.count - 1
  }

  private mutating func insert(_ row: Int, _ term: Int) {
    // A recording can have a word several times.
    if rows[term].last != UInt16(row) { rows[term].append(UInt16(row)) }
  }

  // MARK: As the store keeps it

  /// Calls `body` with each term and the bytes of its rows, in the order of the terms.
  func forEachTerm(span: Int, _ body: ([UInt8], [UInt8]) throws -> Void) rethrows {
    for (term, number) in numbers.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      try body(term, RowSet.encoded(rows[number], span: span))
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
