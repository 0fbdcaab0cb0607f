import ChirperFormats
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

  /// The extent of what a request may do.
  enum Allowed: Sendable {
    case nothing
    case reading
    case everything
  }

  private var port: Int { local?.port ?? 0 }

  /// The answer in place of the one that was asked for; `nil` if the request may be
  /// answered.
  func refusal(of request: Request) -> Answer? {
    // A name of a page can be made to mean this machine, so only its own names are taken.
    guard let host = request.headers.first(name: "host"), let kind = hostKind(of: host) else {
      let names = access.isLoopback ? "http://127.0.0.1:\(port)" : "its addresses"
      return .error(
        .forbidden, kind: "host", problem: "This server answers to \(names) only",
        hint: "For another name start it with: --allow-host NAME")
    }
    if let origin = request.headers.first(name: "origin") {
      guard origin.lowercased() == access.origin || isOwn(origin) else { return Self.otherSite }
    } else if let site = request.headers.first(name: "sec-fetch-site"), site != "same-origin",
      site != "none"
    {
      // A link of another page may be followed to the page here; everything else costs time, in a
      // frame or as a download too.
      guard Self.isPage(request), request.headers["sec-fetch-mode"] == ["navigate"] else {
        return Self.otherSite
      }
    }
    if request.method == .OPTIONS, allowedOrigin(of: request) != nil { return Self.preflight }
    let isOpen = request.isReading && access.isLoopback && kind == .here
    if isOpen || Self.isBeforeSession(request) { return nil }
    switch allowed(request) {
    case .everything: return nil
    case .reading where request.isReading: return nil
    case .reading, .nothing: return noSession(request)
    }
  }

  /// The origin of a page of a different site, if that may read the answer.
  func allowedOrigin(of request: Request) -> String? {
    access.origin.flatMap { origin in
      request.headers.first(name: "origin")?.lowercased() == origin ? origin : nil
    }
  }

  /// The session that a browser gets for the token.
  var session: BrowserSession { BrowserSession(token: access.token, port: port, today: today) }

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

  /// Whether it is a request by which a page gets a session: for its files, or the exchange
  /// of the token.
  private static func isBeforeSession(_ request: Request) -> Bool {
    switch request.path.first {
    case "page": request.isReading && request.path.count == 3
    case "session": (request.isReading || request.method == .POST) && request.path.count == 1
    default: isPage(request)
    }
  }

  /// Whether it asks for the page, at any of its addresses.
  private static func isPage(_ request: Request) -> Bool {
    guard request.isReading, let first = request.path.first else { return request.isReading }
    return request.path.count == 1
      ? ServerFiles.isNumber(first) : request.path.count == 2 && first == "species"
  }

  /// The rights that the token gives, or the session that a browser got for it.
  func allowed(_ request: Request) -> Allowed {
    let headers = request.headers["authorization"].compactMap { text -> Substring? in
      text.lowercased().hasPrefix("bearer ") ? text.dropFirst(7) : nil
    }
    let others = request.headers["x-api-key"] + [request["key"]].compactMap(\.self)
    if (headers + others.map { $0[...] }).contains(where: { access.token.matches($0) }) {
      return .everything
    }
    let session = session
    guard cookies(of: request).contains(where: { session.isValid($0, .cookie) }) else {
      return .nothing
    }
    let isOwnPage = request.headers[BrowserSession.header].contains { session.isValid($0, .secret) }
    return isOwnPage ? .everything : .reading
  }

  /// Whether it has a cookie of this server, valid or not.
  func hasCookie(_ request: Request) -> Bool { !cookies(of: request).isEmpty }

  private func cookies(of request: Request) -> [Substring] {
    let name = session.cookie
    return request.headers["cookie"].flatMap { $0.split(separator: ";") }.compactMap {
      part -> Substring? in
      let pair = part.drop { $0 == " " }
      return pair.hasPrefix("\(name)=") ? pair.dropFirst(name.count + 1) : nil
    }
  }

  private func noSession(_ request: Request) -> Answer {
    let hint =
      "Open the link that chirper serve printed, or ask whoever runs it. "
      + "Programs send its token as key=, X-API-Key or Authorization: Bearer."
    // Clients of xeno-canto read their service's form of an error.
    if request.path.first == "api", ["2", "3"].contains(request.path.dropFirst().first) {
      return .clientError(
        "Missing or invalid 'key' parameter. The key is the token of this server. \(hint)",
        status: .unauthorized)
    }
    var answer = Answer.error(
      .unauthorized, kind: "no-session", problem: "This needs the token of this server", hint: hint)
    answer.headers.append(("WWW-Authenticate", "Bearer"))
    return answer
  }

  // MARK: Answers

  private static let otherSite = Answer.error(
    .forbidden, kind: "other-site", problem: "Another site's page may not ask this",
    hint: "For one page start the server with: --allow-origin ORIGIN")

  private static let preflight = Answer(
    status: .noContent,
    headers: [
      ("Access-Control-Allow-Methods", "GET, HEAD, POST, DELETE"),
      ("Access-Control-Allow-Headers", "Authorization, Content-Type, X-API-Key, Range"),
      ("Access-Control-Allow-Private-Network", "true"), ("Access-Control-Max-Age", "600"),
    ])
}
