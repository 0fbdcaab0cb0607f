import ChirperModel

/// What a typed text means for GBIF: plain words are a name, and xeno-canto's tags are translated into GBIF's parameters
/// where there is an equivalent.
enum GBIFQuery {
  /// The tags that have an equivalent.
  static let tags = TagTable.all.only(["en", "gen", "sp", "fam", "cnt", "year", "month", "box", "lic", "rec", "nr"])

  /// Parameters of ours that hold a name; `GBIFFetcher` looks it up and sends a `taxonKey` in its place. `name` is of either
  /// kind.
  static let names: Set = ["name", "scientificName", "vernacularName", "genus", "family"]

  static func query(_ cleaned: String) throws(QueryError) -> (text: String, sent: String) {
    if let number = idQuery(cleaned) { return (number, try sent(TagQuery(number, tags: tags))) }
    let query = try TagQuery(cleaned, translating: tags, for: "GBIF")
    guard query.terms.isEmpty else { return (query.normalised, try sent(query)) }
    return (query.normalisedWords, RequestParameters([.init("name", query.words)]).text)
  }

  /// A number of xeno-canto is in the field `catalogNumber`, with its letters.
  @Sendable static func idQuery(_ typed: String) -> String? {
    let digits = typed.uppercased().hasPrefix("XC") ? typed.dropFirst(2) : ""
    return !digits.isEmpty && digits.utf8.allSatisfy { (0x30...0x39).contains($0) } ? "nr:\(digits)" : nil
  }

  private static func sent(_ query: TagQuery) throws(QueryError) -> String {
    var parameters: [RequestParameters.Parameter] = []
    if let (tag, name) = try query.name(), let parameter = nameTags[tag] { parameters.append(.init(parameter, name)) }
    for term in query.terms where nameTags[term.tag] == nil { parameters += try self.parameters(term.tag, term.value) }
    return RequestParameters(parameters).text
  }

  private static let nameTags = ["en": "vernacularName", "fam": "family", "gen": "genus", "sp": "scientificName"]

  private static func parameters(_ tag: String, _ value: String) throws(QueryError) -> [RequestParameters.Parameter] {
    let operand = TagOperand(value)
    func refused(_ expected: String) -> QueryError { .badValue(tag: tag, value: value, expected: expected) }
    switch tag {
    case "cnt":
      guard let code = CountryCodes.code(of: operand.text) else {
        throw refused("an English country name or its two letters, as in cnt:poland or cnt:pl")
      }
      return [.init("country", code)]
    case "year":
      guard let range = range(operand, in: 0...9999) else { throw refused("a year, a range 2010-2020, \"<2010\" or \">2010\"") }
      let isOne = range.lowerBound == range.upperBound
      return [.init("year", isOne ? "\(range.lowerBound)" : "\(range.lowerBound),\(range.upperBound)")]
    case "month":
      guard let range = range(operand, in: 1...12) else { throw refused("a month from 1 to 12, or a range 3-5") }
      return range.map { .init("month", "\($0)") }
    case "box":
      let sides = value.split(separator: ",").compactMap { Double($0) }
      guard sides.count == 4, sides[0] <= sides[2], sides[1] <= sides[3], (-90...90).contains(sides[0]), sides[2] <= 90,
        (-180...180).contains(sides[1]), sides[3] <= 180
      else { throw refused("south,west,north,east in degrees, with the south below the north and the west below the east") }
      let texts = value.split(separator: ",")
      return [
        .init("decimalLatitude", "\(texts[0]),\(texts[2])"), .init("decimalLongitude", "\(texts[1]),\(texts[3])"),
      ]
    case "lic":
      // The licence of the record, which may allow more than that of its sound.
      guard let code = licences[operand.text.lowercased()] else {
        throw refused("CC0, BY or BY-NC, which are the only licences of GBIF's records; a sound can have another one")
      }
      return [.init("license", code)]
    case "rec": return [.init("recordedBy", value.hasPrefix("=") ? String(value.dropFirst()) : value)]
    case "nr":
      guard operand.text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { throw refused("one number") }
      return [.init("catalogNumber", "XC\(operand.text)")]
    default: return []
    }
  }

  private static let licences = [
    "pd": "CC0_1_0", "cc0": "CC0_1_0", "by": "CC_BY_4_0", "by-nc": "CC_BY_NC_4_0", "cc-by": "CC_BY_4_0",
    "cc-by-nc": "CC_BY_NC_4_0",
  ]

  /// `2020`, `2010-2020`, `<2010`, `>2010`; `nil` if it holds no number of the bounds.
  private static func range(_ operand: TagOperand, in bounds: ClosedRange<Int>) -> ClosedRange<Int>? {
    let ends = operand.text.split(separator: "-").compactMap { Int($0) }
    guard let first = ends.first, let last = ends.last, ends.count <= 2, operand.sign == nil || ends.count == 1 else {
      return nil
    }
    let range =
      switch operand.sign {
      case .below: (bounds.lowerBound, first - 1)
      case .above: (first + 1, bounds.upperBound)
      default: (first, last)
      }
    guard range.0 <= range.1, bounds.contains(range.0), bounds.contains(range.1) else { return nil }
    return range.0...range.1
  }
}
