import ChirperModel

/// The wording of errors in the table view: short, for one line.
enum ErrorWords {
  static func short(_ error: SearchError) -> String {
    switch error {
    case .fetch(let error, let catalogue, let page):
      // Without a network it does not matter which page it was.
      isOffline(error) ? short(error, catalogue) : (page.map { "page \($0): " } ?? "") + short(error, catalogue)
    case .store(let error): short(error)
    case .cancelled: "stopped"
    }
  }

  /// Whether the network is what is missing.
  static func isOffline(_ error: SearchError) -> Bool {
    guard case .fetch(let error, _, _) = error else { return false }
    return isOffline(error)
  }

  private static func isOffline(_ error: FetchError) -> Bool {
    switch error {
    case .offline, .unreachable: true
    default: false
    }
  }

  static func short(_ error: FetchError, _ catalogue: CatalogueID) -> String {
    switch error {
    case .offline: "offline"
    case .unreachable(let host, _): "offline: \(host) cannot be reached"
    case .timedOut(let host, _): "\(host) does not answer in time"
    case .truncated: "the answer broke off"
    case .rateLimited: "\(catalogue) asks for fewer requests"
    case .serverBusy(let status, _): "\(catalogue) is busy (\(status))"
    case .refused(let status, let message): "\(catalogue) refuses the query (\(status)\(message.map { ": " + $0 } ?? ""))"
    case .keyMissing: "no key for \(catalogue): chirper auth set"
    case .keyRefused: "\(catalogue) refuses the key: chirper auth set"
    case .webPage: "a web page answers for \(catalogue): a captive portal?"
    case .malformed(let detail): "the answer could not be understood (\(detail))"
    case .tooLarge: "the answer is too large"
    case .unknownEncoding(let encoding): "the answer is in an unknown encoding (\(encoding))"
    case .addressRefused(let why): "the address set for \(catalogue) is not asked: \(why)"
    case .redirectRefused: "\(catalogue) sends elsewhere; not followed"
    case .badCertificate(let host): "\(host) has a bad certificate"
    case .cancelled: "stopped"
    }
  }

  static func short(_ error: StoreError) -> String {
    switch error {
    case .damaged: "the database is damaged: chirper doctor --repair"
    case .newer: "the database is of a newer chirper"
    case .notOurs: "the database is not chirper's"
    case .readOnly: "the database can only be read"
    case .diskFull: "the disk is full"
    case .inputOutput(_, let detail): "reading or writing the database failed (\(detail))"
    case .busy: "another program holds the database"
    case .cannotOpen(_, let detail): "the database cannot be opened (\(detail))"
    case .queryForgotten: "another chirper forgot this list while it was being fetched"
    case .walkClosed: "another chirper finished fetching this list first"
    case .recordingForgotten: "another chirper deleted recordings of this list"
    case .unexpected(_, let detail): "the database failed (\(detail))"
    }
  }

  static func short(_ error: QueryError) -> String {
    switch error {
    case .blank: "nothing to search for"
    case .tooLong(let count, let limit): "the query has \(count) characters; \(limit) are possible"
    case .controlCharacter: "the query has a control character"
    case .pageSize(let asked, let served, let catalogue):
      "\(catalogue) serves \(served.lowerBound) to \(served.upperBound) per page, not \(asked)"
    case .unknownTag(let tag, let nearest):
      "no tag \(tag):" + (nearest.isEmpty ? "" : "; nearest: " + nearest.map { $0 + ":" }.joined(separator: " "))
    case .missingValue(let tag): "\(tag): has no value"
    case .badValue(let tag, let value, let expected): "\(tag):\(value) is not \(expected)"
    case .unclosedQuote: "a quote is not closed"
    case .mixed(let words, let suggestion): "\(words) needs a tag: \(suggestion)"
    }
  }
}
