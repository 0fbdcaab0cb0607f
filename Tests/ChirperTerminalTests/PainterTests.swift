import Testing

@testable import ChirperTerminal

@Suite struct PainterTests {
  private func frame(_ lines: String...) -> Frame {
    Frame(lines: lines.map { Line($0, columns: 20) }, cursor: Frame.Position(row: 1, column: 0))
  }

  @Test func `Only lines that changed are written`() {
    let bytes = Painter(ability: .plain).bytes(
      from: frame("title", "one", "two"), to: frame("title", "one", "three"))
    #expect(bytes == "\u{1B}[?25l\u{1B}[3;1H\u{1B}[0m\u{1B}[Kthree\u{1B}[2;1H\u{1B}[?25h")
    #expect(Painter(ability: .plain).bytes(from: frame("a"), to: frame("a")) == "")
  }

  @Test func `After a character of uncertain width the cursor is placed explicitly`() {
    let bytes = Painter(ability: .plain).bytes(from: frame(""), to: frame("漢é"))
    #expect(bytes.contains("漢\u{1B}[3Gé\u{1B}[4G"))
  }

  @Test func `Without colours there are none, and on a dumb terminal no escape sequence at all`() {
    var new = frame("title", "row")
    new.lines[0] = Line("title", columns: 20, style: .faint)
    new.lines[1] = Line("row", columns: 20, style: .warning)
    #expect(Painter(ability: .colours).bytes(from: nil, to: new).contains("\u{1B}[36m"))
    #expect(!Painter(ability: .plain).bytes(from: nil, to: new).contains("\u{1B}[3"))
    #expect(Painter(ability: .dumb).bytes(from: nil, to: new) == "title\r\nrow\r\n")
    #expect(Painter(ability: .dumb).bytes(from: new, to: frame("title", "other")) == "other\r\n")
  }

  @Test(arguments: [
    (["TERM": "xterm"], Painter.Ability.colours), (["TERM": "xterm", "NO_COLOR": "1"], .plain),
    (["TERM": "xterm", "NO_COLOR": ""], .colours), (["TERM": "dumb"], .dumb), ([:], .dumb),
  ])
  func `The environment decides what the terminal can do`(
    environment: [String: String], ability: Painter.Ability
  ) {
    #expect(Painter.ability(environment: environment) == ability)
  }
}
