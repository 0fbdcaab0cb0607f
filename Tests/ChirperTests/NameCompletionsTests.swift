import ChirperModel
import Foundation
import Testing

@testable import Chirper

/// Names that a typed text may become.
@Suite struct NameCompletionsTests {
  private static let rows: [[String: String]] = [
    StoreUnderSearch.bird(1, "Sylvia communis", "Common Whitethroat"),
    StoreUnderSearch.bird(2, "Sylvia communis", "Common Whitethroat"),
    StoreUnderSearch.bird(3, "Sylvia curruca", "Lesser Whitethroat"),
    StoreUnderSearch.bird(4, "Corvus corax", "Common Raven"),
    StoreUnderSearch.bird(5, "Rana temporaria", "Common Frog", ["grp": "frogs"]),
    ["id": "6", "en": "Common \"type:song"],
    ["id": "7", "en": "Common -x"],
    ["id": "8", "en": "Common \u{1B}[31m"],
    ["id": "9", "en": "Common $(reboot)"],
  ]

  private func store(indexed: Bool) throws -> RecordingRepository {
    var store = try StoreUnderSearch(seed: 1)
    try store.add(Self.rows)
    if indexed { try store.repository.writeSearchIndex(least: 1) }
    return store.repository
  }

  @Test(arguments: [false, true])
  func `stored names come first, those with the most recordings before others`(indexed: Bool) throws
  {
    let store = try store(indexed: indexed)
    #expect(
      try store.completions(of: "common ", limit: 3) == [
        "common whitethroat", "common frog", "common raven",
      ])
    #expect(try store.completions(of: "syl", limit: 2) == ["sylvia communis", "sylvia curruca"])
  }

  @Test(arguments: [
    // Names that are in the list of birds alone; what was typed stays.
    ("western jackd", "western jackdaw"), ("Western jackd", "Western jackdaw"),
    ("WESTERN JACK", "WESTERN JACKdaw"), ("coloeus mo", "coloeus monedula"),
    ("european storm p", "european storm petrel"), ("european storm-p", "european storm-petrel"),
    ("pallas's le", "pallas's leaf warbler"),
    ("pallas\u{2019}s le", "pallas\u{2019}s leaf warbler"),
    // After other terms; as many words as possible are a name.
    ("q:A western jackd", "q:A western jackdaw"),
    ("-cnt:poland loud common rav", "-cnt:poland loud common raven"),
    // A value that has several words is quoted.
    ("en:eurasia", "en:\"eurasian bittern\""), ("en:\"western jackd", "en:\"western jackdaw\""),
    ("q:A sp:\"coloeus mo", "q:A sp:\"coloeus monedula\""), ("sp:temp", nil),
    ("sp:\"rana ", "sp:\"rana temporaria\""),
    // Too short, as it is meant, or no name.
    ("co", nil), ("", nil), ("   ", nil), ("=en:common", nil), ("-common rav", nil),
    ("\"common rav", nil),
    ("en:\"common raven\"", nil), ("loc:common", nil), ("sp:common", nil), ("type:song", nil),
    ("common raven", nil), ("qqq", nil),
  ])
  func `the first completion of a text`(text: String, completed: String?) throws {
    #expect(try store(indexed: true).completions(of: text).first == completed)
  }

  @Test func `names with signs that mean something are left out`() throws {
    let names = try store(indexed: false).completions(of: "common ", limit: 10_000)
    #expect(names.contains("common frog"))
    #expect(names.allSatisfy { $0.allSatisfy { $0.isLetter || " -'".contains($0) } })
    #expect(!names.contains { $0.hasPrefix("common -") })
  }

  @Test func `names of lists that were added come last`() throws {
    let store = try store(indexed: true)
    _ = try store.addNames("a", from: "a.csv") { add in
      for (position, name) in ["Kolkrabe", "Kolkrabe", "\u{6E21}\u{9D09}", "Common Rarity"]
        .enumerated()
      {
        let species = try #require(Binomial("Corvus corax"))
        try add(AddedName(species, language: "de\(position)", text: name, position: position))
      }
    }
    #expect(try store.completions(of: "kolk") == ["kolkrabe"])
    #expect(try store.completions(of: "en:Kolk") == ["en:Kolkrabe"])
    #expect(try store.completions(of: "sp:kolk") == [])
    #expect(try store.completions(of: "\u{6E21}") == ["\u{6E21}\u{9D09}"])
    let names = try store.completions(of: "common ra")
    #expect((names.first, names.last) == ("common raven", "common rarity"))
  }

  @Test func `words of lists and added names of stored species come before other birds`() throws {
    let store = try store(indexed: true)
    #expect(try store.completions(of: "ams").first == "amsterdam albatross")
    _ = try store.addNames("german", from: "a.csv") { add in
      for (position, name) in [
        ("Diomedea amsterdamensis", "Amsterdamalbatros"), ("Corvus corax", "Amsrabe"),
      ].enumerated() {
        let species = try #require(Binomial(name.0))
        try add(AddedName(species, language: "de", text: name.1, position: position))
      }
    }
    let completions = try store.completions(of: "ams")
    #expect(completions.first == "amsrabe" && completions.last == "amsterdamalbatros")
    func keep(_ words: String, _ ids: [String]) throws {
      let list = try Catalogues.all[0].query(words)
      let recordings = ids.map {
        Recording(
          id: RecordingID(catalogue: list.catalogue, value: $0), fields: RecordingFields(["id": $0])
        )
      }
      let page = RecordingPage(number: 1, recordings: recordings, totals: nil, next: nil)
      _ = try store.store.store(page, of: list, startsWalk: true, now: Date())
    }
    try keep("Amzel", [])
    #expect(try store.completions(of: "amz").isEmpty, "words that found nothing")
    try keep("Amsel", ["77"])
    #expect(try store.completions(of: "ams").first == "amsel")
  }
}
