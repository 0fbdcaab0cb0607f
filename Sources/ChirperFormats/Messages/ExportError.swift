import Chirper
import ChirperModel
import Foundation

/// The reason why an export could not be written, apart from errors of its selection and of the
/// store.
#if hasAttribute(nonexhaustive)
  @nonexhaustive
#endif
public enum ExportError: PresentableError, Hashable, Codable {
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
}
