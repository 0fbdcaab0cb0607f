import ChirperModel

/// The tags of a query language and the forms of their values; strict only if the service's
/// own documentation is.
struct TagTable: Sendable {
  let tags: [String: TagValueForm]
  /// Whether the service may have further tags, which are sent as typed.
  private(set) var isOpen = false

  /// The tags of xeno-canto's API v3, from which a catalogue with fewer fields takes some.
  /// Vocabularies that have grown before (`type`, `grp`, `method`) are left open
  /// (https://xeno-canto.org/help/search).
  static let all = TagTable(tags: [
    "gen": .text, "sp": .text, "ssp": .text, "fam": .text, "en": .text, "grp": .text,
    "rec": .text, "cnt": .text, "loc": .text, "rmk": .text, "regnr": .text, "also": .text,
    "area": .oneOf(Countries.areas),
    "lat": .number, "lon": .number, "box": .box, "alt": .text,
    "type": .text, "othertype": .text, "sex": .text, "stage": .text, "method": .text,
    "seen": .oneOf(["yes", "no"]), "playback": .oneOf(["yes", "no"]),
    "auto": .oneOf(["yes", "no"]),
    "nr": .serial, "lic": .text, "q": .quality, "len": .number,
    "since": .since, "time": .text, "uploaded": .text,
    "year": .number, "month": .month, "colyear": .number, "colmonth": .month,
    "temp": .number, "dvc": .text, "mic": .text, "smp": .number, "ann": .oneOf(["yes", "no"]),
  ])

  /// The table of a service that adds tags without notice.
  var open: TagTable {
    var table = self
    table.isOpen = true
    return table
  }

  func only(_ names: Set<String>) -> TagTable {
    TagTable(tags: tags.filter { names.contains($0.key) })
  }

  func knows(_ tag: String) -> Bool { form(of: tag) != nil }

  /// Throws unless this is a tag of the language with a value it takes, or one that an open table
  /// sends as typed. `value` is without quotes.
  ///
  /// - Parameter isForced: whether it may be nearly a tag of the table (`=qq:A`).
  func check(_ tag: String, _ value: String, isForced: Bool = false) throws(QueryError) {
    let form = form(of: tag)
    // Two slashes after the colon are an address.
    if form == nil, !isOpen || value.hasPrefix("//") {
      throw QueryError(
        .unknownTag(tag, nearest: TagNames.nearest(to: tag, value: value, among: tags.keys)))
    }
    if form == nil, !isForced {
      let meant = TagNames.meant(by: tag, value: value, among: tags.keys)
      let exact = "=" + TagScanner.spelled(tag, value)
      guard meant.isEmpty else { throw QueryError(.mistypedTag(tag, nearest: meant, exact: exact)) }
    }
    guard !value.allSatisfy(\.isWhitespace) else { throw QueryError(.missingValue(tag: tag)) }
    if let form, !form.accepts(value.lowercased()) {
      throw QueryError(.badValue(tag: tag, value: value, expected: form.expected))
    }
  }

  /// The form of a tag's values; `nil` if the language does not have the tag. Tags of annotations
  /// begin with `ann_` (`ann_sp`, `ann_type`), and xeno-canto adds further ones without notice.
  private func form(of tag: String) -> TagValueForm? {
    tags[tag] ?? (tags["ann"] != nil && tag.hasPrefix("ann_") ? .text : nil)
  }

  /// Whether a comma needs no quotes in the tag's values; how one that is not known takes them is
  /// left to the service.
  func takesCommas(_ tag: String) -> Bool {
    switch form(of: tag) {
    case nil, .box, .serial: true
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
