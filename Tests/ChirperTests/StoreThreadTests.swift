import ChirperModel
import ChirperTestSupport
import Foundation
import Testing

@testable import Chirper
@testable import ChirperStore

/// The store's work is done on threads of its own: whoever waits for it holds up none of the
/// threads that Swift's tasks share.
@Suite(.timeLimit(.minutes(10))) struct StoreThreadTests {
  private let catalogue = ModelCatalogue(rows: (0..<3000).map { "r\($0)" })
  private let directory = FileManager.default.temporaryDirectory.appending(
    path: "chirper-tests-\(UUID().uuidString)")

  /// Takes 100 turns of a task of its own while `gate` is closed.
  private func takeTurns(until gate: Gate) async {
    for _ in 0..<100 {
      await Task.detached { await Task.yield() }.value
      #expect(!gate.isOpen)
    }
  }

  @Test func `no task waits for a transaction with the loads, screens and searches that do`()
    async throws
  {
    let fetcher = catalogue
    let repository = RecordingRepository(store: try .writable(in: directory), dependencies: .live) {
      _ in fetcher
    }
    defer { try? FileManager.default.removeItem(at: directory) }
    let query = catalogue.query("stored", pageSize: 1000)
    _ = await repository.fetch(query, FetchPlan(.all))
    let gate = Gate()
    try gate.close(repository.store)
    let pagers = (0..<4).map {
      Pager(repository, query: catalogue.query("new \($0)", pageSize: 500))
    }
    let screens = pagers.map { SnapshotLog($0.snapshots) }
    let count = ProcessInfo.processInfo.activeProcessorCount * 2 + 4
    try await withThrowingTaskGroup { group in
      for number in 0..<count {
        group.addTask {
          _ = await repository.fetch(
            fetcher.query("more \(number)", pageSize: 500), FetchPlan(.all))
        }
        group.addTask { _ = try await repository.perform { try $0.rows(of: query, in: 0..<10) } }
        group.addTask { try await repository.updateSearchIndex(least: 1) }
      }
      for pager in pagers {
        group.addTask { _ = await pager.start() }
        group.addTask { _ = try await repository.snapshot(of: query).rows.read(0..<10) }
      }
      // All of them have begun.
      try await Task.sleep(for: .milliseconds(200))
      await takeTurns(until: gate)
      gate.open()
      try await group.waitForAll()
    }
    #expect(try await repository.storedQueries().count == 1 + count + pagers.count)
    for screen in screens {
      try await eventually { screen.last?.count == 500 }
      await screen.leave()
    }
  }

  @Test func `a value that is computed ahead is waited for on threads that tasks do not share`()
    async throws
  {
    let (begun, ended) = (Locked(0), Locked(0))
    let free = DispatchSemaphore(value: 0)
    let count = ProcessInfo.processInfo.activeProcessorCount * 2 + 4
    let waiting = (0..<count).map { number in
      Task(executorPreference: QueueExecutor("waiting \(number)")) {
        try ComputedAhead {
          begun.withLock { $0 += 1 }
          _ = free.wait(timeout: .now() + 60)
          ended.withLock { $0 += 1 }
          return number
        }.value()
      }
    }
    // Each has its thread, however many wait.
    try await eventually { begun.withLock(\.self) == count }
    for _ in 0..<100 { await Task.detached { await Task.yield() }.value }
    #expect(ended.withLock(\.self) == 0)
    for _ in waiting { free.signal() }
    for (number, task) in waiting.enumerated() { #expect(try await task.value == number) }
  }
}

/// Holds a transaction of a store open.
private final class Gate: Sendable {
  private let free = DispatchSemaphore(value: 0)
  private let state = Locked(true)

  var isOpen: Bool { state.withLock(\.self) }

  /// Returns once the transaction has begun. It ends by itself after a minute, so that a test that
  /// waits for it fails.
  func close(_ store: RecordingStore) throws {
    let begun = DispatchSemaphore(value: 0)
    state.withLock { $0 = false }
    Thread.detachNewThread { [self] in
      _ = try? store.write { _ in
        begun.signal()
        _ = free.wait(timeout: .now() + 60)
        state.withLock { $0 = true }
      }
    }
    begun.wait()
  }

  func open() { free.signal() }
}
