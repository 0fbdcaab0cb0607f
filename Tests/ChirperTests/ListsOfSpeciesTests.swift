import ChirperTestSupport
import Testing

@testable import Chirper
@testable import ChirperStore

/// The stored lists of a species, whatever name they were fetched by.
@Suite struct ListsOfSpeciesTests {
  private let clock = ManualClock()
  private let repository: RecordingRepository

  init() throws {
    repository = RecordingRepository(store: try .inMemory(), dependencies: clock.dependencies())
    try store("sylvia communis", in: .xenoCanto, [("Sylvia communis", "Common Whitethroat")])
    try store("Common Whitethroat", in: .gbif, [("Curruca communis", "")])
    try store("common whitethroat year:2020", in: .gbif, [("Curruca communis", "")])
    try store(
      #"en:"greater whitethroat""#, in: .xenoCanto,
      [
        ("Sylvia curruca", "Lesser Whitethroat"), ("Sylvia communis", "Greater Whitethroat"),
      ])
    try store("sylvia", in: .xenoCanto, [("Sylvia communis", "Common Whitethroat")])
    try store("european tree frog", in: .xenoCanto, [("Hyla arborea", "European Tree Frog")])
    try store("hyla arborea", in: .iNaturalist, [("Hyla arborea", "")])
    try store("curruca communis", in: .itunes, [("Curruca communis", "")])
  }

  private func store(
    _ typed: String, in id: CatalogueID, _ rows: [(name: String, english: String)]
  ) throws {
    let catalogue = try #require(Catalogues.named(id))
    let recordings = rows.enumerated().map { index, row in
      let words = row.name.split(separator: " ")
      let fields =
        switch id {
        case .xenoCanto: #""gen":"\#(words[0])","sp":"\#(words[1])","en":"\#(row.english)""#
        case .iNaturalist: #""taxon":{"name":"\#(row.name)"}"#
        default: #""scientificName":"\#(row.name)""#
        }
      return Recording(
        id: RecordingID(catalogue: id, value: "\(typed.count)-\(index)"),
        fields: RecordingFields(canonical: "{\(fields)}"))
    }
    _ = try repository.store.store(
      RecordingPage(number: 1, recordings: recordings, totals: nil, next: nil),
      of: catalogue.query(typed, scientific: typed.hasPrefix("sylvia")), startsWalk: true,
      now: clock.now)
  }

  private static let whitethroat: Set = [
    "sylvia communis", "Common Whitethroat", #"en:"greater whitethroat""#,
  ]

  @Test(
    arguments: [
      ("common whitethroat", whitethroat), ("Curruca communis", whitethroat),
      ("common white-throat", whitethroat), ("sylvia communis", whitethroat),
      ("greater whitethroat", whitethroat), (#"sp:"curruca communis""#, whitethroat),
      ("gbif:curruca communis", ["Common Whitethroat"]),
      ("curruca communis year:2020", ["common whitethroat year:2020"]),
      ("curruca communis year:2021", []), (#"sp:"=curruca communis""#, []),
      ("lesser whitethroat", []), ("curruca", []), ("communis", []), ("gen:sylvia", []),
      ("european tree frog", ["european tree frog", "hyla arborea"]),
      ("hyla arborea", ["european tree frog", "hyla arborea"]), ("hyla meridionalis", []),
      ("q:A", []), ("XC123", []), ("common whitethroat sylvia communis", []),
    ] as [(String, Set<String>)])
  func `the lists of a species are found by each of its names`(typed: String, lists: Set<String>)
    throws
  {
    for isIndexed in [false, true] {
      if isIndexed { try repository.writeSearchIndex(least: 1) }
      let found = try TypedText(typed).listsOfSpecies(in: repository)
      #expect(Set(found.map(\.query.typed)) == lists)
      #expect(found.allSatisfy { $0.query.catalogue != .itunes })
    }
  }

  @Test(arguments: ["Dorngrasmücke", "dorn-grasmucke", "en:dorngrasmücke"])
  func `the lists of a species are found by a name that was added`(typed: String) throws {
    #expect(try TypedText(typed).listsOfSpecies(in: repository).isEmpty)
    _ = try repository.addNames("a", from: "a.csv") { add in
      let species = try #require(Binomial("Curruca communis"))
      try add(AddedName(species, language: "de", text: "Dorngrasmücke", position: 0))
    }
    let found = try TypedText(typed).listsOfSpecies(in: repository)
    #expect(Set(found.map(\.query.typed)) == Self.whitethroat)
  }

  @Test func `the made-up lists are left out where a real one is found`() throws {
    try store("Common Whitethroat", in: .sample, [("Curruca communis", "")])
    let typed = try TypedText("curruca communis")
    #expect(
      Set(try typed.listsOfSpecies(in: repository).map(\.query.catalogue)) == [.xenoCanto, .gbif])
    let made = try TypedText("curruca communis", in: .sample)
    #expect(try made.listsOfSpecies(in: repository).map(\.query.catalogue) == [.sample])
  }

  @Test func `a list is read under its own text, and deleted under no other`() throws {
    let typed = try TypedText("sylvia communis")
    #expect(try typed.stored(in: repository).map(\.query.typed) == ["sylvia communis"])
    #expect(
      try TypedText("curruca communis").stored(in: repository).map(\.query.catalogue) == [.itunes])
    #expect(try TypedText("curruca communis", in: .xenoCanto).stored(in: repository).isEmpty)
  }
}
