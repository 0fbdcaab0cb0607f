import ChirperModel
import ChirperRemote
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
  /// The problem in a sentence: `xeno-canto cannot be reached, because this machine has no
  /// network.`
  public let message: String
  /// The advice on what to do next, in a sentence or two; `nil` if nothing can be done.
  public let suggestion: String?

  package init(_ code: String, _ title: String, _ message: String, _ suggestion: String? = nil) {
    self.code = code
    self.title = title
    self.message = message
    self.suggestion = suggestion
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
  /// The suggestion of the presentation.
  public var recoverySuggestion: String? { presentation.suggestion }
  /// The title of the presentation.
  public var title: String { presentation.title }
  /// The code of the presentation.
  public var code: String { presentation.code }
}

extension LoadError: PresentableError {
  /// The error in words for a person; it names the catalogue.
  public var presentation: ErrorPresentation {
    switch self {
    case .fetch(let error, let catalogue, page: _):
      error.presentation(of: Catalogues.named(catalogue)?.name ?? catalogue.rawValue)
    case .store(let error): error.presentation
    case .cancelled: FetchError.cancelled.presentation
    }
  }
}

extension FetchError: PresentableError {
  /// The error in words for a person; a `LoadError` knows the name of the catalogue, too.
  public var presentation: ErrorPresentation { presentation(of: "The service") }

  fileprivate func presentation(of service: String) -> ErrorPresentation {
    let later = "Try again later. What is stored is not affected."
    func wait(_ time: Duration?) -> String {
      time.map { "Try again in \(AgeText.words($0))." } ?? "Try again in a few minutes."
    }
    return switch self {
    case .offline:
      .init(
        "offline", "No network",
        "\(service) cannot be reached, because this machine has no network.",
        "What is stored can still be used. Try again when you are connected.")
    case .unreachable: .init("unreachable", "No connection", "\(service) cannot be reached.", later)
    case .timedOut: .init("timed-out", "No answer", "\(service) did not answer in time.", later)
    case .truncated:
      .init("truncated", "Incomplete answer", "The answer of \(service) broke off.", later)
    case .rateLimited(let time):
      .init("rate-limited", "Too many requests", "\(service) asks for a pause.", wait(time))
    case .serverBusy(_, let time):
      .init("server-busy", "Service busy", "\(service) cannot answer now.", wait(time))
    case .refused(_, let message?) where !message.isEmpty:
      .init(
        "refused", "Search rejected",
        "\(service) rejects this search: \(String(message.prefix(300)).inQuotes)",
        "Change the search.")
    case .refused:
      .init("refused", "Search rejected", "\(service) rejects this search.", "Change the search.")
    case .tooDeep(_, let limit):
      .init(
        "too-deep", "Too many results",
        "\(service) gives only the first \(limit) results of a search.",
        "Search for something more specific.")
    case .unknownTag(let tag, let total, _):
      .init(
        "unknown-tag", "Unknown tag",
        "\(service) may ignore \"\(tag):\", because it announces \(total) results.",
        "Leave the tag out, or load some pages only.")
    case .endless:
      .init(
        "endless", "Unusable answer", "\(service) does not come to the end of this list.", later)
    case .unknownCatalogue:
      .init(
        "unknown-catalogue", "Unknown service", "This version cannot search \(service).",
        "Update to the newest version.")
    case .keyMissing:
      .init(
        "key-missing", "Key needed", "\(service) needs a key.", "Enter your key in the settings.")
    case .keyRefused:
      .init(
        "key-refused", "Key rejected", "\(service) does not accept the key.",
        "Check your key in the settings.")
    case .webPage:
      .init(
        "web-page", "Sign-in needed", "The network answers in place of \(service).",
        "Sign in to the network in a browser, and try again.")
    case .malformed:
      .init("malformed", "Unusable answer", "The answer of \(service) cannot be read.", later)
    case .tooLarge:
      .init("too-large", "Unusable answer", "The answer of \(service) is too large.", later)
    case .unknownEncoding:
      .init(
        "unknown-encoding", "Unusable answer", "The answer of \(service) cannot be read.", later)
    case .addressRefused:
      .init(
        "address-refused", "Wrong address", "The address set for \(service) cannot be used.",
        "Check the address in the settings."
      )
    case .redirectRefused:
      .init(
        "redirect-refused", "Unusable answer", "\(service) leads to an address that is not safe.",
        later)
    case .badCertificate:
      .init(
        "bad-certificate", "No safe connection", "The connection to \(service) is not safe.",
        "Check the date and time of the device, or use another network.")
    case .proxyRefused:
      .init(
        "proxy-refused", "Proxy needs a password",
        "The network's proxy asks for a name and a password.",
        "Check the proxy in the network settings.")
    case .cancelled: .init("interrupted", "Stopped", "Loading was stopped.")
    }
  }
}

extension StoreError: PresentableError {
  /// The error in words for a person.
  public var presentation: ErrorPresentation {
    let again = "Try again."
    return switch self {
    case .damaged:
      .init(
        "damaged", "Database damaged",
        "The stored recordings cannot be read, because the database is damaged.")
    case .newer:
      .init(
        "newer-database", "Newer database", "The stored recordings are from a newer version.",
        "Update to the newest version.")
    case .notOurs:
      .init(
        "not-ours", "Unknown database", "The file in the place of the database is something else.")
    case .readOnly:
      .init("read-only", "Read-only", "Nothing can be stored, because the database is read-only.")
    case .diskFull:
      .init(
        "disk-full", "Storage full",
        "The disk has no space left to store more. What was stored before is safe.",
        "Free some space, and try again.")
    case .inputOutput:
      .init("input-output", "Storage failed", "Reading or writing the storage failed.", again)
    case .busy:
      .init(
        "busy", "Database busy", "Another program is using the stored recordings.",
        "Try again in a moment.")
    case .queryInUse:
      .init(
        "query-in-use", "Already loading", "Another program is loading the same search.",
        "Try again in a moment.")
    case .cannotOpen:
      .init("cannot-open", "Database unavailable", "The stored recordings cannot be opened.")
    case .queryForgotten:
      .init(
        "query-forgotten", "List removed", "The list was removed while it was being loaded.", again)
    case .walkClosed:
      .init("walk-closed", "Already loaded", "Another program has loaded the same search.", again)
    case .replaced:
      .init(
        "replaced", "Database replaced",
        "The stored recordings were replaced while they were being used.", again)
    case .removed:
      .init(
        "removed", "Database removed",
        "The stored recordings were moved or deleted while they were being used.",
        "Put them back, or start the app again.")
    case .recordingForgotten:
      .init(
        "recording-forgotten", "List changed",
        "Recordings were removed while they were being read.", again)
    case .unexpected:
      .init("store", "Database failed", "The stored recordings cannot be used now.", again)
    }
  }
}

extension QueryError: PresentableError {
  /// The error in words for a person.
  public var presentation: ErrorPresentation {
    switch self {
    case .blank:
      .init(
        "blank-query", "Nothing to search for", "The search is empty.", "Enter what to look for.")
    case .tooLong(_, let limit):
      .init(
        "query-too-long", "Search too long", "The search is longer than \(limit) characters.",
        "Enter a shorter one.")
    case .controlCharacter:
      .init(
        "control-character", "Invisible character",
        "The search has a character that cannot be seen.", "Enter the search again.")
    case .pageSize(let asked, let served, let catalogue):
      .init(
        "page-size", "Wrong page size", "\(catalogue) does not send \(asked) recordings at a time.",
        "Choose from \(served.lowerBound) to \(served.upperBound).")
    case .unknownTag(let tag, let nearest):
      .init(
        "unknown-tag", "Unknown tag", "The tag \"\(tag):\" does not exist.",
        .meant(nearest, colon: true))
    case .mistypedTag(let tag, let nearest, let exact):
      .init(
        "unknown-tag", "Unknown tag", "The tag \"\(tag):\" does not exist.",
        (.meant(nearest, colon: true) ?? "") + " To send it all the same, enter: \(exact)")
    case .unsupportedTag(let tag, let catalogue, let supported):
      .init(
        "unknown-tag", "Unknown tag", "\(catalogue) cannot search by \"\(tag):\".",
        "Its tags are \(supported.map { "\($0):" }.joined(separator: " "))")
    case .missingValue(let tag): .noValue(tag)
    case .badValue(let tag, let value, let expected):
      .badValue(tag, value, "It accepts \(expected).")
    case .unclosedQuote: .unclosedQuote
    case .mixed(let words, let suggestion):
      .init(
        "mixed-query", "Tag missing",
        "\(words.inQuotes) needs a tag, because a tag of the search has a name already.",
        "Try: \(suggestion)")
    }
  }
}

extension SearchExpressionError: PresentableError {
  /// The error in words for a person; `position` says where in the text.
  public var presentation: ErrorPresentation {
    switch reason {
    case .empty:
      .init(
        "empty-search", "Nothing to search for", "The search is empty.", "Enter what to look for.")
    case .tooLong(_, let limit):
      .init(
        "search-too-long", "Search too long", "The search is longer than \(limit) characters.",
        "Enter a shorter one.")
    case .tooManyTerms(let limit):
      .init(
        "search-too-long", "Search too long", "The search has more than \(limit) words and tags.",
        "Enter fewer.")
    case .controlCharacter:
      .init(
        "control-character", "Invisible character",
        "The search has a character that cannot be seen.", "Enter the search again.")
    case .unknownTag(let tag, let nearest):
      .init(
        "unknown-tag", "Unknown tag", "The tag \"\(tag.prefix(60)):\" does not exist.",
        .meant(nearest, colon: true))
    case .missingValue(let tag): .noValue(tag)
    case .badValue(let tag, let value, let expected, let nearest, isOpen: _):
      .badValue(tag, String(value.prefix(60)), .meant(nearest) ?? "It accepts \(expected).")
    case .nothingToFind(let value):
      .init(
        "nothing-to-find", "Nothing to search for",
        "\(String(value.prefix(60)).inQuotes) has no letter or digit.",
        "Enter at least one letter or digit.")
    case .unclosedQuote: .unclosedQuote
    case .misplacedQuote:
      .init(
        "misplaced-quote", "Misplaced quotation mark",
        "A quotation mark is in the middle of a value.",
        "Put the whole value in quotation marks.")
    case .emptyNegation:
      .init(
        "missing-value", "Value missing", "Nothing follows the \"-\".",
        "Enter directly after it what to leave out.")
    case .operatorWord(let word, let instead):
      .init(
        "operator", "Word not understood", "\"\(word)\" does not join words here.", "\(instead).")
    case .unknownList(let name, let nearest):
      .init(
        "never-fetched", "Unknown list", "No list \(String(name.prefix(60)).inQuotes) is stored.",
        .meant(nearest))
    }
  }
}

extension AudioError: PresentableError {
  /// The error in words for a person.
  public var presentation: ErrorPresentation {
    switch self {
    case .withheld:
      .init(
        "no-audio", "Sound not public",
        "The service does not give out this sound, to protect the species.")
    case .none: .init("no-audio", "No sound", "This recording has no sound.")
    case .addressRefused: .init("no-audio", "No sound", "The address of this sound is not safe.")
    case .badID: .init("no-audio", "No sound", "This sound cannot be kept on the device.")
    case .fetch(let error): error.presentation
    case .store(let error): error.presentation
    case .inUse:
      .init(
        "audio-in-use", "Already loading", "Another program is loading the same sound.",
        "Try again in a moment.")
    case .file(_, let number) where Self.isWriting(number):
      .init(
        "write-failed", "Storage failed", "The sound cannot be stored, because writing failed.",
        "Free some space, and try again."
      )
    case .file:
      .init("cannot-create", "Storage failed", "The sound cannot be stored on the device.")
    }
  }

  /// Whether writing failed, rather than creating the file.
  package static func isWriting(_ number: Int32) -> Bool {
    [ENOSPC, EDQUOT, EFBIG, EIO].contains(number)
  }
}

extension ErrorPresentation {
  fileprivate static let unclosedQuote = ErrorPresentation(
    "unclosed-quote", "Quotation mark missing", "A quotation mark is not closed.", "Close it.")

  fileprivate static func noValue(_ tag: String) -> ErrorPresentation {
    ErrorPresentation(
      "missing-value", "Value missing", "The tag \"\(tag):\" has no value.",
      "Enter it directly after the colon.")
  }

  fileprivate static func badValue(_ tag: String, _ value: String, _ suggestion: String)
    -> ErrorPresentation
  {
    ErrorPresentation(
      "bad-value", "Wrong value", "The tag \"\(tag):\" does not accept \(value.inQuotes).",
      suggestion)
  }
}

extension Optional<String> {
  fileprivate static func meant(_ names: [String], colon: Bool = false) -> String? {
    let names = names.map { !colon || $0.contains(":") ? $0 : "\($0):" }
    guard let last = names.last else { return nil }
    return
      "Did you mean \((names.count > 1 ? names.dropLast().joined(separator: ", ") + " or " : "") + last)?"
  }
}
