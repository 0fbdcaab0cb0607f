import ChirperModel

/// The values that a browser gets for a token: a cookie, which only reads, and for the owner's
/// token a secret, with which it may change something too.
///
/// Cookies do not distinguish ports: a browser sends one to every server of this machine.
/// The secret is kept by pages of one origin, and sent by them alone. Both are made of the
/// token, say on which day, and have a number that distinguishes browsers with the same token. So
/// the server keeps neither; they end with the token.
struct BrowserSession: Sendable {
  enum Kind: String, Sendable {
    case cookie
    case secret
  }

  let token: SessionToken
  let port: Int
  /// The day in UTC, counted from 1970.
  let today: Int

  /// Days that both are good for.
  static let days = 30
  /// The header with the secret.
  static let header = "X-Chirper-Session"

  /// The name of the cookie.
  var cookie: String { "chirper-\(port)" }

  /// A new value, of today.
  func value(_ kind: Kind) -> String {
    value(kind, day: today, number: String(UInt64.random(in: 0 ... .max), radix: 16))
  }

  /// Whether a value is one of this server and not too old.
  func isValid(_ value: some StringProtocol, _ kind: Kind) -> Bool {
    let parts = value.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
    // A number of more digits is not a day, and of more not one of a browser.
    guard parts.count == 3, parts[0].utf8.count <= 6, parts[1].utf8.count <= 16,
      let day = Int(parts[0]), ((today - Self.days)...today).contains(day)
    else { return false }
    return SessionToken.areEqual(value, self.value(kind, day: day, number: String(parts[1])))
  }

  private func value(_ kind: Kind, day: Int, number: String) -> String {
    let message = "chirper \(token.role.rawValue) \(kind.rawValue) \(port) \(day) \(number)"
    let code = SHA256.authenticationCode(of: Array(message.utf8), key: Array(token.text.utf8))
    return "\(day).\(number).\(SHA256.text(code))"
  }
}
