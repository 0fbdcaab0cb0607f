import ChirperFormats
import Foundation
import Logging
import NIOHTTP1

/// Exchanges a token, or the code of the readers, for a session of a browser: a cookie for all
/// reading of a page, event streams, audio and downloads too, and for the owner's token a secret
/// for requests that change something.
struct SessionAPI: Sendable {
  let gate: Gate

  func answer(_ request: Request, at now: Date, _ logger: Logger) -> Answer {
    let body = try? JSONDecoder().decode([String: String].self, from: Data(request.body))
    if let code = body?["code"], body?["token"] == nil {
      return answer(code: code, request.remoteAddress, at: now, logger)
    }
    let tokens = [gate.access.owner, gate.access.reader]
    guard let sent = body?["token"], let token = tokens.first(where: { $0.matches(sent) }) else {
      return .error(
        .unauthorized, kind: "wrong-token", problem: "This link or token is not valid",
        hint: Gate.askForLink)
    }
    return answer(token)
  }

  private func answer(code: String, _ address: String?, at now: Date, _ logger: Logger) -> Answer {
    switch gate.access.code?.outcome(of: code, from: address, at: now) ?? .off {
    case .right: return answer(gate.access.reader)
    case .wrong:
      return .error(
        .unauthorized, kind: "wrong-code", problem: "This is not the code",
        hint: "Ask for the six letters again.")
    case .tooSoon(let seconds):
      var answer = Answer.error(
        .tooManyRequests, kind: "too-many-codes", problem: "Too many wrong codes were typed",
        hint: "Try again in \(seconds) s.")
      answer.headers = [("Retry-After", "\(seconds)")]
      return answer
    case .lastWrong:
      logger.warning(
        "\(ServerLimits.wrongCodes) wrong codes were typed, so the code is off. Links still work.")
    case .off: break
    }
    return .error(
      .unauthorized, kind: "code-off", problem: "The code is off", hint: Gate.askForLink)
  }

  private func answer(_ token: SessionToken) -> Answer {
    let session = gate.session(for: token)
    var object: JSONObject = ["access": token.role.rawValue]
    if token.role == .owner { object.add("secret", session.value(.secret)) }
    var answer = Answer.json(object)
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
    let isUnknown = gate.sender(of: request) == .unknown
    var object: JSONObject = ["access": access]
    if isUnknown, gate.access.code?.isOn == true { object.add("code", true) }
    var answer = Answer.json(object)
    if isUnknown, gate.hasCookie(request) {
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
