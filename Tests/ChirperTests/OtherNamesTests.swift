import ChirperTestSupport
import Foundation
import Testing

@testable import Chirper
@testable import ChirperStore

/// A bird is found by every name that its recordings are stored under.
@Suite struct OtherNamesTests {
  /// What the index knows of the recordings.
  enum Index: CaseIterable {
    case none, all, other, changed
  }

  private static let rows: [[String: String]] = [
    StoreUnderSearch.bird(1, "Sylvia communis", "Common Whitethroat"),
    StoreUnderSearch.bird(2, "Curruca communis", "Common Whitethroat"),
    StoreUnderSearch.bird(3, "Sylvia communis", "", ["ssp": "volgensis"]),
    StoreUnderSearch.bird(4, "Sylvia curruca", "Lesser Whitethroat"),
    StoreUnderSearch.bird(5, "Sylvia borin", "Garden Warbler"),
    StoreUnderSearch.bird(6, "Sylvia communis", "Greater Whitethroat"),
    StoreUnderSearch.bird(
      7, "Turdus merula", "Common Blackbird", ["rmk": "with a common whitethroat"]),
    StoreUnderSearch.bird(8, "Corvus monedula", "Western Jackdaw"),
    StoreUnderSearch.bird(9, "Hyla communis", "Common Whitethroat", ["grp": "frogs"]),
    StoreUnderSearch.bird(10, "Larus ridibundus", "Black-headed Gull"),
    StoreUnderSearch.bird(11, "Larus melanocephalum", "Mediterranean Gull"),
    StoreUnderSearch.bird(12, "Sylvia sp.", "Common Whitethroat"),
  ]

  private func store(_ index: Index, _ rows: [[String: String]] = rows) throws -> StoreUnderSearch {
    var store = try StoreUnderSearch(seed: 1)
    switch index {
    case .none: try store.add(rows)
    case .all:
      try store.add(rows)
      try store.repository.writeSearchIndex(least: 1)
    case .other:
      try store.add(rows.map { $0.merging(["gen": "Xxx", "sp": "yyy", "en": "Zzz"]) { $1 } })
      try store.repository.writeSearchIndex(least: 1)
      try store.add(rows)
    case .changed:
      try store.add(Array(rows.prefix(5)))
      try store.repository.writeSearchIndex(least: 1)
      try store.add(rows)
    }
    return store
  }

  private func found(_ text: String, _ store: StoreUnderSearch) throws -> Set<String> {
    Set(try store.found(text))
  }

  @Test(arguments: Index.allCases)
  func `a scientific name finds its recordings under an older one, and says so`(index: Index) throws
  {
    let store = try store(index)
    for text in [#"sp:"curruca communis""#, #"sp:"CURRUCA COMMUNIS""#] {
      #expect(try found(text, store) == ["1", "2", "3", "6"])
      #expect(try store.search(text).otherNames == ["Sylvia communis"])
    }
    #expect(try found(#"-sp:"curruca communis" gen:sylvia,curruca"#, store) == ["4", "5", "12"])
  }

  @Test(arguments: Index.allCases)
  func `a name with its author and year is the name`(index: Index) throws {
    let store = try store(index)
    for text in [
      "Curruca communis (Latham, 1787)", "Sylvia communis Latham, 1787",
      #"sp:"Curruca communis (Latham, 1787)""#, #"Curruca communis volgensis (Domaniewski, 1915)"#,
    ] {
      let ids: Set = text.contains("volgensis") ? ["3"] : ["1", "2", "3", "6"]
      #expect(try found(text, store) == ids, "\(text)")
    }
  }

  @Test(arguments: Index.allCases)
  func `an older name finds the recordings under the present one`(index: Index) throws {
    let store = try store(index)
    #expect(try found(#"sp:"sylvia communis""#, store) == ["1", "2", "3", "6"])
    #expect(try store.search(#"sp:"sylvia communis""#).otherNames == ["Curruca communis"])
  }

  @Test(arguments: Index.allCases)
  func `an English name finds recordings without it, and with a different one`(index: Index) throws
  {
    let store = try store(index)
    #expect(try found(#"en:"common whitethroat""#, store) == ["1", "2", "3", "6", "9", "12"])
    #expect(try found(#"en:"Common White-throat""#, store).isSuperset(of: ["1", "2", "3", "6"]))
  }

  @Test(arguments: Index.allCases)
  func `an English name finds the species whose epithet ends in -er`(index: Index) throws {
    let store = try store(
      index,
      [
        StoreUnderSearch.bird(1, "Gavia immer", "Great Northern Diver"),
        StoreUnderSearch.bird(2, "Periparus ater", ""),
        StoreUnderSearch.bird(3, "Parus ater", ""),
        StoreUnderSearch.bird(4, "Anser anser", "Gray-lag"),
        StoreUnderSearch.bird(5, "Merops apiaster", "Bee-eater"),
        StoreUnderSearch.bird(6, "Gavia arctica", "Black-throated Diver"),
      ])
    #expect(try found(#"en:"common loon""#, store) == ["1"])
    #expect(try found(#"en:"coal tit""#, store).contains("2"))
    #expect(try found(#"en:"greylag goose""#, store) == ["4"])
    #expect(try found(#"en:"european bee-eater""#, store) == ["5"])
  }

  @Test(arguments: Index.allCases)
  func `an English name finds an older name whose recordings have it or none`(index: Index) throws {
    let store = try store(
      index,
      [
        StoreUnderSearch.bird(1, "Sylvia curruca", "Lesser Whitethroat"),
        StoreUnderSearch.bird(2, "Sylvia curruca", ""),
        StoreUnderSearch.bird(3, "Sylvia borin", ""),
        // One name of two birds: a recording without an English name can be either.
        StoreUnderSearch.bird(4, "Accipiter gentilis", "Eurasian Goshawk"),
        StoreUnderSearch.bird(5, "Accipiter gentilis", "American Goshawk"),
        StoreUnderSearch.bird(6, "Accipiter gentilis", ""),
        StoreUnderSearch.bird(7, "Accipiter atricapillus", "American Goshawk"),
        StoreUnderSearch.bird(8, "Corvus monedula", ""),
      ])
    for text in [#"en:"lesser whitethroat""#, "lesser whitethroat", #"sp:"curruca curruca""#] {
      #expect(try found(text, store) == ["1", "2"], "\(text)")
      #expect(try store.search(text).otherNames == ["Sylvia curruca"])
    }
    #expect(try found(#"en:"eurasian goshawk""#, store) == ["4"])
    #expect(try found(#"en:"western jackdaw""#, store).isEmpty)
  }

  @Test(arguments: Index.allCases)
  func `an older name that nothing is stored under finds no other species`(index: Index) throws {
    let store = try store(
      index,
      [
        StoreUnderSearch.bird(1, "Curruca curruca", "Lesser Whitethroat"),
        StoreUnderSearch.bird(2, "Sylvia communis", "Common Whitethroat"),
        StoreUnderSearch.bird(3, "Spinus spinus", "Eurasian Siskin"),
        StoreUnderSearch.bird(4, "Carduelis tristis", "American Goldfinch"),
      ])
    for (older, present) in [
      ("Sylvia curruca", "Curruca curruca"), ("carduelis spinus", "Spinus spinus"),
    ] {
      #expect(try found(older, store) == [], "\(older)")
      #expect(try store.repository.names(near: older) == [present])
    }
    #expect(try found("curruca", store) == ["1", "2"])
  }

  @Test(arguments: Index.allCases)
  func `a catalogue that has two names of a family with one epithet has two birds`(index: Index)
    throws
  {
    let rows = [
      StoreUnderSearch.bird(1, "Oxyura ferruginea", "Andean Duck"),
      StoreUnderSearch.bird(2, "Tadorna ferruginea", "Ruddy Shelduck"),
      StoreUnderSearch.bird(3, "Sturnia blythii", "Malabar Starling"),
      StoreUnderSearch.bird(4, "Onychognathus blythii", "Somali Starling"),
      StoreUnderSearch.bird(5, "Sylvia communis", "Greater Whitethroat"),
    ]
    let both = try store(index, rows)
    for (text, ids) in [
      "ruddy shelduck": ["2"], #"en:"andean duck""#: ["1"], #"sp:"oxyura ferruginea""#: ["1"],
      "somali starling": ["4"], #"sp:"sturnia blythii""#: ["3"], "curruca communis": ["5"],
    ] as [String: Set<String>] {
      #expect(try found(text, both) == ids, "\(text)")
    }
    let counts = try both.search("-source:itunes").counts(by: [.species])
    #expect(counts.rows.map(\.count) == [1, 1, 1, 1, 1])
    #expect(counts.rows.contains { $0.values[0].text() == "Curruca communis" })
    // Without the other it is an older name, as far as the store knows.
    let one = try store(index, Array(rows.prefix(1)))
    #expect(try found("ruddy shelduck", one) == ["1"])
  }

  @Test(arguments: Index.allCases)
  func `a species in the background is found by its other names`(index: Index) throws {
    func row(_ id: Int, _ background: String) -> [String: String] {
      StoreUnderSearch.bird(id, "Turdus merula", "Common Blackbird", ["also": background])
    }
    let store = try store(
      index,
      [
        row(1, "Sylvia communis"), row(2, "Curruca communis"), row(3, "Sylvia borin"),
        row(4, "Common Whitethroat"),
        StoreUnderSearch.bird(5, "Sylvia communis", "Common Whitethroat"),
      ])
    #expect(try found(#"also:"curruca communis""#, store) == ["1", "2"])
    #expect(try found(#"also:"sylvia communis""#, store) == ["1", "2"])
    #expect(try found(#"also:"common whitethroat""#, store) == ["1", "2", "4"])
    #expect(try found(#"also:"=curruca communis""#, store) == ["2"])
    #expect(try found("also:communis", store) == ["1", "2"])
    #expect(try found(#"also:"sylvia communis","sylvia borin""#, store) == ["1", "2", "3"])
    #expect(try store.search(#"also:"curruca communis""#).otherNames == ["Sylvia communis"])
  }

  @Test(arguments: Index.allCases)
  func `a genus finds the species that were in a different one`(index: Index) throws {
    let store = try store(index)
    #expect(try found("gen:curruca", store) == ["1", "2", "3", "4", "6"])
    #expect(try found("coloeus", store) == ["8"])
    #expect(try found("gen:ichthyaetus", store) == ["11"])
    #expect(try store.search("coloeus").otherNames == ["Corvus monedula"])
  }

  @Test(arguments: Index.allCases)
  func `plain words are a name where as many as possible are one`(index: Index) throws {
    let store = try store(index)
    #expect(try found("curruca communis", store) == ["1", "2", "3", "6"])
    #expect(try found(#""Curruca communis""#, store) == ["1", "2", "3", "6"])
    // Sylvia and Curruca are genera of the list, too.
    #expect(try found("sylvia communis", store) == ["1", "2", "3", "6"])
    #expect(try found("sylvia curruca", store) == ["4"])
    #expect(try found("coloeus monedula jackdaw", store) == ["8"])
    #expect(try found("coloeus monedula merula", store).isEmpty)
    #expect(try found("chroicocephalus ridibundus, coloeus", store) == ["8", "10"])
    #expect(try found(#"-"curruca communis" sylvia"#, store) == ["4", "5", "12"])
    // In a name, and before what is found in remarks.
    #expect(try found("common whitethroat", store) == ["1", "2", "3", "6", "7", "9", "12"])
  }

  @Test(arguments: Index.allCases)
  func `what is not a name finds the text as it is`(index: Index) throws {
    let store = try store(index)
    for (text, ids) in [
      #"sp:"=curruca communis""#: ["2"], "sp:communis": ["1", "2", "3", "6", "9"],
      #"en:"=common whitethroat""#: ["1", "2", "9", "12"],
      "en:whitethroat": ["1", "2", "4", "6", "9", "12"],
      "gen:curr": ["2"], "gen:=curruca": ["2"], #"text:"curruca communis""#: ["2"],
      "whitethroat": ["1", "2", "4", "6", "7", "9", "12"], #"sp:"curruca commun""#: ["2"],
      #"sp:"sylvia borin""#: ["5"], "curruca -gen:sylvia": ["2"],
    ] as [String: Set<String>] {
      #expect(try found(text, store) == ids, "\(text)")
    }
    #expect(try store.search(#"sp:"turdus merula""#).otherNames.isEmpty)
  }

  // MARK: Copies, and names that catalogues accept

  /// A recording of xeno-canto, and GBIF's copy of it.
  private static func pair(
    _ id: Int, _ name: String, _ english: String, copied copy: String, accepted: String? = nil
  ) -> [Recording] {
    let words = name.split(separator: " ")
    let (genus, epithet) = (words[0], words[1])
    return [
      Recording(
        id: RecordingID(catalogue: .xenoCanto, value: "\(id)"),
        fields: RecordingFields(
          canonical: #"{"id":"\#(id)","gen":"\#(genus)","sp":"\#(epithet)","en":"\#(english)"}"#)),
      gbif(id, copy, accepted: accepted, number: id),
    ]
  }

  private static func gbif(
    _ key: Int, _ name: String, accepted: String? = nil, number: Int? = nil
  ) -> Recording {
    let life = "7ddf754f-d193-4cc9-b351-99906754a03b"
    let dataset =
      number.map {
        #""datasetKey":"b1047888-ae52-4179-9dd5-5448ea342a24","catalogNumber":"XC\#($0)","#
      } ?? ""
    let classifications =
      accepted.map {
        #","classifications":{"\#(life)":{"usage":{"name":"\#($0)","rank":"SPECIES"},"#
          + #""classification":[{"rank":"SPECIES","name":"\#($0)"}]}}"#
      } ?? ""
    return Recording(
      id: RecordingID(catalogue: .gbif, value: "\(key)-0a0b0c0d"),
      fields: RecordingFields(
        canonical: "{" + dataset + #""key":\#(key),"species":"\#(name)","#
          + #""media":[{"type":"Sound","identifier":"https://x.example/\#(key).mp3"}]"#
          + classifications + "}"))
  }

  private func store(of recordings: [Recording], isIndexed: Bool) throws -> RecordingRepository {
    let store = try RecordingStore.inMemory()
    let clock = ManualClock()
    let repository = RecordingRepository(store: store, dependencies: clock.dependencies()) { _ in
      nil
    }
    for id in [CatalogueID.xenoCanto, .gbif] {
      let query = try #require(Catalogues.named(id)).query(id == .gbif ? "a" : "sp:a")
      _ = try store.store(
        RecordingPage(
          number: 1, recordings: recordings.filter { $0.id.catalogue == id }, totals: nil, next: nil
        ), of: query, startsWalk: true, now: clock.now)
      _ = try store.closeWalk(of: query, evenIfShifted: true, now: clock.now)
    }
    if isIndexed { try repository.writeSearchIndex(least: 1) }
    return repository
  }

  private func search(_ text: String, _ repository: RecordingRepository) throws -> SearchResults {
    try repository.search(try repository.searchExpression(text))
  }

  @Test(arguments: [false, true])
  func `a name without an English one is what a copy of its recordings says`(isIndexed: Bool) throws
  {
    let rows =
      Self.pair(1, "Curruca communis", "Common Whitethroat", copied: "Sylvia communis")
      + [Self.gbif(2, "Sylvia communis"), Self.gbif(3, "Sylvia borin")]
    let repository = try store(of: rows, isIndexed: isIndexed)
    let found = try search(#"sp:"curruca communis""#, repository)
    #expect(found.matched == 3)
    #expect(found.otherNames == ["Sylvia communis"])
    #expect(try search(#"sp:"sylvia communis""#, repository).matched == 3)
    var reader = found.reader
    try reader.prepare(for: [.details, .species])
    let rowsFound = try reader.rows(0..<3, with: [.details, .species])
    let names = rowsFound.map { $0.value(of: .detail(.acceptedNameUsage)).text() }
    // The second has no copy, and says nothing itself.
    #expect(names == ["Curruca communis", "Curruca communis", nil])
    let counts = try search("sp:any", repository).counts(by: [.species])
    #expect(counts.rows.map { $0.values[0].text() } == ["Curruca communis", "Sylvia borin"])
    #expect(counts.rows.map(\.count) == [3, 1])
    #expect(
      counts.rows.map { counts.names(of: $0) } == [["Curruca communis", "Sylvia communis"], []])
  }

  @Test(arguments: [false, true])
  func `copies of different species decide nothing`(isIndexed: Bool) throws {
    let rows =
      Self.pair(1, "Turdus merula", "Common Blackbird", copied: "Xxxus yyyus")
      + Self.pair(2, "Turdus philomelos", "Song Thrush", copied: "Xxxus yyyus")
    let repository = try store(of: rows, isIndexed: isIndexed)
    #expect(try search(#"sp:"xxxus yyyus""#, repository).otherNames.isEmpty)
    #expect(try search(#"sp:"turdus merula""#, repository).otherNames.isEmpty)
  }

  @Test(arguments: [false, true])
  func `a name that was split finds every species that the store shows for it`(isIndexed: Bool)
    throws
  {
    let rows =
      Self.pair(1, "Accipiter gentilis", "Eurasian Goshawk", copied: "Astur gentilis")
      + Self.pair(2, "Accipiter gentilis", "American Goshawk", copied: "Astur atricapillus")
      + [Self.gbif(3, "Astur atricapillus"), Self.gbif(4, "Accipiter nisus")]
    let repository = try store(of: rows, isIndexed: isIndexed)
    let both = try search(#"sp:"accipiter gentilis""#, repository)
    #expect(both.otherNames == ["Astur atricapillus", "Astur gentilis"] && both.matched == 5)
    #expect(try search("accipiter gentilis", repository).otherNames == both.otherNames)
    #expect(try search(#"sp:"=accipiter gentilis""#, repository).matched == 2)
    let one = try search(#"sp:"astur gentilis""#, repository)
    #expect(one.otherNames == ["Accipiter gentilis"] && one.matched == 3)
  }

  @Test(arguments: [false, true])
  func `a frog is found by the name of its copy, and by the one that GBIF accepts`(isIndexed: Bool)
    throws
  {
    let rows =
      Self.pair(1, "Rana ridibunda", "Marsh Frog", copied: "Pelophylax ridibundus")
      + [
        Self.gbif(2, "Pelophylax ridibundus"), Self.gbif(3, "Rana kl. esculenta"),
        Self.gbif(4, "Bufo viridis", accepted: "Bufotes viridis"), Self.gbif(5, "Hyla arborea"),
      ]
    let repository = try store(of: rows, isIndexed: isIndexed)
    let ridibunda = try search(#"sp:"rana ridibunda""#, repository)
    #expect((ridibunda.matched, ridibunda.otherNames) == (3, ["Pelophylax ridibundus"]))
    #expect(try search(#"sp:"pelophylax ridibundus""#, repository).otherNames == ["Rana ridibunda"])
    #expect(try search(#"en:"marsh frog""#, repository).matched == 3)
    #expect(try search(#"sp:"hyla arborea""#, repository).otherNames.isEmpty)
    #expect(try search(#"sp:"bufotes viridis""#, repository).matched == 1)
    #expect(try search(#"sp:"bufo viridis""#, repository).matched == 1)
  }

  @Test func `an app counts birds by their accepted names, and texts by the scientific ones`()
    async throws
  {
    let found = try await store(.all).repository.rows(of: Selection(where: ["sp:any"]))
    func names(_ detail: PartialKeyPath<RecordingDetails>) async throws -> Set<String> {
      Set(try await found.counts(by: detail).rows.map { $0.texts[0] })
    }
    let birds = try await names(\.acceptedNameUsage)
    let texts = try await names(\.scientificName)
    #expect(birds.contains("Curruca communis") && !birds.contains("Sylvia communis"))
    #expect(texts.isSuperset(of: ["Curruca communis", "Sylvia communis"]))
  }

  @Test(arguments: Index.allCases)
  func `a bird counts once, with the names that it is stored under`(index: Index) throws {
    let store = try store(index)
    let found = try store.search("sp:any")
    let counts = try found.counts(by: [.species])
    func row(_ name: String) -> RecordingCounts.Row? {
      counts.rows.first { $0.values[0].text() == name }
    }
    let whitethroat = try #require(row("Curruca communis"))
    #expect(whitethroat.count == 4)
    #expect(counts.names(of: whitethroat) == ["Curruca communis", "Sylvia communis"])
    #expect(row("Sylvia communis") == nil)
    #expect(row("Coloeus monedula").map { counts.names(of: $0) } == ["Corvus monedula"])
    #expect(row("Turdus merula").map { counts.names(of: $0) } == [])
    // A frog with a bird's epithet and English name.
    #expect(row("Hyla communis")?.count == 1)
    let names = try found.counts(by: [.scientificName]).rows.map { $0.values[0].text() }
    #expect(names.contains("Sylvia communis") && names.contains("Corvus monedula"))
    let catalogue = try #require(CountKey.all.last)
    for keys in [[CountKey.species, catalogue], [catalogue, .species]] {
      let pairs = try found.counts(by: keys)
      let row = pairs.rows.first { $0.values.map { $0.text() }.contains("Curruca communis") }
      #expect(row?.count == 4)
      #expect(row.map { pairs.names(of: $0) } == ["Curruca communis", "Sylvia communis"])
    }
  }

  @Test(arguments: Index.allCases)
  func `what is above species is none`(index: Index) throws {
    let names = [
      ("Turdus merula", "merula"), ("Turdus", ""), ("Animalia", ""), ("Anas acuta", "acuta"),
      ("Anas platyrhynchos", "platyrhynchos x Anas acuta"), ("Turdus", "sp."),
      ("Larus", "argentatus/fuscus"), ("Junco", "hyemalis mearnsi x caniceps"),
    ]
    let rows = names.enumerated().map { index, name in
      StoreUnderSearch.bird(
        index + 1, "Xxx yyy", "", ["gen": String(name.0.split(separator: " ")[0]), "sp": name.1])
    }
    let counts = try store(index, rows).search("-source:itunes").counts(by: [.species])
    #expect(
      Set(counts.rows.map { $0.values[0].text() })
        == ["Turdus merula", "Anas acuta", "Junco hyemalis"])
    #expect(
      counts.missing == [0] && counts.aboveSpecies == 5 && counts.rows.allSatisfy { $0.count == 1 })
    let all = try store(index, rows).search("-source:itunes").counts(by: [.scientificName])
    let found = Set(all.rows.map { $0.values[0].text() })
    #expect(found.isSuperset(of: ["Anas platyrhynchos x Anas acuta", "Larus argentatus/fuscus"]))
  }

  @Test func `the APIs of xeno-canto take names as they are`() throws {
    let store = try store(.all)
    let expression = try store.repository.searchExpression(#"sp:"curruca communis""#)
    let results = try store.repository.search(expression, takesNamesAsTyped: true, preparing: [])
    #expect(results.matched == 1)
    #expect(results.otherNames.isEmpty)
  }

  @Test func `names of birds cost the same however many recordings have them`() throws {
    let rows = (1...3000).map { StoreUnderSearch.bird($0, "Sylvia communis", "Common Whitethroat") }
    let store = try store(.all, rows)
    #expect(try store.search(#"sp:"curruca communis""#).matched == 3000)
    guard case .segment(let segment) = try store.step(#"sp:"curruca communis""#) else {
      Issue.record("nothing is in the index")
      return
    }
    #expect(segment.certain.count == 3000)
    #expect(segment.undecided.isEmpty)
  }

  @Test(arguments: Index.allCases)
  func `the words of a list find the taxon that was looked up for them`(index: Index) throws {
    let store = try store(index)
    let repository = store.repository
    #expect(try found("amsel", store).isEmpty)
    func keep(_ list: CatalogueQuery) throws {
      let page = RecordingPage(number: 1, recordings: [], totals: nil, next: nil)
      _ = try repository.store.store(page, of: list, startsWalk: true, now: Date())
    }
    let gbif = try #require(Catalogues.named(.gbif))
    try keep(
      try gbif.query("Amsel cnt:poland").requested(as: "taxonKey=42 (Turdus merula, species)"))
    for text in ["amsel", "AMSEL", "en:amsel"] {
      #expect(try found(text, store) == ["7"], "\(text)")
      #expect(try store.search(text).otherNames == ["Turdus merula"])
    }
    // The same word with the taxon of another, and one that was found under another name.
    try keep(try gbif.query("Lachmöwe").requested(as: "taxonKey=43 (Larus, genus)"))
    #expect(try found("lachmöwe", store).isEmpty)
    let words = try Catalogues.all[0].query("Dohle")
    try keep(
      CatalogueQuery(
        catalogue: words.catalogue, identity: "sp:\"coloeus monedula\"", pageSize: words.pageSize,
        typed: words.typed, requestText: "gen:coloeus sp:monedula"))
    #expect(try found("dohle", store) == ["8"])
  }
}
