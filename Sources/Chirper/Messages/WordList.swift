/// Lists of words in a sentence.
package enum WordList {
  /// `a`, `a or b`, `a, b or c`.
  package static func or(_ names: [String]) -> String { list(names, "or") }

  /// `a`, `a and b`, `a, b and c`.
  package static func and(_ names: [String]) -> String { list(names, "and") }

  /// `Did you mean cnt: or en:?`; `nil` for no names.
  package static func meant(_ names: [String]) -> String? {
    names.isEmpty ? nil : "Did you mean \(or(names))?"
  }

  /// `meant(_:)` for names of tags, each with its colon, or whole terms to type.
  static func meant(tags: [String]) -> String? {
    meant(tags.map { $0.contains(":") ? $0 : "\($0):" })
  }

  private static func list(_ names: [String], _ word: String) -> String {
    guard let last = names.last, names.count > 1 else { return names.first ?? "" }
    return names.dropLast().joined(separator: ", ") + " \(word) " + last
  }
}

/// The first of many names, and how many more there are.
package struct FirstNames {
  package let names: ArraySlice<String>
  /// `and 3 more`; `nil` if these are all.
  package let more: String?

  package init(_ all: [String], limit: Int = 20) {
    names = all.prefix(limit)
    more = all.count > limit ? "and \(all.count - limit) more" : nil
  }

  /// `a, b, c and 3 more`.
  package var text: String { [names.joined(separator: ", "), more].joinedTexts() ?? "" }

  /// `a, b, c and 3 more`, or `a, b and c` if these are all.
  package var phrase: String { more == nil ? WordList.and(Array(names)) : text }
}

/// Counts in words.
package enum Plural {
  /// `1 page`, `2 pages`, `2 queries`.
  package static func words(_ count: Int, _ noun: String) -> String {
    guard count != 1 else { return "1 \(noun)" }
    return noun.hasSuffix("ry") ? "\(count) \(noun.dropLast())ies" : "\(count) \(noun)s"
  }

  package static func are(_ count: Int) -> String { count == 1 ? "is" : "are" }
  package static func were(_ count: Int) -> String { count == 1 ? "was" : "were" }
  package static func them(_ count: Int) -> String { count == 1 ? "it" : "them" }

  /// `wrote 2 rows to parrot.csv`.
  package static func written(_ count: Int, _ noun: String, to file: String) -> String {
    "wrote \(words(count, noun)) to \(file)"
  }
}
