import ChirperModel
import NIOHTTP1

/// Exchanges the token for a cookie, which serves everything else of a page: event streams, audio and downloads too.
struct SessionAPI: Sendable {
  let token: SessionToken
  /// The name of the cookie.
  let cookie: String

  /// Seconds of a year: a bookmark works after the browser was closed.
  private static let lifetime = 31_536_000

  func answer(_ request: Request) -> Answer {
    guard let sent = try? request.members()["token"]?.text, token.matches(sent) else {
      return .error(
        .unauthorized, "wrong-token", "This is not the token of this server", hint: "Open the link that chirper serve prints.")
    }
    let value = "\(cookie)=\(token.text); Max-Age=\(Self.lifetime); HttpOnly; SameSite=Strict"
    return Answer(status: .noContent, headers: [("Set-Cookie", value)])
  }
}
