import ChirperStore
import ChirperTestSupport
import Foundation
import Testing

@testable import Chirper

/// The snapshots that follow from what happens to a list, without a store, a network or a lock.
@Suite struct ListStatusTests {
  private let query = CatalogueQuery(
    catalogue: .sample, identity: "q", pageSize: 2, typed: "q", requestText: "q")
  private let failure = LoadError.fetch(FetchError(.truncated), catalogue: .sample, page: 1)
  private let now = Date(timeIntervalSince1970: 1_000_000)

  private final class Rows: StoredRows {
    func row(at position: Int) -> Recording { Recording(missingAt: position, of: .sample) }
    func read(_ positions: Range<Int>) throws(StoreError) -> [Recording] { [] }
    func ids(_ positions: Range<Int>?) throws(StoreError) -> [RecordingID] { [] }
  }

  private func load(_ status: ListStatus, since: Int = 0) -> LoadState {
    status.snapshot(of: Rows(), since: since).load
  }

  @Test func `a load is shown from its beginning to its end, and a second one after it`() {
    var status = ListStatus(query)
    status.stored = .success(nil)
    #expect(status.snapshot(of: Rows()).state == nil)
    status.loadBegan(1, appends: false)
    status.loadBegan(2, appends: false)
    #expect(status.snapshot(of: Rows()).state == .loading && load(status) == .loading(.starting))
    status.load(1, did: .requesting(page: 1, of: 3), 3, now: now)
    status.load(2, did: .waiting(.zero, .otherProcess(holder: "p")), 4, now: now)
    #expect(load(status) == .loading(.loading(page: 1, of: 3)))
    status.load(1, ended: FetchReport(failure: .cancelled), 5)
    #expect(load(status) == .loading(.waiting(until: nil, .otherProcess(holder: "p"))))
    status.load(2, ended: FetchReport(), 6)
    #expect(load(status) == .idle && status.snapshot(of: Rows()).state == nil)
  }

  @Test func `a failure is shown to the screens that were there, until the next load`() {
    var status = ListStatus(query)
    status.stored = .success(nil)
    status.loadBegan(2, appends: false)
    status.load(2, ended: FetchReport(failure: failure), 5)
    #expect(load(status, since: 4) == .failed(failure) && load(status, since: 6) == .idle)
    #expect(status.snapshot(of: Rows(), since: 4).state == .error(failure, cached: []))
    status.loadBegan(7, appends: false)
    status.load(7, ended: FetchReport(), 8)
    #expect(load(status, since: 4) == .idle)
  }

  @Test func `only a wait that a user notices is shown, with its end`() {
    var status = ListStatus(query)
    status.loadBegan(1, appends: false)
    status.load(1, did: .waiting(.seconds(1), .rateLimit), 2, now: now)
    #expect(load(status) == .loading(.starting))
    status.load(1, did: .waiting(.seconds(20), .rateLimit), 3, now: now)
    #expect(load(status) == .loading(.waiting(until: now.addingTimeInterval(20), .rateLimit)))
  }

  @Test
  func
    `a list that cannot be read is an error, and one that waits for the network shows nothing before`()
  {
    var status = ListStatus(query)
    let error = StoreError(.damaged(path: "p", detail: "d"))
    status.stored = .failure(error)
    #expect(
      status.snapshot(of: Rows()).state == .error(.store(error), cached: []) && !status.isRead)
    status.loadBegan(5, appends: false)
    #expect(status.snapshot(of: Rows(), since: 4, awaitsNetwork: true).state == .loading)
    status.load(5, ended: FetchReport(failure: failure), 6)
    #expect(
      status.snapshot(of: Rows(), since: 4, awaitsNetwork: true).state
        == .error(.store(error), cached: []))
  }

  @Test func `a list that cannot be read again keeps its rows, with the error, until it can be`() {
    var status = ListStatus(query)
    let stored = StoredQuery(
      query: query, count: 2, pagesStored: 1, totals: nil, next: nil, completeness: .complete,
      oldestFetchedAt: now,
      newestFetchedAt: now, skipped: 0, checkedAt: nil, walkedAt: now, records: 2, fall: nil,
      carried: 0)
    status.wasRead(.success(stored), 1)
    let busy = StoreError(.busy(path: "p"))
    let error = LoadError.store(busy)
    status.wasRead(.failure(busy), 5)
    #expect(
      status.snapshot(of: Rows(), since: 4).failure == error
        && status.snapshot(of: Rows(), since: 4).rows.count == 2)
    #expect(status.snapshot(of: Rows(), since: 6).failure == nil)
    status.wasRead(.success(stored), 7)
    #expect(status.snapshot(of: Rows(), since: 4).failure == nil)
  }

  @Test func `rows that cannot be read are an error with the list, until they can be`() {
    var status = ListStatus(query)
    let stored = StoredQuery(
      query: query, count: 2, pagesStored: 1, totals: nil, next: nil, completeness: .complete,
      oldestFetchedAt: now,
      newestFetchedAt: now, skipped: 0, checkedAt: nil, walkedAt: now, records: 2, fall: nil,
      carried: 0)
    status.stored = .success(stored)
    let error = StoreError(.busy(path: "p"))
    status.rowsWereRead(.failure(error), 5)
    #expect(load(status, since: 4) == .failed(.store(error)) && load(status, since: 6) == .idle)
    guard case .error(.store(error), let cached)? = status.snapshot(of: Rows(), since: 4).state
    else {
      Issue.record("no error")
      return
    }
    #expect(cached.count == 2 && status.generation == 0)
    status.rowsWereRead(.success(()), 7)
    #expect(load(status, since: 4) == .idle && status.generation == 1)
  }

  @Test func `the rows have another generation after each change`() {
    var status = ListStatus(query)
    status.load(1, did: .closed(.complete, gone: 0), 1, now: now)
    #expect(status.generation == 0)
    status.load(1, did: .closed(.complete, gone: 2), 2, now: now)
    status.rowsChanged()
    status.forgotten()
    #expect(status.generation == 3)
    status.load(1, ended: FetchReport(new: 1, failure: nil), 4)
    #expect(status.generation == 4)
  }
}
