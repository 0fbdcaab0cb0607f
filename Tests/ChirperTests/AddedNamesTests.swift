import ChirperModel
import ChirperTestSupport
import Testing

@testable import Chirper
@testable import ChirperStore

/// Names of lists that the user added.
@Suite struct AddedNamesTests {
  private static let rows: [[String: String]] = [
    StoreUnderSearch.bird(1, "Sylvia communis", "Common Whitethroat"),
    StoreUnderSearch.bird(2, "Curruca communis", ""),
    StoreUnderSearch.bird(3, "Turdus merula", "Common Blackbird"),
    StoreUnderSearch.bird(4, "Turdus torquatus", "Ring Ouzel"),
    StoreUnderSearch.bird(5, "Bufo bufo", "", ["grp": "frogs"]),
    StoreUnderSearch.bird(6, "Turdus pilaris", "Fieldfare", ["rmk": "with an Amsel"]),
  ]

  private func store(indexed: Bool) throws -> StoreUnderSearch {
    var store = try StoreUnderSearch(seed: 1)
    try store.add(Self.rows)
    if indexed { try store.repository.writeSearchIndex(least: 1) }
    return store
  }

  @discardableResult
  private func add(
    _ name: String, _ names: [(String, String, String)], to store: StoreUnderSearch
  ) throws -> NameList? {
    try store.repository.addNames(name, from: "\(name).csv") { add in
      for (position, name) in names.enumerated() {
        let species = try #require(Binomial(name.0))
        try add(AddedName(species, language: name.1, text: name.2, position: position))
      }
    }
  }

  private static let names = [
    ("Curruca communis", "de", "Dorngrasmücke"), ("Turdus merula", "de", "Amsel"),
    ("Turdus merula", "de", "Schwarzdrossel"), ("Turdus merula", "de", "AMSEL"),
    ("Turdus merula", "fr", "Merle noir"), ("Turdus torquatus", "fr", "Merle à plastron"),
    ("Turdus merula", "xx", "Merle"), ("Turdus torquatus", "xx", "Merle"),
    ("Bufo bufo", "de", "Erdkröte"),
  ]

  @Test(arguments: [false, true])
  func `an older scientific name of an added list is that of its species`(indexed: Bool) throws {
    let store = try store(indexed: indexed)
    let searches = ["merula vulgaris", #"sp:"merula vulgaris""#]
    for search in searches { #expect(try store.found(search) == []) }
    // Without an English name it is not known which species is meant.
    try add("a", [("Merula vulgaris", "de", "Amsel")], to: store)
    for search in searches { #expect(try store.found(search) == []) }
    try add(
      "b",
      [
        ("Merula merula", "en", "Common Blackbird"), ("Merula merula", "de", "Amsel"),
        ("Sylvia nigra", "en", "Ring Ouzel"),
      ], to: store)
    for search in ["merula merula", #"sp:"merula merula""#] {
      #expect(try store.found(search) == ["3"], "\(search)")
    }
    // The English name without the epithet decides nothing.
    #expect(try store.found("sylvia nigra") == [])
  }

  @Test(arguments: [false, true])
  func `an older name without an English one is that of the only species in the family`(
    indexed: Bool
  ) throws {
    var store = try StoreUnderSearch(seed: 1)
    try store.add([
      StoreUnderSearch.bird(1, "Curruca curruca", "Lesser Whitethroat"),
      StoreUnderSearch.bird(2, "Sylvia curruca", ""),
      StoreUnderSearch.bird(3, "Tadorna ferruginea", "Ruddy Shelduck"),
    ])
    if indexed { try store.repository.writeSearchIndex(least: 1) }
    try add("a", [("Sylvia curruca", "de", "Klappergrasmücke")], to: store)
    #expect(try store.found("klappergrasmücke") == ["1", "2"])
    // A list that has the present name too means two birds.
    try add(
      "b",
      [
        ("Oxyura ferruginea", "de", "Andenruderente"), ("Tadorna ferruginea", "de", "Rostgans"),
      ], to: store)
    #expect(try store.found("andenruderente") == [])
    #expect(try store.found("rostgans") == ["3"])
  }

  @Test(arguments: [false, true])
  func `a species is found by a name of an added list`(indexed: Bool) throws {
    let store = try store(indexed: indexed)
    for search in ["Dorngrasmücke", "en:dorngrasmucke", "\"Dorn-Grasmücke\""] {
      #expect(try store.found(search) == [])
    }
    let list = try add("a", Self.names, to: store)
    #expect((list?.names, list?.species) == (8, 4))
    #expect(list?.languages.map(\.code) == ["de", "fr", "xx"])
    for search in [
      "Dorngrasmücke", "dorngrasmucke", "en:Dorngrasmücke", "\"Dorn-Grasmücke\"",
      "en:\"dorngrasmücke\"",
    ] {
      #expect(Set(try store.found(search)) == ["1", "2"], "\(search)")
    }
    #expect(Set(try store.found("schwarzdrossel")) == ["3"])
    #expect(Set(try store.found("merle noir")) == ["3"])
    #expect(Set(try store.found("merle a plastron")) == ["4"])
    #expect(Set(try store.found("en:merle")) == ["3", "4"])
    #expect(Set(try store.found("erdkröte")) == ["5"])
    // What has the text as it is stays found.
    #expect(Set(try store.found("amsel")) == ["3", "6"])
    #expect(try store.found("en:\"=Amsel\"") == [])
    #expect(try store.found("sp:amsel") == [])
    #expect(
      try store.repository.search(SearchExpression(typed: "dorngrasmücke", in: Catalogues.all))
        .otherNames == [
          "Curruca communis", "Sylvia communis",
        ])
    #expect(try store.repository.removeNames("a"))
    #expect(try store.found("Dorngrasmücke") == [])
  }

  /// A list can be older than the list of birds.
  @Test(arguments: [false, true], [false, true])
  func `a list with older scientific names means the same species`(
    indexed: Bool, hasEnglish: Bool
  ) throws {
    let store = try store(indexed: indexed)
    let english = [("Sylvia communis", "en", "Common Whitethroat")]
    try add(
      "a", [("Sylvia communis", "de", "Dorngrasmücke")] + (hasEnglish ? english : []), to: store)
    #expect(Set(try store.found("dorngrasmücke")) == ["1", "2"])
  }

  @Test func `a name of the list of birds is what that says`() throws {
    let store = try store(indexed: true)
    let others = try store.repository.search(
      SearchExpression(typed: "en:\"common whitethroat\"", in: Catalogues.all)
    ).otherNames
    try add("a", [("Curruca communis", "en", "Common Whitethroat")], to: store)
    #expect(Set(try store.found("en:\"common whitethroat\"")) == ["1", "2"])
    #expect(
      try store.repository.search(
        SearchExpression(typed: "en:\"common whitethroat\"", in: Catalogues.all)
      ).otherNames
        == others)
  }

  private struct Failure: Error {}

  @Test func `a list is added whole or not at all, and once`() throws {
    let store = try store(indexed: false)
    #expect(throws: Failure.self) {
      try store.repository.addNames("a", from: "a.csv") { add in
        for (position, name) in Self.names.enumerated() {
          let species = try #require(Binomial(name.0))
          try add(AddedName(species, language: name.1, text: name.2, position: position))
        }
        throw Failure()
      }
    }
    #expect(try store.repository.nameLists() == [])
    #expect(try store.found("dorngrasmücke") == [])
    let list = try #require(try add("a", Self.names, to: store))
    #expect(try add("a", [("Turdus merula", "de", "x")], to: store) == nil)
    #expect(try store.repository.nameLists() == [list])
    #expect(try !store.repository.removeNames("b"))
  }
}
