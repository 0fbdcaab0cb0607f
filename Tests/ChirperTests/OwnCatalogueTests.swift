import Chirper
import Foundation
import Synchronization
import Testing

/// A catalogue that a user of the library wrote: pages follow an opaque cursor, as in the scrape API of the Internet Archive
/// (https://archive.org/help/aboutsearch.htm). Everything here is public.
@Suite struct OwnCatalogueTests {
  private let directory = FileManager.default.temporaryDirectory.appendingPathComponent("chirper-\(UUID().uuidString)")
  private let archive = Archive(items: (1...25).map { "item-\($0)" })

  private func repository() throws -> RecordingRepository {
    try RecordingRepository(directory: directory, access: .write, fetchers: [archive])
  }

  @Test func `a walk of a catalogue of one's own continues with the cursor in the store`() async throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    let query = try archive.catalogue.query("birdsong")
    // A task that is cancelled in the middle, and a repository that shares nothing with the first but the files.
    let cut = Task {
      await (try repository()).fetch(query, FetchPlan(.all)) { event in
        if case .page(2, _) = event { withUnsafeCurrentTask { $0?.cancel() } }
      }
    }
    #expect(try await cut.value.failure == .cancelled)
    let report = await (try repository()).fetch(query, FetchPlan(.all))
    #expect(archive.cursors == [nil, "W3siaWQiOjEwfV0=10", "W3siaWQiOjEwfV0=20"])
    #expect(report.stored?.completeness == .complete)
    #expect(try repository().rows(of: query, in: 0..<100).map(\.id.value) == archive.items)
    #expect(try repository().storedQueries().map(\.query.typed) == ["birdsong"])
  }
}

private final class Archive: PageFetcher {
  let items: [String]
  let minimumInterval: Duration = .zero
  let catalogue = Catalogue(
    id: CatalogueID(rawValue: "archive"), name: "Archive", pageSizes: 1...100, defaultPageSize: 10, minimumInterval: .zero,
    fields: ["identifier", "title"], tableColumns: [.init("title", "Title")],
    mapping: Catalogue.DetailsMapping(fields: [.vernacularName: ["title"]]) { recording in
      var details = RecordingDetails()
      details.vernacularName = recording.text("title")
      return details
    },
    audio: .none
  ) { (text, _) throws(QueryError) in (text.lowercased(), text) }
  private let asked = Mutex<[String?]>([])

  init(items: [String]) {
    self.items = items
  }

  var cursors: [String?] { asked.withLock { $0 } }

  func page(_ request: PageRequest) async throws(FetchError) -> RecordingPage {
    asked.withLock { $0.append(request.token?.rawValue) }
    let prefix = "W3siaWQiOjEwfV0="
    let start = request.token.flatMap { Int($0.rawValue.dropFirst(prefix.count)) } ?? 0
    var recordings: [Recording] = []
    for item in items[start...].prefix(request.query.pageSize) {
      guard let fields = try? RecordingFields(json: #"{"identifier":"\#(item)","title":"Song \#(item)"}"#) else {
        throw .malformed("a record")
      }
      recordings.append(Recording(id: RecordingID(catalogue: catalogue.id, value: item), fields: fields))
    }
    let end = start + recordings.count
    let isLast = end == items.count
    return RecordingPage(
      number: request.number, recordings: recordings, totals: Totals(recordings: items.count, pages: 3),
      next: isLast ? nil : request.number + 1, nextToken: isLast ? nil : PageToken(rawValue: prefix + "\(end)"))
  }
}
