#if Collection

import ChirperModel
import Foundation
import GRDB

/// Decides with the index alone which recordings of one segment satisfy a search, as far as the
/// index can.
///
/// Each term gives two sets: recordings that satisfy it for certain, and a larger one with those
/// that may, which only the recording itself can decide. A term that is negated swaps them. All
/// reads are of the caller's transaction.
struct SegmentQuery {
  let segment: Segment
  let db: Database
  /// The recordings that the search is about: those that have not changed since the segment was
  /// written.
  private(set) var unchanged: Bitmap
  /// The recordings that changed or were deleted since the segment was written, and those that it
  /// knows nothing of.
  private(set) var changed: Bitmap
  /// The recordings in `changed` that the index could decide about if it were written
  /// again, because their catalogue has a different version now.
  private(set) var outdated: Bitmap
  private let none: Bitmap
  /// Words count only in columns of this rank or a better one.
  private var lastRank = WordRank.remarks
  private let words = ReadWords()

  /// - Parameters:
  ///   - own: the catalogues of the caller that are not chirper's.
  ///   - key: recordings up to it are left out, because the search has passed them.
  init(_ segment: Segment, own: [CatalogueID: OwnMapping], after key: Int64 = .min, _ db: Database)
    throws
  {
    self.init(termsOf: segment, db)
    try findRowsOfOtherMappings(own)
    changed.formUnion(
      try segment.rows(
        db, "SELECT recording_id FROM search_change WHERE recording_id BETWEEN ? AND ?"))
    unchanged = try rows(of: SearchTermKey.everything.term([])).subtracting(changed)
    guard key >= segment.first else { return }
    for row in 0...Int(key - segment.first) {
      changed.remove(row)
      unchanged.remove(row)
    }
  }

  /// A query that knows no recordings, to read the terms of the segment only.
  init(termsOf segment: Segment, _ db: Database) {
    self.segment = segment
    self.db = db
    none = Bitmap(span: segment.span)
    unchanged = none
    changed = none
    outdated = none
  }

  private mutating func findRowsOfOtherMappings(_ own: [CatalogueID: OwnMapping]) throws {
    let indexed = own.filter(\.value.isIndexed)
    var known = none
    var others = none
    try forEachTerm(with: SearchTermKey.mapping.term([])) { term, encoded in
      let bytes = term.indices.map { term[$0] }
      let isKnown = indexed.contains { $0.value.term == bytes }
      if isKnown { try known.insert(encoded: encoded) } else { try others.insert(encoded: encoded) }
      guard !isKnown, let name = bytes.dropFirst().split(separator: 0).first else { return }
      if indexed[CatalogueID(rawValue: String(decoding: name, as: UTF8.self))] != nil {
        try outdated.insert(encoded: encoded)
      }
    }
    // A catalogue that takes the place of one of chirper's.
    for (catalogue, mapping) in own {
      let rows = try rows(of: SearchTermKey.source.term(catalogue.rawValue.utf8)).subtracting(known)
      others.formUnion(rows)
      if mapping.isIndexed { outdated.formUnion(rows) }
    }
    changed = others
  }

  fileprivate struct Rows {
    var certain: Bitmap
    var possible: Bitmap

    /// Adds the rows of an alternative condition.
    mutating func formUnion(_ other: Rows) {
      certain.formUnion(other.certain)
      possible.formUnion(other.possible)
    }
  }

  /// The rows of a condition that the index decides for no recording.
  private var undecidable: Rows { Rows(certain: none, possible: unchanged) }

  /// The recordings that satisfy every term for certain, and the recordings that must be
  /// read to decide. Changed recordings are among the latter.
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

  /// The recordings that may satisfy a condition.
  func rows(possibly condition: SearchCondition, _ matcher: SearchMatcher) throws -> Bitmap {
    try rows(condition, matcher, among: unchanged).possible
  }

  /// The recordings that left a list and are in none. The cost grows with the recordings
  /// that left a list.
  func unlisted() throws -> Bitmap {
    try segment.rows(
      db,
      """
      SELECT DISTINCT recording_id FROM departure WHERE recording_id BETWEEN ? AND ?
        AND NOT EXISTS (SELECT 1 FROM entry WHERE entry.recording_id = departure.recording_id)
      """)
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
    case .words, .text, .oneOf, .anyText, .species, .family, .licence, .source: 0
    case .number, .quality, .box, .near, .uploaded, .audio, .field, .fieldNumber, .fieldKnown: 1
    case .list, .gone, .goneOrNot, .entered, .changed: 2
    case .known(let tag, _): [.list, .new, .changed].contains(tag) ? 2 : 1
    case .anyOf(let conditions), .allOf(let conditions): conditions.map(stage).max() ?? 0
    }
  }

  private func rows(_ condition: SearchCondition, _ matcher: SearchMatcher, among wanted: Bitmap)
    throws -> Rows
  {
    switch condition {
    case .words(let words): return try rows(Phrase(words))
    case .text(let column, let text): return try rows(column, text)
    case .oneOf(let column, let texts): return try rows(column, texts)
    case .species(let text): return try rows(ofSpecies: text)
    case .family(let text): return try rows(SearchTermKey.family, text)
    case .anyText(let text): return try rows(Phrase(text))
    case .licence(let licence):
      let found = try rows(ofTermsWith: SearchTermKey.licence.term([])) { term in
        licence.contains(indexed: term.indices.map { term[$0] })
      }
      return try withLongValues(.licence, found)
    case .number(let column, let numbers): return try rows(column, numbers, among: wanted)
    case .quality(let ratings):
      let ranks = Set(ratings.map { Double($0.rank) })
      return try rows(.init(.quality), among: wanted, where: ranks.contains)
    case .box(let box): return try rows(among: wanted, where: box.contains)
    case .near(let circle): return try rows(among: wanted, where: circle.contains)
    case .uploaded(let day):
      let least = Double(day.date(at: matcher.now).packed)
      return try rows(.init(.available), among: wanted) { $0 >= least }
    case .entered(let age):
      return Rows(
        try rows(
          of: "arrival", in: matcher.newIn, ("entered_at", matcher.milliseconds(before: age))))
    case .changed(let age):
      return Rows(try rows(of: "change", ("changed_at", matcher.milliseconds(before: age))))
    case .source(let catalogue):
      return Rows(try rows(of: SearchTermKey.source.term(catalogue.rawValue.utf8)))
    case .list(let name):
      return Rows(try rows(in: matcher.lists[name, default: []], matcher.membership))
    case .goneOrNot: return Rows(unchanged)
    case .gone(let isGone):
      let left = try rows(of: "departure")
      return Rows(isGone ? left : unchanged.subtracting(left))
    case .audio: return undecidable
    case .field(let field, _), .fieldNumber(let field, _), .fieldKnown(let field, _):
      let source = SearchTermKey.source.term(field.catalogue.rawValue.utf8)
      return Rows(certain: none, possible: try rows(of: source))
    case .known(let tag, let isKnown):
      var rows = Rows(unchanged)
      narrow(&rows, !isKnown, try self.rows(knowing: tag, matcher, among: wanted))
      return rows
    case .anyOf(let conditions):
      return try conditions.reduce(into: Rows(none)) {
        $0.formUnion(try rows($1, matcher, among: wanted))
      }
    case .allOf(let conditions):
      return try conditions.reduce(into: Rows(unchanged)) {
        narrow(&$0, false, try rows($1, matcher, among: wanted))
      }
    }
  }

  /// The recordings that have a value of the details that the tag asks about.
  private func rows(knowing tag: SearchTag, _ matcher: SearchMatcher, among wanted: Bitmap) throws
    -> Rows
  {
    switch tag {
    case .list: return Rows(try rows(of: "entry"))
    case .new: return Rows(try rows(of: "arrival", in: matcher.newIn))
    case .changed: return Rows(try rows(of: "change"))
    case .source: return Rows(unchanged)
    case .ann: return Rows(try rows(of: SearchTermKey.annotated.term([])))
    case .lic: return try rows(withValueOf: .licence)
    case .fam: return try rows(withValueOf: .family)
    case .month: return try rows(.init(.eventDate), among: wanted) { Self.month($0) > 0 }
    case .date:
      var known = try rows(.init(.eventDate), among: wanted) { _ in true }
      known.formUnion(Rows(try rows(of: SearchTermKey.interval.term([]))))
      return known
    case .area:
      guard let key = DetailColumn.countryCode.termKey else { break }
      let codes = try rows(ofTermsWith: key.term([])) { Countries.withCode($0.text)?.area != nil }
      return try withLongValues(key, codes)
    default:
      let keys = tag.columns.compactMap(\.termKey)
      if !keys.isEmpty, keys.count == tag.columns.count {
        var any = Rows(none)
        for key in keys { any.formUnion(try rows(withValueOf: key)) }
        return any
      }
      guard tag.columns.count == 1, let column = tag.columns.first else { break }
      if let numbers = SearchIndexColumn(column.parent) {
        return try rows(numbers, among: wanted) { _ in true }
      }
    }
    return undecidable
  }

  private func rows(withValueOf key: SearchTermKey) throws -> Rows {
    try withLongValues(key, rows(ofTermsWith: key.term([])))
  }

  // MARK: Terms

  func rows(of term: [UInt8]) throws -> Bitmap {
    var rows = none
    // Nothing is between a term and the same with a zero after it.
    try forEachTerm(from: term, before: term + [0]) { try rows.insert(encoded: $1) }
    return rows
  }

  /// The recordings with a term that begins so and that `isMatch` accepts. It is given the
  /// bytes after the term's first one.
  private func rows(
    ofTermsWith beginning: [UInt8], where isMatch: (Span<UInt8>) -> Bool = { _ in true }
  ) throws -> Bitmap {
    var rows = none
    try forEachTerm(with: beginning) { term, encoded in
      if isMatch(term.extracting(droppingFirst: 1)) { try rows.insert(encoded: encoded) }
    }
    return rows
  }

  /// Calls `body` with each term of that range, in order, and the bytes of its rows.
  func forEachTerm(
    from first: [UInt8], before end: [UInt8], _ body: (Span<UInt8>, Span<UInt8>) throws -> Void
  ) throws {
    try SearchBlock.forEach(of: segment, from: first, before: end, db) { contents in
      try SearchBlock.forEachTerm(in: contents) { term, rows in
        guard term.precedes(end) else { return false }
        if !term.precedes(first) { try body(term, rows) }
        return true
      }
    }
  }

  /// Calls `body` with each term that begins so.
  @inline(__always)
  func forEachTerm(
    with beginning: [UInt8], _ body: (Span<UInt8>, Span<UInt8>) throws -> Void
  ) throws {
    try forEachTerm(from: beginning, before: beginning + [SearchTermKey.end], body)
  }

  func counts(of wanted: Bitmap) throws -> [CatalogueID: Int] {
    var counts: [CatalogueID: Int] = [:]
    try forEachTerm(with: SearchTermKey.source.term([])) { term, encoded in
      var rows = none
      try rows.insert(encoded: encoded)
      rows.formIntersection(wanted)
      let name = term.extracting(droppingFirst: 1).text
      if !rows.isEmpty { counts[CatalogueID(rawValue: name)] = rows.count }
    }
    return counts
  }

  private func withLongValues(_ key: SearchTermKey, _ certain: Bitmap) throws -> Rows {
    var rows = Rows(certain)
    rows.possible.formUnion(try self.rows(of: key.ofLongValues.term([])))
    return rows
  }

  private func rows(_ column: DetailColumn, _ texts: Set<[UInt8]>) throws -> Rows {
    guard let key = column.termKey else { return undecidable }
    var found = none
    for text in texts { found.formUnion(try rows(of: key.term(text))) }
    return try withLongValues(key, found)
  }

  private func rows(_ column: DetailColumn, _ text: SearchText) throws -> Rows {
    if column == .catalogNumber,
      let number = DetailColumn.digits(String(decoding: text.folded, as: UTF8.self))
    {
      return Rows(
        certain: none, possible: try rows(.init(column), among: unchanged) { $0 == number }.possible
      )
    }
    if let key = column.termKey { return try rows(key, text) }
    guard let rank = column.wordRank else { return undecidable }
    let phrase = Phrase(text)
    var found = try rows(withWordsOf: phrase, rank)
    guard phrase.isWithinWord else { return Rows(certain: none, possible: found.possible) }
    // The word may be in a different column of the rank.
    for key in Self.columns[rank, default: []].compactMap(\.termKey) {
      found.certain.subtract(try withLongValues(key, rows(key, phrase)).possible)
    }
    return found
  }

  private func rows(_ key: SearchTermKey, _ text: SearchText) throws -> Rows {
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
    guard let name = DetailColumn.scientificName.termKey else { return rows }
    let named = try self.rows(
      ofTermsWith: name.term(text.folded), where: text.matches(foldedScientificName:))
    rows.formUnion(try withLongValues(name, named))
    return rows
  }

  // MARK: Words

  /// The recordings with a phrase in one of the columns of `lastRank` or better in which bare words
  /// are searched. Words alone decide about a phrase of one word, and values about columns that have
  /// these as terms; elsewhere it is not known which words are next to each other.
  private func rows(_ phrase: Phrase) throws -> Rows {
    var found = Rows(none)
    for rank in WordRank.allCases where rank <= lastRank {
      let rows = try rows(withWordsOf: phrase, rank)
      if phrase.isWithinWord {
        found.formUnion(rows)
        continue
      }
      guard !rows.possible.isEmpty else { continue }
      for column in Self.columns[rank, default: []] {
        if let key = column.termKey {
          found.formUnion(try withLongValues(key, self.rows(key, phrase)))
        } else {
          found.possible.formUnion(rows.possible)
        }
      }
    }
    return found
  }

  private func rows(_ key: SearchTermKey, _ phrase: Phrase) throws -> Bitmap {
    try rows(ofTermsWith: key.term([]), where: phrase.isFound)
  }

  /// The columns in which bare words are searched.
  private static let columns = Dictionary(grouping: DetailColumn.allCases.filter(\.isSearched)) {
    $0.wordRank ?? .remarks
  }

  /// The recordings with every word of a phrase in columns of a rank, wherever it is.
  private func rows(withWordsOf phrase: Phrase, _ rank: WordRank) throws -> Rows {
    var all = Rows(unchanged)
    for word in phrase.words where !all.possible.isEmpty {
      narrow(&all, false, try read(word)[rank] ?? Rows(none))
    }
    return all
  }

  /// The recordings with a word, by rank.
  private func read(_ wanted: Phrase.Word) throws -> [WordRank: Rows] {
    if let known = words.rows[wanted] { return known }
    let known = wanted.isBeginning ? wanted.letters.prefix(SearchTermKey.longestWord) : []
    let beginning = SearchTermKey.word.term(known)
    // Every last byte is less than the next one of a longer word.
    let end =
      wanted.isBeginning && wanted.isEnd ? SearchTermKey.lastOfWord + 1 : SearchTermKey.end
    var found: [WordRank: Rows] = [:]
    try forEachTerm(from: beginning, before: beginning + [end]) { term, encoded in
      let last = term[term.count - 1]
      guard let rank = WordRank(rawValue: Int(last & ~SearchTermKey.joined)) else {
        throw SearchBlock.damaged
      }
      var isCertain = wanted.letters.count <= SearchTermKey.longestWord
      if !wanted.isBeginning {
        let word = term.extracting(droppingFirst: 1).extracting(droppingLast: 1)
        isCertain = wanted.isFound(in: word)
        let mayContinue = word.count >= SearchTermKey.longestWord
        guard isCertain || mayContinue, last & SearchTermKey.joined == 0 else { return }
      }
      try found[rank, default: Rows(none)].possible.insert(encoded: encoded)
      if isCertain { try found[rank]?.certain.insert(encoded: encoded) }
    }
    words.rows[wanted] = found
    return found
  }

  /// The recordings of the ranks before the last one, of those that satisfy a search, and the
  /// recordings that must be read to know their rank.
  func ranks(_ matcher: SearchMatcher) throws -> SegmentRanks {
    var ranks = SegmentRanks(names: none, facts: none, undecided: none)
    var query = self
    func certain(_ rank: WordRank) throws -> Bitmap {
      query.lastRank = rank
      var all = Rows(unchanged)
      for term in matcher.terms.bareWords where !all.possible.isEmpty {
        narrow(&all, false, try query.rows(term.condition, matcher, among: all.possible))
      }
      ranks.undecided.formUnion(all.possible.subtracting(all.certain))
      return all.certain
    }
    ranks.names = try certain(.names)
    ranks.facts = try certain(.facts)
    if !matcher.numbers.isEmpty {
      ranks.undecided.formUnion(try rows(possibly: .anyOf(matcher.numbers), matcher))
    }
    return ranks
  }

  // MARK: Columns

  private func rows(
    _ column: DetailColumn, _ numbers: SearchNumbers, among wanted: Bitmap
  ) throws -> Rows {
    let index = SearchIndexColumn(column.parent)
    switch column {
    case .year:
      return try rows(index, among: wanted) {
        numbers.contains(Double((Int(exactly: $0) ?? 0) >> 9))
      }
    case .month:
      return try rows(index, among: wanted) {
        let month = Self.month($0)
        return month > 0 && numbers.contains(Double(month))
      }
    case .eventDate:
      var found = try rows(index, among: wanted) {
        numbers.contains(PartialDate.days(ofPacked: Int(exactly: $0) ?? 0))
      }
      let intervals = try rows(of: SearchTermKey.interval.term([]))
      found.certain.subtract(intervals)
      found.possible.formUnion(intervals)
      return found
    default: return try rows(index, among: wanted, where: numbers.contains)
    }
  }

  /// Calls `body` with each of the rows and its number; `nan` for a row without one.
  func forEachNumber(of column: SearchIndexColumn?, of rows: Bitmap, _ body: (Int, Double) -> Void)
    throws
  {
    guard let column else { return }
    try SearchBlock.forEach(of: segment, from: column.name, before: column.name + [0], db) {
      bytes in
      for row in rows { body(row, SearchIndexColumn.number(bytes, row)) }
    }
  }

  /// The month of a date as the index has it; 0 if it is unknown, and for a number that is
  /// not a date.
  private static func month(_ number: Double) -> Int { (Int(exactly: number) ?? 0) >> 5 & 0xF }

  /// The recordings whose coordinate satisfies the condition.
  private func rows(
    among wanted: Bitmap, where isMatch: (_ latitude: Double, _ longitude: Double) -> Bool
  ) throws -> Rows {
    let latitudes = try numbers(of: .decimalLatitude)
    var found = none
    try forEachNumber(of: .init(.decimalLongitude), of: wanted) { row, longitude in
      if isMatch(latitudes[row], longitude) { found.insert(row) }
    }
    return Rows(found)
  }

  /// Every recording is undecided without a column.
  private func rows(
    _ column: SearchIndexColumn?, among wanted: Bitmap, where isMatch: (Double) -> Bool
  ) throws -> Rows {
    guard let column else { return undecidable }
    var rows = none
    try forEachNumber(of: column, of: wanted) { row, number in
      if !number.isNaN, isMatch(number) { rows.insert(row) }
    }
    return Rows(rows)
  }

  /// The numbers of all rows that have not changed, in their order; `nan` for a row without
  /// one.
  func numbers(of column: DetailColumn) throws -> [Double] {
    var numbers = [Double](repeating: .nan, count: segment.span)
    try forEachNumber(of: SearchIndexColumn(column), of: unchanged) { numbers[$0] = $1 }
    return numbers
  }

  /// Reads every block; fails if one is missing or is not as it was written.
  func readAll() throws {
    let first = SearchIndexColumn.all.first?.column.name ?? []
    try SearchBlock.forEach(of: segment, from: first, before: [SearchTermKey.end], db) { _ in }
  }

  // MARK: Lists

  private func rows(
    in lists: Set<Int64>, _ membership: SearchMatcher.Membership
  ) throws -> Bitmap {
    var found = none
    if membership != .left { found.formUnion(try rows(of: "entry", in: lists)) }
    if membership != .present { found.formUnion(try rows(of: "departure", in: lists)) }
    return found
  }

  /// - Parameters:
  ///   - lists: any if `nil`.
  ///   - since: a column with times, and the earliest.
  private func rows(
    of table: String, in lists: Set<Int64>? = nil,
    _ since: (column: String, milliseconds: Int64)? = nil
  ) throws -> Bitmap {
    // The + keeps SQLite from reading whole lists: the rows of this segment are next to each other
    // in the other index.
    let inLists =
      lists.map { " AND +query_id IN (\($0.sorted().map(String.init).joined(separator: ", ")))" }
      ?? ""
    let isLater = since.map { " AND \($0.column) >= ?" } ?? ""
    return try segment.rows(
      db,
      "SELECT recording_id FROM \(table) WHERE recording_id BETWEEN ? AND ?\(inLists)\(isLater)",
      [since?.milliseconds].compactMap(\.self))
  }
}

extension SegmentQuery.Rows {
  /// The rows that the index decides.
  init(_ rows: Bitmap) { self.init(certain: rows, possible: rows) }
}

/// The ranks of the recordings of a segment that satisfy a search.
struct SegmentRanks {
  fileprivate(set) var names: Bitmap
  /// The rows of this rank or a better one.
  fileprivate(set) var facts: Bitmap
  /// The recordings that must be read.
  fileprivate(set) var undecided: Bitmap

  func rank(of row: Int) -> WordRank {
    names.contains(row) ? .names : facts.contains(row) ? .facts : .remarks
  }
}

/// A folded text that is looked for, and the words of the texts that have it.
private struct Phrase {
  /// Letters and digits next to each other.
  struct Word: Hashable {
    let letters: [UInt8]
    /// Whether a word of a recording must begin with them, and end with them.
    let isBeginning: Bool
    let isEnd: Bool

    func isFound(in word: Span<UInt8>) -> Bool {
      isEnd
        ? word.count >= letters.count
          && FoldedText.holds(word, at: word.count - letters.count, letters)
        : FoldedText.contains(word, letters)
    }
  }

  let words: [Word]
  /// Whether every text with its word has the phrase.
  let isWithinWord: Bool
  /// Whether a folded text has it.
  let isFound: (Span<UInt8>) -> Bool

  /// Bare words that follow each other; the last may be the beginning of a longer one.
  init(_ bare: [[UInt8]]) {
    words = bare.enumerated().map { index, letters in
      Word(letters: letters, isBeginning: true, isEnd: index + 1 < bare.count)
    }
    isWithinWord = bare.count == 1
    isFound = { FoldedText.contains($0, words: bare) }
  }

  init(_ text: SearchText) {
    let folded = text.folded
    var words: [Word] = []
    FoldedText.forEachWord(of: folded) { range in
      words.append(
        Word(
          letters: Array(folded[range]), isBeginning: range.lowerBound > 0 || text.kind != .part,
          isEnd: range.upperBound < folded.count || text.kind == .whole))
    }
    self.words = words
    isWithinWord = text.kind == .part && words.first?.letters == folded
    isFound = text.matches(folded:)
  }
}

/// The words of a segment that were read: ranks are looked up after the search itself.
private final class ReadWords {
  var rows: [Phrase.Word: [WordRank: SegmentQuery.Rows]] = [:]
}

extension Span<UInt8> {
  /// Whether the bytes come first in the order of their values; a beginning comes before
  /// the longer text.
  fileprivate func precedes(_ other: [UInt8]) -> Bool {
    for index in 0..<Swift.min(count, other.count) where self[index] != other[index] {
      return self[index] < other[index]
    }
    return count < other.count
  }
}

extension SegmentQuery {
  /// The values of the rows of a segment in each of the columns.
  ///
  /// - Parameter limit: the rows that are needed, in the order of the texts in the first column;
  ///   those after them have none.
  func values(
    of columns: [DetailColumn], among wanted: Bitmap, limit: Int
  ) throws -> [(values: IndexedValues, undecided: Bitmap)] {
    try columns.enumerated().map { index, column in
      try values(of: column, among: wanted, limit: index == 0 ? limit : .max)
    }
  }

  /// The values of the rows, of which only those that are wanted are right, and the rows whose
  /// value the index does not have.
  private func values(
    of column: DetailColumn, among wanted: Bitmap, limit: Int
  ) throws -> (values: IndexedValues, undecided: Bitmap) {
    var undecided = Bitmap(span: segment.span)
    guard column.indexColumn == nil, let key = column.termKey else {
      return (.numbers(try numbers(of: column)), undecided)
    }
    var texts: [String] = []
    var positions = [Int32](repeating: -1, count: segment.span)
    var count = 0
    try forEachTerm(with: key.term([])) { term, encoded in
      // A text of marks alone, or an empty one, which counts as none.
      guard term.count > 1 else { return try undecided.insert(encoded: encoded) }
      guard count < limit else { return }
      let before = count
      try Bitmap.forEach(encoded: encoded, span: segment.span) { row in
        guard wanted.contains(row) else { return }
        count += 1
        positions[row] = Int32(texts.count)
      }
      guard count > before else { return }
      texts.append(term.extracting(droppingFirst: 1).text)
    }
    undecided.formUnion(try rows(of: key.ofLongValues.term([])))
    return (.texts(texts, positions: positions), undecided)
  }
}

#endif
