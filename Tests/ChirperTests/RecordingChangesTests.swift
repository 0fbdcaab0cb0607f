import ChirperStore
import ChirperTestSupport
import Foundation
import Testing

@testable import Chirper

/// What changed of recordings, detail by detail.
@Suite struct RecordingChangesTests {
  private let store: RecordingStore
  private let clock = ManualClock()
  private let repository: RecordingRepository
  private let query: CatalogueQuery

  init() throws {
    store = try RecordingStore.inMemory()
    repository = RecordingRepository(store: store, dependencies: clock.dependencies()) { _ in nil }
    query = try Catalogues.defaultCatalogue.query("robin")
  }

  /// Stores the list, a day after it was stored before, with these fields of each recording besides
  /// its id.
  private func fetch(_ recordings: [[(String, String)]]) throws {
    clock.advance(by: .seconds(86_400))
    let rows = recordings.enumerated().map { index, fields in
      let members = ([("id", "\(index)")] + fields).map {
        "\(JSONText.quoted($0)):\(JSONText.quoted($1))"
      }
      return Recording(
        id: RecordingID(catalogue: .xenoCanto, value: "\(index)"),
        fields: RecordingFields(canonical: "{\(members.joined(separator: ","))}"))
    }
    let page = RecordingPage(number: 1, recordings: rows, totals: nil, next: nil)
    _ = try store.store(page, of: query, startsWalk: true, now: clock.now)
  }

  private func changes(_ search: String, since: Date? = nil, sort: [SortKey] = []) throws
    -> RecordingChanges
  {
    try repository.search(
      SearchExpression(search, catalogues: Catalogues.all.map(\.id)), sort: sort
    ).reader.changes(since: since)
  }

  private func rows(_ changes: RecordingChanges) throws -> [String] {
    try changes.rows(0..<changes.count).map { change in
      let values = [change.old, change.new].map { $0.text() ?? "-" }
      return "\(change.recording.id.value) \(change.column): \(values[0]) > \(values[1])"
    }
  }

  @Test
  func
    `a row is a detail that changed: those with a different name first, then in the order of the columns`()
    throws
  {
    try fetch([
      [("gen", "Turdus"), ("sp", "merula"), ("q", "A")],
      [("gen", "Turdus"), ("sp", "merula"), ("en", "Blackbird")],
      [("gen", "Strix"), ("sp", "aluco"), ("osci", "x")], [("gen", "Strix"), ("sp", "aluco")],
    ])
    try fetch([
      [("gen", "Turdus"), ("sp", "merula"), ("q", "C"), ("cnt", "Poland")],
      [("gen", "Turdus"), ("sp", "philomelos"), ("en", "Song Thrush")],
      [("gen", "Strix"), ("sp", "aluco"), ("osci", "y")],
      [("gen", "Strix"), ("sp", "aluco")],
    ])
    for search in ["changed:any", "in:robin changed:7d", "in:\"xeno-canto:robin\""] {
      let changes = try changes(search)
      #expect((changes.recordings, changes.renamed, changes.others) == (2, 0, 1))
      #expect(changes.differentSpecies == 1)
      #expect(
        try rows(changes) == [
          "1 scientificName: Turdus merula > Turdus philomelos",
          "1 vernacularName: Blackbird > Song Thrush",
          "0 country: - > Poland", "0 countryCode: - > PL", "0 quality: A > C",
        ])
      #expect(try changes.rows(1..<3).map(\.changedAt) == [clock.now, clock.now])
    }
  }

  @Test(arguments: [
    // The names of one species of the list.
    ("Sylvia communis, Common Whitethroat", "Curruca communis, Common Whitethroat", true),
    ("Sylvia communis, Greater Whitethroat", "Curruca communis, Common Whitethroat", true),
    ("Corvus monedula, Eurasian Jackdaw", "Coloeus monedula, Western Jackdaw", true),
    // The stem of the epithet stays, where the list has neither.
    ("Rana ridibunda, Marsh Frog", "Pelophylax ridibundus, Marsh Frog", true),
    ("Hyla arborea, Tree Frog", "Hyla arborea, European Tree Frog", true),
    ("Rana ridibunda, Marsh Frog", "Rana temporaria, Marsh Frog", false),
    ("Turdus merula, Common Blackbird", "Turdus philomelos, Song Thrush", false),
    // The same epithet, and two species of the list.
    ("Parus major, Great Tit", "Taraba major, Great Antshrike", false),
    ("Sylvia sp., ", "Sylvia communis, Common Whitethroat", false),
    ("Turdus merula, Common Blackbird", "Turdus sp., ", false),
  ]) func `a recording is renamed where only the name of its species is different`(
    old: String, new: String, isRenamed: Bool
  ) throws {
    func fields(_ names: String) -> [(String, String)] {
      let parts = names.components(separatedBy: ", ")
      let words = parts[0].split(separator: " ").map(String.init)
      return [("gen", words[0]), ("sp", words[1]), ("en", parts[1])]
    }
    try fetch([fields(old), [("q", "A")]])
    try fetch([fields(new), [("q", "B")]])
    let changes = try changes("changed:any")
    #expect(changes.renamed == (isRenamed ? 1 : 0))
    #expect(changes.differentSpecies == (isRenamed ? 0 : 1))
    #expect(changes.recordings == 2)
    let read = try changes.rows(0..<changes.count)
    #expect(read.last?.column == .quality && read.last?.naming == nil)
    #expect(read.first?.naming == (isRenamed ? .renamed : .differentSpecies))
    let news = try #require(try repository.news(since: .distantPast).first)
    #expect(news.renamed.count == changes.renamed)
    #expect(news.differentSpecies.count == changes.differentSpecies)
  }

  @Test func `what was a moment ago is compared with now, whatever was between`() throws {
    for quality in ["A", "B", "C", "A"] { try fetch([[("q", quality)]]) }
    func changes(days: Double) throws -> RecordingChanges {
      try self.changes("changed:any", since: clock.now.addingTimeInterval(-days * 86_400))
    }
    #expect(try rows(changes(days: 0)) == ["0 quality: C > A"])
    #expect(try rows(changes(days: 1)) == ["0 quality: B > A"])
    let back = try changes(days: 2)
    #expect((back.count, back.others) == (0, 1))
    #expect(try changes(days: -1).others == 0)
  }

  @Test func `any window of many changes can be read, and a forgotten recording is an error`()
    throws
  {
    try fetch((0..<700).map { _ in [("q", "A"), ("en", "Robin")] })
    try fetch((0..<700).map { [("q", "B"), ("en", $0 % 7 == 0 ? "Wren" : "Robin")] })
    let changes = try changes("in:robin")
    #expect((changes.recordings, changes.renamed, changes.count) == (700, 100, 800))
    let all = try rows(changes)
    #expect(
      all[0...1] == ["0 vernacularName: Robin > Wren", "0 quality: A > B"]
        && all[200] == "1 quality: A > B")
    #expect(try changes.rows(199..<201).map(\.recording.id.value) == ["693", "1"])
    #expect(try changes.rows(799..<900).map(\.recording.id.value) == ["699"])
    let sorted = try self.changes("sp:none", sort: [SortKey(.id, descending: true)])
    #expect(try sorted.rows(99..<102).map(\.recording.id.value) == ["350", "343", "343"])
    _ = try store.forget(query)
    #expect(throws: StoreError(.recordingForgotten)) { try changes.rows(0..<1) }
  }
}
