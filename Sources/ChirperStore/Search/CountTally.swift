#if Collection

import ChirperModel
import GRDB

/// Counts recordings by one or two keys.
package struct CountTally: Sendable {
  /// Recordings that count together. The example is one of them, which shows how a text is spelled,
  /// and what people call a species; `nil` for a number, and for a text other than a species that one
  /// of them spells in the default way.
  package typealias Counted = (group: CountKey.Group, example: Int64?)

  /// One or two.
  let keys: [CountKey]
  /// The groups of each key.
  package private(set) var groups: [[Counted]]
  /// Recordings that were counted.
  package private(set) var total = 0
  /// The number of recordings with several groups of each key; such a recording counts in
  /// each group.
  package private(set) var several: [Int]
  private var numbers: [[CountKey.Group: Int]]
  /// The number of recordings in each group of each key, by the number of the group from 1;
  /// at 0 the number of recordings in none.
  private var counts: [[Int]]
  /// The number of recordings in each pair of groups, if one key has few groups. The index
  /// is `width` times the number of the other key's group, plus the number of the group of
  /// the key with few. An array is many times as fast as a dictionary.
  private var table: [Int] = []
  private let width: Int?
  private let isFirstNarrow: Bool
  /// The number of recordings in each pair of groups, by both numbers, if both keys have
  /// many groups.
  private var pairCounts: [Int: Int] = [:]

  /// A tally without recordings.
  package init(_ keys: [CountKey]) {
    self.keys = keys
    groups = keys.map { _ in [] }
    numbers = keys.map { _ in [:] }
    counts = keys.map { _ in [0] }
    several = keys.map { _ in 0 }
    width = keys.compactMap { $0.range.map { $0.count + 1 } }.first
    isFirstNarrow = keys[0].range != nil
  }

  /// The number of recordings without a group of each key.
  package var missing: [Int] { counts.map { $0[0] } }

  /// The number of recordings in each group of the key at `index`, in the order of
  /// `groups`.
  package func counts(_ index: Int) -> ArraySlice<Int> { counts[index].dropFirst() }

  /// The number of recordings in each pair of groups, by their positions in `groups`;
  /// `second` is 0 if the tally has only one key.
  package var pairs: [(first: Int, second: Int, count: Int)] {
    if keys.count == 1 { return counts(0).enumerated().map { (first: $0, second: 0, count: $1) } }
    guard let width else {
      return pairCounts.map { ($0.key >> 32 - 1, $0.key & 0xFFFF_FFFF - 1, $0.value) }
    }
    return table.enumerated().compactMap { index, count in
      let one = index / width - 1
      let narrow = index % width - 1
      return count == 0
        ? nil
        : (first: isFirstNarrow ? narrow : one, second: isFirstNarrow ? one : narrow, count: count)
    }
  }

  private mutating func count(_ first: Int, _ second: Int) {
    guard let width else { return pairCounts[first << 32 | second, default: 0] += 1 }
    let index = isFirstNarrow ? second * width + first : first * width + second
    if index >= table.count { table += repeatElement(0, count: index + width - table.count) }
    table[index] += 1
  }

  /// Counts a recording that is in those groups of each key.
  package mutating func add(_ groups: [[CountKey.Group]], key: Int64) {
    add(
      groups.enumerated().map { index, groups in
        groups.map { number(of: $0, in: index, example: key) }
      })
  }

  fileprivate mutating func number(of group: CountKey.Group, in index: Int, example: Int64?) -> Int
  {
    if let number = numbers[index][group] { return number }
    groups[index].append((group, example))
    counts[index].append(0)
    numbers[index][group] = groups[index].count
    return groups[index].count
  }

  private mutating func add(_ numbers: [[Int]]) {
    total += 1
    for (index, numbers) in numbers.enumerated() {
      for number in numbers.isEmpty ? [0] : numbers { counts[index][number] += 1 }
      if numbers.count > 1 { several[index] += 1 }
    }
    guard numbers.count > 1 else { return }
    for first in numbers[0] { for second in numbers[1] { count(first, second) } }
  }

  /// Counts groups of a key together.
  ///
  /// - Parameter name: the group that a group counts in.
  package func merging(_ index: Int, _ name: (CountKey.Group) -> CountKey.Group) -> CountTally {
    var merged = self
    merged.groups[index] = []
    merged.numbers[index] = [:]
    merged.counts[index] = [counts[index][0]]
    // By the numbers of before.
    var numbers = [0]
    for (counted, count) in zip(groups[index], counts(index)) {
      let other = name(counted.group)
      let number = merged.number(
        of: other, in: index, example: other == counted.group ? counted.example : nil)
      merged.counts[index][number] += count
      numbers.append(number)
    }
    if let width {
      merged.table = [Int](repeating: 0, count: table.count)
      for (at, count) in table.enumerated() where count > 0 {
        merged.table[numbers[at / width] * width + at % width] += count
      }
    } else {
      merged.pairCounts = [:]
      for (pair, count) in pairCounts {
        let first = pair >> 32
        let second = pair & 0xFFFF_FFFF
        let (left, right) = index == 0 ? (numbers[first], second) : (first, numbers[second])
        merged.pairCounts[left << 32 | right, default: 0] += count
      }
    }
    return merged
  }

  /// Counts those rows of a segment.
  fileprivate mutating func add(_ rows: Bitmap, _ groups: [RowGroups]) {
    var several = Bitmap(span: rows.span)
    for groups in groups { for row in groups.others.keys { several.insert(row) } }
    for row in several { add(groups.map { $0.all(row) }) }
    let single = rows.subtracting(several)
    total += single.count
    for (index, groups) in groups.enumerated() {
      for row in single { counts[index][Int(groups.first[row])] += 1 }
    }
    guard groups.count > 1 else { return }
    let (first, second) = (groups[0].first, groups[1].first)
    for row in single where first[row] > 0 && second[row] > 0 {
      count(Int(first[row]), Int(second[row]))
    }
  }
}

/// The groups of the rows of a segment, by their numbers in a tally.
private struct RowGroups {
  /// 0 for a row without.
  var first: [Int32]
  /// Further ones of the rows with several.
  var others: [Int: [Int32]] = [:]

  func all(_ row: Int) -> [Int] {
    first[row] == 0 ? [] : ([first[row]] + others[row, default: []]).map { Int($0) }
  }

  mutating func add(_ number: Int32, to row: Int) {
    if first[row] == 0 {
      first[row] = number
    } else if first[row] != number, others[row]?.contains(number) != true {
      others[row, default: []].append(number)
    }
  }
}

extension RecordingStore {
  /// Counts those recordings with the index; returns those that must be read, which are not
  /// counted. To read the terms of a key takes as long as to read a thousandth of the recordings,
  /// so fewer of a segment are read.
  package func count(_ recordings: [Int64], in tally: inout CountTally) throws(StoreError)
    -> [Int64]
  {
    let before = tally
    let answer: (tally: CountTally, unknown: [Int64])? = try readIndex { db in
      var tally = before
      var unknown = [Int64]()
      let segments = try Segment.all(db).filter(\.isCurrent)
      var rows = segments.map { Bitmap(span: $0.span) }
      forEachKey(of: recordings, in: segments) { position, place in
        guard let (index, row) = place else { return unknown.append(recordings[position]) }
        rows[index].insert(row)
      }
      let hasTerms = before.keys.contains { $0.term != nil }
      for (segment, rows) in zip(segments, rows) where !rows.isEmpty {
        if hasTerms, rows.count <= segment.span / 1000 {
          unknown += rows.map { segment.first + Int64($0) }
          continue
        }
        let query = try SegmentQuery(segment, own: ownMappings, db)
        var known = rows
        known.formIntersection(query.unchanged)
        for term in before.keys.flatMap(\.terms) {
          known.subtract(try query.rows(of: term.ofLongValues.term([])))
        }
        unknown += rows.subtracting(known).map { segment.first + Int64($0) }
        tally.add(
          known, try before.keys.indices.map { try query.groups($0, of: known, in: &tally) })
      }
      return (tally, unknown)
    }
    guard let answer else { return recordings }
    tally = answer.tally
    return answer.unknown
  }
}

extension CountKey {
  /// The terms of its texts; `nil` if it groups numbers.
  fileprivate var term: SearchTermKey? {
    numbers == nil ? column.map { $0.termKey ?? .licence } ?? .source : nil
  }

  /// The terms that a count reads.
  fileprivate var terms: [SearchTermKey] {
    [term, fallback?.termKey].compactMap(\.self)
  }
}

extension SegmentQuery {
  /// The groups of rows by a key that counts numbers.
  private func numberGroups(
    _ index: Int, of rows: Bitmap, in tally: inout CountTally
  ) throws -> RowGroups {
    let key = tally.keys[index]
    var groups = RowGroups(first: [Int32](repeating: 0, count: segment.span))
    // Numbers from 0 to 9999, the years.
    var known = [Int32](repeating: 0, count: 10_000)
    try forEachNumber(of: key.numbers.flatMap(SearchIndexColumn.init), of: rows) { row, number in
      guard let group = key.group(of: number), known.indices.contains(group) else { return }
      if known[group] == 0 {
        known[group] = Int32(tally.number(of: .number(group), in: index, example: nil))
      }
      groups.first[row] = known[group]
    }
    return groups
  }

  /// The groups of those rows, which have not changed, by the tally's key with that index.
  fileprivate func groups(_ index: Int, of rows: Bitmap, in tally: inout CountTally) throws
    -> RowGroups
  {
    let key = tally.keys[index]
    guard let term = key.term else { return try numberGroups(index, of: rows, in: &tally) }
    var groups = RowGroups(first: [Int32](repeating: 0, count: segment.span))
    let hasDefaultSpelling = key.column?.hasDefaultSpelling == true
    let otherSpellings = try self.rows(of: term.ofOtherSpellings.term([]))
    func example(_ row: Int) -> Int64? {
      // A species has a name for people too.
      hasDefaultSpelling && key != .species && !otherSpellings.contains(row)
        ? nil : segment.first + Int64(row)
    }
    func group(_ bytes: Span<UInt8>) -> CountKey.Group {
      let value = bytes.indices.dropFirst().map { bytes[$0] }
      guard term == .licence else { return .text(key.group(of: value)) }
      // The name, which is the last part, as it is sent.
      return .text(key.group(of: TextFolding.folded(Array(value.split(separator: 0).last ?? []))))
    }
    func add(_ term: SearchTermKey, to rows: Bitmap) throws {
      try forEachTerm(with: term.term([])) { bytes, encoded in
        var number: Int32?
        try Bitmap.forEach(encoded: encoded, span: segment.span) { row in
          guard rows.contains(row) else { return }
          let known =
            number ?? Int32(tally.number(of: group(bytes), in: index, example: example(row)))
          number = known
          groups.add(known, to: row)
        }
      }
    }
    try add(term, to: rows)
    if let fallback = key.fallback?.termKey {
      var others = Bitmap(span: rows.span)
      for row in rows where groups.first[row] == 0 { others.insert(row) }
      if !others.isEmpty { try add(fallback, to: others) }
    }
    return groups
  }
}

#endif
