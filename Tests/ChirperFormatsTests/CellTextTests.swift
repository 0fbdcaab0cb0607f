import ChirperTestSupport
import Testing

@testable import ChirperFormats

@Suite struct CellTextTests {
  private static func text(_ text: CellText) -> String { text.cells.map(\.text).joined() }

  @Test(arguments: [
    ("plain", "plain"), ("a\u{1B}[31mb", "a�[31mb"), ("a\u{9B}2Jb", "a�2Jb"), ("a\u{202E}b", "a�b"),
    ("a\u{2028}b", "a�b"), ("a\u{7F}\u{0}b", "a��b"), ("a\r\nb\tc", "a b c"), ("a\u{FFFE}b", "a�b"),
    ("a\u{200D}b\u{FE0F}c", "abc"), ("e\u{301}", "é"), ("\u{301}x", "\u{25CC}\u{301}x"),
  ])
  func `Control characters become one visible cell`(raw: String, shown: String) {
    #expect(Array(Self.text(CellText(raw)).unicodeScalars) == Array(shown.unicodeScalars))
  }

  /// Against its plain version.
  @Test func `A text with other texts in place of some scalars`() {
    var random = SeededRandom(seed: 11)
    let parts = [
      "a", "Z", "0", " ", "&", "<", "\n", "\u{7F}", "é", "\u{301}", "日", "🐦", "\u{2028}", "\u{0}",
    ]
    for _ in 0..<2_000 {
      let text = (0..<Int.random(in: 0...16, using: &random)).map { _ in
        parts[Int.random(in: parts.indices, using: &random)]
      }
      .joined()
      let some = Set(parts.filter { _ in random.chance(20) }.compactMap(\.unicodeScalars.first))
      let replaced = some.subtracting("aZ0 ".unicodeScalars)
      let replacement = { (scalar: Unicode.Scalar) in
        replaced.contains(scalar) ? "[\(scalar.value)]" : nil
      }
      let plain = text.unicodeScalars.map { replacement($0) ?? String($0) }.joined()
      #expect(Array(text.escaped(replacement).utf8) == Array(plain.utf8))
    }
  }

  @Test func `At most three marks are kept on a character`() {
    let text = Self.text(CellText("x" + String(repeating: "\u{300}", count: 100_000)))
    #expect(text.unicodeScalars.count == 4)
  }

  @Test(arguments: [
    ("Hyacinth Macaw", 8, "Hyacint…"), ("Macaw", 8, "Macaw   "), ("漢字漢字", 5, "漢字…"),
    ("漢字漢字", 4, "漢… "),
    ("漢字", 4, "漢字"), ("漢", 1, "…"), ("abc", 0, ""),
  ])
  func `Fitted text has exactly the columns asked for`(raw: String, columns: Int, fitted: String) {
    #expect(CellText.fitted(raw, columns: columns) == fitted)
    #expect(DisplayWidth.columns(CellText.fitted(raw, columns: columns)) == columns)
  }

  @Test(arguments: [
    (15, "CC BY-NC-SA 4.0"), (14, "BY-NC-SA 4.0  "), (12, "BY-NC-SA 4.0"), (11, "BY-NC-SA   "),
    (8, "BY-NC-SA"), (7, "BY-NC-…"),
  ])
  func `A licence loses CC and its version before its end`(columns: Int, fitted: String) {
    #expect(CellText.fitted("CC BY-NC-SA 4.0", columns: columns, shortening: .licence) == fitted)
    #expect(CellText.fitted("CC0 1.0", columns: 6, shortening: .licence) == "CC0 1…")
  }

  @Test func `Hostile text of any kind has exactly the columns asked for`() {
    let pieces = [
      "\u{1B}[2J", "漢", "\u{301}", "🦜", "\u{200D}", "\u{202E}", "\r\n", "a", "\u{0}",
      "\u{1100}\u{1161}", "\u{FE0F}",
    ]
    var generator = SeededRandom(seed: 7)
    for _ in 0..<2000 {
      let count = Int.random(in: 0..<30, using: &generator)
      let text = (0..<count).map { _ in pieces[Int.random(in: 0..<pieces.count, using: &generator)]
      }
      for columns in [1, 2, 3, 7, 20] {
        let fitted = CellText.fitted(text.joined(), columns: columns)
        #expect(DisplayWidth.columns(fitted) == columns)
        #expect(Self.text(CellText(fitted)) == fitted)
      }
    }
  }

  @Test func `Wrapped text breaks at spaces and at line ends`() {
    #expect(CellText.wrapped("one two three\r\nfour", columns: 8) == ["one two", "three", "four"])
    #expect(CellText.wrapped("abcdefghij", columns: 4) == ["abcd", "efgh", "ij"])
    #expect(CellText.wrapped("a\n\nb", columns: 4) == ["a", "", "b"])
    #expect(CellText.wrapped("", columns: 4) == [""])
    #expect(CellText.wrapped("漢字", columns: 1) == [""])
  }
}
