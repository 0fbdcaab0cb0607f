import ChirperModel
import Foundation

/// What each key does, depending on what is shown.
extension Screen {
  mutating func handle(_ key: Key) -> [ScreenAction] {
    if key == .control("c") { return [.interrupt] }
    if case .prompt(let prompt) = pane { return handle(key, in: prompt) }
    if case .question(let question) = pane { return answer(question, with: key) }
    if case .paste = key {
      showNotice("a paste needs a prompt: / and s search, f filters")
      return []
    }
    guard let command = KeyTable.command(for: key) else { return [] }
    switch command {
    case .quit where pane == .none: return [.quit]
    case .interrupt: return [.interrupt]
    case .suspend: return [.suspend]
    case .redraw: return [.redraw]
    default: break
    }
    switch pane {
    case .help, .detail:
      if let move = move(command, height: paneHeight) {
        scrollPane(move)
        return []
      }
      if case .help = pane {
        pane = .none
        return []
      }
      switch command {
      case .back, .open, .quit:
        pane = .none
        return []
      case .play, .openPage, .copyID, .copyAddress, .help: break
      default: return []
      }
    case .none, .prompt, .question: break
    }
    return run(command)
  }

  private mutating func run(_ command: KeyTable.Command) -> [ScreenAction] {
    switch command {
    case .help: pane = .help(scrolled: 0)
    // Of the list, also while a search is shown over it.
    case .search: openPrompt(.search, LineEditor(list?.query?.typed ?? "", isSelected: true))
    case .storedSearch: return openStoredSearch(isSelected: true)
    case .left, .right:
      let columns = size.columns
      table?.scrollSideways(by: command == .right ? 1 : -1, columns: columns)
    case .forget: askWhetherToForget()
    case .back: return goBack()
    case .open: return openSelected()
    case .filter, .nextMatch, .previousMatch, .sort, .export, .refresh: return runInTable(command)
    case .play, .openPage, .copyID, .copyAddress: return runOnSelected(command)
    default: move(command)
    }
    return []
  }

  private mutating func openSelected() -> [ScreenAction] {
    guard let table else { return queries.selected.map { [.open($0.query)] } ?? [] }
    guard let recording = table.selected else { return [] }
    if table.catalogue(of: recording) == nil {
      showNotice("this version of chirper does not have the catalogue \(recording.id.catalogue)")
    } else {
      pane = .detail(top: DetailPane.Position())
    }
    return []
  }

  private mutating func goBack() -> [ScreenAction] {
    if storedSearch != nil { return leaveStoredSearch() }
    guard let table else { return [] }
    if table.appliedFilter != nil { return self.table?.leaveFilter() ?? [] }
    (list, queries) = (nil, StoredQueryPane())
    return [.cancelLoad, .showQueries]
  }

  private mutating func move(_ command: KeyTable.Command) {
    let height = rowsHeight
    guard let move = move(command, height: height) else { return }
    if let count = table?.count {
      table?.selection.move(move, count: count, height: height)
    } else {
      queries.selection.move(move, count: queries.queries.count, height: height)
    }
  }

  /// How a key moves in that many lines; `nil` for keys that do not.
  private func move(_ command: KeyTable.Command, height: Int) -> Selection.Move? {
    switch command {
    case .down: .rows(1)
    case .up: .rows(-1)
    case .halfPageDown: .view(max(1, height / 2))
    case .halfPageUp: .view(-max(1, height / 2))
    case .pageDown: .view(height)
    case .pageUp: .view(-height)
    case .first: .first
    case .last: .last
    default: nil
    }
  }
}

/// Keys in a prompt.
extension Screen {
  mutating func openPrompt(_ kind: Prompt.Kind, _ editor: LineEditor) {
    pane = .prompt(Prompt(kind: kind, editor: editor))
    notice = nil
  }

  private mutating func handle(_ key: Key, in prompt: Prompt) -> [ScreenAction] {
    switch key {
    case .enter:
      // A text with a fault stays, to be corrected.
      guard prompt.fault == nil else { return [] }
      pane = .none
      return submit(prompt)
    case .escape:
      pane = .none
      switch prompt.kind {
      case .filter: return table?.leaveFilter() ?? []
      case .storedSearch: return leaveStoredSearch()
      case .search, .export: return []
      }
    case .up where prompt.kind == .search, .down where prompt.kind == .search:
      var edited = prompt
      edited.showSearch(of: searches, older: key == .up)
      pane = .prompt(edited)
      return []
    // Keys that move in the list also do so while a filter or a search of everything stored is typed.
    case .up, .down, .pageUp, .pageDown:
      if prompt.kind.isLive, let command = KeyTable.command(for: key) { move(command) }
      return []
    default:
      var edited = prompt
      edited.editor.handle(key)
      edited.recalled = nil
      let isChanged = edited.editor.text != prompt.editor.text
      pane = .prompt(edited)
      return isChanged && prompt.kind.isLive ? applyTyped(edited) : []
    }
  }

  /// Shows the rows that a typed text finds. Where it is not in the language, the prompt shows why, and the rows are those of
  /// what comes before: a tag that is half typed does not empty the table.
  private mutating func applyTyped(_ prompt: Prompt) -> [ScreenAction] {
    var prompt = prompt
    let text = prompt.editor.text
    var search: TypedExpression?
    do throws(SearchExpressionError) {
      prompt.fault = nil
      if !text.allSatisfy(\.isWhitespace) { search = try TypedExpression(text) }
    } catch {
      prompt.fault = TypedExpression.Fault(error)
      search = try? TypedExpression(String(text.prefix(error.position - 1)))
    }
    pane = .prompt(prompt)
    if prompt.fault != nil, search == nil || search == table?.filter?.search { return [] }
    return table?.setFilter(search) ?? []
  }

  /// Whether a text is being typed that the rows follow.
  var isTypingSearch: Bool {
    if case .prompt(let prompt) = pane { prompt.kind.isLive } else { false }
  }

  /// A text that is in the language asks for what is not stored.
  mutating func refuse(_ text: String, _ fault: TypedExpression.Fault) {
    if case .prompt(var prompt) = pane, prompt.kind.isLive, prompt.editor.text == text {
      prompt.fault = fault
      pane = .prompt(prompt)
    }
    table?.failFilter(text, fault.text)
  }

  /// - Parameter isSelected: whether typing replaces the text.
  private mutating func openStoredSearch(isSelected: Bool) -> [ScreenAction] {
    openPrompt(.storedSearch, LineEditor(lastStoredSearch, isSelected: isSelected))
    guard storedSearch == nil, case .prompt(let prompt) = pane else { return [] }
    storedSearch = RecordingTable(.everythingStored)
    return lastStoredSearch.isEmpty ? [] : applyTyped(prompt)
  }

  private mutating func leaveStoredSearch() -> [ScreenAction] {
    storedSearch = nil
    return [.searchStored(nil, nil)]
  }

  private mutating func submit(_ prompt: Prompt) -> [ScreenAction] {
    let text = prompt.editor.text
    switch prompt.kind {
    case .search:
      guard !text.allSatisfy(\.isWhitespace) else { return [] }
      remember(search: text)
      return [.search(text)]
    case .storedSearch:
      guard storedSearch?.filter != nil else { return leaveStoredSearch() }
      lastStoredSearch = text
      return []
    case .filter: return []
    case .export:
      guard !text.isEmpty, let table else { return [] }
      if table.appliedFilter?.isComplete == false {
        let search = table.query == nil ? "search" : "filter"
        showNotice(
          table.appliedFilter?.failure == nil
            ? "the \(search) is still running: try again in a moment" : "the \(search) did not read every row")
        return []
      }
      return [.export(path: text, of: table.shownRows)]
    }
  }
}

/// Forgetting a stored query.
extension Screen {
  private mutating func askWhetherToForget() {
    guard table == nil else { return showNotice("Esc goes to the stored queries, where D forgets one") }
    guard let stored = queries.selected else { return showNotice("nothing is stored to forget") }
    pane = .question(Question(stored: stored))
    notice = nil
  }

  private mutating func answer(_ question: Question, with key: Key) -> [ScreenAction] {
    pane = .none
    switch key {
    case .character("y"), .character("Y"): return [.forget(question.stored.query)]
    default:
      showNotice("\(question.stored.query.typed) is kept")
      return []
    }
  }
}

/// Keys that only a table has: for the list and for the selected recording.
extension Screen {
  private mutating func runInTable(_ command: KeyTable.Command) -> [ScreenAction] {
    guard let table else {
      showNotice("open a list first: Enter")
      return []
    }
    switch command {
    case .filter:
      // What was found is narrowed by a longer search.
      if table.query == nil { return openStoredSearch(isSelected: false) }
      openPrompt(.filter, LineEditor(table.filter?.text ?? "", isSelected: true))
      // A filter that was left is applied again.
      if let search = table.filter?.search, table.appliedFilter == nil { return self.table?.setFilter(search) ?? [] }
    case .nextMatch, .previousMatch: return goToMatch(forward: command == .nextMatch)
    case .sort(let number):
      let columns = size.columns
      return self.table?.sort(byColumn: number, columns: columns) ?? []
    case .export:
      if table.count == 0 {
        showNotice("no rows to export")
      } else {
        openPrompt(.export, LineEditor(table.exportName, isSelected: true))
      }
    case .refresh where table.query == nil: return self.table?.searchAgain() ?? []
    case .refresh:
      // The refresh cancels a page that is being loaded, which may then be requested again.
      self.table?.requestedPage = nil
      return [.refresh]
    default: break
    }
    return []
  }

  private mutating func goToMatch(forward: Bool) -> [ScreenAction] {
    guard let table, let filter = table.filter else {
      showNotice("no filter is set: f sets one")
      return []
    }
    let here = table.selection.selected
    guard filter.isApplied else { return [.findMatch(forward ? .after(here) : .before(here))] }
    // Every row shown is a match.
    let next = here + (forward ? 1 : -1)
    selectMatch((0..<table.count).contains(next) ? next : nil, forward: forward)
    return []
  }

  /// Goes to the match that was found, or leaves the filter there.
  mutating func goTo(_ match: WantedMatch, at position: Int?) {
    switch match {
    // Without an applied filter the answer is late.
    case .index: if table?.appliedFilter != nil { table?.leaveFilter(at: position ?? 0) }
    case .after: selectMatch(position, forward: true)
    case .before: selectMatch(position, forward: false)
    }
  }

  private mutating func selectMatch(_ position: Int?, forward: Bool) {
    guard let position else { return showNotice(forward ? "no match further down" : "no match further up") }
    table?.selection.selected = position
  }

  private mutating func runOnSelected(_ command: KeyTable.Command) -> [ScreenAction] {
    guard let table, let recording = table.selected else { return [] }
    switch command {
    case .play:
      switch playback {
      case .playing(recording.id), .downloading(recording.id, received: _, total: _): return [.stopPlaying]
      default: return [.play(recording)]
      }
    case .openPage:
      guard let page = table.catalogue(of: recording).flatMap(recording.page) else {
        showNotice("\(recording.id.value) has no page that can be opened")
        return []
      }
      return [.openPage(page)]
    case .copyID:
      let id = recording.id.value
      guard !id.unicodeScalars.contains(where: JSONText.isControl) else {
        showNotice("\(id) contains control characters and was not copied")
        return []
      }
      showNotice("copied \(id)")
      return [.copy(id)]
    case .copyAddress:
      guard let page = table.catalogue(of: recording).flatMap(recording.page) else {
        showNotice("\(recording.id.value) has no page that can be copied")
        return []
      }
      showNotice("copied \(page.absoluteString)")
      return [.copy(page.absoluteString)]
    default: return []
    }
  }
}

extension Screen.Prompt.Kind {
  /// Whether the rows follow each letter, in the language of docs/search.md.
  var isLive: Bool { self == .filter || self == .storedSearch }
}

extension RecordingTable {
  /// A file name made of the letters and digits of the query or of the search.
  fileprivate var exportName: String {
    let words = (query?.text ?? filter?.text ?? "").unicodeScalars.split {
      !$0.properties.isAlphabetic && $0.properties.numericType == nil
    }
    let name = words.map { String($0) }.joined(separator: "-").prefix(60)
    return (name.isEmpty ? "recordings" : String(name)) + ".csv"
  }
}

extension Recording {
  /// Its page for people, where the catalogue gives one that is safe to open: HTTPS, and no user before the host.
  fileprivate func page(in catalogue: Catalogue) -> URL? {
    guard let url = catalogue.details(of: self).pageURL.flatMap({ URL(string: $0) }), url.scheme?.lowercased() == "https",
      url.host() != nil, url.user == nil
    else { return nil }
    return url
  }
}
