import ChirperModel
import ChirperTestSupport
import Foundation
import Synchronization
import Testing

@testable import ChirperRemote

@Suite struct `xeno-canto` {
  private let wire = Wire.xenoCanto

  private func page(_ body: String, number: Int = 1) async throws -> RecordingPage {
    let server = try ScriptedServer { _ in .json(200, body) }
    return try await wire.fetcher(server.url, .small).page(number, of: wire.query())
  }

  private func failure(_ status: Int, _ body: String) async throws -> FetchError? {
    try await wire.failure(.json(status, body))
  }

  @Test func `is requested with its own parameters`() async throws {
    let server = try wire.server([])
    _ = try await wire.fetcher(server.url, .small).page(
      3, of: wire.catalogue.query("Blackbird", pageSize: 500))
    #expect(
      server.requests.map(\.target)
        == ["/api/3/recordings?query=en%3A%22Blackbird%22&key=sesame-key&page=3&per_page=500"])
  }

  @Test func `sends totals as strings and pages as numbers`() async throws {
    let page = try await page(
      #"{"numRecordings":"421","numSpecies":"3","page":1,"numPages":9,"recordings":[{"id":"1"}]}"#)
    #expect(page.totals == RecordingPage.Totals(recordings: 421, pages: 9, species: 3))
    #expect(page.next == 2)
  }

  @Test func `may swap strings and numbers`() async throws {
    let page = try await page(
      #"{"recordings":[{"id":1}],"numRecordings":1000000000,"numSpecies":3,"page":"1","numPages":"1000000000"}"#
    )
    #expect(
      page.totals
        == RecordingPage.Totals(recordings: 1_000_000_000, pages: 1_000_000_000, species: 3))
    #expect(page.next == 2)
  }

  @Test func `ends with the page it calls the last, full or not`() async throws {
    let full = (1...50).map(wire.record)
    #expect(try await page(wire.body(full, 3, 3, 150), number: 3).next == nil)
    #expect(try await page(wire.body(full, 3, 4, 150), number: 3).next == 4)
  }

  @Test func `ends with an empty page whatever the counts are`() async throws {
    #expect(try await page(wire.body([], 1, 1_000_000_000, 5)).next == nil)
  }

  @Test func `continues after a page without a readable record`() async throws {
    let page = try await page(wire.body(["null", "{}"], 1, 2, 4))
    #expect(page.recordings == [])
    #expect(page.skipped == 2)
    #expect(page.next == 2)
  }

  @Test func `may leave out the pages where nothing was found`() async throws {
    let page = try await page(#"{"numRecordings":"0","recordings":[]}"#)
    #expect(
      page.recordings.isEmpty && page.next == nil
        && page.totals == RecordingPage.Totals(recordings: 0, pages: 1, species: nil))
  }

  @Test(arguments: ["numRecordings", "numPages"]) func `may not leave out a count`(_ name: String)
    async throws
  {
    let other = name == "numPages" ? "numRecordings" : "numPages"
    for count in ["", "\"\(name)\":null,", "\"\(name)\":\"\",", "\"\(name)\":[],"] {
      await #expect(throws: FetchError.malformed("it has no \(name)")) {
        try await page("{\(count)\"\(other)\":1,\"page\":1,\"recordings\":[\(wire.record(1))]}")
      }
    }
  }

  @Test func `without species still has totals`() async throws {
    let page = try await page(#"{"numRecordings":"2","page":1,"numPages":1,"recordings":[]}"#)
    #expect(page.totals == RecordingPage.Totals(recordings: 2, pages: 1))
  }

  @Test func `may not answer with another page`() async throws {
    await #expect(throws: FetchError.malformed("page 2 was requested, but page 1 came")) {
      try await page(wire.body([], 1, 5, 9), number: 2)
    }
  }

  @Test(arguments: ["99999999999999999999", "9223372036854775807", "-1", "1.5", "1e3", #""many""#])
  func `may not send a malformed count`(_ number: String) async throws {
    let spelled = number.replacing("\"", with: "")
    await #expect(throws: FetchError.malformed("numPages is not a count: \(spelled)")) {
      try await page(
        "{\"numRecordings\":\"1\",\"page\":1,\"numPages\":\(number),\"recordings\":[]}")
    }
  }

  @Test func `is not requested without a key`() async throws {
    let server = try wire.server([])
    for key in [nil, APIKey("")] {
      let configuration = RemoteConfiguration(baseURLs: [.xenoCanto: server.url], key: { _ in key })
      let fetcher = XenoCantoFetcher(client: CatalogueClient(XenoCanto.catalogue, configuration))
      let query = try wire.query()
      await #expect(throws: FetchError.keyMissing) { try await fetcher.page(1, of: query) }
    }
    #expect(server.requests == [])
  }

  @Test func `refuses a key with a message`() async throws {
    let flat = #"{"error":"client_error","message":"Missing or invalid 'key' parameter."}"#
    #expect(
      try await failure(401, flat)
        == .keyRefused(status: 401, message: "Missing or invalid 'key' parameter."))
    #expect(try await failure(403, "{}") == .keyRefused(status: 403, message: nil))
  }

  @Test func `refuses a request with a message, in either shape`() async throws {
    let flat = #"{"error":"client_error","message":"The API only accepts queries using tags."}"#
    #expect(
      try await failure(400, flat)
        == .refused(status: 400, message: "The API only accepts queries using tags."))
    let nested = #"{"error":{"code":"missing_parameter","message":"No query specified"}}"#
    #expect(try await failure(400, nested) == .refused(status: 400, message: "No query specified"))
    let gone = #"{"error":"server_error","message":"Xeno-canto API v2 is no longer available."}"#
    #expect(
      try await failure(404, gone)
        == .refused(status: 404, message: "Xeno-canto API v2 is no longer available."))
    #expect(
      try await failure(409, #"{"error":"conflict"}"#) == .refused(status: 409, message: "conflict")
    )
    #expect(try await failure(400, "[1") == .refused(status: 400, message: nil))
    let long = #"{"message":"\#(String(repeating: "x", count: 9000))"}"#
    #expect(
      try await failure(400, long)
        == .refused(status: 400, message: String(repeating: "x", count: 500) + "…"))
  }

  @Test func `may send an error with status 200`() async throws {
    let nested = #"{"error":{"code":"x","message":"No query specified"}}"#
    #expect(try await failure(200, nested) == .refused(status: 200, message: "No query specified"))
    let flat = #"{"error":"client_error","message":"Bad","recordings":[]}"#
    #expect(try await failure(200, flat) == .refused(status: 200, message: "Bad"))
    let none =
      #"{"error":null,"message":"ok","page":1,"numPages":0,"numRecordings":"0","recordings":[]}"#
    #expect(try await failure(200, none) == nil)
  }

  @Test func `is rate limited or busy if a web page says so`() async throws {
    #expect(try await wire.failure(.html(503)) == .serverBusy(status: 503, retryAfter: nil))
    let date = ScriptedAnswer.empty(429, headers: ["Retry-After": "Sun, 06 Nov 1994 08:50:00 GMT"])
    #expect(try await wire.failure(date) == .rateLimited(retryAfter: .seconds(23)))
  }

  @Test func `never shows the key`() async throws {
    let answers: [ScriptedAnswer] = [
      .raw(""), .raw("nonsense\r\n\r\n"), .short("{", announcing: 9), .badChunk("{"),
      .redirect(to: "https://evil.example/?key=sesame-key"),
      .json(401, #"{"message":"bad key sesame-key"}"#),
      .json(400, #"{"message":"/api?key=sesame-key"}"#),
      .json(200, #"{"error":"sesame-key"}"#), .html(500), .empty(404),
      .bytes(200, [1], headers: ["Content-Encoding": "gzip"]),
    ]
    for answer in answers {
      let failure = try #require(try await wire.failure(answer))
      #expect(!"\(failure) \(String(reflecting: failure))".contains("sesame-key"))
    }
    let key = APIKey("sesame-key")
    #expect(
      "\(key) \(String(reflecting: key)) \(Mirror(reflecting: key).children.count)" == "*** *** 0")
  }

  @Test func `reads the key once`() async throws {
    let server = try wire.server([])
    let reads = Reads()
    let configuration = RemoteConfiguration(
      baseURLs: [.xenoCanto: server.url],
      key: { _ in
        reads.count()
        return APIKey("k")
      })
    let fetcher = XenoCantoFetcher(client: CatalogueClient(XenoCanto.catalogue, configuration))
    #expect(reads.total == 0)
    for number in 1...3 { _ = try await fetcher.page(number, of: wire.query()) }
    #expect(reads.total == 1)
  }

  @Test func `keeps every field of a record whatever its type`() async throws {
    for value in [
      "null", #""""#, #""?""#, "[]", "[\"\"]", "{}", "7", "-0.50", "true", #"{"set_name":null}"#,
    ] {
      let members = XenoCanto.fields.dropFirst().map { "\"\($0)\":\(value)" }.joined(separator: ",")
      let json = "{\"id\":\"1\",\(members)}"
      let page = try await page(wire.body([json], 1, 1, 1))
      #expect(page.recordings.first?.fields.json == json)
    }
  }

  @Test func `keeps the null fields of a restricted species`() async throws {
    let record = """
      {"id":"9","loc":null,"lat":null,"lon":null,"file":null,"file-name":null,"url":"\\/\\/xeno-canto.org\\/9",
       "sono":{"small":"//x/1.png","full":null},"also":[""],"annotation-set":[],
       "_meta":{"redacted_fields":{"loc":"restricted_species"}}}
      """
    let recording = try #require(try await page(wire.body([record], 1, 1, 1)).recordings.first)
    #expect(recording["loc"]?.isNull == true)
    #expect(recording.text("url") == "//xeno-canto.org/9")
    #expect(recording["also"]?.list == [])
    #expect(recording["_meta"]?.json == #"{"redacted_fields":{"loc":"restricted_species"}}"#)
  }
}

private final class Reads: Sendable {
  private let reads = Mutex(0)
  func count() { reads.withLock { $0 += 1 } }
  var total: Int { reads.withLock { $0 } }
}
