import ChirperModel
import ChirperTestSupport
import Foundation
import Testing

@testable import ChirperRemote

@Suite struct `iTunes` {
  private let wire = Wire.itunes

  @Test func `is requested page by page, with one row before each page`() async throws {
    let server = try wire.server((1...300).map(wire.record))
    let fetcher = wire.fetcher(server.url, .small)
    for number in 1...3 { _ = try await fetcher.page(number, of: wire.query(pageSize: 100)) }
    #expect(
      server.requests.map(\.target) == [
        "/search?term=Blackbird+Song&limit=100&offset=0", "/search?term=Blackbird+Song&limit=101&offset=99",
        "/search?term=Blackbird+Song&limit=101&offset=199",
      ])
  }

  @Test func `returns the row before the page`() async throws {
    let server = try wire.server((1...120).map(wire.record))
    let fetcher = wire.fetcher(server.url, .small)
    #expect(try await fetcher.page(1, of: wire.query()).preceding == .unknown)
    let second = try await fetcher.page(2, of: wire.query())
    #expect(second.preceding == .recording(RecordingID(catalogue: .itunes, value: "track-50")))
    #expect(second.recordings.first?.id.value == "track-51")
    #expect(second.recordings.count == 50)
  }

  @Test func `has no room for the row before with the largest pages`() async throws {
    let server = try wire.server((1...450).map(wire.record))
    let fetcher = wire.fetcher(server.url, .small)
    let pages = try await [
      fetcher.page(1, of: wire.query(pageSize: 200)), fetcher.page(2, of: wire.query(pageSize: 200)),
      fetcher.page(3, of: wire.query(pageSize: 200)),
    ]
    #expect(server.requests.compactMap { $0.query("offset") } == ["0", "200", "400"])
    #expect(Set(server.requests.map { $0.query("limit") }) == ["200"])
    #expect(pages.map(\.preceding) == [.unknown, .unknown, .unknown])
    #expect(pages.map(\.next) == [2, 3, nil])
    #expect(pages.flatMap(\.recordings).map(\.id.value) == (1...450).map(wire.id))
  }

  @Test func `has no totals`() async throws {
    #expect(try await wire.page(of: [wire.record(1)]).totals == nil)
  }

  @Test(arguments: [
    (page: 1, rows: 3, recordings: 3, next: 2 as Int?, preceding: RecordingPage.Preceding.unknown),
    (page: 1, rows: 2, recordings: 2, next: nil, preceding: .unknown),
    (page: 2, rows: 4, recordings: 3, next: 3, preceding: .recording(RecordingID(catalogue: .itunes, value: "track-0"))),
    (page: 2, rows: 3, recordings: 2, next: nil, preceding: .recording(RecordingID(catalogue: .itunes, value: "track-0"))),
    (page: 2, rows: 1, recordings: 0, next: nil, preceding: .recording(RecordingID(catalogue: .itunes, value: "track-0"))),
    (page: 2, rows: 0, recordings: 0, next: nil, preceding: .nothing),
    (page: 2, rows: 9, recordings: 3, next: 3, preceding: .recording(RecordingID(catalogue: .itunes, value: "track-0"))),
  ])
  func `ends when fewer rows arrive than were requested`(
    _ given: (page: Int, rows: Int, recordings: Int, next: Int?, preceding: RecordingPage.Preceding)
  ) throws {
    let rows = try (0..<given.rows).map { number in
      Recording(id: RecordingID(catalogue: .itunes, value: "track-\(number)"), fields: try RecordingFields(json: "{}"))
    }
    let page = ITunesWindow(page: given.page, size: 3).page(given.page, rows: rows)
    #expect(page.recordings.count == given.recordings)
    #expect(page.next == given.next)
    #expect(page.preceding == given.preceding)
  }

  @Test func `counts rows that cannot be read toward a full page`() {
    let page = ITunesWindow(page: 2, size: 3).page(2, rows: [nil, nil, nil, nil])
    #expect(page.recordings == [])
    #expect(page.skipped == 3)
    #expect(page.next == 3)
    #expect(page.preceding == .unknown)
  }

  @Test func `does not overflow on any page number`() {
    #expect(ITunesWindow(page: .max, size: 200).offset == 199_999_999_800)
    #expect(ITunesWindow(page: .min, size: 1) == ITunesWindow(page: 1, size: 1))
  }

  @Test(arguments: [
    (#"{"wrapperType":"track","trackId":1369438950,"collectionId":5,"artistId":6}"#, "track-1369438950"),
    (#"{"wrapperType":"audiobook","collectionId":123,"artistId":6}"#, "audiobook-123"),
    (#"{"wrapperType":"collection","collectionId":7,"trackId":null}"#, "collection-7"),
    (#"{"wrapperType":"artist","artistId":8}"#, "artist-8"),
    (#"{"wrapperType":"software","trackId":9}"#, "software-9"),
    (#"{"trackId":10}"#, "item-10"), (#"{"wrapperType":null,"trackId":11}"#, "item-11"),
    (#"{"wrapperType":"","trackId":12}"#, "item-12"), (#"{"wrapperType":3,"trackId":13}"#, "item-13"),
  ])
  func `makes different ids for different kinds`(_ record: String, _ id: String) async throws {
    #expect(try await wire.page(of: [record]).recordings.map(\.id.value) == [id])
  }

  @Test func `is rate limited if a 403 has no body`() async throws {
    #expect(try await wire.failure(.empty(403)) == .rateLimited(retryAfter: nil))
    #expect(try await wire.failure(.json(403, "{}")) == .refused(status: 403, message: nil))
  }

  @Test(arguments: [400, 200]) func `refuses a parameter with a message`(_ status: Int) async throws {
    let body = #"{"errorMessage":"Invalid value(s) for key(s): [country]","queryParameters":{"country":"xx"}}"#
    let expected = FetchError.refused(status: status, message: "Invalid value(s) for key(s): [country]")
    #expect(try await wire.failure(.json(status, "\n\(body)\n")) == expected)
  }

  @Test func `treats words in any case as one query`() throws {
    let query = try wire.catalogue.query("  Blackbird   SONG ")
    #expect(query.text == "blackbird song")
    #expect(query == (try wire.catalogue.query("blackbird song")))
    #expect(query != (try wire.catalogue.query("song blackbird")))
    #expect(query.pageSize == 100)
    #expect(try wire.catalogue.query("Cafe\u{301} AC/DC \"x\":y").sent == "Caf\u{e9} AC/DC \"x\":y")
  }
}
