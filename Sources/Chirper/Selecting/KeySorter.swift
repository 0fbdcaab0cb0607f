#if Collection

import ChirperStore

/// Sorts the keys of rows by values of the rows, and forgets those outside of a window.
struct KeySorter {
  private let sort: [SortKey]
  private let window: Range<Int>
  private var count = 0
  /// The keys that can be in the window.
  private var found: [Int64] = []
  /// The values of each key in turn, in one array: an array for each recording would take four
  /// times the memory.
  private var values: [Comparator.Word] = []
  private var comparator = Comparator()
  /// Whether the first of `found`, as many as the window ends with, are in order.
  private var isFull = false

  init(_ sort: [SortKey], window: Range<Int>) {
    self.sort = sort
    self.window = window
  }

  /// - Parameter value: the value of the sort key with that number; called only if it is
  ///   needed.
  mutating func append(_ key: Int64, _ value: (Int) -> SortKey.Value) {
    guard !sort.isEmpty else {
      if window.contains(count) { found.append(key) }
      count += 1
      return
    }
    if isFull, !comes(value, before: window.upperBound - 1) { return }
    for index in sort.indices { values.append(comparator.word(of: value(index))) }
    found.append(key)
    // A search for the first fifty keeps a few thousand, however many there are.
    if window.upperBound < Int.max / 8, found.count >= window.upperBound * 4 + 4096 {
      keepFirst(window.upperBound)
      isFull = window.upperBound > 0
    }
  }

  consuming func keys() -> [Int64] {
    guard !sort.isEmpty else { return found }
    let order = order()
    return order[window.clamped(to: order.indices)].map { found[Int($0)] }
  }

  /// The positions of the keys in the order asked for; no text can be added after it.
  private mutating func order() -> [UInt32] {
    let ranksOfTexts = comparator.ranksOfTexts()
    func rank(_ position: Int, _ part: Int) -> UInt64 {
      comparator.rank(
        of: values[position * sort.count + part], ranksOfTexts,
        descending: sort[part].descending)
    }
    // Equal recordings stay in the order in which they were stored. Numbers next to each other are
    // sorted in half the time of those that are looked up.
    if sort.count == 1 {
      var ranks = found.indices.map { (rank($0, 0), UInt32($0)) }
      ranks.sort { $0 < $1 }
      return ranks.map(\.1)
    }
    let ranks = found.indices.flatMap { position in sort.indices.map { rank(position, $0) } }
    return found.indices.map { UInt32($0) }.sorted { left, right in
      let start = Int(left) * sort.count
      let other = Int(right) * sort.count
      let part = sort.indices.first { ranks[start + $0] != ranks[other + $0] }
      return part.map { ranks[start + $0] < ranks[other + $0] } ?? (left < right)
    }
  }

  private mutating func keepFirst(_ limit: Int) {
    let order = order().prefix(limit).map { Int($0) }
    var smaller = Comparator()
    values = order.flatMap { position in
      sort.indices.map { smaller.word(of: values[position * sort.count + $0], in: comparator) }
    }
    found = order.map { found[$0] }
    comparator = smaller
  }

  /// Whether a recording with those values comes before the one at a position.
  private func comes(_ value: (Int) -> SortKey.Value, before position: Int) -> Bool {
    for (part, key) in sort.enumerated() {
      let other = values[position * sort.count + part]
      if let comes = comparator.comes(value(part), before: other, descending: key.descending) {
        return comes
      }
    }
    return false
  }
}

extension KeySorter {
  /// The order of values. It stores each of their texts once, however many rows have it.
  fileprivate struct Comparator {
    /// A value in eight bytes. The order of words is that of their values, except for two texts.
    typealias Word = UInt64

    private var texts: [String] = []
    private var numbers: [String: Int] = [:]

    /// Follows the word of every number: only infinity has these bits.
    private static let firstText: Word = 0xFFF0_0000_0000_0000
    private static let nothing = Word.max

    /// The word of a value, whose text is stored.
    mutating func word(of value: SortKey.Value) -> Word {
      guard case .text(let text) = value else { return Self.word(ofNumber: value) }
      let number = numbers[text] ?? texts.count
      if number == texts.count {
        numbers[text] = number
        texts.append(text)
      }
      return Self.firstText + Word(number)
    }

    /// The word of a value that is not a text.
    private static func word(ofNumber value: SortKey.Value) -> Word {
      guard case .number(let number) = value, number.isFinite else { return nothing }
      // Zero has two forms. The bits of negative numbers are in the opposite order.
      let bits = (number == 0 ? 0 : number).bitPattern
      return number < 0 ? ~bits : bits | 1 << 63
    }

    /// The text of a word; `nil` if its value is not a text.
    private func text(of word: Word) -> String? {
      word < Self.firstText || word == Self.nothing ? nil : texts[Int(word - Self.firstText)]
    }

    /// The word here of a value that has that word there.
    mutating func word(of word: Word, in other: Comparator) -> Word {
      other.text(of: word).map { self.word(of: .text($0)) } ?? word
    }

    /// The rank of each text in alphabetical order, by its number. Frees the memory by which
    /// texts are found.
    mutating func ranksOfTexts() -> [Int] {
      numbers = [:]
      var ranks = Array(texts.indices)
      let order = texts.indices.sorted { Self.precedes(texts[$0], texts[$1]) }
      for (rank, number) in order.enumerated() { ranks[number] = rank }
      return ranks
    }

    /// A number whose order is that of `comes`, for texts too.
    func rank(of word: Word, _ ranksOfTexts: [Int], descending: Bool) -> UInt64 {
      guard word != Self.nothing else { return word }
      guard word >= Self.firstText else { return descending ? Self.firstText - 1 - word : word }
      let rank = ranksOfTexts[Int(word - Self.firstText)]
      return Self.firstText + Word(descending ? texts.count - 1 - rank : rank)
    }

    /// Whether a folded text comes before the other in the search index, which has texts in the
    /// order of their bytes.
    private static func precedes(_ left: String, _ right: String) -> Bool {
      left.utf8.lexicographicallyPrecedes(right.utf8)
    }

    /// Whether a value comes before that of a word: numbers before texts, and nothing last in any
    /// case; `nil` if they are equal.
    func comes(_ value: SortKey.Value, before other: Word, descending: Bool) -> Bool? {
      let word: Word
      if case .text(let left) = value {
        if let right = text(of: other) {
          guard left != right else { return nil }
          return Self.precedes(left, right) != descending
        }
        word = Self.firstText
      } else {
        word = Self.word(ofNumber: value)
      }
      guard word != other else { return nil }
      let areNumbers = max(word, other) < Self.firstText
      return areNumbers && descending ? other < word : word < other
    }
  }
}

#endif
