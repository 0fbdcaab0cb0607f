import ChirperModel
import ChirperTestSupport
import Foundation
import Testing

@testable import ChirperRemote

/// A catalogue over HTTP and how its service would answer, so that one suite can put every fetcher
/// to the test.
struct Wire: Sendable, CustomTestStringConvertible {
  let catalogue: Catalogue
  let typed: String
  /// The n-th made-up record as JSON.
  let record: @Sendable (Int) -> String
  /// The id the n-th record should get.
  let id: @Sendable (Int) -> String
  /// The id of a record that has nothing but this as its id, as text or number.
  let bareID: @Sendable (String) -> String
  /// A body with these records out of so many, as page so-and-so.
  let body: @Sendable (_ records: [String], _ page: Int, _ pages: Int, _ total: Int) -> String
  /// Which records of the whole list a request asks for, the number of its page, and the total in
  /// the answer.
  let window:
    @Sendable (ScriptedServer.Request, _ count: Int) -> (
      rows: Range<Int>, page: Int, size: Int, total: Int
    )
  let fetcher: @Sendable (URL, HTTPLimits) -> any PageFetcher

  var testDescription: String { catalogue.id.rawValue }

  func query(pageSize: Int = 50) throws -> CatalogueQuery {
    try catalogue.query(typed, pageSize: pageSize)
  }

  /// A server with the whole list.
  func server(_ records: [String]) throws -> ScriptedServer {
    try ScriptedServer { request in
      let (rows, page, size, total) = window(request, records.count)
      return .json(200, body(Array(records[rows]), page, (records.count + size - 1) / size, total))
    }
  }

  /// What the fetcher says when the first page is answered so.
  func failure(_ answer: ScriptedAnswer, limits: HTTPLimits = .small) async throws -> FetchError? {
    let server = try ScriptedServer { _ in answer }
    defer { server.close() }
    let fetcher = fetcher(server.url, limits)
    let query = try query()
    do throws(FetchError) {
      _ = try await fetcher.page(1, of: query)
      return nil
    } catch {
      return error
    }
  }

  /// The first page when it is answered so.
  func page(_ answer: ScriptedAnswer) async throws -> RecordingPage {
    let server = try ScriptedServer { _ in answer }
    defer { server.close() }
    return try await fetcher(server.url, .small).page(1, of: query())
  }

  /// The first page made of these records.
  func page(of records: [String]) async throws -> RecordingPage {
    try await page(.json(200, body(records, 1, 1, records.count)))
  }

  static let all = [xenoCanto, itunes, gbif, iNaturalist]

  static let xenoCanto = Wire(
    catalogue: XenoCanto.catalogue, typed: "parrot",
    record: { #"{"id":"\#($0)","gen":"Psittacus","en":"Grey Parrot","q":"A"}"# },
    id: { "\($0)" }, bareID: { $0 },
    body: { records, page, pages, total in
      FakeXenoCanto.body(records, page: page, pages: pages, total: total)
    },
    window: { request, count in
      let page = Int(request.query("page") ?? "") ?? 1
      let size = Int(request.query("per_page") ?? "") ?? 100
      return (min((page - 1) * size, count)..<min(page * size, count), page, size, count)
    },
    fetcher: { url, limits in
      var configuration = RemoteConfiguration(
        baseURLs: [.xenoCanto: url], key: { _ in APIKey("sesame-key") })
      configuration.limits = limits
      configuration.now = { Date(timeIntervalSince1970: 784_111_777) }
      return XenoCantoFetcher(client: CatalogueClient(XenoCanto.catalogue, configuration))
    })

  static let itunes = Wire(
    catalogue: ITunes.catalogue, typed: "Blackbird Song",
    record: {
      #"{"wrapperType":"track","kind":"song","trackId":\#($0),"trackName":"Blackbird","trackPrice":-1.00}"#
    },
    id: { "track-\($0)" }, bareID: { "track-\($0)" },
    body: { records, _, _, _ in
      "\n\n\n"
        + #"{"resultCount":\#(records.count),"results":[\#(records.joined(separator: ","))]}"#
        + "\n\n\n"
    },
    window: { request, count in
      let offset = Int(request.query("offset") ?? "") ?? 0
      let limit = min(Int(request.query("limit") ?? "") ?? 50, 200)
      return (min(offset, count)..<min(offset + limit, count), 0, limit, count)
    },
    fetcher: { url, limits in
      var configuration = RemoteConfiguration(baseURLs: [.itunes: url])
      configuration.limits = limits
      return ITunesFetcher(client: CatalogueClient(ITunes.catalogue, configuration))
    })

  /// Each occurrence has a picture and one sound.
  static let gbif = Wire(
    catalogue: GBIF.catalogue, typed: "cnt:poland",
    record: { number in
      #"{"key":\#(number),"media":[{"type":"StillImage"},{"type":"Sound"}],"vernacularName":"Example Sparrow"}"#
    },
    id: { "\($0)-s1" }, bareID: { $0 },
    body: { records, page, pages, total in
      #"{"limit":50,"endOfRecords":\#(page >= pages),"count":\#(total),"#
        + #""results":[\#(records.joined(separator: ","))],"facets":[]}"#
    },
    window: { request, count in
      let offset = Int(request.query("offset") ?? "") ?? 0
      let limit = min(Int(request.query("limit") ?? "") ?? 20, 300)
      return (min(offset, count)..<min(offset + limit, count), offset / limit + 1, limit, count)
    },
    fetcher: { url, limits in
      var configuration = RemoteConfiguration(baseURLs: [.gbif: url])
      configuration.limits = limits
      return GBIFFetcher(client: CatalogueClient(GBIF.catalogue, configuration))
    })

  /// Ids go down, as in the order that is asked for; with a cursor the total counts what is ahead.
  static let iNaturalist = Wire(
    catalogue: INaturalist.catalogue, typed: "year:2024",
    record: { number in
      #"{"id":\#(1_000_000 - number),"sounds":[{"id":\#(number),"file_url":null}],"taxon":{"name":"Passer exemplaris"}}"#
    },
    id: { "\(1_000_000 - $0)-\($0)" }, bareID: { $0 },
    body: { records, page, _, total in
      #"{"total_results":\#(total),"page":\#(page),"per_page":50,"results":[\#(records.joined(separator: ","))]}"#
    },
    window: { request, count in
      let page = Int(request.query("page") ?? "") ?? 1
      let size = Int(request.query("per_page") ?? "") ?? 30
      let behind = request.query("id_below").flatMap { Int($0) }.map { 1_000_000 - $0 } ?? 0
      let start = behind + (page - 1) * size
      return (min(start, count)..<min(start + size, count), page, size, count - behind)
    },
    fetcher: { url, limits in
      var configuration = RemoteConfiguration(baseURLs: [.iNaturalist: url])
      configuration.limits = limits
      return INaturalistFetcher(client: CatalogueClient(INaturalist.catalogue, configuration))
    })
}

extension HTTPLimits {
  /// Small enough for a test, large enough for a busy machine.
  static var small: HTTPLimits {
    var limits = HTTPLimits()
    limits.firstByte = .seconds(120)
    limits.idle = .seconds(120)
    limits.whole = .seconds(120)
    limits.bodyBytes = 4 << 20
    return limits
  }

  /// None that ends a request within a test.
  static var none: HTTPLimits {
    var limits = HTTPLimits()
    let hour = Duration.seconds(3600)
    (limits.connect, limits.firstByte, limits.idle, limits.whole, limits.rateWindow) = (
      hour, hour, hour, hour, hour
    )
    limits.bodyBytes = 1 << 40
    return limits
  }
}
