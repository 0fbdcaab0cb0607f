import ChirperModel
import Foundation
import GRDB

/// Decides with the index alone which recordings of one segment satisfy a search, as far as the index can.
///
/// Each term gives two sets: recordings that satisfy it for certain, and a larger one with those that may, which only the
/// recording itself can decide. A term that is negated swaps them. All reads are of the caller's transaction.
struct SegmentQuery {
  let db: Database
  let firstKey: Int64
  let span: Int
  /// The recordings that the search is about: those that have not changed since the segment was written.
  private(set) var unchanged: Bitmap
  /// The recordings that changed or were deleted since the segment was written, and those that it knows nothing of.
  private(set) var changed: Bitmap

  /// - Parameter key: recordings up to it are left out, because the search has passed them.
  init(_ segment: Segment, after key: Int64 = .min, _ db: Database) throws {
    self.db = db
    firstKey = segment.first
    span = Int(segment.span)
    (unchanged, changed) = (Bitmap(span: span), Bitmap(span: span))
    changed = try rows(of: SearchTermKey.unknown.term([]))
    try SQLStatement(db, "SELECT recording_id FROM search_change WHERE recording_id BETWEEN ? AND ?")
      .forEach(.int(segment.first), .int(segment.last)) { changed.insert(Int($0.int64(0) - segment.first)) }
    unchanged = try rows(of: SearchTermKey.everything.term([])).subtracting(changed)
    guard key >= firstKey else { return }
    for row in 0...Int(key - firstKey) {
      changed.remove(row)
      unchanged.remove(row)
    }
  }

  /// What is known of a term.
  private struct Rows {
    var certain: Bitmap
    var possible: Bitmap

    init(_ rows: Bitmap) { (certain, possible) = (rows, rows) }

    init(certain: Bitmap, possible: Bitmap) { (self.certain, self.possible) = (certain, possible) }
  }

  /// The recordings that satisfy every term for certain, and those of which only the recording itself can say it: those that
  /// changed are among them.
  func rows(_ matcher: SearchMatcher) throws -> (certain: Bitmap, undecided: Bitmap) {
    var all = Rows(unchanged)
    // Terms of the index first, then columns, then the lists, which have a row for each recording.
    for stage in 0..<3 {
      for term in matcher.terms where Self.stage(term.condition) == stage && !all.possible.isEmpty {
        narrow(&all, term.isNegated, try rows(term.condition, matcher, among: all.possible))
      }
    }
    var undecided = all.possible.subtracting(all.certain)
    undecided.formUnion(changed)
    return (all.certain, undecided)
  }

  private func narrow(_ all: inout Rows, _ isNegated: Bool, _ rows: Rows) {
    if isNegated {
      all.certain.subtract(rows.possible)
      all.possible.subtract(rows.certain)
    } else {
      all.certain.formIntersection(rows.certain)
      all.possible.formIntersection(rows.possible)
    }
  }

  private static func stage(_ condition: SearchCondition) -> Int {
    switch condition {
    case .words, .text, .anyText, .species, .licence, .source: 0
    case .number, .quality, .box, .uploaded, .firstSeen, .audio: 1
    case .list, .gone: 2
    }
  }

  // MARK: Terms

  /// The recordings with exactly that term.
  func rows(of term: [UInt8]) throws -> Bitmap {
    var rows = Bitmap(span: span)
    // Nothing is between a term and the same with a zero after it.
    try forEachTerm(from: term, before: term + [0]) { try rows.insert(encoded: $1) }
    return rows
  }

  /// The recordings with a term that begins so and that `isMatch` accepts, which is given what follows the term's first byte.
  private func rows(
    ofTermsWith beginning: [UInt8], where isMatch: (UnsafeBufferPointer<UInt8>) -> Bool = { _ in true }
  ) throws -> Bitmap {
    var rows = Bitmap(span: span)
    try forEachTerm(with: beginning) { term, encoded in
      if isMatch(UnsafeBufferPointer(rebasing: term.dropFirst())) { try rows.insert(encoded: encoded) }
    }
    return rows
  }

  private func forEachTerm(
    with beginning: [UInt8], _ body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) throws -> Void
  ) throws {
    try forEachTerm(from: beginning, before: beginning + [SearchTermKey.end], body)
  }

  /// Calls `body` with each term of that range, in order, and the bytes of its rows.
  private func forEachTerm(
    from first: [UInt8], before end: [UInt8], _ body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) throws -> Void
  ) throws {
    try SQLStatement(
      db,
      """
      SELECT terms FROM search_block WHERE first_key = ?1 AND first_term < ?3 AND first_term >= coalesce(
        (SELECT first_term FROM search_block WHERE first_key = ?1 AND first_term <= ?2 ORDER BY first_term DESC LIMIT 1), x'')
      ORDER BY first_term
      """
    ).forEach(.int(firstKey), .blob(first), .blob(end)) { row in
      try TermBlock.forEachTerm(in: row.blob(0)) { term, rows in
        guard end.withUnsafeBufferPointer({ ByteScan.precedes(term, $0) }) else { return false }
        if !first.withUnsafeBufferPointer({ ByteScan.precedes(term, $0) }) { try body(term, rows) }
        return true
      }
    }
  }

  /// How many of the rows each catalogue has.
  func counts(of wanted: Bitmap) throws -> [CatalogueID: Int] {
    var counts: [CatalogueID: Int] = [:]
    try forEachTerm(with: SearchTermKey.source.term([])) { term, encoded in
      var rows = Bitmap(span: span)
      try rows.insert(encoded: encoded)
      let count = rows.intersection(wanted).count
      if count > 0 { counts[CatalogueID(rawValue: String(decoding: term.dropFirst(), as: UTF8.self))] = count }
    }
    return counts
  }

  private func rows(_ condition: SearchCondition, _ matcher: SearchMatcher, among wanted: Bitmap) throws -> Rows {
    switch condition {
    case .words(let words): return try rows(words: words.words)
    case .source(let catalogue): return Rows(try rows(of: SearchTermKey.source.term(catalogue.rawValue.utf8)))
    case .text(let column, let text): return try rows(column, text)
    case .species(let text): return try rows(ofSpecies: text)
    case .anyText(let text): return Rows(certain: Bitmap(span: span), possible: try rows(containing: text))
    case .licence(let licence):
      return try withLongValues(
        .licence, try rows(ofTermsWith: SearchTermKey.licence.term([]), where: licence.contains(indexed:)))
    case .number(let column, let numbers) where column.whole.indexColumn != nil:
      return Rows(try rows(column, numbers, among: wanted))
    case .quality(let ratings):
      let ranks = Set(ratings.map(\.rank))
      return Rows(try rows(.detail(.quality), among: wanted) { bytes, row in row < bytes.count && ranks.contains(bytes[row]) })
    case .box(let box):
      let latitudes = try values(of: .detail(.decimalLatitude))
      return Rows(
        try rows(.detail(.decimalLongitude), among: wanted) { bytes, row in
          box.contains(latitude: latitudes[row], longitude: Self.number(bytes, row))
        })
    case .uploaded(let day):
      let least = day.date(at: matcher.now).packed
      return Rows(
        try rows(.detail(.available), among: wanted) { bytes, row in Self.date(bytes, row).map { $0 >= least } ?? false })
    case .firstSeen(let age): return Rows(try rows(storedSince: matcher.now - age / .seconds(1)))
    case .list(let name):
      return Rows(try rows(of: matcher.asksForGone ? "departure" : "entry", in: matcher.lists(named: name)))
    case .gone(let isGone):
      let left = try rows(of: "departure", in: nil)
      return Rows(isGone ? left : unchanged.subtracting(left))
    case .number, .audio: return Rows(certain: Bitmap(span: span), possible: unchanged)
    }
  }

  private func withLongValues(_ key: SearchTermKey, _ certain: Bitmap) throws -> Rows {
    var possible = certain
    possible.formUnion(try rows(of: key.ofLongValues))
    return Rows(certain: certain, possible: possible)
  }

  private func rows(_ column: DetailColumn, _ text: SearchText) throws -> Rows {
    guard let key = column.termKey.map(SearchTermKey.init) else {
      return Rows(certain: Bitmap(span: span), possible: column.isSearched ? try rows(containing: text) : unchanged)
    }
    let certain =
      switch text.kind {
      case .prefix: try rows(ofTermsWith: key.term(text.folded))
      case .whole: try rows(of: key.term(text.folded))
      case .part: try rows(ofTermsWith: key.term([]), where: text.matches(folded:))
      }
    return try withLongValues(key, certain)
  }

  private func rows(ofSpecies text: SearchText) throws -> Rows {
    var rows = try rows(.specificEpithet, text)
    guard let name = DetailColumn.scientificName.termKey.map(SearchTermKey.init) else { return rows }
    let named = try self.rows(ofTermsWith: name.term(text.folded), where: text.matches(foldedScientificName:))
    rows.certain.formUnion(named)
    rows.possible.formUnion(named)
    rows.possible.formUnion(try self.rows(of: name.ofLongValues))
    return rows
  }

  // MARK: Words

  /// Bare words that follow each other. The last may be the beginning of a longer one; only where there is no other is the
  /// index certain, because it does not know which words are next to each other.
  private func rows(words: [[UInt8]]) throws -> Rows {
    var possible = unchanged
    for (index, word) in words.enumerated() where !possible.isEmpty {
      possible.formIntersection(try rows(word: word, isWhole: index + 1 < words.count))
    }
    let isCertain = words.count == 1 && words[0].count <= SearchTermKey.longestWord
    return Rows(certain: isCertain ? possible : Bitmap(span: span), possible: possible)
  }

  private func rows(word: [UInt8], isWhole: Bool) throws -> Bitmap {
    let term = SearchTermKey.word.term(word.prefix(SearchTermKey.longestWord))
    return isWhole ? try rows(of: term) : try rows(ofTermsWith: term)
  }

  /// The recordings that may have the text in one of the texts in which bare words are searched. What is between its words is
  /// not looked at.
  private func rows(containing text: SearchText) throws -> Bitmap {
    var whole: [[UInt8]] = []
    var first: [UInt8]?
    text.folded.withUnsafeBufferPointer { folded in
      FoldedText.forEachWord(of: folded) { range in
        // A word at the start of the text may be the end of a longer one.
        if range.lowerBound == 0, text.kind == .part { first = Array(folded[range]) } else { whole.append(Array(folded[range])) }
      }
    }
    // Without the last one, which may be the beginning of a longer word.
    if !whole.isEmpty { return try rows(words: whole).possible }
    guard let first else { return unchanged }
    return try rows(ofTermsWith: SearchTermKey.word.term([])) { word in
      word.count >= SearchTermKey.longestWord || FoldedText.contains(word, first)
    }
  }

  // MARK: Columns

  private func column<Result>(
    _ column: SearchIndexColumn, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) throws -> Result {
    let result = try SQLStatement(db, "SELECT numbers FROM search_column WHERE first_key = ? AND column_id = ?")
      .first(.int(firstKey), .int(column.rawValue)) { try body($0.blob(0)) }
    guard let result else { throw Bitmap.damaged }
    return result
  }

  private func rows(
    _ column: SearchIndexColumn, among wanted: Bitmap, where isMatch: (UnsafeBufferPointer<UInt8>, Int) -> Bool
  ) throws -> Bitmap {
    try self.column(column) { bytes in
      var rows = Bitmap(span: span)
      wanted.forEach { row in if isMatch(bytes, row) { rows.insert(row) } }
      return rows
    }
  }

  private func rows(_ column: DetailColumn, _ numbers: SearchNumbers, among wanted: Bitmap) throws -> Bitmap {
    switch column {
    case .year:
      try rows(.detail(.eventDate), among: wanted) { bytes, row in
        Self.date(bytes, row).map { numbers.contains(Double($0 >> 9)) } ?? false
      }
    case .month:
      try rows(.detail(.eventDate), among: wanted) { bytes, row in
        let month = (Self.date(bytes, row) ?? 0) >> 5 & 0xF
        return month > 0 && numbers.contains(Double(month))
      }
    default:
      try rows(.detail(column.whole), among: wanted) { bytes, row in
        let number = Self.number(bytes, row)
        return !number.isNaN && numbers.contains(number)
      }
    }
  }

  private func rows(storedSince moment: Date) throws -> Bitmap {
    try column(.storedAt) { bytes in
      var rows = Bitmap(span: span)
      var row = 0
      for at in stride(from: 0, to: bytes.count - 11, by: 12) {
        let bytes = UnsafeRawBufferPointer(bytes)
        let time = Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: Int64.self))
        let count = Int(Int32(littleEndian: bytes.loadUnaligned(fromByteOffset: at + 8, as: Int32.self)))
        guard count > 0, row + count <= span else { throw Bitmap.damaged }
        if Date(milliseconds: time) >= moment { for row in row..<(row + count) { rows.insert(row) } }
        row += count
      }
      return rows
    }
  }

  /// The numbers of all rows, in their order; `nan` where there is none.
  func values(of column: SearchIndexColumn) throws -> [Double] {
    let form = column.form
    return try self.column(column) { bytes in (0..<span).map { Self.value(form, bytes, $0) } }
  }

  /// The numbers of those rows alone.
  func values(of column: SearchIndexColumn, _ wanted: Bitmap) throws -> [Double] {
    let form = column.form
    return try self.column(column) { bytes in wanted.map { Self.value(form, bytes, $0) } }
  }

  @inline(__always)
  private static func value(_ form: IndexedNumber, _ bytes: UnsafeBufferPointer<UInt8>, _ row: Int) -> Double {
    switch form {
    case .rating: row < bytes.count && bytes[row] > 0 ? Double(bytes[row]) : .nan
    case .date: date(bytes, row).map(Double.init) ?? .nan
    case .double: number(bytes, row)
    }
  }

  /// `nan` where it is unknown.
  @inline(__always)
  private static func number(_ bytes: UnsafeBufferPointer<UInt8>, _ row: Int) -> Double {
    guard (row + 1) * 8 <= bytes.count else { return .nan }
    let bits = UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: row * 8, as: UInt64.self)
    return Double(bitPattern: UInt64(littleEndian: bits))
  }

  /// `nil` if it is unknown.
  @inline(__always)
  private static func date(_ bytes: UnsafeBufferPointer<UInt8>, _ row: Int) -> Int32? {
    guard (row + 1) * 4 <= bytes.count else { return nil }
    let packed = Int32(littleEndian: UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: row * 4, as: Int32.self))
    return packed > 0 ? packed : nil
  }

  // MARK: Lists

  /// - Parameter lists: any where `nil`.
  private func rows(of table: String, in lists: Set<Int64>?) throws -> Bitmap {
    var rows = Bitmap(span: span)
    // The + keeps SQLite from reading whole lists: the rows of this segment are next to each other in the other index.
    let condition = lists.map { " AND +query_id IN (\($0.sorted().map(String.init).joined(separator: ", ")))" } ?? ""
    try SQLStatement(db, "SELECT recording_id FROM \(table) WHERE recording_id BETWEEN ? AND ?\(condition)")
      .forEach(.int(firstKey), .int(firstKey + Int64(span) - 1)) { rows.insert(Int($0.int64(0) - firstKey)) }
    return rows
  }
}
