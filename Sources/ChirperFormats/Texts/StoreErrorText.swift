import Chirper
import ChirperModel

/// The exit codes and hints of errors in queries and of the store; their sentences are the library's (`ErrorText`).
extension UserFacingError {
  package init(_ error: QueryError) {
    let (kind, hint) =
      switch error {
      case .blank: ("blank-query", "Type what to look for, as in: chirper fetch parrot")
      case .tooLong: ("query-too-long", "Type a shorter one.")
      case .controlCharacter: ("control-character", "Type the query without it.")
      case .pageSize(_, let served, _):
        ("page-size", "Type --per-page with a number from \(served.lowerBound) to \(served.upperBound).")
      case .unknownTag(_, let nearest) where nearest.isEmpty:
        ("unknown-tag", "The tags are listed at \(Catalogues.all.compactMap(\.queryHelpURL).joined(separator: ", ")).")
      case .unknownTag(_, let nearest): ("unknown-tag", "Did you mean \(Self.orList(ofTags: nearest))?")
      case .unsupportedTag(_, _, let supported):
        ("unknown-tag", "Its tags are \(supported.map { "\($0):" }.joined(separator: " ")).")
      case .missingValue(let tag): ("missing-value", "Type it as in: \(tag):value")
      case .badValue(_, _, let expected): ("bad-value", "It accepts \(expected).")
      case .unclosedQuote: ("unclosed-quote", "Close it, and put the whole query in single quotes: 'en:\"song thrush\"'")
      case .mixed(_, let suggestion): ("mixed-query", "Type: \(CommandText.quoted(suggestion))")
      }
    self.init(.usage, kind, error.text, hint: hint)
  }

  package init(_ error: StoreError) {
    let again = "Type the same command again."
    let (status, kind, hint): (ExitStatus, String, String) =
      switch error {
      case .damaged: (.damaged, "damaged", "Type: chirper doctor --repair")
      case .newer:
        (.damaged, "newer-database", "Use the newer chirper, or another CHIRPER_DATA_DIR. The file was not changed.")
      case .outdated(let path):
        (
          .damaged, "outdated-database",
          "Type: mv \(CommandText.quoted(path)) \(CommandText.quoted(path + ".before-1.0"))"
        )
      case .notOurs: (.damaged, "not-ours", "Move it away, or set CHIRPER_DATA_DIR to another directory.")
      case .readOnly(let path, let owner):
        (
          .inputOutput, "read-only",
          "chirper list and chirper export work. To store, "
            + (owner.map { "\($0) types: chmod -R g+rwX \(CommandText.quoted(path.folderOfPath)); or " } ?? "")
            + "set CHIRPER_DATA_DIR to a directory you may write to."
        )
      case .diskFull: (.inputOutput, "disk-full", "Free some space and type the same command again.")
      case .inputOutput: (.inputOutput, "input-output", "Check the disk, then type: chirper doctor")
      case .busy(_, let holder): (.tryLater, "busy", Self.waitFor(holder))
      case .queryInUse(let holder): (.tryLater, "query-in-use", Self.waitFor(holder))
      case .cannotOpen: (.configuration, "cannot-open", "Set CHIRPER_DATA_DIR to a directory you may write to.")
      case .queryForgotten: (.tryLater, "query-forgotten", "Type the same command again to fetch it from page 1.")
      case .walkClosed: (.tryLater, "walk-closed", again)
      case .recordingForgotten: (.tryLater, "recording-forgotten", again)
      case .unexpected: (.failed, "store", "Type: chirper doctor")
      }
    self.init(status, kind, error.text, hint: hint)
  }

  static func waitFor(_ holder: String?) -> String {
    "Wait until \(holder ?? "it") ends, or end it; then type the same command again."
  }
}
