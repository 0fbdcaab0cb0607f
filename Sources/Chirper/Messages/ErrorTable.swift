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
    case .query(let error): error.presentation
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
    switch reason {
    // They are not about one page.
    case .tooDeep, .unknownTag, .unknownCatalogue, .keyMissing, .keyRefused, .addressRefused,
      .notChirper, .serverIsOlder, .cancelled:
      break
    default:
      row.detail = [page.map { "page \($0)" }, row.detail].joinedTexts(by: ", ")
    }
    return row
  }

  private func row(_ catalogue: Catalogue?, _ id: String?) -> ErrorPresentation {
    let name = catalogue?.name ?? id
    let title = name ?? "the service"
    let (service, subject) = (server ?? title, server ?? name ?? "The service")
    let standIn = server ?? "The server that stands in for \(title)"
    let later = "Try again later. What is stored is not affected."
    func wait(_ time: Duration?) -> String {
      time.map { "Try again in \(AgeText.words($0))." } ?? "Try again in a few minutes."
    }
    func quoted(_ message: String?) -> String {
      message.map { $0.isEmpty ? "" : ": \(String($0.prefix(300)).inQuotes)" } ?? ""
    }
    func unusable(_ code: String, _ sentence: String, _ detail: String) -> ErrorPresentation {
      .init(
        .notUnderstood, code: code, title: "Unusable answer", sentence: sentence, detail: detail,
        advice: later)
    }
    let newKey = catalogue?.keyHelpAddress.map { "Get a free key at \($0)." }
    return switch reason {
    case .offline(let host):
      .init(
        .unreachable, code: "offline", title: "No network",
        sentence: "No network, or the address of \(service) was not found",
        detail: host, advice: "What is stored can still be used. Try again when you are connected.")
    case .unreachable(let host, let detail):
      .init(
        .unreachable, code: "unreachable", title: "No connection",
        sentence: "\(subject) cannot be reached",
        detail: "\(host): \(detail)", advice: later)
    case .timedOut(let host, let phase):
      .init(
        .tryLater, code: "timed-out", title: "No answer",
        sentence: "\(subject) did not answer in time",
        detail: "\(host) \(phase.text)", advice: later)
    case .truncated:
      .init(
        .notUnderstood, code: "truncated", title: "Incomplete answer",
        sentence: "The answer of \(service) broke off, so it was not stored", advice: later)
    case .rateLimited(let time):
      .init(
        .tryLater, code: "rate-limited", title: "Too many requests",
        sentence: "\(subject) asks for a pause after too many requests", advice: wait(time))
    case .serverBusy(let status, let time):
      .init(
        .tryLater, code: "server-busy", title: "Service busy",
        sentence: "\(subject) cannot answer now",
        detail: "status \(status)", advice: wait(time))
    case .refused(let status, let message):
      .init(
        .failed, code: "refused", title: "Request rejected",
        sentence: "\(subject) rejects the request\(quoted(message))",
        detail: "status \(status)",
        advice:
          "Check the query.\(catalogue?.queryHelpAddress.map { " Its language is described at \($0)." } ?? "")"
      )
    case .tooDeep(let total, let limit):
      .init(
        .failed, code: "too-deep", title: "Too many results",
        sentence: "\(subject) gives only the first \(limit) records of a list",
        detail: total.map { "this one has \($0)" },
        advice:
          "Narrow the query\(catalogue?.depth.map { " with \($0.narrowing)" } ?? ""), and fetch its parts one by one."
      )
    case .unknownTag(let tag, let total, let limit):
      .init(
        .failed, code: "unknown-tag", title: "Unknown tag",
        sentence:
          "\(subject) may ignore the tag \"\(tag):\", because it announces \(total) recordings",
        detail: "more than \(limit)",
        advice: "Page 1 is stored. Leave the tag out, or fetch only some pages.")
    case .endless(let pages, let announced):
      unusable(
        "endless", "\(subject) does not come to the end of this list",
        "\(announced.map { "announced \(Plural.words($0, "page")), " } ?? "")has sent \(pages) and names more"
      )
    case .listUnfinished:
      .init(
        .partly, code: "list-unfinished", title: "List unfinished",
        sentence: "\(standIn) has only a part of this list, or it changed while it was read",
        advice: "So this one is partial. Sync the list there, or ask \(title) itself.")
    case .listNotThere(let message):
      .init(
        .notFetched, code: "list-not-there", title: "List not there",
        sentence: "\(standIn) has no list of this query\(quoted(message))",
        advice: "Fetch it there first, or ask \(title) itself.")
    case .notKept:
      .init(
        .notFetched, code: "not-kept", title: "Sound not there",
        sentence: "\(standIn) does not keep this sound",
        advice: "Fetch it there first, or ask \(title) itself.")
    case .notChirper:
      .init(
        .notUnderstood, code: "not-chirper", title: "No server of lists",
        sentence: "\(standIn) is not a server of stored lists",
        advice: "Check its address.")
    case .serverIsOlder(let stored, let served):
      .init(
        .failed, code: "server-older", title: "Older list",
        sentence:
          "This store has read the list at \(stored.formatted(.iso8601)), after the server that stands in for \(title) did (\(served.formatted(.iso8601))), so nothing was changed",
        advice: "Ask \(title) itself.")
    case .tokenRefused:
      .init(
        .key, code: "token-refused", title: "Token needed",
        sentence: "\(standIn) wants a token, or rejects the one that it got",
        advice: "Ask whoever runs it for one, and name a file with it in server-token-file.")
    case .unknownCatalogue:
      .init(
        .failed, code: "unknown-catalogue", title: "Unknown service",
        sentence: "This version cannot search \(service)",
        advice: "Update to the newest version.")
    case .keyMissing:
      .init(
        .key, code: "key-missing", title: "Key needed",
        sentence: "\(subject) needs a key, and none is set",
        advice: newKey ?? "Set a key.")
    case .keyRefused(let status, let message):
      .init(
        .key, code: "key-refused", title: "Key rejected",
        sentence: "\(subject) rejects the key\(quoted(message))",
        detail: "status \(status)", advice: "Check the key.\(newKey.map { " " + $0 } ?? "")")
    case .webPage:
      .init(
        .notUnderstood, code: "web-page", title: "Sign-in needed",
        sentence: "The network answered with a web page: a captive portal?",
        advice: "Sign in to the network in a browser, and try again.")
    case .malformed(let detail):
      unusable("malformed", "The answer of \(service) cannot be read", detail)
    case .tooLarge(let limit):
      unusable(
        "too-large", "The answer of \(service) is too large", "more than \(limit) bytes")
    case .unknownEncoding(let encoding):
      unusable(
        "unknown-encoding", "The answer of \(service) cannot be read",
        "unknown encoding \(encoding.inQuotes)")
    case .addressRefused(let reason):
      .init(
        .configuration, code: "address-refused", title: "Wrong address",
        sentence: "The address set for \(service) cannot be used", detail: reason,
        advice: "Set an HTTPS address, or one on this machine.")
    case .redirectRefused(let reason):
      .init(
        .unreachable, code: "redirect-refused", title: "Unusable answer",
        sentence: "A redirect of \(service) was not followed", detail: reason, advice: later)
    case .badCertificate(let host):
      .init(
        .unreachable, code: "bad-certificate", title: "No safe connection",
        sentence: "The connection to \(service) is not safe",
        detail: "the certificate of \(host) is not trusted",
        advice:
          "Check this machine's date and time, or use a different network. This check cannot be skipped."
      )
    case .proxyRefused(let proxy):
      .init(
        .unreachable, code: "proxy-refused", title: "Proxy needs a password",
        sentence: "The network's proxy asks for a name and a password",
        detail: "\(proxy), status 407",
        advice: "Set both with the proxy's address.")
    case .failed(let sentence):
      .init(
        .failed, code: "fetch-failed", title: "Not loaded",
        sentence: "\(subject) gave no page", detail: sentence, advice: later)
    case .cancelled:
      .init(
        .interrupted, code: "interrupted", title: "Stopped", sentence: "Loading was stopped",
        advice: "What arrived is stored.")
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
    return switch reason {
    case .damaged(let path, let detail):
      .init(
        .damaged, code: "damaged", title: "Database damaged", about: path,
        sentence: "The database is damaged",
        detail: detail)
    case .newer(let path, let version, let known):
      .init(
        .damaged, code: "newer-database", title: "Newer database", about: path,
        sentence: "The database was written by a newer version, and was not changed",
        detail: "it has version \(version); this version supports up to \(known)",
        advice: "Update to the newest version.")
    case .notOurs(let path):
      .init(
        .damaged, code: "not-ours", title: "Unknown database", about: path,
        sentence: "This is the database of a different program; it was not changed",
        advice: "Move it away.")
    case .readOnly(let path, let owner):
      .init(
        .inputOutput, code: "read-only", title: "Read-only", about: path,
        sentence: "The database is read-only, so nothing can be stored",
        detail: owner.map { "it belongs to \($0), who lets this account only read it" },
        advice: "What is stored can still be used.")
    case .diskFull(let path):
      .init(
        .inputOutput, code: "disk-full", title: "Storage full", about: path,
        sentence: "The disk is full; what was stored before is safe",
        advice: "Free some space, and try again.")
    case .inputOutput(let path, let detail):
      .init(
        .inputOutput, code: "input-output", title: "Storage failed", about: path,
        sentence: "Reading or writing failed",
        detail: detail, advice: "Check the disk, and try again.")
    case .busy(let path, let holder):
      .init(
        .tryLater, code: "busy", title: "Database busy", about: path,
        sentence: "\(HolderText.start(holder, "program")) has locked the database",
        advice: HolderText.advice(holder))
    case .queryInUse(let holder):
      .init(
        .tryLater, code: "query-in-use", title: "Already loading",
        sentence:
          "\(HolderText.start(holder, "process")) has been loading the same list, without progress for a minute",
        advice: HolderText.advice(holder))
    case .cannotOpen(let path, let detail):
      .init(
        .configuration, code: "cannot-open", title: "Database unavailable", about: path,
        sentence: "The database cannot be opened", detail: detail)
    case .queryForgotten:
      .init(
        .tryLater, code: "query-forgotten", title: "List removed",
        sentence: "The list was removed while it was fetched",
        advice: again)
    case .listIsImported(let address):
      .init(
        .usage, code: "imported", title: "Imported list",
        sentence: "The rows of the list were imported from a file, so it is not fetched",
        advice: address.map {
          "Ask for the same download again (\($0)), and import the new file under the same name."
        } ?? "Import a newer file under the same name.")
    case .walkClosed:
      .init(
        .tryLater, code: "walk-closed", title: "Already loaded",
        sentence: "A different process fetched the same list first", advice: again)
    case .replaced(let path):
      .init(
        .tryLater, code: "replaced", title: "Database replaced", about: path,
        sentence: "The database was replaced by a different file while it was in use", advice: again
      )
    case .removed(let path):
      .init(
        .tryLater, code: "removed", title: "Database removed", about: path,
        sentence: "The database was moved or deleted while it was in use",
        advice: "Put it back, or start the program again to begin with an empty one.")
    case .recordingForgotten:
      .init(
        .tryLater, code: "recording-forgotten", title: "List changed",
        sentence: "Recordings were removed or changed while they were being read", advice: again)
    case .unexpected(let path, let detail):
      .init(
        .failed, code: "store", title: "Database failed", about: path,
        sentence: "The database cannot be used now",
        detail: detail, advice: again)
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
    switch reason {
    case .blank:
      .init(
        .usage, code: "blank-query", title: "Nothing to search for", sentence: "The query is empty",
        advice: "Type what to look for, as in:", entry: "parrot")
    case .tooLong(let count, let limit):
      .init(
        .usage, code: "query-too-long", title: "Query too long",
        sentence: "The query has \(count) characters; the limit is \(limit)",
        advice: "Type a shorter one.")
    case .controlCharacter(let value): .controlCharacter(value, in: "query")
    case .unknownCatalogue(let id, let known):
      .init(
        .usage, code: "unknown-catalogue", title: "Unknown catalogue",
        sentence: "No catalogue is named \(id.inQuotes)",
        advice: "Choose one of \(WordList.or(known)).")
    case .severalCatalogues(let named, let other):
      .init(
        .usage, code: "several-catalogues", title: "Two catalogues",
        sentence: "The query names the catalogue \(named), but \(other) is chosen too",
        advice: "Name one of them.")
    case .importedOnly(let catalogue):
      .init(
        .usage, code: "imported-only", title: "Not searched",
        sentence: "Nothing is fetched from \(catalogue)", advice: "Get a file and import it.")
    case .pageSize(let asked, let served, let catalogue):
      .init(
        .usage, code: "page-size", title: "Wrong page size",
        sentence: "\(catalogue) does not serve pages of \(asked) recordings",
        advice: "Choose a number from \(served.lowerBound) to \(served.upperBound).")
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
        .usage, code: "unknown-tag", title: "Unknown tag",
        sentence: "\(catalogue) cannot search by \"\(tag):\"",
        advice: "Its tags are \(supported.map { "\($0):" }.joined(separator: " ")).")
    case .missingValue(let tag): .missingValue(tag)
    case .badValue(let tag, let value, let expected):
      .badValue(tag, value, "It accepts \(expected).")
    case .unclosedQuote: .unclosedQuote()
    case .mixed(let words, let suggestion):
      .init(
        .usage, code: "mixed-query", title: "Tag missing",
        sentence: "\(words.inQuotes) needs a tag, because a tag of the query has a name already",
        advice: "Type:",
        entry: suggestion)
    }
  }
}

#if Collection
extension SearchExpressionError: PresentableError {
  /// The error in words for a person; `position` says where in the text.
  public var presentation: ErrorPresentation {
    let here = "search, column \(position)"
    return switch reason {
    case .empty:
      .init(
        .usage, code: "empty-search", title: "Nothing to search for",
        sentence: "The search is empty",
        advice: "Type words, tags with a value, or both, as in:", entry: "robin q:A")
    case .tooLong(let count, let limit):
      .init(
        .usage, code: "search-too-long", title: "Search too long",
        sentence: "The search has \(count) characters; the limit is \(limit)",
        advice: "Type a shorter one.")
    case .tooManyTerms(let limit):
      .init(
        .usage, code: "search-too-long", title: "Search too long", about: here,
        sentence: "The search has more than \(limit) terms", advice: "Type fewer words and tags.")
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
        .usage, code: "nothing-to-find", title: "Nothing to search for", about: here,
        sentence: "\(value.cut.inQuotes) has no letter or digit to search for",
        advice: "Type at least one letter or digit.")
    case .unclosedQuote: .unclosedQuote(about: here)
    case .misplacedQuote:
      .init(
        .usage, code: "misplaced-quote", title: "Misplaced quotation mark", about: here,
        sentence: "A quotation mark is in the middle of a value",
        advice: "Put the whole value in quotes, and type \\\" for a quotation mark in it:",
        entry: #"rmk:"5\" of rain""#)
    case .emptyNegation:
      .init(
        .usage, code: "missing-value", title: "Value missing", about: here,
        sentence: "Nothing follows the \"-\"",
        advice: "Type what to leave out directly after it, as in: -type:call")
    case .operatorWord(let word, let instead):
      .init(
        .usage, code: "operator", title: "Word not understood", about: here,
        sentence: "\"\(word)\" does not join terms; in double quotes it is searched for",
        advice: "\(instead).")
    case .unknownList(let name, let nearest):
      .init(
        .notFetched, code: "never-fetched", title: "Unknown list", about: here,
        sentence: "No list \(name.cut.inQuotes) is stored",
        advice: WordList.meant(nearest.map { "in:\(TagScanner.quoting($0))" }))
    }
  }
}
#endif

/// The errors that a query and a search have in common.
extension ErrorPresentation {
  fileprivate static func controlCharacter(
    _ value: UInt32, in text: String, about subject: String? = nil
  ) -> Self {
    Self(
      .usage, code: "control-character", title: "Invisible character", about: subject,
      sentence: "The \(text) contains a control character",
      detail: "U+\(String(hexadecimal: UInt64(value), digits: 4).uppercased())",
      advice: "Type it without this character.")
  }

  fileprivate static func unknownTag(
    _ tag: String, _ suggestion: String, entry: String? = nil, about subject: String? = nil
  ) -> Self {
    Self(
      .usage, code: "unknown-tag", title: "Unknown tag", about: subject,
      sentence: "Unknown tag \"\(tag):\"", advice: suggestion,
      entry: entry)
  }

  fileprivate static func missingValue(_ tag: String, about subject: String? = nil) -> Self {
    Self(
      .usage, code: "missing-value", title: "Value missing", about: subject,
      sentence: "The tag \"\(tag):\" has no value",
      advice: "Type the value directly after the colon: \(tag):value")
  }

  fileprivate static func badValue(
    _ tag: String, _ value: String, _ suggestion: String, about subject: String? = nil
  ) -> Self {
    Self(
      .usage, code: "bad-value", title: "Wrong value", about: subject,
      sentence: "The tag \"\(tag):\" does not accept \(value.inQuotes)", advice: suggestion)
  }

  fileprivate static func unclosedQuote(about subject: String? = nil) -> Self {
    Self(
      .usage, code: "unclosed-quote", title: "Quotation mark missing", about: subject,
      sentence: "A quotation mark is not closed", advice: "Close it.")
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
    func noAudio(
      _ sentence: String, title: String = "No audio", detail: String? = nil
    ) -> ErrorPresentation {
      .init(
        .failed, code: "no-audio", title: title, about: subject, sentence: sentence, detail: detail)
    }
    switch self {
    case .withheld(let reason):
      return noAudio(
        "The service withholds the audio", title: "Audio withheld",
        detail: reason?.replacing("_", with: " ") ?? "its species is restricted")
    case .none: return noAudio("This recording has no audio")
    case .addressRefused(let reason):
      return noAudio("The audio was not requested", detail: reason)
    case .badID:
      return noAudio("The audio cannot be stored, because this id cannot be a file name")
    case .fetch(let error):
      var row = error.presentation(of: id?.catalogue, page: nil)
      // Its advice is about queries.
      if error.refusedStatus != nil { row.advice = nil }
      return row
    case .store(let error): return error.presentation
    case .inUse(let holder):
      return .init(
        .tryLater, code: "audio-in-use", title: "Already loading", about: subject,
        sentence:
          "\(HolderText.start(holder, "process")) has been downloading the same audio, without progress for a minute",
        advice: HolderText.advice(holder))
    case .file(let path, ELOOP):
      return .init(
        .cannotCreate, code: "cannot-create", title: "Storage failed", about: path,
        sentence: "This is a link that is not followed",
        detail: "a different account made it, or it leads to itself")
    case .file(let path, let number):
      let file = UnwrittenFile(number)
      return .init(
        file.remedy == nil ? .cannotCreate : .inputOutput,
        code: file.remedy == nil ? "cannot-create" : "write-failed", title: "Storage failed",
        about: path, sentence: file.sentence, advice: file.remedy.map { "\($0), and try again." })
    }
  }
}
