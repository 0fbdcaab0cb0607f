import Chirper
import ChirperFormats
import ChirperModel
import Foundation

/// What the screen asks for, done.
extension Browser {
  func perform(_ action: ScreenAction) {
    switch action {
    case .showQueries: showQueries()
    case .open(let query): open(query)
    case .search(let text): search(text)
    case .read(let range, let source): read(range, of: source)
    case .sort(let sort):
      list?.sort = sort
      list?.reader = nil
    case .filter(let text): filter(text)
    case .findMatch(let search): send(.match(search, position: list?.position(of: search)))
    case .loadPage(let page): load { await $0.fetch($1, FetchPlan(.pages(page)), observe: $2) }
    case .refresh: refresh()
    case .cancelLoad: leaveList()
    case .play(let recording): play(recording)
    case .stopPlaying: stopPlaying()
    case .openPage(let page): openPage(page)
    case .copy(let text): shell.copy(text)
    case .export(let path, let source): export(path, of: source)
    case .redraw: shell.forget()
    case .suspend: suspend()
    case .quit: exit = .quit(lastWords: nil)
    case .interrupt: exit = .signal(SIGINT)
    }
  }

  func showQueries() {
    do throws(StoreError) {
      send(.queries(try setup.repository.storedQueries()))
    } catch {
      send(.queries([]))
      send(.notice(UserFacingError(error).problem))
    }
  }

  /// In the catalogue of the list shown, or where searches start.
  private func search(_ text: String) {
    let catalogue = list?.catalogue ?? setup.catalogue
    do {
      let resolver = try QueryResolver(text, catalogue: catalogue.id)
      let stored = try resolver.stored(in: setup.repository)
      open(try stored.first?.query ?? resolver.query(in: catalogue))
    } catch {
      send(.refused(search: text, UserFacingError(library: error)?.problem ?? "\(error)"))
    }
  }

  private func openPage(_ page: URL) {
    switch PageOpener.open(page, environment: setup.environment) {
    case .opened(let address): send(.notice("opened \(address)"))
    case .refused(let reason): send(.notice(reason))
    }
  }

  private func export(_ path: String, of source: RowSource) {
    guard let list else { return }
    guard exporting == nil else { return send(.notice("another export is being written: e again in a moment")) }
    do throws(StoreError) {
      let rows =
        if source == .matches, let matches = list.matches { matches.reader.rows(at: matches.positions) } else {
          try setup.repository.reader(of: list.query, sort: list.sort)
        }
      send(.notice("writing \(path)"))
      exporting = Task { [say, setup, query = list.query] in
        let words = setup.export(path, query, rows)
        say.yield(.exported(words))
        return words
      }
    } catch {
      send(.notice(UserFacingError(error).problem))
    }
  }
}
