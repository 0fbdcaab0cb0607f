import Chirper
import Foundation

/// Measures the library as an app that uses it would, for `scripts/bench --cases library`; with public API only.
///
///     LibraryBench rows|tasks|refresh|queries DIRECTORY NUMBER [wal]
///
/// It prints the lines of a table, with a tab between two cells. DIRECTORY has a store already, or none yet. NUMBER says how much is
/// measured: the rows that a fetch stores, the lists that are fetched at once, the stored pages, or the queries.
@main struct LibraryBench {
  @MainActor static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 4, let number = Int(arguments[3]) else {
      FileHandle.standardError.write(
        Data("usage: LibraryBench rows|tasks|refresh|queries DIRECTORY NUMBER [wal]\n".utf8))
      exit(64)
    }
    let directory = URL(filePath: arguments[2], directoryHint: .isDirectory)
    let repository = try RecordingRepository(
      directory: directory,
      access: arguments.last == "wal" ? .writeAheadLog : .rollbackJournal,
      catalogues: [MadeUpCatalogue()])
    let bench = LibraryBench(
      repository: repository, file: directory.appending(path: "chirper.sqlite").path, number: number
    )
    switch arguments[1] {
    case "rows": try await bench.rows()
    case "tasks": try await bench.tasks()
    case "refresh": try await bench.refresh(in: directory)
    case "queries": try await bench.queries(in: directory)
    default: exit(64)
    }
  }

  let repository: RecordingRepository
  let file: String
  let number: Int

  // MARK: Rows on a screen

  /// A list of 20,000 rows is shown; the longest of the others is forgotten at last.
  @MainActor private func rows() async throws {
    let shown = try MadeUpCatalogue.query("moor", 20_000)
    try await fetch(shown)
    let model = ListModel(repository, policy: .storeOnly)
    model.search(shown)
    while model.rows.count < 20_000 { try await Task.sleep(for: .milliseconds(5)) }
    let all = try await repository.storedQueries().reduce(0) { $0 + $1.count }.formatted(
      .number.locale(Locale(identifier: "en_US")))
    line(
      "a screen of 20,000 rows, \(all) rows stored, while", "took", "longest wait for a row",
      "rows that came later",
      "longest until one came", "longest stop of the main actor")
    let (repository, file, stored) = (repository, file, try MadeUpCatalogue.query("heath", number))
    try await scroll(model, "nothing else happens") { try await Task.sleep(for: .seconds(2)) }
    try await scroll(model, "a fetch stores \(number) rows, 500 at a time") {
      try await Self.fetch(stored, repository)
    }
    try await scroll(model, "another process has a transaction of 5 s") {
      try await Self.lock(file, seconds: 5)
    }
    let others = try await repository.storedQueries().filter { $0.query != shown }
    guard let longest = others.max(by: { $0.count < $1.count }) else {
      throw Wrong("the fetch stored nothing")
    }
    try await scroll(model, "`forget` of \(longest.count) rows") { [query = longest.query] in
      _ = try await repository.forget(query)
    }
    try await reads(of: shown, while: try MadeUpCatalogue.query("fen", number))
  }

  /// How long one recording takes to be read while a fetch stores.
  private func reads(of shown: CatalogueQuery, while stored: CatalogueQuery) async throws {
    guard let id = try await repository.snapshot(of: shown).rows.read(0..<1).first?.id else {
      return
    }
    let fetching = Task { [repository] in try await Self.fetch(stored, repository) }
    let hasEnded = Ended(fetching)
    var times: [Duration] = []
    while await !hasEnded.value {
      times.append(
        try await ContinuousClock().measure {
          _ = try await repository.recording(id)
        })
      try await Task.sleep(for: .milliseconds(1))
    }
    try await fetching.value
    times.sort()
    line("")
    line("a recording read in `perform` while a fetch stores", "median", "longest")
    line("\(times.count) times", text(times[times.count / 2]), text(times[times.count - 1]))
  }

  /// Reads 20 rows every 8 milliseconds, as a screen does that is scrolled fast, until the work has ended.
  @MainActor private func scroll(
    _ model: ListModel, _ name: String, while work: @escaping @Sendable () async throws -> Void
  ) async throws {
    let (clock, frame) = (ContinuousClock(), Duration.milliseconds(8))
    var (wait, late, stop, lateRows) = (Duration.zero, Duration.zero, Duration.zero, 0)
    var (position, missingSince) = (0, ContinuousClock.Instant?.none)
    let begin = clock.now
    let task = Task.detached { try await work() }
    let hasEnded = Ended(task)
    var drawn = clock.now
    while await !hasEnded.value || missingSince != nil {
      try await Task.sleep(for: frame)
      stop = max(stop, clock.now - drawn - frame)
      let rows = model.rows
      var isWhole = true
      for row in position..<min(position + 20, rows.count) {
        let start = clock.now
        let recording = rows[row]
        wait = max(wait, clock.now - start)
        guard recording.isMissing else { continue }
        isWhole = false
        if missingSince == nil { lateRows += 1 }
      }
      if isWhole {
        if let since = missingSince { late = max(late, clock.now - since) }
        missingSince = nil
        position = position + 40 < rows.count ? position + 20 : 0
      } else {
        missingSince = missingSince ?? clock.now
      }
      drawn = clock.now
    }
    let took = clock.now - begin
    try await task.value
    line(name, text(took), text(wait), "\(lateRows)", text(late), text(stop))
  }

  // MARK: Other tasks of the process

  private func tasks() async throws {
    line("a task that has nothing to do with the store, while", "took", "longest stop of the task")
    let (repository, file, number) = (repository, file, number)
    try await stop("nothing else happens") { try await Task.sleep(for: .seconds(2)) }
    try await stop("\(number) fetches of 20,000 rows run at once") {
      try await withThrowingTaskGroup { group in
        for list in 1...number {
          let query = try MadeUpCatalogue.query("list\(list)", 20_000)
          group.addTask { try await Self.fetch(query, repository) }
        }
        try await group.waitForAll()
      }
    }
    try await stop("two fetches wait for another process's transaction of 5 s") {
      async let lock: Void = Self.lock(file, seconds: 5)
      async let first: Void = Self.fetch(MadeUpCatalogue.query("north", 500), repository)
      async let second: Void = Self.fetch(MadeUpCatalogue.query("south", 500), repository)
      _ = try await (lock, first, second)
    }
  }

  private func stop(_ name: String, while work: @escaping @Sendable () async throws -> Void)
    async throws
  {
    let watch = Task.detached {
      let clock = ContinuousClock()
      var longest = Duration.zero
      while !Task.isCancelled {
        let start = clock.now
        try? await Task.sleep(for: .milliseconds(1))
        longest = max(longest, clock.now - start - .milliseconds(1))
      }
      return longest
    }
    let took = try await ContinuousClock().measure { try await work() }
    watch.cancel()
    line(name, text(took), text(await watch.value))
  }

  // MARK: A refresh

  /// A list with pages of 20, of which all but the last ten are stored; each answer takes 100 milliseconds.
  private func refresh(in directory: URL) async throws {
    let gulls = PreviewCatalogue(id: "gulls", titles: (1...(number + 10) * 20).map { "Gull \($0)" })
    let repository = try RecordingRepository(directory: directory, catalogues: [gulls])
    let query = try gulls.catalogue.query("gull")
    _ = await repository.fetch(query, FetchPlan(.pages(number)))
    gulls.delay = .milliseconds(100)
    line(
      "\(number) pages are stored; an answer takes 100 ms", "requests before page \(number + 1)",
      "time until it is shown")
    for (name, waits) in [
      ("scrolled to the end after the refresh", true), ("scrolled to the end at once", false),
    ] {
      let (before, stored) = (gulls.requests.count, try await repository.stored(query)?.count ?? 0)
      let pager = Pager(repository, query: query)
      let start = ContinuousClock.now
      async let refreshed = pager.start()
      if waits { _ = await refreshed }
      guard let shown = await pager.snapshots.first(where: { $0.count == stored }) else {
        throw Wrong("no snapshot")
      }
      while gulls.requests.count == before { try await Task.sleep(for: .milliseconds(1)) }
      pager.rowAppeared(at: shown.count - 1)
      _ = await pager.snapshots.first { $0.count > stored }
      let time = ContinuousClock.now - start
      _ = await refreshed
      let next = stored / 20 + 1
      let requests = gulls.requests.dropFirst(before).prefix { $0.number != next }
      line(name, "\(requests.count)", text(time))
    }
  }

  // MARK: Many queries

  /// One query after another is shown, fetched and left.
  private func queries(in directory: URL) async throws {
    func show(_ queries: Range<Int>) async throws {
      for name in queries {
        let pager = Pager(repository, query: try MadeUpCatalogue.query("query\(name)", 20))
        await pager.start()
        guard await pager.snapshots.first(where: { $0.count == 20 }) != nil else {
          throw Wrong("no snapshot")
        }
      }
    }
    let other = try RecordingRepository(directory: directory, catalogues: [MadeUpCatalogue()])
    /// The time until a stored query is shown, after another connection has written.
    func firstSnapshot(_ name: String) async throws -> Duration {
      try await Self.fetch(MadeUpCatalogue.query("\(name)", 20), other)
      let pager = Pager(
        repository, query: try MadeUpCatalogue.query("query0", 20), policy: .storeOnly)
      return await ContinuousClock().measure { _ = await pager.snapshots.first { _ in true } }
    }
    line(
      "queries shown before", "memory",
      "first snapshot of a stored query, after another process wrote")
    let counts = [min(101, number), number]
    var shown = 0
    for count in counts {
      try await show(shown..<count)
      shown = count
      let time = try await firstSnapshot("other\(count)")
      line("\(count)", Self.residentMegabytes.map { "\($0) MB" } ?? "unknown", text(time))
    }
  }

  private static var residentMegabytes: Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else {
      return nil
    }
    return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map {
      $0 * sysconf(CInt(_SC_PAGESIZE)) / 1_000_000
    }
  }

  // MARK: What the cases have in common

  private func fetch(_ query: CatalogueQuery) async throws {
    try await Self.fetch(query, repository)
  }

  private static func fetch(_ query: CatalogueQuery, _ repository: RecordingRepository) async throws
  {
    let report = await repository.fetch(query, FetchPlan(.all))
    if let failure = report.failure { throw failure }
  }

  /// Another process keeps everybody from the file.
  private static func lock(_ file: String, seconds: Int) async throws {
    #if os(iOS)
    throw Wrong("iOS starts no process")
    #else
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "sqlite3", file, ".timeout 10000", "BEGIN EXCLUSIVE", ".shell sleep \(seconds)", "COMMIT",
    ]
    try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<Void, any Error>) in
      process.terminationHandler = { process in
        if process.terminationStatus == 0 {
          continuation.resume()
        } else {
          continuation.resume(throwing: Wrong("sqlite3 failed"))
        }
      }
      do { try process.run() } catch { continuation.resume(throwing: error) }
    }
    #endif
  }

  private func line(_ cells: String...) { print(cells.joined(separator: "\t")) }

  private func text(_ duration: Duration) -> String {
    let seconds = duration / .seconds(1)
    return seconds < 1
      ? String(format: "%.1f ms", seconds * 1000) : String(format: "%.2f s", seconds)
  }
}

/// Whether a task has ended.
private actor Ended {
  private(set) var value = false

  init(_ task: Task<Void, any Error>) {
    Task {
      _ = await task.result
      await end()
    }
  }

  private func end() { value = true }
}

private struct Wrong: Error {
  let text: String

  init(_ text: String) { self.text = text }
}
