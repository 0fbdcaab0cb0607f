import Chirper
import ChirperFormats
import ChirperModel
import Foundation

/// The open list: its rows, its loads, its filter.
extension Browser {
  /// Shows what is stored at once, then refreshes it from the catalogue.
  func open(_ query: SearchQuery) {
    guard let catalogue = Catalogues.named(query.catalogue) else {
      return send(.notice("this version of chirper does not have the catalogue \(query.catalogue)"))
    }
    leaveList()
    searchStored(nil, nil)
    listsOpened += 1
    var opened = OpenList(id: listsOpened, query: query, catalogue: catalogue)
    opened.watching = Task { [eventSink, setup, id = opened.id] in
      var shown: Snapshot?
      for await snapshot in setup.repository.snapshots(of: query) {
        // What the load is doing comes with its own events.
        if let shown, snapshot.showsSameList(as: shown) { continue }
        shown = snapshot
        eventSink.yield(.list(id, .snapshot(snapshot)))
      }
    }
    list = opened
    send(.opened(query, catalogue))
    do throws(StoreError) {
      send(.snapshot(try setup.repository.snapshot(of: query)))
    } catch {
      send(.notice(UserFacingError(error).problem))
    }
    refresh()
  }

  /// Cancels everything that runs for the list; what was stored stays.
  func leaveList() {
    list?.cancel()
    list = nil
  }

  func refresh() {
    load { repository, query, observe in
      if let stored = try? repository.stored(query) { return await repository.sync(stored, observe: observe) }
      return await repository.fetch(query, FetchPlan(.pages(1)), observe: observe)
    }
  }

  func load(
    _ body:
      @escaping @Sendable (
        RecordingRepository, SearchQuery, @escaping @Sendable (FetchEvent) -> Void
      ) async -> FetchReport
  ) {
    guard let list else { return }
    let before = list.loading
    before?.cancel()
    send(.load(.starting))
    let (setup, eventSink, query, id) = (setup, eventSink, list.query, list.id)
    self.list?.loading = Task {
      // Two loads of one list would only wait for each other.
      await before?.value
      guard !Task.isCancelled else { return }
      let report = await body(setup.repository, query) { event in
        if let progress = LoadProgress(event, now: setup.dependencies.now()) {
          eventSink.yield(.list(id, .load(progress)))
        }
      }
      guard !Task.isCancelled else { return }
      // The final snapshot comes before the end of the load, so that an older snapshot cannot cause another request.
      if let snapshot = try? setup.repository.snapshot(of: query) {
        eventSink.yield(.list(id, .snapshot(snapshot)))
      }
      eventSink.yield(.list(id, .load(nil)))
      if case .store(let error)? = report.failure {
        eventSink.yield(.list(id, .notice(UserFacingError(error).problem)))
      }
    }
  }

  func handleListEvent(_ event: ScreenEvent) {
    // The rows may have changed, so the next read needs a new reader.
    if case .snapshot = event { list?.reader = nil }
    send(event)
  }

  func read(_ range: Range<Int>, of source: RowSource) {
    if source == .found { return readFound(range) }
    do throws(StoreError) {
      guard let reader = try reader(of: range, in: source) else { return }
      let rows = try reader.rows(0..<reader.count)
      let since = setup.dependencies.now().addingTimeInterval(-Self.newFor)
      let new = zip(rows, try reader.dates(0..<reader.count)).lazy.filter { ($1 ?? .distantPast) >= since }.map(\.0.id)
      send(.rows(range, rows, kept: Set(rows.map(\.id).filter(isKept)), new: Set(new)))
    } catch {
      send(.rows(range, [], kept: [], new: []))
      send(.notice(UserFacingError(error).problem))
    }
  }

  func isKept(_ id: RecordingID) -> Bool {
    // An id that no file can be named after has no audio either.
    (try? setup.repository.audio.kept(id)) ?? nil != nil
  }

  /// A row is marked as new for so long, in seconds.
  private static let newFor: TimeInterval = 7 * 86_400

  /// A reader of the rows at those positions alone; `nil` where no list is open.
  private func reader(of range: Range<Int>, in source: RowSource) throws(StoreError) -> ListReader? {
    guard let list else { return nil }
    if source == .matches, let matches = list.matches {
      return matches.reader.subset(at: Array(matches.positions[range.clamped(to: matches.positions.indices)]))
    }
    guard list.sort != nil else { return try setup.repository.reader(of: list.query, window: range) }
    let reader = try currentReader(of: list)
    return reader.subset(at: Array(range.clamped(to: 0..<reader.count)))
  }

  private func currentReader(of list: OpenList) throws(StoreError) -> ListReader {
    if let reader = list.reader { return reader }
    let reader = try setup.repository.reader(of: list.query, sort: [list.sort].compactMap(\.self))
    self.list?.reader = reader
    return reader
  }
}

extension LoadProgress {
  /// `nil` for events that the snapshot shows anyway, or that pass too quickly to be read.
  init?(_ event: FetchEvent, now: Date) {
    switch event {
    case .stored, .lookedUp, .page, .closed, .failed: return nil
    case .requesting(let page, let of): self = .requesting(page: page, of: of)
    case .waiting(let wait, .rateLimit) where wait < .seconds(5): return nil
    case .waiting(let wait, let reason): self = .waiting(now.addingTimeInterval(wait / .seconds(1)), reason)
    case .startingOver(let pass): self = .startingOver(pass: pass)
    case .verifying: self = .verifying
    }
  }
}
