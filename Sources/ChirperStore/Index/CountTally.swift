import ChirperModel
import GRDB

/// Counts recordings by one or two keys.
package struct CountTally: Sendable {
  /// One or two.
  package let keys: [CountKey]
  /// The groups of each key, and a recording that is in it.
  package private(set) var groups: [[(group: CountKey.Group, example: Int64)]]
  /// Recordings that were counted.
  package private(set) var total = 0
  /// Those of them without a group of each key.
  package private(set) var missing: [Int]
  /// Those with several groups of each key, which count in each.
  package private(set) var several: [Int]
  private var numbers: [[CountKey.Group: Int]]
  /// By the number of the first group and that of the second, both from 1; the second is 1 if there is only one key. A table is
  /// many times as fast as a dictionary, and small if one of the keys has few groups.
  private var table: [[Int]] = []
  /// The same if both keys have many, by both numbers.
  private var counts: [Int: Int] = [:]
  private let isTable: Bool

  /// Without recordings.
  package init(_ keys: [CountKey]) {
    self.keys = keys
    groups = keys.map { _ in [] }
    numbers = keys.map { _ in [:] }
    (missing, several) = (keys.map { _ in 0 }, keys.map { _ in 0 })
    isTable = keys.count == 1 || keys.contains { $0.range != nil }
  }

  /// How many recordings are in each pair of groups, by their places in `groups`; the second is 0 if there is only one key.
  package var pairs: [(first: Int, second: Int, count: Int)] {
    let counted = table.enumerated().flatMap { first, row in
      row.enumerated().compactMap { second, count in count > 0 ? (first: first - 1, second: second - 1, count: count) : nil }
    }
    return counted + counts.map { ($0.key >> 32 - 1, $0.key & 0xFFFF_FFFF - 1, $0.value) }
  }

  private mutating func count(_ first: Int, _ second: Int) {
    guard isTable else { return counts[first << 32 | second, default: 0] += 1 }
    while table.count <= first { table.append([]) }
    while table[first].count <= second { table[first].append(0) }
    table[first][second] += 1
  }

  /// Counts a recording that is in those groups of each key.
  package mutating func add(_ groups: [[CountKey.Group]], key: Int64) {
    let numbers = groups.enumerated().map { index, groups in groups.map { number(of: $0, in: index, example: key) } }
    add(numbers[0], numbers.count > 1 ? numbers[1] : nil)
  }

  fileprivate mutating func number(of group: CountKey.Group, in index: Int, example: Int64) -> Int {
    if let number = numbers[index][group] { return number }
    groups[index].append((group, example))
    numbers[index][group] = groups[index].count
    return groups[index].count
  }

  private mutating func add(_ first: [Int], _ second: [Int]?) {
    total += 1
    for (index, numbers) in [first, second].enumerated() {
      guard let numbers else { continue }
      if numbers.isEmpty { missing[index] += 1 }
      if numbers.count > 1 { several[index] += 1 }
    }
    for first in first { for second in second ?? [1] { count(first, second) } }
  }

  fileprivate mutating func add(_ row: Int, _ segment: SegmentGroups) {
    guard !segment.severalGroups.contains(row) else {
      return add(segment.first.all(row), segment.second?.all(row))
    }
    let first = Int(segment.first.first[row])
    let second = segment.second.map { Int($0.first[row]) } ?? 1
    total += 1
    if first == 0 { missing[0] += 1 }
    if second == 0 { missing[1] += 1 }
    if first > 0, second > 0 { count(first, second) }
  }
}

/// What the index knows of a segment. A class, because it is passed on for each row.
private final class SegmentGroups {
  let first: RowGroups
  let second: RowGroups?
  /// The rows that need not be read.
  let known: Bitmap
  /// The rows with several groups of a key.
  let severalGroups: Bitmap

  init(_ query: SegmentQuery, _ groups: [RowGroups]) {
    (first, second) = (groups[0], groups.count > 1 ? groups[1] : nil)
    var (known, several) = (query.unchanged, Bitmap(span: query.segment.span))
    for groups in groups {
      known.subtract(groups.unknown)
      for row in groups.others.keys { several.insert(row) }
    }
    (self.known, severalGroups) = (known, several)
  }
}

/// The groups of the rows of a segment, by their numbers in a tally.
private struct RowGroups {
  /// 0 for a row without.
  var first: [Int32]
  /// Further ones of the rows with several.
  var others: [Int: [Int32]] = [:]
  /// The rows that must be read.
  var unknown: Bitmap

  func all(_ row: Int) -> [Int] { first[row] == 0 ? [] : ([first[row]] + others[row, default: []]).map { Int($0) } }

  mutating func add(_ number: Int32, to row: Int) {
    if first[row] == 0 {
      first[row] = number
    } else if first[row] != number, others[row]?.contains(number) != true {
      others[row, default: []].append(number)
    }
  }
}

extension RecordingStore {
  /// Counts those recordings with the index; returns the positions of those that must be read, which are not counted.
  package func count(_ recordings: [Int64], in tally: inout CountTally) throws(StoreError) -> [Int] {
    let before = tally
    let answer: (tally: CountTally, missing: [Int])? = try readIndex { db in
      var (tally, missing) = (before, [Int]())
      let read = { (query: SegmentQuery) in
        SegmentGroups(query, try before.keys.indices.map { try query.groups($0, of: &tally) })
      }
      try forEachKey(of: recordings, db, answer: read) { position, row, answer in
        guard let answer, answer.known.contains(row) else { return missing.append(position) }
        tally.add(row, answer)
      }
      return (tally, missing)
    }
    guard let answer else { return Array(recordings.indices) }
    tally = answer.tally
    return answer.missing
  }
}

extension SegmentQuery {
  /// The groups of all rows that have not changed, by the tally's key with that index.
  fileprivate func groups(_ index: Int, of tally: inout CountTally) throws -> RowGroups {
    let key = tally.keys[index]
    var groups = RowGroups(first: [Int32](repeating: 0, count: segment.span), unknown: Bitmap(span: segment.span))
    if let column = key.numbers {
      // Numbers from 0 to 9999, the years.
      var known = [Int32](repeating: 0, count: 10_000)
      try forEachNumber(of: SearchIndexColumn(column), of: unchanged) { row, number in
        guard let group = key.group(of: number), known.indices.contains(group) else { return }
        if known[group] == 0 {
          known[group] = Int32(tally.number(of: .number(group), in: index, example: segment.first + Int64(row)))
        }
        groups.first[row] = known[group]
      }
      return groups
    }
    let term = key.column.map { $0.termKey.map(SearchTermKey.init) ?? .licence } ?? .source
    groups.unknown = try rows(of: term.ofLongValues.term([]))
    try forEachTerm(from: term.term([]), before: term.term([SearchTermKey.end])) { bytes, encoded in
      let value = bytes.indices.dropFirst().map { bytes[$0] }
      // Of a licence the name, which is the last part, as it is sent.
      let text = term == .licence ? TextFolding.folded(Array(value.split(separator: 0).last ?? [])) : value
      let group = CountKey.Group.text(key.group(of: String(decoding: text, as: UTF8.self)))
      var number: Int32?
      try Bitmap.forEach(encoded: encoded, span: segment.span) { row in
        guard unchanged.contains(row) else { return }
        let known = number ?? Int32(tally.number(of: group, in: index, example: segment.first + Int64(row)))
        number = known
        groups.add(known, to: row)
      }
    }
    return groups
  }
}
