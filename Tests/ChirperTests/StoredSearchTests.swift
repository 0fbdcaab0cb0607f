import ChirperStore
import ChirperTestSupport
import Foundation
import Testing

@testable import Chirper

/// Searches of everything stored.
@Suite struct StoredSearchTests {
  private let store: RecordingStore
  private let clock = ManualClock()
  private let repository: RecordingRepository
  private let catalogue = Catalogues.defaultCatalogue

  init() throws {
    store = try RecordingStore.inMemory()
    repository = RecordingRepository(store: store, dependencies: clock.dependencies()) { _ in nil }
  }

  private func recording(
    _ id: Int, _ fields: (String, String)..., catalogue: CatalogueID = .xenoCanto
  ) -> Recording {
    let members = ([("id", "\(id)")] + fields).map {
      "\(JSONText.quoted($0)):\(JSONText.quoted($1))"
    }
    return Recording(
      id: RecordingID(catalogue: catalogue, value: "\(id)"),
      fields: RecordingFields(canonical: "{\(members.joined(separator: ","))}"))
  }

  /// Stores a complete list of one page, which is believed however many rows it has lost.
  private func fetch(
    _ text: String, scientific: Bool = false, _ rows: [Recording], in catalogue: Catalogue? = nil
  ) throws {
    let query = try (catalogue ?? self.catalogue).query(text, scientific: scientific)
    _ = try store.store(
      RecordingPage(number: 1, recordings: rows, totals: nil, next: nil), of: query,
      startsWalk: true, now: clock.now)
    let closing = try store.closeWalk(
      of: query, evenIfShifted: false,
      fallCheck: FallCheck(foundBefore: rows.count, believesTwo: true), now: clock.now)
    #expect(closing.completeness != nil)
  }

  private func search(
    _ text: String, sort: [SortKey] = [], window: Range<Int>? = nil,
    progress: (Int, Int) -> Void = { _, _ in }
  ) throws -> SearchResults {
    let expression = try SearchExpression(text, catalogues: Catalogues.all.map(\.id))
    return try repository.search(expression, sort: sort, window: window, progress: progress)
  }

  private func ids(_ results: SearchResults) throws -> [String] {
    try results.rows(0..<results.count).map(\.recording.id.value)
  }

  private func ids(_ text: String, sort: [SortKey] = [], window: Range<Int>? = nil) throws
    -> [String]
  {
    try ids(search(text, sort: sort, window: window))
  }

  @Test func `made-up recordings are found only without real ones, or by name`() throws {
    let sample = Catalogues.defaultWithoutKey
    let everything = SearchExpression(terms: [])
    let robin = recording(1, ("en", "Robin"), ("date", "2024-05-01"), catalogue: .sample)
    try fetch("robin", [robin], in: sample)
    #expect(try ids("robin") == ["1"] && ids(repository.search(everything)) == ["1"])
    try fetch("wren", [recording(2, ("en", "Robin"))])
    #expect(try ids("robin") == ["2"] && ids(repository.search(everything)) == ["2"])
    #expect(try search("robin").expression.description == "robin -source:sample")
    #expect(try ids("robin source:any") == ["1", "2"] && ids("source:sample") == ["1"])
    #expect(try ids("in:robin") == ["1"])
    // What is counted is part of what it is a share of.
    let month = CountKey.all.filter { $0.name == "month" }
    let may = try search("source:sample").counts(by: month).rows[4]
    #expect(may.count == 1 && may.stored == 1)
  }

  @Test func `a list that is another query today is found by its words until that one is stored`()
    throws
  {
    let old = CatalogueQuery(
      catalogue: .xenoCanto, identity: "cnt:uk", pageSize: 500, typed: "cnt:UK",
      requestText: "cnt:UK")
    _ = try store.store(
      RecordingPage(number: 1, recordings: [recording(1)], totals: nil, next: nil), of: old,
      startsWalk: true, now: clock.now)
    #expect(try TypedText("cnt:uk").stored(in: repository).map(\.query) == [old])
    #expect(try TypedText("cnt:uk", scientific: true).stored(in: repository).isEmpty)
    try fetch("cnt:UK", [recording(2)])
    #expect(
      try TypedText("cnt:uk").stored(in: repository).map(\.query.requestText) == [
        #"cnt:"United Kingdom""#
      ])
  }

  @Test func `finds each recording once, with the lists that it is in and those that it left`()
    throws
  {
    let (wren, robin, owl) = (
      recording(1, ("en", "Eurasian Wren"), ("cnt", "Poland")),
      recording(2, ("en", "European Robin"), ("cnt", "Poland")),
      recording(3, ("en", "Tawny Owl"), ("cnt", "Norway"))
    )
    try fetch("wren", [wren])
    try fetch("cnt:poland", [wren, robin])
    try fetch("wren", [owl])
    clock.advance(by: .seconds(86_400))
    try fetch(
      "robin", [recording(9, ("trackName", "Robin"), catalogue: .itunes)],
      in: Catalogues.named(.itunes))
    let all = try search("-q:A")
    #expect(
      (all.searched, all.matched, all.matchedByCatalogue) == (4, 4, [.xenoCanto: 3, .itunes: 1]))
    let rows = try all.rows(0..<9)
    #expect(rows.map(\.recording.id.value) == ["1", "2", "3", "9"])
    #expect(
      rows.map { $0.lists.map(\.typed) } == [["cnt:poland"], ["cnt:poland"], ["wren"], ["robin"]])
    #expect(rows.map { $0.leftLists.map(\.typed) } == [["wren"], [], [], []])
    #expect(rows[0].details.vernacularName == "Eurasian Wren")
    #expect(try ids("in:wren") == ["3"])
    #expect(try ids("in:wren gone:yes") == ["1"])
    #expect(try ids("in:\"CNT:Poland\" -wren") == ["2"])
    #expect(try ids("source:itunes") == ["9"])
    #expect(try ids("robin") == ["2", "9"])
    #expect(try ids("new:12h") == [])
    try fetch(
      "robin", (9...10).map { recording($0, ("trackName", "Robin"), catalogue: .itunes) },
      in: Catalogues.named(.itunes))
    #expect(
      try (ids("new:12h"), ids("in:robin new:12h"), ids("in:wren new:7d")) == (
        ["10"], ["10"], ["3"]
      ))
    #expect(
      try (ids("new:7d"), ids("in:\"itunes:robin\""), ids("new:none")) == (
        ["3", "10"], ["9", "10"], ["1", "2", "9"]
      ))
    #expect(try ids("-audio:yes text:AWNY") == ["3"])
    let unknown = #expect(throws: SearchExpressionError.self) { try search("robin in:wern") }
    #expect(unknown == SearchExpressionError(.unknownList("wern", nearest: ["wren"]), at: 7))
    #expect(throws: SearchExpressionError.self) { try search(#"in:"a\"b""#) }
  }

  @Test(arguments: [false, true])
  func `what is in no list any more is left out and counted, and found if it is asked for`(
    isIndexed: Bool
  ) throws {
    let rows = (1...6).map {
      recording($0, ("en", "Wren"), ("q", $0 < 4 ? "A" : "B"), ("date", "2024-05-0\($0)"))
    }
    try fetch("wren", rows)
    try fetch("cnt:poland", [rows[1]])
    // 2 is still in the other list, 3 and 4 are in none.
    try fetch("wren", [rows[0], rows[4], rows[5]])
    if isIndexed { try repository.writeSearchIndex(least: 1) }
    let found = try search("wren")
    #expect(
      try (found.matched, found.unlisted, found.searched, ids(found)) == (
        4, 2, 6, ["1", "2", "5", "6"]
      ))
    #expect(found.matchedByCatalogue == [.xenoCanto: 4])
    let good = try search("q:A", sort: [SortKey(.detail(.eventDate), descending: true)])
    #expect(try (good.matched, good.unlisted, ids(good)) == (2, 1, ["2", "1"]))
    #expect(try search("q:E").unlisted == 0)
    for (text, expected) in [
      ("wren gone:any", ["1", "2", "3", "4", "5", "6"]), ("gone:yes", ["2", "3", "4"]),
      ("in:none", ["3", "4"]),
      ("gone:no", ["1", "5", "6"]), ("-gone:no q:B", ["4"]),
    ] {
      let results = try search(text)
      #expect(try ids(results) == expected && results.unlisted == 0, "\(text)")
    }
    let everything = try repository.search(
      SearchExpression(terms: []), findsUnlisted: true, preparing: [])
    #expect((everything.matched, everything.unlisted) == (6, 0))
    // The share is of what the selection is of.
    let month = CountKey.all.filter { $0.name == "month" }
    #expect(try search("source:any").counts(by: month).rows[4].stored == 4)
    #expect(try search("gone:yes").counts(by: month).rows[4].stored == 6)
    #expect(
      try repository.listedIDs(among: rows.map(\.id)) == Set([0, 1, 4, 5].map { rows[$0].id }))
    // What returns to a list is found again.
    try fetch("wren", [rows[0], rows[2]])
    #expect(try (ids("wren"), search("wren").unlisted) == (["1", "2", "3"], 3))
  }

  @Test func `a list is named by what was typed, or by the same query in other words`() throws {
    try fetch("turdus merula", [recording(1)])
    try fetch("sp:\"turdus merula\"", [recording(2)])
    try fetch("Strix aluco", scientific: true, [recording(3)])
    #expect(try ids(#"in:"turdus merula""#) == ["1"])
    #expect(try ids(#"in:" Turdus  MERULA ""#) == ["1"])
    #expect(try ids(#"in:"en:\"turdus merula\"""#) == ["1"])
    #expect(try ids(#"in:"sp:\"Turdus merula\"""#) == ["2"])
    #expect(try ids(#"in:"strix aluco""#) == ["3"])
    #expect(try ids(#"in:"sp:\"strix aluco\"""#) == ["3"])
  }

  @Test func `the recordings are sorted by details, and only those of the window are kept`() throws
  {
    try fetch(
      "robin",
      [
        recording(1, ("q", "B"), ("length", "1:05"), ("date", "2024-05-17"), ("en", "wren")),
        recording(2, ("q", "A"), ("length", "0:59"), ("date", "2024-05-00"), ("en", "Robin")),
        recording(
          3, ("q", "no score"), ("length", "?"), ("date", "0000-00-00"), ("en", "Ångström's bird")),
        recording(4, ("q", "A"), ("length", "10:00"), ("date", "2025-01-01"), ("en", "robin")),
      ])
    func sorted(_ keys: SortKey..., window: Range<Int>? = nil) throws -> [String] {
      try ids("in:robin", sort: keys, window: window)
    }
    #expect(
      try sorted(SortKey(.detail(.mediaDuration), descending: true)) == ["4", "1", "2", "3"])
    #expect(try sorted(SortKey(.detail(.eventDate), descending: true)) == ["4", "1", "2", "3"])
    #expect(try sorted(SortKey(.detail(.vernacularName))) == ["3", "2", "4", "1"])
    #expect(
      try sorted(SortKey(.detail(.quality)), SortKey(.detail(.eventDate), descending: true))
        == ["4", "2", "1", "3"])
    #expect(try sorted(SortKey(.field("length"))) == ["2", "1", "4", "3"])
    #expect(
      try sorted(SortKey(.detail(.catalogNumber), descending: true)) == ["4", "3", "2", "1"])
    #expect(try sorted(SortKey(.detail(.mediaDuration)), window: 1..<3) == ["1", "4"])
    #expect(try sorted(window: 2..<9) == ["3", "4"])
    #expect(try search("in:robin", window: 0..<0).matched == 4)
    #expect(try sorted(window: 7..<9) == [])
  }

  @Test func `a window of a sorted search has the same recordings as the whole`() throws {
    var random = SeededRandom(seed: 12)
    let found = (0..<6000).map { number in
      var details = RecordingDetails()
      details.seconds = random.chance(10) ? nil : Double(Int.random(in: 0..<50, using: &random))
      details.quality = RecordingDetails.Quality.allCases.randomElement(using: &random)
      return RecordingRow(recording: recording(number), details: details)
    }
    let sort = [
      SortKey(.detail(.mediaDuration), descending: true), SortKey(.detail(.quality)),
    ]
    func keys(_ window: Range<Int>) -> [Int64] {
      var order = KeySorter(sort, window: window)
      for (index, row) in found.enumerated() {
        order.append(Int64(index)) { SortKey.Resolved(sort[$0], in: []).value(of: row) }
      }
      return order.keys()
    }
    let all = keys(0..<Int.max)
    #expect(all.count == 6000 && Set(all).count == 6000)
    for window in [0..<50, 120..<160, 400..<401, 5990..<9000] {
      #expect(keys(window) == Array(all[window.clamped(to: 0..<all.count)]), "\(window)")
    }
  }

  @Test func `recordings of the words come before those that mention them`() throws {
    try fetch(
      "cnt:poland",
      [
        recording(1, ("en", "Great Tit"), ("rmk", "mimics a blackbird")),
        recording(2, ("en", "Wren"), ("rec", "A. Blackbird"), ("rmk", "blackbird")),
        recording(3, ("en", "Common Blackbird"), ("rmk", "song")),
        recording(4, ("en", "Robin"), ("cnt", "Poland"), ("rmk", "no blackbird")),
        recording(5, ("en", "Blackbird"), ("cnt", "Poland")),
      ])
    func ids(_ text: String, _ window: Range<Int>? = nil) throws -> [String] {
      let expression = try repository.searchExpression(text)
      return try self.ids(repository.search(expression, ranked: true, window: window))
    }
    for isIndexed in [false, true] {
      if isIndexed { try repository.writeSearchIndex(least: 1) }
      #expect(try ids("blackbird") == ["3", "5", "2", "1", "4"])
      #expect(try ids("blackbird", 1..<4) == ["5", "2", "1"])
      // The worst word counts, and none of a tag or of what is left out.
      #expect(try ids("blackbird poland") == ["5", "4"])
      #expect(try ids("blackbird -wren") == ["3", "5", "1", "4"])
      #expect(try ids("text:blackbird") == ["1", "2", "3", "4", "5"])
      #expect(try ids(#""blackbird", robin"#) == ["3", "4", "5", "2", "1"])
      #expect(try self.ids("blackbird") == ["1", "2", "3", "4", "5"])
    }
  }

  @Test
  func `a window of recordings with different texts in each of many sort keys is that of all`() {
    let sort = Array(repeating: SortKey(.id), count: 6)
    func keys(_ window: Range<Int>) -> [Int64] {
      var order = KeySorter(sort, window: window)
      // In no order: 7,919 is prime.
      for index in 0..<7_000 {
        order.append(Int64(index)) { .text("\($0) \(index * 7_919 % 7_000)") }
      }
      return order.keys()
    }
    let all = keys(0..<Int.max)
    #expect(Set(all).count == 7_000 && all != all.sorted())
    for window in [0..<10, 0..<6_000, 4_900..<5_000] {
      #expect(keys(window) == Array(all[window]), "\(window)")
    }
  }

  @Test func `recordings that a fetch stores during the search are found, and each once`() throws {
    try fetch("robin", (1...600).map { recording($0, ("en", "robin")) })
    var calls = 0
    let results = try search("robin") { done, total in
      calls += 1
      guard calls == 1 else { return }
      #expect(done > 0 && done < total)
      // One that was looked at already, one that was not, and new ones.
      try? fetch(
        "wren",
        [recording(1, ("en", "wren")), recording(599, ("en", "wren"))]
          + (700...710).map { recording($0, ("en", "robin")) })
    }
    #expect(calls > 2)
    #expect((results.searched, results.matched) == (611, 610))
    // The first recording is no robin any more.
    #expect(throws: StoreError(.recordingForgotten)) { try results.rows(0..<1) }
    #expect(try results.rows(1..<610).map(\.recording.id.value).last == "710")
    _ = try repository.forget(catalogue.query("robin"))
    #expect(throws: StoreError(.recordingForgotten)) { try results.rows(10..<20) }
  }

  @Test func `a cancelled search ends after the batch`() async throws {
    try fetch("robin", (1...2000).map { recording($0) })
    let task = Task {
      var calls = 0
      do {
        _ = try search("robin") { _, _ in
          calls += 1
          withUnsafeCurrentTask { $0?.cancel() }
        }
      } catch is CancellationError {
        return calls
      }
      return -1
    }
    #expect(try await task.value == 1)
  }
}
