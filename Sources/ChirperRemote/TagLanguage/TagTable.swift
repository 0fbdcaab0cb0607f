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
    "lat": .number, "lon": .number, "box": .box, "alt": .text,
    "type": .text, "othertype": .text, "sex": .text, "stage": .text, "method": .text,
    "seen": .oneOf(["yes", "no"]), "playback": .oneOf(["yes", "no"]), "auto": .oneOf(["yes", "no"]),
    "nr": .serial, "lic": .text, "q": .quality, "len": .number, "since": .since, "time": .text, "uploaded": .text,
    "year": .number, "month": .month, "colyear": .number, "colmonth": .month,
    "temp": .number, "dvc": .text, "mic": .text, "smp": .number,
  ])

  /// Only these of the tags.
  func only(_ names: Set<String>) -> TagTable { TagTable(tags: tags.filter { names.contains($0.key) }) }

  /// What a tag's value looks like.
  enum Value: Sendable {
    /// Anything, with or without an operator.
    case text
    /// A number, `<` or `>` a number, or a range `a-b`.
    case number
    case oneOf([String])
    case month
    /// `A` to `E`, also `<C` and `>C`.
    case quality
    /// A number of days, or a date.
    case since
    /// Four numbers with commas.
    case box
    /// An XC number or a range of them.
    case serial
  }

  /// The other names under which people look for a tag: API v2, the names of the answer's fields, plain English.
  private static let otherNames = [
    "bird-seen": "seen", "animal-seen": "seen", "playback-used": "playback", "group": "grp", "lng": "lon", "length": "len",
    "country": "cnt", "genus": "gen", "species": "sp", "subspecies": "ssp", "family": "fam", "english": "en", "name": "en",
    "recordist": "rec", "location": "loc", "quality": "q", "license": "lic", "licence": "lic", "remarks": "rmk",
    "number": "nr", "id": "nr", "background": "also", "colyr": "colyear",
  ]

  /// Throws unless this is a tag of the language with a value it takes. `value` is without quotes.
  func check(_ tag: String, _ value: String) throws(QueryError) {
    guard let kind = tags[tag] else { throw .unknownTag(tag, nearest: nearest(tag, value)) }
    guard !value.allSatisfy(\.isWhitespace) else { throw .missingValue(tag: tag) }
    if let expected = kind.expectation(unlessTaken: value.lowercased()) {
      throw .badValue(tag: tag, value: value, expected: expected)
    }
  }

  func isNumeric(_ tag: String) -> Bool {
    switch tags[tag] {
    case .number, .month, .serial: true
    case .text, .oneOf, .quality, .since, .box, nil: false
    }
  }

  /// What to type for an unknown tag, the likeliest first; v2's `q_gt:C` is `q:">C"` today.
  private func nearest(_ tag: String, _ value: String) -> [String] {
    for (ending, sign) in [("_gt", ">"), ("_lt", "<")] where tag.hasSuffix(ending) {
      let stem = String(tag.dropLast(3))
      if tags[stem] != nil { return ["\(stem):\"\(sign)\(value)\""] }
    }
    if let other = Self.otherNames[tag], tags[other] != nil { return [other] }
    return NearestNames.to(tag, among: tags.keys)
  }
}

extension TagTable.Value {
  /// What the tag wants instead of that value, in lower case; `nil` where it takes the value.
  func expectation(unlessTaken value: String) -> String? {
    let bare = value.first.map { "<>=".contains($0) } == true ? String(value.dropFirst()) : value
    switch self {
    case .text: return nil
    case .number:
      return bare.wholeMatch(of: Self.numberOrRange) != nil ? nil : "a number, a range 10-20, \"<10\" or \">10\""
    case .oneOf(let words):
      let plain = value.hasPrefix("=") ? bare : value
      return words.contains(plain) ? nil : Self.listed(words)
    case .month:
      let months = bare.split(separator: "-", omittingEmptySubsequences: false)
      let isMonth = (1...2).contains(months.count) && months.allSatisfy { Int($0).map((1...12).contains) ?? false }
      return isMonth ? nil : "a month from 1 to 12"
    case .quality: return ["a", "b", "c", "d", "e"].contains(bare) ? nil : "A, B, C, D, E, \"<C\" or \">C\""
    case .since:
      return value.wholeMatch(of: /\d{1,5}|\d{4}-\d{2}-\d{2}/) != nil ? nil : "a number of days or a date, 2026-03-31"
    case .box:
      return value.wholeMatch(of: /(-?\d+(\.\d+)?,){3}-?\d+(\.\d+)?/) != nil
        ? nil : "south,west,north,east in degrees, without spaces"
    case .serial: return value.wholeMatch(of: /\d+(-\d+)?/) != nil ? nil : "a number, or a range 88888-88890"
    }
  }

  private static var numberOrRange: Regex<(Substring, Substring?, Substring?, Substring?)> {
    /-?\d+(\.\d+)?(--?\d+(\.\d+)?)?/
  }

  private static func listed(_ words: [String]) -> String {
    guard let last = words.last, words.count > 1 else { return words.joined() }
    return "\(words.dropLast().joined(separator: ", ")) or \(last)"
  }
}
