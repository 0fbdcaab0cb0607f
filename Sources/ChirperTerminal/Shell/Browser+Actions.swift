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
    case .read(let range, let filtered): read(range, filtered)
    case .sort(let sort):
      self.sort = sort
      reader = nil
    case .filter(let text): filter(text)
    case .loadPage(let page): load { await $0.fetch($1, FetchPlan(.pages(page)), observe: $2) }
    case .refresh: refresh()
    case .cancelLoad: leaveList()
    case .play(let recording): play(recording)
    case .stopPlaying: stopPlaying()
    case .openPage(let recording): openPage(of: recording)
    case .copy(let text): shell.copy(text)
    case .export(let path, let filtered): export(path, filtered)
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
    let catalogue = query.flatMap { Catalogues.named($0.catalogue) } ?? setup.catalogue
    do {
      let resolver = try QueryResolver(text, catalogue: catalogue.id)
      let stored = try resolver.stored(in: setup.repository)
      open(try stored.first?.query ?? resolver.query(in: catalogue))
    } catch {
      send(.refused(search: text, UserFacingError(library: error)?.problem ?? "\(error)"))
    }
  }

  private func openPage(of recording: Recording) {
    switch PageOpener.open(recording, environment: setup.environment) {
    case .opened(let address): send(.notice("opened \(address)"))
    case .refused(let reason): send(.notice(reason))
    }
  }

  private func export(_ path: String, _ positions: [Int]?) {
    guard let query else { return }
    guard exporting == nil else { return send(.notice("another export is being written: e again in a moment")) }
    do throws(StoreError) {
      let rows =
        if let positions, let filteredReader { filteredReader.rows(at: positions) } else {
          try setup.repository.reader(of: query, sort: sort)
        }
      send(.notice("writing \(path)"))
      exporting = Task { [say, setup] in
        let words = setup.export(path, query, rows)
        say.yield(.exported(words))
        return words
      }
    } catch {
      send(.notice(UserFacingError(error).problem))
    }
  }
}
