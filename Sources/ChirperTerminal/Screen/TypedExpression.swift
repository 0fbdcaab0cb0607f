import Chirper
import ChirperModel

/// A text in the language of docs/search.md that can be searched for.
struct TypedExpression: Equatable, Sendable {
  let text: String
  let expression: SearchExpression

  /// Reads a typed text. Throws for a text that is not in the language, and for one that
  /// ends with the beginning of a word that the tag knows: the rows shown stay until the
  /// word is typed.
  init(_ text: String) throws(SearchExpressionError) {
    self.text = text
    expression = try SearchExpression(typed: text, in: Catalogues.known)
    try expression.checkIsFinished()
  }

  struct Fault: Equatable, Sendable {
    /// The position at which the problem begins, in characters from 1.
    let position: Int
    /// One sentence or two, with the position.
    let text: String

    init(_ error: SearchExpressionError) {
      position = error.position
      let words = error.presentation
      var hint = words.suggestion.map { ". \($0)" } ?? ""
      // Every quoted text is unclosed while it is typed.
      if case .unclosedQuote = error.reason { hint = "" }
      text = (words.subject == nil ? "" : "column \(position): ") + words.problem + hint
    }
  }
}
