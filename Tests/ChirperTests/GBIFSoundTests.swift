import ChirperModel
import ChirperStore
import ChirperTestSupport
import Foundation
import Synchronization
import Testing

@testable import Chirper
@testable import ChirperRemote

/// The ids of GBIF's sounds, from one sync to the next.
@Suite struct `Ids of sounds` {
  private let media: Media
  private let server: ScriptedServer
  private let store: RecordingStore
  private let query: CatalogueQuery

  /// The addresses of the sounds of one occurrence.
  private final class Media: Sendable {
    let addresses = Mutex<[String]>([])
  }

  /// A reader for which two addresses with one suffix were one sound.
  private struct Before: PageFetcher {
    let fetcher: any PageFetcher
    var catalogue: Catalogue { fetcher.catalogue }
    var minimumInterval: Duration { fetcher.minimumInterval }

    func page(_ request: PageRequest) async throws(FetchError) -> RecordingPage {
      let page = try await fetcher.page(request)
      return page.with(page.recordings.filter { !$0.id.value.hasLongSuffix })
    }
  }

  init() throws {
    let media = Media()
    self.media = media
    server = try ScriptedServer { _ in
      let sounds = media.addresses.withLock(\.self).map {
        #"{"type":"StillImage"},{"type":"Sound","identifier":"\#($0)"}"#
      }
      let row = #"{"key":7,"media":[\#(sounds.joined(separator: ","))],"note":[1,"a"]}"#
      let page = #""offset":0,"limit":300,"endOfRecords":true,"count":1"#
      return .json(200, #"{\#(page),"results":[\#(row)]}"#)
    }
    store = try .inMemory()
    query = try #require(Catalogues.named(.gbif)).query("cnt:poland")
  }

  private func repository(isBefore: Bool = false) -> RecordingRepository {
    let configuration = RemoteConfiguration(baseURLs: [.gbif: server.url])
    return RecordingRepository(
      store: store, configuration: configuration, dependencies: ManualClock().dependencies()
    ) { catalogue in
      Catalogues.fetcher(for: catalogue, configuration: configuration).map {
        isBefore ? Before(fetcher: $0) : $0
      }
    }
  }

  /// Reads the list with these sounds upstream, and returns the address of each id.
  @discardableResult
  private func read(
    _ addresses: [String], isBefore: Bool = false, new: Int, gone: Int,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> [String: String] {
    media.addresses.withLock { $0 = addresses }
    let repository = repository(isBefore: isBefore)
    let report = await repository.fetch(query, FetchPlan(.all, verify: true))
    #expect(report.failure == nil, sourceLocation: sourceLocation)
    #expect((report.new, report.gone) == (new, gone), sourceLocation: sourceLocation)
    var found: [String: String] = [:]
    for row in try repository.rows(of: query, in: 0..<1000) {
      found[row.id.value] = repository.details(of: row).audioAddress
      #expect(row["media"]?.objects.count == 2 * addresses.count, sourceLocation: sourceLocation)
      #expect(row["note"]?.json == #"[1,"a"]"#, sourceLocation: sourceLocation)
    }
    return found
  }

  private static let (a, b, c) = (
    "https://a.example/1.mp3", "https://b.example/1.mp3", "https://c.example/1.mp3"
  )
  private static let other = "https://a.example/2.mp3"

  @Test func `no row of an old store is gone or new, and what was left out comes`() async throws {
    let sounds = [Self.a, Self.b, Self.other]
    let old = try await read(sounds, isBefore: true, new: 2, gone: 0)
    #expect(Set(old.values) == [Self.a, Self.other])
    let now = try await read(sounds, new: 1, gone: 0)
    #expect(now.merging(old) { $1 } == now && Set(now.values) == Set(sounds))
    #expect(try await read(sounds, new: 0, gone: 0) == now)
  }

  @Test func `an address keeps its id in whatever order the sounds come`() async throws {
    let first = try await read([Self.a, Self.b, Self.c], new: 3, gone: 0)
    for order in [
      [Self.b, Self.a, Self.c], [Self.c, Self.b, Self.a], [Self.b, Self.c, Self.a],
    ] {
      #expect(try await read(order, new: 0, gone: 0) == first)
    }
    // The first leaves; the others stay what they are.
    let left = try await read([Self.c, Self.b], new: 0, gone: 1)
    #expect(left == first.filter { $0.value != Self.a })
    #expect(try await read([Self.b], new: 0, gone: 1) == left.filter { $0.value == Self.b })
  }

  @Test func `an address that was alone keeps its id when one comes before it`() async throws {
    let alone = try await read([Self.b], new: 1, gone: 0)
    let both = try await read([Self.a, Self.b], new: 1, gone: 0)
    #expect(both.merging(alone) { $1 } == both && Set(both.values) == [Self.a, Self.b])
  }

  @Test func `a sound whose host changes keeps its id if nothing else has it`() async throws {
    let before = try await read([Self.a, Self.other], new: 2, gone: 0)
    let after = try await read([Self.b, Self.other], new: 0, gone: 0)
    #expect(before.keys == after.keys && Set(after.values) == [Self.b, Self.other])
  }
}

extension String {
  fileprivate var hasLongSuffix: Bool { (split(separator: "-").last ?? "").count == 16 }
}
