import Testing

@testable import ChirperModel

/// Which species of the list the names of a recording mean.
@Suite struct RecordedNamesTests {
  private func name(_ scientific: String?, _ english: String? = nil) -> String? {
    RecordedNames(scientific: scientific, english: english).species?.scientificName
  }

  @Test(
    "a scientific name of the list decides, however it is written",
    arguments: [
      "Turdus merula", "TURDUS MERULA", "turdus merula", "Turdus Merula", "Turdus merula merula",
      "Turdus merula Linnaeus, 1758", "Turdus (Merula) merula", "Turdus\u{A0}merula",
      "Turdus merula x", "Turdus merula ssp. merula", "Turdus merula ssp merula",
      " Turdus  merula ",
    ])
  func listed(name: String) {
    #expect(self.name(name) == "Turdus merula")
    #expect(self.name(name, "Song Thrush") == "Turdus merula")
  }

  @Test("an epithet and an English name that agree decide")
  func agreeing() {
    #expect(name("Sylvia communis", "Common Whitethroat") == "Curruca communis")
    #expect(name("Sylvia communis icterops", "common white-throat") == "Curruca communis")
    // The ending of the epithet follows the gender of the genus.
    #expect(name("Larus melanocephalum", "Mediterranean Gull") == "Ichthyaetus melanocephalus")
  }

  @Test(
    "hyphens, apostrophes, capitals and gray do not matter in an English name",
    arguments: [
      ("Hydrobates pelagicum", "European Storm-Petrel"),
      ("Hydrobates pelagicum", "European storm petrel"),
      ("Hydrobates pelagicum", "European Storm-petrel"),
    ])
  func spellings(scientific: String, english: String) {
    #expect(name(scientific, english) == "Hydrobates pelagicus")
  }

  private func inFamily(_ scientific: String, _ english: String) -> String? {
    RecordedNames(scientific: scientific, english: english).speciesInFamily?.scientificName
  }

  @Test("an English name that is not in the list leaves the species in the family of the genus")
  func byFamily() {
    #expect(name("Sylvia communis", "Greater Whitethroat") == nil)
    #expect(inFamily("Sylvia communis", "Greater Whitethroat") == "Curruca communis")
    #expect(inFamily("Sylvia communis", "Common Whitethroat") == nil)
    // No genus of the list, so its family is not known.
    #expect(inFamily("Xxxvia communis", "Greater Whitethroat") == nil)
    var names = RecordedNames(scientific: "Xxxvia communis", english: "Greater Whitethroat")
    names.sentFamily = "Sylviidae"
    #expect(names.speciesInFamily?.scientificName == "Curruca communis")
  }

  @Test(
    "an epithet alone, or against its English name, decides nothing",
    arguments: [
      ("Sylvia communis", nil), ("Sylvia communis", ""), ("Sylvia communis", "Sylvia communis"),
      ("Sylvia communis", "Garden Warbler"), (nil, "Common Whitethroat"),
    ] as [(String?, String?)])
  func undecided(scientific: String?, english: String?) {
    #expect(name(scientific, english) == nil)
  }

  @Test(
    "hybrids, groups and names that are not certain are no species",
    arguments: [
      "Sylvia sp.", "Sylvia spp.", "Sylvia spp", "Sylvia", "Sylvia communis x curruca",
      "Sylvia communis × Sylvia curruca", "Sylvia ×communis", "Sylvia communis/curruca",
      "Sylvia cf. communis", "Sylvia aff. communis", "Sylvia communis?", "Mystery mystery",
      "Sonus naturalis",
      "", "Sylvia communis sp.", "Sylvia ssp.", "Sylvia ssp", "Sylvia communis ssp.",
    ])
  func doubtful(scientific: String) {
    #expect(name(scientific, "Common Whitethroat") == nil)
  }

  @Test(
    "several subspecies, and what is between two of them, are of the species",
    arguments: [
      "Junco hyemalis hyemalis/carolinensis", "Junco hyemalis mearnsi x caniceps",
      "Junco hyemalis mearnsi × caniceps", "Junco hyemalis hyemalis/carolinensis/cismontanus",
      "Junco hyemalis hyemalis / carolinensis", "Junco hyemalis [oreganus Group]",
    ])
  func subspecies(scientific: String) {
    #expect(name(scientific) == "Junco hyemalis")
  }

  @Test(
    "several species, and what is between two of them, are none",
    arguments: [
      "Junco hyemalis/phaeonotus", "Junco hyemalis / phaeonotus", "Junco hyemalis x phaeonotus",
      "Junco hyemalis x Zonotrichia albicollis", "Junco hyemalis/Junco phaeonotus",
      "Junco hyemalis hyemalis/Junco phaeonotus", "Junco hyemalis hyemalis x Junco phaeonotus",
      "Junco hyemalis agg.", "Junco hyemalis cf. mearnsi", "Junco hyemalis complex",
    ])
  func severalSpecies(scientific: String) {
    #expect(name(scientific) == nil)
  }

  @Test("an author's name is not an epithet")
  func authors() {
    #expect(inFamily("Sylvia Communis", "Greater Whitethroat") == nil)
    #expect(inFamily("SYLVIA COMMUNIS", "Greater Whitethroat") == "Curruca communis")
  }

  @Test("what is not a bird is not decided by an epithet")
  func others() {
    var names = RecordedNames(scientific: "Sylvia communis", english: "Common Whitethroat")
    names.isOfOthers = true
    #expect(names.species == nil)
    var details = RecordingDetails()
    details.group = "frogs"
    #expect(RecordedNames(details).isOfOthers)
    for group in ["birds", "Aves", "", nil] {
      details.group = group
      #expect(!RecordedNames(details).isOfOthers)
    }
    (details.group, details.taxonClass) = ("birds", "Amphibia")
    #expect(RecordedNames(details).isOfOthers)
  }

  @Test("a name that another taxonomy accepts decides, unless two of them differ")
  func accepted() {
    var names = RecordedNames(scientific: "Sylvia communis")
    names.accepted = ["Curruca communis (Latham, 1787)"]
    #expect(names.species?.scientificName == "Curruca communis")
    names.accepted += ["Sylvia borin"]
    #expect(names.species == nil)
  }

  @Test("what other recordings show decides last")
  func stored() {
    var names = RecordedNames(scientific: "Sylvia communis")
    names.storedSpecies = NameTable.species(named: "Curruca communis")
    #expect(names.species?.scientificName == "Curruca communis")
    names.scientific = "Sylvia borin"
    #expect(names.species?.scientificName == "Sylvia borin")
  }

  @Test("the names are those of the details")
  func details() {
    var details = RecordingDetails()
    (details.genus, details.specificEpithet) = ("Sylvia", "communis")
    details.vernacularName = "Common Whitethroat"
    #expect(RecordedNames(details).species?.scientificName == "Curruca communis")
    details.scientificName = "Turdus merula"
    #expect(RecordedNames(details).species?.scientificName == "Turdus merula")
    details.scientificName = "Sylvia"
    #expect(RecordedNames(details).species == nil)
  }
}
