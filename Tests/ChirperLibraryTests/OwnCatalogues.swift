import Chirper
import Foundation
import Synchronization

/// The list of a service, which changes while it is read: before some of the requests, an entry
/// comes or goes.
final class Upstream: Sendable {
  private struct State {
    var numbers: [Int]
    var changes: [Int: Change]
    var cursors: [String?] = []
  }

  enum Change {
    /// An odd number; the list begins with even ones.
    case insert(Int)
    /// The entry at that position.
    case remove(Int)
  }

  private let state: Mutex<State>

  /// - Parameters:
  ///   - count: entries at the beginning.
  ///   - changes: by the number of the request before which they happen, from 1.
  init(count: Int, changes: [Int: Change] = [:]) {
    state = Mutex(State(numbers: (0..<count).map { $0 * 2 }, changes: changes))
  }

  /// As ids: `item-0042`.
  var ids: [String] { state.withLock { $0.numbers.map(Self.id) } }

  /// Of each request, in the order in which they came; `nil` is page 1.
  var cursors: [String?] { state.withLock(\.cursors) }

  /// Changes that did not happen yet.
  var remainingChanges: Int { state.withLock(\.changes.count) }

  /// The ids as they are at this request.
  func answer(cursor: String?) -> [String] {
    state.withLock { state in
      state.cursors.append(cursor)
      switch state.changes.removeValue(forKey: state.cursors.count) {
      case .insert(let number)?:
        if !state.numbers.contains(number) { state.numbers = (state.numbers + [number]).sorted() }
      case .remove(let position)?:
        if state.numbers.indices.contains(position) { state.numbers.remove(at: position) }
      case nil: break
      }
      return state.numbers.map(Self.id)
    }
  }

  private static func id(_ number: Int) -> String {
    let digits = String(number)
    return "item-" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}

/// A catalogue that gives the rows from an offset on, and the total.
struct OffsetCatalogue: PageFetcher {
  let upstream: Upstream
  let catalogue: Catalogue = {
    var catalogue = Catalogue(id: "shelf", name: "Shelf")
    catalogue.pageSizes = 1...500
    catalogue.minimumInterval = .zero
    return catalogue
  }()

  func page(_ request: PageRequest) async throws(FetchError) -> RecordingPage {
    let ids = upstream.answer(cursor: request.number == 1 ? nil : "\(request.number)")
    let size = request.query.pageSize
    let offset = (request.number - 1) * size
    // After page 1 the row before the page is requested, too.
    let overlap = offset > 0 ? 1 : 0
    let rows = ids.dropFirst(offset - overlap).prefix(size + overlap).map { id in
      Recording(
        id: RecordingID(catalogue: catalogue.id, value: id), fields: RecordingFields(["id": id]))
    }
    return RecordingPage(
      number: request.number, recordings: Array(rows.dropFirst(overlap)),
      totals: RecordingPage.Totals(recordings: ids.count, pages: (ids.count + size - 1) / size),
      next: offset + size < ids.count ? request.number + 1 : nil,
      preceding: overlap == 0 ? .unknown : rows.first.map { .recording($0.id) } ?? .nothing)
  }
}

/// A catalogue that gives the rows after an id, and counts only what is ahead.
struct IDCursorCatalogue: PageFetcher {
  let upstream: Upstream
  let catalogue: Catalogue = {
    var catalogue = Catalogue(id: "stream", name: "Stream")
    catalogue.pageSizes = 1...500
    catalogue.minimumInterval = .zero
    catalogue.audio = .generated(extension: "wav", bytes: { id in Array("RIFF \(id.value)".utf8) })
    return catalogue
  }()

  func page(_ request: PageRequest) async throws(FetchError) -> RecordingPage {
    let cursor = request.token?.position
    let ahead = upstream.answer(cursor: request.token?.rawValue).filter {
      $0 > cursor?.lastID ?? ""
    }
    let ids = ahead.prefix(request.query.pageSize)
    let before = cursor?.recordsBefore ?? 0
    let total = ahead.count + before
    let isLast = ids.count == ahead.count
    return RecordingPage(
      number: request.number,
      recordings: ids.map { id in
        Recording(
          id: RecordingID(catalogue: catalogue.id, value: id), fields: RecordingFields(["id": id]))
      },
      totals: RecordingPage.Totals(
        recordings: total, pages: (total + request.query.pageSize - 1) / request.query.pageSize),
      next: isLast ? nil : request.number + 1,
      nextToken: ids.last.map { .after($0, recordsBefore: before + ids.count) })
  }
}

/// Counts calls.
final class Counter: Sendable {
  private let count = Mutex(0)
  var value: Int { count.withLock(\.self) }
  func add() { count.withLock { $0 += 1 } }
}

/// A catalogue of one page, whose recordings have a country and a date: the first is the newest.
/// Their audio is at `files`.
struct NotebookCatalogue: PageFetcher {
  let places: [String]
  let catalogue: Catalogue
  /// How often details were computed.
  let read = Counter()

  /// - Parameters:
  ///   - version: of the details, for the search index.
  ///   - country: of every recording, whatever its place is.
  init(
    id: String, places: [String], files: URL? = nil, version: Int? = nil, country: String? = nil,
    searchTags: [String: Catalogue.Tag] = [:]
  ) {
    self.places = places
    let read = read
    var catalogue = Catalogue(id: CatalogueID(rawValue: id), name: "Notebook")
    catalogue.pageSizes = 1...50
    catalogue.minimumInterval = .zero
    catalogue.fields = ["id", "place", "day"]
    catalogue.details = [
      .value(\.country, from: ["place"]) { recording in
        read.add()
        return country ?? recording.text("place")
      }, .date(\.eventDate, of: "day"),
      .value(\.accessURI, from: []) { recording in
        files.map { $0.appending(path: "\(recording.id.value).wav") }
      },
    ]
    catalogue.detailsVersion = version
    catalogue.searchTags = searchTags
    catalogue.audio = .download(hosts: [])
    self.catalogue = catalogue
  }

  func page(_ request: PageRequest) async throws(FetchError) -> RecordingPage {
    let recordings = places.enumerated().map { index, place in
      let fields = RecordingFields([
        "id": "\(index + 1)", "place": place, "day": "2024-05-\(31 - index)",
      ])
      return Recording(
        id: RecordingID(catalogue: catalogue.id, value: "\(index + 1)"), fields: fields)
    }
    return RecordingPage(
      number: 1, recordings: recordings,
      totals: RecordingPage.Totals(recordings: recordings.count, pages: 1),
      next: nil)
  }
}

/// The scrape API of the Internet Archive on this machine, and the catalogue that asks it.
final class Archive: PageFetcher {
  let upstream: Upstream
  private let server: LoopbackServer
  private let fetcher: ArchiveCatalogue

  init(_ upstream: Upstream) throws {
    self.upstream = upstream
    server = try LoopbackServer { query in
      let last = query["cursor"].flatMap { Data(base64Encoded: $0) }.map {
        String(decoding: $0, as: UTF8.self)
      }
      let ids = upstream.answer(cursor: query["cursor"])
      guard query["q"] == "mediatype:audio AND (Birdsong)",
        let count = query["count"].flatMap({ Int($0) })
      else { return nil }
      let ahead = ids.filter { $0 > last ?? "" }
      let items = ahead.prefix(count)
      let records = items.map { id in
        #"{"identifier":"\#(id)","title":"Song \#(id)","date":"2024-05-\#(id.suffix(2))","downloads":\#(ids.count)}"#
      }
      let cursor =
        items.count < ahead.count ? #","cursor":"\#(Self.cursor(after: items.last ?? ""))""# : ""
      return
        #"{"items":[\#(records.joined(separator: ","))],"count":\#(items.count)\#(cursor),"total":\#(ids.count)}"#
    }
    fetcher = ArchiveCatalogue(
      RemoteConfiguration(baseURLs: [ArchiveCatalogue.catalogue.id: server.url]))
  }

  /// What only the service can read.
  static func cursor(after id: String) -> String { Data(id.utf8).base64EncodedString() }

  var catalogue: Catalogue { fetcher.catalogue }
  var minimumInterval: Duration { fetcher.minimumInterval }

  func page(_ request: PageRequest) async throws(FetchError) -> RecordingPage {
    try await fetcher.page(request)
  }
}
