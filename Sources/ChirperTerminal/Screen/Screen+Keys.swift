import ChirperModel

/// What each key does, by what stands in front.
extension Screen {
  mutating func press(_ key: Key) -> [ScreenAction] {
    if key == .control("c") { return [.interrupt] }
    if case .prompt(var prompt) = pane { return type(key, into: &prompt) }
    guard let command = KeyTable.command(for: key) else { return [] }
    switch command {
    case .quit where pane == .none: return [.quit]
    case .interrupt: return [.interrupt]
    case .suspend: return [.suspend]
    case .redraw: return [.redraw]
    default: break
    }
    switch pane {
    case .help(let scrolled), .detail(let scrolled):
      if let lines = scroll(command) {
        scrollPane(to: scrolled + lines)
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
    case .none, .prompt: break
    }
    return run(command)
  }

  private mutating func run(_ command: KeyTable.Command) -> [ScreenAction] {
    switch command {
    case .help: pane = .help(scrolled: 0)
    case .search: ask(.search, LineEditor(isTable?.query.typed ?? ""))
    case .back: return goBack()
    case .open: return open()
    case .filter, .nextMatch, .previousMatch, .sort, .export, .refresh: return inList(command)
    case .play, .openPage, .copyID, .copyAddress: return withSelected(command)
    default: move(command)
    }
    return []
  }

  mutating func ask(_ kind: Prompt.Kind, _ editor: LineEditor) {
    pane = .prompt(Prompt(kind: kind, editor: editor))
    notice = nil
  }

  private mutating func open() -> [ScreenAction] {
    switch place {
    case .queries(let list): return list.selected.map { [.open($0.query)] } ?? []
    case .table(let table):
      if table.selected != nil { pane = .detail(scrolled: 0) }
      return []
    }
  }

  private mutating func goBack() -> [ScreenAction] {
    guard let table = isTable else { return [] }
    if table.appliedFilter != nil { return inTable { $0.leaveFilter() } }
    place = .queries(QueryList())
    return [.cancelLoad, .showQueries]
  }

  mutating func move(_ command: KeyTable.Command) {
    let height = rowsHeight
    func moved(_ selection: inout Selection, count: Int) {
      switch command {
      case .down: selection.move(by: 1, count: count, height: height)
      case .up: selection.move(by: -1, count: count, height: height)
      case .pageDown: selection.movePage(by: 1, count: count, height: height)
      case .pageUp: selection.movePage(by: -1, count: count, height: height)
      case .first: selection.select(0, count: count, height: height)
      case .last: selection.select(count - 1, count: count, height: height)
      default: break
      }
    }
    if case .queries(var list) = place {
      moved(&list.selection, count: list.queries.count)
      place = .queries(list)
    }
    _ = inTable {
      moved(&$0.selection, count: $0.count); return []
    }
  }

  /// Lines that a moving key scrolls a pane; `nil` for other keys.
  private func scroll(_ command: KeyTable.Command) -> Int? {
    switch command {
    case .down: 1
    case .up: -1
    case .pageDown: paneHeight
    case .pageUp: -paneHeight
    case .first: -1_000_000
    case .last: 1_000_000
    default: nil
    }
  }

  var isTable: RecordingTable? {
    guard case .table(let table) = place else { return nil }
    return table
  }
}
