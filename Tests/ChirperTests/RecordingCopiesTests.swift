import ChirperStore
import ChirperTestSupport
import Foundation
import Testing

@testable import Chirper

/// Copies of recordings, which searches leave out if their originals are found.
@Suite struct RecordingCopiesTests {
  private let store: RecordingStore
  private let clock = ManualClock()
  private let repository: RecordingRepository

  init() throws {
    store = try RecordingStore.inMemory()
    repository = RecordingRepository(store: store, dependencies: clock.dependencies()) { _ in nil }
  }

  private func fetch(_ text: String, _ rows: [Recording], in id: CatalogueID) throws {
    let query = try #require(Catalogues.named(id)).query(text)
    _ = try store.store(
      RecordingPage(number: 1, recordings: rows, totals: nil, next: nil), of: query,
      startsWalk: true, now: clock.now)
    _ = try store.closeWalk(of: query, evenIfShifted: true, now: clock.now)
  }

  private func original(_ id: Int, _ country: String) -> Recording {
    Recording(
      id: RecordingID(catalogue: .xenoCanto, value: "\(id)"),
      fields: RecordingFields(
        canonical: #"{"id":"\#(id)","cnt":"\#(country)","date":"2024-05-01"}"#))
  }

  /// GBIF's copy of a recording of xeno-canto; of none if `number` is `nil`.
  private func copy(_ key: Int, of number: Int?, _ country: String) -> Recording {
    let dataset = number == nil ? "" : #""datasetKey":"b1047888-ae52-4179-9dd5-5448ea342a24","#
    return Recording(
      id: RecordingID(catalogue: .gbif, value: "\(key)-0a0b0c0d"),
      fields: RecordingFields(
        canonical: "{" + dataset
          + #""catalogNumber":"XC\#(number ?? key)","key":\#(key),"country":"\#(country)","#
          + #""eventDate":"2024-05-01","#
          + #""media":[{"type":"Sound","identifier":"https://x.example/\#(key).mp3"}]}"#))
  }

  private func rows(
    _ text: String, distinct: Bool, sort: [SortKey] = [], window: Range<Int>? = nil
  ) throws -> (
    SearchResults, [RecordingRow]
  ) {
    let expression = try SearchExpression(text, catalogues: Catalogues.all.map(\.id))
    let results = try repository.search(expression, sort: sort, distinct: distinct, window: window)
    return (results, try results.rows(0..<results.count))
  }

  @Test func `the counts of a list are a share of recordings that count once each`() throws {
    try fetch("wren", [original(1, "Peru"), original(2, "Peru")], in: .xenoCanto)
    try fetch("wren", [copy(101, of: 1, "Peru"), copy(102, of: nil, "Peru")], in: .gbif)
    for id in [CatalogueID.xenoCanto, .gbif] {
      let query = try #require(Catalogues.named(id)).query("wren")
      let month = CountKey.all.filter { $0.name == "month" }
      let may = try ListReader(repository, [query]).counts(by: month).rows[4]
      #expect(may.count == 2 && may.stored == 3)
    }
  }

  @Test func `searches of random stores leave out exactly the copies whose originals they find`()
    throws
  {
    let seed = UInt64.random(in: 0..<1_000_000)
    var random = SeededRandom(seed: seed)
    let countries = ["Poland", "Norway", "Peru"]
    var (leftOut, kept, inWindows) = (0, 0, 0)
    for _ in 0..<60 / RandomCases.step {
      func country() -> String { countries.randomElement(using: &random) ?? "" }
      let originals = (1...30).filter { _ in random.chance(70) }.map { original($0, country()) }
      let copies = (101...140).map {
        copy($0, of: random.chance(80) ? Int.random(in: 1...30, using: &random) : nil, country())
      }
      // What a later walk does not find is in no list any more.
      try fetch("wren", originals.filter { _ in random.chance(85) }, in: .xenoCanto)
      try fetch("wren", copies.filter { _ in random.chance(85) }, in: .gbif)
      if random.chance(60) { try repository.writeSearchIndex(least: 1) }
      let texts = [
        "cnt:poland", "-cnt:peru", "source:gbif", "gone:any", "poland", "q:none", "nr:5-20",
        "in:wren", "-source:itunes",
      ]
      let order = [
        SortKey(.detail(.country)), SortKey(.detail(.catalogNumber), descending: true),
      ]
      for text in texts {
        let sort = random.chance(50) ? [] : order
        let (all, every) = try rows(text, distinct: false, sort: sort)
        let ids = Set(every.map(\.id))
        let expected = every.filter { row in row.details.alsoIn.map { !ids.contains($0) } ?? true }
        let (results, once) = try rows(text, distinct: true, sort: sort)
        #expect(once.map(\.id) == expected.map(\.id), "\(text), seed \(seed)")
        #expect(
          results.matched == expected.count
            && results.matchedByCatalogue.values.allSatisfy { $0 > 0 })
        #expect(
          results.leftOutCopies == every.count - expected.count && results.unlisted == all.unlisted)
        #expect(results.searched == all.searched)
        let start = Int.random(in: 0..<20, using: &random)
        let (_, some) = try rows(text, distinct: true, sort: sort, window: start..<start + 7)
        let wanted = expected.dropFirst(start).prefix(7)
        #expect(some.map(\.id) == wanted.map(\.id), "\(text), from \(start), seed \(seed)")
        #expect(try all.reader.withoutCopies().rows(0..<Int.max).map(\.id) == expected.map(\.id))
        leftOut += results.leftOutCopies
        kept += expected.count { $0.details.alsoIn != nil }
        inWindows += some.count
      }
    }
    #expect(leftOut > 50 && kept > 50 && inWindows > 50)
  }

  @Test(arguments: [true, false])
  func `an original names its copies, whether they are shown or not`(isIndexed: Bool) throws {
    try fetch("wren", [original(1, "Poland"), original(2, "Poland")], in: .xenoCanto)
    try fetch(
      "wren", [copy(101, of: 1, "Peru"), copy(102, of: 2, "Poland"), copy(103, of: 1, "Peru")],
      in: .gbif)
    if isIndexed { try repository.writeSearchIndex(least: 1) }
    for distinct in [true, false] {
      var reader = try rows("source:xeno-canto", distinct: distinct).0.reader
      try reader.prepare(for: .copies)
      let named = try reader.rows(0..<2, with: [.details, .copies]).map { $0.copies.map(\.value) }
      #expect(named == [["101-0a0b0c0d", "103-0a0b0c0d"], ["102-0a0b0c0d"]])
    }
    // It was forgotten with its list.
    _ = try repository.forget(try #require(Catalogues.named(.gbif)).query("wren"))
    var reader = try rows("source:any", distinct: true).0.reader
    try reader.prepare(for: .copies)
    #expect(try reader.rows(0..<2, with: [.details, .copies]).allSatisfy { $0.copies.isEmpty })
  }

  @Test func `recordings that are copies of each other are all shown`() {
    let copies = RecordingCopies(
      [(1, 2), (2, 1), (3, 4), (4, 5)].map { .init(key: $0, original: $1) })
    #expect(copies.leftOut(ifShown: [1, 2, 3, 4, 5]) == [3, 4])
    #expect(copies.leftOut(ifShown: [1, 2, 3, 4]) == [3])
    #expect((copies.originals, copies.copies(of: 5), copies.copies(of: 3)) == ([4, 5], [4], []))
  }
}
