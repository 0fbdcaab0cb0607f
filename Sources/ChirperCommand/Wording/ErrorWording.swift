import ChirperModel
import ChirperRemote
import Foundation

/// Every sentence an error is told in; errors themselves are data.
extension UserFacingError {
  /// `nil` for an error that is not one of ours.
  init?(any error: any Error) {
    switch error {
    case let error as UserFacingError: self = error
    case let error as CommandError: self.init(error)
    case let error as QueryError: self.init(error)
    case let error as StoreError: self.init(error)
    case let error as SearchError: self.init(error)
    default: return nil
    }
  }

  init(_ error: CommandError) {
    switch error {
    case .usage(let message, let hint):
      self.init(.usage, "usage", message, hint: hint)
    case .unknownSource(let name, let from):
      let known = Catalogues.all.map(\.id.rawValue).joined(separator: ", ")
      self.init(
        from == "--source" ? .usage : .configuration, "unknown-source", "There is no catalogue \"\(name)\" (\(from)).",
        hint: "Type one of: \(known).")
    case .unknownColumn(let name, let nearest, let known):
      let hint = nearest.isEmpty ? "Columns are: \(known.joined(separator: ", "))." : "Did you mean \(either(nearest))?"
      self.init(.usage, "unknown-column", "There is no column \"\(name)\".", hint: hint)
    case .notFetched(let typed, let source):
      let place = source.map { " from \($0)" } ?? ""
      self.init(
        .notFetched, "never-fetched", "\"\(typed)\" was never fetched\(place), so nothing of it is stored.",
        hint: "Type: \(CommandText.fetch(typed, source: source))")
    case .noHome(let variable):
      self.init(
        .configuration, "no-home", "There is no place for chirper's files: HOME is not set.",
        hint: "Set HOME, or \(variable) to a directory of your choice.")
    case .badSetting(let what, let from, let hint):
      self.init(.configuration, "bad-setting", "\(what) (\(from)).", hint: hint)
    case .fewFiles(let limit, let needed):
      self.init(
        .configuration, "few-files", "Only \(limit) files may be open at once here; chirper needs \(needed).",
        hint: "Type: ulimit -n 256")
    case .keyFileOpenToOthers(let path):
      self.init(
        .configuration, "key-file-open", "The key file \(path) can be read by other users, so it is not used.",
        hint: "Type: chmod 600 \(CommandText.quoted(path))")
    case .keyFileUnreadable(let path, let number):
      self.init(
        .configuration, "key-file-unreadable", "The key file \(path) cannot be read: \(reason(number)).",
        hint: "Make it readable to you, or type: chirper auth set")
    case .badKey(let from):
      self.init(
        .configuration, "bad-key", "What stands in \(from) is no xeno-canto key: a key is one word of letters and digits.",
        hint: "Copy it from https://xeno-canto.org/account and type: chirper auth set")
    case .cannotCreate(let path, let number):
      self.init(
        .cannotCreate, "cannot-create", "\(path) cannot be created: \(reason(number)).",
        hint: "Name a file in a directory that exists and that you may write to.")
    case .isDirectory(let path):
      self.init(.cannotCreate, "cannot-create", "\(path) is a directory.", hint: "Name a file in it.")
    case .writeFailed(let path, let number):
      self.init(
        .inputOutput, "write-failed", "Writing to \(path) failed: \(reason(number)).",
        hint: number == ENOSPC ? "Free some space and type the same command again." : "Type the same command again.")
    case .closedPipe:
      self.init(.done, "closed-pipe", "The reader of the output has gone.")
    case .unsound(let path, let problems):
      self.init(
        .damaged, "damaged", "The database \(path) is damaged: \(Plural.words(problems, "problem")).",
        hint: "Type: chirper doctor --repair")
    case .interrupted(let terminated):
      self.init(
        terminated ? .terminated : .interrupted, "interrupted", terminated ? "Terminated." : "Interrupted.",
        hint: "What arrived is stored; the same command goes on from there.")
    }
  }

  init(_ error: QueryError) {
    switch error {
    case .blank:
      self.init(.usage, "blank-query", "The query is empty.", hint: "Type what to look for, as in: chirper fetch parrot")
    case .tooLong(let count, let limit):
      self.init(
        .usage, "query-too-long", "The query has \(count) characters; a catalogue takes \(limit).",
        hint: "Type a shorter one.")
    case .controlCharacter(let value):
      let name = String(value, radix: 16, uppercase: true)
      self.init(
        .usage, "control-character",
        "The query holds a control character (U+\(String(repeating: "0", count: max(0, 4 - name.count)))\(name)).",
        hint: "Type the query without it.")
    case .pageSize(let asked, let served, let catalogue):
      self.init(
        .usage, "page-size", "\(catalogue) does not serve pages of \(asked) recordings.",
        hint: "Type --per-page with a number from \(served.lowerBound) to \(served.upperBound).")
    case .unknownTag(let tag, let nearest):
      self.init(
        .usage, "unknown-tag", "The catalogue has no tag \"\(tag):\".",
        hint: nearest.isEmpty
          ? "Its tags are listed at https://xeno-canto.org/help/search."
          : "Did you mean \(either(nearest.map { "\($0):" }))?")
    case .missingValue(let tag):
      self.init(.usage, "missing-value", "The tag \"\(tag):\" has no value.", hint: "Type it as in: \(tag):value")
    case .badValue(let tag, let value, let expected):
      self.init(.usage, "bad-value", "\"\(value)\" is no value for the tag \"\(tag):\".", hint: "It takes \(expected).")
    case .unclosedQuote:
      self.init(
        .usage, "unclosed-quote", "A quotation mark in the query is not closed.",
        hint: "Close it, and put the whole query in single quotes: 'en:\"song thrush\"'")
    case .mixed(let words, let suggestion):
      self.init(
        .usage, "mixed-query", "\"\(words)\" stands beside tags without a tag of its own.",
        hint: "Type: \(CommandText.quoted(suggestion))")
    }
  }

  init(_ error: StoreError) {
    switch error {
    case .damaged(let path, let detail):
      self.init(
        .damaged, "damaged", "The database \(path) is damaged: \(detail).",
        hint: "Type: chirper doctor --repair")
    case .newer(let path, let version, let known):
      self.init(
        .damaged, "newer-database",
        "The database \(path) is of version \(version), from a newer chirper; this one knows versions up to \(known).",
        hint: "Use the newer chirper, or another CHIRPER_DATA_DIR. The file was left as it is.")
    case .notOurs(let path):
      self.init(
        .damaged, "not-ours", "\(path) is a database, but not one of chirper's; it was left as it is.",
        hint: "Move it away, or set CHIRPER_DATA_DIR to another directory.")
    case .readOnly(let path):
      self.init(
        .inputOutput, "read-only", "\(path) can only be read, so nothing can be stored in it.",
        hint: "chirper list and chirper export work. To store, set CHIRPER_DATA_DIR to a directory you may write to.")
    case .diskFull(let path):
      self.init(
        .inputOutput, "disk-full", "The disk that holds \(path) is full; what was stored before is safe.",
        hint: "Free some space and type the same command again.")
    case .inputOutput(let path, let detail):
      self.init(
        .inputOutput, "input-output", "Reading or writing \(path) failed: \(detail).",
        hint: "Check the disk, then type: chirper doctor")
    case .busy(let path):
      self.init(
        .tryLater, "busy", "Another program holds \(path) for writing.", hint: "Type the same command again in a moment.")
    case .cannotOpen(let path, let detail):
      self.init(
        .configuration, "cannot-open", "\(path) cannot be opened: \(detail).",
        hint: "Set CHIRPER_DATA_DIR to a directory you may write to.")
    case .queryForgotten:
      self.init(
        .tryLater, "query-forgotten", "Another chirper forgot this query while it was being fetched.",
        hint: "Type the same command again to fetch it from page 1.")
    case .walkClosed:
      self.init(
        .tryLater, "walk-closed", "Another chirper finished fetching the same query first.",
        hint: "Type the same command again.")
    case .recordingForgotten:
      self.init(
        .tryLater, "recording-forgotten", "Another chirper deleted recordings of this list while it was being read.",
        hint: "Type the same command again.")
    case .unexpected(let path, let detail):
      self.init(.failed, "store", "The database \(path) reports: \(detail).", hint: "Type: chirper doctor")
    }
  }
}

/// `a`, `a or b`, `a, b or c`.
private func either(_ names: [String]) -> String {
  guard let last = names.last, names.count > 1 else { return names.first ?? "" }
  return names.dropLast().joined(separator: ", ") + " or " + last
}

private func reason(_ number: Int32) -> String { String(cString: strerror(number)) }
