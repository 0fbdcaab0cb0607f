import Foundation

/// A connection to a server on this machine that sends bytes as they are, also those that no HTTP
/// client would.
package struct RawClient: Sendable {
  private let socket: LoopbackSocket

  /// An answer of HTTP.
  package struct Answer {
    package let status: Int
    /// By their names in lower case.
    package let headers: [String: String]
    package let body: [UInt8]

    package var text: String { String(decoding: body, as: UTF8.self) }
    /// The body as a JSON object; empty if it is none.
    package var json: [String: Any] {
      (try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]) ?? [:]
    }

    /// The first of the answers in the bytes, whose body lasts until their end; `nil` if there is
    /// none.
    package init?(_ bytes: [UInt8]) {
      let end = Array("\r\n\r\n".utf8)
      guard let split = bytes.indices.first(where: { bytes[$0...].starts(with: end) }) else {
        return nil
      }
      let lines = String(decoding: bytes[..<split], as: UTF8.self).components(separatedBy: "\r\n")
      guard let status = lines[0].split(separator: " ").dropFirst().first.flatMap({ Int($0) })
      else { return nil }
      self.status = status
      headers = Dictionary(
        lines.dropFirst().map { line in
          let parts = line.split(separator: ":", maxSplits: 1).map {
            $0.trimmingCharacters(in: .whitespaces)
          }
          return (parts[0].lowercased(), parts.count > 1 ? parts[1] : "")
        }, uniquingKeysWith: { first, _ in first })
      body = Array(bytes[(split + end.count)...])
    }
  }

  package init?(port: Int) {
    guard let socket = LoopbackSocket.connected(to: port) else { return nil }
    self.socket = socket
  }

  /// Whether all of it was sent.
  @discardableResult
  package func send(_ text: String) -> Bool { socket.send(Array(text.utf8)) }

  /// Everything that arrives until the server closes the connection, or for so long.
  package func rest(within seconds: Int32 = 60) -> [UInt8] {
    var bytes: [UInt8] = []
    while socket.isReadable(waiting: seconds * 1000), case let more = socket.received(),
      !more.isEmpty
    { bytes += more }
    return bytes
  }

  /// What arrives next; nothing if the connection is closed, or nothing arrives for so long.
  package func piece(within seconds: Int32) -> [UInt8] {
    socket.isReadable(waiting: seconds * 1000) ? socket.received() : []
  }

  /// Whether the server has closed the connection.
  package var isClosed: Bool { socket.isHungUp(waiting: 0) }

  package func close() { socket.close() }

  /// The answer to one request, after which the connection is closed.
  package static func answer(
    _ target: String, port: Int, method: String = "GET", headers: [String] = []
  ) -> Answer? {
    guard let client = RawClient(port: port) else { return nil }
    defer { client.close() }
    let lines =
      ["\(method) \(target) HTTP/1.1", "Host: 127.0.0.1:\(port)", "Connection: close"] + headers
    client.send(lines.map { $0 + "\r\n" }.joined() + "\r\n")
    return Answer(client.rest())
  }
}
