import Chirper
import ChirperModel
import Foundation

/// The reason why an export could not be written, apart from errors of the store and of
/// searches.
#if hasAttribute(nonexhaustive)
  @nonexhaustive
#endif
public enum ExportError: PresentableError, Hashable, Codable {
  /// The list is not stored; `nil` if no list was named.
  case notStored(CatalogueQuery?)
  /// The repository does not have the list's catalogue, so nothing is known about its fields.
  case unknownCatalogue(CatalogueID)
  /// The file could not be written, for the reason that the system has this number for.
  case file(errno: Int32)
  /// Something else about the export cannot be: a column that no recording has, more than fits into
  /// a zip file. A code that does not change, and a sentence.
  case invalid(code: String, message: String)

  /// The error in words for a person.
  public var presentation: ErrorPresentation {
    switch self {
    case .notStored(let query):
      ErrorPresentation(
        .notFetched, code: "never-fetched", title: "Nothing to export",
        sentence: query.map { "Nothing is stored of \($0.typed.inQuotes)" } ?? "No list was chosen",
        advice: query == nil ? "Choose a list." : "Search for it first.")
    case .unknownCatalogue(let id):
      ErrorPresentation(
        .configuration, code: "unknown-source", title: "Unknown service",
        sentence: "The list is of \(id), which this version does not know",
        advice: "Update to the newest version.")
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
