/// What a `ScriptedServer` does with one request, step by step; then it hangs up, unless it keeps
/// the connection.
package struct ScriptedAnswer: Sendable {
  package enum Step: Sendable {
    case send([UInt8])
    case pause(Duration)
    /// Stays connected and silent until the client hangs up.
    case hold
    /// Ends the connection with an error for the client instead of in order.
    case reset
    /// The same bytes again and again until the client hangs up.
    case endless([UInt8], every: Duration)
  }

  package let steps: [Step]
  /// Whether the connection waits for another request afterwards.
  package let keepsConnection: Bool

  package init(_ steps: [Step], keepsConnection: Bool = false) {
    self.steps = steps
    self.keepsConnection = keepsConnection
  }

  // MARK: Answers as they should be

  package static func bytes(_ status: Int, _ body: [UInt8], headers: [String: String] = [:]) -> Self
  {
    Self([
      .send(head(status, ["Content-Length": "\(body.count)"].merging(headers) { $1 })), .send(body),
    ])
  }

  package static func json(_ status: Int, _ body: String, headers: [String: String] = [:]) -> Self {
    bytes(
      status, Array(body.utf8),
      headers: ["Content-Type": "application/json"].merging(headers) { $1 })
  }

  /// JSON on a connection that stays open for the next request.
  package static func kept(_ body: String) -> Self {
    let head =
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
    return Self([.send(Array((head + body).utf8))], keepsConnection: true)
  }

  package static func html(_ status: Int, _ body: String = "<html><body>Log in</body></html>")
    -> Self
  {
    bytes(status, Array(body.utf8), headers: ["Content-Type": "text/html; charset=utf-8"])
  }

  package static func empty(_ status: Int, headers: [String: String] = [:]) -> Self {
    bytes(status, [], headers: headers)
  }

  package static func redirect(to location: String, status: Int = 302) -> Self {
    empty(status, headers: ["Location": location])
  }

  package static func gzip(_ body: String) -> Self {
    bytes(200, Gzip.stored(Array(body.utf8)), headers: ["Content-Encoding": "gzip"])
  }

  package static func chunked(_ pieces: [String]) -> Self {
    Self([.send(chunkedHead)] + pieces.map { .send(chunk($0)) } + [.send(Array("0\r\n\r\n".utf8))])
  }

  // MARK: Faults

  /// Says nothing at all.
  package static let silent = Self([.hold])

  /// These bytes, whatever they are.
  package static func raw(_ text: String) -> Self { raw(Array(text.utf8)) }

  package static func raw(_ bytes: [UInt8]) -> Self { Self([.send(bytes)]) }

  /// Announces more than it sends.
  package static func short(_ body: String, announcing length: Int) -> Self {
    bytes(200, Array(body.utf8), headers: ["Content-Length": "\(length)"])
  }

  /// A body of unknown length that ends with the connection.
  package static func unframed(_ body: String) -> Self {
    Self([.send(head(200)), .send(Array(body.utf8))])
  }

  /// Breaks off inside a chunk.
  package static func cutChunk(_ body: String) -> Self {
    Self([
      .send(chunkedHead), .send(Array("\(String(body.utf8.count + 9, radix: 16))\r\n\(body)".utf8)),
    ])
  }

  /// Follows a chunk with something that is none.
  package static func badChunk(_ body: String) -> Self {
    Self([.send(chunkedHead), .send(chunk(body)), .send(Array("zz\r\n".utf8)), .hold])
  }

  /// Sends part of the body, then nothing more.
  package static func stalled(_ body: String, announcing length: Int) -> Self {
    Self([.send(head(200, ["Content-Length": "\(length)"])), .send(Array(body.utf8)), .hold])
  }

  /// One byte at a time, without end.
  package static func drip(every interval: Duration) -> Self {
    Self([.send(head(200)), .endless([0x20], every: interval)])
  }

  /// 64 kB a millisecond, without end.
  package static let endless = Self([
    .send(head(200)), .endless([UInt8](repeating: 0x20, count: 65_536), every: .milliseconds(1)),
  ])

  /// About 160 bytes for each that is sent, without end, as fast as a good line is.
  package static let gzipBomb = Self([
    .send(head(200, ["Content-Encoding": "gzip"])), .send(Gzip.bombStart),
    .endless(Gzip.bombPiece, every: .milliseconds(2)),
  ])

  /// A status line and headers; `Connection: close` always.
  package static func head(_ status: Int, _ headers: [String: String] = [:]) -> [UInt8] {
    let lines = headers.sorted { $0.key < $1.key }.map { "\($0): \($1)\r\n" }.joined()
    return Array("HTTP/1.1 \(status) Scripted\r\nConnection: close\r\n\(lines)\r\n".utf8)
  }

  private static let chunkedHead = head(200, ["Transfer-Encoding": "chunked"])

  private static func chunk(_ text: String) -> [UInt8] {
    Array("\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n".utf8)
  }
}
