/// Finds the names that a mistyped one may have meant: commands, columns, tags.
package enum NearestNames {
  /// The names nearest to `name`, at most three, the nearest first and equally near ones in
  /// alphabetical order.
  ///
  /// Up to two edits are allowed from four letters on, one below, and at least one letter
  /// must be right.
  package static func to(_ name: String, among names: some Sequence<String>) -> [String] {
    let wanted = name.lowercased()
    let limit = wanted.count < 4 ? 1 : 2
    return names.map { (name: $0, distance: editDistance(wanted, $0.lowercased())) }
      .filter { $0.distance <= limit && $0.distance < max(wanted.count, $0.name.count) }
      .sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }
      .prefix(3).map(\.name)
  }

  /// The names that have a part spelled nearly as the text, at most three, the nearest
  /// first and each once: `Barn Swallow` for `barn-swalow`, `Common Blackbird` for `black
  /// bird`. Case, accents, spaces and punctuation do not count. A part is any number of
  /// words that follow each other. The text itself is left out.
  package static func to(name typed: String, among names: some Sequence<String>) -> [String] {
    let wanted = letters(typed)
    let limit = wanted.count < 4 ? 0 : wanted.count < 6 ? 1 : 2
    guard !wanted.isEmpty else { return [] }
    var seen: Set<[UInt8]> = []
    var found: [(distance: Int, isPart: Int, name: String)] = []
    for name in names {
      let words = name.split(separator: " ").prefix(8).map { letters(String($0)) }
      let whole = words.flatMap(\.self)
      guard seen.insert(whole).inserted, name.lowercased() != typed.lowercased() else { continue }
      var nearest = (distance: limit + 1, isPart: 0)
      for first in words.indices {
        var part: [UInt8] = []
        for last in first..<words.count {
          part += words[last]
          // Others cannot be near.
          guard abs(part.count - wanted.count) <= limit else { continue }
          let distance = editDistance(part, wanted)
          let isPart = part.count < whole.count ? 1 : 0
          if (distance, isPart) < (nearest.distance, nearest.isPart) {
            nearest = (distance, isPart)
          }
        }
      }
      if nearest.distance <= limit { found.append((nearest.distance, nearest.isPart, name)) }
    }
    return found.sorted { ($0.distance, $0.isPart, $0.name) < ($1.distance, $1.isPart, $1.name) }
      .prefix(3).map(\.name)
  }

  /// The letters and digits, folded.
  private static func letters(_ text: String) -> [UInt8] {
    Array(TextFolding.foldedLetters(text).utf8)
  }

  /// Whether a word is the name with one letter changed, left out or doubled, or with two that
  /// stand next to each other swapped. A name of one letter cannot be changed.
  static func isSlip(_ word: String, of name: String) -> Bool {
    let word = Array(word)
    let name = Array(name)
    // The number of equal letters at the beginning and at the end.
    let start = zip(word, name).prefix { $0 == $1 }.count
    let end = zip(word.reversed(), name.reversed()).prefix { $0 == $1 }.count
    switch word.count - name.count {
    case 0:
      let first = start
      let last = name.count - end - 1
      guard first <= last, name.count > 1 else { return false }
      return first == last
        || last == first + 1 && word[first] == name[last] && word[last] == name[first]
    case -1: return !word.isEmpty && start + end >= word.count
    case 1: return start > 0 && start + end >= name.count && word[start] == word[start - 1]
    default: return false
    }
  }

  /// The number of letters that must be inserted, removed, replaced or swapped with their
  /// neighbour to make one word of the other.
  ///
  /// Only the first 40 letters count, because the time grows with the product of both
  /// lengths.
  static func editDistance<Letters: Collection>(_ left: Letters, _ right: Letters) -> Int
  where Letters.Element: Equatable {
    let left = Array(left.prefix(40))
    let right = Array(right.prefix(40))
    var before: [Int] = []
    var last = Array(0...right.count)
    for i in left.indices {
      var row = [i + 1]
      for j in right.indices {
        var best = min(last[j] + (left[i] == right[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
          best = min(best, before[j - 1] + 1)
        }
        row.append(best)
      }
      before = last
      last = row
    }
    return last[right.count]
  }
}
