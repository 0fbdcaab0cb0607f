import ChirperModel
import Foundation

/// The effect of each key, depending on the state of the screen.
extension Screen {
  mutating func handle(_ key: Key) {
    if key == .control("c") { return actions.append(.interrupt) }
    if case .prompt(let prompt) = pane { return handle(key, in: prompt) }
    if case .question(let stored) = pane { return answer(stored, with: key) }
    if case .paste = key { return showNotice("a paste needs a prompt: / and s search, f filters") }
    guard let command = KeyTable.command(for: key) else { return }
    switch command {
    case .suspend: actions.append(.suspend)
    case .redraw: actions.append(.redraw)
    case .quit where pane == .none: actions.append(.quit)
    default: if pane == .none { run(command) } else { runInPane(command) }
    }
  }

  private mutating func runInPane(_ command: KeyTable.Command) {
    if case .counts(let counts) = pane { return run(command, in: counts) }
    if let move = move(command, height: paneHeight) { return scrollPane(move) }
    guard paneText?.recording != nil else { return pane = .none }
    switch command {
    case .back, .open, .quit: pane = .none
    case .nextMatch, .previousMatch: chooseAnnotation(further: command == .nextMatch)
    case .play, .openPage, .copyID, .copyAddress, .help: run(command)
    default: break
    }
  }

  private mutating func run(_ command: KeyTable.Command) {
    switch command {
    case .help: openPane(.keys)
    // Of the list, also while a search is shown over it.
    case .search: openPrompt(.search, LineEditor(list?.query?.typed ?? "", isSelected: true))
    case .storedSearch: openStoredSearch(isSelected: true)
    case .left, .right:
      let columns = size.columns
      table?.scrollSideways(by: command == .right ? 1 : -1, columns: columns)
    case .count: openCounts()
    case .nextCatalogue: actions.append(.nextCatalogue)
    case .forget: askWhetherToForget()
    case .back: goBack()
    case .open: openSelected()
    case .sort(let number) where offers.indices.contains(number - 1): begin(offers[number - 1])
    case .filter, .nextMatch, .previousMatch, .sort, .export, .refresh: runInTable(command)
    case .play, .openPage, .copyID, .copyAddress: runOnSelected(command)
    default: move(command)
    }
  }

  /// Fetches the first list of a catalogue.
  private mutating func begin(_ catalogue: Catalogue) {
    if let missing = missingKey(of: catalogue) { return showNotice(missing) }
    let query = catalogue.firstList.map { "\(catalogue.id.rawValue):\($0.query)" }
    actions += query.map { [.search($0)] } ?? []
  }

  private mutating func openSelected() {
    guard let table else { return actions += queries.selected.map { [.open($0.query)] } ?? [] }
    guard let row = table.selectedRow else {
      if searchMeant() { return }
      if table.count == 0, let suggestion = table.suggestion {
        actions.append(.search(suggestion.name))
      }
      return
    }
    guard let catalogue = table.catalogue(of: row.recording) else {
      return showNotice(
        "this version of chirper does not have the catalogue \(row.recording.id.catalogue)")
    }
    openPane(
      PaneText(recording: row.recording, catalogue: catalogue, lists: row.lists, names: names))
  }

  /// Searches for the text that was probably meant by one that finds nothing; returns whether there
  /// is one.
  @discardableResult
  private mutating func searchMeant() -> Bool {
    guard let meant = table?.appliedFilter?.answer.meant,
      let search = try? TypedExpression(meant)
    else { return false }
    if storedSearch != nil { lastStoredSearch = meant }
    actions += table?.setFilter(search) ?? []
    return true
  }

  private mutating func goBack() {
    if leaveBar() { return }
    if storedSearch != nil { return leaveStoredSearch() }
    guard let table else { return }
    if table.appliedFilter != nil { return actions += self.table?.leaveFilter() ?? [] }
    list = nil
    queries = StoredQueryPane()
    actions += [.cancelLoad, .showQueries]
  }

  private mutating func move(_ command: KeyTable.Command) {
    let height = rowsHeight
    guard let move = move(command, height: height) else { return }
    if let count = table?.count {
      table?.cursor.move(move, count: count, height: height)
    } else {
      queries.cursor.move(move, count: queries.queries.count, height: height)
    }
  }

  /// The move by which a key goes through `height` visible lines; `nil` for keys that do
  /// not move.
  func move(_ command: KeyTable.Command, height: Int) -> Cursor.Move? {
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

  private mutating func handle(_ key: Key, in prompt: Prompt) {
    switch key {
    case .enter:
      // A text with a fault stays, to be corrected.
      guard prompt.fault == nil else { return }
      pane = .none
      submit(prompt)
    case .escape:
      pane = .none
      switch prompt.kind {
      case .filter: actions += table?.leaveFilter() ?? []
      case .storedSearch: leaveStoredSearch()
      case .search, .export: break
      }
    case .up where prompt.kind == .search, .down where prompt.kind == .search:
      var edited = prompt
      edited.showSearch(of: searches, older: key == .up)
      pane = .prompt(edited)
    // Keys that move in the list also do so while a filter or a search of everything stored is
    // typed.
    case .up, .down, .pageUp, .pageDown:
      if prompt.kind.isLive, let command = KeyTable.command(for: key) { move(command) }
    case .tab where prompt.kind != .export:
      if prompt.completions.contains(prompt.editor.text) { return showCompletion(of: prompt) }
      actions.append(.complete(prompt.editor.text))
    default:
      var edited = prompt
      edited.editor.handle(key)
      edited.recalled = nil
      edited.completions = []
      let isChanged = edited.editor.text != prompt.editor.text
      pane = .prompt(edited)
      if isChanged, prompt.kind.isLive { applyTyped(edited) }
    }
  }

  /// Shows the next completion of what was typed.
  mutating func showCompletion(of prompt: Prompt) {
    var prompt = prompt
    prompt.complete()
    pane = .prompt(prompt)
    if prompt.kind.isLive { applyTyped(prompt) }
  }

  /// Shows the rows that a typed text finds. If the text is not in the language, the prompt
  /// shows why, and the rows are those of the part before the fault: a tag that is half
  /// typed does not empty the table.
  private mutating func applyTyped(_ prompt: Prompt) {
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
    if prompt.fault != nil, search == nil || search == table?.filter?.search { return }
    actions += table?.setFilter(search) ?? []
  }

  /// Whether a text is being typed that the rows follow.
  var isTypingSearch: Bool {
    if case .prompt(let prompt) = pane { prompt.kind.isLive } else { false }
  }

  /// Shows the fault of a text that is in the language but asks for a list that is not
  /// stored.
  mutating func refuse(_ text: String, _ fault: TypedExpression.Fault) {
    if case .prompt(var prompt) = pane, prompt.kind.isLive, prompt.editor.text == text {
      prompt.fault = fault
      pane = .prompt(prompt)
    }
    table?.failFilter(text, fault.text)
  }

  private mutating func openStoredSearch(isSelected: Bool) {
    openPrompt(.storedSearch, LineEditor(lastStoredSearch, isSelected: isSelected))
    guard storedSearch == nil, case .prompt(let prompt) = pane else { return }
    storedSearch = RecordingTable(.everythingStored)
    if !lastStoredSearch.isEmpty { applyTyped(prompt) }
  }

  private mutating func leaveStoredSearch() {
    storedSearch = nil
    actions.append(.searchStored(nil, nil))
  }

  private mutating func submit(_ prompt: Prompt) {
    let text = prompt.editor.text
    switch prompt.kind {
    case .search:
      guard !text.allSatisfy(\.isWhitespace) else { return }
      remember(search: text)
      actions.append(.search(text))
    case .storedSearch:
      guard storedSearch?.filter != nil else { return leaveStoredSearch() }
      lastStoredSearch = text
      searchMeant()
    case .filter: searchMeant()
    case .export:
      guard !text.isEmpty, let table else { return }
      guard let filter = table.appliedFilter, !filter.answer.isComplete else {
        return actions.append(.export(path: text, of: table.shownRows))
      }
      let search = table.query == nil ? "search" : "filter"
      showNotice(
        filter.failure == nil
          ? "the \(search) is still running: try again in a moment"
          : "the \(search) did not read every row")
    }
  }
}

extension Screen {
  private mutating func askWhetherToForget() {
    guard table == nil else {
      return showNotice("Esc goes to the stored queries, where D forgets one")
    }
    guard let stored = queries.selected else { return showNotice("nothing is stored to forget") }
    pane = .question(stored)
    notice = nil
  }

  private mutating func answer(_ stored: StoredQuery, with key: Key) {
    pane = .none
    switch key {
    case .character("y"), .character("Y"): actions.append(.forget(stored.query))
    default: showNotice("\(stored.query.typed) is kept")
    }
  }
}

/// Keys that only a table has: for the list and for the selected recording.
extension Screen {
  private mutating func runInTable(_ command: KeyTable.Command) {
    guard let table else { return showNotice("open a list first: Enter") }
    switch command {
    case .filter:
      // What was found is narrowed by a longer search.
      if table.query == nil { return openStoredSearch(isSelected: false) }
      openPrompt(.filter, LineEditor(table.filter?.text ?? "", isSelected: true))
      // A filter that was left is applied again.
      if let search = table.filter?.search, table.appliedFilter == nil {
        actions += self.table?.setFilter(search) ?? []
      }
    case .nextMatch, .previousMatch: goToMatch(in: table, forward: command == .nextMatch)
    case .sort(let number):
      let columns = size.columns
      actions += self.table?.sort(byColumn: number, columns: columns) ?? []
    case .export where table.count == 0: showNotice("no rows to export")
    case .export: openPrompt(.export, LineEditor(table.exportName, isSelected: true))
    case .refresh where table.query == nil: actions += self.table?.searchAgain() ?? []
    case .refresh:
      // The refresh cancels a page that is being loaded, which may then be requested again.
      self.table?.requestedPage = nil
      actions.append(.refresh)
    default: break
    }
  }

  private mutating func goToMatch(in table: RecordingTable, forward: Bool) {
    guard let filter = table.filter else { return showNotice("no filter is set: f sets one") }
    let here = table.cursor.selected
    guard filter.isApplied else {
      return actions.append(.findMatch(forward ? .after(here) : .before(here)))
    }
    // Every row shown is a match.
    let next = here + (forward ? 1 : -1)
    selectMatch((0..<table.count).contains(next) ? next : nil, forward: forward)
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
    guard let position else {
      return showNotice(forward ? "no match further down" : "no match further up")
    }
    table?.cursor.selected = position
  }

  private mutating func runOnSelected(_ command: KeyTable.Command) {
    guard let table, let recording = table.selected else { return }
    let id = recording.id.value
    var page: URL? { table.catalogue(of: recording).flatMap(recording.page) }
    switch command {
    case .play:
      switch playback {
      case .playing(recording.id, part: _), .downloading(recording.id, received: _, total: _):
        actions.append(.stopPlaying)
      default: actions.append(.play(recording, part: paneText?.chosenPart))
      }
    case .openPage:
      guard let page else { return showNotice("\(id) has no page that can be opened") }
      actions.append(.openPage(page))
    case .copyID:
      guard !id.unicodeScalars.contains(where: PlainLine.isControl) else {
        return showNotice("\(id) contains control characters and was not copied")
      }
      copy(id)
    case .copyAddress:
      guard let page else { return showNotice("\(id) has no page that can be copied") }
      copy(page.absoluteString)
    default: break
    }
  }

  private mutating func copy(_ text: String) {
    showNotice("copied \(text)")
    actions.append(.copy(text))
  }
}

extension Screen.Prompt.Kind {
  /// Whether the rows follow each letter, in the language of docs/search.md.
  var isLive: Bool { self == .filter || self == .storedSearch }
}

extension RecordingTable {
  /// A file name made of the letters and digits of the query or of the search.
  fileprivate var exportName: String {
    let words = (query?.identity ?? filter?.text ?? "").unicodeScalars.split {
      !$0.properties.isAlphabetic && $0.properties.numericType == nil
    }
    let name = words.map { String($0) }.joined(separator: "-").prefix(60)
    return (name.isEmpty ? "recordings" : String(name)) + ".csv"
  }
}

extension Recording {
  /// The recording's page for people, if the catalogue gives one that is safe to open: an
  /// address of the web, without a user before the host.
  fileprivate func page(in catalogue: Catalogue) -> URL? {
    guard let url = catalogue.details(of: self).pageAddress.flatMap({ URL(string: $0) }),
      ["https", "http"].contains(url.scheme?.lowercased()), url.host() != nil, url.user == nil
    else { return nil }
    return url
  }
}
