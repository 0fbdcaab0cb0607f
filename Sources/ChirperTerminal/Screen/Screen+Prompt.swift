import ChirperModel

/// The line at the bottom that is typed into.
extension Screen {
  mutating func type(_ key: Key, into prompt: inout Prompt) -> [ScreenAction] {
    switch key {
    case .enter:
      pane = .none
      return finish(prompt)
    case .escape:
      pane = .none
      return prompt.kind == .filter ? inTable { $0.leaveFilter() } : []
    // What moves in the list does so below a filter too.
    case .up, .down, .pageUp, .pageDown:
      guard prompt.kind == .filter, let command = KeyTable.command(for: key) else { return [] }
      pane = .none
      move(command)
      pane = .prompt(prompt)
      return []
    default:
      let before = prompt.editor.text
      prompt.editor.handle(key)
      pane = .prompt(prompt)
      guard prompt.kind == .filter, prompt.editor.text != before else { return [] }
      let text = prompt.editor.text
      return inTable { $0.setFilter(text) }
    }
  }

  private mutating func finish(_ prompt: Prompt) -> [ScreenAction] {
    let text = prompt.editor.text
    switch prompt.kind {
    case .search: return text.allSatisfy(\.isWhitespace) ? [] : [.search(text)]
    case .filter: return []
    case .export:
      guard !text.isEmpty, let table = isTable else { return [] }
      if table.appliedFilter?.isComplete == false {
        say("the filter still looks through the rows: e again in a moment")
        return []
      }
      return [.export(path: text, of: table.rowSource)]
    }
  }
}
