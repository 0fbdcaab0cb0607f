import ChirperModel
import Foundation

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
      return goToMatch(forward: command == .nextMatch)
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

  private mutating func goToMatch(forward: Bool) -> [ScreenAction] {
    guard let table = isTable, let filter = table.filter else {
      say("no filter is set: f sets one")
      return []
    }
    let here = table.selection.selected
    guard filter.isApplied else { return [.findMatch(forward ? .after(here) : .before(here))] }
    // Every row shown is a match.
    let next = here + (forward ? 1 : -1)
    if (0..<table.count).contains(next) { selectRow(next) } else { sayNoMatch(forward: forward) }
    return []
  }

  /// Goes to the match that was found, or leaves the filter at it.
  mutating func goTo(_ match: MatchSearch, at position: Int?) {
    switch match {
    case .index:
      _ = inTable {
        if $0.appliedFilter != nil { $0.leaveFilter(at: position ?? 0) }
        return []
      }
    case .after: if let position { selectRow(position) } else { sayNoMatch(forward: true) }
    case .before: if let position { selectRow(position) } else { sayNoMatch(forward: false) }
    }
  }

  private mutating func selectRow(_ position: Int) {
    _ = inTable {
      $0.selection.selected = position; return []
    }
  }

  private mutating func sayNoMatch(forward: Bool) {
    say(forward ? "no match further down" : "no match further up")
  }

  mutating func withSelected(_ command: KeyTable.Command) -> [ScreenAction] {
    guard let table = isTable, let recording = table.selected else { return [] }
    switch command {
    case .play:
      switch playback {
      case .playing(recording.id), .fetching(recording.id, received: _, total: _): return [.stopPlaying]
      default: return [.play(recording)]
      }
    case .openPage:
      guard let page = recording.page(in: table.catalogue) else {
        say("\(recording.id.value) has no page that can be opened")
        return []
      }
      return [.openPage(page)]
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

extension Recording {
  /// Its page for people, where the catalogue gives one that is safe to hand on: HTTPS, nothing before the host.
  func page(in catalogue: Catalogue) -> URL? {
    guard let url = catalogue.details(of: self).pageURL.flatMap({ URL(string: $0) }), url.scheme?.lowercased() == "https",
      url.host() != nil, url.user == nil
    else { return nil }
    return url
  }
}
