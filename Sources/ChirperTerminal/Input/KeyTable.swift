/// One key press, or one paste.
enum Key: Hashable, Sendable {
  case character(Character)
  /// A text from the clipboard, as one line without control characters.
  case paste(String)
  /// A letter, in lower case, held with Control.
  case control(Character)
  case enter, escape, tab, backspace, delete
  case up, down, left, right, pageUp, pageDown, home, end
}

/// Every key of the table view: the source of the key handling, the help screen and docs/browse.md.
enum KeyTable {
  enum Command: Hashable, Sendable {
    case down, up, halfPageDown, halfPageUp, pageDown, pageUp, first, last, left, right
    case open, back, search, storedSearch, filter, nextMatch, previousMatch, nextCatalogue, count
    /// Sorts by the column whose number the key is, from 1; 0 is the catalogue's own order.
    case sort(Int)
    case play, openPage, copyID, copyAddress, export, forget
    case refresh, help, redraw, suspend, quit, interrupt
  }

  /// Keys that do the same thing, as help shows them (separated by spaces), and their line of help;
  /// in its order.
  static let bindings: [(keys: [Key], command: Command, label: String, help: String)] = [
    ([.down, .character("j")], .down, "j ↓", "one row down"),
    ([.up, .character("k")], .up, "k ↑", "one row up"),
    ([.control("d")], .halfPageDown, "Ctrl-D", "half a screen down"),
    ([.control("u")], .halfPageUp, "Ctrl-U", "half a screen up"),
    ([.pageDown, .control("f")], .pageDown, "PgDn", "one screen down"),
    ([.pageUp, .control("b")], .pageUp, "PgUp", "one screen up"),
    ([.home, .character("g")], .first, "g Home", "first row"),
    ([.end, .character("G")], .last, "G End", "last stored row"),
    ([.right, .character("l")], .right, "l →", "show the columns further right"),
    ([.left, .character("h")], .left, "h ←", "show the columns further left"),
    ([.enter], .open, "Enter", "show every field of the recording, or open the stored query"),
    (
      [.escape], .back, "Esc",
      "go back: close the prompt, the pane, the search, the filter or the list"
    ),
    (
      [.character("/")], .search, "/",
      "search a catalogue; Enter starts it, ↑ and ↓ show earlier searches"
    ),
    (
      [.character("C")], .nextCatalogue, "C",
      "search the next catalogue from now on; in a list, the same query there"
    ),
    (
      [.character("s")], .storedSearch, "s",
      "search everything stored as you type, offline: words and tags, as in robin q:A; Tab completes a name"
    ),
    (
      [.character("f")], .filter, "f",
      "filter the rows shown as you type, offline, in the same language as s"
    ),
    (
      [.character("n")], .nextMatch, "n",
      "next row that matches the filter; in a recording's pane the next annotation, which p plays"
    ),
    (
      [.character("N")], .previousMatch, "N",
      "previous row that matches the filter, or the annotation before"
    ),
    (
      "1234567890".map(Key.character), .sort(0), "1…9 0",
      "sort by that column of those shown, a second time in reverse; 0 restores the catalogue's order"
    ),
    (
      [.character("c")], .count, "c",
      "count the rows shown by species, a second time by the next detail; Enter on a bar filters by it"
    ),
    ([.character("p"), .character(" ")], .play, "p Space", "play the recording, or stop it"),
    ([.character("o")], .openPage, "o", "open the recording's page in the web browser"),
    ([.character("y")], .copyID, "y", "copy the id"),
    ([.character("Y")], .copyAddress, "Y", "copy the address of the recording's page"),
    ([.character("e")], .export, "e", "export the rows shown to a file"),
    ([.character("D")], .forget, "D", "forget the selected stored query, after a question"),
    ([.character("r")], .refresh, "r", "refresh from the catalogue"),
    ([.character("?")], .help, "?", "show these keys"),
    ([.control("l")], .redraw, "Ctrl-L", "redraw the screen"),
    ([.control("z")], .suspend, "Ctrl-Z", "suspend; the shell's fg resumes"),
    ([.character("q")], .quit, "q", "close the pane, or quit"),
    ([.control("c")], .interrupt, "Ctrl-C", "quit at once, with exit code 130"),
  ]

  static func command(for key: Key) -> Command? {
    guard case .sort? = commands[key], case .character(let digit) = key else {
      return commands[key]
    }
    return digit.wholeNumberValue.map(Command.sort)
  }

  private static let commands: [Key: Command] = bindings.reduce(into: [:]) { commands, binding in
    for key in binding.keys { commands[key] = binding.command }
  }
}
