import Chirper
import ChirperModel

/// The exit codes and hints of errors in queries and of the store; their sentences are the library's (`ErrorText`).
extension UserFacingError {
  package init(_ error: QueryError) {
    let text = error.text
    switch error {
    case .blank: self.init(.usage, "blank-query", text, hint: "Type what to look for, as in: chirper fetch parrot")
    case .tooLong: self.init(.usage, "query-too-long", text, hint: "Type a shorter one.")
    case .controlCharacter: self.init(.usage, "control-character", text, hint: "Type the query without it.")
    case .pageSize(_, let served, _):
      self.init(
        .usage, "page-size", text,
        hint: "Type --per-page with a number from \(served.lowerBound) to \(served.upperBound).")
    case .unknownTag(_, let nearest):
      self.init(
        .usage, "unknown-tag", text,
        hint: nearest.isEmpty
          ? "The tags are listed at \(Catalogues.all.compactMap(\.queryHelpURL).joined(separator: ", "))."
          : "Did you mean \(Self.orList(nearest.map { "\($0):" }))?")
    case .unsupportedTag(_, _, let supported):
      self.init(
        .usage, "unknown-tag", text, hint: "Its tags are \(supported.map { "\($0):" }.joined(separator: " ")).")
    case .missingValue(let tag): self.init(.usage, "missing-value", text, hint: "Type it as in: \(tag):value")
    case .badValue(_, _, let expected): self.init(.usage, "bad-value", text, hint: "It accepts \(expected).")
    case .unclosedQuote:
      self.init(
        .usage, "unclosed-quote", text,
        hint: "Close it, and put the whole query in single quotes: 'en:\"song thrush\"'")
    case .mixed(_, let suggestion):
      self.init(.usage, "mixed-query", text, hint: "Type: \(CommandText.quoted(suggestion))")
    }
  }

  package init(_ error: StoreError) {
    let text = error.text
    switch error {
    case .damaged: self.init(.damaged, "damaged", text, hint: "Type: chirper doctor --repair")
    case .newer:
      self.init(
        .damaged, "newer-database", text,
        hint: "Use the newer chirper, or another CHIRPER_DATA_DIR. The file was not changed.")
    case .outdated(let path):
      let file = CommandText.quoted(path)
      self.init(.damaged, "outdated-database", text, hint: "Type: mv \(file) \(CommandText.quoted(path + ".before-1.0"))")
    case .notOurs:
      self.init(.damaged, "not-ours", text, hint: "Move it away, or set CHIRPER_DATA_DIR to another directory.")
    case .readOnly:
      self.init(
        .inputOutput, "read-only", text,
        hint: "chirper list and chirper export work. To store, set CHIRPER_DATA_DIR to a directory you may write to.")
    case .diskFull:
      self.init(.inputOutput, "disk-full", text, hint: "Free some space and type the same command again.")
    case .inputOutput: self.init(.inputOutput, "input-output", text, hint: "Check the disk, then type: chirper doctor")
    case .busy(_, let holder): self.init(.tryLater, "busy", text, hint: Self.waitFor(holder))
    case .queryInUse(let holder): self.init(.tryLater, "query-in-use", text, hint: Self.waitFor(holder))
    case .cannotOpen:
      self.init(.configuration, "cannot-open", text, hint: "Set CHIRPER_DATA_DIR to a directory you may write to.")
    case .queryForgotten:
      self.init(.tryLater, "query-forgotten", text, hint: "Type the same command again to fetch it from page 1.")
    case .walkClosed: self.init(.tryLater, "walk-closed", text, hint: "Type the same command again.")
    case .recordingForgotten: self.init(.tryLater, "recording-forgotten", text, hint: "Type the same command again.")
    case .unexpected: self.init(.failed, "store", text, hint: "Type: chirper doctor")
    }
  }

  /// What to do about a process that holds a lock.
  static func waitFor(_ holder: String?) -> String {
    "Wait until \(holder ?? "it") ends, or end it; then type the same command again."
  }
}
