import Chirper
import ChirperModel

/// The exit codes and hints of errors in queries and of the store; their sentences are the
/// library's (`ErrorText`).
extension UserFacingError {
  package init(_ error: QueryError) {
    let hint =
      switch error {
      case .blank: "Type what to look for, as in: chirper fetch parrot"
      case .tooLong: "Type a shorter one."
      case .controlCharacter: "Type the query without it."
      case .pageSize(_, let served, _):
        "Type --per-page with a number from \(served.lowerBound) to \(served.upperBound)."
      case .unknownTag(_, let nearest) where nearest.isEmpty:
        "The tags are listed at \(Catalogues.all.compactMap(\.queryHelpAddress).joined(separator: ", "))."
      case .unknownTag(_, let nearest): "Did you mean \(Self.orList(ofTags: nearest))?"
      case .mistypedTag(_, let nearest, let exact):
        "Did you mean \(Self.orList(ofTags: nearest))? To send it as it is, type: \(CommandText.quoted(exact))"
      case .unsupportedTag(_, _, let supported):
        "Its tags are \(supported.map { "\($0):" }.joined(separator: " "))."
      case .missingValue(let tag): "Type it as in: \(tag):value"
      case .badValue(_, _, let expected): "It accepts \(expected)."
      case .unclosedQuote:
        "Close it, and put the whole query in single quotes: 'en:\"song thrush\"'"
      case .mixed(_, let suggestion): "Type: \(CommandText.quoted(suggestion))"
      }
    self.init(.usage, error.code, error.text, hint: hint)
  }

  package init(_ error: StoreError) {
    let again = "Type the same command again."
    let (status, hint): (ExitStatus, String) =
      switch error {
      case .damaged: (.damaged, "Type: chirper doctor --repair")
      case .newer:
        (.damaged, "Use the newer chirper, or another CHIRPER_DATA_DIR. The file was not changed.")
      case .notOurs: (.damaged, "Move it away, or set CHIRPER_DATA_DIR to another directory.")
      case .readOnly(let path, let owner):
        (
          .inputOutput,
          "chirper list and chirper export work. To store, "
            + (owner.map {
              "\($0) types: chmod -R g+rwX \(CommandText.quoted(path.folderOfPath)); or "
            } ?? "")
            + "set CHIRPER_DATA_DIR to a directory you may write to."
        )
      case .diskFull: (.inputOutput, "Free some space and type the same command again.")
      case .inputOutput: (.inputOutput, "Check the disk, then type: chirper doctor")
      case .busy(_, let holder): (.tryLater, Self.waitFor(holder))
      case .queryInUse(let holder): (.tryLater, Self.waitFor(holder))
      case .cannotOpen: (.configuration, "Set CHIRPER_DATA_DIR to a directory you may write to.")
      case .queryForgotten: (.tryLater, "Type the same command again to fetch it from page 1.")
      case .walkClosed: (.tryLater, again)
      case .replaced, .recordingForgotten: (.tryLater, again)
      case .removed:
        (.tryLater, "Put it back, or start chirper again to begin with an empty one.")
      case .unexpected: (.failed, "Type: chirper doctor")
      }
    self.init(status, error.code, error.text, hint: hint)
  }

  static func waitFor(_ holder: String?) -> String {
    "Wait until \(holder ?? "it") ends, or end it; then type the same command again."
  }
}
