import Chirper
import ChirperFormats
import ChirperModel
import Foundation

/// The open list: its rows, its loads, its filter.
extension Browser {
  /// Shows what is stored at once, then refreshes it from the catalogue.
  func open(_ query: CatalogueQuery) {
    guard let catalogue = setup.repository.catalogue(query.catalogue) else {
      return send(.notice("this version of chirper does not have the catalogue \(query.catalogue)"))
    }
    leaveList()
    searchStored(nil, nil)
    listsOpened += 1
    let pager = Pager(setup.repository, query: query)
    list = BrowsedList(
      id: listsOpened, query: query, pager: pager,
      watching: Task { [eventSink, snapshots = pager.snapshots, id = listsOpened] in
        for await snapshot in snapshots { eventSink.yield(.list(id, .snapshot(snapshot))) }
      })
    send(.opened(query, catalogue))
    // Before the load begins, because the pager's first snapshot would wait for what the load reads.
    do throws(StoreError) {
      handleListEvent(.snapshot(try setup.repository.snapshot(of: query)))
    } catch {
      send(.notice(UserFacingError(error).problem))
    }
    load { await $0.start() }
  }

  /// Cancels everything that runs for the list; what was stored stays.
  func leaveList() {
    list?.cancel()
    list = nil
  }

  /// Runs a load of the open list; the snapshots show what it does.
  func load(_ body: @escaping @Sendable (Pager) async -> FetchReport?) {
    guard let list else { return }
    Task { [eventSink, pager = list.pager, id = list.id, catalogue = setup.repository.catalogue(list.query.catalogue)] in
      guard let lookup = await body(pager)?.lookup else { return }
      eventSink.yield(.list(id, .notice(lookup.text(in: catalogue))))
    }
  }

  func handleListEvent(_ event: ScreenEvent) {
    if case .snapshot(let snapshot) = event {
      // Where the rows may have changed, the next read needs a new reader.
      if list?.snapshot?.showsSameList(as: snapshot) != true { list?.reader = nil }
      list?.snapshot = snapshot
    }
    send(event)
  }
}
