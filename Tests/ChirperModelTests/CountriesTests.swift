import Testing

@testable import ChirperModel

@Suite struct CountriesTests {
  @Test func `have codes and names of their own, and a part of the world`() {
    #expect(Countries.all.count == 250)
    var owners: [String: String] = [:]
    for country in Countries.all {
      #expect(country.code.utf8.count == 2 && country.longCode.utf8.count == 3)
      for text in [country.code, country.longCode] + country.names {
        #expect(!text.isEmpty && text == text.trimmingPrefix(" ") && !text.contains("*"))
        #expect(owners.updateValue(country.code, forKey: TextFolding.folded(text)) ?? country.code == country.code, "\(text)")
      }
      #expect(country.foldedNames == country.names.map(TextFolding.folded))
      #expect(country.area.map(Countries.areas.contains) ?? (country.code == "AQ"))
    }
  }

  @Test(arguments: [
    ("GB", "GB"), ("gbr", "GB"), ("UK", "GB"), ("great britain", "GB"), ("USA", "US"), ("U.S.", "US"), ("Holland", "NL"),
    ("Türkiye", "TR"), ("turkey", "TR"), ("Czechia", "CZ"), ("czech republic", "CZ"), ("Ivory Coast", "CI"),
    ("Côte d'Ivoire", "CI"),
    ("Korea, Republic of", "KR"), ("Bolivia (Plurinational State of)", "BO"), ("burma", "MM"), ("UAE", "AE"), ("Niger", "NE"),
    ("ZZ", nil), ("Pol", "PL"), ("Pola", nil), ("", nil), ("England", nil),
  ])
  func `are found by code and whole name`(typed: String, code: String?) { #expect(Countries.named(typed)?.code == code) }

  @Test func `have a code by the names that catalogues send, and no other`() {
    #expect(Countries.code(ofName: "Russian Federation") == "RU" && Countries.code(ofName: "TÜRKIYE") == "TR")
    #expect(Countries.code(ofName: "DE") == nil && Countries.code(ofName: "Pol") == nil)
    #expect(Countries.code(sent: "DE") == "DE" && Countries.code(sent: "DEU") == nil && Countries.code(sent: "de") == nil)
  }
}
