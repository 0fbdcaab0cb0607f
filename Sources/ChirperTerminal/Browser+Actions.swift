import Chirper
import ChirperFormats
import ChirperModel
import Foundation

/// The work of the shell for each action of the screen.
extension Browser {
  func perform(_ action: ScreenAction) {
    switch action {
    case .showQueries: showQueries()
    case .open(let query): open(query)
    case .forget(let query): forget(query)
    case .search(let text):
      // The catalogue of the open list, unless the text names one.
      search(text, in: list.flatMap { repository.catalogue($0.query.catalogue) } ?? catalogue)
    case .nextCatalogue: nextCatalogue()
    case .read(let range, let shown): read(range, of: shown)
    case .sort(let sort):
      list?.sort = sort
      list?.reader = nil
    case .filter(let search): filter(search)
    case .searchStored(let search, let sort): searchStored(search, sort)
    case .complete(let text): complete(text)
    case .findMatch(let match): send(.match(match, position: list?.position(of: match)))
    case .count(let key, let shown): count(key, of: shown)
    case .loadPage: load { await $0.loadNextPage() }
    case .refresh:
      load { pager in
        await pager.cancel()
        return await pager.refresh()
      }
    case .cancelLoad: leaveList()
    case .play(let recording, let part): play(recording, part)
    case .stopPlaying:
      playing.cancel()
      send(.playback(.idle))
    case .openPage(let page): openPage(page)
    case .copy(let text): terminal.copy(text)
    case .export(let path, let shown): startExport(path, of: shown)
    case .redraw: terminal.invalidate()
    case .suspend: suspend()
    case .quit: exit = .quit(message: nil)
    case .interrupt: exit = .signal(SIGINT)
    }
  }

  func showQueries() {
    do throws(StoreError) {
      send(.queries(try repository.storedQueries()))
    } catch {
      send(.queries([]))
      send(.notice(UserFacingError(error).problem))
    }
  }

  private func forget(_ query: CatalogueQuery) {
    do throws(StoreError) {
      let report = try repository.forget(query)
      showQueries()
      let rows = Plural.words(report?.rows ?? 0, "row")
      let recordings = Plural.words(report?.recordings ?? 0, "recording")
      let files =
        report.map(\.audioFiles).flatMap { $0 > 0 ? ", \(Plural.words($0, "audio file"))" : nil }
        ?? ""
      let left =
        report.map(\.audioLinks).flatMap {
          $0 > 0 ? "; left what \(Plural.words($0, "link")) led to" : nil
        } ?? ""
      send(
        .notice(
          "forgot \(query.typed): \(rows); deleted \(recordings) of no other list\(files)\(left)"))
    } catch {
      send(.notice(UserFacingError(error).problem))
    }
  }

  /// Opens the list of a typed text, in the catalogue that it names or else in that one.
  func search(_ text: String, in catalogue: Catalogue) {
    do {
      let typed = try TypedText(text, otherwise: catalogue.id)
      let stored = try typed.stored(in: repository)
      let asked = typed.catalogue.flatMap(repository.catalogue) ?? catalogue
      open(
        try stored.first { $0.count > 0 }?.query ?? typed.query(in: asked, stored: stored))
    } catch {
      send(.invalidSearch(text, reason: UserFacingError.of(error).problem))
    }
  }

  private func openPage(_ page: URL) {
    let problem = WebBrowser.open(page.absoluteString, environment)
    send(.notice(problem.map { "\($0): Y copies its address" } ?? "opened \(page.absoluteString)"))
  }

  private func complete(_ text: String) {
    completing.start { [eventSink, repository] turn in
      let found = (try? repository.completions(of: text)) ?? []
      if !found.isEmpty {
        eventSink.yield(.answer(turn) { $0.send(.completions(found + [text])) })
      }
    }
  }

  private func count(_ key: CountKey, of shown: ShownRows) {
    guard let selection = exported(shown) else { return }
    counting.start { [eventSink, repository] turn in
      do {
        let counts = try repository.rows(of: selection).counts(by: [key])
        eventSink.yield(.answer(turn) { $0.send(.counts(counts)) })
      } catch is CancellationError {
      } catch {
        let problem = UserFacingError.of(error).problem
        eventSink.yield(.answer(turn) { $0.send(.notice(problem)) })
      }
    }
  }

  private func startExport(_ path: String, of shown: ShownRows) {
    guard exporting == nil else {
      return send(.notice("another export is running: try again in a moment"))
    }
    guard let selection = exported(shown) else { return }
    send(.notice("writing \(path)"))
    exporting = Task(executorPreference: QueueExecutor("chirper.export")) {
      [eventSink, export, repository] in
      let message = export(repository, path, selection)
      eventSink.yield(.exported(message))
      return message
    }
  }

  /// The rows to export; `nil` if nothing is shown. A file has the order as stored unless the rows
  /// are sorted.
  private func exported(_ shown: ShownRows) -> Selection? {
    var selection = Selection()
    if shown == .found {
      guard let wanted = stored.wanted else { return nil }
      selection.searches = [wanted.search.text]
      selection.sort = [wanted.sort].compactMap(\.self)
      return selection
    }
    guard let list else { return nil }
    selection.lists = [.query(list.query)]
    selection.sort = [list.sort].compactMap(\.self)
    if shown == .matches, let matches = list.matches { selection.searches = [matches.search] }
    return selection
  }
}

/// Playing, one recording at a time.
extension Browser {
  private func play(_ recording: Recording, _ part: ClosedRange<Double>?) {
    let player: Player
    do throws(UserFacingError) {
      player = try self.player.get()
    } catch {
      return send(.playback(.failed(recording.id, error.problem)))
    }
    if part != nil, !player.playsParts {
      send(.notice("\(player.name) cannot play a part of a file, so the whole recording plays"))
    }
    send(.playback(.downloading(recording.id, received: 0, total: nil)))
    let audio = repository.audio
    let before = playing
    playing.start { [eventSink] turn in
      @Sendable func show(_ playback: Playback) {
        eventSink.yield(.answer(turn) { $0.show(playback) })
      }
      await before.end()
      guard !Task.isCancelled else { return }
      await Self.play(recording, player.playsParts ? part : nil, audio, player, show)
    }
  }

  private static func play(
    _ recording: Recording, _ part: ClosedRange<Double>?, _ audio: AudioLibrary, _ player: Player,
    _ show: @escaping @Sendable (Playback) -> Void
  ) async {
    let id = recording.id
    let file: AudioLibrary.LocalFile
    do throws(AudioError) {
      file = try await audio.file(of: recording) { received, total in
        show(.downloading(id, received: received, total: total))
      }
    } catch {
      return show(.failed(id, UserFacingError(error, id).problem))
    }
    guard !Task.isCancelled else {
      if file.isTemporary { unlink(file.url.path) }
      return
    }
    show(.playing(id, part: part))
    switch await player.play(file, part: part) {
    case .finished: show(.finished(id))
    case .stopped: break
    case .failed(let reason): show(.failed(id, reason))
    }
  }

  private func show(_ playback: Playback) {
    if case .playing(let id, part: _) = playback, repository.audio.hasDownloaded(id) {
      send(.downloaded(id))
    }
    send(.playback(playback))
  }
}
