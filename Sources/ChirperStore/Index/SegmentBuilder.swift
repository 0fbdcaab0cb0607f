import ChirperModel

/// Gathers the terms and columns of up to `capacity` recordings in memory, to be written in one transaction.
struct SegmentBuilder {
  /// The most keys of a segment.
  static let capacity = 65_536

  private let firstKey: Int64
  private var numbers = TermNumbers()
  private let everything: Int
  private let unknown: Int
  private var source: (catalogue: CatalogueID, term: Int)?
  /// The terms of the recordings, one recording after the other.
  private var terms: [UInt32] = []
  /// The row of each recording, and where its terms end.
  private var rows: [(row: UInt16, end: Int)] = []
  /// The latest row with each term, -1 where there is none.
  private var latestRows: [Int32] = []
  /// The terms of values that many recordings share, by the raw value of their key.
  private var shared = [SharedValues](repeating: SharedValues(), count: 128)
  private var licences: [Licence: Int] = [:]
  private var columns = SearchIndexColumn.details.map(NumberColumn.init)
  private var storedAt: [(time: Int64, count: Int32)] = []
  /// Rows that the runs have.
  private var storedAtCount = 0

  /// The columns of the details whose words or values are terms, with the key of the values.
  private static let termColumns: [(column: DetailColumn, key: SearchTermKey?, isSearched: Bool, areShared: Bool)] =
    DetailColumn.allCases.filter { $0.isSearched || $0.termKey != nil }.map {
      ($0, $0.termKey.map(SearchTermKey.init), $0.isSearched, $0.areTermsShared)
    }

  /// The numbers of one column of the details.
  private struct NumberColumn {
    let column: DetailColumn
    let form: IndexedNumber
    var bytes: [UInt8] = []
    private var count = 0

    init(_ column: DetailColumn) {
      self.column = column
      form = IndexedNumber(column)
    }

    mutating func set(_ details: RecordingDetails, at row: Int) {
      // Keys without a recording have no number.
      while count < row {
        form.append(nil, to: &bytes)
        count += 1
      }
      form.append(column.number(of: details), to: &bytes)
      count += 1
    }
  }

  /// Terms of the values of one field, by the value as it is in the details.
  private struct SharedValues {
    var all: [String: [Int]] = [:]
    /// Lists are sorted, so the next recording mostly has the same value.
    var latest: (text: String, terms: [Int])?

    mutating func terms(of text: String) -> [Int]? {
      if let latest, latest.text == text { return latest.terms }
      guard let terms = all[text] else { return nil }
      latest = (text, terms)
      return terms
    }
  }

  init(firstKey: Int64) {
    self.firstKey = firstKey
    (everything, unknown) = (
      numbers.number(of: SearchTermKey.everything.term([])), numbers.number(of: SearchTermKey.unknown.term([]))
    )
  }

  /// Keys are added in ascending order, each less than `firstKey + capacity`.
  ///
  /// - Parameter details: `nil` for a recording that the index cannot decide about.
  mutating func add(_ key: Int64, catalogue: CatalogueID, _ details: RecordingDetails?, storedAt time: Int64) {
    let row = Int(key - firstKey)
    addColumns(row, details ?? RecordingDetails(), time)
    insert(row, everything)
    if let details { addTerms(row, catalogue, details) } else { insert(row, unknown) }
    rows.append((UInt16(row), terms.count))
  }

  private mutating func addTerms(_ row: Int, _ catalogue: CatalogueID, _ details: RecordingDetails) {
    if source?.catalogue != catalogue {
      source = (catalogue, numbers.number(of: SearchTermKey.source.term(catalogue.rawValue.utf8)))
    }
    if let source { insert(row, source.term) }
    for (column, key, isSearched, areShared) in Self.termColumns {
      switch column.value(of: details) {
      case .text(let text): add(row, key, text, isSearched: isSearched, isShared: areShared)
      case .list(let texts): for text in texts { add(row, key, text, isSearched: isSearched, isShared: areShared) }
      default: break
      }
    }
    if let licence = details.licence, let term = licences[licence] ?? firstTerm(of: licence) { insert(row, term) }
  }

  private mutating func firstTerm(of licence: Licence) -> Int? {
    licences[licence] = value(.licence, licence.indexed)
    return licences[licence]
  }

  private mutating func addColumns(_ row: Int, _ details: RecordingDetails, _ time: Int64) {
    for index in columns.indices { columns[index].set(details, at: row) }
    // Keys without a recording belong to the run of the next one.
    let count = Int32(row + 1 - storedAtCount)
    if storedAt.last?.time == time { storedAt[storedAt.count - 1].count += count } else { storedAt.append((time, count)) }
    storedAtCount = row + 1
  }

  /// - Parameters:
  ///   - key: of the value; `nil` if only its words are terms.
  ///   - isSearched: whether bare words are searched in it.
  ///   - isShared: whether many recordings have the same value.
  private mutating func add(_ row: Int, _ key: SearchTermKey?, _ text: String, isSearched: Bool, isShared: Bool) {
    let index = Int(key?.rawValue ?? 0)
    if isShared, let terms = shared[index].terms(of: text) {
      for term in terms { insert(row, term) }
      return
    }
    let folded = TextFolding.folded(text.utf8)
    guard isShared else {
      if let key, let term = value(key, folded) { insert(row, term) }
      if isSearched { forEachWord(of: folded) { $0.insert(row, $1) } }
      return
    }
    var terms = key.flatMap { value($0, folded) }.map { [$0] } ?? []
    if isSearched { forEachWord(of: folded) { terms.append($1) } }
    shared[index].all[text] = terms
    for term in terms { insert(row, term) }
  }

  /// Calls `body` with the term of each word.
  private mutating func forEachWord(of folded: [UInt8], _ body: (inout Self, Int) -> Void) {
    // After a byte that each word replaces in turn, so that no term is copied to be looked up.
    var text = [0] + folded
    text.withUnsafeMutableBufferPointer { text in
      let bytes = UnsafeBufferPointer(rebasing: text[1...])
      FoldedText.forEachWord(of: bytes) { word in
        let end = min(word.upperBound, word.lowerBound + SearchTermKey.longestWord)
        let before = text[word.lowerBound]
        text[word.lowerBound] = SearchTermKey.word.rawValue
        body(&self, numbers.number(of: UnsafeBufferPointer(rebasing: text[word.lowerBound..<(end + 1)])))
        text[word.lowerBound] = before
      }
    }
  }

  /// `nil` for an empty value, which no search finds.
  private mutating func value(_ key: SearchTermKey, _ folded: [UInt8]) -> Int? {
    if folded.isEmpty { return nil }
    return numbers.number(of: folded.count <= SearchTermKey.longestValue ? key.term(folded) : key.ofLongValues)
  }

  private mutating func insert(_ row: Int, _ term: Int) {
    while latestRows.count <= term { latestRows.append(-1) }
    // A recording can have a word several times.
    guard latestRows[term] != Int32(row) else { return }
    latestRows[term] = Int32(row)
    terms.append(UInt32(term))
  }

  // MARK: As the store keeps it

  /// Calls `body` with each block of terms, in the order of the terms.
  func forEachBlock(span: Int, _ body: (TermBlock) throws -> Void) rethrows {
    // Where the rows of each term end among all of them; while these are filled in, the end of those that are there.
    var ends = [Int](repeating: 0, count: latestRows.count)
    for term in terms { ends[Int(term)] += 1 }
    var count = 0
    for term in ends.indices { (ends[term], count) = (count, count + ends[term]) }
    var rowsOfTerms = [UInt16](repeating: 0, count: count)
    var start = 0
    for (row, end) in rows {
      for term in terms[start..<end] {
        rowsOfTerms[ends[Int(term)]] = row
        ends[Int(term)] += 1
      }
      start = end
    }
    var block = TermBlock()
    for number in numbers.sorted() where number < ends.count {
      let rows = rowsOfTerms[(number == 0 ? 0 : ends[number - 1])..<ends[number]]
      if rows.isEmpty { continue }
      while !block.append(numbers[number], rows, span: span) {
        try body(block)
        block = TermBlock()
      }
    }
    if !block.bytes.isEmpty { try body(block) }
  }

  /// The bytes of a column.
  func bytes(of column: SearchIndexColumn) -> [UInt8] {
    switch column {
    case .detail(let detail): return columns.first { $0.column == detail }?.bytes ?? []
    case .storedAt:
      var bytes: [UInt8] = []
      for run in storedAt {
        IndexedNumber.append(UInt64(bitPattern: run.time), to: &bytes)
        IndexedNumber.append(UInt32(bitPattern: run.count), to: &bytes)
      }
      return bytes
    }
  }
}

/// Gives terms numbers from 0. They are kept one after the other: a dictionary would have an array for each.
private struct TermNumbers {
  private struct Slot {
    /// The lower half of the term's hash.
    var hash: UInt32 = 0
    /// -1 where there is no term.
    var number: Int32 = -1
  }

  private var bytes: [UInt8] = []
  private var ends: [Int] = []
  /// By hash; never more than half full.
  private var slots = [Slot](repeating: Slot(), count: 1024)

  /// The term of that number.
  subscript(number: Int) -> ArraySlice<UInt8> { bytes[range(number)] }

  private func range(_ number: Int) -> Range<Int> { (number == 0 ? 0 : ends[number - 1])..<ends[number] }

  /// The numbers in the order of their terms.
  func sorted() -> [Int] {
    bytes.withUnsafeBufferPointer { bytes in
      let term = { UnsafeBufferPointer(rebasing: bytes[range($0)]) }
      // Most terms differ in their first bytes, which are compared without a look at the others.
      return ends.indices.map { (head: ByteScan.head(term($0)), number: $0) }
        .sorted { $0.head != $1.head ? $0.head < $1.head : ByteScan.precedes(term($0.number), term($1.number)) }
        .map(\.number)
    }
  }

  /// The number of the term; the next one if it is new.
  mutating func number(of term: [UInt8]) -> Int {
    term.withUnsafeBufferPointer { number(of: $0) }
  }

  /// The number of the term; the next one if it is new.
  mutating func number(of term: UnsafeBufferPointer<UInt8>) -> Int {
    let hash = UInt32(truncatingIfNeeded: ByteScan.hash(term))
    var place = Int(hash) & (slots.count - 1)
    while slots[place].number >= 0 {
      if slots[place].hash == hash, isTerm(Int(slots[place].number), term) { return Int(slots[place].number) }
      place = (place + 1) & (slots.count - 1)
    }
    slots[place] = Slot(hash: hash, number: Int32(ends.count))
    bytes.append(contentsOf: term)
    ends.append(bytes.count)
    if ends.count * 2 > slots.count { grow() }
    return ends.count - 1
  }

  private func isTerm(_ number: Int, _ term: UnsafeBufferPointer<UInt8>) -> Bool {
    bytes.withUnsafeBufferPointer { ByteScan.areEqual(UnsafeBufferPointer(rebasing: $0[range(number)]), term) }
  }

  private mutating func grow() {
    let filled = slots.filter { $0.number >= 0 }
    slots = [Slot](repeating: Slot(), count: slots.count * 2)
    for slot in filled {
      var place = Int(slot.hash) & (slots.count - 1)
      while slots[place].number >= 0 { place = (place + 1) & (slots.count - 1) }
      slots[place] = slot
    }
  }
}
