import Chirper
import ChirperModel

/// The texts of errors in a search of what is stored.
extension UserFacingError {
  package init(_ error: SearchExpressionError) {
    let place = "search, column \(error.position)"
    switch error.reason {
    case .empty:
      self.init(
        .usage, "empty-search", "The search is empty", hint: "Type words, tags with a value, or both, as in: 'robin q:A'")
    case .tooLong(let count, let limit):
      self.init(
        .usage, "search-too-long", "The search has \(count) characters; the limit is \(limit)", hint: "Type a shorter one.")
    case .tooManyTerms(let limit):
      self.init(
        .usage, "search-too-long", place, "the search has more than \(limit) terms", hint: "Type fewer words and tags.")
    case .controlCharacter(let value):
      self.init(
        .usage, "control-character", place, "there is a control character (\(QueryError.codePoint(value)))",
        hint: "Type the search without it.")
    case .unknownTag(let tag, let nearest):
      let tags =
        nearest.isEmpty
        ? "The tags are \(Self.andList(SearchTag.allCases.map { "\($0.rawValue):" }))."
        : "Did you mean \(Self.orList(nearest.map { $0.contains(":") ? $0 : "\($0):" }))?"
      self.init(
        .usage, "unknown-tag", place, "unknown tag \"\(Self.shown(tag)):\"",
        hint: "\(tags) To search for the text itself, put it in double quotes.")
    case .missingValue(let tag):
      self.init(
        .usage, "missing-value", place, "the tag \"\(tag):\" has no value",
        hint: "Type the value directly after the colon: \(tag):value")
    case .badValue(let tag, let value, let expected, let nearest, let isOpen):
      let exact = isOpen ? " To search for exactly this text, type: \(TagScanner.spelled(tag, "=\(value)"))" : ""
      self.init(
        .usage, "bad-value", place, "the tag \"\(tag):\" does not accept \"\(Self.shown(value))\"",
        hint: nearest.isEmpty ? "It accepts \(expected)." : "Did you mean \(Self.orList(nearest))?\(exact)")
    case .nothingToFind(let value):
      self.init(
        .usage, "nothing-to-find", place, "there is no letter or digit to search for in \"\(Self.shown(value))\"",
        hint: "Type at least one letter or digit.")
    case .unclosedQuote:
      self.init(
        .usage, "unclosed-quote", place, "a quotation mark is not closed",
        hint: "Close it, and put the whole search in single quotes: 'en:\"song thrush\"'")
    case .misplacedQuote:
      self.init(
        .usage, "misplaced-quote", place, "a quotation mark is in the middle of a value",
        hint: "Put the whole value in quotes, and type \\\" for a quotation mark in it: 'rmk:\"5\\\" of rain\"'")
    case .emptyNegation:
      self.init(
        .usage, "missing-value", place, "nothing follows the \"-\"",
        hint: "Type what to leave out directly after it, as in: -type:call")
    case .unknownList(let name, let nearest):
      let meant = Self.orList(nearest.map { "in:\(TagScanner.quoting($0))" })
      self.init(
        .notFetched, "never-fetched", place, "no list \"\(Self.shown(name))\" is stored",
        hint: nearest.isEmpty ? "chirper list shows the stored lists." : "Did you mean \(meant)?")
    }
  }

  /// A text that was typed, cut where it is too long for a line.
  private static func shown(_ text: String) -> String { text.count <= 60 ? text : "\(text.prefix(59))…" }
}
