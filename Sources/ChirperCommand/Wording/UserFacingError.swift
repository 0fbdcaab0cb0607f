import ChirperModel

/// An error in words: what failed and with what, what to type next, and how the program ends.
struct UserFacingError: Error, Equatable {
  let status: ExitStatus
  /// A word for programs: `never-fetched`, `rate-limited`.
  let kind: String
  let message: String
  let hint: String?

  init(_ status: ExitStatus, _ kind: String, _ message: String, hint: String? = nil) {
    self.status = status
    self.kind = kind
    self.message = message
    self.hint = hint
  }

  /// The same with other last words.
  func with(status: ExitStatus? = nil, hint: String?) -> UserFacingError {
    UserFacingError(status ?? self.status, kind, message, hint: hint ?? self.hint)
  }

  /// As it stands in `--json` output and, alone, on standard error.
  var json: JSONObject {
    var object = JSONObject()
    object.add("code", Int(status.rawValue))
    object.add("kind", kind)
    object.add("message", message)
    object.add("hint", hint)
    return object
  }
}
