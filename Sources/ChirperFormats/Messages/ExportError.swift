import Chirper
import ChirperModel
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

  /// Runs `body` on a thread of its own, because it waits for the store, for files and for the
  /// cores that encode rows. What a command would print about its files becomes an `ExportError`;
  /// apps get other errors as they are.
  ///
  /// - Parameter files: that an app names.
  static func converting<Value: Sendable>(
    _ files: [URL] = [], _ body: @Sendable () async throws -> Value
  ) async throws -> Value {
    // The path of an address of the web would be taken for one of this machine.
    guard files.allSatisfy(\.isFileURL) else { throw ExportError.file(errno: EINVAL) }
    return try await withTaskExecutorPreference(QueueExecutor("chirper.exporting")) {
      do {
        return try await body()
      } catch let error as UserFacingError {
        throw ExportError.invalid(code: error.kind, message: error.message)
      } catch FileError.creating(_, let number), FileError.writing(_, let number) {
        throw ExportError.file(errno: number)
      } catch let error as FileError {
        let text = UserFacingError(error)
        throw ExportError.invalid(code: text.kind, message: "\(text.problem).")
      } catch let error as TableFile.Failure {
        throw ExportError.file(errno: error.number)
      }
    }
  }
}
