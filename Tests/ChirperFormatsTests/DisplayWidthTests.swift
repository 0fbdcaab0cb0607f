import Testing

@testable import ChirperFormats

@Suite struct DisplayWidthTests {
  @Test(arguments: [
    ("a", 1), ("é", 1), ("\u{301}", 0), ("漢", 2), ("한", 2), ("ｱ", 1), ("Ａ", 2), ("🐦", 2), ("🦜", 2),
    ("\u{200D}", 0),
    ("\u{FE0F}", 0), ("±", 1), ("…", 1), ("♪", 1), ("\u{1F1E9}", 1), ("\u{E0041}", 0),
    ("\u{1160}", 0),
  ])
  func `A scalar is as wide as its East Asian Width`(text: String, columns: Int) {
    #expect(DisplayWidth.columns(text) == columns)
  }

  @Test func `Every emoji with a picture of its own is two columns wide`() {
    for value in UInt32(0x80)...0x1FFFF {
      guard let scalar = Unicode.Scalar(value), scalar.properties.isEmojiPresentation,
        !(0x1F1E6...0x1F1FF).contains(value)
      else { continue }
      #expect(DisplayWidth.columns(scalar) == 2, "U+\(String(value, radix: 16))")
    }
  }

  @Test func `Every ideograph and syllable of Hangul is two columns wide`() {
    for value in UInt32(0x2E80)...0x3FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let isSyllable = scalar.properties.name?.hasPrefix("HANGUL SYLLABLE") == true
      if scalar.properties.isIdeographic && scalar.properties.generalCategory != .nonspacingMark
        || isSyllable
      {
        #expect(DisplayWidth.columns(scalar) == 2, "U+\(String(value, radix: 16))")
      }
    }
  }

  @Test(arguments: [
    "\u{303F}", "\u{3248}", "\u{A4D0}", "\u{FF61}", "\u{FFE8}", "\u{1F1E6}", "\u{1F321}",
    "\u{E000}",
  ])
  func `What is beside the wide blocks is one column wide`(text: String) {
    #expect(DisplayWidth.columns(text) == 1)
  }

  @Test func `Every mark and format character takes no column`() {
    for value in UInt32(0x80)...0xE01FF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      switch scalar.properties.generalCategory {
      case .nonspacingMark, .enclosingMark, .format:
        #expect(DisplayWidth.columns(scalar) == 0, "U+\(String(value, radix: 16))")
      default: continue
      }
    }
  }
}
