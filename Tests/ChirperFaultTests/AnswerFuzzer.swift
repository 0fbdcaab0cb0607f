import ChirperTestSupport

/// Makes an answer from a seed: a head and a framing that may be anything, around a body that is
/// whole.
///
/// The body itself is never spoiled, so that a page that comes of it can be compared with what was
/// sent.
struct AnswerFuzzer {
  private var random: SeededRandom
  private let key: String

  /// - Parameter key: put into headers now and then.
  init(seed: UInt64, key: String) {
    random = SeededRandom(seed: seed)
    self.key = key
  }

  mutating func answer(around body: [UInt8]) -> ScriptedAnswer {
    var head: [UInt8] = []
    if random.chance(10) { for _ in 0...Int.random(in: 0...3, using: &random) { head += hint() } }
    head += statusLine()
    let (framing, framed) = frame(body)
    var lines = framing
    for _ in 0..<Int.random(in: 0...8, using: &random) { lines.append(header()) }
    if random.chance(50) { lines.shuffle(using: &random) }
    head += lines.flatMap(\.self) + end()
    if random.chance(15) { spoil(&head) }
    var bytes = head + framed
    if random.chance(8) {
      bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
    }
    return ScriptedAnswer(steps(bytes))
  }

  /// The bytes in one or several pieces, and how the connection ends.
  private mutating func steps(_ bytes: [UInt8]) -> [ScriptedAnswer.Step] {
    var steps: [ScriptedAnswer.Step] = []
    var rest = bytes[...]
    while random.chance(25), rest.count > 1 {
      let piece = rest.prefix(Int.random(in: 1..<rest.count, using: &random))
      steps.append(.send(Array(piece)))
      rest = rest.dropFirst(piece.count)
    }
    steps.append(.send(Array(rest)))
    if random.chance(5) {
      steps.append(.reset)
    } else if random.chance(1) {
      steps.append(.pause(.milliseconds(500)))
    }
    return steps
  }

  private mutating func statusLine() -> [UInt8] {
    if random.chance(85) { return Array("HTTP/1.1 200 OK\r\n".utf8) }
    let lines = [
      "HTTP/1.0 200 OK", "HTTP/1.1 200", "HTTP/1.1 200 ", "HTTP/2 200", "HTTP/1.1 204 None",
      "HTTP/1.1 304 Same",
      "HTTP/1.1 301 Moved", "HTTP/1.1 101 Switching", "HTTP/1.1 199 Hint", "HTTP/1.1 999 ?",
      "HTTP/1.1 1000 ?", "HTTP/1.1 20 ?",
      "HTTP/1.1 -1 ?", "HTTP/9.9 200 OK", "HTTP/1.1  200 OK", "http/1.1 200 ok", "ICY 200 OK",
      "RTSP/1.0 200 OK",
      "HTTP/1.1 401 No", "HTTP/1.1 407 No", "HTTP/1.1 429 Slow", "HTTP/1.1 503 \(key)",
      "HTTP/1.1 417 No", "HTTP/3 200", "",
    ]
    return Array(pick(lines).utf8) + end()
  }

  private mutating func hint() -> [UInt8] {
    let status = pick([
      "100 Continue", "102 Processing", "103 Early Hints", "101 Switching Protocols", "199 ?",
    ])
    return Array("HTTP/1.1 \(status)\r\n".utf8) + (random.chance(50) ? header() : [])
      + Array("\r\n".utf8)
  }

  /// Header lines that say how long the body is, rightly or not, and the body as it is then sent.
  private mutating func frame(_ body: [UInt8]) -> (lines: [[UInt8]], body: [UInt8]) {
    func line(_ text: String) -> [UInt8] { Array((text + "\r\n").utf8) }
    let right = line("Content-Length: \(body.count)")
    switch Int.random(in: 0..<12, using: &random) {
    case 0...2: return ([right], body)
    case 3: return ([], body)
    case 4:
      let lengths = [
        "9223372036854775807", "9223372036854775808", "18446744073709551615",
        "99999999999999999999999999", "-1",
        "-9223372036854775808", "0", "1", "", " ", "+\(body.count)", "0x10", "1e3",
        "\(body.count), \(body.count)",
        "\(body.count) 7",
        "\(body.count + 1)", "\(max(0, body.count - 1))", "\(body.count).0", "\(key)", "4294967296",
        "2147483648",
      ]
      return ([line("Content-Length: \(pick(lengths))")], body)
    case 5:
      return (
        [
          right,
          line("Content-Length: \(pick(["0", "1", "\(body.count)", "9223372036854775807"]))"),
        ], body
      )
    case 6: return ([right, line("Transfer-Encoding: chunked")], chunked(body, isOdd: false))
    case 7:
      return (
        [
          line(
            "Transfer-Encoding: \(pick(["gzip, chunked", "identity", "chunked, chunked", "zork", "", "chunked;q=1"]))"
          )
        ], body
      )
    case 8: return ([line("Transfer-Encoding: chunked")], chunked(body, isOdd: true))
    default: return ([line("Transfer-Encoding: chunked")], chunked(body, isOdd: false))
    }
  }

  private mutating func chunked(_ body: [UInt8], isOdd: Bool) -> [UInt8] {
    var out: [UInt8] = []
    var rest = body[...]
    while !rest.isEmpty {
      let piece = rest.prefix(Int.random(in: 1...rest.count, using: &random))
      rest = rest.dropFirst(piece.count)
      var size = String(piece.count, radix: 16, uppercase: random.chance(50))
      if random.chance(20) {
        size = String(repeating: "0", count: Int.random(in: 1...20, using: &random)) + size
      }
      if random.chance(20) {
        size += pick([";a=b", ";", " ", ";\(String(repeating: "x", count: 3000))"])
      }
      if isOdd, random.chance(40) {
        size = pick([
          "ffffffffffffffff", "7fffffffffffffff", "8000000000000000", "-1", "", "zz", "0x5", "+5",
          "1 1", key,
        ])
      }
      out +=
        Array("\(size)\r\n".utf8) + piece + (isOdd && random.chance(20) ? [] : Array("\r\n".utf8))
    }
    if isOdd, random.chance(20) { return out }
    out += Array("0\r\n".utf8)
    if random.chance(40) { for _ in 0...Int.random(in: 0...4, using: &random) { out += header() } }
    return out + (isOdd && random.chance(20) ? [] : Array("\r\n".utf8))
  }

  private mutating func header() -> [UInt8] {
    let names = [
      "Server", "Date", "Content-Type", "Content-Encoding", "Location", "Retry-After", "Set-Cookie",
      "Connection", "Upgrade",
      "Alt-Svc", "Strict-Transport-Security", "WWW-Authenticate", "Proxy-Authenticate", "Trailer",
      "Content-Range", "ETag",
      "Transfer-Encoding", "Content-Length", "X-\(key)", "Status", "Refresh", "Link", "Via", "Age",
      "TE",
    ]
    let odd = ["", " ", "\t", ":", "HTTP/1.1 200 OK", " Server", "a b"]
    let values = [
      "a", "", "gzip", "br", "deflate", "zork", key, "https://\(key).example/", "//[::1",
      "http://[fe80::1%25]/", "h2c",
      "keep-alive", "close", "h3=\":443\"; ma=99999999999999", "max-age=99999999999999999999",
      "Basic realm=\"", "Negotiate",
      "NTLM AAAA", "Digest nonce=", "9999999999999999999", "-1", "Sun, 99 Foo 99999 99:99:99 GMT",
      "bytes 0-9223372036854775807/1",
      "text/html", "application/json; charset=\"", "*", "\u{FEFF}", "a\r b", "a\u{0}b", "\u{1F600}",
      "a\r\n\tfolded\r\n  again",
      String(repeating: "y", count: Int.random(in: 0...5000, using: &random)),
    ]
    var line = Array(
      "\(random.chance(95) ? pick(names) : pick(odd))\(random.chance(95) ? ": " : pick([":", " : ", "", ":\t"]))\(pick(values))"
        .utf8)
    if random.chance(20) {
      for _ in 0...9 { line.append(UInt8.random(in: 0x80...0xFF, using: &random)) }
    }
    if random.chance(5) { line += (0...50).map { _ in UInt8.random(in: 0...255, using: &random) } }
    if random.chance(1) { line = Array(repeating: line + end(), count: 2000).flatMap(\.self) }
    return line + end()
  }

  private mutating func end() -> [UInt8] {
    random.chance(98)
      ? [0x0D, 0x0A]
      : pick([[0x0A], [0x0D], [0x0D, 0x0D, 0x0A], [0x0A, 0x0A], [0x00, 0x0D, 0x0A]])
  }

  /// Changes, adds or removes a few bytes.
  private mutating func spoil(_ bytes: inout [UInt8]) {
    for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
      let at = Int.random(in: 0..<bytes.count, using: &random)
      let byte = UInt8.random(in: 0...255, using: &random)
      switch Int.random(in: 0..<3, using: &random) {
      case 0: bytes[at] = byte
      case 1: bytes.insert(byte, at: at)
      default:
        bytes.removeSubrange(at..<min(bytes.count, at + Int.random(in: 1...30, using: &random)))
      }
    }
  }

  private mutating func pick<Value>(_ values: [Value]) -> Value {
    values[Int.random(in: 0..<values.count, using: &random)]
  }
}
