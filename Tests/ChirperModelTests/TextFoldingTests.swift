import ChirperTestSupport
import Testing

@testable import ChirperModel

struct TextFoldingTests {
  /// Every scalar that has a table, with those around, and some of the rest.
  private static let scalars =
    Array(0...UInt32(0x3200)) + stride(from: 0x3201, through: 0x2_FFFF, by: 31)

  @Test(arguments: [
    ("Wrocław", "wroclaw"), ("Stein Ø.", "stein o."), ("Đakovo", "dakovo"),
    ("Þingvellir, Ísland", "thingvellir, island"),
    ("Straße", "strasse"), ("Ærø", "aero"), ("Œuvre", "oeuvre"), ("Iğdır, İzmir", "igdir, izmir"),
    ("a\u{301}É", "ae"),
    ("日本", "日本"), ("ΚΩΣ Κώς", "κωσ κωσ"), ("PLAIN ascii 12", "plain ascii 12"),
  ])
  func `case, accents and letters that Unicode does not decompose are folded`(
    text: String, folded: String
  ) {
    #expect(TextFolding.folded(text) == folded)
  }

  @Test func `tables fold every scalar, and any text, as Unicode's properties do`() {
    func check(_ text: String) {
      let bytes = Array(text.utf8)
      let expected = TextFolding.foldedByUnicode(bytes)
      if TextFolding.folded(bytes) != expected {
        Issue.record("\(text.unicodeScalars.map(\.value))")
      }
    }
    for value in Self.scalars {
      if let scalar = Unicode.Scalar(value) { check(String(scalar)) }
    }
    var random = SeededRandom(seed: 13)
    for _ in 0..<3000 {
      var text = ""
      for _ in 0..<8 {
        let limit: UInt32 = random.chance(30) ? 0x3100 : random.chance(80) ? 0x590 : 0x1_FFFF
        text.unicodeScalars.append(
          Unicode.Scalar(UInt32.random(in: 0...limit, using: &random)) ?? "x")
      }
      check(text)
    }
  }

  @Test func `bytes that are not UTF-8 are folded as the text they are repaired to`() {
    var random = SeededRandom(seed: 14)
    for _ in 0..<3000 {
      var bytes = Array("Ægypten, Łódź, 日本, Ёлка 🦜".utf8)
      for _ in 0..<3 {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(
          in: 0...255, using: &random)
      }
      bytes.removeLast(Int.random(in: 0...3, using: &random))
      #expect(TextFolding.folded(bytes) == TextFolding.foldedByUnicode(bytes))
    }
  }

  @Test func `folded text folds to itself`() {
    for value in Self.scalars {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let folded = TextFolding.folded(String(scalar))
      if TextFolding.folded(folded) != folded { Issue.record("\(value)") }
    }
  }
}
