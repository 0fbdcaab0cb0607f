import NIOHTTP1

/// Decides before any routing whether a request is answered at all: pages of other sites can send requests to this machine.
struct Gate: Sendable {
  /// The port of the server.
  let port: Int

  /// Why the request is refused; `nil` if it is not.
  func refusal(of head: HTTPRequestHead) -> Answer? {
    // A name of a page can be made to mean 127.0.0.1, so only the names of this server are taken.
    guard let host = head.headers.first(name: "host")?.lowercased(), hosts.contains(host) else {
      return .text(.forbidden, "This server answers to http://127.0.0.1:\(port) only.")
    }
    let origins = head.headers["origin"]
    guard origins.allSatisfy({ origin in hosts.contains { "http://\($0)" == origin.lowercased() } }) else {
      return .text(.forbidden, "Another site's page may not ask this server.")
    }
    guard head.method == .GET || head.method == .HEAD else {
      return Answer(status: .methodNotAllowed, headers: [("Allow", "GET, HEAD")])
    }
    return nil
  }

  private var hosts: [String] {
    let names = ["127.0.0.1", "localhost", "[::1]"]
    return names.map { "\($0):\(port)" } + (port == 80 ? names : [])
  }
}
