import ChirperModel

/// xeno-canto's query language (API v3), which takes tags only: plain words become an English or a scientific name.
enum XenoCantoLanguage {
  static func query(_ cleaned: String, scientific: Bool) throws(QueryError) -> (text: String, sent: String) {
    let query = try TagQuery(cleaned, tags: tags)
    guard query.terms.isEmpty else { return (query.normalised, query.sent) }
    let term = TagQuery.Term(tag: scientific ? "sp" : "en", value: query.words, wasQuoted: true)
    return (term.normalised, term.sent)
  }

  /// Documented in the search help; vocabularies that have grown before (`type`, `grp`, `method`) are left open.
  static let tags = TagTable(tags: [
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
}
