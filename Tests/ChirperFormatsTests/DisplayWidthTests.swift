import Testing

@testable import ChirperFormats

@Suite struct DisplayWidthTests {
  @Test func `The table is ascending and without overlap`() {
    for (run, next) in zip(DisplayWidth.runs, DisplayWidth.runs.dropFirst()) {
      #expect(run.first <= run.last)
      #expect(run.last < next.first)
      #expect(run.columns != 1)
    }
  }

  @Test(arguments: [
    ("a", 1), ("é", 1), ("\u{301}", 0), ("漢", 2), ("한", 2), ("ｱ", 1), ("Ａ", 2), ("🐦", 2), ("🦜", 2), ("\u{200D}", 0),
    ("\u{FE0F}", 0), ("±", 1), ("…", 1), ("♪", 1), ("\u{1F1E9}", 1), ("\u{E0041}", 0), ("\u{1160}", 0),
  ])
  func `A scalar is as wide as its East Asian Width`(text: String, columns: Int) {
    #expect(DisplayWidth.columns(text) == columns)
  }

  @Test func `Every emoji with a picture of its own is two columns wide`() {
    for value in UInt32(0x80)...0x1FFFF {
      guard let scalar = Unicode.Scalar(value), scalar.properties.isEmojiPresentation,
        let age = scalar.properties.age, (age.major, age.minor) <= (15, 0),
        !(0x1F1E6...0x1F1FF).contains(value)
      else { continue }
      #expect(DisplayWidth.columns(scalar) == 2, "U+\(String(value, radix: 16))")
    }
  }

  @Test func `Every mark and format character takes no column`() {
    for value in UInt32(0x80)...0xE01FF {
      guard let scalar = Unicode.Scalar(value), let age = scalar.properties.age, (age.major, age.minor) <= (15, 0) else {
        continue
      }
      switch scalar.properties.generalCategory {
      case .nonspacingMark, .enclosingMark, .format:
        #expect(DisplayWidth.columns(scalar) == 0, "U+\(String(value, radix: 16))")
      default: continue
      }
    }
  }
}
