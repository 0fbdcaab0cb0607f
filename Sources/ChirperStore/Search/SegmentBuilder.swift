#if Collection

import ChirperModel

/// Gathers the terms and columns of up to `capacity` recordings in memory, to be written in one
/// transaction.
struct SegmentBuilder {
  static let capacity = 65_536

  let firstKey: Int64
  /// The catalogues that are not chirper's.
  let own: [CatalogueID: OwnMapping]
  var numbers: [[UInt8]: Int] = [:]
  /// The term that is looked up. With an array for each, gathering the terms would take a tenth
  /// longer.
  var buffer: [UInt8] = []
  /// The terms of a text, likewise.
  var textTerms: [Int] = []
  /// The terms of the recordings, one recording after the other.
  var terms: [UInt32] = []
  /// The row of each recording, and where its terms end.
  var rows: [(row: UInt16, end: Int)] = []
  /// The latest row with each term; -1 if no row has it.
  var latestRows: [Int32] = []
  /// The terms of values that many recordings share, by the raw value of their key and by the value
  /// as it is in the details.
  var shared = [[String: [Int]]](repeating: [:], count: 128)
  var licences: [RecordingDetails.Licence: Int] = [:]
  /// The families of names in the list of birds, by the texts of scientific names.
  var listedFamilies: [String: Int] = [:]
  /// The terms of other names: the family, and the name if it is one of a species.
  var otherNames: [RecordedNames: [Int]] = [:]
  /// The numbers of `SearchIndexColumn.all`.
  var columns = [[Double]](repeating: [], count: SearchIndexColumn.all.count)

  /// The columns of the details whose words or values are terms, with the key of the values.
  private static let termColumns:
    [(column: DetailColumn, key: SearchTermKey?, words: WordRank?, areShared: Bool)] =
      DetailColumn.allCases.filter { $0.isSearched || $0.indexKey != nil }.map {
        ($0, $0.termKey, $0.wordRank, $0.areTermsShared)
      }

  /// Keys are added in ascending order, each less than `firstKey + capacity`; the index decides
  /// nothing about those without details.
  mutating func add(_ key: Int64, catalogue: CatalogueID, _ details: RecordingDetails?) {
    let row = Int(key - firstKey)
    insert(row, number(of: .everything, []))
    if let details {
      addColumns(row, details)
      addTerms(row, catalogue, details)
    } else {
      addColumns(row, RecordingDetails())
    }
    if let mapping = details == nil ? OwnMapping(catalogue, version: nil) : own[catalogue] {
      insert(row, number(of: .mapping, mapping.term.dropFirst()))
    }
    rows.append((UInt16(row), terms.count))
  }

  private mutating func addTerms(_ row: Int, _ catalogue: CatalogueID, _ details: RecordingDetails)
  {
    add(row, nil, .source, catalogue.rawValue, words: nil, isShared: true)
    for (column, key, words, areShared) in Self.termColumns {
      switch column.value(of: details) {
      case .text(let text): add(row, column, key, text, words: words, isShared: areShared)
      case .list(let texts):
        for text in texts { add(row, column, key, text, words: words, isShared: areShared) }
      default: break
      }
    }
    addNames(row, details)
    if let original = details.alsoIn { insert(row, value(.original, original.indexed)) }
    if details.eventInterval != nil { insert(row, number(of: .interval, [])) }
    if !details.annotations.isEmpty { insert(row, number(of: .annotated, [])) }
    guard let licence = details.licence else { return }
    if let term = licences[licence] { return insert(row, term) }
    let term = value(.licence, licence.indexed)
    licences[licence] = term
    insert(row, term)
  }

  private mutating func addColumns(_ row: Int, _ details: RecordingDetails) {
    // Keys without a recording have no number.
    let missing = row - (rows.last.map { Int($0.row) + 1 } ?? 0)
    for (index, (_, detail)) in SearchIndexColumn.all.enumerated() {
      columns[index] += repeatElement(.nan, count: missing)
      columns[index].append(detail.number(of: details) ?? .nan)
    }
  }

  /// - Parameters:
  ///   - key: of the value; `nil` if only its words are terms.
  ///   - rank: of its words; `nil` if they are not terms.
  private mutating func add(
    _ row: Int, _ column: DetailColumn?, _ key: SearchTermKey?, _ text: String,
    words rank: WordRank?, isShared: Bool
  ) {
    let index = Int(key?.rawValue ?? 0)
    if isShared, let terms = shared[index][text] {
      for term in terms { insert(row, term) }
      return
    }
    let folded = TextFolding.folded(text.utf8)
    textTerms.removeAll(keepingCapacity: true)
    if let key { textTerms.append(value(key, folded)) }
    if let key, column?.hasDefaultSpelling == true,
      column?.defaultSpelling(of: folded) != Array(text.utf8)
    {
      textTerms.append(number(of: key.ofOtherSpellings, []))
    }
    if let rank {
      let last = UInt8(rank.rawValue)
      FoldedText.forEachWord(of: folded) { textTerms.append(word(folded[$0], last)) }
      FoldedText.forEachJoinedWord(of: folded) {
        textTerms.append(word($0, last | SearchTermKey.joined))
      }
    }
    if isShared { shared[index][text] = [] + textTerms }
    for term in textTerms { insert(row, term) }
  }

  private mutating func addNames(_ row: Int, _ details: RecordingDetails) {
    if let family = details.scientificName.flatMap({ listedFamilies[$0] }) {
      return insert(row, family)
    }
    let names = RecordedNames(details)
    for term in otherNames[names] ?? terms(of: names, details.scientificName) { insert(row, term) }
  }

  private mutating func terms(of names: RecordedNames, _ text: String?) -> [Int] {
    let family = names.family.map { value(.family, TextFolding.folded($0.utf8)) }
    let name = text.flatMap(Binomial.init)
    if let family, let text, name?.species != nil {
      listedFamilies[text] = family
      return [family]
    }
    let terms = [family, name.flatMap { unlistedTerm($0, names) }].compactMap(\.self)
    otherNames[names] = terms
    return terms
  }

  /// The term of a name that is not in the list; `nil` if it is too long for one.
  private mutating func unlistedTerm(_ name: Binomial, _ names: RecordedNames) -> Int? {
    let species = names.species.flatMap { Binomial($0.scientificName)?.description }
    let meaning = species ?? (names.speciesInFamily == nil ? "" : SearchTermKey.maybeSpecies)
    let value = name.stem + [0] + "\(name)\0\(meaning)".utf8
    return value.count > SearchTermKey.longestValue ? nil : number(of: .unlistedName, value)
  }

  private mutating func word(_ letters: ArraySlice<UInt8>, _ last: UInt8) -> Int {
    number(of: .word, letters.prefix(SearchTermKey.longestWord), last)
  }

  private mutating func number(
    of key: SearchTermKey, _ value: some Sequence<UInt8>, _ last: UInt8? = nil
  ) -> Int {
    buffer.removeAll(keepingCapacity: true)
    buffer.append(key.rawValue)
    buffer += value
    if let last { buffer.append(last) }
    if let number = numbers[buffer] { return number }
    let number = numbers.count
    numbers[[] + buffer] = number
    latestRows.append(-1)
    return number
  }

  private mutating func value(_ key: SearchTermKey, _ folded: [UInt8]) -> Int {
    folded.count <= SearchTermKey.longestValue
      ? number(of: key, folded) : number(of: key.ofLongValues, [])
  }

  private mutating func insert(_ row: Int, _ term: Int) {
    // A recording can have a word several times.
    guard latestRows[term] != Int32(row) else { return }
    latestRows[term] = Int32(row)
    terms.append(UInt32(term))
  }

  /// Calls `body` with each block in the order of the names: the columns, then the terms.
  func forEachBlock(span: Int, _ body: (SearchBlock) throws -> Void) rethrows {
    for ((column, _), numbers) in zip(SearchIndexColumn.all, columns) {
      try body(SearchBlock(column, numbers))
    }
    // Where the rows of each term end among all of them; while these are filled in, the end of
    // those that are there.
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
    var block = SearchBlock()
    for (term, number) in numbers.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      let rows = rowsOfTerms[(number == 0 ? 0 : ends[number - 1])..<ends[number]]
      while !block.append(term, rows, span: span) {
        try body(block)
        block = SearchBlock()
      }
    }
    if !block.contents.isEmpty { try body(block) }
  }
}

#endif
