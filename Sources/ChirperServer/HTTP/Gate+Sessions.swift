import ChirperFormats
import Foundation
import Logging
import NIOHTTP1

/// Exchanges a token, or the code of the readers, for a session of a browser: a cookie for all
/// reading of a page, event streams, audio and downloads too, and for the owner's token a secret
/// for requests that change something.
extension Gate {
  func openSession(_ request: Request, at now: Date, _ logger: Logger) -> Answer {
    let body = try? JSONDecoder().decode([String: String].self, from: Data(request.body))
    if let code = body?["code"], body?["token"] == nil {
      return openSession(code: code, request.remoteAddress, at: now, logger)
    }
    let tokens = [access.owner, access.reader]
    guard let sent = body?["token"], let token = tokens.first(where: { $0.matches(sent) }) else {
      return .error(
        .unauthorized, kind: "wrong-token", problem: "This link or token is not valid",
        hint: Self.askForLink)
    }
    return openSession(token)
  }

  private func openSession(
    code: String, _ address: String?, at now: Date, _ logger: Logger
  ) -> Answer {
    switch access.code?.outcome(of: code, from: address, at: now) ?? .off {
    case .right: return openSession(access.reader)
    case .wrong:
      return .error(
        .unauthorized, kind: "wrong-code", problem: "This is not the code",
        hint: "Ask for the six letters again.")
    case .tooSoon(let seconds):
      return .error(
        .tooManyRequests, kind: "too-many-codes", problem: "Too many wrong codes were typed",
        hint: "Try again in \(seconds) s."
      ).with(("Retry-After", "\(seconds)"))
    case .lastWrong:
      logger.warning(
        "\(ServerLimits.wrongCodes) wrong codes were typed, so the code is off. Links still work.")
    case .off: break
    }
    return .error(
      .unauthorized, kind: "code-off", problem: "The code is off", hint: Self.askForLink)
  }

  private func openSession(_ token: SessionToken) -> Answer {
    let session = session(for: token)
    var object: JSONObject = ["access": token.role.rawValue]
    if token.role == .owner { object.add("secret", session.value(.secret)) }
    return .json(object).with(
      cookie(session, session.value(.cookie), seconds: BrowserSession.days * 86_400))
  }

  /// The access that the request has. A cookie that is not valid, as one that is too old, is
  /// removed.
  ///
  /// - Parameter isForDocument: whether the page gets it that comes with the request, and knows
  ///   whether it has the secret, which no request for a document has.
  func accessOfPage(_ request: Request, isForDocument: Bool = false) -> Answer {
    let sender = sender(of: request)
    let role: SessionToken.Role? =
      switch sender {
      case .owner: .owner
      case .ownersCookie: isForDocument ? .owner : nil
      case .reader: .reader
      case .unknown: nil
      }
    var object: JSONObject = ["access": role?.rawValue ?? "none"]
    guard sender == .unknown else { return .json(object) }
    if access.code?.isOn == true { object.add("code", true) }
    let answer = Answer.json(object)
    return cookies(of: request).isEmpty
      ? answer : answer.with(cookie(session(for: access.owner), "", seconds: 0))
  }

  private func cookie(
    _ session: BrowserSession, _ value: String, seconds: Int
  ) -> (name: String, value: String) {
    ("Set-Cookie", "\(session.cookie)=\(value); Max-Age=\(seconds); HttpOnly; SameSite=Strict")
  }
}
