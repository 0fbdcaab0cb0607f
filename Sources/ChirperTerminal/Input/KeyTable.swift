/// Every key of the table view: the one list behind the input, the help screen and docs/browse.md.
package enum KeyTable {
  /// What keys ask for.
  package enum Command: Hashable, Sendable {
    case down, up, pageDown, pageUp, first, last
    case open, back, search, filter, nextMatch, previousMatch
    /// By the column of that number, from 1; 0 is the catalogue's own order.
    case sort(Int)
    case play, openPage, copyID, copyAddress, export
    case refresh, help, redraw, suspend, quit, interrupt
  }

  /// Keys that do the same thing, and what help says of it.
  package struct Binding: Sendable {
    package let keys: [Key]
    let command: @Sendable (Key) -> Command
    package let shown: String
    package let explanation: String

    init(_ keys: [Key], _ command: Command, _ shown: String, _ explanation: String) {
      self.init(keys, { _ in command }, shown, explanation)
    }

    init(_ keys: [Key], _ command: @escaping @Sendable (Key) -> Command, _ shown: String, _ explanation: String) {
      self.keys = keys
      self.command = command
      self.shown = shown
      self.explanation = explanation
    }
  }

  package static let bindings: [Binding] = [
    Binding([.down, .character("j")], .down, "j ↓", "one row down"),
    Binding([.up, .character("k")], .up, "k ↑", "one row up"),
    Binding([.pageDown, .control("f")], .pageDown, "PgDn", "one screen down"),
    Binding([.pageUp, .control("b")], .pageUp, "PgUp", "one screen up"),
    Binding([.home, .character("g")], .first, "g Home", "first row"),
    Binding([.end, .character("G")], .last, "G End", "last row stored"),
    Binding([.enter], .open, "Enter", "every field of the recording; on a stored query: its list"),
    Binding([.escape], .back, "Esc", "back: out of a prompt, a pane, the filter, the list"),
    Binding([.character("/")], .search, "/", "another search; Enter starts it"),
    Binding([.character("f")], .filter, "f", "filter the stored rows as you type, without the network"),
    Binding([.character("n")], .nextMatch, "n", "next row that matches the filter"),
    Binding([.character("N")], .previousMatch, "N", "previous row that matches the filter"),
    Binding(
      (0...9).map { .character(Character(String($0))) }, sort, "1…9 0",
      "sort by that column, again: the other way round; 0: the catalogue's order"),
    Binding([.character("p"), .character(" ")], .play, "p Space", "play the recording, again: stop"),
    Binding([.character("o")], .openPage, "o", "open the recording's page in the browser"),
    Binding([.character("y")], .copyID, "y", "copy the id"),
    Binding([.character("Y")], .copyAddress, "Y", "copy the address of the recording's page"),
    Binding([.character("e")], .export, "e", "export the rows shown to a file"),
    Binding([.character("r")], .refresh, "r", "ask the catalogue again"),
    Binding([.character("?")], .help, "?", "these keys"),
    Binding([.control("l")], .redraw, "Ctrl-L", "draw the screen anew"),
    Binding([.control("z")], .suspend, "Ctrl-Z", "to the shell; fg comes back"),
    Binding([.character("q")], .quit, "q", "quit"),
    Binding([.control("c")], .interrupt, "Ctrl-C", "quit at once, with exit code 130"),
  ]

  package static func command(for key: Key) -> Command? {
    commands[key]
  }

  /// The table of docs/browse.md.
  package static var markdown: String {
    let rows = bindings.map { binding in
      "| \(binding.shown.split(separator: " ").map { "`\($0)`" }.joined(separator: " ")) | \(binding.explanation) |\n"
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
