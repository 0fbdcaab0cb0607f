import Testing

@testable import ChirperModel

@Suite struct NameLanguageTests {
  @Test(arguments: [
    ("German", "de"), ("DEUTSCH", "de"), ("de", "de"), ("deu", "de"), ("ger", "de"),
    ("Chinese", "zh"), ("Chinese (Traditional)", "zh-Hant"), ("zh-Hans", "zh-Hans"),
    ("zh_hant", "zh-Hant"), ("Portuguese (Portuguese)", "pt-PT"), ("Brazilian", "brazilian"),
    ("pt_BR", "pt-BR"), ("de-AT", "de-AT"), ("Français", "fr"), ("Česky", "cs"),
    ("Русский", "ru"), ("日本語", "ja"), ("English name", "en"), ("German name", "de"),
    ("Northern Sami", "se"), ("Norwegian", "nb"), ("no", "nb"), ("Slovak", "sk"),
    ("West Frisian", "fy"), (" Dutch ", "nl"),
  ])
  func `a heading is the code of its language`(heading: String, code: String) {
    #expect(NameLanguage.code(ofHeading: heading).code == code)
  }

  @Test(arguments: [
    ("Hessisch", "hessisch"), ("Plattdüütsch (Ost)", "plattduutsch-ost"),
    ("Brazilian", "brazilian"),
    ("Chinese (Ming)", "zh-ming"),
  ])
  func `an unknown heading is its own code`(heading: String, code: String) {
    let found = NameLanguage.code(ofHeading: heading)
    #expect(found.code == code)
    #expect(!found.isKnown)
  }

  @Test(arguments: ["", " ", "-", "Order", "FAMILY", "Authority", "Subspecies"])
  func `a heading of something else has no code`(heading: String) {
    #expect(NameLanguage.code(ofHeading: heading).code == nil)
  }

  @Test(arguments: [
    "IOC_15.1", "Scientific name", "scientificName", "Latin", "Wissenschaftlicher Name",
    "Nombre científico", "Binomial", "Species", "Taxon", "AviList v2025",
  ])
  func `a heading of scientific names is known`(heading: String) {
    #expect(NameLanguage.isOfScientificNames(heading))
  }

  @Test(arguments: ["German", "English name", "Family", "Genus"])
  func `a heading of other names is not one of scientific names`(heading: String) {
    #expect(!NameLanguage.isOfScientificNames(heading))
  }

  @Test func `names are compared by their letters and digits`() {
    for name in ["Grau-Schnäpper", "grauschnapper", "GRAU SCHNÄPPER", "Grau\u{2019}schnäpper"] {
      #expect(TextFolding.foldedLetters(name) == "grauschnapper")
    }
    #expect(TextFolding.foldedLetters("ノドジロムシクイ").isEmpty == false)
    #expect(TextFolding.foldedLetters("=1+1") == "11")
    #expect(TextFolding.foldedLetters("-’ ").isEmpty)
  }
}
