import Chirper
import ChirperModel

/// The advice on what to type after an error in a search of what is stored.
extension UserFacingError {
  package init(_ error: SearchExpressionError) {
    let text = error.text
    switch error.reason {
    case .empty:
      self.init(
        .usage, error.code, text, hint: "Type words, tags with a value, or both, as in: 'robin q:A'"
      )
    case .tooLong: self.init(.usage, error.code, text, hint: "Type a shorter one.")
    case .tooManyTerms: self.init(.usage, error.code, text, hint: "Type fewer words and tags.")
    case .controlCharacter: self.init(.usage, error.code, text, hint: "Type the search without it.")
    case .unknownTag(_, let nearest):
      let tags =
        nearest.isEmpty
        ? "The tags are \(Self.andList(SearchTag.allCases.map { "\($0.rawValue):" }))."
        : "Did you mean \(Self.orList(ofTags: nearest))?"
      self.init(
        .usage, error.code, text,
        hint: "\(tags) To search for the text itself, put it in double quotes.")
    case .missingValue(let tag):
      self.init(
        .usage, error.code, text, hint: "Type the value directly after the colon: \(tag):value")
    case .badValue(let tag, let value, let expected, let nearest, let isOpen):
      let exact =
        isOpen
        ? " To search for exactly this text, type: \(TagScanner.spelled(tag, "=\(value)"))" : ""
      self.init(
        .usage, error.code, text,
        hint: nearest.isEmpty
          ? "It accepts \(expected)." : "Did you mean \(Self.orList(nearest))?\(exact)")
    case .nothingToFind:
      self.init(.usage, error.code, text, hint: "Type at least one letter or digit.")
    case .unclosedQuote:
      self.init(
        .usage, error.code, text,
        hint: "Close it, and put the whole search in single quotes: 'en:\"song thrush\"'")
    case .misplacedQuote:
      self.init(
        .usage, error.code, text,
        hint:
          "Put the whole value in quotes, and type \\\" for a quotation mark in it: 'rmk:\"5\\\" of rain\"'"
      )
    case .emptyNegation:
      self.init(
        .usage, error.code, text,
        hint: "Type what to leave out directly after it, as in: -type:call")
    case .operatorWord(_, let instead): self.init(.usage, error.code, text, hint: "\(instead).")
    case .unknownList(_, let nearest):
      let meant = Self.orList(nearest.map { "in:\(TagScanner.quoting($0))" })
      self.init(
        .notFetched, error.code, text,
        hint: nearest.isEmpty ? "chirper list shows the stored lists." : "Did you mean \(meant)?")
    }
  }
}
