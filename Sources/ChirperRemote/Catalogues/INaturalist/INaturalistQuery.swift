#if Collection

import ChirperModel

/// The service ignores unknown parameters, so only documented ones are sent. Some are ours and hold
/// a name, `taxon` one of either kind: `INaturalistFetcher` sends a `taxon_id` in its place.
enum INaturalistQuery {
  static let language = ParameterLanguage(
    catalogue: "iNaturalist",
    tags: TagTable.all.only(["en", "gen", "sp", "fam", "year", "since", "lic", "nr"]),
    words: "taxon",
    names: [
      "en": "commonName", "fam": "scientificName", "gen": "scientificName", "sp": "scientificName",
    ],
    parameters: parameters)

  static func query(
    _ cleaned: String, scientific: Bool
  ) throws(QueryError) -> (identity: String, requestText: String) {
    if let taxon = taxon(cleaned) {
      let parameters = RequestParameters(all: [.init(INaturalist.taxa.key, taxon)])
      return ("https://www.inaturalist.org/taxa/\(taxon)", parameters.text)
    }
    return try language.query(idQuery(cleaned) ?? cleaned, scientific: scientific)
  }

  /// The number of a taxon in the address of its page; `nil` for any other text.
  static func taxon(_ typed: String) -> String? {
    guard let page = typed.page(on: hosts), page.hasPrefix("taxa/") else { return nil }
    return page.dropFirst(5).numberBeforeName
  }

  private static let hosts: Set = ["inaturalist.org", "www.inaturalist.org"]

  /// The number of an observation alone, in the address of its page, or in the id of a row:
  /// `340989664-2100000`.
  @Sendable static func idQuery(_ typed: String) -> String? {
    if let number = observation(typed) { return "nr:\(number)" }
    let parts = typed.split(separator: "-", omittingEmptySubsequences: false)
    return parts.count <= 2 && parts.allSatisfy(\.isDigits) ? "nr:\(parts[0])" : nil
  }

  /// The number of an observation in the address of its page; `nil` for any other text.
  static func observation(_ typed: String) -> String? {
    guard let page = typed.page(on: hosts), page.hasPrefix("observations/") else { return nil }
    return page.dropFirst("observations/".count).numberOfPage
  }

  @Sendable private static func parameters(
    _ tag: String, _ value: String
  ) throws(QueryError) -> [RequestParameters.Parameter] {
    func refused(_ expected: String) -> QueryError {
      .badValue(tag: tag, value: value, expected: expected)
    }
    let operand = TagOperand(value)
    switch tag {
    case "year":
      guard let range = ParameterLanguage.range(value, in: 1...9999) else {
        throw refused(ParameterLanguage.years)
      }
      let from = RequestParameters.Parameter(
        "d1", DecimalText.padded(range.lowerBound, digits: 4) + "-01-01")
      let to = RequestParameters.Parameter(
        "d2", DecimalText.padded(range.upperBound, digits: 4) + "-12-31")
      return operand.sign == .below ? [to] : operand.sign == .above ? [from] : [from, to]
    case "since":
      // A number of days would change its meaning from day to day, while the list keeps its name.
      guard PartialDate(value)?.day != nil else { throw refused("a date, as in since:2026-03-31") }
      return [.init("created_d1", value)]
    case "nr":
      guard operand.text.isDigits else { throw refused("one number") }
      return [.init("id", operand.text)]
    case "lic":
      let text = operand.text.lowercased()
      let code = text == "pd" ? "cc0" : text.hasPrefix("cc") ? text : "cc-\(text)"
      guard
        ["cc0", "cc-by", "cc-by-nc", "cc-by-sa", "cc-by-nd", "cc-by-nc-sa", "cc-by-nc-nd"].contains(
          code)
      else {
        throw refused("CC0, BY, BY-NC, BY-SA, BY-ND, BY-NC-SA or BY-NC-ND")
      }
      return [.init("sound_license", code)]
    default: return []
    }
  }
}

#endif
