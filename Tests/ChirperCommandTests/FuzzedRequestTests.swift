import ChirperModel
import ChirperTestSupport
import Foundation
import Testing

@testable import ChirperServer

/// Requests that nobody has thought of, to a running server: each is answered or its connection
/// closed, and none is a fault of the server.
///
/// `CHIRPER_FUZZED_REQUESTS` is how many, `CHIRPER_FUZZ_SEED` where the seeds begin; without it
/// they are fresh and printed.
struct FuzzedRequestTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let count = environment["CHIRPER_FUZZED_REQUESTS"].flatMap { Int($0) } ?? 400
  private static let seed =
    environment["CHIRPER_FUZZ_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64.max / 2)
  private static let threads = 8

  @Test func `no request ends the server or is answered with its fault`() throws {
    print("seed: \(Self.seed)")
    try withParrots { program in
      // A file whose parts can be asked for.
      try program.run("fetch", "parrot", "--source", "sample", "--audio")
      let folder = program.path(".local/share/chirper/audio/sample")
      let kept = try #require(
        FileManager.default.contentsOfDirectory(atPath: folder).first { $0.hasSuffix(".wav") }
      )
      .replacing(".wav", with: "")
      try withServer(program) { (port: Int) throws in
        let token = try program.token
        let (faults, answered, done) = (Locked<[String]>([]), Locked(0), Locked(0))
        for thread in 0..<Self.threads {
          Thread {
            for number in stride(from: thread, to: Self.count, by: Self.threads) {
              var random = SeededRandom(seed: Self.seed &+ UInt64(number))
              let request = Self.request(port: port, token: token, kept: kept, &random)
              guard let client = RawClient(port: port) else {
                faults.withLock { $0.append("no connection for \(number)") }
                break
              }
              client.send(request)
              // What is not complete is waited for by the server, which is not waited for here.
              let answer = RawClient.Answer(client.piece(within: 1))
              client.close()
              guard let answer else { continue }
              answered.withLock { $0 += 1 }
              if answer.status >= 500, ![503, 505].contains(answer.status) {
                faults.withLock {
                  $0.append("\(answer.status) to \(request.debugDescription): \(answer.text)")
                }
              }
            }
            done.withLock { $0 += 1 }
          }.start()
        }
        while done.withLock(\.self) < Self.threads { usleep(20_000) }
        #expect(faults.withLock(\.self) == [])
        // Most requests are whole.
        #expect(answered.withLock(\.self) > Self.count / 2)
        var status: Int?
        while status != 200 {
          status = RawClient.answer("/api/3/recordings?query=grp:birds", port: port)?.status
          #expect(status == 200 || status == 503)
        }
      }
    }
  }

  /// A request to one of the routes with values that are odd, then changed here and there.
  private static func request(
    port: Int, token: String, kept: String, _ random: inout SeededRandom
  ) -> String {
    let values =
      [
        "", "0", "-1", "1", "60", "99999999999999999999", "x", "sample", "xeno-canto", "sample:1",
        kept, "parrot", "q:A",
        "type:song",
        "%00",
        "%ff%fe", "%", "..%2f..%2fetc%2fpasswd", "\"", "a%22b", "true", "csv", "json", "sqlite",
        "gpkg", "species,month", "month",
        "id",
        "id,country", "-date", "box:1,2,3,4", "nr:1,2,3", "(", "en:%C3%A9", "🐦", "%F0%9F%90%A6",
        String(repeating: "a", count: 3000),
      ] + NumbersAtLimits.all
    let names = [
      "query", "page", "per_page", "key", "list", "source", "q", "sort", "distinct", "offset",
      "limit", "columns", "by", "format",
      "tidy", "box", "id", "for",
    ]
    func pick<Element>(_ all: [Element]) -> Element {
      all[Int.random(in: 0..<all.count, using: &random)]
    }
    func number() -> String {
      random.chance(70) ? pick(NumbersAtLimits.all) : pick(["", "0", "1", "5"])
    }
    let route = pick(Route.allCases.map(\.rawValue)).split(separator: " ").map(String.init)
    // Nothing is loaded: that would take the place of the other requests.
    let method = random.chance(10) ? pick(["HEAD", "PUT", "OPTIONS", "get", "DELETE"]) : route[0]
    var target = route[1].split(separator: "/").map {
      $0.hasPrefix("{") ? "/" + pick(values) : "/\($0)"
    }.joined()
    if target.isEmpty { target = "/" }
    let parameters = (0..<Int.random(in: 0...4, using: &random)).map { _ in
      let value =
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
          "\(pick(["nr", "year", "len", "month", "since", "new", "alt"])):\(number())-\(number())"
        case 1: "-\(number()),-\(number()),\(number()),\(number())"
        default: pick(values)
        }
      return "\(pick(names))=\(value)"
    }
    if !parameters.isEmpty { target += "?" + parameters.joined(separator: "&") }
    let bodies = [
      "", "{}", "[]", "{\"token\":1}", "{\"query\":\"\"}", "{\"query\":\"owl\",\"source\":\"x\"}",
      "{\"query\":", "\u{FFFF}",
      String(repeating: "[", count: 500), "{\"query\":\"owl\",\"sync\":true}",
    ]
    let body = route[0] == "POST" || random.chance(5) ? pick(bodies) : ""
    var lines = ["\(method) \(target) HTTP/1.1", "Host: 127.0.0.1:\(port)", "Connection: close"]
    if random.chance(60) { lines.append("X-API-Key: \(token)") }
    if !body.isEmpty { lines.append("Content-Length: \(body.utf8.count)") }
    let others = [
      "Range: bytes=\(pick(values))", "Range: bytes=\(number())-\(number())",
      "Content-Length: \(number())", "If-Range: x", "Accept-Encoding: gzip",
      "Origin: \(pick(values))",
      "Cookie: \(pick(values))",
      "Sec-Fetch-Site: cross-site", "Authorization: Bearer \(pick(values))", "Expect: 100-continue",
      "Upgrade: websocket",
      "A: \u{1}",
      "Content-Length: 5", "Transfer-Encoding: chunked", "Host: evil.example",
    ]
    for _ in 0..<Int.random(in: 0...2, using: &random) { lines.append(pick(others)) }
    var bytes = Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + body).unicodeScalars)
    for _ in 0..<(random.chance(30) ? Int.random(in: 1...5, using: &random) : 0) {
      let position = Int.random(in: 0..<bytes.count, using: &random)
      let scalar = Unicode.Scalar(UInt8.random(in: 0...255, using: &random))
      switch Int.random(in: 0..<3, using: &random) {
      case 0: bytes[position] = scalar
      case 1: bytes.insert(scalar, at: position)
      default: bytes.remove(at: position)
      }
    }
    return String(String.UnicodeScalarView(bytes))
  }
}
