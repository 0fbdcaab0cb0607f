import ChirperTestSupport
import Foundation
import Testing

@testable import Chirper
@testable import ChirperStore

/// A store in memory that random changes are made to, and that is searched in two ways.
struct StoreUnderSearch {
  /// What happened in the comparisons.
  struct Counts {
    var (searches, found, sorted, decidedByIndex, scanned, inLists) = (0, 0, 0, 0, 0, 0)
    /// Searches that left something out, because it is in no list any more.
    var withUnlisted = 0
    /// Ranked searches whose recordings have different ranks.
    var withSeveralRanks = 0
  }

  let store: RecordingStore
  let repository: RecordingRepository
  private let clock = ManualClock()
  private var random: SeededRandom
  private let lists = ["robin", "wren", "cnt:poland"]
  /// Every stored recording; computed after each change.
  private var scanned: [(row: StoredRecording, details: RecordingDetails)] = []

  init(seed: UInt64) throws {
    store = try RecordingStore.inMemory()
    repository = RecordingRepository(store: store, dependencies: clock.dependencies())
    random = SeededRandom(seed: seed)
  }

  // MARK: Recordings

  private static let names = [
    "Song Thrush", "Łapwing øæß", "ROBIN robin", "Żółw błotny", "Дрозд певчий", "ツグミ",
    "e\u{301}clair", "*^\"NEAR(", "\u{301}",
    "Turdus merula", "Turdus merula merula", "turdus", "O'Brien", "ﬁnch", "İstanbul", "ΣΊΣΥΦΟΣ",
    "ตะวัน", "हिन्दी", "a-b c_d 12",
    "long " + String(repeating: "wörd", count: 40), String(repeating: "many words ", count: 40),
    "𝔘nicode 🐦", "",
  ]
  private static let pools: [String: [String]] = [
    "gen": ["Turdus", "Strix", "Łucja", "Sonus", "?", ""],
    "sp": ["merula", "aluco", "sp.", "naturalis", ""],
    "ssp": ["merula", "étrange", ""], "grp": ["birds", "bats", "soundscape", ""],
    "cnt": ["Poland", "Côte d'Ivoire", "Norway", ""],
    "lat": ["52.1", "-33.25", "0", "91", ""], "lon": ["13.4", "-179.9", "180", ""],
    "alt": ["120", "-5", "0", "1200m", "?", ""],
    "type": ["song", "call, song", "alarm call", "ŚPIEW", "uncertain", ""],
    "sex": ["male", "female, male", ""],
    "stage": ["adult", "juvenile", ""], "method": ["field recording", "in the hand", ""],
    "lic": [
      "//creativecommons.org/licenses/by-nc-sa/4.0/", "//creativecommons.org/licenses/by/3.0/",
      "//creativecommons.org/publicdomain/zero/1.0/", "℗ 2019 Somebody", "",
    ], "q": ["A", "B", "C", "E", "no score", ""],
    "length": ["0:30", "1:00", "0:31", "9:15", "?", ""],
    "date": [
      "2024-05-17", "2024-05-00", "2023-12-02", "0000-00-00", "2019", "", "2023-12-30/2024-05-16",
      "2024-05-16/2024-05-18",
    ], "uploaded": ["2026-05-01", "2020-01-01", ""],
    "time": ["07:30", "23:59", "0:05", "dawn", ""],
    "annotation-set": [
      "[]", "null", #"{"annotations":[]}"#,
      #"{"annotations":[{"scientific_name":"Turdus merula","sound_type":"song, call","sex":"male"}]}"#,
      #"{"annotations":[{"start_time":"1"},{"scientific_name":"Łucja","sound_type":"ŚPIEW"},{"life_stage":"adult"}]}"#,
      #"{"annotations":[{"scientific_name":"\#(String(repeating: "long ", count: 60))"}]}"#,
    ],
  ]

  mutating func fields() -> [String: String] {
    var fields = ["id": "\(Int.random(in: 0..<70, using: &random))"]
    for name in ["en", "rec", "loc", "rmk", "also"] {
      fields[name] = Self.names.randomElement(using: &random)
    }
    for (name, values) in Self.pools.sorted(by: { $0.key < $1.key }) {
      fields[name] = values.randomElement(using: &random)
    }
    return fields
  }

  private func recording(_ fields: [String: String], in catalogue: CatalogueID = .xenoCanto)
    -> Recording
  {
    let members = fields.sorted { $0.key < $1.key }.map { name, value in
      let json = JSONText.quoted(value)
      let sent = name == "also" ? "[\(json)]" : name == "annotation-set" ? value : json
      return "\(JSONText.quoted(name)):\(sent)"
    }
    return Recording(
      id: RecordingID(catalogue: catalogue, value: fields["id"] ?? "0"),
      fields: RecordingFields(canonical: "{\(members.joined(separator: ","))}"))
  }

  func query(_ text: String) throws -> CatalogueQuery {
    try Catalogues.defaultCatalogue.query(text)
  }

  /// The fields of a recording of a bird.
  static func bird(
    _ id: Int, _ name: String, _ english: String, _ further: [String: String] = [:]
  ) -> [String: String] {
    let words = name.split(separator: " ").map(String.init)
    return ["id": "\(id)", "gen": words[0], "sp": words[1], "en": english, "grp": "birds"]
      .merging(further) { $1 }
  }

  /// Stores a list of one page; without ending its walk, the recordings that it had stay in it.
  mutating func add(_ rows: [[String: String]], to list: String = "robin", isWhole: Bool = false)
    throws
  {
    try store(rows.map { recording($0) }, as: list, isWhole: isWhole)
  }

  /// Random fields of recordings with those ids.
  mutating func rows(_ ids: Range<Int>) -> [[String: String]] {
    ids.map { id in fields().merging(["id": "\(id)"]) { $1 } }
  }

  private mutating func store(_ rows: [Recording], as list: String, isWhole: Bool) throws {
    var seen: Set<RecordingID> = []
    let rows = rows.filter { seen.insert($0.id).inserted }
    let query = try query(list)
    _ = try store.store(
      RecordingPage(number: 1, recordings: rows, totals: nil, next: nil), of: query,
      startsWalk: true, now: clock.now)
    if isWhole { _ = try store.closeWalk(of: query, evenIfShifted: false, now: clock.now) }
    try readAll()
  }

  private mutating func readAll() throws {
    scanned = try store.recordings(after: .min, limit: .max, withLists: true).map {
      ($0, repository.details(of: $0.recording))
    }
  }

  /// One of: recordings are added, change, or leave; a list is forgotten; the index is written, as
  /// a whole or a part, or is of another version.
  mutating func change() throws {
    clock.advance(by: .seconds(Int64.random(in: 1...90_000, using: &random)))
    let list = lists.randomElement(using: &random) ?? lists[0]
    switch Int.random(in: 0..<10, using: &random) {
    case 0...4:
      let rows = (0..<Int.random(in: 1..<40, using: &random)).map { _ in recording(fields()) }
      try store(rows, as: list, isWhole: random.chance(60))
    case 5:
      _ = try repository.forget(query(list))
      try readAll()
    case 6: try store.write { db in try db.run("UPDATE search_segment SET version = 0") }
    case 7:
      // Recordings are stored, and may change, while a segment is written.
      guard let job = try store.nextSegmentJob(least: 1) else { break }
      _ = try store.write(job, details: { Catalogues.named($0.id.catalogue)?.details(of: $0) }) {
        _ in
        try store(
          (0..<Int.random(in: 1..<40, using: &random)).map { _ in recording(fields()) }, as: list,
          isWhole: false)
      }
    case 8:
      // A part: one segment of several.
      if let job = try store.nextSegmentJob(least: 1) {
        _ = try store.write(job, details: { Catalogues.named($0.id.catalogue)?.details(of: $0) }) {
          _ in
        }
      }
    default: try repository.writeSearchIndex(least: 1)
    }
    if random.chance(50) {
      try repository.writeSearchIndex(least: Int.random(in: 1...30, using: &random))
    }
  }

  // MARK: Searches

  private mutating func text() -> String {
    var scalars = Array((Self.names.randomElement(using: &random) ?? "").unicodeScalars)
    if random.chance(20) {
      scalars = Array(
        (scanned.randomElement(using: &random)?.details.locality ?? "").unicodeScalars)
    }
    guard !scalars.isEmpty else { return "a" }
    let start = random.chance(50) ? 0 : Int.random(in: 0..<scalars.count, using: &random)
    let end =
      random.chance(30) ? scalars.count : Int.random(in: start..<scalars.count, using: &random) + 1
    return String(String.UnicodeScalarView(scalars[start..<max(start, end)]))
  }

  private mutating func value(of field: String) -> String {
    let value = Self.pools[field]?.randomElement(using: &random) ?? ""
    return
      (value.isEmpty
      ? "=a"
      : random.chance(40)
        ? "=" + value : String(value.prefix(Int.random(in: 1...9, using: &random))))
  }

  private mutating func term() -> String {
    let tag = SearchTag.allCases.randomElement(using: &random) ?? .q
    var values = [value(of: tag)]
    while !tag.takesCommas, random.chance(25) { values.append(value(of: tag)) }
    if random.chance(8) {
      return random.chance(50) ? "\(values.count * 7)" : "XC\(values.count * 9)"
    }
    if random.chance(10) {
      let (first, second) = (TagScanner.quoting(text()), TagScanner.quoting(text()))
      return (random.chance(30) ? "-" : "") + "\(first), \(second) \(TagScanner.quoting(text()))"
    }
    let isWords = random.chance(35)
    let texts = values.map(TagScanner.quoting).joined(separator: ",")
    return (random.chance(30) ? "-" : "")
      + (isWords ? TagScanner.quoting(text()) : "\(tag.rawValue):\(texts)")
  }

  private mutating func value(of tag: SearchTag) -> String {
    if random.chance(10), !tag.takesCommas { return random.chance(50) ? "none" : "any" }
    let sign = ["", "<", ">", "=", ""].randomElement(using: &random) ?? ""
    let value: String
    switch tag {
    case .cnt where random.chance(40):
      value =
        ["PL", "nor", "ivory coast", "POLAND", "uk", "=Norway"].randomElement(using: &random) ?? ""
    case .area: value = Countries.areas.randomElement(using: &random) ?? ""
    case .fam:
      value =
        ["turdidae", "Stri", "=Turdidae", "=turd", "paridae"].randomElement(using: &random) ?? ""
    case .gen, .ssp, .grp, .cnt: value = self.value(of: tag.rawValue)
    case .sp:
      value =
        random.chance(50)
        ? ["merula", "turdus merula", "=Turdus merula", "strix", "=merula"].randomElement(
          using: &random) ?? ""
        : self.value(of: "sp")
    case .en, .loc, .rec, .rmk, .also, .text: value = (random.chance(15) ? "=" : "") + text()
    case .type where random.chance(30):
      value = ["male", "Adult", "female"].randomElement(using: &random) ?? ""
    case .type, .sex, .stage, .method:
      value = "=" + (Self.pools[tag.rawValue]?.randomElement(using: &random) ?? "")
    case .q:
      value =
        sign.replacingOccurrences(of: "=", with: "")
        + (["A", "B", "C", "E"].randomElement(using: &random) ?? "A")
    case .len: value = sign + (["30", "31", "60"].randomElement(using: &random) ?? "30")
    case .date:
      value =
        [
          "2024", "2024-05", "2024-05-17", "2023-12-02", "2019", "2019-2023", "2024-01-2024-05",
          ">2024-05", "<2024-05-17",
        ].randomElement(using: &random) ?? ""
    case .year: value = sign + "2024"
    case .hour: value = ["7", "22-4", "5-8", "<6", ">20"].randomElement(using: &random) ?? "7"
    case .month: value = ["5", "11-2", "1-6", "12"].randomElement(using: &random) ?? "5"
    case .nr:
      value = ["10-40", "XC12", "5", "<30", ">XC40", "=7"].randomElement(using: &random) ?? "5"
    case .lat, .lon: value = sign + (["52", "-33.25", "0"].randomElement(using: &random) ?? "0")
    case .box:
      value =
        ["51,12,53,18", "-90,170,90,-170", "-90,-180,90,180"].randomElement(using: &random) ?? ""
    case .near:
      value =
        ["52,13,30", "0,180,250", "-33.25,13.4,0", "90,0,20100", "0,0,10000"]
        .randomElement(using: &random) ?? ""
    case .alt, .uncertain: value = sign + (["120", "0", "-5"].randomElement(using: &random) ?? "0")
    case .lic:
      value =
        ["BY", "BY-NC-SA", "BY 3.0", "PD", "℗ 2019", "=CC"].randomElement(using: &random) ?? "BY"
    case .since:
      value = ["30", "2020-01-01", "2026-05-01", "99999"].randomElement(using: &random) ?? "30"
    case .list: value = lists.randomElement(using: &random) ?? ""
    case .source: value = ["xeno-canto", "itunes"].randomElement(using: &random) ?? ""
    case .issue:
      value = RecordingDetails.Issue.allCases.randomElement(using: &random)?.rawValue ?? "date"
    case .annotatedSpecies:
      value = ["merula", "=Turdus merula", "long", "=łucja"].randomElement(using: &random) ?? ""
    case .annotatedType:
      value = ["song", "=śpiew", "call", "=son"].randomElement(using: &random) ?? ""
    case .annotatedBy: value = ["name", "=A. Name", "birdnet"].randomElement(using: &random) ?? ""
    case .annotatedSex: value = ["male", "female"].randomElement(using: &random) ?? ""
    case .annotatedStage: value = ["adult", "juvenile"].randomElement(using: &random) ?? ""
    case .audio, .obscured, .ann: value = random.chance(50) ? "yes" : "no"
    case .gone: value = ["yes", "no", "any"].randomElement(using: &random) ?? "any"
    case .new, .changed: value = ["12h", "1d", "2w"].randomElement(using: &random) ?? "1d"
    }
    return value
  }

  private static let sorts: [RecordingColumn] =
    DetailColumn.allCases.filter(\.isOrderedByIndex).map { .detail($0) } + [
      .lists, .detail(.behavior), .detail(.occurrenceRemarks),
    ]

  /// Compares windows of the order of a list with that of the values that its rows have.
  private mutating func compareOrder(of list: CatalogueQuery, _ part: ListReader.Part, seed: UInt64)
    throws
  {
    var sort: [SortKey] = []
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      let column = Self.sorts.randomElement(using: &random) ?? .id
      sort.append(SortKey(column, descending: random.chance(50)))
    }
    let unsorted = try ListReader(repository, [list], part: part).keys
    let names = try store.listNumbers()
    let rows = try store.recordings(unsorted, withLists: true).map { row in
      let found = RecordingRow(
        recording: row.recording, details: repository.details(of: row.recording),
        lists: row.lists.sorted().compactMap { names[$0] })
      return (row.key, sort.map { SortKey.Resolved($0, in: []).value(of: found) })
    }
    let order = rows.indices.sorted { left, right in
      for (key, values) in zip(sort, zip(rows[left].1, rows[right].1)) where values.0 != values.1 {
        switch values {
        case (.number(let one), .number(let other)): return (one < other) != key.descending
        case (.text(let one), .text(let other)):
          return one.utf8.lexicographicallyPrecedes(other.utf8) != key.descending
        case (.number, _), (.text, .nothing): return true
        default: return false
        }
      }
      return left < right
    }
    let keys = order.map { rows[$0].0 }
    let start = Int.random(in: 0..<20, using: &random)
    for window in [nil, 0..<5, start..<(start + 10)] {
      let sorted = try ListReader(repository, [list], part: part, sort: sort, window: window).keys
      #expect(
        sorted == Array(keys[(window ?? 0..<keys.count).clamped(to: keys.indices)]),
        "\(list.typed) by \(sort), seed \(seed)")
    }
  }

  /// The rank of a recording that is found: the bare words find it by its names alone, then with
  /// the type, the place and the recordist too, or only with all columns.
  private func plainRank(of details: RecordingDetails, _ expression: SearchExpression) -> Int {
    let words = SearchExpression(terms: expression.terms.filter { $0.tag == nil && !$0.isNegated })
    guard let matcher = try? SearchMatcher(words, now: clock.now) else { return 3 }
    var known = details
    known.occurrenceRemarks = nil
    known.associatedTaxa = []
    let context = SearchContext(catalogue: .xenoCanto)
    guard !words.terms.isEmpty, matcher.matches(known, context) else { return 3 }
    known.behavior = []
    (known.country, known.locality, known.recordedBy) = (nil, nil, nil)
    return matcher.matches(known, context) ? 1 : 2
  }

  /// Searches with the index, and by the matcher alone; records an issue where the recordings,
  /// their order or a count differ.
  mutating func compare(_ counts: inout Counts, seed: UInt64) throws {
    let terms = (0..<Int.random(in: 1...3, using: &random)).map { _ in term() }
    // Text of marks alone is an error, and so is a list that was forgotten.
    guard
      let expression = try? SearchExpression(
        terms.joined(separator: " "), catalogues: Catalogues.all.map(\.id)),
      let matcher = try? StoredMatcher(expression, in: repository, leavesOutUnlisted: true)
    else { return }
    let sort = (0..<(random.chance(30) ? Int.random(in: 1...2, using: &random) : 0)).compactMap {
      _ in
      Self.sorts.randomElement(using: &random).map { SortKey($0, descending: random.chance(50)) }
    }
    let satisfying = scanned.filter { matcher.matches($0.row, $0.details) }
    let leavesOut = matcher.matcher.leavesOutUnlisted
    let all = satisfying.filter { one in
      !leavesOut || !one.row.lists.isEmpty || one.row.leftLists.isEmpty
        || matcher.matcher.isNumbered(one.details)
    }
    counts.withUnlisted += all.count < satisfying.count ? 1 : 0
    var order = KeySorter(sort, window: 0..<Int.max)
    let queries = try store.listNumbers()
    let isRanked = random.chance(60) && !expression.terms.bareWords.isEmpty
    var ranks: [Int64: Int] = [:]
    for row in all {
      let found = RecordingRow(
        recording: row.row.recording, details: row.details,
        lists: row.row.lists.sorted().compactMap { queries[$0] },
        firstSeenAt: row.row.storedAt)
      order.append(row.row.key) { SortKey.Resolved(sort[$0], in: []).value(of: found) }
      let isFirst = (isRanked || sort.isEmpty) && matcher.matcher.isNumbered(row.details)
      ranks[row.row.key] =
        isFirst ? 0 : isRanked ? plainRank(of: row.details, matcher.expression) : 3
    }
    let keys = order.keys()
    let ids = Dictionary(uniqueKeysWithValues: all.map { ($0.row.key, $0.row.recording.id.value) })
    let expected = (0...3).flatMap { rank in keys.filter { ranks[$0] == rank } }
      .compactMap { ids[$0] }
    counts.withSeveralRanks += isRanked && Set(ranks.values).count > 1 ? 1 : 0
    let start = random.chance(30) ? Int.random(in: 0..<10, using: &random) : 0
    let window = random.chance(50) ? nil : start..<(start + 15)
    let results = try repository.search(expression, sort: sort, ranked: isRanked, window: window)
    let found = try results.rows(0..<results.count).map(\.recording.id.value)
    let wanted = window.map { Array(expected[$0.clamped(to: 0..<expected.count)]) } ?? expected
    #expect(
      found == wanted && results.matched == all.count && results.searched == scanned.count
        && results.unlisted == satisfying.count - all.count,
      "\(expression), sorted by \(sort), ranked: \(isRanked), seed \(seed): \(results.matched) of \(all.count), \(results.searched) of \(scanned.count)"
    )
    if let list = queries.values.sorted(by: { $0.identity < $1.identity }).randomElement(
      using: &random)
    {
      let part: ListReader.Part = random.chance(20) ? .gone : .rows
      let order = random.chance(30) ? [SortKey(.field("q"), descending: true)] : []
      let reader = try ListReader(repository, [list], part: part, sort: order)
      let rows = try store.recordings(reader.keys, withLists: true)
      let plain = rows.indices.filter {
        matcher.matches(rows[$0], repository.details(of: rows[$0].recording))
      }
      #expect(
        try reader.positions(matching: matcher) == plain,
        "\(expression), in \(list.typed), seed \(seed)")
      counts.inLists += plain.isEmpty ? 0 : 1
      try compareOrder(of: list, part, seed: seed)
      let ranked = plain.enumerated().sorted { left, right in
        let ranks = [left, right].map { row in
          let details = repository.details(of: rows[row.element].recording)
          let isFirst = matcher.matcher.isNumbered(details)
          return isFirst ? 0 : plainRank(of: details, matcher.expression)
        }
        return (ranks[0], left.offset) < (ranks[1], right.offset)
      }
      #expect(
        try reader.ranked(plain, by: matcher) == ranked.map(\.element),
        "\(expression), in \(list.typed), seed \(seed)")
    }
    // Species go by names of other recordings, too: `OtherNamesTests`.
    let counted = Array(
      CountKey.all.filter { $0 != .species }.shuffled(using: &random).prefix(
        random.chance(50) ? 1 : 2))
    if results.count == all.count {
      try compareCounts(
        results.counts(by: counted), all, by: counted,
        withUnlisted: !leavesOut || !matcher.matcher.numbers.isEmpty,
        "\(expression), seed \(seed)")
    }
    // Rows of lists, which are in another order than the index; a recording of two lists counts
    // once.
    let lists = queries.values.sorted { $0.identity < $1.identity }.shuffled(using: &random).prefix(
      2)
    let reader = try ListReader(repository, Array(lists))
    let rows = try store.recordings(reader.keys).map {
      ($0, repository.details(of: $0.recording))
    }
    try compareCounts(
      reader.counts(by: counted), rows, by: counted, withUnlisted: false,
      "\(lists.map(\.typed)), seed \(seed)")
    counts.searches += 1
    counts.found += all.isEmpty ? 0 : 1
    counts.sorted += sort.isEmpty ? 0 : 1
    if case .segment(let answer) = try step(matcher),
      answer.decidedCount + answer.undecided.count > 0
    {
      if answer.undecided.isEmpty { counts.decidedByIndex += 1 } else { counts.scanned += 1 }
    } else {
      counts.scanned += 1
    }
  }

  /// Compares the counts of that many recordings, by a key with terms or two; returns how many of
  /// them are not counted with the index.
  mutating func compareCounts(of number: Int) throws -> Int {
    let rows = scanned.shuffled(using: &random).prefix(number).sorted { $0.row.key < $1.row.key }
    let other = CountKey.all.filter { $0 != .species && $0 != .scientificName }.randomElement(
      using: &random)
    let keys = [.scientificName] + (random.chance(50) ? [other].compactMap(\.self) : [])
    let results = try search("nr:" + rows.map(\.row.recording.id.value).joined(separator: ","))
    try compareCounts(
      results.counts(by: keys), rows, by: keys, withUnlisted: true, "\(number) recordings")
    // Other keys have values that are too long for the index.
    var tally = CountTally([.scientificName])
    return try store.count(rows.map(\.row.key), in: &tally).count
  }

  /// Compares counts, which are made with the index, with those of a loop over the same recordings.
  private func compareCounts(
    _ counts: RecordingCounts, _ rows: [(row: StoredRecording, details: RecordingDetails)],
    by keys: [CountKey],
    withUnlisted: Bool, _ label: String
  ) throws {
    func name(_ key: CountKey, _ group: CountKey.Group) -> String {
      switch group {
      case .number(let number): key.value(of: number).text() ?? ""
      case .text(let text): text
      }
    }
    var expected: [[String]: Int] = [:]
    var (missing, several) = (keys.map { _ in 0 }, keys.map { _ in 0 })
    for row in rows {
      let groups = keys.map { $0.groups(of: row.details, in: row.row.recording.id.catalogue) }
      for index in keys.indices where groups[index].isEmpty { missing[index] += 1 }
      for index in keys.indices where groups[index].count > 1 { several[index] += 1 }
      for first in groups[0] {
        for second in groups.count > 1 ? groups[1].map({ [$0] }) : [[]] {
          expected[zip(keys, [first] + second).map(name), default: 0] += 1
        }
      }
    }
    var stored: [[String]: Int] = [:]
    let seasons = keys.indices.filter { keys[$0].isSeason }
    for row in scanned where withUnlisted || !row.row.lists.isEmpty || row.row.leftLists.isEmpty {
      let groups = seasons.map { index in
        keys[index].groups(of: row.details, in: row.row.recording.id.catalogue).map {
          name(keys[index], $0)
        }
      }
      for first in groups.first ?? [] {
        for second in groups.count > 1 ? groups[1].map({ [$0] }) : [[]] {
          stored[[first] + second, default: 0] += 1
        }
      }
    }
    var found: [[String]: Int] = [:]
    for row in counts.rows {
      let texts = row.values.map { $0.text() ?? "" }
      let expectedStored = seasons.isEmpty ? nil : stored[seasons.map { texts[$0] }] ?? 0
      #expect(row.stored == expectedStored, "\(texts), \(label)")
      guard row.count > 0 else { continue }
      let names = zip(keys, texts).map { key, text in
        guard key.numbers == nil else { return text }
        // Countries have one English name each, and are counted by their code.
        let code = key.column == .countryCode ? Countries.named(text)?.code : nil
        let group = key.group(of: TextFolding.folded((code ?? text).utf8))
        let isSpelledSo = scanned.contains {
          key.text(of: group, in: $0.details, $0.row.recording.id.catalogue) == text
        }
        #expect(isSpelledSo, "no recording has \(text), \(label)")
        return group
      }
      #expect(found.updateValue(row.count, forKey: names) == nil, "\(names) twice, \(label)")
    }
    #expect(found == expected && counts.total == rows.count, "by \(keys.map(\.name)), \(label)")
    #expect(
      counts.missing == missing && counts.several == several, "by \(keys.map(\.name)), \(label)")
    // What a bar of `browse` filters by.
    guard keys.count == 1, keys[0].isSearchable,
      let row = counts.rows.last(where: { $0.count > 0 }),
      TextFolding.folded(row.values[0].text() ?? "").contains(where: { $0.isLetter || $0.isNumber })
    else { return }
    let terms = try SearchExpression(
      keys[0].terms(for: row.values[0]), catalogues: Catalogues.all.map(\.id))
    let matcher = try StoredMatcher(terms, in: repository)
    #expect(
      rows.filter { matcher.matches($0.row, $0.details) }.count == row.count, "\(terms), \(label)")
  }

  func search(_ text: String, sort: [SortKey] = [], window: Range<Int>? = nil) throws
    -> SearchResults
  {
    try repository.search(
      SearchExpression(text, catalogues: Catalogues.all.map(\.id)), sort: sort, window: window)
  }

  func found(_ text: String) throws -> [String] {
    let results = try search(text)
    return try results.rows(0..<results.count).map(\.recording.id.value)
  }

  /// What the index says of the first recordings.
  func step(_ text: String) throws -> SearchStep {
    try step(
      StoredMatcher(SearchExpression(text, catalogues: Catalogues.all.map(\.id)), in: repository))
  }

  private func step(_ matcher: StoredMatcher) throws -> SearchStep {
    try store.find(matcher.matcher, after: 0, ranked: true)
  }

  // MARK: The index itself

  func rowsOfIndex() throws -> Int {
    try store.read { db in
      try ["search_segment", "search_block"].reduce(0) { sum, table in
        try sum + (db.firstRow("SELECT count(*) FROM \(table)") { $0.int(0) } ?? 0)
      }
    }
  }

  /// Of all terms, sets and numbers but those of the time.
  func checksumOfIndex() throws -> UInt64 {
    try store.read { db in
      var hash: UInt64 = 0xCBF2_9CE4_8422_2325
      try db.forEachRow("SELECT name, contents FROM search_block ORDER BY first_key, name") { row in
        for byte in row.blob(0) + row.blob(1) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
      }
      return hash
    }
  }
}
