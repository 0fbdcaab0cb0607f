import ChirperModel
import ChirperStore
import Foundation
import Testing

@testable import Chirper

/// `--filter` of a list that is long enough for several cores.
@Suite struct ListFilterTests {
  private static let query = CatalogueQuery(
    catalogue: .xenoCanto, text: "grp:birds", pageSize: 500, typed: "grp:birds", sent: "grp:birds")

  /// A repository whose list has 41 pages of 500 rows; every 97th is of another bird.
  private func repository(in directory: URL) throws -> RecordingRepository {
    let repository = try RecordingRepository(directory: directory)
    let pages = 41
    for page in 1...pages {
      let recordings = try ((page - 1) * 500..<page * 500).map { number in
        Recording(
          id: RecordingID(catalogue: .xenoCanto, value: "\(number)"),
          fields: try RecordingFields(
            json: #"{"id":"\#(number)","en":"\#(number % 97 == 0 ? "Żółty Robin" : "Parrot")","rmk":"\#(number * 7919 % 1000)"}"#)
        )
      }
      _ = try repository.store.store(
        RecordingPage(
          number: page, recordings: recordings, totals: Totals(recordings: pages * 500, pages: pages),
          next: page < pages ? page + 1 : nil), of: Self.query, startsWalk: page == 1, now: Date(timeIntervalSince1970: 0))
    }
    return repository
  }

  @Test func `every core's part is found, in the order of the list, and nothing of a list that was forgotten`() throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "chirper-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    let repository = try repository(in: directory)
    let search = RowSearch("zolty", in: Catalogues.standard)
    for sort in [[], [ListSort(field: "rmk", descending: true)]] {
      let reader = try repository.reader(of: Self.query, sort: sort)
      let rows = try reader.rows(0..<reader.count)
      let expected = rows.indices.filter { search.matches(rows[$0]) }
      #expect(expected.count == 212 && rows.count == 20_500)
      #expect(try reader.positions(matching: search) == expected)
    }
    let reader = try repository.reader(of: Self.query)
    _ = try repository.forget(Self.query)
    #expect(throws: StoreError.recordingForgotten) { try reader.positions(matching: search) }
  }

  @Test func `a file that another program has put in the store's place is not searched, and none is created`() throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "chirper-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    let repository = try repository(in: directory)
    #expect(repository.store.anotherConnection() != nil)
    let file = RecordingRepository.database(in: directory)
    try FileManager.default.moveItem(at: file, to: directory.appending(path: "old"))
    #expect(repository.store.anotherConnection() == nil && !FileManager.default.fileExists(atPath: file.path))
    #expect(try RecordingRepository(directory: directory).storedQueries().isEmpty)
    #expect(repository.store.anotherConnection() == nil)
    let reader = try repository.reader(of: Self.query)
    #expect(try reader.positions(matching: RowSearch("zolty", in: Catalogues.standard)).count == 212)
  }

  @Test func `a search that is cancelled ends`() async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "chirper-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    let reader = try repository(in: directory).reader(of: Self.query)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try reader.positions(matching: RowSearch("zolty", in: Catalogues.standard))
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
