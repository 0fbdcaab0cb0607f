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
  /// What a key does.
  enum Command: Hashable, Sendable {
    case down, up, halfPageDown, halfPageUp, pageDown, pageUp, first, last, left, right
    case open, back, search, storedSearch, filter, nextMatch, previousMatch
    /// By the column of that number, from 1; 0 is the catalogue's own order.
    case sort(Int)
    case play, openPage, copyID, copyAddress, export, forget
    case refresh, help, redraw, suspend, quit, interrupt
  }

  /// Keys that do the same thing, and their line of help.
  struct Binding: Sendable {
    let keys: [Key]
    let command: @Sendable (Key) -> Command
    /// The keys as help shows them, separated by spaces.
    let label: String
    let help: String

    init(_ keys: [Key], _ command: Command, _ label: String, _ help: String) {
      self.init(keys, { _ in command }, label, help)
    }

    init(_ keys: [Key], _ command: @escaping @Sendable (Key) -> Command, _ label: String, _ help: String) {
      self.keys = keys
      self.command = command
      self.label = label
      self.help = help
    }
  }

  /// In the order of the help screen.
  static let bindings: [Binding] = [
    Binding([.down, .character("j")], .down, "j ↓", "one row down"),
    Binding([.up, .character("k")], .up, "k ↑", "one row up"),
    Binding([.control("d")], .halfPageDown, "Ctrl-D", "half a screen down"),
    Binding([.control("u")], .halfPageUp, "Ctrl-U", "half a screen up"),
    Binding([.pageDown, .control("f")], .pageDown, "PgDn", "one screen down"),
    Binding([.pageUp, .control("b")], .pageUp, "PgUp", "one screen up"),
    Binding([.home, .character("g")], .first, "g Home", "first row"),
    Binding([.end, .character("G")], .last, "G End", "last stored row"),
    Binding([.right, .character("l")], .right, "l →", "show the columns further right"),
    Binding([.left, .character("h")], .left, "h ←", "show the columns further left"),
    Binding([.enter], .open, "Enter", "show every field of the recording, or open the stored query"),
    Binding([.escape], .back, "Esc", "go back: close the prompt, the pane, the search, the filter or the list"),
    Binding([.character("/")], .search, "/", "search a catalogue; Enter starts it, ↑ and ↓ show earlier searches"),
    Binding(
      [.character("s")], .storedSearch, "s", "search everything stored as you type, offline: words and tags, as in robin q:A"),
    Binding([.character("f")], .filter, "f", "filter the rows shown as you type, offline, in the same language as s"),
    Binding([.character("n")], .nextMatch, "n", "next row that matches the filter"),
    Binding([.character("N")], .previousMatch, "N", "previous row that matches the filter"),
    Binding(
      (0...9).map { .character(Character(String($0))) }, sort, "1…9 0",
      "sort by that column of those shown, a second time in reverse; 0 restores the catalogue's order"),
    Binding([.character("p"), .character(" ")], .play, "p Space", "play the recording, or stop it"),
    Binding([.character("o")], .openPage, "o", "open the recording's page in the web browser"),
    Binding([.character("y")], .copyID, "y", "copy the id"),
    Binding([.character("Y")], .copyAddress, "Y", "copy the address of the recording's page"),
    Binding([.character("e")], .export, "e", "export the rows shown to a file"),
    Binding([.character("D")], .forget, "D", "forget the selected stored query, after a question"),
    Binding([.character("r")], .refresh, "r", "refresh from the catalogue"),
    Binding([.character("?")], .help, "?", "show these keys"),
    Binding([.control("l")], .redraw, "Ctrl-L", "redraw the screen"),
    Binding([.control("z")], .suspend, "Ctrl-Z", "suspend; the shell's fg resumes"),
    Binding([.character("q")], .quit, "q", "quit"),
    Binding([.control("c")], .interrupt, "Ctrl-C", "quit at once, with exit code 130"),
  ]

  static func command(for key: Key) -> Command? {
    commands[key]
  }

  /// The table in docs/browse.md.
  static var markdown: String {
    let rows = bindings.map { binding in
      "| \(binding.label.split(separator: " ").map { "`\($0)`" }.joined(separator: " ")) | \(binding.help) |\n"
    }
    return "| key | does |\n| --- | --- |\n" + rows.joined()
  }

  private static let commands: [Key: Command] = bindings.reduce(into: [:]) { commands, binding in
    for key in binding.keys { commands[key] = binding.command(key) }
  }

  @Sendable private static func sort(_ key: Key) -> Command {
    guard case .character(let digit) = key, let column = digit.wholeNumberValue else { return .sort(0) }
    return .sort(column)
  }
}
