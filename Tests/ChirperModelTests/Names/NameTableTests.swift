import ChirperTestSupport
import Testing

@testable import ChirperModel

/// The list of the species of birds that is in the program.
@Suite struct NameTableTests {
  private static let all = (0..<NameTable.count).map(BirdSpecies.init)
  /// Other species in each run.
  private static let some = all.enumerated().filter {
    ($0.offset + Int.random(in: 0..<RandomCases.step)) % RandomCases.step == 0
  }.map(\.element)

  @Test("the list is the one that scripts/names wrote, in at most 400 kB")
  func isAsWritten() {
    #expect(NameTable.title == "AviList v2025")
    #expect(NameTable.count == 11_131)
    #expect(NameTable.bytes.count <= 400_000)
    #expect(StableHash.fnv1a(Array(NameTable.bytes)) == 6_308_408_206_021_012_728)
    #expect(NameTable.credit.contains("CC BY 4.0"))
  }

  @Test("every species is found by its scientific name, in capitals and in small letters")
  func scientificNames() {
    let missed = Self.some.filter { species in
      let name = species.scientificName
      return [name, name.uppercased(), name.lowercased()].contains {
        NameTable.species(named: $0) != species
      }
    }
    #expect(missed.isEmpty, "\(missed.map(\.scientificName))")
  }

  @Test("every species is found by its English name, with and without hyphens and apostrophes")
  func englishNames() {
    let missed = Self.some.filter { species in
      let name = species.englishName
      let spellings: Set = [
        name, name.replacing("-", with: " ").lowercased(),
        name.replacing("-", with: "").uppercased(),
        name.replacing("'", with: ""), name.replacing("'", with: "’"),
        name.replacing("Grey", with: "Gray").replacing("grey", with: "gray"),
      ]
      return spellings.contains { NameTable.species(englishName: $0) != species }
    }
    #expect(missed.isEmpty)
  }

  @Test("the species of each genus are those whose names begin with it, and are in one family")
  func genera() {
    let genera = Dictionary(grouping: Self.all) { $0.scientificName.prefix { $0 != " " } }
    for (genus, species) in genera.shuffled().prefix(genera.count / RandomCases.step) {
      let found = NameTable.species(ofGenus: String(genus))
      #expect(found == species)
      #expect(Set(found.map(\.family)).count == 1)
    }
  }

  @Test("the species of each stem are those whose epithets have it")
  func stemsOfAll() {
    let stems = Dictionary(grouping: Self.all, by: \.stem)
    let missed = stems.shuffled().prefix(stems.count / RandomCases.step).filter {
      NameTable.species(withStem: $0.key) != $0.value
    }
    #expect(missed.isEmpty, "\(missed.map(\.key))")
  }

  @Test("a species has its names, family and order")
  func oneSpecies() throws {
    let robin = try #require(NameTable.species(named: "erithacus rubecula"))
    #expect(robin.scientificName == "Erithacus rubecula")
    #expect(robin.englishName == "European Robin")
    #expect(robin.family == "Muscicapidae")
    #expect(robin.order == "Passeriformes")
  }

  @Test(
    "what is not a name finds nothing",
    arguments: [
      "", " ", "a", "zzzz zzzz", "Turdus", "Turdus merul", "Turdus merulaa", "robin", "-", "'",
      "\u{301}", "鳥", "Turdus  merula",
    ])
  func nothing(text: String) {
    #expect(NameTable.species(named: text) == nil)
    #expect(NameTable.species(englishName: text) == nil)
  }

  @Test(
    "epithets of each gender and number have one stem",
    arguments: [
      ["melanocephala", "melanocephalus", "melanocephalum"], ["communis", "commune", "communes"],
      ["ruber", "rubra", "rubrum"], ["niger", "nigra", "nigrum"], ["alpestris", "alpestre"],
      ["swainsoni", "swainsonii"], ["minor", "minus"], ["novaeseelandiae", "novae-seelandiae"],
    ])
  func stems(epithets: [String]) {
    #expect(Set(epithets.map { NameTable.stem(of: $0.utf8) }).count == 1)
  }
}
