import ChirperModel
import ChirperTestSupport
import Foundation
import Testing

@testable import ChirperRemote

@Suite struct `The key in an answer` {
  private static let key = "n0rthK3y0123"

  private func redacted(_ text: String) throws -> String {
    try #require(KeyRedactor(APIKey(Self.key))).redacted(text)
  }

  private static func percent(_ text: String, _ sign: String = "%") -> String {
    text.utf8.map { sign + String($0, radix: 16, uppercase: true) }.joined()
  }

  private static func entities(_ before: String, _ after: String) -> String {
    key.utf8.map { "\(before)\($0)\(after)" }.joined()
  }

  private static func spread(_ between: String) -> String {
    key.map(String.init).joined(separator: between)
  }

  private static func fullWidth() -> String {
    String(
      String.UnicodeScalarView(key.unicodeScalars.compactMap { Unicode.Scalar($0.value + 0xFEE0) }))
  }

  @Test(arguments: [
    key, key.uppercased(), key.lowercased(), percent(key), percent(key).lowercased(),
    percent(key, "%25"),
    percent(key, "%2525"), "%6e0rth%4B3y0123", percent(key, "\\u00"), percent(key, "\\\\u00"),
    key.utf8.map { "&#\($0);" }.joined(), key.utf8.map { "&#x\(String($0, radix: 16));" }.joined(),
    "n0rth\\u004b3y0123",
    entities("&amp;#", ";"), entities("&amp;amp;AMP;#", ";"), entities("&#38;#", ";"),
    entities("&#", ""),
    entities("&amp#x26#", ";"),
    entities("\\u0026#", ";"), entities("%26amp;#", ";"), percent(key, "&#37;"),
    percent(key, "\\u0025"),
    spread("\u{0}"), spread("\u{200B}"), spread("\\u200b"), spread("%E2%80%8B"), spread("&#8203;"),
    spread("\u{AD}\u{2060}"),
    spread("\\n"), spread("\u{7F}\u{9B}"), spread("\u{E0041}"), spread("\\uDB40\\uDC41"),
    spread("&#917569;"),
    spread("\u{FE0F}\u{34F}"), fullWidth(), percent(fullWidth()),
    fullWidth().unicodeScalars.map { "\\u" + String($0.value, radix: 16) }.joined(),
  ]) func `is replaced however it is spelled`(_ spelling: String) throws {
    #expect(try redacted(spelling) == "***")
    #expect(try redacted("a\(spelling)b\(spelling)") == "a***b***")
    #expect(try redacted("{\"é\":\"\(spelling)\"}") == "{\"é\":\"***\"}")
  }

  @Test(arguments: [String.Encoding.utf16LittleEndian, .utf16BigEndian, .utf16])
  func `is replaced in UTF-16`(encoding: String.Encoding) throws {
    let body = [UInt8](try #require("a \(Self.key) b".data(using: encoding)))
    let (bytes, count) = try #require(KeyRedactor(APIKey(Self.key))).redacted(body)
    #expect(count == 1)
    #expect(bytes.count < body.count - Self.key.utf8.count)
  }

  @Test(
    .enabled(if: LinearTime.isMeasured),
    arguments: ["\\", "&amp;", "%25", "n", "n0rthK3y012", "&#38;", "\u{200B}", "n\u{200B}"])
  func `is looked for in time that is in proportion to the answer`(part: String) throws {
    let redactor = try #require(KeyRedactor(APIKey(Self.key)))
    let excess = LinearTime.excess(30_000) { size in
      Array(String(repeating: part, count: size / part.utf8.count).utf8)
    } _: { bytes in
      _ = redactor.redacted(bytes)
    }
    #expect(excess == nil)
  }

  @Test func `leaves everything else alone`() throws {
    for text in [
      "", "n0rthK3y012", "n0rth K3y0123", "100 % & \\ \\u00", "%", "%2", "%25", "&#", "&#x;",
      "&#99999999999;", "\\", "\\u",
      "é\u{1F600}",
    ] {
      #expect(try redacted(text) == text)
    }
  }

  @Test func `leaves JSON as JSON`() throws {
    // After a backslash of its own a star would be an escape that JSON does not have.
    #expect(try redacted(#"{"a":"\n0rthK3y0123"}"#) == #"{"a":"\\***"}"#)
    #expect(try redacted(#"{"a":"\\n0rthK3y0123"}"#) == #"{"a":"\\***"}"#)
    #expect(try redacted(#"{"a":"\"n0rthK3y0123\""}"#) == #"{"a":"\"***\""}"#)
  }

  @Test func `is not looked for where it is no secret`() {
    #expect(KeyRedactor(APIKey("demo")) == nil)
    #expect(KeyRedactor(APIKey("")) == nil)
  }

  @Test func `is replaced in a header and in every error with a text`() throws {
    let redactor = try #require(KeyRedactor(APIKey(Self.key)))
    let response = redactor.redacted(
      CatalogueClient.Response(
        status: 200, headers: HTTPHeaders(["X-\(Self.key)": "a=\(Self.key)"]),
        body: Array(Self.key.utf8)))
    #expect(
      response
        == CatalogueClient.Response(
          status: 200, headers: HTTPHeaders(["X-***": "a=***"]), body: Array("***".utf8),
          redactions: 1))
    let reasons: [FetchError.Reason] = [
      .offline(host: Self.key), .unreachable(host: Self.key, detail: Self.key),
      .timedOut(host: Self.key, phase: .idle),
      .refused(status: 400, message: Self.key), .keyRefused(status: 401, message: Self.key),
      .malformed(Self.key),
      .unknownEncoding(Self.key), .addressRefused(Self.key), .redirectRefused(Self.key),
      .badCertificate(host: Self.key),
      .proxyRefused(proxy: Self.key),
    ]
    for error in reasons.map({ FetchError($0) }) {
      #expect(
        "\(error)".contains(Self.key) && !"\(redactor.redacted(error))".contains(Self.key),
        "\(error)")
    }
  }

  @Test func `is stored as stars, and the page says how often`() async throws {
    let record =
      #"{"id":"7 \#(Self.key)","\#(Self.key)":"x","rmk":"k=\#(Self.percent(Self.key))","loc":"\#(Self.key.uppercased())"}"#
    let body = Wire.xenoCanto.body([record, #"{"id":"8"}"#], 1, 1, 2)
    let server = try ScriptedServer { _ in .json(200, body) }
    var configuration = RemoteConfiguration(
      baseURLs: [.xenoCanto: server.url], key: { _ in APIKey(Self.key) })
    configuration.limits = .small
    let fetcher = XenoCantoFetcher(client: CatalogueClient(XenoCanto.catalogue, configuration))
    let page = try await fetcher.page(1, of: Wire.xenoCanto.query())
    #expect(page.recordings.map(\.id.value) == ["7 ***", "8"])
    #expect(
      page.recordings.first?.fields.json == #"{"id":"7 ***","***":"x","rmk":"k=***","loc":"***"}"#)
    #expect(page.redactions == 4)
  }

  @Test(arguments: [
    ScriptedAnswer.json(200, #"{"numRecordings":"\#(key)","numPages":1,"recordings":[]}"#),
    .json(200, #"{"\#(key)":1,"\#(key)":2}"#),
    .json(200, #"{"recordings":[{"\#(key)":1,"\#(key)":2}]}"#),
    .bytes(200, [], headers: ["Content-Encoding": key]),
    .bytes(200, [], headers: ["Content-Encoding": key.uppercased()]),
    .redirect(to: "https://\(key).example/"), .redirect(to: "https://\(percent(key)).example/"),
    .redirect(to: "http://\(key.uppercased()):1/"), .json(401, #"{"message":"\#(percent(key))"}"#),
    .json(400, #"{"error":{"code":"\#(key.uppercased())"}}"#), .json(200, #"{"error":"\#(key)"}"#),
    .bytes(400, Array("bad \(key)".utf8), headers: ["Content-Type": "text/plain"]),
  ]) func `is in no error`(_ answer: ScriptedAnswer) async throws {
    let server = try ScriptedServer { _ in answer }
    var configuration = RemoteConfiguration(
      baseURLs: [.xenoCanto: server.url], key: { _ in APIKey(Self.key) })
    configuration.limits = .small
    let fetcher = XenoCantoFetcher(client: CatalogueClient(XenoCanto.catalogue, configuration))
    let query = try Wire.xenoCanto.query()
    do throws(FetchError) {
      _ = try await fetcher.page(1, of: query)
      Issue.record("no error")
    } catch {
      let text = "\(error)".lowercased()
      #expect(
        !text.contains(Self.key.lowercased())
          && !text.contains(Self.percent(Self.key).lowercased()), "\(error)")
    }
  }

  @Test func `is neither in what is reported of audio nor in what is kept beside it`() async throws
  {
    let headers = ["Content-Range": "bytes 0-11/99", "ETag": "\"\(Self.key)\""]
    let server = try ScriptedServer { request in
      request.headers["range"]?.hasPrefix("bytes=0-") ?? false
        ? .bytes(206, Array(Self.key.utf8), headers: headers)
        : .json(400, #"{"message":"\#(Self.key)"}"#)
    }
    let configuration = RemoteConfiguration(
      baseURLs: [.xenoCanto: server.url], key: { _ in APIKey(Self.key) })
    let fetcher = AudioFetcher(XenoCanto.catalogue, configuration)
    let url = server.url.appending(path: "17/download")
    guard case .piece(let piece, _) = try await fetcher.piece(0..<12, version: nil, of: url) else {
      Issue.record("no piece")
      return
    }
    #expect(piece.header("ETag") == "\"***\"")
    // Sound is kept as it came, whatever its bytes spell.
    #expect(piece.body == Array(Self.key.utf8))
    await #expect(throws: FetchError.refused(status: 400, message: "***")) {
      _ = try await fetcher.piece(12..<24, version: nil, of: url)
    }
  }
}
