#if Collection

import ChirperModel

enum GBIFQuery {
  /// Some parameters are ours and hold a name, `name` one of either kind: `GBIFFetcher` sends a
  /// `taxonKey` in its place.
  static let language = ParameterLanguage(
    catalogue: "GBIF",
    tags: TagTable.all.only([
      "en", "gen", "sp", "fam", "cnt", "year", "month", "box", "lic", "rec", "nr",
    ]),
    words: "name",
    names: ["en": "vernacularName", "fam": "family", "gen": "genus", "sp": "scientificName"],
    parameters: parameters)

  static func query(_ cleaned: String, scientific: Bool) throws(QueryError) -> (
    identity: String, requestText: String
  ) {
    let key = key(cleaned)
    if let key { return (page(key), RequestParameters(all: [.init("gbifId", key)]).text) }
    if let taxon = GBIFTaxonPage(cleaned) { return (taxon.address, taxon.parameters.text) }
    return try language.query(idQuery(cleaned) ?? cleaned, scientific: scientific)
  }

  /// A number of xeno-canto is in the field `catalogNumber`, with its letters.
  @Sendable static func idQuery(_ typed: String) -> String? {
    key(typed).map(page) ?? XenoCanto.number(cited: typed).map { "nr:\($0)" }
  }

  private static func page(_ key: String) -> String { "https://www.gbif.org/occurrence/\(key)" }

  /// The key of an occurrence in the address of its page or in the id of a row:
  /// `5006703001-1a2b3c4d`.
  private static func key(_ typed: String) -> String? {
    if let key = occurrence(typed) { return key }
    let parts = typed.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].isDigits, parts[1].count == 8,
      parts[1].allSatisfy(\.isHexDigit)
    else { return nil }
    return String(parts[0])
  }

  /// The key of an occurrence in the address of its page; `nil` for any other text.
  static func occurrence(_ typed: String) -> String? {
    guard let page = typed.page(on: ["gbif.org", "www.gbif.org"]), page.hasPrefix("occurrence/")
    else { return nil }
    return page.dropFirst("occurrence/".count).numberOfPage
  }

  @Sendable private static func parameters(
    _ tag: String, _ value: String
  ) throws(QueryError) -> [RequestParameters.Parameter] {
    let operand = TagOperand(value)
    func refused(_ expected: String) -> QueryError {
      .badValue(tag: tag, value: value, expected: expected)
    }
    switch tag {
    case "cnt":
      guard let code = Countries.beginning(operand.text)?.code else {
        let name = TagScanner.spelled("cnt", Countries.names(near: operand.text).first ?? "poland")
        throw refused("an English country name or its code, as in \(name) or cnt:pl")
      }
      return [.init("country", code)]
    case "year":
      guard let range = ParameterLanguage.range(value, in: 0...9999) else {
        throw refused(ParameterLanguage.years)
      }
      return [
        .init(
          "year",
          range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound),\(range.upperBound)")
      ]
    case "month":
      guard let range = ParameterLanguage.range(value, in: 1...12) else {
        throw refused("a month from 1 to 12, or a range 3-5")
      }
      return range.map { .init("month", "\($0)") }
    case "box":
      let texts = value.split(separator: ",")
      guard let box = SearchBox(value), box.west <= box.east else {
        throw refused(
          "south,west,north,east in degrees, with the south below the north and the west below the east"
        )
      }
      return [
        .init("decimalLatitude", "\(texts[0]),\(texts[2])"),
        .init("decimalLongitude", "\(texts[1]),\(texts[3])"),
      ]
    case "lic":
      // The licence of the record, which may allow more than that of its sound.
      guard let code = licences[operand.text.lowercased()] else {
        throw refused(
          "CC0, BY or BY-NC, which are the only licences of GBIF's records; a sound can have another one"
        )
      }
      return [.init("license", code)]
    case "rec":
      return [.init("recordedBy", value.hasPrefix("=") ? String(value.dropFirst()) : value)]
    case "nr":
      guard operand.text.isDigits else { throw refused("one number") }
      return [.init("catalogNumber", "XC\(operand.text)")]
    default: return []
    }
  }

  private static let licences = [
    "pd": "CC0_1_0", "cc0": "CC0_1_0", "by": "CC_BY_4_0", "by-nc": "CC_BY_NC_4_0",
    "cc-by": "CC_BY_4_0",
    "cc-by-nc": "CC_BY_NC_4_0",
  ]
}

#endif
