import ChirperFormats

/// Turns the difference between two frames into the text to write to the terminal.
struct Painter: Sendable {
  enum Ability: Sendable {
    /// Cursor movement and colours.
    case colours
    /// Cursor movement, bold and reverse, without colours, as `NO_COLOR` asks.
    case plain
    /// Lines without escape sequences. Lines that changed are written one below the other.
    case dumb
  }

  let ability: Ability

  /// Reads `TERM` and `NO_COLOR`.
  static func ability(environment: [String: String]) -> Ability {
    let terminal = environment["TERM"] ?? ""
    if terminal.isEmpty || terminal == "dumb" { return .dumb }
    return environment["NO_COLOR"].map { !$0.isEmpty } ?? false ? .plain : .colours
  }

  /// - Parameter old: the frame on the screen; `nil` if it is unknown, so that everything is drawn.
  func bytes(from old: Frame?, to new: Frame) -> String {
    guard old != new else { return "" }
    if ability == .dumb { return dumbBytes(from: old, to: new) }
    var out = "\u{1B}[?25l"
    if old == nil { out += "\u{1B}[0m\u{1B}[2J" }
    for (row, line) in new.lines.enumerated() {
      if let old, old.lines.indices.contains(row), old.lines[row] == line { continue }
      // The line is erased before it is written: after a full line the cursor is on the last column
      // and would erase it.
      out += "\u{1B}[\(row + 1);1H\u{1B}[0m\u{1B}[K"
      out += text(of: line)
    }
    if let cursor = new.cursor {
      out += "\u{1B}[\(cursor.row + 1);\(cursor.column + 1)H\u{1B}[?25h"
    }
    return out
  }

  private func text(of line: Line) -> String {
    var out = ""
    var column = 1
    for span in line.spans {
      let codes = codes(span.style)
      if !codes.isEmpty { out += "\u{1B}[\(codes)m" }
      for cell in CellText(span.text).cells {
        out += cell.text
        column += cell.columns
        // Terminals differ in which characters are wide; setting the column keeps a difference from
        // shifting the rest.
        if cell.text.utf8.count > 1 { out += "\u{1B}[\(column)G" }
      }
      if !codes.isEmpty { out += "\u{1B}[0m" }
    }
    return out
  }

  private func codes(_ style: Style) -> String {
    switch style {
    case .plain: ""
    case .strong: "1"
    case .faint: ability == .colours ? "36" : ""
    case .selected: "7"
    case .warning: ability == .colours ? "33" : "1"
    case .good: ability == .colours ? "32" : ""
    }
  }

  private func dumbBytes(from old: Frame?, to new: Frame) -> String {
    let before = Set(old.map { $0.text.split(separator: "\n") } ?? [])
    let lines = new.text.split(separator: "\n").filter { !before.contains($0) }
    return lines.map { $0 + "\r\n" }.joined()
  }
}
