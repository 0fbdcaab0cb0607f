import Testing

@testable import ChirperModel

struct TextFoldingTests {
  @Test(arguments: [
    ("Wrocław", "wroclaw"), ("Stein Ø.", "stein o."), ("Đakovo", "dakovo"), ("Þingvellir, Ísland", "thingvellir, island"),
    ("Straße", "strasse"), ("Ærø", "aero"), ("Œuvre", "oeuvre"), ("Iğdır, İzmir", "igdir, izmir"), ("a\u{301}É", "ae"),
    ("日本", "日本"), ("ΚΩΣ Κώς", "κωσ κωσ"), ("PLAIN ascii 12", "plain ascii 12"),
  ])
  func `case, accents and letters that Unicode does not decompose are folded`(text: String, folded: String) {
    #expect(TextFolding.folded(text) == folded)
  }
}
