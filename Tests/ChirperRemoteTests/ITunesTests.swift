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
        "/search?term=Blackbird+Song&limit=100&offset=0",
        "/search?term=Blackbird+Song&limit=101&offset=99",
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
      fetcher.page(1, of: wire.query(pageSize: 200)),
      fetcher.page(2, of: wire.query(pageSize: 200)),
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
    (
      page: 2, rows: 4, recordings: 3, next: 3,
      preceding: .recording(RecordingID(catalogue: .itunes, value: "track-0"))
    ),
    (
      page: 2, rows: 3, recordings: 2, next: nil,
      preceding: .recording(RecordingID(catalogue: .itunes, value: "track-0"))
    ),
    (
      page: 2, rows: 1, recordings: 0, next: nil,
      preceding: .recording(RecordingID(catalogue: .itunes, value: "track-0"))
    ),
    (page: 2, rows: 0, recordings: 0, next: nil, preceding: .nothing),
    (
      page: 2, rows: 9, recordings: 3, next: 3,
      preceding: .recording(RecordingID(catalogue: .itunes, value: "track-0"))
    ),
  ])
  func `ends when fewer rows arrive than were requested`(
    _ given: (page: Int, rows: Int, recordings: Int, next: Int?, preceding: RecordingPage.Preceding)
  ) throws {
    let rows = try (0..<given.rows).map { number in
      Recording(
        id: RecordingID(catalogue: .itunes, value: "track-\(number)"),
        fields: try RecordingFields(json: "{}"))
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
    #expect(ITunesWindow(page: .max, size: 200).offset == 799_999_800)
    #expect(ITunesWindow(page: .min, size: 1) == ITunesWindow(page: 1, size: 1))
  }

  @Test(arguments: [
    (
      #"{"wrapperType":"track","trackId":1369438950,"collectionId":5,"artistId":6}"#,
      "track-1369438950"
    ),
    (#"{"wrapperType":"audiobook","collectionId":123,"artistId":6}"#, "audiobook-123"),
    (#"{"wrapperType":"collection","collectionId":7,"trackId":null}"#, "collection-7"),
    (#"{"wrapperType":"artist","artistId":8}"#, "artist-8"),
    (#"{"wrapperType":"software","trackId":9}"#, "software-9"),
    (#"{"trackId":10}"#, "item-10"), (#"{"wrapperType":null,"trackId":11}"#, "item-11"),
    (#"{"wrapperType":"","trackId":12}"#, "item-12"),
    (#"{"wrapperType":3,"trackId":13}"#, "item-13"),
  ])
  func `makes different ids for different kinds`(_ record: String, _ id: String) async throws {
    #expect(try await wire.page(of: [record]).recordings.map(\.id.value) == [id])
  }

  @Test func `is rate limited if a 403 has no body`() async throws {
    #expect(try await wire.failure(.empty(403)) == .rateLimited(retryAfter: nil))
    #expect(try await wire.failure(.json(403, "{}")) == .refused(status: 403, message: nil))
  }

  @Test(arguments: [400, 200]) func `refuses a parameter with a message`(_ status: Int) async throws
  {
    let body =
      #"{"errorMessage":"Invalid value(s) for key(s): [country]","queryParameters":{"country":"xx"}}"#
    let expected = FetchError.refused(
      status: status, message: "Invalid value(s) for key(s): [country]")
    #expect(try await wire.failure(.json(status, "\n\(body)\n")) == expected)
  }

  @Test func `treats words in any case as one query`() throws {
    let query = try wire.catalogue.query("  Blackbird   SONG ")
    #expect(query.identity == "blackbird song")
    #expect(query == (try wire.catalogue.query("blackbird song")))
    #expect(query != (try wire.catalogue.query("song blackbird")))
    #expect(query.pageSize == 100)
    #expect(
      try wire.catalogue.query("Cafe\u{301} AC/DC \"x\":y").requestText == "Caf\u{e9} AC/DC \"x\":y"
    )
  }
}

/// What each kind of result says, in the shapes that were seen; prices are no detail and stay as
/// sent.
@Suite struct `Details of iTunes` {
  private func recording(_ json: String) throws -> Recording {
    Recording(
      id: RecordingID(catalogue: .itunes, value: "track-1"), fields: try RecordingFields(json: json)
    )
  }

  private func details(_ json: String) throws -> RecordingDetails {
    ITunes.catalogue.details(of: try recording(json))
  }

  @Test func `are read from a song`() throws {
    let song = #"""
      {"wrapperType":"track","kind":"song","artistId":1,"collectionId":2,"trackId":3,"artistName":"Ada Example",
      "collectionName":"Example Album","trackName":"Example Song","artistViewUrl":"https://music.apple.com/a",
      "collectionViewUrl":"https://music.apple.com/c","trackViewUrl":"https://music.apple.com/t",
      "previewUrl":"https://audio-ssl.itunes.apple.com/p.m4a","artworkUrl100":"https://is1-ssl.mzstatic.com/100.jpg",
      "collectionPrice":9.99,"trackPrice":-1.00,"releaseDate":"2018-04-12T07:00:00Z","trackTimeMillis":169872,
      "country":"USA","currency":"USD","primaryGenreName":"Pop","isStreamable":true}
      """#
    var expected = RecordingDetails()
    expected.vernacularName = "Example Song"
    expected.group = "track"
    expected.recordedBy = "Ada Example"
    expected.country = "USA"
    expected.countryCode = "US"
    expected.locality = "Example Album"
    expected.eventDate = PartialDate(year: 2018, month: 4, day: 12)
    expected.behavior = ["song"]
    expected.seconds = 169.872
    expected.preview = .init(seconds: 30)
    expected.pageAddress = "https://music.apple.com/t"
    expected.audioAddress = "https://audio-ssl.itunes.apple.com/p.m4a"
    #expect(try details(song) == expected)
    #expect(try recording(song).text("trackPrice") == "-1.00")
    #expect(try recording(song).text("collectionPrice") == "9.99")
    #expect(expected.credit == "Ada Example, no licence given")
  }

  @Test func `name a film without an artist id, and describe it at length`() throws {
    let details = try details(
      #"""
      {"wrapperType":"track","kind":"feature-movie","trackId":3,"artistName":"Ada Example","trackName":"Example Film",
      "trackViewUrl":"https://itunes.apple.com/m","trackHdPrice":14.99,"trackTimeMillis":5400000,
      "shortDescription":"Short.","longDescription":"Long."}
      """#)
    #expect(details.vernacularName == "Example Film" && details.recordedBy == "Ada Example")
    #expect(
      details.behavior == ["feature-movie"] && details.seconds == 5400
        && details.audioSeconds == nil
        && details.occurrenceRemarks == "Long.")
  }

  @Test func `name an audiobook by its collection`() throws {
    let details = try details(
      #"""
      {"wrapperType":"audiobook","collectionId":2,"artistName":"Ada Example","collectionName":"Example Book",
      "collectionViewUrl":"https://books.apple.com/b","artistViewUrl":"https://books.apple.com/a","description":"About."}
      """#)
    #expect(
      details.vernacularName == "Example Book" && details.group == "audiobook"
        && details.behavior == [])
    #expect(
      details.pageAddress == "https://books.apple.com/b" && details.occurrenceRemarks == "About.")
  }

  @Test func `name an album by its collection, with its rights as worded`() throws {
    let details = try details(
      #"""
      {"wrapperType":"collection","collectionType":"Album","collectionId":2,"artistName":"Ada Example",
      "collectionName":"Example Album","copyright":"℗ 2019 Ada Example","releaseDate":"2019-08-23T07:00:00Z"}
      """#)
    #expect(
      details.vernacularName == "Example Album" && details.eventDate?.description == "2019-08-23")
    #expect(details.licence == RecordingDetails.Licence(other: "℗ 2019 Ada Example"))
    #expect(details.credit == "Ada Example, ℗ 2019 Ada Example")
  }

  @Test func `name an artist by their name`() throws {
    let details = try details(
      #"{"wrapperType":"artist","artistType":"Artist","artistName":"Ada Example","artistLinkUrl":"https://music.apple.com/a"}"#
    )
    #expect(details.vernacularName == "Ada Example" && details.recordedBy == "Ada Example")
    #expect(details.pageAddress == "https://music.apple.com/a" && details.group == "artist")
  }

  @Test func `have neither country nor sound for software`() throws {
    let details = try details(
      #"""
      {"wrapperType":"software","kind":"mac-software","trackId":3,"trackName":"Example App","artistName":"Example Inc.",
      "bundleId":"com.example.app","version":"1.0","fileSizeBytes":"123456","genres":["Utilities"],"price":0.0,
      "trackViewUrl":"https://apps.apple.com/app","description":"Does things.\nMore things."}
      """#)
    #expect(
      details.vernacularName == "Example App"
        && details.occurrenceRemarks == "Does things.\nMore things.")
    #expect(
      details.country == nil && details.audioAddress == nil && details.locality == nil
        && details.seconds == nil)
  }

  @Test func `have neither sound nor length for a podcast`() throws {
    let details = try details(
      #"""
      {"wrapperType":"track","kind":"podcast","trackId":3,"trackName":"Example Cast","feedUrl":"https://example.org/feed",
      "genres":["News"],"genreIds":["1489"],"trackViewUrl":"https://podcasts.apple.com/p"}
      """#)
    #expect(
      details.audioAddress == nil && details.seconds == nil
        && details.pageAddress == "https://podcasts.apple.com/p")
  }

  @Test(
    arguments: [
      (#""kind":"song","trackTimeMillis":169872,"previewUrl":"https://x/p.m4a""#, 30),
      (#""kind":"song","trackTimeMillis":12500,"previewUrl":"https://x/p.m4a""#, 12.5),
      (#""kind":"song","previewUrl":"https://x/p.m4a""#, 30),
      (#""kind":"song","trackTimeMillis":169872"#, nil),
      (#""kind":"tv-episode","trackTimeMillis":169872,"previewUrl":"https://x/p.m4v""#, nil),
      (#""wrapperType":"audiobook","previewUrl":"https://x/p.m4a""#, nil),
    ] as [(String, Double?)])
  func `have the length of the preview apart from that of the track`(
    _ members: String, _ seconds: Double?
  ) throws {
    #expect(try details("{\(members)}").audioSeconds == seconds)
  }

  @Test func `keep addresses of pages and previews as they are, with HTTPS and without`() throws {
    let details = try details(
      #"{"trackViewUrl":"http://itunes.apple.com/t","collectionViewUrl":"https://itunes.apple.com/c","previewUrl":"http://a1.phobos.apple.com/p.m4a"}"#
    )
    #expect(details.pageAddress == "http://itunes.apple.com/t")
    #expect(details.audioAddress == "http://a1.phobos.apple.com/p.m4a")
  }

  @Test(
    arguments: [
      ("1", 0.001), ("\"169872\"", 169.872), ("0", nil), ("-1", nil), ("1.5", nil), ("null", nil),
      ("\"long\"", nil),
    ] as [(String, Double?)])
  func `turn milliseconds into seconds`(_ millis: String, _ seconds: Double?) throws {
    #expect(try details("{\"trackTimeMillis\":\(millis)}").seconds == seconds)
  }
}
