import ChirperModel
import ChirperRemote
import Foundation

/// An error in the words of a terminal and a log: its subject and the problem. The command
/// adds the text to type next; apps show `ErrorPresentation`.
package struct ErrorText: Hashable, Sendable {
  /// The subject of the problem, written before a colon: `xeno-canto, page 3`, a path;
  /// `nil` if the problem is a whole sentence.
  package let subject: String?
  /// The problem in one line, without a period at its end.
  package let problem: String

  /// A problem, and its subject.
  package init(_ subject: String?, _ problem: String) {
    self.subject = subject
    self.problem = problem
  }

  /// The whole sentence: `xeno-canto, page 3: the server cannot answer now (status 503).`
  package var message: String {
    let end = problem.last.map { ".?!".contains($0) } ?? false ? "" : "."
    return (subject.map { "\($0): " } ?? "") + problem + end
  }
}

extension String {
  /// The text in quotation marks that it does not have itself: `"parrot"`, `'en:"parrot"'`.
  package var inQuotes: String {
    guard unicodeScalars.contains("\"") else { return "\"\(self)\"" }
    return unicodeScalars.contains("'") ? "“\(self)”" : "'\(self)'"
  }
}

extension LoadError {
  /// The error in words.
  package var text: ErrorText {
    switch self {
    case .fetch(let error, let catalogue, let page): error.text(of: catalogue, page: page)
    case .store(let error): error.text
    case .cancelled: ErrorText(nil, "Interrupted")
    }
  }
}

extension FetchError {
  /// The error in words, about the catalogue that was asked and the page that was requested, if
  /// they are known.
  package func text(of id: CatalogueID?, page: Int?) -> ErrorText {
    let name = id.map { Catalogues.named($0)?.name ?? $0.rawValue }
    func quoted(_ message: String?) -> String {
      message.map { $0.isEmpty ? "" : ": \(String($0.prefix(300)).inQuotes)" } ?? ""
    }
    let problem =
      switch self {
      case .offline(let host): "no network, or \(host) did not resolve"
      case .unreachable(let host, let detail): "\(host) cannot be reached: \(detail)"
      case .timedOut(let host, let phase): "\(host) \(phase.text)"
      case .truncated: "the answer was cut off, so it was not stored"
      case .rateLimited(let wait):
        "too many requests; the service asks to wait\(wait.map { " \(AgeText.words($0))" } ?? "")"
      case .serverBusy(let status, let wait):
        "the server cannot answer now (status \(status))\(wait.map { "; it asks to wait \(AgeText.words($0))" } ?? "")"
      case .refused(let status, let message):
        "the service rejects the request (status \(status))\(quoted(message))"
      case .tooDeep(let total, let limit):
        "\(total.map { "the query finds \($0) records, and " } ?? "")only the first \(limit) of a list can be read"
      case .unknownTag(let tag, let total, let limit):
        "chirper does not know the tag \"\(tag):\", and \(total) recordings are announced, "
          + "more than \(limit): the service may ignore the tag"
      case .endless(let pages, let announced):
        "the service \(announced.map { "announced \(Plural.words($0, "page")), " } ?? "")has sent \(pages) and names more"
      case .unknownCatalogue: "this version of chirper does not support the catalogue"
      case .keyMissing: "a key is needed and none is set"
      case .keyRefused(let status, let message):
        "the service rejects the key (status \(status))\(quoted(message))"
      case .webPage: "the network answered with a web page: a captive portal?"
      case .malformed(let detail): "the answer cannot be read: \(detail)"
      case .tooLarge(let limit): "the answer is larger than \(limit) bytes"
      case .unknownEncoding(let encoding): "the answer has the unknown encoding \"\(encoding)\""
      case .addressRefused(let reason): "the configured base URL cannot be used: \(reason)"
      case .redirectRefused(let reason): "a redirect was not followed: \(reason)"
      case .badCertificate(let host): "the certificate of \(host) is not trusted"
      case .proxyRefused(let proxy): "the proxy \(proxy) asks for a name and password (status 407)"
      case .cancelled: "Interrupted"
      }
    switch self {
    case .cancelled: return ErrorText(nil, problem)
    // They are about no page.
    case .tooDeep, .unknownTag, .keyMissing, .keyRefused: return ErrorText(name, problem)
    default:
      return ErrorText(name.map { name in page.map { "\(name), page \($0)" } ?? name }, problem)
    }
  }
}

extension FetchError.TimeoutPhase {
  fileprivate var text: String {
    switch self {
    case .connect: "did not accept a connection in time"
    case .firstByte: "accepted the connection but did not answer in time"
    case .idle: "stopped sending in the middle of its answer"
    case .whole: "took too long to send its answer"
    }
  }
}

extension StoreError {
  /// The error in words.
  package var text: ErrorText {
    switch self {
    case .damaged(let path, let detail): ErrorText(path, "the database is damaged: \(detail)")
    case .newer(let path, let version, let known):
      ErrorText(
        path,
        "the database has version \(version) and was written by a newer version of chirper; this one supports versions up to \(known)"
      )
    case .notOurs(let path):
      ErrorText(path, "this database was not written by chirper; it was not changed")
    case .readOnly(let path, nil):
      ErrorText(path, "the database is read-only, so nothing can be stored")
    case .readOnly(let path, let owner?):
      ErrorText(
        path,
        "the database belongs to \(owner), who lets this account only read it, so nothing can be stored"
      )
    case .diskFull(let path): ErrorText(path, "the disk is full; what was stored before is safe")
    case .inputOutput(let path, let detail): ErrorText(path, "reading or writing failed: \(detail)")
    case .busy(let path, let holder):
      ErrorText(path, "\(holder ?? "another program") has locked the database")
    case .queryInUse(let holder):
      ErrorText(
        nil,
        "\(holder ?? "Another chirper process") has been fetching the same query, without progress for a minute"
      )
    case .cannotOpen(let path, let detail):
      ErrorText(path, "the database cannot be opened: \(detail)")
    case .queryForgotten:
      ErrorText(nil, "Another chirper process removed this query while it was being fetched")
    case .walkClosed:
      ErrorText(nil, "Another chirper process finished fetching the same query first")
    case .replaced(let path):
      ErrorText(path, "the database was replaced by a different file while it was in use")
    case .removed(let path):
      ErrorText(path, "the database was moved or deleted while it was in use")
    case .recordingForgotten:
      ErrorText(
        nil, "Another chirper process deleted or changed recordings while they were being read")
    case .unexpected(let path, let detail): ErrorText(path, "SQLite reports: \(detail)")
    }
  }
}

extension QueryError {
  /// The error in words.
  package var text: ErrorText {
    switch self {
    case .blank: ErrorText(nil, "The query is empty")
    case .tooLong(let count, let limit):
      ErrorText(nil, "The query has \(count) characters; the limit is \(limit)")
    case .controlCharacter(let value):
      ErrorText(nil, "The query contains a control character (\(Self.codePoint(value)))")
    case .pageSize(let asked, _, let catalogue):
      ErrorText(nil, "\(catalogue) does not serve pages of \(asked) recordings")
    case .unknownTag(let tag, _): ErrorText(nil, "Unknown tag \"\(tag):\"")
    case .mistypedTag(let tag, _, _): ErrorText(nil, "Unknown tag \"\(tag):\"")
    case .unsupportedTag(let tag, let catalogue, _):
      ErrorText(nil, "\(catalogue) cannot search by \"\(tag):\"")
    case .missingValue(let tag): ErrorText(nil, "The tag \"\(tag):\" has no value")
    case .badValue(let tag, let value, _):
      ErrorText(nil, "The tag \"\(tag):\" does not accept \(value.inQuotes)")
    case .unclosedQuote: ErrorText(nil, "A quotation mark in the query is not closed")
    case .mixed(let words, _):
      ErrorText(
        nil, "\(words.inQuotes) needs a tag, because a tag of the query has a name already")
    }
  }

  /// `U+0007`.
  fileprivate static func codePoint(_ value: UInt32) -> String {
    let digits = String(value, radix: 16, uppercase: true)
    return "U+\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)"
  }
}

extension SearchExpressionError {
  /// The error in words.
  package var text: ErrorText {
    func here(_ problem: String) -> ErrorText { ErrorText("search, column \(position)", problem) }
    return switch reason {
    case .empty: ErrorText(nil, "The search is empty")
    case .tooLong(let count, let limit):
      ErrorText(nil, "The search has \(count) characters; the limit is \(limit)")
    case .tooManyTerms(let limit): here("the search has more than \(limit) terms")
    case .controlCharacter(let value):
      here("there is a control character (\(QueryError.codePoint(value)))")
    case .unknownTag(let tag, _): here("unknown tag \"\(Self.shown(tag)):\"")
    case .missingValue(let tag): here("the tag \"\(tag):\" has no value")
    case .badValue(let tag, let value, _, _, _):
      here("the tag \"\(tag):\" does not accept \(Self.shown(value).inQuotes)")
    case .nothingToFind(let value):
      here("\(Self.shown(value).inQuotes) has no letter or digit to search for")
    case .unclosedQuote: here("a quotation mark is not closed")
    case .misplacedQuote: here("a quotation mark is in the middle of a value")
    case .emptyNegation: here("nothing follows the \"-\"")
    case .operatorWord(let word, _):
      here("\"\(word)\" does not join terms; in double quotes it is searched for")
    case .unknownList(let name, _): here("no list \(Self.shown(name).inQuotes) is stored")
    }
  }

  /// A typed text, cut if it is too long for a line.
  private static func shown(_ text: String) -> String {
    text.count <= 60 ? text : "\(text.prefix(59))…"
  }
}

extension AudioError {
  /// The error in words; `id` is the recording whose audio was asked for, if it is known.
  package func text(of id: RecordingID?) -> ErrorText {
    let subject = id?.description
    return switch self {
    case .withheld(let reason):
      ErrorText(
        subject,
        "the service withholds the audio\(reason.map { " (\($0.replacing("_", with: " ")))" } ?? ": its species is restricted")"
      )
    case .none: ErrorText(subject, "it has no audio")
    case .addressRefused(let reason): ErrorText(subject, "its audio was not requested: \(reason)")
    case .badID: ErrorText(subject, "its id cannot be a file name")
    case .fetch(let error): error.text(of: id?.catalogue, page: nil)
    case .store(let error): error.text
    case .inUse(let holder):
      ErrorText(
        subject,
        "\(holder ?? "another chirper process") has been downloading the same audio, without progress for a minute"
      )
    case .file(let path, ELOOP):
      ErrorText(
        path,
        "this is a link that is not followed: a different account made it, or it leads to itself")
    case .file(let path, let number):
      ErrorText(
        path,
        (Self.isWriting(number) ? "writing failed: " : "the file cannot be written: ")
          + String(cString: strerror(number)))
    }
  }
}
