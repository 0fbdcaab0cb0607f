import ChirperModel
import ChirperTestSupport
import Foundation
import Testing

@testable import ChirperRemote

/// A catalogue over HTTP and how its service would answer, so that one suite can put every fetcher to the test.
struct Wire: Sendable, CustomTestStringConvertible {
  let catalogue: Catalogue
  let typed: String
  /// The n-th made-up record as JSON.
  let record: @Sendable (Int) -> String
  /// The id the n-th record should get.
  let id: @Sendable (Int) -> String
  /// A body with these records out of so many, as page so-and-so.
  let body: @Sendable (_ records: [String], _ page: Int, _ pages: Int, _ total: Int) -> String
  /// Which records of the whole list a request asks for, and the number of its page.
  let window: @Sendable (ScriptedServer.Request, _ count: Int) -> (rows: Range<Int>, page: Int, size: Int)
  let fetcher: @Sendable (URL, HTTPLimits) -> any PageFetcher

  var testDescription: String { catalogue.id.rawValue }

  func query(pageSize: Int = 50) throws -> SearchQuery { try catalogue.query(typed, pageSize: pageSize) }

  /// A server with the whole list.
  func server(_ records: [String]) throws -> ScriptedServer {
    try ScriptedServer { request in
      let (rows, page, size) = window(request, records.count)
      return .json(200, body(Array(records[rows]), page, (records.count + size - 1) / size, records.count))
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

  static let all = [xenoCanto, itunes]

  static let xenoCanto = Wire(
    catalogue: XenoCanto.catalogue, typed: "parrot",
    record: { #"{"id":"\#($0)","gen":"Psittacus","en":"Grey Parrot","q":"A"}"# },
    id: { "\($0)" },
    body: { records, page, pages, total in
      FakeXenoCanto.body(records, page: page, pages: pages, total: total)
    },
    window: { request, count in
      let page = Int(request.query("page") ?? "") ?? 1
      let size = Int(request.query("per_page") ?? "") ?? 100
      return (min((page - 1) * size, count)..<min(page * size, count), page, size)
    },
    fetcher: { url, limits in
      var configuration = RemoteConfiguration(baseURLs: [.xenoCanto: url], key: { _ in APIKey("sesame-key") })
      configuration.limits = limits
      configuration.now = { Date(timeIntervalSince1970: 784_111_777) }
      return XenoCantoFetcher(configuration: configuration)
    })

  static let itunes = Wire(
    catalogue: ITunes.catalogue, typed: "Blackbird Song",
    record: { #"{"wrapperType":"track","kind":"song","trackId":\#($0),"trackName":"Blackbird","trackPrice":-1.00}"# },
    id: { "track-\($0)" },
    body: { records, _, _, _ in
      "\n\n\n" + #"{"resultCount":\#(records.count),"results":[\#(records.joined(separator: ","))]}"# + "\n\n\n"
    },
    window: { request, count in
      let offset = Int(request.query("offset") ?? "") ?? 0
      let limit = min(Int(request.query("limit") ?? "") ?? 50, 200)
      return (min(offset, count)..<min(offset + limit, count), 0, limit)
    },
    fetcher: { url, limits in
      var configuration = RemoteConfiguration(baseURLs: [.itunes: url])
      configuration.limits = limits
      return ITunesFetcher(configuration: configuration)
    })
}

extension HTTPLimits {
  /// Small enough for a test, large enough for a busy machine.
  static var small: HTTPLimits {
    var limits = HTTPLimits()
    limits.firstByte = .seconds(10)
    limits.idle = .seconds(10)
    limits.whole = .seconds(20)
    limits.bodyBytes = 4 << 20
    return limits
  }
}
