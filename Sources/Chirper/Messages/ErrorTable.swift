import ChirperModel
import ChirperRemote
import Foundation

// The sentences of the library's errors: what each is about, what happened and what to do. A front
// end shows them as they are, and adds only what to type or press.

extension LoadError: PresentableError {
  /// The error in words for a person; it names the catalogue.
  public var presentation: ErrorPresentation {
    switch self {
    case .fetch(let error, let catalogue, let page): error.presentation(of: catalogue, page: page)
    case .store(let error): error.presentation
    case .cancelled: FetchError.cancelled.presentation
    }
  }
}

extension FetchError: PresentableError {
  /// The error in words for a person; a `LoadError` knows the name of the catalogue, too.
  public var presentation: ErrorPresentation { presentation(of: nil, page: nil) }

  /// The error in words, about the catalogue that was asked and the page that was requested, if
  /// they are known.
  package func presentation(of id: CatalogueID?, page: Int?) -> ErrorPresentation {
    var row = row(id.flatMap(Catalogues.named), id?.rawValue)
    switch self {
    // They are not about one page.
    case .tooDeep, .unknownTag, .unknownCatalogue, .keyMissing, .keyRefused, .addressRefused,
      .cancelled:
      break
    default:
      row.detail = [page.map { "page \($0)" }, row.detail].joinedTexts(by: ", ")
    }
    return row
  }

  private func row(_ catalogue: Catalogue?, _ id: String?) -> ErrorPresentation {
    let name = catalogue?.name ?? id
    let (service, subject) = (name ?? "the service", name ?? "The service")
    let later = "Try again later. What is stored is not affected."
    func wait(_ time: Duration?) -> String {
      time.map { "Try again in \(AgeText.words($0))." } ?? "Try again in a few minutes."
    }
    func quoted(_ message: String?) -> String {
      message.map { $0.isEmpty ? "" : ": \(String($0.prefix(300)).inQuotes)" } ?? ""
    }
    let newKey = catalogue?.key.map { "Get a free key at \($0.helpAddress)." }
    return switch self {
    case .offline(let host):
      .init(
        .unreachable, "offline", "No network",
        "No network, or the address of \(service) was not found",
        detail: host, "What is stored can still be used. Try again when you are connected.")
    case .unreachable(let host, let detail):
      .init(
        .unreachable, "unreachable", "No connection", "\(subject) cannot be reached",
        detail: "\(host): \(detail)", later)
    case .timedOut(let host, let phase):
      .init(
        .tryLater, "timed-out", "No answer", "\(subject) did not answer in time",
        detail: "\(host) \(phase.text)", later)
    case .truncated:
      .init(
        .notUnderstood, "truncated", "Incomplete answer",
        "The answer of \(service) broke off, so it was not stored", later)
    case .rateLimited(let time):
      .init(
        .tryLater, "rate-limited", "Too many requests",
        "\(subject) asks for a pause after too many requests", wait(time))
    case .serverBusy(let status, let time):
      .init(
        .tryLater, "server-busy", "Service busy", "\(subject) cannot answer now",
        detail: "status \(status)", wait(time))
    case .refused(let status, let message):
      .init(
        .failed, "refused", "Request rejected", "\(subject) rejects the request\(quoted(message))",
        detail: "status \(status)",
        "Check the query.\(catalogue?.queryHelpAddress.map { " Its language is described at \($0)." } ?? "")"
      )
    case .tooDeep(let total, let limit):
      .init(
        .failed, "too-deep", "Too many results",
        "\(subject) gives only the first \(limit) records of a list",
        detail: total.map { "this one has \($0)" },
        "Narrow the query\(catalogue?.depth.map { " with \($0.narrowing)" } ?? ""), and fetch its parts one by one."
      )
    case .unknownTag(let tag, let total, let limit):
      .init(
        .failed, "unknown-tag", "Unknown tag",
        "\(subject) may ignore the tag \"\(tag):\", because it announces \(total) recordings",
        detail: "more than \(limit)",
        "Page 1 is stored. Leave the tag out, or fetch only some pages.")
    case .endless(let pages, let announced):
      .init(
        .notUnderstood, "endless", "Unusable answer",
        "\(subject) does not come to the end of this list",
        detail:
          "\(announced.map { "announced \(Plural.words($0, "page")), " } ?? "")has sent \(pages) and names more",
        later)
    case .unknownCatalogue:
      .init(
        .failed, "unknown-catalogue", "Unknown service", "This version cannot search \(service)",
        "Update to the newest version.")
    case .keyMissing:
      .init(
        .key, "key-missing", "Key needed", "\(subject) needs a key, and none is set",
        newKey ?? "Set a key.")
    case .keyRefused(let status, let message):
      .init(
        .key, "key-refused", "Key rejected", "\(subject) rejects the key\(quoted(message))",
        detail: "status \(status)", "Check the key.\(newKey.map { " " + $0 } ?? "")")
    case .webPage:
      .init(
        .notUnderstood, "web-page", "Sign-in needed",
        "The network answered with a web page: a captive portal?",
        "Sign in to the network in a browser, and try again.")
    case .malformed(let detail):
      .init(
        .notUnderstood, "malformed", "Unusable answer", "The answer of \(service) cannot be read",
        detail: detail, later)
    case .tooLarge(let limit):
      .init(
        .notUnderstood, "too-large", "Unusable answer", "The answer of \(service) is too large",
        detail: "more than \(limit) bytes", later)
    case .unknownEncoding(let encoding):
      .init(
        .notUnderstood, "unknown-encoding", "Unusable answer",
        "The answer of \(service) cannot be read", detail: "unknown encoding \(encoding.inQuotes)",
        later)
    case .addressRefused(let reason):
      .init(
        .configuration, "address-refused", "Wrong address",
        "The address set for \(service) cannot be used", detail: reason,
        "Set an HTTPS address, or one on this machine.")
    case .redirectRefused(let reason):
      .init(
        .unreachable, "redirect-refused", "Unusable answer",
        "A redirect of \(service) was not followed", detail: reason, later)
    case .badCertificate(let host):
      .init(
        .unreachable, "bad-certificate", "No safe connection",
        "The connection to \(service) is not safe",
        detail: "the certificate of \(host) is not trusted",
        "Check this machine's date and time, or use a different network. This check cannot be skipped."
      )
    case .proxyRefused(let proxy):
      .init(
        .unreachable, "proxy-refused", "Proxy needs a password",
        "The network's proxy asks for a name and a password", detail: "\(proxy), status 407",
        "Set both with the proxy's address.")
    case .cancelled:
      .init(
        .interrupted, "interrupted", "Stopped", "Loading was stopped", "What arrived is stored.")
    }
  }
}

extension FetchError.TimeoutPhase {
  fileprivate var text: String {
    switch self {
    case .connect: "did not accept a connection"
    case .firstByte: "accepted the connection, but did not answer"
    case .idle: "stopped sending in the middle of its answer"
    case .whole: "took too long to send its answer"
    }
  }
}

extension StoreError: PresentableError {
  /// The error in words for a person.
  public var presentation: ErrorPresentation {
    let again = "Try again."
    return switch self {
    case .damaged(let path, let detail):
      .init(
        .damaged, "damaged", "Database damaged", about: path, "The database is damaged",
        detail: detail)
    case .newer(let path, let version, let known):
      .init(
        .damaged, "newer-database", "Newer database", about: path,
        "The database was written by a newer version, and was not changed",
        detail: "it has version \(version); this version supports up to \(known)",
        "Update to the newest version.")
    case .notOurs(let path):
      .init(
        .damaged, "not-ours", "Unknown database", about: path,
        "This is the database of a different program; it was not changed", "Move it away.")
    case .readOnly(let path, let owner):
      .init(
        .inputOutput, "read-only", "Read-only", about: path,
        "The database is read-only, so nothing can be stored",
        detail: owner.map { "it belongs to \($0), who lets this account only read it" },
        "What is stored can still be used.")
    case .diskFull(let path):
      .init(
        .inputOutput, "disk-full", "Storage full", about: path,
        "The disk is full; what was stored before is safe", "Free some space, and try again.")
    case .inputOutput(let path, let detail):
      .init(
        .inputOutput, "input-output", "Storage failed", about: path, "Reading or writing failed",
        detail: detail, "Check the disk, and try again.")
    case .busy(let path, let holder):
      .init(
        .tryLater, "busy", "Database busy", about: path,
        "\(HolderText.start(holder, "program")) has locked the database", HolderText.advice(holder))
    case .queryInUse(let holder):
      .init(
        .tryLater, "query-in-use", "Already loading",
        "\(HolderText.start(holder, "process")) has been fetching the same query, without progress for a minute",
        HolderText.advice(holder))
    case .cannotOpen(let path, let detail):
      .init(
        .configuration, "cannot-open", "Database unavailable", about: path,
        "The database cannot be opened", detail: detail)
    case .queryForgotten:
      .init(
        .tryLater, "query-forgotten", "List removed", "The list was removed while it was fetched",
        again)
    case .walkClosed:
      .init(
        .tryLater, "walk-closed", "Already loaded",
        "A different process fetched the same list first", again)
    case .replaced(let path):
      .init(
        .tryLater, "replaced", "Database replaced", about: path,
        "The database was replaced by a different file while it was in use", again)
    case .removed(let path):
      .init(
        .tryLater, "removed", "Database removed", about: path,
        "The database was moved or deleted while it was in use",
        "Put it back, or start the program again to begin with an empty one.")
    case .recordingForgotten:
      .init(
        .tryLater, "recording-forgotten", "List changed",
        "Recordings were removed or changed while they were being read", again)
    case .unexpected(let path, let detail):
      .init(
        .failed, "store", "Database failed", about: path, "The database cannot be used now",
        detail: detail, again)
    }
  }
}

/// Words for the process that holds a lock.
private enum HolderText {
  static func start(_ holder: String?, _ kind: String) -> String {
    holder.map { $0.prefix(1).uppercased() + $0.dropFirst() } ?? "A different \(kind)"
  }

  static func advice(_ holder: String?) -> String {
    "Wait until \(holder ?? "it") ends, or end it; then try again."
  }
}

extension QueryError: PresentableError {
  /// The error in words for a person.
  public var presentation: ErrorPresentation {
    switch self {
    case .blank:
      .init(
        .usage, "blank-query", "Nothing to search for", "The query is empty",
        "Type what to look for, as in:", entry: "parrot")
    case .tooLong(let count, let limit):
      .init(
        .usage, "query-too-long", "Query too long",
        "The query has \(count) characters; the limit is \(limit)", "Type a shorter one.")
    case .controlCharacter(let value): .controlCharacter(value, in: "query")
    case .pageSize(let asked, let served, let catalogue):
      .init(
        .usage, "page-size", "Wrong page size",
        "\(catalogue) does not serve pages of \(asked) recordings",
        "Choose a number from \(served.lowerBound) to \(served.upperBound).")
    case .unknownTag(let tag, let nearest):
      .unknownTag(
        tag,
        WordList.meant(tags: nearest)
          ?? "The tags are listed at \(Catalogues.all.compactMap(\.queryHelpAddress).joined(separator: ", "))."
      )
    case .mistypedTag(let tag, let nearest, let exact):
      .unknownTag(
        tag, (WordList.meant(tags: nearest).map { $0 + " " } ?? "") + "To send it as it is, type:",
        entry: exact)
    case .unsupportedTag(let tag, let catalogue, let supported):
      .init(
        .usage, "unknown-tag", "Unknown tag", "\(catalogue) cannot search by \"\(tag):\"",
        "Its tags are \(supported.map { "\($0):" }.joined(separator: " ")).")
    case .missingValue(let tag): .missingValue(tag)
    case .badValue(let tag, let value, let expected):
      .badValue(tag, value, "It accepts \(expected).")
    case .unclosedQuote: .unclosedQuote()
    case .mixed(let words, let suggestion):
      .init(
        .usage, "mixed-query", "Tag missing",
        "\(words.inQuotes) needs a tag, because a tag of the query has a name already", "Type:",
        entry: suggestion)
    }
  }
}

extension SearchExpressionError: PresentableError {
  /// The error in words for a person; `position` says where in the text.
  public var presentation: ErrorPresentation {
    let here = "search, column \(position)"
    return switch reason {
    case .empty:
      .init(
        .usage, "empty-search", "Nothing to search for", "The search is empty",
        "Type words, tags with a value, or both, as in:", entry: "robin q:A")
    case .tooLong(let count, let limit):
      .init(
        .usage, "search-too-long", "Search too long",
        "The search has \(count) characters; the limit is \(limit)", "Type a shorter one.")
    case .tooManyTerms(let limit):
      .init(
        .usage, "search-too-long", "Search too long", about: here,
        "The search has more than \(limit) terms", "Type fewer words and tags.")
    case .controlCharacter(let value): .controlCharacter(value, in: "search", about: here)
    case .unknownTag(let tag, let nearest):
      .unknownTag(
        tag.cut,
        (WordList.meant(tags: nearest)
          ?? "The tags are \(WordList.and(SearchTag.allCases.map { "\($0.rawValue):" }))")
          .sentence + " To search for the text itself, put it in double quotes.", about: here)
    case .missingValue(let tag): .missingValue(tag, about: here)
    case .badValue(let tag, let value, let expected, let nearest, let isOpen):
      .badValue(
        tag, value.cut,
        WordList.meant(nearest).map {
          $0
            + (isOpen
              ? " To search for exactly this text, type: \(TagScanner.spelled(tag, "=\(value)"))"
              : "")
        } ?? "It accepts \(expected).", about: here)
    case .nothingToFind(let value):
      .init(
        .usage, "nothing-to-find", "Nothing to search for", about: here,
        "\(value.cut.inQuotes) has no letter or digit to search for",
        "Type at least one letter or digit.")
    case .unclosedQuote: .unclosedQuote(about: here)
    case .misplacedQuote:
      .init(
        .usage, "misplaced-quote", "Misplaced quotation mark", about: here,
        "A quotation mark is in the middle of a value",
        "Put the whole value in quotes, and type \\\" for a quotation mark in it:",
        entry: #"rmk:"5\" of rain""#)
    case .emptyNegation:
      .init(
        .usage, "missing-value", "Value missing", about: here, "Nothing follows the \"-\"",
        "Type what to leave out directly after it, as in: -type:call")
    case .operatorWord(let word, let instead):
      .init(
        .usage, "operator", "Word not understood", about: here,
        "\"\(word)\" does not join terms; in double quotes it is searched for", "\(instead).")
    case .unknownList(let name, let nearest):
      .init(
        .notFetched, "never-fetched", "Unknown list", about: here,
        "No list \(name.cut.inQuotes) is stored",
        WordList.meant(nearest.map { "in:\(TagScanner.quoting($0))" }))
    }
  }
}

/// The errors that a query and a search have in common.
extension ErrorPresentation {
  fileprivate static func controlCharacter(
    _ value: UInt32, in text: String, about subject: String? = nil
  ) -> Self {
    let digits = String(value, radix: 16, uppercase: true)
    return Self(
      .usage, "control-character", "Invisible character", about: subject,
      "The \(text) contains a control character",
      detail: "U+\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)",
      "Type it without this character.")
  }

  fileprivate static func unknownTag(
    _ tag: String, _ suggestion: String, entry: String? = nil, about subject: String? = nil
  ) -> Self {
    Self(
      .usage, "unknown-tag", "Unknown tag", about: subject, "Unknown tag \"\(tag):\"", suggestion,
      entry: entry)
  }

  fileprivate static func missingValue(_ tag: String, about subject: String? = nil) -> Self {
    Self(
      .usage, "missing-value", "Value missing", about: subject, "The tag \"\(tag):\" has no value",
      "Type the value directly after the colon: \(tag):value")
  }

  fileprivate static func badValue(
    _ tag: String, _ value: String, _ suggestion: String, about subject: String? = nil
  ) -> Self {
    Self(
      .usage, "bad-value", "Wrong value", about: subject,
      "The tag \"\(tag):\" does not accept \(value.inQuotes)", suggestion)
  }

  fileprivate static func unclosedQuote(about subject: String? = nil) -> Self {
    Self(
      .usage, "unclosed-quote", "Quotation mark missing", about: subject,
      "A quotation mark is not closed", "Close it.")
  }
}

extension String {
  /// A typed text, cut if it is too long for a line.
  fileprivate var cut: String { count <= 60 ? self : "\(prefix(59))…" }
}

extension AudioError: PresentableError {
  /// The error in words for a person.
  public var presentation: ErrorPresentation { presentation(of: nil) }

  /// The error in words; `id` is the recording whose audio was asked for, if it is known.
  package func presentation(of id: RecordingID?) -> ErrorPresentation {
    let subject = id?.description
    switch self {
    case .withheld(let reason):
      return .init(
        .failed, "no-audio", "Audio withheld", about: subject, "The service withholds the audio",
        detail: reason?.replacing("_", with: " ") ?? "its species is restricted")
    case .none:
      return .init(.failed, "no-audio", "No audio", about: subject, "This recording has no audio")
    case .addressRefused(let reason):
      return .init(
        .failed, "no-audio", "No audio", about: subject, "The audio was not requested",
        detail: reason)
    case .badID:
      return .init(
        .failed, "no-audio", "No audio", about: subject,
        "The audio cannot be stored, because this id cannot be a file name")
    case .fetch(let error):
      var row = error.presentation(of: id?.catalogue, page: nil)
      // Its advice is about queries.
      if case .refused = error { row.advice = nil }
      return row
    case .store(let error): return error.presentation
    case .inUse(let holder):
      return .init(
        .tryLater, "audio-in-use", "Already loading", about: subject,
        "\(HolderText.start(holder, "process")) has been downloading the same audio, without progress for a minute",
        HolderText.advice(holder))
    case .file(let path, ELOOP):
      return .init(
        .cannotCreate, "cannot-create", "Storage failed", about: path,
        "This is a link that is not followed",
        detail: "a different account made it, or it leads to itself")
    case .file(let path, let number):
      let reason = String(cString: strerror(number))
      return [ENOSPC, EDQUOT, EFBIG, EIO].contains(number)
        ? .init(
          .inputOutput, "write-failed", "Storage failed", about: path, "Writing failed: \(reason)",
          "Check the disk and the limits of the system, and try again.")
        : .init(
          .cannotCreate, "cannot-create", "Storage failed", about: path,
          "The file cannot be written: \(reason)")
    }
  }
}
