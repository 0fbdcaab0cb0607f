import ChirperModel
import NIOCore
import NIOHTTP1

/// Decides before any routing whether a request is answered at all: pages of other sites can send
/// requests to this machine.
struct Gate: Sendable {
  let access: ServerAccess
  /// The address and the port of this machine that the connection came to.
  let local: SocketAddress?
  /// The day in UTC, counted from 1970.
  let today: Int

  /// The sender of a request, by its token or its session.
  enum Sender: Sendable {
    case unknown
    case reader
    /// A page that has the owner's cookie alone, perhaps one of a different server of the owner's
    /// machine. It reads.
    case ownersCookie
    case owner
  }

  private var port: Int { local?.port ?? 0 }

  /// The answer in place of the one that was asked for; `nil` if the request may be
  /// answered.
  func refusal(of request: Request) -> Answer? {
    // A name of a page can be made to mean this machine, so only its own names are taken.
    guard let host = request.headers.first(name: "host"), hostKind(of: host) != nil else {
      let names = access.isLoopback ? "http://127.0.0.1:\(port)" : "its addresses"
      return .error(
        .forbidden, kind: "host", problem: "This server answers to \(names) only",
        hint: "For another name start it with: --allow-host NAME")
    }
    let route = Route.find(request).route
    if let origin = request.headers.first(name: "origin") {
      guard origin.lowercased() == access.origin || isOwn(origin) else { return Self.otherSite }
    } else if request.isOfOtherSite {
      // A link of another page may be followed to the page here; everything else costs time, in a
      // frame or as a download too.
      guard route?.isPage == true, request.headers["sec-fetch-mode"] == ["navigate"] else {
        return Self.otherSite
      }
    }
    if request.method == .OPTIONS, allowedOrigin(of: request) != nil { return Self.preflight }
    switch route?.need ?? (request.isReading ? .reading : .owner) {
    case .nothing: return nil
    case .reading: return mayRead(request) ? nil : noSession(request)
    case .readingWithoutToken: return needsToken(request) ? Self.noFeeds : nil
    case .owner:
      switch sender(of: request) {
      case .owner: return nil
      case .reader: return Self.onlyOwner
      case .ownersCookie, .unknown: return noSession(request)
      }
    }
  }

  /// Whether a request may get what is stored, if it was not refused.
  func mayRead(_ request: Request) -> Bool {
    !needsToken(request) || sender(of: request) != .unknown
  }

  /// Whether what is stored can be read by the name that a request has only with a token.
  func needsToken(_ request: Request) -> Bool {
    !access.isPublic && !(access.isLoopback && ownAddress(of: request) != nil)
  }

  /// The address of this server by the name that a request has; `nil` for the name of a proxy, which
  /// may have encryption.
  func ownAddress(of request: Request) -> String? {
    guard let host = request.headers.first(name: "host"), hostKind(of: host) == .here else {
      return nil
    }
    return "http://\(host.lowercased())"
  }

  /// The origin of a page of a different site, if that may read the answer.
  func allowedOrigin(of request: Request) -> String? {
    access.origin.flatMap { origin in
      request.headers.first(name: "origin")?.lowercased() == origin ? origin : nil
    }
  }

  /// The session that a browser gets for a token.
  func session(for token: SessionToken) -> BrowserSession {
    BrowserSession(token: token, port: port, today: today)
  }

  // MARK: Names

  private enum HostKind {
    /// An address of this machine.
    case here
    /// The name that `--allow-host` gives.
    case named
  }

  /// The kind of a name and port, as in `Host`; `nil` if it is not this server.
  private func hostKind(of authority: String) -> HostKind? {
    let text = authority.lowercased()
    let end = text.last == "]" ? nil : text.lastIndex(of: ":")
    let name = String(end.map { text[..<$0] } ?? text[...])
    if let host = access.host, name == host { return .named }
    guard end.map({ Int(text[text.index(after: $0)...]) == port }) ?? (port == 80) else {
      return nil
    }
    guard let local = Self.plain(local?.ipAddress) else { return nil }
    if Loopback.contains(local), ["127.0.0.1", "localhost", "[::1]"].contains(name) {
      return .here
    }
    let address =
      name.hasPrefix("[") && name.hasSuffix("]") ? String(name.dropFirst().dropLast()) : name
    return Self.plain((try? SocketAddress(ipAddress: address, port: 0))?.ipAddress) == local
      ? .here : nil
  }

  /// An address without the prefix that IPv6 writes before one of IPv4.
  private static func plain(_ address: String?) -> String? {
    address.map { $0.hasPrefix("::ffff:") ? String($0.dropFirst(7)) : $0 }
  }

  /// Whether an origin is a page of this server.
  private func isOwn(_ origin: String) -> Bool {
    let parts = origin.split(separator: "://", maxSplits: 1).map(String.init)
    guard parts.count == 2, let kind = hostKind(of: parts[1]) else { return false }
    // A proxy that has the name may have encryption.
    return parts[0].lowercased() == "http" || parts[0].lowercased() == "https" && kind == .named
  }

  // MARK: Sessions

  func sender(of request: Request) -> Sender {
    let headers = request.headers["authorization"].compactMap { text -> Substring? in
      text.lowercased().hasPrefix("bearer ") ? text.dropFirst(7) : nil
    }
    let others = request.headers["x-api-key"] + [request["key"]].compactMap(\.self)
    let tokens = headers + others.map { $0[...] }
    let cookies = cookies(of: request)
    if tokens.contains(where: access.owner.matches) { return .owner }
    let session = session(for: access.owner)
    if cookies.contains(where: { session.isValid($0, .cookie) }) {
      let isOwnPage = request.headers[BrowserSession.header].contains {
        session.isValid($0, .secret)
      }
      return isOwnPage ? .owner : .ownersCookie
    }
    let readers = self.session(for: access.reader)
    let isReader =
      access.isPublic || tokens.contains(where: access.reader.matches)
      || cookies.contains { readers.isValid($0, .cookie) }
    return isReader ? .reader : .unknown
  }

  /// The value of a session's cookie, if it has a valid one.
  func sessionCookie(of request: Request) -> String? {
    let sessions = [access.owner, access.reader].map(session)
    return cookies(of: request).first { cookie in
      sessions.contains { $0.isValid(cookie, .cookie) }
    }.map(String.init)
  }

  /// The values of the cookies of this server, valid or not.
  func cookies(of request: Request) -> [Substring] {
    let name = session(for: access.owner).cookie
    return request.headers["cookie"].flatMap { $0.split(separator: ";") }.compactMap {
      part -> Substring? in
      let pair = part.drop { $0 == " " }
      return pair.hasPrefix("\(name)=") ? pair.dropFirst(name.count + 1) : nil
    }
  }

  /// The advice to people who have no link, or a wrong one.
  static let askForLink = "Ask whoever runs chirper for the link."

  private func noSession(_ request: Request) -> Answer {
    // Clients of xeno-canto read their service's form of an error.
    if request.path.first == "api", ["2", "3"].contains(request.path.dropFirst().first) {
      return .clientError(
        "Missing or invalid 'key' parameter. The key is a token of this server. \(Self.askForLink)",
        status: .unauthorized)
    }
    return .error(
      .unauthorized, kind: "no-session", problem: "This needs a token of this server",
      hint: Self.askForLink
    ).with(("WWW-Authenticate", "Bearer"))
  }

  // MARK: Answers

  private static let onlyOwner = Answer.error(
    .forbidden, kind: "reader", problem: "Only whoever runs chirper may do that",
    hint: "Your link is only for reading.")

  private static let noFeeds = Answer.error(
    .forbidden, kind: "feed", problem: "The address of a feed has no place for a token",
    hint: "Where reading needs none there are feeds: on this machine, and with --public.")

  private static let otherSite = Answer.error(
    .forbidden, kind: "other-site", problem: "Another site's page may not ask this",
    hint: "For one page start the server with: --allow-origin ORIGIN")

  private static let preflight = Answer(
    status: .noContent,
    headers: [
      ("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, DELETE"),
      ("Access-Control-Allow-Headers", "Authorization, Content-Type, X-API-Key, Range"),
      ("Access-Control-Allow-Private-Network", "true"), ("Access-Control-Max-Age", "600"),
    ])
}
