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
        #expect(
          owners.updateValue(country.code, forKey: TextFolding.folded(text)) ?? country.code
            == country.code, "\(text)")
      }
      #expect(country.foldedNames == country.names.map(TextFolding.folded))
      #expect(country.area.map(Countries.areas.contains) ?? (country.code == "AQ"))
    }
  }

  @Test(arguments: [
    ("GB", "GB"), ("gbr", "GB"), ("UK", "GB"), ("great britain", "GB"), ("USA", "US"),
    ("U.S.", "US"), ("Holland", "NL"),
    ("Türkiye", "TR"), ("turkey", "TR"), ("Czechia", "CZ"), ("czech republic", "CZ"),
    ("Ivory Coast", "CI"),
    ("Côte d'Ivoire", "CI"),
    ("Korea, Republic of", "KR"), ("Bolivia (Plurinational State of)", "BO"), ("burma", "MM"),
    ("UAE", "AE"), ("Niger", "NE"),
    ("ZZ", nil), ("Pol", "PL"), ("Pola", nil), ("", nil), ("England", "GB"),
    ("NA", "NA"),
  ])
  func `are found by code and whole name`(typed: String, code: String?) {
    #expect(Countries.named(typed)?.code == code)
  }

  @Test(
    arguments: [
      ("Russian Federation", "RU"), ("TÜRKIYE", "TR"), ("USA", "US"), ("Niger", "NE"),
      ("DE", "DE"), ("DEU", "DE"), ("de", nil), ("Pol", nil), ("unknown", nil), ("", nil),
      // A table of R has NA for a missing value.
      ("NA", nil), ("NAM", "NA"), ("Namibia", "NA"),
      // Names as phones have them.
      ("U.S. Virgin Islands", "VI"), ("Bosnia & Herzegovina", "BA"), ("St. Lucia", "LC"),
      ("St. Barthélemy", "BL"), ("Hong Kong SAR China", "HK"), ("Congo - Kinshasa", "CD"),
      ("São Tomé & Príncipe", "ST"), ("St. Vincent & Grenadines", "VC"),
      ("Turks & Caicos Islands", "TC"), ("Côte d’Ivoire", "CI"), ("The Gambia", "GM"),
      // Official names.
      ("Republic of Poland", "PL"), ("Kingdom of the Netherlands", "NL"),
      ("the Federal Republic of Germany", "DE"), ("People's Democratic Republic of Algeria", "DZ"),
      ("Republic of the Congo", "CG"), ("Democratic Republic of Congo", "CD"),
      ("Democratic People's Republic of Korea", "KP"), ("Republic of Korea", "KR"),
      ("People's Republic of China", "CN"), ("Republic of China", "TW"),
      ("Republic of Ireland", "IE"), ("Northern Ireland", "GB"),
      ("Grand Duchy of Luxembourg", "LU"),
      ("State of Georgia", nil), ("Gulf of Mexico", nil), ("Republic of", nil),
    ] as [(String, String?)])
  func `are known by the names and codes that catalogues send, and by no others`(
    name: String, code: String?
  ) {
    #expect(Countries.sent(name)?.code == code)
  }

  @Test func `have codes of two letters`() {
    #expect(Countries.withCode("gb")?.code == "GB" && Countries.withCode("gbr") == nil)
    #expect(["Unknown", "unknown or invalid"].allSatisfy(Countries.isUnknown))
    #expect(!Countries.isUnknown("Poland"))
    #expect(
      Countries.code(sent: "DE") == "DE" && Countries.code(sent: "DEU") == nil
        && Countries.code(sent: "de") == nil)
  }

  @Test(arguments: [
    ("cnt:polnd", ["cnt:Poland"] as [String]),
    ("q:A -cnt:germny,polnd robin", ["q:A -cnt:Germany,polnd robin"]),
    ("cnt:poland", []), ("cnt:PL", []), ("cnt:pol", []), ("cnt:xyzzyx", []), (#"cnt:"=polnd""#, []),
    ("polnd", []), (#"cnt:"new zeland" x"#, [#"cnt:"New Zealand" x"#]), ("cnt:", []),
    (#"cnt:"po"#, []),
    ("country:polnd", ["cnt:Poland"]), ("family:turdidea", ["fam:Turdidae"]),
    ("fam:turd", []), ("fam:rallidea", ["fam:Rallidae"]),
  ]) func `a misspelled country or family is corrected in a search`(
    _ text: String, _ expected: [String]
  ) {
    #expect(SearchTag.corrections(of: text) == expected)
  }

  @Test(arguments: [
    ("robin q:A -cnt:germny,polnd cnt:gabno", ["-cnt:Germany,polnd"] as [String]),
    (#"cnt:"new zeland""#, [#"cnt:"New Zealand""#]), ("cnt:poland robin", []), ("polnd", []),
  ]) func `the first term with a misspelled country is corrected`(
    _ text: String, _ expected: [String]
  ) throws {
    #expect(try SearchExpression(text, catalogues: []).corrections == expected)
  }
}
