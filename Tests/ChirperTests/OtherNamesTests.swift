import ChirperTestSupport
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
    row(1, "Sylvia communis", "Common Whitethroat"),
    row(2, "Curruca communis", "Common Whitethroat"),
    row(3, "Sylvia communis", "", ["ssp": "volgensis"]),
    row(4, "Sylvia curruca", "Lesser Whitethroat"),
    row(5, "Sylvia borin", "Garden Warbler"),
    row(6, "Sylvia communis", "Greater Whitethroat"),
    row(7, "Turdus merula", "Common Blackbird", ["rmk": "with a common whitethroat"]),
    row(8, "Corvus monedula", "Western Jackdaw"),
    row(9, "Hyla communis", "Common Whitethroat", ["grp": "frogs"]),
    row(10, "Larus ridibundus", "Black-headed Gull"),
    row(11, "Larus melanocephalum", "Mediterranean Gull"),
    row(12, "Sylvia sp.", "Common Whitethroat"),
  ]

  private static func row(
    _ id: Int, _ name: String, _ english: String, _ further: [String: String] = [:]
  ) -> [String: String] {
    let words = name.split(separator: " ").map(String.init)
    return ["id": "\(id)", "gen": words[0], "sp": words[1], "en": english, "grp": "birds"]
      .merging(further) { $1 }
  }

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
    #expect(try found(#"en:"greater whitethroat""#, store) == ["1", "2", "3", "6"])
    #expect(
      try store.search(#"en:"greater whitethroat""#).otherNames == [
        "Curruca communis", "Sylvia communis",
      ])
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
    #expect(try found("greater whitethroat", store) == ["1", "2", "3", "6"])
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

  @Test func `the APIs of xeno-canto take names as they are`() throws {
    let store = try store(.all)
    let expression = try store.repository.searchExpression(#"sp:"curruca communis""#)
    let results = try store.repository.search(expression, takesNamesAsTyped: true, preparing: [])
    #expect(results.matched == 1)
    #expect(results.otherNames.isEmpty)
  }

  @Test func `names of birds cost the same however many recordings have them`() throws {
    let rows = (1...3000).map { Self.row($0, "Sylvia communis", "Common Whitethroat") }
    let store = try store(.all, rows)
    #expect(try store.search(#"sp:"curruca communis""#).matched == 3000)
    guard case .segment(let segment) = try store.step(#"sp:"curruca communis""#) else {
      Issue.record("nothing is in the index")
      return
    }
    #expect(segment.certain.count == 3000)
    #expect(segment.undecided.isEmpty)
  }
}
