import Chirper
import ChirperModel
import Foundation

/// An error in words: what failed and with what, what to type next, and how the program
/// ends.
///
/// A line of its own shows `message`; a screen that already names the subject of the error (the
/// footer of a table) shows `problem`. The sentences of the library's errors are its own
/// (`ErrorPresentation`).
package struct UserFacingError: Error, Equatable, Sendable {
  package let status: ExitStatus
  /// A word for programs: `never-fetched`, `rate-limited`.
  package let kind: String
  /// The subject of the problem, written before a colon: a path, `search, column 7`;
  /// `nil` if the problem is a whole sentence.
  package let subject: String?
  /// The problem in one line, without a period at its end.
  package let problem: String
  /// The advice on what to type or do next; its lines are separated by line feeds.
  package let hint: String?
  /// The library's words, if the error is one of its own.
  package let presentation: ErrorPresentation?

  package init(
    _ status: ExitStatus, kind: String, subject: String? = nil, problem: String,
    hint: String? = nil, presentation: ErrorPresentation? = nil
  ) {
    self.status = status
    self.kind = kind
    self.subject = subject
    self.problem = problem
    self.hint = hint
    self.presentation = presentation
  }

  /// An error of the library in its words, and what to type after its suggestion.
  private init(_ text: ErrorPresentation, _ typing: String?) {
    self.init(
      text.status, kind: text.code, subject: text.subject, problem: text.problem,
      hint: [text.advice, text.entry.map(CommandText.quoted), typing].joinedTexts(),
      presentation: text)
  }

  package init(_ error: some PresentableError) {
    self.init(error.presentation, Self.typing(after: error))
  }

  /// The failure of a request for a page.
  package init(_ error: FetchError, catalogue: CatalogueID, page: Int?) {
    self.init(error.presentation(of: catalogue, page: page), Self.typing(after: error))
  }

  /// The reason why a recording has no audio.
  package init(_ error: AudioError, _ id: RecordingID) {
    self.init(error.presentation(of: id), Self.typing(after: error))
  }

  /// The whole sentence: `out.csv: writing failed: Permission denied.`
  package var message: String { ((subject.map { "\($0): " } ?? "") + problem).sentence }

  /// The problem with a different exit code or hint.
  package func with(status: ExitStatus? = nil, hint: String?) -> UserFacingError {
    UserFacingError(
      status ?? self.status, kind: kind, subject: subject, problem: problem, hint: hint ?? self.hint
    )
  }

  /// The error as written with `--json`, where it stands alone on standard error.
  package var json: JSONObject {
    ["code": Int(status.rawValue), "kind": kind, "message": message, "hint": hint]
  }

  /// A flag or argument that cannot be used, and what to type instead.
  package static func usage(_ problem: String, hint: String) -> UserFacingError {
    UserFacingError(.usage, kind: "usage", problem: problem, hint: hint)
  }

  /// A usage error with an example of what to type.
  package static func usage(_ problem: String, example: String) -> UserFacingError {
    usage(problem, hint: "Type it as in: \(example)")
  }

  /// The text of any error; that of one which is not of the library is its description.
  package static func of(_ error: any Error) -> UserFacingError {
    UserFacingError(library: error) ?? UserFacingError(.failed, kind: "other", problem: "\(error)")
  }

  /// The text of any error of the library; `nil` for every other.
  package init?(library error: any Error) {
    switch error {
    case let error as UserFacingError: self = error
    case let error as FileError: self.init(error)
    case let error as any PresentableError: self.init(error)
    default: return nil
    }
  }

  /// A run that a signal or the user ended.
  package static func interrupted(by signal: Int32) -> UserFacingError {
    let isOfUser = signal == SIGINT
    return UserFacingError(
      isOfUser ? .interrupted : .terminated, kind: "interrupted",
      problem: isOfUser ? "Interrupted" : "Terminated by a signal",
      hint: "What arrived is stored; the same command continues from there.")
  }

  /// The commands that need no key; `nil` if every catalogue needs one.
  package static var withoutKey: String? {
    let names = Catalogues.all.filter { $0.service != nil && $0.keyHelpAddress == nil }.map {
      "chirper browse --source \($0.id)"
    }
    return names.isEmpty ? nil : "This needs no key: \(WordList.or(names))"
  }

  /// A recording that is not stored; `typed` is the text that names it.
  package static func notStored(_ typed: String? = nil, hint: String) -> UserFacingError {
    UserFacingError(
      .notFetched, kind: "not-stored",
      problem: typed.map { "No recording \($0.inQuotes) is stored" }
        ?? "No such recording is stored", hint: hint)
  }

  /// The way to get the key of a catalogue and set it.
  package static func howToGetAKey(at address: String) -> String {
    "Get a free key at \(address), then type: chirper auth set"
  }

  private static func typing(after error: FetchError) -> String? {
    switch error.reason {
    case .offline: "chirper list shows what is stored."
    case .unknownTag: "Type for example: --pages 3"
    case .cancelled: "The same command continues from there."
    case .keyMissing, .keyRefused: "Then type: chirper auth set"
    case .proxyRefused(let proxy): "Type: export https_proxy=http://NAME:PASSWORD@\(proxy)"
    default: error.isTransient ? "The same command continues where this one stopped." : nil
    }
  }

  private static func typing(after error: StoreError) -> String? {
    switch error.reason {
    case .damaged: "Type: chirper doctor --repair"
    case .newer, .notOurs: "Or set CHIRPER_DATA_DIR to a different directory."
    case .readOnly(let path, let owner):
      "To store, "
        + (owner.map { "\($0) types: chmod -R g+rwX \(CommandText.quoted(path.folderOfPath)); or " }
          ?? "")
        + "set CHIRPER_DATA_DIR to a directory you may write to."
    case .inputOutput, .unexpected: "If it fails again, type: chirper doctor"
    case .cannotOpen: "Set CHIRPER_DATA_DIR to a directory you may write to."
    default: nil
    }
  }

  /// The command to type after an error of the library, if its own suggestion is not enough.
  private static func typing(after error: any Error) -> String? {
    switch error {
    case LoadError.fetch(let error, _, _): typing(after: error)
    case LoadError.store(let error): typing(after: error)
    case AudioError.fetch(let error): typing(after: error)
    case AudioError.store(let error): typing(after: error)
    case let error as FetchError: typing(after: error)
    case let error as StoreError: typing(after: error)
    case let error as QueryError where error.reason == .unclosedQuote: singleQuotes
    case SelectionError.neverFetched(let list): list.typing
    case SelectionError.order(_, .isNotFirst): "Type it as in: --sort rank --sort -date"
    case SelectionError.order(let name, .hasOneDirection): "Type it as in: --sort \(name)"
    case let error as SearchExpressionError:
      switch error.reason {
      case .unclosedQuote: singleQuotes
      case .unknownList(_, let nearest) where nearest.isEmpty:
        "chirper list shows the stored lists."
      default: nil
      }
    case let error as AudioError where error.presentation.status == .cannotCreate:
      "Audio is kept in the data directory: see chirper doctor."
    default: nil
    }
  }

  private static let singleQuotes =
    "In a shell, put the whole text in single quotes: 'en:\"song thrush\"'"
}
