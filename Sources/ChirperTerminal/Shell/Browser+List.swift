import Chirper
import ChirperFormats
import ChirperModel
import Foundation

/// The list that is open: its rows, its loads, its filter.
extension Browser {
  /// Shows what is stored at once, then asks the catalogue behind it.
  func open(_ query: SearchQuery) {
    guard let catalogue = Catalogues.named(query.catalogue) else {
      return send(.notice("this chirper does not know the catalogue \(query.catalogue)"))
    }
    leaveList()
    self.query = query
    send(.opened(query, catalogue))
    do throws(StoreError) {
      send(.snapshot(try setup.repository.snapshot(of: query, window: 0..<0)))
    } catch {
      send(.notice(UserFacingError(error).problem))
    }
    watching = Task { [say, setup, listNumber] in
      for await snapshot in setup.repository.snapshots(of: query, window: 0..<0) {
        say.yield(.list(listNumber, .snapshot(snapshot)))
      }
    }
    refresh()
  }

  /// Cancels whatever the list before has under way; what arrived is stored.
  func leaveList() {
    listNumber += 1
    for task in [loading, watching, filtering] { task?.cancel() }
    (loading, watching, filtering) = (nil, nil, nil)
    (query, sort, reader) = (nil, nil, nil)
    (filterText, filteredReader) = (nil, nil)
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
    guard let query else { return }
    let before = loading
    before?.cancel()
    send(.load(.starting))
    let (setup, say, number) = (setup, say, listNumber)
    loading = Task {
      // Two loads of one list would only wait for each other.
      await before?.value
      guard !Task.isCancelled else { return }
      let report = await body(setup.repository, query) { event in
        if let progress = LoadProgress(event, now: setup.dependencies.now()) {
          say.yield(.list(number, .load(progress)))
        }
      }
      guard !Task.isCancelled else { return }
      // The state that the load ended in comes first, so that no page is asked for on the strength of an older one.
      if let snapshot = try? setup.repository.snapshot(of: query, window: 0..<0) {
        say.yield(.list(number, .snapshot(snapshot)))
      }
      say.yield(.list(number, .load(nil)))
      if case .store(let error)? = report.failure { say.yield(.list(number, .notice(UserFacingError(error).problem))) }
    }
  }

  /// An event of the list that is open.
  func take(ofList event: ScreenEvent) {
    // The rows may have changed: the order they were read in is no longer theirs.
    if case .snapshot = event { reader = nil }
    send(event)
  }

  func read(_ range: Range<Int>, _ filtered: [Int]?) {
    guard let query else { return }
    do throws(StoreError) {
      send(.rows(range, try rows(of: query, range, filtered)))
    } catch {
      send(.rows(range, []))
      send(.notice(UserFacingError(error).problem))
    }
  }

  private func rows(of query: SearchQuery, _ range: Range<Int>, _ filtered: [Int]?) throws(StoreError) -> [Recording] {
    if let filtered {
      let reader = if let filteredReader { filteredReader } else { try currentReader(of: query) }
      return try reader.rows(at: filtered).rows(0..<filtered.count)
    }
    guard sort != nil else { return try setup.repository.rows(of: query, in: range) }
    return try currentReader(of: query).rows(range)
  }

  private func currentReader(of query: SearchQuery) throws(StoreError) -> ListReader {
    if let reader { return reader }
    let made = try setup.repository.reader(of: query, sort: sort)
    reader = made
    return made
  }

  func filter(_ text: String?) {
    filtering?.cancel()
    filterText = text
    if text == nil { filteredReader = nil }
    guard let text, let query, let catalogue = Catalogues.named(query.catalogue) else { return }
    do throws(StoreError) {
      let reader = try currentReader(of: query)
      let scan = FilterScan(reader: reader, text: text, catalogue: catalogue)
      filtering = Task { [say, listNumber] in
        await scan.run { say.yield(.matches(listNumber, $0, reader)) }
      }
    } catch {
      send(.notice(UserFacingError(error).problem))
    }
  }
}

extension LoadProgress {
  /// `nil` for events that show in the snapshot or pass too quickly to be read.
  init?(_ event: FetchEvent, now: Date) {
    switch event {
    case .stored, .page, .closed, .failed: return nil
    case .asking(let page, let of): self = .asking(page: page, of: of)
    case .waiting(let wait, .pace) where wait < .seconds(5): return nil
    case .waiting(let wait, let reason): self = .waiting(now.addingTimeInterval(wait / .seconds(1)), reason)
    case .startingOver(let pass): self = .startingOver(pass: pass)
    case .verifying: self = .verifying
    }
  }
}
