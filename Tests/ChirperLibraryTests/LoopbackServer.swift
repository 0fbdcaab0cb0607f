import Foundation

#if canImport(Glibc)
import Glibc

private let stream = Int32(SOCK_STREAM.rawValue)
#elseif canImport(Musl)
import Musl

private let stream = SOCK_STREAM
#else
private let stream = SOCK_STREAM
#endif

/// A web server on this machine that answers each request with JSON, or with audio where the body
/// begins with `RIFF`; a connection takes one request.
final class LoopbackServer: Sendable {
  let url: URL
  private let listener: Int32

  #if canImport(Darwin)
  private static let withoutSignal: Int32 = 0
  #else
  private static let withoutSignal = Int32(MSG_NOSIGNAL)
  #endif

  struct Failure: Error {
    let call: String
    let number = errno
  }

  /// - Parameters:
  ///   - answer: the body for the query of a request's URL, in which a POST has its own as `body`;
  ///     `nil` is status 400.
  ///   - beforeRest: called when the first half of a body was sent, on the server's thread; the
  ///     rest follows when it returns.
  init(
    _ answer: @escaping @Sendable (_ query: [String: String]) -> String?,
    beforeRest: @escaping @Sendable () -> Void = {}
  ) throws {
    listener = socket(AF_INET, stream, 0)
    guard listener >= 0 else { throw Failure(call: "socket") }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    let isBound = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, length) == 0 && listen(listener, 16) == 0
          && getsockname(listener, address, &length) == 0
      }
    }
    guard isBound, let url = URL(string: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))")
    else {
      throw Failure(call: "bind")
    }
    self.url = url
    Thread.detachNewThread {
      while true {
        let connection = accept(listener, nil, nil)
        // The server was released. Were the socket closed there, its number could by now be that of
        // another server.
        guard connection >= 0 else {
          close(listener)
          return
        }
        Self.serve(connection, answer, beforeRest)
        close(connection)
      }
    }
  }

  deinit {
    // Ends `accept`, in which the thread waits or which it calls next.
    shutdown(listener, Int32(SHUT_RDWR))
  }

  private static func serve(
    _ connection: Int32, _ answer: (_ query: [String: String]) -> String?, _ beforeRest: () -> Void
  ) {
    var request = ""
    var piece = [UInt8](repeating: 0, count: 4096)
    func isWhole() -> Bool {
      let parts = request.components(separatedBy: "\r\n\r\n")
      let length = parts[0].components(separatedBy: "\r\nContent-Length: ").dropFirst().first?
        .prefix { $0.isNumber }
      return parts.count > 1 && parts[1].utf8.count >= length.flatMap { Int($0) } ?? 0
    }
    while !isWhole() {
      let count = recv(connection, &piece, piece.count, 0)
      guard count > 0 else { return }
      request += String(decoding: piece.prefix(count), as: UTF8.self)
    }
    let words = request.split(separator: " ")
    var items = URLComponents(string: String(words[1]))?.queryItems ?? []
    if words[0] == "POST" {
      items.append(
        URLQueryItem(name: "body", value: request.components(separatedBy: "\r\n\r\n")[1]))
    }
    let body = answer(Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first })
    let kind = body?.hasPrefix("RIFF") ?? false ? "audio/wav" : "application/json"
    let head =
      "HTTP/1.1 \(body == nil ? "400 Bad Request" : "200 OK")\r\nContent-Type: \(kind)\r\nConnection: close\r\n"
    let bytes = Array(
      "\(head)Content-Length: \((body ?? "{}").utf8.count)\r\n\r\n\(body ?? "{}")".utf8)
    let half = bytes.count - (body ?? "{}").utf8.count / 2
    var sent = 0
    while sent < bytes.count {
      if sent == half { beforeRest() }
      let rest = bytes[sent..<(sent < half ? half : bytes.count)]
      // A client that went away must not end the tests.
      let count = rest.withUnsafeBytes {
        send(connection, $0.baseAddress, $0.count, Self.withoutSignal)
      }
      guard count > 0 else { return }
      sent += count
    }
  }
}
