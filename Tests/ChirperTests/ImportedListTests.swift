import ChirperModel
import ChirperStore
import ChirperTesting
import Foundation
import Testing

@testable import Chirper

/// Lists that are imported again.
@Suite struct ImportedListTests {
  /// Rows of a file.
  private struct Rows: ImportSource {
    let ids: [String]
    var claim: ImportClaim { ImportClaim(file: "birds.zip", fingerprint: "\(ids)") }
    let advice = ""
    var neededBytes: Int64 { 0 }
    var size: Int64 { 0 }

    func read(
      staging _: String, _ progress: (Int64) throws -> Void, _ body: (ImportedRow) throws -> Void
    ) throws {
      for id in ids { try body(.recordings([Self.recording(id)], line: 1)) }
    }

    static func recording(_ id: String) -> Recording {
      Recording(
        id: RecordingID(catalogue: .macaulay, value: id),
        fields: RecordingFields(importedAs: .archive, []))
    }
  }

  @Test func `a list whose pages have another size is the same list`() async throws {
    let store = try RecordingStore.inMemory()
    let repository = RecordingRepository(store: store, dependencies: ManualClock().dependencies())
    let query = CatalogueQuery.imported("Birds", as: .macaulay)
    let earlier = CatalogueQuery(
      catalogue: .macaulay, identity: query.identity, pageSize: 2, typed: "Birds",
      requestText: "Birds")
    let page = RecordingPage(
      number: 1, recordings: ["1", "2"].map(Rows.recording), totals: nil, next: nil)
    _ = try store.store(
      page, of: earlier, startsWalk: true, importing: Rows(ids: []).claim, now: .now)
    _ = try store.closeWalk(of: earlier, evenIfShifted: false, now: .now)
    let report = try await repository.importRows(
      of: Rows(ids: ["2", "3", "4"]), named: "birds")
    #expect(report.lists.map(\.stored?.query) == [earlier])
    #expect(report.lists.map(\.new) == [2] && report.lists.map(\.gone) == [1])
    #expect(try store.storedQueries().map(\.count) == [3])
  }

  @Test func `an import waits for a different one of the same list`() async throws {
    let clock = ManualClock()
    let store = try RecordingStore.inMemory()
    var dependencies = clock.dependencies()
    let waiting = RecordingRepository(store: store, dependencies: dependencies)
    let query = CatalogueQuery.imported("Birds", as: .macaulay)
    let lock = Locked(try WalkLock.acquire(query, in: store))
    let waits = Locked(0)
    await #expect(throws: StoreError(.queryInUse())) {
      _ = try await waiting.importRows(of: Rows(ids: ["1"]), named: "Birds") { _ in
        waits.withLock { $0 += 1 }
      }
    }
    #expect(waits.withLock(\.self) == 1)
    #expect(clock.slept.reduce(.zero, +) == .seconds(60))
    // The holder ends its import meanwhile.
    dependencies.sleep = { _ in lock.withLock { $0 = nil } }
    let repository = RecordingRepository(store: store, dependencies: dependencies)
    let report = try await repository.importRows(of: Rows(ids: ["1"]), named: "Birds")
    #expect(report.lists.map(\.new) == [1])
  }
}
