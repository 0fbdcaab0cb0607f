import Chirper
import ChirperModel

/// The texts of errors in queries and of the store.
extension UserFacingError {
  package init(_ error: QueryError) {
    switch error {
    case .blank:
      self.init(.usage, "blank-query", "The query is empty", hint: "Type what to look for, as in: chirper fetch parrot")
    case .tooLong(let count, let limit):
      self.init(
        .usage, "query-too-long", "The query has \(count) characters; the limit is \(limit)", hint: "Type a shorter one.")
    case .controlCharacter(let value):
      self.init(
        .usage, "control-character", "The query contains a control character (\(Self.codePoint(value)))",
        hint: "Type the query without it.")
    case .pageSize(let asked, let served, let catalogue):
      self.init(
        .usage, "page-size", "\(catalogue) does not serve pages of \(asked) recordings",
        hint: "Type --per-page with a number from \(served.lowerBound) to \(served.upperBound).")
    case .unknownTag(let tag, let nearest):
      self.init(
        .usage, "unknown-tag", "Unknown tag \"\(tag):\"",
        hint: nearest.isEmpty
          ? "The tags are listed at \(Catalogues.all.compactMap(\.queryHelpURL).joined(separator: ", "))."
          : "Did you mean \(Self.orList(nearest.map { "\($0):" }))?")
    case .unsupportedTag(let tag, let catalogue, let supported):
      self.init(
        .usage, "unknown-tag", "\(catalogue) cannot search by \"\(tag):\"",
        hint: "Its tags are \(supported.map { "\($0):" }.joined(separator: " ")).")
    case .missingValue(let tag):
      self.init(.usage, "missing-value", "The tag \"\(tag):\" has no value", hint: "Type it as in: \(tag):value")
    case .badValue(let tag, let value, let expected):
      self.init(.usage, "bad-value", "The tag \"\(tag):\" does not accept \"\(value)\"", hint: "It accepts \(expected).")
    case .unclosedQuote:
      self.init(
        .usage, "unclosed-quote", "A quotation mark in the query is not closed",
        hint: "Close it, and put the whole query in single quotes: 'en:\"song thrush\"'")
    case .mixed(let words, let suggestion):
      self.init(
        .usage, "mixed-query", "\"\(words)\" needs a tag, because the query has tags",
        hint: "Type: \(CommandText.quoted(suggestion))")
    }
  }

  /// `U+0007`.
  static func codePoint(_ value: UInt32) -> String {
    let digits = String(value, radix: 16, uppercase: true)
    return "U+\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)"
  }

  package init(_ error: StoreError) {
    switch error {
    case .damaged(let path, let detail):
      self.init(.damaged, "damaged", path, "the database is damaged: \(detail)", hint: "Type: chirper doctor --repair")
    case .newer(let path, let version, let known):
      self.init(
        .damaged, "newer-database", path,
        "the database has version \(version) and was written by a newer version of chirper; this one supports versions up to \(known)",
        hint: "Use the newer chirper, or another CHIRPER_DATA_DIR. The file was not changed.")
    case .notOurs(let path):
      self.init(
        .damaged, "not-ours", path, "this database was not written by chirper; it was not changed",
        hint: "Move it away, or set CHIRPER_DATA_DIR to another directory.")
    case .readOnly(let path):
      self.init(
        .inputOutput, "read-only", path, "the database is read-only, so nothing can be stored",
        hint: "chirper list and chirper export work. To store, set CHIRPER_DATA_DIR to a directory you may write to.")
    case .diskFull(let path):
      self.init(
        .inputOutput, "disk-full", path, "the disk is full; what was stored before is safe",
        hint: "Free some space and type the same command again.")
    case .inputOutput(let path, let detail):
      self.init(
        .inputOutput, "input-output", path, "reading or writing failed: \(detail)",
        hint: "Check the disk, then type: chirper doctor")
    case .busy(let path, let holder):
      self.init(
        .tryLater, "busy", path, "\(holder ?? "another program") has locked the database", hint: Self.waitFor(holder))
    case .queryInUse(let holder):
      self.init(
        .tryLater, "query-in-use",
        "\(holder ?? "Another chirper process") has been fetching the same query, without progress for a minute",
        hint: Self.waitFor(holder))
    case .cannotOpen(let path, let detail):
      self.init(
        .configuration, "cannot-open", path, "the database cannot be opened: \(detail)",
        hint: "Set CHIRPER_DATA_DIR to a directory you may write to.")
    case .queryForgotten:
      self.init(
        .tryLater, "query-forgotten", "Another chirper process removed this query while it was being fetched",
        hint: "Type the same command again to fetch it from page 1.")
    case .walkClosed:
      self.init(
        .tryLater, "walk-closed", "Another chirper process finished fetching the same query first",
        hint: "Type the same command again.")
    case .recordingForgotten:
      self.init(
        .tryLater, "recording-forgotten", "Another chirper process deleted or changed recordings while they were being read",
        hint: "Type the same command again.")
    case .unexpected(let path, let detail):
      self.init(.failed, "store", path, "SQLite reports: \(detail)", hint: "Type: chirper doctor")
    }
  }

  /// What to do about a process that holds a lock.
  static func waitFor(_ holder: String?) -> String {
    "Wait until \(holder ?? "it") ends, or end it; then type the same command again."
  }
}
