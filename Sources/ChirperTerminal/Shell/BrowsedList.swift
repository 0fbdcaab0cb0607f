import Chirper
import ChirperFormats
import ChirperModel

/// The list that is open, and the tasks that run for it. Opening a different list replaces
/// the whole value.
struct BrowsedList {
  /// The query whose list is shown.
  var query: CatalogueQuery { snapshot?.query ?? pager.query }
  let pager: Pager
  /// The words that found nothing and mean the taxon of this list.
  var words: CatalogueQuery?
  var watching = LatestTask()
  var snapshot: ListSnapshot?
  var sort: SortKey?
  /// The rows in the current order; made when it is needed, and `nil` again after every change of
  /// the list.
  var reader: ListReader?
  /// The rows that match the filter; those of an earlier text until the first answer for
  /// the latest.
  var matches: Matches?
  var filtering = LatestTask(on: QueueExecutor("chirper.search"))

  struct Matches: Sendable {
    /// Positions in `reader`, in the order of the rows shown; a different reader may have
    /// different rows there.
    let positions: [Int]
    let reader: ListReader
    /// The text that was typed.
    let search: String
  }

  func position(of match: WantedMatch) -> Int? {
    guard let positions = matches?.positions else { return nil }
    return switch match {
    case .index(let index): positions.indices.contains(index) ? positions[index] : nil
    case .after(let position): positions.lazy.filter { $0 > position }.min()
    case .before(let position): positions.lazy.filter { $0 < position }.max()
    }
  }

  func cancel() {
    watching.cancel()
    filtering.cancel()
    Task { [pager] in await pager.cancel() }
  }
}

extension Browser {
  /// Shows the stored rows at once, then refreshes them from the catalogue.
  ///
  /// - Parameter words: the query that found nothing, if this one is the taxon that it means.
  func open(_ query: CatalogueQuery, meantBy words: CatalogueQuery? = nil) {
    guard let catalogue = repository.catalogue(query.catalogue) else {
      return send(.notice("this version of chirper does not have the catalogue \(query.catalogue)"))
    }
    leaveList()
    searchStored(nil, nil)
    var list = BrowsedList(pager: Pager(repository, query: query), words: words)
    list.watching.start { [eventSink, snapshots = list.pager.snapshots] turn in
      for await snapshot in snapshots { eventSink.yield(.answer(turn) { $0.show(snapshot) }) }
    }
    self.list = list
    send(.opened(query, catalogue))
    let notes = query.notes(in: catalogue)
    if !notes.isEmpty { send(.notice(notes.joined(separator: " · "))) }
    // Before the load begins, because the pager's first snapshot would wait for what the load
    // reads.
    do throws(StoreError) {
      show(try repository.snapshot(of: query))
    } catch {
      send(.notice(UserFacingError(error).problem))
    }
    load { [eventSink, repository, turn = list.watching.turn] pager in
      let report = await pager.start()
      if let words, let report {
        // A taxon's list without rows is forgotten; that it has none stays on the screen.
        if report.foundNothing, let miss = try? await repository.snapshot(of: query) {
          eventSink.yield(.answer(turn) { $0.show(miss) })
        }
        await repository.keepOnce(words, meaning: query, report)
      }
      // After the load, whose events would take its place.
      do throws(StoreError) {
        try repository.checkAreWhole([report?.stored?.query ?? query])
      } catch {
        eventSink.yield(.answer(turn) { $0.send(.notice(UserFacingError(error).problem)) })
      }
      return report
    }
  }

  /// Cancels everything that runs for the list. Pages that were stored stay.
  func leaveList() {
    list?.cancel()
    list = nil
  }

  /// Runs a load of the open list; the snapshots show its progress.
  func load(_ body: @escaping @Sendable (Pager) async -> FetchReport?) {
    guard let list else { return }
    let catalogue = repository.catalogue(list.query.catalogue)
    Task {
      [eventSink, repository, pager = list.pager, turn = list.watching.turn] in
      guard let report = await body(pager) else { return }
      if let lookup = report.lookup {
        eventSink.yield(.answer(turn) { $0.send(.notice(lookup.text(in: catalogue))) })
      }
      guard report.foundNothing, list.words == nil else { return }
      let query = pager.query
      let found = await repository.suggestions(for: query.typed, after: query)
      if let meant = repository.meant(by: query, found) {
        eventSink.yield(
          .answer(turn) {
            $0.open(meant.query, meantBy: query)
            $0.send(.notice(meant.taxon.meaning(of: query.typed)))
          })
      } else if let best = found.best {
        eventSink.yield(
          .answer(turn) { $0.send(.suggestion(best, found.taxa.first?.names ?? best)) })
      }
    }
  }

  func show(_ snapshot: ListSnapshot) {
    // A taxon's list without rows was forgotten.
    if snapshot.state == nil, list?.words != nil, list?.snapshot?.state == .empty { return }
    if let shown = list?.query, shown != snapshot.query,
      let catalogue = repository.catalogue(snapshot.query.catalogue)
    {
      // A further form of what was asked for.
      send(.opened(snapshot.query, catalogue))
      if snapshot.query != list?.pager.query {
        let reading = snapshot.query.reading
        send(.notice(reading ?? "nothing found; asked as \(snapshot.query.requestText)"))
      }
    }
    // Where the rows may have changed, the next read needs a new reader.
    if list?.snapshot?.showsSameList(as: snapshot) != true { list?.reader = nil }
    list?.snapshot = snapshot
    send(.snapshot(snapshot))
  }
}
