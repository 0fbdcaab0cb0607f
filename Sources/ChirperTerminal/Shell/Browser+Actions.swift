import Chirper
import ChirperFormats
import ChirperModel
import Foundation

/// What the shell does for each action of the screen.
extension Browser {
  func perform(_ action: ScreenAction) {
    switch action {
    case .showQueries: showQueries()
    case .open(let query): open(query)
    case .forget(let query): forget(query)
    case .search(let text): search(text)
    case .read(let range, let source): read(range, of: source)
    case .sort(let sort):
      list?.sort = sort
      list?.reader = nil
    case .filter(let search): filter(search)
    case .searchStored(let search, let sort): searchStored(search, sort)
    case .findMatch(let search): send(.match(search, position: list?.position(of: search)))
    case .loadPage: load { await $0.loadNextPage() }
    case .refresh:
      load { pager in
        await pager.cancel()
        return await pager.refresh()
      }
    case .cancelLoad: leaveList()
    case .play(let recording): play(recording)
    case .stopPlaying: stopPlaying()
    case .openPage(let page): openPage(page)
    case .copy(let text): terminal.copy(text)
    case .export(let path, let source): export(path, of: source)
    case .redraw: terminal.invalidate()
    case .suspend: suspend()
    case .quit: exit = .quit(message: nil)
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

  private func forget(_ query: CatalogueQuery) {
    do throws(StoreError) {
      let report = try setup.repository.forget(query)
      showQueries()
      let rows = Plural.words(report?.rows ?? 0, "row")
      let recordings = Plural.words(report?.recordings ?? 0, "recording")
      let files = report.map(\.audioFiles).flatMap { $0 > 0 ? ", \(Plural.words($0, "audio file"))" : nil } ?? ""
      send(.notice("forgot \(query.typed): \(rows); deleted \(recordings) of no other list\(files)"))
    } catch {
      send(.notice(UserFacingError(error).problem))
    }
  }

  /// Searches in the catalogue of the open list, or else in the one the command passed in.
  private func search(_ text: String) {
    let catalogue = list.flatMap { setup.repository.catalogue($0.query.catalogue) } ?? setup.catalogue
    do {
      let resolver = try QueryResolver(text, catalogue: catalogue.id)
      let stored = try resolver.stored(in: setup.repository)
      open(try stored.first?.query ?? resolver.query(in: catalogue))
    } catch {
      send(.invalidSearch(text, reason: UserFacingError(library: error)?.problem ?? "\(error)"))
    }
  }

  private func openPage(_ page: URL) {
    switch PageOpener.open(page, environment: setup.environment) {
    case .opened(let address): send(.notice("opened \(address)"))
    case .failed(let reason): send(.notice(reason))
    }
  }

  private func export(_ path: String, of source: RowSource) {
    guard exporting == nil else { return send(.notice("another export is running: try again in a moment")) }
    do throws(StoreError) {
      guard let rows = try exported(source) else { return }
      send(.notice("writing \(path)"))
      exporting = Task { [eventSink, setup] in
        let message = setup.export(path, rows)
        eventSink.yield(.exported(message))
        return message
      }
    } catch {
      send(.notice(UserFacingError(error).problem))
    }
  }
}

extension Browser {
  /// `nil` where nothing is shown.
  private func exported(_ source: RowSource) throws(StoreError) -> ExportedRows? {
    if source == .found {
      guard let results = stored.results, let wanted = stored.wanted else { return nil }
      return .found(results, search: wanted.search.expression)
    }
    guard let list else { return nil }
    if source == .matches, let matches = list.matches {
      return .list(list.query, matches.reader.subset(at: matches.positions))
    }
    return .list(list.query, try setup.repository.reader(of: list.query, sort: [list.sort].compactMap(\.self)))
  }
}

/// Playing, one recording at a time.
extension Browser {
  private func play(_ recording: Recording) {
    let player: Player
    switch setup.player {
    case .success(let found): player = found
    case .failure(let missing): return send(.playback(.failed(recording.id, missing.problem)))
    }
    let before = playing
    before?.cancel()
    playbackNumber += 1
    send(.playback(.downloading(recording.id, received: 0, total: nil)))
    let (audio, eventSink, number, id) = (setup.repository.audio, eventSink, playbackNumber, recording.id)
    playing = Task {
      await before?.value
      guard !Task.isCancelled else { return }
      let file: AudioLibrary.LocalFile
      do throws(AudioError) {
        file = try await audio.file(of: recording) { received, total in
          eventSink.yield(.playback(number, .downloading(id, received: received, total: total)))
        }
      } catch {
        eventSink.yield(.playback(number, .failed(id, UserFacingError(error, id).problem)))
        return
      }
      guard !Task.isCancelled else {
        if file.isTemporary { unlink(file.url.path) }
        return
      }
      eventSink.yield(.playback(number, .playing(id)))
      switch await player.play(file) {
      case .finished: eventSink.yield(.playback(number, .finished(id)))
      case .stopped: break
      case .failed(let reason): eventSink.yield(.playback(number, .failed(id, reason)))
      }
    }
  }

  private func stopPlaying() {
    playbackNumber += 1
    playing?.cancel()
    send(.playback(.idle))
  }
}
