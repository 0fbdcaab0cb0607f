import ChirperModel
import ChirperTestSupport
import Foundation
import Testing

@testable import Chirper
@testable import ChirperStore

/// The stream of snapshots: its observers, how it ends, and what a load shows in it.
@Suite struct ListSnapshotTests {
  private let catalogue = ModelCatalogue(rows: ["a", "b", "c", "d", "e"])
  private let gate: GatedCatalogue
  private let clock = ManualClock()
  private let repository: RecordingRepository
  private let query: CatalogueQuery
  private let directory = FileManager.default.temporaryDirectory.appending(
    path: "chirper-tests-\(UUID().uuidString)")

  init() throws {
    let gate = GatedCatalogue(catalogue)
    self.gate = gate
    repository = RecordingRepository(store: try .inMemory(), dependencies: clock.dependencies()) {
      _ in gate
    }
    query = catalogue.query("q", pageSize: 2)
  }

  /// A repository as another process has it: it shares nothing but the file.
  private func repositoryOnDisk() throws -> RecordingRepository {
    let gate = gate
    return RecordingRepository(
      store: try .writable(in: directory), dependencies: clock.dependencies()
    ) { _ in gate }
  }

  private func cleanUp() { try? FileManager.default.removeItem(at: directory) }

  @Test func `a screen that comes back gets the newest snapshot first, and those after it`()
    async throws
  {
    let pager = Pager(repository, query: query)
    let first = SnapshotLog(pager.snapshots)
    await pager.start()
    try await first.first { $0.ids == ["a", "b"] }
    await first.leave()
    await pager.loadNextPage()
    for _ in 1...3 {
      let again = SnapshotLog(pager.snapshots)
      try await eventually { again.last != nil }
      #expect(again.all.first?.ids == ["a", "b", "c", "d"])
      await again.leave()
    }
    let last = SnapshotLog(pager.snapshots)
    await pager.loadNextPage()
    try await last.first { $0.ids == ["a", "b", "c", "d", "e"] }
    #expect(first.last?.ids.count != 5)
    await last.leave()
  }

  @Test func `every observer gets every change`() async throws {
    let pager = Pager(repository, query: query)
    let screens = (1...5).map { _ in SnapshotLog(pager.snapshots) }
    for screen in screens { try await screen.first { _ in true } }
    await pager.start()
    for screen in screens {
      try await eventually { screen.last?.ids == ["a", "b"] && screen.last?.load == .idle }
      await screen.leave()
    }
  }

  @Test func `equal snapshots are not repeated`() async throws {
    let pager = Pager(repository, query: query)
    let screen = SnapshotLog(pager.snapshots)
    await pager.start()
    await pager.refresh()
    _ = try await repository.forget(query)
    _ = try await repository.forget(query)
    try await eventually { screen.last?.state == nil && screen.all.count > 1 }
    #expect(zip(screen.all, screen.all.dropFirst()).allSatisfy { $0 != $1 })
    await screen.leave()
  }

  @Test func `a load sends snapshots only to the screens of lists that it changes`() async throws {
    let shared = catalogue.query("shared", pageSize: 2)
    let others = (0..<49).map { catalogue.query("other \($0)", pageSize: 2) }
    catalogue.change { $0 = ["x", "y"].map { .init($0) } }
    for other in others { _ = await repository.fetch(other, FetchPlan(.all)) }
    catalogue.change { $0 = ["a", "b", "c", "d", "e"].map { .init($0) } }
    for list in [shared, query] { _ = await repository.fetch(list, FetchPlan(.all)) }

    // Not `ListSnapshot.Updates`, which hides equal snapshots.
    let publisher = repository.publisher
    let counts = Locked([CatalogueQuery: Int]())
    let watched = others + [shared, query]
    let loops = watched.map { list in
      let snapshots = publisher.observe(publisher.scope(of: list, in: repository))
      return Task {
        for await snapshot in snapshots {
          // A screen reads its rows.
          _ = snapshot.rows.first
          counts.withLock { $0[list, default: 0] += 1 }
        }
      }
    }
    try await eventually { counts.withLock { $0.count == watched.count } }
    // The first look at the store after its last change.
    try await Task.sleep(for: .milliseconds(1200))
    let before = counts.withLock(\.self)

    catalogue.change { $0[0].text = "edited" }
    _ = await repository.fetch(query, FetchPlan(.all))
    try await eventually { counts.withLock { $0[shared, default: 0] > before[shared, default: 0] } }
    // A new screen looks for changes of the store, and so does the publisher once a second.
    _ = publisher.observe(publisher.scope(of: query, in: repository))
    try await Task.sleep(for: .milliseconds(1200))
    // A long list, each page of which is stored and reported.
    catalogue.change { $0 = (0..<200).map { .init("row \($0)") } }
    let report = await repository.fetch(query, FetchPlan(.all))
    #expect(report.requests >= 100)
    let after = counts.withLock(\.self)
    for other in others { #expect(after[other] == before[other], "\(other.identity)") }
    #expect(after[query, default: 0] > before[query, default: 0])
    for loop in loops { loop.cancel() }
  }

  @Test func `an observer that does not read gets the newest snapshot only`() async throws {
    let pager = Pager(repository, query: query)
    var slow = pager.snapshots.makeAsyncIterator()
    #expect(await slow.next()?.state == nil)
    _ = await repository.fetch(query, FetchPlan(.all))
    let next = await slow.next()
    #expect(next?.ids == ["a", "b", "c", "d", "e"])
    #expect((next?.completeness, next?.load) == (.complete, .idle))
  }

  @Test func `the streams end when the pager is released`() async throws {
    var pager: Pager? = Pager(repository, query: query)
    weak let released = pager
    let snapshots = try #require(pager?.snapshots)
    let screen = SnapshotLog(snapshots)
    await pager?.start()
    try await screen.first { $0.ids == ["a", "b"] }
    pager = nil
    try await eventually { screen.hasEnded }
    #expect(released == nil)
    // A loop that begins afterwards ends at once.
    var late = snapshots.makeAsyncIterator()
    #expect(await late.next() == nil)
  }

  @Test func `a screen is released with its pager and its loop`() async throws {
    var screen: Screen? = Screen(repository, query)
    weak let (releasedScreen, releasedPager) = (screen, screen?.pager)
    let loop = screen?.loop
    await screen?.pager.start()
    try await eventually { screen?.shown.withLock(\.self) == ["a", "b"] }
    screen = nil
    await loop?.value
    #expect(releasedScreen == nil)
    #expect(releasedPager == nil)
  }

  /// As in the article "Get started".
  private final class Screen: Sendable {
    let pager: Pager
    let shown = Locked<[String]>([])
    private let task = Locked<Task<Void, Never>?>(nil)
    var loop: Task<Void, Never>? { task.withLock(\.self) }

    init(_ repository: RecordingRepository, _ query: CatalogueQuery) {
      pager = Pager(repository, query: query)
      let snapshots = pager.snapshots
      task.withLock {
        $0 = Task { [weak self] in
          for await snapshot in snapshots { self?.show(snapshot) }
        }
      }
    }

    private func show(_ snapshot: ListSnapshot) { shown.withLock { $0 = snapshot.ids } }
  }

  @Test func `a query without a screen, a load and a snapshot is forgotten`() async throws {
    let query = query
    catalogue.beforeEachAnswer { _, _ in .keyMissing }
    var pager: Pager? = Pager(repository, query: query)
    let failure = await pager?.start()?.failure
    #expect(try await repository.snapshot(of: query).load == failure.map(LoadState.failed))
    pager = nil
    #expect(try await repository.snapshot(of: query).load == .idle)
    catalogue.beforeEachAnswer { _, _ in nil }
    let others = (1...40).map { catalogue.query("q\($0)", pageSize: 2) }
    for other in others {
      let pager = Pager(repository, query: other)
      await pager.start()
      #expect(try await repository.snapshot(of: other).rows.count == 2)
    }
    // Another change of the store makes it read again what is shown, and nothing else.
    let held = try await repository.snapshot(of: others[7])
    let store = repository.store
    _ = try store.store(
      await catalogue.page(1, of: query), of: query, startsWalk: true, now: clock.now)
    let reads = Locked(0)
    try await store.queue.write { db in
      db.trace { if "\($0)".contains("FROM query JOIN catalogue") { reads.withLock { $0 += 1 } } }
    }
    #expect(try await repository.snapshot(of: query).rows.count == 2)
    try await store.queue.write { $0.trace(options: []) }
    #expect(reads.withLock(\.self) <= 4)
    #expect(held.rows.map(\.id.value) == ["a", "b"])
  }

  @Test(.timeLimit(.minutes(10)))
  func `a pager is made, and observed, without waiting for the store`() async throws {
    let isFree = DispatchSemaphore(value: 0)
    let isBusy = DispatchSemaphore(value: 0)
    let (store, query) = (repository.store, query)
    // Keeps the only connection for as long as this test wants, as a slow disk would.
    DispatchQueue.global().async {
      _ = try? store.read { _ in
        isBusy.signal()
        isFree.wait()
      }
    }
    isBusy.wait()
    let pager = Pager(repository, query: query)
    let screen = SnapshotLog(pager.snapshots)
    #expect(screen.last == nil)
    isFree.signal()
    try await screen.first { $0.state == nil }
    await screen.leave()
  }

  // MARK: The load

  @Test func `a load shows which page it requests, and whether that page is stored`() async throws {
    let pager = Pager(repository, query: query)
    let screen = SnapshotLog(pager.snapshots)
    let steps: [(Int, LoadState.Step)] = [
      (1, .loading(page: 1, of: nil)), (2, .loading(page: 2, of: 3)),
    ]
    for (page, step) in steps {
      gate.close()
      async let load = pager.loadNextPage()
      try await screen.first {
        $0.load == .loading(step) && ($0.stored?.pagesStored ?? 0) == page - 1
      }
      gate.open()
      _ = await load
      try await eventually { screen.last?.load == .idle }
    }
    gate.close()
    async let refresh = pager.refresh()
    try await screen.first {
      $0.load == .loading(.refreshing(page: 1, of: 3)) && $0.ids == ["a", "b", "c", "d"]
    }
    gate.open()
    _ = await refresh
    await screen.leave()
  }

  @Test func `an offline refresh is visible at once, then until when it waits, then as failed`()
    async throws
  {
    _ = await repository.fetch(query, FetchPlan(.pages(1)))
    catalogue.beforeEachAnswer { _, _ in .offline(host: "h") }
    let hasWaited = Locked(false)
    var dependencies = clock.dependencies()
    dependencies.sleep = { _ in
      while !hasWaited.withLock(\.self) { try await Task.sleep(for: .milliseconds(1)) }
    }
    let gate = gate
    let offline = RecordingRepository(store: repository.store, dependencies: dependencies) { _ in
      gate
    }
    let pager = Pager(offline, query: query)
    let screen = SnapshotLog(pager.snapshots)
    gate.close()
    async let load = pager.start()
    try await screen.first {
      $0.load == .loading(.refreshing(page: 1, of: 3)) && $0.ids == ["a", "b"]
    }
    gate.open()
    let until = clock.now.addingTimeInterval(0.25)
    let waits = LoadState.loading(.waiting(until: until, .backoff(.offline(host: "h"), attempt: 2)))
    try await screen.first { $0.load == waits && $0.ids == ["a", "b"] }
    hasWaited.withLock { $0 = true }
    let failure = try #require(await load?.failure)
    #expect(failure.isOffline)
    let failed = try await screen.first { $0.load == .failed(failure) }
    #expect(failed?.state == .error(failure, cached: failed?.rows ?? []))
    #expect(failed?.ids == ["a", "b"])
    await screen.leave()
  }

  @Test func `a load that another process holds up shows that it waits`() async throws {
    let lock = Locked(try WalkLock.acquire(query, in: repository.store))
    // However late the screen is, the load waits.
    let isSeen = Locked(false)
    var dependencies = clock.dependencies()
    dependencies.sleep = { _ in
      while !isSeen.withLock(\.self) { try await Task.sleep(for: .milliseconds(2)) }
    }
    let gate = gate
    let second = RecordingRepository(store: repository.store, dependencies: dependencies) { _ in
      gate
    }
    let pager = Pager(second, query: query)
    let screen = SnapshotLog(pager.snapshots)
    async let load = pager.start()
    try await screen.first {
      if case .loading(.waiting(until: nil, .otherProcess)) = $0.load { true } else { false }
    }
    lock.withLock { $0 = nil }
    isSeen.withLock { $0 = true }
    #expect(await load?.failure == nil)
    await screen.leave()
  }

  @Test func `of two loads of one query, the end of the first does not look like the end of both`()
    async throws
  {
    let isFirstOver = Locked(false)
    var dependencies = clock.dependencies()
    dependencies.sleep = { _ in
      while !isFirstOver.withLock(\.self) { try await Task.sleep(for: .milliseconds(2)) }
    }
    let gate = gate
    let repository = RecordingRepository(store: repository.store, dependencies: dependencies) { _ in
      gate
    }
    let pagers = [Pager(repository, query: query), Pager(repository, query: query)]
    gate.close()
    let first = Task { await pagers[0].start() }
    try await eventually { gate.requests == 1 }
    let second = Task { await pagers[1].start() }
    try await Task.sleep(for: .milliseconds(20))
    first.cancel()
    _ = await first.value
    isFirstOver.withLock { $0 = true }
    try await eventually { gate.requests == 2 }
    #expect(try await repository.snapshot(of: query).load == .loading(.loading(page: 1, of: nil)))
    gate.open()
    _ = await second.value
    #expect(try await repository.snapshot(of: query).load == .idle)
  }

  @Test func `a failure from before a screen was opened is not shown in it`() async throws {
    _ = await repository.fetch(query, FetchPlan(.pages(1)))
    catalogue.beforeEachAnswer { _, _ in .keyMissing }
    let old = Pager(repository, query: query)
    await old.start()
    let new = Pager(repository, query: query, policy: .storeOnly)
    var states = new.snapshots.makeAsyncIterator()
    let first = await states.next()
    #expect(first?.load == .idle)
    #expect(first?.state == .paging(first?.rows ?? [], next: 2))
    #expect(first?.ids == ["a", "b"])
    // The screen that saw the load fail still shows it, also when it comes back.
    var again = old.snapshots.makeAsyncIterator()
    guard case .error(.fetch(.keyMissing, _, _), _) = await again.next()?.state else {
      Issue.record("the failure is not shown")
      return
    }
  }

  @Test func `a store that cannot be read is an error, not silence`() async throws {
    defer { cleanUp() }
    let damaged = try repositoryOnDisk()
    let pager = Pager(damaged, query: query)
    let screen = SnapshotLog(pager.snapshots)
    try await screen.first { $0.state == nil }
    let file = directory.appending(path: "chirper.sqlite")
    try Data(repeating: 1, count: 100_000).write(to: file)
    try await screen.first {
      if case .error(.store, cached: []) = $0.state { true } else { false }
    }
    await screen.leave()
  }

  // MARK: Changes by others

  @Test func `a change by another repository of the store is shown`() async throws {
    defer { cleanUp() }
    let (one, other) = (try repositoryOnDisk(), try repositoryOnDisk())
    let pager = Pager(one, query: query, policy: .storeOnly)
    let screen = SnapshotLog(pager.snapshots)
    try await screen.first { $0.state == nil }
    _ = await other.fetch(query, FetchPlan(.pages(1)))
    try await screen.first { $0.ids == ["a", "b"] }
    catalogue.change { $0[1].text = "edited" }
    _ = await other.fetch(query, FetchPlan(.pages(1)))
    try await eventually { screen.last?.rows.last?.text("text") == "edited" }
    _ = try await other.forget(query)
    try await eventually { screen.last?.state == nil }
    await screen.leave()
  }

  @Test func `a change by others that is not of the list makes no other snapshot`() async throws {
    defer { cleanUp() }
    let (one, other) = (try repositoryOnDisk(), try repositoryOnDisk())
    _ = await one.fetch(query, FetchPlan(.all))
    let before = try await one.snapshot(of: query)
    #expect(before.ids.count == 5)
    _ = try other.store.reserveRequest(
      to: catalogue.catalogue.id, interval: .seconds(1), now: clock.now)
    #expect(try await one.snapshot(of: query) == before)
    // Another list has the same recordings, one of them with another text.
    catalogue.change { $0[4].text = "edited" }
    _ = await other.fetch(catalogue.query("other", pageSize: 5), FetchPlan(.all))
    let after = try await one.snapshot(of: query)
    #expect(after.rows != before.rows)
    #expect(after.rows[4].text("text") == "edited")
  }
}
