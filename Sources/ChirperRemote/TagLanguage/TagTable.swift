import ChirperModel

/// The tags of a query language and what their values may be; strict only where the service's own documentation is.
struct TagTable: Sendable {
  let tags: [String: TagValueForm]

  /// The tags of xeno-canto's API v3, from which a catalogue with fewer fields takes some. Vocabularies that have grown
  /// before (`type`, `grp`, `method`) are left open (https://xeno-canto.org/help/search).
  static let all = TagTable(tags: [
    "gen": .text, "sp": .text, "ssp": .text, "fam": .text, "en": .text, "grp": .text,
    "rec": .text, "cnt": .text, "loc": .text, "rmk": .text, "regnr": .text, "also": .text,
    "area": .oneOf(Countries.areas),
    "lat": .number, "lon": .number, "box": .box, "alt": .text,
    "type": .text, "othertype": .text, "sex": .text, "stage": .text, "method": .text,
    "seen": .oneOf(["yes", "no"]), "playback": .oneOf(["yes", "no"]), "auto": .oneOf(["yes", "no"]),
    "nr": .serial, "lic": .text, "q": .quality, "len": .number,
    "since": .since, "time": .text, "uploaded": .text,
    "year": .number, "month": .month, "colyear": .number, "colmonth": .month,
    "temp": .number, "dvc": .text, "mic": .text, "smp": .number, "ann": .oneOf(["yes", "no"]),
  ])

  func only(_ names: Set<String>) -> TagTable { TagTable(tags: tags.filter { names.contains($0.key) }) }

  /// Throws unless this is a tag of the language with a value it takes. `value` is without quotes.
  func check(_ tag: String, _ value: String) throws(QueryError) {
    guard let form = form(of: tag) else {
      throw .unknownTag(tag, nearest: TagNames.nearest(to: tag, value: value, among: tags.keys))
    }
    guard !value.allSatisfy(\.isWhitespace) else { throw .missingValue(tag: tag) }
    guard form.accepts(value.lowercased()) else { throw .badValue(tag: tag, value: value, expected: form.expected) }
  }

  /// The form of a tag's values; `nil` if the language does not have the tag. Tags of annotations begin
  /// with `ann_` (`ann_sp`, `ann_type`), and xeno-canto adds further ones without notice.
  private func form(of tag: String) -> TagValueForm? {
    tags[tag] ?? (tags["ann"] != nil && tag.hasPrefix("ann_") ? .text : nil)
  }

  func takesCommas(_ tag: String) -> Bool {
    switch tags[tag] {
    case .box, .serial: true
    default: false
    }
  }

  func isNumeric(_ tag: String) -> Bool {
    switch tags[tag] {
    case .number, .month, .serial: true
    default: false
    }
  }
}
