import ChirperModel

/// The tags of a query language and what their values may be; strict only where the service's own documentation is.
struct TagTable: Sendable {
  let tags: [String: Value]

  /// The tags of xeno-canto's API v3, from which a catalogue with fewer fields takes some. Vocabularies that have grown
  /// before (`type`, `grp`, `method`) are left open (https://xeno-canto.org/help/search).
  static let all = TagTable(tags: [
    "gen": .text, "sp": .text, "ssp": .text, "fam": .text, "en": .text, "grp": .text,
    "rec": .text, "cnt": .text, "loc": .text, "rmk": .text, "regnr": .text, "also": .text,
    "area": .oneOf(["africa", "america", "asia", "australia", "europe"]),
    "lat": .form(.number), "lon": .form(.number), "box": .form(.box), "alt": .text,
    "type": .text, "othertype": .text, "sex": .text, "stage": .text, "method": .text,
    "seen": .oneOf(["yes", "no"]), "playback": .oneOf(["yes", "no"]), "auto": .oneOf(["yes", "no"]),
    "nr": .form(.serial), "lic": .text, "q": .form(.quality), "len": .form(.number),
    "since": .form(.since), "time": .text, "uploaded": .text,
    "year": .form(.number), "month": .form(.month), "colyear": .form(.number), "colmonth": .form(.month),
    "temp": .form(.number), "dvc": .text, "mic": .text, "smp": .form(.number),
  ])

  /// Only these of the tags.
  func only(_ names: Set<String>) -> TagTable { TagTable(tags: tags.filter { names.contains($0.key) }) }

  /// What a tag's value looks like.
  enum Value: Sendable {
    /// Anything, with or without an operator.
    case text
    case oneOf([String])
    case form(TagValueForm)
  }

  /// Throws unless this is a tag of the language with a value it takes. `value` is without quotes.
  func check(_ tag: String, _ value: String) throws(QueryError) {
    guard let kind = tags[tag] else {
      throw .unknownTag(tag, nearest: TagNames.nearest(to: tag, value: value, among: tags.keys))
    }
    guard !value.allSatisfy(\.isWhitespace) else { throw .missingValue(tag: tag) }
    let lower = value.lowercased()
    switch kind {
    case .oneOf(let words):
      let operand = TagOperand(lower)
      guard words.contains(operand.sign == .exactly ? operand.text : lower) else {
        let last = words.suffix(2).joined(separator: " or ")
        throw .badValue(tag: tag, value: value, expected: (words.dropLast(2) + [last]).joined(separator: ", "))
      }
    case .form(let form) where !form.accepts(lower): throw .badValue(tag: tag, value: value, expected: form.expected)
    case .text, .form: break
    }
  }

  func isNumeric(_ tag: String) -> Bool {
    switch tags[tag] {
    case .form(.number), .form(.month), .form(.serial): true
    default: false
    }
  }
}
