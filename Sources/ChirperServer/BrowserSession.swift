import ChirperModel

/// The values that a browser gets for a token: a cookie, which only reads, and for the owner's
/// token a secret, with which it may change something too.
///
/// Cookies do not distinguish ports: a browser sends one to every server of this machine.
/// The secret is kept by pages of one origin, and sent by them alone. Both are made of the
/// token and say on which day, so the server keeps neither; they end with the token.
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

  /// The value for today.
  func value(_ kind: Kind) -> String { value(kind, on: today) }

  /// Whether a value is one of this server and not too old.
  func isValid(_ value: some StringProtocol, _ kind: Kind) -> Bool {
    let typed = value.prefix { $0 != "." }
    // A number of more digits is not a day.
    guard typed.utf8.count <= 6, let day = Int(typed), ((today - Self.days)...today).contains(day)
    else { return false }
    return SessionToken.areEqual(value, self.value(kind, on: day))
  }

  private func value(_ kind: Kind, on day: Int) -> String {
    let message = "chirper \(token.role.rawValue) \(kind.rawValue) \(port) \(day)"
    let code = SHA256.authenticationCode(of: Array(message.utf8), key: Array(token.text.utf8))
    return "\(day)." + code.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
