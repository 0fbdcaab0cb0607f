import ChirperModel

/// What a typed text means for iNaturalist: plain words are a taxon's name, and xeno-canto's tags are translated into
/// parameters where there is an equivalent. The service ignores a parameter that it does not know, so only documented ones
/// are sent.
enum INaturalistQuery {
  /// The tags that have an equivalent.
  static let tags = TagTable.all.only(["en", "gen", "sp", "fam", "year", "since", "lic"])

  static func query(_ cleaned: String) throws(QueryError) -> (text: String, sent: String) {
    let query = try TagQuery(cleaned, translating: tags, for: "iNaturalist")
    guard query.terms.isEmpty else { return (query.normalised, try sent(query)) }
    return (query.normalisedWords, RequestParameters([.init("taxon", query.words)]).text)
  }

  private static func sent(_ query: TagQuery) throws(QueryError) -> String {
    // The service looks for English and scientific names alike.
    var parameters = try query.name().map { [RequestParameters.Parameter("taxon", $0.name)] } ?? []
    for term in query.terms { parameters += try self.parameters(term.tag, term.value) }
    return RequestParameters(parameters).text
  }

  private static func parameters(_ tag: String, _ value: String) throws(QueryError) -> [RequestParameters.Parameter] {
    let operand = TagOperand(value)
    switch tag {
    case "year":
      let ends = operand.text.split(separator: "-").compactMap { Int($0) }
      guard let first = ends.first, let last = ends.last, (1...9998).contains(first), (first...9998).contains(last),
        ends.count == 1 || operand.sign == nil, ends.count <= 2
      else { throw .badValue(tag: tag, value: value, expected: "a year, a range 2010-2020, \"<2010\" or \">2010\"") }
      let from = RequestParameters.Parameter("d1", day(operand.sign == .above ? first + 1 : first, "01-01"))
      let to = RequestParameters.Parameter("d2", day(operand.sign == .below ? first - 1 : last, "12-31"))
      return operand.sign == .below ? [to] : operand.sign == .above ? [from] : [from, to]
    case "since":
      // A number of days would change its meaning from day to day, while the list keeps its name.
      guard PartialDate(value)?.day != nil else {
        throw .badValue(tag: tag, value: value, expected: "a date, as in since:2026-03-31")
      }
      return [.init("created_d1", value)]
    case "lic":
      let text = operand.text.lowercased()
      let code = text.hasPrefix("cc") || text == "pd" ? text : "cc-\(text)"
      let known = ["cc0", "cc-by", "cc-by-nc", "cc-by-sa", "cc-by-nd", "cc-by-nc-sa", "cc-by-nc-nd"]
      guard let licence = code == "pd" ? "cc0" : known.first(where: { $0 == code }) else {
        throw .badValue(tag: tag, value: value, expected: "CC0, BY, BY-NC, BY-SA, BY-ND, BY-NC-SA or BY-NC-ND")
      }
      return [.init("sound_license", licence)]
    default: return []
    }
  }

  /// A day of a year, as in `0990-01-01`.
  private static func day(_ year: Int, _ day: String) -> String {
    DecimalText.padded(year, digits: 4) + "-" + day
  }
}
