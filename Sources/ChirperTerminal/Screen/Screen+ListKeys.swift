import ChirperModel

/// Keys that only a table has: those for the list and those for the selected recording.
extension Screen {
  mutating func inList(_ command: KeyTable.Command) -> [ScreenAction] {
    guard let table = isTable else {
      say("open a list first: Enter")
      return []
    }
    switch command {
    case .filter: ask(.filter, LineEditor(table.filter?.text ?? ""))
    case .nextMatch, .previousMatch:
      if table.filter == nil {
        say("no filter to go by: f sets one")
      } else {
        var found = false
        let actions = inTable {
          found = $0.goToMatch(forward: command == .nextMatch); return []
        }
        if !found { say(command == .nextMatch ? "no match further down" : "no match further up") }
        return actions
      }
    case .sort(let number): return inTable { $0.sort(byColumn: number) }
    case .export:
      if table.count == 0 { say("no rows to export") } else { ask(.export, LineEditor(table.exportName)) }
    case .refresh:
      return inTable { table in
        // A page that was asked for before may have been given up for this.
        table.pageAsked = nil
        return [.refresh]
      }
    default: break
    }
    return []
  }

  mutating func withSelected(_ command: KeyTable.Command) -> [ScreenAction] {
    guard let table = isTable, let recording = table.selected else { return [] }
    switch command {
    case .play:
      switch playback {
      case .playing(recording.id), .fetching(recording.id, received: _, total: _): return [.stopPlaying]
      default: return [.play(recording)]
      }
    case .openPage: return [.openPage(recording)]
    case .copyID:
      let id = recording.id.value
      guard !id.unicodeScalars.contains(where: JSONText.isControl) else {
        say("\(id) holds control characters: not copied")
        return []
      }
      say("copied \(id)")
      return [.copy(id)]
    case .copyAddress:
      guard let page = recording.page(in: table.catalogue) else {
        say("\(recording.id.value) has no page that can be copied")
        return []
      }
      say("copied \(page.absoluteString)")
      return [.copy(page.absoluteString)]
    default: return []
    }
  }
}

extension RecordingTable {
  /// A file name that the query makes: its letters and digits.
  var exportName: String {
    let words = query.text.unicodeScalars.split { !$0.properties.isAlphabetic && $0.properties.numericType == nil }
    let name = words.map { String($0) }.joined(separator: "-").prefix(60)
    return (name.isEmpty ? "recordings" : String(name)) + ".csv"
  }
}
