import Chirper
import ChirperModel

/// An error in words: what failed and with what, what to type next, and how the program
/// ends.
///
/// Each error has one text. A line of its own shows `message`; a place that already names
/// the subject of the error (the footer of a table) shows `problem`.
package struct UserFacingError: Error, Equatable, Sendable {
  package let status: ExitStatus
  /// A word for programs: `never-fetched`, `rate-limited`.
  package let kind: String
  /// The subject of the problem, written before a colon: `xeno-canto, page 3`, a path;
  /// `nil` if the problem is a whole sentence.
  package let subject: String?
  /// The problem in one line, without a period at its end.
  package let problem: String
  /// The advice on what to type or do next; its lines are separated by line feeds.
  package let hint: String?

  /// A problem that is a whole sentence.
  package init(_ status: ExitStatus, _ kind: String, _ problem: String, hint: String? = nil) {
    self.init(status, kind, nil, problem, hint: hint)
  }

  package init(
    _ status: ExitStatus, _ kind: String, _ subject: String?, _ problem: String, hint: String? = nil
  ) {
    self.status = status
    self.kind = kind
    self.subject = subject
    self.problem = problem
    self.hint = hint
  }

  /// A problem in the words of the library.
  package init(_ status: ExitStatus, _ kind: String, _ text: ErrorText, hint: String? = nil) {
    self.init(status, kind, text.subject, text.problem, hint: hint)
  }

  /// The whole sentence: `xeno-canto, page 3: the server cannot answer now (status 503).`
  package var message: String { ErrorText(subject, problem).message }

  /// The problem with a different exit code or hint.
  package func with(status: ExitStatus? = nil, hint: String?) -> UserFacingError {
    UserFacingError(status ?? self.status, kind, subject, problem, hint: hint ?? self.hint)
  }

  /// The error as written with `--json`, where it stands alone on standard error.
  package var json: JSONObject {
    ["code": Int(status.rawValue), "kind": kind, "message": message, "hint": hint]
  }

  /// A flag or argument that cannot be used, and what to type instead.
  package static func usage(_ problem: String, hint: String) -> UserFacingError {
    UserFacingError(.usage, "usage", problem, hint: hint)
  }

  /// The list is of a catalogue that this program does not have, so nothing is known about its
  /// fields.
  package static func unknownCatalogue(_ id: CatalogueID) -> UserFacingError {
    UserFacingError(
      .configuration, "unknown-source", "Unknown catalogue \"\(id)\" (the store)",
      hint: "Known catalogues: \(Catalogues.all.map(\.id.rawValue).joined(separator: ", ")).")
  }

  /// The text of any error; that of one which is not of the library is its description.
  package static func of(_ error: any Error) -> UserFacingError {
    UserFacingError(library: error) ?? UserFacingError(.failed, "other", "\(error)")
  }

  /// The text of any error of the library; `nil` for every other.
  package init?(library error: any Error) {
    switch error {
    case let error as UserFacingError: self = error
    case let error as QueryError: self.init(error)
    case let error as SearchExpressionError: self.init(error)
    case let error as StoreError: self.init(error)
    case let error as LoadError: self.init(error)
    default: return nil
    }
  }

  /// `a`, `a or b`, `a, b or c`.
  package static func orList(_ names: [String]) -> String { list(names, "or") }

  /// Names of tags, each with its colon, or whole terms to type.
  static func orList(ofTags names: [String]) -> String {
    orList(names.map { $0.contains(":") ? $0 : "\($0):" })
  }

  /// `a`, `a and b`, `a, b and c`.
  package static func andList(_ names: [String]) -> String { list(names, "and") }

  private static func list(_ names: [String], _ word: String) -> String {
    guard let last = names.last, names.count > 1 else { return names.first ?? "" }
    return names.dropLast().joined(separator: ", ") + " \(word) " + last
  }
}
