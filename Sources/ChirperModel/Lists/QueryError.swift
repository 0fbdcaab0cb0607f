/// The reason why a typed text cannot be a query.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum QueryError: Error, Hashable, Codable, Sendable {
  /// The text has only white space.
  case blank
  /// The text has `count` Unicode scalars, more than `limit`.
  case tooLong(count: Int, limit: Int)
  /// A control or bidi character, by its scalar value.
  case controlCharacter(UInt32)
  /// The repository has no catalogue of that id.
  case unknownCatalogue(String, known: [String])
  /// The catalogue cannot be asked: its recordings are imported from files.
  case importedOnly(catalogue: String)
  /// A page size that the catalogue does not serve.
  case pageSize(asked: Int, served: ClosedRange<Int>, catalogue: String)
  /// A tag the catalogue does not have, and the nearest it has.
  case unknownTag(String, nearest: [String])
  /// A tag that is nearly one that chirper knows, and the tags that were probably meant.
  /// The catalogue takes further tags, so `exact`, with `=` before it, sends it all the
  /// same.
  case mistypedTag(String, nearest: [String], exact: String)
  /// A tag that other catalogues have, and the tags that this one has.
  case unsupportedTag(String, catalogue: String, supported: [String])
  /// A tag with nothing after its colon.
  case missingValue(tag: String)
  /// A value outside those the tag takes.
  case badValue(tag: String, value: String, expected: String)
  /// A quotation mark without its second one.
  case unclosedQuote
  /// Plain words next to tags of which one has a name already; the suggestion has them tagged.
  case mixed(words: String, suggestion: String)
}
