import ChirperTestSupport
import Foundation
import Testing

@testable import Chirper
@testable import ChirperStore

/// The search index gives the answers of a scan of everything, in whatever state it is.
@Suite struct SearchIndexTests {
  /// Searches that are compared; CHIRPER_SEARCH_CASES for another number.
  private static let cases =
    ProcessInfo.processInfo.environment["CHIRPER_SEARCH_CASES"].flatMap { Int($0) } ?? 2000

  @Test
  func
    `random searches of random stores find the same with the index as without, after every kind of change`()
    throws
  {
    let seed =
      UInt64(ProcessInfo.processInfo.environment["CHIRPER_SEED"] ?? "")
      ?? UInt64.random(in: 0..<1_000_000)
    var counts = StoreUnderSearch.Counts()
    var number: UInt64 = 0
    while counts.searches < Self.cases {
      var store = try StoreUnderSearch(seed: seed &+ number)
      number += 1
      for _ in 0..<6 {
        try store.change()
        for _ in 0..<6 { try store.compare(&counts, seed: seed) }
      }
    }
    print("\(counts.searches) searches, seed \(seed): \(counts)")
    // The interesting cases happened.
    #expect(counts.found > Self.cases / 4 && counts.sorted > Self.cases / 10)
    #expect(counts.withSeveralRanks > Self.cases / 50)
    #expect(
      counts.decidedByIndex > Self.cases / 5 && counts.scanned > Self.cases / 5
        && counts.inLists > Self.cases / 5)
  }

  @Test func `text in the syntax of other search programs is text`() throws {
    var store = try StoreUnderSearch(seed: 1)
    try store.add([["en": "NEAR(wren robin) ^a:b* \"x\" OR y", "rmk": "50% _under_ AND ''; --"]])
    try store.repository.writeSearchIndex(least: 1)
    for text in [
      #""NEAR(wren""#, #""^a:b*""#, #""\"x\" OR""#, #"en:"*""#, #"en:"NEAR(wren robin) ^""#,
      #"rmk:"'; --""#, #"rmk:"%""#,
    ] {
      #expect(try store.search(text).matched == 1, "\(text)")
    }
    for text in [#""wren*robin x""#, #"en:"wren%""#, #"en:"^wren""#, #"rmk:"un%er""#, #"gen:"*""#] {
      #expect(try store.search(text).matched == 0, "\(text)")
    }
  }

  @Test
  func
    `the index decides about parts of words, and about phrases outside of remarks`()
    throws
  {
    var store = try StoreUnderSearch(seed: 8)
    try store.add([
      ["id": "1", "en": "Nightingale", "cnt": "Poland"],
      ["id": "2", "en": "Wren", "loc": "Hale Wood", "rmk": "no GÁLE today"],
      ["id": "3", "en": "Wren", "rec": "A. Robin"],
      ["id": "4", "en": "Night Ingalex", "url": "gale"],
      ["id": "5", "en": "Owl", "also": "big ale", "rmk": "night ingestion of a red-and-big Ale"],
    ])
    try store.repository.writeSearchIndex(least: 1)
    #expect(try store.found("text:gale") == ["1", "2", "4"])
    #expect(try store.found(#"text:"ght ing""#) == ["4", "5"])
    #expect(try store.found("-text:gale") == ["3", "5"])
    #expect(try store.found("text:gale cnt:pol") == ["1"])
    #expect(try store.found(#"text:"=wren""#) == ["2", "3"])
    #expect(try store.found("text:dand") == [])
    for (text, certain, undecided) in [
      ("text:gale", 3, 0), ("text:dand", 0, 0), ("text:night", 3, 0), (#"text:"ght ing""#, 1, 1),
      (#""night ing""#, 1, 1), (#"-"night ing""#, 3, 1), ("rmk:gále", 1, 0), ("rmk:ale", 1, 1),
      (#"rmk:"d-b""#, 0, 1), (#"also:"g ale""#, 1, 0),
    ] {
      guard case .segment(let segment) = try store.step(text) else {
        Issue.record("nothing is in the index")
        continue
      }
      #expect(segment.certain.count == certain && segment.undecided.count == undecided, "\(text)")
    }
  }

  @Test func `what is written while a segment is read is not lost`() throws {
    var store = try StoreUnderSearch(seed: 2)
    try store.add((1...30).map { ["id": "\($0)", "en": "Robin"] })
    let job = try #require(try store.store.nextSegmentJob(least: 1))
    let isWritten = try store.store.write(
      job, details: { Catalogues.named($0.id.catalogue)?.details(of: $0) }
    ) { _ in
      try store.add([["id": "7", "en": "Wren"]])
    }
    #expect(!isWritten)
    #expect(try store.search("wren").matched == 1)
    try store.repository.writeSearchIndex(least: 1)
    #expect(try store.store.unindexedCount() == 0)
    #expect(try (store.search("wren").matched, store.search("robin").matched) == (1, 29))
    // A deleted recording's key is given again.
    try store.add([["id": "99", "en": "Owl"]], to: "owls")
    try store.repository.writeSearchIndex(least: 1)
    _ = try store.repository.forget(store.query("owls"))
    #expect(try store.search("owl").matched == 0)
    try store.add([["id": "98", "en": "Finch"]], to: "finches")
    #expect(try (store.search("owl").matched, store.search("finch").matched) == (0, 1))
    try store.repository.writeSearchIndex(least: 1)
    #expect(try (store.search("owl").matched, store.search("finch").matched) == (0, 1))
  }

  @Test func `forgetting the last list empties the index`() throws {
    var store = try StoreUnderSearch(seed: 3)
    try store.add((1...30).map { ["id": "\($0)", "en": "Robin"] })
    try store.repository.writeSearchIndex(least: 1)
    _ = try store.repository.forget(store.query("robin"))
    #expect(try store.rowsOfIndex() == 0)
    #expect(try store.search("robin").searched == 0)
    #expect(try store.store.unindexedCount() == 0)
  }

  @Test func `what was deleted does not keep what is stored next out of the index`() throws {
    for forgotten in ["robins", "wrens"] {
      var store = try StoreUnderSearch(seed: 3)
      try store.add((1...200).map { ["id": "\($0)", "en": "Robin"] }, to: "robins")
      try store.repository.writeSearchIndex(least: 1)
      try store.add((201...230).map { ["id": "\($0)", "en": "Wren"] }, to: "wrens")
      try store.repository.writeSearchIndex(least: 1)
      _ = try store.repository.forget(store.query(forgotten))
      #expect(try store.store.unindexedCount() == 0)
      try store.add((231...240).map { ["id": "\($0)", "en": "Owl"] }, to: "owls")
      #expect(try store.store.unindexedCount() == 10)
      try store.repository.writeSearchIndex(limit: 10, least: 1)
      #expect(try store.store.unindexedCount() == 0)
    }
  }

  @Test func `a search that the index decides reads no recording`() throws {
    var store = try StoreUnderSearch(seed: 4)
    try store.add(
      (1...3000).map {
        ["id": "\($0)", "en": $0 % 2 == 0 ? "Robin" : "Wren", "q": "A", "date": "2024-05-17"]
      })
    try store.repository.writeSearchIndex()
    #expect(try store.store.unindexedCount() == 0)
    let answer = try store.step("robin q:A month:5")
    guard case .segment(let segment) = answer else {
      Issue.record("nothing is in the index")
      return
    }
    #expect(
      segment.certain.count == 1500 && segment.undecided.isEmpty
        && segment.counts == [.xenoCanto: 1500])
    #expect(segment.ranks == segment.certain.map { _ in .names })
    let found = try store.search(
      "robin", sort: [SortKey(.detail(.catalogNumber), descending: true)], window: 0..<2)
    #expect(try found.rows(0..<2).map(\.recording.id.value) == ["3000", "2998"])
  }

  @Test func `an order by texts reads only recordings whose text the index does not have`() throws {
    var store = try StoreUnderSearch(seed: 4)
    let long = String(repeating: "many words ", count: 40)
    let names: [String?] = ["Wren", "", nil, "ROBIN", "wren", long, "\u{301}", "Łapwing", "robin"]
    try store.add(
      names.enumerated().map { number, name in
        ["id": "\(number + 1)"].merging(name.map { ["en": $0] } ?? [:]) { $1 }
      })
    try store.repository.writeSearchIndex(least: 1)
    let expression = try SearchExpression("source:any", catalogues: Catalogues.all.map(\.id))
    let matcher = try StoredMatcher(expression, in: store.repository).matcher
    guard
      case .segment(let answer) = try store.store.find(
        matcher, after: 0, columns: [.vernacularName]),
      case .texts(let texts, let positions) = answer.values[0]
    else {
      Issue.record("nothing is in the index")
      return
    }
    #expect(answer.undecided == [6, 7] && texts == ["lapwing", "robin", "wren"])
    #expect(positions == [2, -1, -1, 1, 2, 0, 1])
    let (values, missing) = try store.store.values(
      in: [.vernacularName, .mediaDuration], of: [9, 7, 99, 1, 6])
    #expect(missing == [1, 2, 4] && values.map { $0.number(at: 0).isNaN } == [true, true])
    guard case .texts(let all, let positions) = values[0] else {
      Issue.record("not texts")
      return
    }
    #expect(positions.map { $0 < 0 ? nil : all[Int($0)] } == ["robin", nil, nil, "wren", nil])
  }

  /// Swift compares texts by their composed letters; the order is that of the index, by bytes.
  @Test(arguments: [false, true])
  func `texts of many writings have the same order with the index as without`(descending: Bool)
    throws
  {
    let names = [
      "가나", "か", "가か", "각", "Éclair", "eclair", "ecla", "ﬁnch", "Ω mega", "ωmega", "가",
      "中国", "🐦", "zebra", "Ärger", "अ", "かが", "12", "2", "~", "\u{1100}\u{1161}\u{304B}",
    ]
    var store = try StoreUnderSearch(seed: 4)
    try store.add(names.enumerated().map { ["id": "\($0 + 1)", "en": $1, "loc": $1] })
    let sort = [SortKey(.detail(.vernacularName), descending: descending)]
    let places = [SortKey(.detail(.locality), descending: descending)]
    let list = try store.query("robin")
    func listed(_ window: Range<Int>? = nil) throws -> [String] {
      let keys = try ListReader(store.repository, [list], sort: places, window: window).keys
      return try store.store.recordings(keys).map(\.recording.id.value)
    }
    func ids(_ window: Range<Int>? = nil) throws -> [String] {
      let results = try store.search("source:any", sort: sort, window: window)
      return try results.rows(0..<results.count).map(\.recording.id.value)
    }
    let all = try ids()
    try store.repository.writeSearchIndex(least: 1)
    #expect(try store.store.unindexedCount() == 0)
    #expect(try ids() == all && Set(all).count == names.count)
    #expect(try listed() == all)
    for start in names.indices {
      #expect(try ids(start..<start + 2) == Array(all[start...].prefix(2)))
      #expect(try listed(start..<start + 2) == Array(all[start...].prefix(2)))
    }
  }

  @Test
  func
    `several segments with changed, deleted and gone recordings, and others in none, are counted as by a scan`()
    throws
  {
    var store = try StoreUnderSearch(seed: 6)
    try store.add(store.rows(100..<200))
    try store.repository.writeSearchIndex(least: 1)
    try store.add(store.rows(200..<212), to: "wren")
    try store.add(store.rows(300..<305), to: "cnt:poland")
    try store.repository.writeSearchIndex(least: 1)
    try store.add(store.rows(500..<503))
    try store.repository.writeSearchIndex(least: 1)
    #expect(try store.store.read { try Segment.all($0).count } == 3)
    // Deleted; changed, and in two lists; gone; in no segment.
    _ = try store.repository.forget(store.query("cnt:poland"))
    try store.add(store.rows(190..<197), to: "wren")
    try store.add(store.rows(100..<160), isWhole: true)
    try store.add(store.rows(400..<405), to: "cnt:poland")
    #expect(try store.store.read { try Segment.all($0).count } == 3)
    var counts = StoreUnderSearch.Counts()
    for _ in 0..<300 { try store.compare(&counts, seed: 6) }
    #expect(counts.found > 100 && counts.inLists > 100 && counts.withUnlisted > 50, "\(counts)")
  }

  @Test func `a few rows of a large segment are read to be counted, and many are not`() throws {
    var store = try StoreUnderSearch(seed: 7)
    try store.add(store.rows(1..<5000))
    try store.repository.writeSearchIndex(least: 1)
    for number in [1, 2, 4, 5, 50] {
      for _ in 0..<20 {
        #expect(try store.compareCounts(of: number) == (number < 5 ? number : 0))
      }
    }
  }

  /// The terms and columns of stored recordings are computed from details. Where one of these
  /// changes, stores must write their index again: raise `SearchTermKey.version`, then correct the
  /// number here.
  @Test func `the version of the index was raised if its contents changed`() throws {
    var store = try StoreUnderSearch(seed: 5)
    try store.add((1...200).map { _ in store.fields() })
    try store.repository.writeSearchIndex(least: 1)
    let checksum = try store.checksumOfIndex()
    #expect(SearchTermKey.version == 20)
    #expect(
      checksum == 5_874_309_102_761_099_796,
      "version \(SearchTermKey.version) had other contents: \(checksum)")
  }
}
