import ChirperFormats
import ChirperModel
import Foundation
import NIOHTTP1

/// Exchanges the token for a session of a browser: a cookie for all reading of a page,
/// event streams, audio and downloads too, and a secret for requests that change something.
struct SessionAPI: Sendable {
  let session: BrowserSession

  func answer(_ request: Request) -> Answer {
    let body = try? JSONDecoder().decode([String: String].self, from: Data(request.body))
    guard let sent = body?["token"], session.token.matches(sent) else {
      return .error(
        .unauthorized, kind: "wrong-token", problem: "This is not the token of this server",
        hint: "Open the link that chirper serve printed.")
    }
    var answer = Answer.json((["secret": session.value(.secret)] as JSONObject).text)
    answer.headers = [cookie(session.value(.cookie), seconds: BrowserSession.days * 86_400)]
    return answer
  }

  /// Whether the request may change something. A cookie that is not valid, as one that is too old,
  /// is removed.
  func state(_ request: Request, _ gate: Gate) -> Answer {
    let allowed = gate.allowed(request)
    var answer = Answer.json((["session": allowed == .everything] as JSONObject).text)
    if allowed == .nothing, gate.hasCookie(request) { answer.headers = [cookie("", seconds: 0)] }
    return answer
  }

  private func cookie(_ value: String, seconds: Int) -> (name: String, value: String) {
    ("Set-Cookie", "\(session.cookie)=\(value); Max-Age=\(seconds); HttpOnly; SameSite=Strict")
  }
}
