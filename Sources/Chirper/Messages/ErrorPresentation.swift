import Foundation

/// An error for the people who use an app: the texts of an alert, in English, and a code
/// under which an app keeps texts of its own. The values of the error (the time to wait,
/// the limit, the tag) are in its cases.
public struct ErrorPresentation: Hashable, Sendable {
  /// A word that does not change with the sentences: `offline`, `rate-limited`. As `kind` in the
  /// command's JSON.
  public let code: String
  /// A few words without a period: `No network`.
  public let title: String
  /// The facts for a log: the page, the status, what the system or SQLite reports; `nil` for
  /// no facts.
  public package(set) var detail: String?

  /// The class of the error.
  package let status: ExitStatus
  /// The file, text or recording that the error is about, as a terminal names it; `nil` if the
  /// sentence does.
  package let subject: String?
  /// The suggestion without `entry`.
  package var advice: String?
  /// The text to type at the end of the suggestion.
  package let entry: String?
  private let sentence: String

  package init(
    _ status: ExitStatus, code: String, title: String, about subject: String? = nil,
    sentence: String, detail: String? = nil, advice: String? = nil, entry: String? = nil
  ) {
    self.status = status
    self.code = code
    self.title = title
    self.subject = subject
    self.sentence = sentence
    self.detail = detail
    self.advice = advice
    self.entry = entry
  }

  /// The problem in a sentence: `xeno-canto cannot answer now.`
  public var message: String { sentence.sentence }

  /// The advice on what to do next, in a sentence or two; `nil` if nothing can be done.
  public var suggestion: String? { [advice, entry].joinedTexts() }

  /// The problem with its detail, without a period: `xeno-canto cannot answer now (status 503)`.
  package var summary: String { sentence + (detail.map { " (\($0))" } ?? "") }

  /// The summary as a terminal writes it after the subject.
  package var problem: String {
    subject == nil ? summary : summary.continued
  }
}

/// Every error of the library. `localizedDescription` is the message of its presentation.
public protocol PresentableError: LocalizedError {
  /// The error in words for a person.
  var presentation: ErrorPresentation { get }
}

extension PresentableError {
  /// The message of the presentation.
  public var errorDescription: String? { presentation.message }
  /// The detail of the presentation.
  public var failureReason: String? { presentation.detail }
  /// The suggestion of the presentation.
  public var recoverySuggestion: String? { presentation.suggestion }
  /// The title of the presentation.
  public var title: String { presentation.title }
  /// The code of the presentation.
  public var code: String { presentation.code }
}

extension String {
  /// The sentence as it continues one: `writing failed`.
  package var continued: String { prefix(1).lowercased() + dropFirst() }

  /// The text with a period, unless it ends a sentence already.
  package var sentence: String { self + (last.map { ".?!".contains($0) } ?? false ? "" : ".") }

  /// The text in quotation marks that it does not have itself: `"parrot"`, `'en:"parrot"'`.
  package var inQuotes: String {
    guard unicodeScalars.contains("\"") else { return "\"\(self)\"" }
    return unicodeScalars.contains("'") ? "“\(self)”" : "'\(self)'"
  }
}

extension [String?] {
  /// The texts with a separator between them; `nil` if all are `nil`.
  package func joinedTexts(by separator: String = " ") -> String? {
    let texts = compactMap(\.self)
    return texts.isEmpty ? nil : texts.joined(separator: separator)
  }
}

/// A file that was not written, for the reason that the system has a number for.
package struct UnwrittenFile {
  private let number: Int32

  package init(_ number: Int32) { self.number = number }

  package var sentence: String { "Writing failed: \(String(cString: strerror(number)))" }

  /// The thing to do before another try; `nil` if nothing is known to help.
  package var remedy: String? {
    switch number {
    case ENOSPC, EDQUOT: "Free some space"
    case EFBIG: "Raise the limit on the size of files (ulimit -f)"
    case EIO: "Check the disk"
    default: nil
    }
  }
}
