/// The reason why a typed text cannot be a query. What it is about is in its `presentation`: a code,
/// which stays, and sentences.
public struct QueryError: Error, Hashable, Sendable {
  package let reason: Reason

  package init(_ reason: Reason) { self.reason = reason }

  /// Every reason.
  package enum Reason: Hashable, Sendable {
    /// The text has only white space.
    case blank
    /// The text has `count` Unicode scalars, more than `limit`.
    case tooLong(count: Int, limit: Int)
    /// A control or bidi character, by its scalar value.
    case controlCharacter(UInt32)
    /// The repository has no catalogue of that id.
    case unknownCatalogue(String, known: [String])
    /// The text names a catalogue, and a different one was named apart from it.
    case severalCatalogues(String, String)
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

  /// A tag the catalogue does not have, and the nearest it has.
  public static func unknownTag(_ tag: String, nearest: [String]) -> Self {
    Self(.unknownTag(tag, nearest: nearest))
  }

  /// A value outside those the tag takes: what it accepts, as `a number from 1 to 9`.
  public static func badValue(tag: String, value: String, expected: String) -> Self {
    Self(.badValue(tag: tag, value: value, expected: expected))
  }
}

extension QueryError: CustomStringConvertible {
  /// The reason as it is written in a log: `blank`.
  public var description: String { "\(reason)" }
}
