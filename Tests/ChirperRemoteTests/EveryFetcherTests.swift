import ChirperModel
import ChirperTestSupport
import Foundation
import Testing

@testable import ChirperRemote

/// The contract of a fetcher. A new catalogue is added to `Wire.all` and gets all of these tests.
@Suite struct `Every fetcher` {
  @Test(arguments: Wire.all) func `returns the whole list page by page`(_ wire: Wire) async throws {
    let server = try wire.server((1...120).map(wire.record))
    let fetcher = wire.fetcher(server.url, .small)
    var ids: [String] = []
    var counts: [Int] = []
    var totals: Set<Int?> = []
    var request: PageRequest? = PageRequest(query: try wire.query(), number: 1)
    while let asked = request, counts.count < 10 {
      let page = try await fetcher.page(asked)
      #expect(page.number == asked.number)
      ids += page.recordings.map(\.id.value)
      counts.append(page.recordings.count)
      totals.insert(page.totals?.recordings)
      request = page.next.map { PageRequest(query: asked.query, number: $0, token: page.nextToken) }
    }
    #expect(ids == (1...120).map(wire.id))
    #expect(counts == [50, 50, 20])
    #expect(totals == [wire.catalogue.id == .itunes ? nil : 120])
    #expect(server.requests.count == 3)
  }

  @Test(arguments: Wire.all) func `ends a list that fills its last page`(_ wire: Wire) async throws
  {
    let server = try wire.server((1...100).map(wire.record))
    let fetcher = wire.fetcher(server.url, .small)
    var ids: [String] = []
    var next: Int? = 1
    while let number = next, number < 10 {
      let page = try await fetcher.page(number, of: wire.query())
      ids += page.recordings.map(\.id.value)
      next = page.next
    }
    #expect(next == nil)
    #expect(ids == (1...100).map(wire.id))
  }

  @Test(arguments: Wire.all) func `returns an empty result as an empty last page`(_ wire: Wire)
    async throws
  {
    let page = try await wire.page(of: [])
    #expect(page.recordings == [])
    #expect(page.next == nil)
    #expect(page.skipped == 0)
  }

  @Test(arguments: Wire.all) func `returns an empty last page beyond the end`(_ wire: Wire)
    async throws
  {
    let server = try wire.server((1...60).map(wire.record))
    let page = try await wire.fetcher(server.url, .small).page(9, of: wire.query())
    #expect(page.recordings == [])
    #expect(page.next == nil)
    #expect(page.preceding == (wire.catalogue.id == .itunes ? .nothing : .unknown))
  }

  @Test(arguments: Wire.all) func `sends a User-Agent`(_ wire: Wire) async throws {
    let server = try wire.server([])
    _ = try await wire.fetcher(server.url, .small).page(1, of: wire.query())
    let agent = server.requests.first?.headers["user-agent"]
    #expect(agent == "chirper/\(ProgramVersion.current) (+\(ProgramVersion.homepage))")
  }

  @Test(arguments: Wire.all) func `keeps unknown and odd fields as sent`(_ wire: Wire) async throws
  {
    let odd =
      String(wire.record(7).dropLast())
      + #", "new\u0041":{"deep":[1.50, null,true]}, "big":12345678901234567890}"#
    let page = try await wire.page(of: [odd])
    let json = try #require(page.recordings.first).fields.json
    #expect(json.hasSuffix(#","newA":{"deep":[1.50,null,true]},"big":12345678901234567890}"#))
  }

  @Test(arguments: Wire.all) func `skips and counts records without a usable id`(_ wire: Wire)
    async throws
  {
    let unusable = [
      #"{"en":"no id"}"#, #"{"id":null,"trackId":null,"key":null}"#,
      #"{"id":"","trackId":"","key":""}"#,
      #"{"id":" ","trackId":" ","key":" "}"#, #"{"id":[1],"trackId":[1],"key":[1]}"#,
      #"{"id":1.5,"trackId":1.5,"key":1.5}"#, #"{"id":true,"trackId":true,"key":true}"#, "null",
      "17", #""text""#, "[]",
    ]
    let page = try await wire.page(of: [wire.record(1)] + unusable + [wire.record(2)])
    #expect(page.recordings.map(\.id.value) == [wire.id(1), wire.id(2)])
    #expect(page.skipped == unusable.count)
  }

  @Test(arguments: Wire.all) func `accepts an id as a string or as a number`(_ wire: Wire)
    async throws
  {
    let ids = ["31", "32", "99999999999999999999"]
    let page = try await wire.page(
      of: [#""31""#, "32", "99999999999999999999"].map {
        #"{"wrapperType":"track","id":\#($0),"trackId":\#($0),"key":\#($0)}"#
      })
    #expect(page.recordings.map(\.id.value) == ids.map(wire.bareID))
  }

  @Test(arguments: Wire.all) func `returns a record twice if the service sends it twice`(
    _ wire: Wire
  ) async throws {
    let page = try await wire.page(of: [wire.record(1), wire.record(1), wire.record(2)])
    #expect(page.recordings.count == 3 && page.repeated == 1 && page.leftOut == 0)
  }

  @Test(arguments: Wire.all) func `keeps hostile text in canonical JSON`(_ wire: Wire) async throws
  {
    let hostile =
      String(wire.record(1).dropLast()) + ",\"rmk\":\"\\u001b[2J\u{202E}\\u0000 \\\"\u{301}\"}"
    let page = try await wire.page(of: [hostile])
    let recording = try #require(page.recordings.first)
    #expect(!recording.fields.json.unicodeScalars.contains { $0.value < 0x20 || $0 == "\u{202E}" })
    // Not inside the macro, which does not recognise a quote with an accent as a quote
    // (swift-testing of Swift 6.3).
    let text = "\u{1B}[2J\u{202E}\0 \"\u{301}"
    #expect(recording["rmk"]?.text == text)
  }

  @Test(arguments: Wire.all) func `does nothing until a page is requested`(_ wire: Wire) throws {
    let server = try wire.server([])
    let fetcher = wire.fetcher(server.url, .small)
    #expect(fetcher.catalogue.id == wire.catalogue.id)
    #expect(server.requests == [])
  }

  @Test(arguments: Wire.all) func `has no minimum interval for another base URL`(_ wire: Wire)
    throws
  {
    let elsewhere = try #require(URL(string: "http://127.0.0.1:1"))
    #expect(wire.fetcher(elsewhere, .small).minimumInterval == .zero)
  }

  @Test(.timeLimit(.minutes(10)), arguments: Wire.all) func `stops when its task is cancelled`(
    _ wire: Wire
  ) async throws {
    let server = try ScriptedServer { _ in .silent }
    let fetcher = wire.fetcher(server.url, .none)
    let query = try wire.query()
    let task = Task { () async -> FetchError? in
      do throws(FetchError) {
        _ = try await fetcher.page(1, of: query)
        return nil
      } catch {
        return error
      }
    }
    try await eventually { server.requests.count == 1 }
    task.cancel()
    #expect(await task.value == .cancelled)
    try await eventually { server.hangUps == 1 }
  }

  @Test(arguments: Wire.all) func `makes no request in a cancelled task`(_ wire: Wire) async throws
  {
    let server = try wire.server([])
    let fetcher = wire.fetcher(server.url, .small)
    let query = try wire.query()
    let task = Task { () async -> FetchError? in
      withUnsafeCurrentTask { $0?.cancel() }
      do throws(FetchError) {
        _ = try await fetcher.page(1, of: query)
        return nil
      } catch {
        return error
      }
    }
    #expect(await task.value == .cancelled)
    #expect(server.requests == [])
  }

  @Test(arguments: Wire.all) func `answers many callers at once`(_ wire: Wire) async throws {
    let server = try wire.server((1...200).map(wire.record))
    let fetcher = wire.fetcher(server.url, .small)
    let query = try wire.query()
    let counts = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 1...8 {
        group.addTask { try await fetcher.page(number, of: query).recordings.count }
      }
      return try await group.reduce(into: [Int]()) { $0.append($1) }
    }
    #expect(counts.sorted() == [0, 0, 0, 0, 50, 50, 50, 50])
  }
}
