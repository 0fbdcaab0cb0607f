import ChirperFormats
import Foundation
import NIOHTTP1

/// Exchanges a token for a session of a browser: a cookie for all reading of a page, event streams,
/// audio and downloads too, and for the owner's token a secret for requests that change something.
struct SessionAPI: Sendable {
  let gate: Gate

  func answer(_ request: Request) -> Answer {
    let body = try? JSONDecoder().decode([String: String].self, from: Data(request.body))
    let tokens = [gate.access.owner, gate.access.reader]
    guard let sent = body?["token"], let token = tokens.first(where: { $0.matches(sent) }) else {
      return .error(
        .unauthorized, kind: "wrong-token", problem: "This link or token is not valid",
        hint: Gate.askForLink)
    }
    let session = gate.session(for: token)
    var object: JSONObject = ["access": token.role.rawValue]
    if token.role == .owner { object.add("secret", session.value(.secret)) }
    var answer = Answer.json(object.text)
    answer.headers = [
      cookie(session, session.value(.cookie), seconds: BrowserSession.days * 86_400)
    ]
    return answer
  }

  /// The access that the request has. A cookie that is not valid, as one that is too old, is
  /// removed.
  ///
  /// - Parameter isForDocument: whether the page gets it that comes with the request, and knows
  ///   whether it has the secret, which no request for a document has.
  func state(_ request: Request, isForDocument: Bool = false) -> Answer {
    let access =
      switch gate.sender(of: request) {
      case .owner: SessionToken.Role.owner.rawValue
      case .ownersCookie where isForDocument: SessionToken.Role.owner.rawValue
      case .reader: SessionToken.Role.reader.rawValue
      case .ownersCookie, .unknown: "none"
      }
    var answer = Answer.json((["access": access] as JSONObject).text)
    if gate.sender(of: request) == .unknown, gate.hasCookie(request) {
      answer.headers = [cookie(gate.session(for: gate.access.owner), "", seconds: 0)]
    }
    return answer
  }

  private func cookie(
    _ session: BrowserSession, _ value: String, seconds: Int
  ) -> (name: String, value: String) {
    ("Set-Cookie", "\(session.cookie)=\(value); Max-Age=\(seconds); HttpOnly; SameSite=Strict")
  }
}
