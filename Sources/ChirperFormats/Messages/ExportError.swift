import Chirper
import Foundation

/// The reason why an export could not be written, apart from errors of its selection and of the
/// store.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum ExportError: PresentableError, Hashable {
  /// The file could not be written, for the reason that the system has this number for.
  case file(errno: Int32)
  /// Something else about the export cannot be: a column that no recording has, more than fits into
  /// a zip file. A code that does not change, and a sentence.
  case invalid(code: String, message: String)

  /// The error in words for a person.
  public var presentation: ErrorPresentation {
    switch self {
    case .file(let number):
      ErrorPresentation(
        .inputOutput, code: "write-failed", title: "Export failed",
        sentence: UnwrittenFile(number).sentence,
        advice: UnwrittenFile(number).remedy.map { "\($0), and try again." }
          ?? "Choose another place.")
    case .invalid(let code, let message):
      ErrorPresentation(.failed, code: code, title: "Export failed", sentence: message)
    }
  }

  /// The error for an app of what a command would print about its files; `nil` for errors that apps
  /// get as they are.
  static func ofFiles(_ error: any Error) -> ExportError? {
    switch error {
    case let error as UserFacingError: return .invalid(code: error.kind, message: error.message)
    case FileError.creating(_, let number), FileError.writing(_, let number):
      return .file(errno: number)
    case let error as FileError:
      let text = UserFacingError(error)
      return .invalid(code: text.kind, message: "\(text.problem).")
    case let error as TableFile.Failure: return .file(errno: error.number)
    default: return nil
    }
  }
}
