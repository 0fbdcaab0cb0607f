import ChirperModel
import ChirperTestSupport
import Foundation
import Testing

@testable import Chirper
@testable import ChirperStore

/// `doctor --repair` in this process, on stores that were damaged from seeds: CHIRPER_DAMAGES is
/// their number, CHIRPER_DAMAGE_SEED the first seed.
@Suite(.serialized)
struct RepairTests {
  private let now = Date(timeIntervalSince1970: 1_780_000_000)

  @Test func `whatever SQLite can still read of a damaged database is in the repaired one`()
    async throws
  {
    let variables = ProcessInfo.processInfo.environment
    let first = variables["CHIRPER_DAMAGE_SEED"].flatMap { UInt64($0) } ?? 1
    let count = variables["CHIRPER_DAMAGES"].flatMap { UInt64($0) } ?? 550
    let stores = try soundStores()
    let start = ContinuousClock.now
    try await withThrowingTaskGroup { group in
      for seed in first..<(first + count) {
        let store = stores[Int(seed % UInt64(stores.count))]
        group.addTask { try tryDamage(seed, store) }
      }
      try await group.waitForAll()
    }
    print("damages tried: \(count), in \(ContinuousClock.now - start)")
  }

  private func tryDamage(_ seed: UInt64, _ store: SoundStore) throws {
    let sound = store.bytes
    let directory = try scratchDirectory()
    defer { try? FileManager.default.removeItem(at: directory) }
    let file = directory.appending(path: "chirper.sqlite")
    var bytes = sound
    var damage = Damage(seed: seed)
    damage.apply(to: &bytes)
    let what = "seed \(seed): \(damage), \(store.name)"
    try Data(bytes).write(to: file)
    readEverything(directory)
    // Opening may have created a store in a file cut to nothing.
    try Data(bytes).write(to: file)
    let before = ContinuousClock.now
    do {
      guard let repair = try StoreRepair(directory: directory, now: now).run() else { return }
      // Not how fast: that it ends at all, on a machine however busy.
      #expect(ContinuousClock.now - before < .seconds(120), "\(what)")
      #expect(try Data(contentsOf: URL(filePath: repair.damagedCopy)) == Data(bytes), "\(what)")
      let left = try FileManager.default.contentsOfDirectory(atPath: directory.path)
      #expect(left.count == 2, "\(what): \(left)")
      Comparison(
        damaged: RawDatabase(repair.damagedCopy), repaired: RawDatabase(file.path), what: what
      ).check()
      try checkRules(directory, what)
    } catch let error as StoreError
      where ["not-ours", "newer-database"].contains(error.presentation.code)
    {
      // The damage changed the header's application or version: the file is refused, and untouched.
      #expect(bytes[60..<64] != sound[60..<64] || bytes[68..<72] != sound[68..<72], "\(what)")
      #expect(try Data(contentsOf: file) == Data(bytes), "\(what)")
    } catch {
      Issue.record("\(what): \(error)")
    }
  }

  private func checkRules(_ directory: URL, _ what: String) throws {
    let store = try RecordingStore.readable(in: directory)
    #expect(try store.diagnosis(of: directory).problems == [], "\(what)")
    for stored in try store.storedQueries() {
      let audit = try store.audit(of: stored.query)
      #expect(Set(audit.ids).count == audit.ids.count, "\(what)")
      #expect(stored.count == audit.ids.count, "\(what)")
      if let total = stored.totals?.recordings,
        stored.completeness == .complete || stored.completeness == .verified
      {
        #expect(stored.count + stored.skipped == total, "\(what)")
      }
    }
    readEverything(directory)
  }

  /// Everything the program reads; it may throw, and must not trap.
  private func readEverything(_ directory: URL) {
    guard let store = try? RecordingStore.readable(in: directory) else { return }
    _ = try? store.diagnosis(of: directory)
    for stored in (try? store.storedQueries()) ?? [] {
      let status = try? store.walkStatus(of: stored.query)
      _ = Walk(
        goal: .all, verify: false, status: status ?? nil, totals: stored.totals, freshSince: nil,
        now: now)
      _ = try? store.audit(of: stored.query)
      let sort = [SortKey(.field("en"))]
      let repository = RecordingRepository(store: store, dependencies: .live)
      guard let reader = try? ListReader(repository, [stored.query], sort: sort) else { continue }
      for recording in (try? reader.rows(0..<1000)) ?? [] {
        for name in recording.fields.names { _ = (recording[name]?.text, recording[name]?.list) }
      }
      _ = try? store.rows(of: stored.query, in: 10..<20)
    }
    _ = try? store.reserveRequest(to: .xenoCanto, interval: .seconds(1), now: now)
  }

  @Test func `what cannot be repaired is kept, and a new store takes its place`() throws {
    for (name, bytes) in [
      ("text", Array("no database ".utf8)),
      ("one page of text", [UInt8](repeating: 0x61, count: 9000)),
    ] {
      let directory = try scratchDirectory()
      defer { try? FileManager.default.removeItem(at: directory) }
      let file = directory.appending(path: "chirper.sqlite")
      try Data(bytes).write(to: file)
      let repair = try StoreRepair(directory: directory, now: now).run()
      #expect(repair?.kept == Repair.Counts(), "\(name)")
      #expect(repair?.damagedCopy == file.path + ".damaged-20260528T202640Z")
      #expect(try Data(contentsOf: URL(filePath: repair?.damagedCopy ?? "")) == Data(bytes))
      try checkRules(directory, name)
    }
  }

  @Test func `a store whose first page is gone is repaired whole`() throws {
    for store in try soundStores() {
      for length in [16, 100, 4096] {
        let directory = try scratchDirectory()
        defer { try? FileManager.default.removeItem(at: directory) }
        var bytes = store.bytes
        for index in 0..<length { bytes[index] = 0 }
        try Data(bytes).write(to: directory.appending(path: "chirper.sqlite"))
        let repair = try #require(try StoreRepair(directory: directory, now: now).run())
        #expect(repair.lost == Repair.Counts(), "\(store.name)")
        #expect(
          repair.kept == Repair.Counts(queries: 3, pages: 11, rows: 170, recordings: 140),
          "\(store.name)")
        #expect(repair.incomplete == [], "\(store.name)")
        try checkRules(directory, store.name)
      }
    }
  }

  @Test
  func `a store that lost its first page and its end is repaired with no row that it did not have`()
    throws
  {
    for store in try soundStores() {
      let whole = try scratchDirectory()
      defer { try? FileManager.default.removeItem(at: whole) }
      try Data(store.bytes).write(to: whole.appending(path: "chirper.sqlite"))
      let known = Set(RawDatabase(whole.appending(path: "chirper.sqlite").path).table("recording"))
      for keptPages in stride(from: 2, to: store.bytes.count / 4096, by: 5) {
        for lostBytes in [0, 4096] {
          let directory = try scratchDirectory()
          defer { try? FileManager.default.removeItem(at: directory) }
          let file = directory.appending(path: "chirper.sqlite")
          try Data(
            [UInt8](repeating: 0, count: lostBytes) + store.bytes[lostBytes..<keptPages * 4096]
          ).write(to: file)
          _ = try StoreRepair(directory: directory, now: now).run()
          let what = "\(keptPages) pages, \(lostBytes) bytes lost, \(store.name)"
          #expect(known.isSuperset(of: RawDatabase(file.path).table("recording")), "\(what)")
          try checkRules(directory, what)
        }
      }
    }
  }

  @Test func `a list that lost a page is opened again, and the next fetch requests only that page`()
    async throws
  {
    let directory = try scratchDirectory()
    defer { try? FileManager.default.removeItem(at: directory) }
    let model = ModelCatalogue(rows: (1...12).map { "\($0)" })
    let query = model.query("all", pageSize: 3)
    do {
      let store = try RecordingStore.writable(in: directory)
      let repository = RecordingRepository(store: store, dependencies: ManualClock().dependencies())
      { _ in model }
      #expect(await repository.fetch(query, FetchPlan(.all)).stored?.completeness == .complete)
    }
    RawDatabase.execute(
      "DELETE FROM page WHERE number = 2", in: directory.appending(path: "chirper.sqlite").path)
    #expect(try RecordingStore.readable(in: directory).diagnosis(of: directory).problems != [])
    let repair = try #require(try StoreRepair(directory: directory, now: now).run())
    #expect(repair.lost == Repair.Counts(pages: 1))
    #expect(repair.incomplete == ["all"])
    let store = try RecordingStore.writable(in: directory)
    #expect(try store.stored(query)?.completeness == .partial(pages: 3, of: 4))
    #expect(try store.audit(of: query).ids == model.ids)
    model.clearHistory()
    let repository = RecordingRepository(store: store, dependencies: ManualClock().dependencies()) {
      _ in model
    }
    let report = await repository.fetch(query, FetchPlan(.all))
    #expect(model.now.requests == [2])
    #expect(report.stored?.completeness == .complete)
    #expect(try store.audit(of: query).ids == model.ids)
  }

  @Test func `field names that were lost are read from the recordings that were kept`() throws {
    let directory = try scratchDirectory()
    defer { try? FileManager.default.removeItem(at: directory) }
    let file = directory.appending(path: "chirper.sqlite")
    try Data(try soundFile()).write(to: file)
    let names = try RecordingStore.readable(in: directory).fieldNames(of: .xenoCanto)
    #expect(names == ["id", "en", "rmk"])
    // The table's page and that of its index, next to each other.
    var bytes = try Data(contentsOf: file)
    let roots = RawDatabase(file.path).rows(
      "SELECT rootpage FROM sqlite_schema WHERE tbl_name = 'field'")
    for root in roots.compactMap({ $0[0].int }).map(Int.init) {
      bytes.replaceSubrange(
        (root - 1) * 4096..<root * 4096, with: [UInt8](repeating: 0xFF, count: 4096))
    }
    try bytes.write(to: file)
    let repair = try #require(try StoreRepair(directory: directory, now: now).run())
    #expect(repair.kept.recordings == 140)
    #expect(try RecordingStore.readable(in: directory).fieldNames(of: .xenoCanto) == names)
    #expect(try RecordingStore.readable(in: directory).fieldNames(of: .itunes) == names)
  }

  /// CHIRPER_DAMAGES and CHIRPER_DAMAGE_SEED as above.
  @Test func `what is read of a damaged store without an error is all that the sound one had`()
    throws
  {
    let variables = ProcessInfo.processInfo.environment
    let first = variables["CHIRPER_DAMAGE_SEED"].flatMap { UInt64($0) } ?? 1
    let count = variables["CHIRPER_DAMAGES"].flatMap { UInt64($0) } ?? 550
    let stores = try soundStores()
    let directory = try scratchDirectory()
    defer { try? FileManager.default.removeItem(at: directory) }
    let file = directory.appending(path: "chirper.sqlite")
    let sound = try stores.map { store in
      try Data(store.bytes).write(to: file)
      return try readableLists(directory)
    }
    #expect(sound.allSatisfy { $0.count == 17 }, "\(sound.map { $0.keys.sorted() })")
    var (whole, refused) = (0, 0)
    for seed in first..<(first + count) {
      let index = Int(seed % UInt64(stores.count))
      var (bytes, damage) = (stores[index].bytes, Damage(seed: seed))
      damage.apply(to: &bytes)
      try Data(bytes).write(to: file)
      guard let lists = try? readableLists(directory) else { continue }
      for (name, ids) in sound[index] {
        let what: Comment = "seed \(seed): \(damage), \(stores[index].name), \(name)"
        guard let read = lists[name] else {
          refused += 1
          continue
        }
        whole += 1
        // No check sees that bytes of an id or of a name changed, but it sees each row of a list
        // that is lost.
        if damage.description.contains("flipped") {
          if !name.hasPrefix("search") { #expect(read.count == ids.count, what) }
        } else {
          #expect(read == ids, what)
        }
      }
    }
    #expect(count < 100 || (whole > 0 && refused > 0))
    print("lists read: \(whole), refused: \(refused)")
  }

  /// The ids of each part of each list that can be read and is claimed to be whole.
  private func readableLists(_ directory: URL) throws -> [String: [String]] {
    let store = try RecordingStore.readable(in: directory)
    let repository = RecordingRepository(store: store, dependencies: ManualClock().dependencies()) {
      _ in nil
    }
    var lists: [String: [String]] = [:]
    for text in ["en:parrot", "jack", "cnt:poland"] {
      guard let stored = try? store.storedQueries().first(where: { $0.query.identity == text })
      else {
        continue
      }
      for (name, part) in [
        ("rows", ListReader.Part.rows), ("new", .new(since: .distantPast)), ("gone", .gone),
        ("changed", .changed(since: .distantPast)),
      ] {
        guard let reader = try? ListReader(repository, [stored.query], part: part),
          reader.damage == nil,
          let rows = try? reader.rows(0..<reader.count)
        else { continue }
        lists["\(text) \(name)"] = rows.map(\.id.value)
      }
    }
    for news in (try? repository.news(since: .distantPast)) ?? [] where news.damage == nil {
      lists["\(news.list.query.identity) news"] = [
        "\(news.new.count) new", "\(news.changed.count) changed", "\(news.gone.count) gone",
      ]
    }
    let everything = try repository.searchExpression("parrot gone:any")
    if let found = try? repository.search(everything) {
      lists["search everything"] = try? found.rows(0..<found.count).map(\.recording.id.value)
    }
    // An index of the lists that lost a page can show recordings as in no list; they are counted.
    let listed = try repository.searchExpression("parrot")
    if let found = try? repository.search(listed) {
      lists["search what is listed"] = ["\(found.matched + found.unlisted)"]
    }
    return lists
  }

  // MARK: Sound stores

  private struct SoundStore {
    let name: String
    let bytes: [UInt8]
  }

  /// Three stores with the same rows: one that only grew, and two with a search index from which a
  /// list was removed. One of these has free pages, the other has given back their space, so that
  /// its rows have moved to other pages.
  private func soundStores() throws -> [SoundStore] {
    let directory = try scratchDirectory()
    defer { try? FileManager.default.removeItem(at: directory) }
    let file = directory.appending(path: "chirper.sqlite")
    var stores = [SoundStore(name: "a store", bytes: try soundFile())]
    do {
      let store = try RecordingStore.writable(in: directory)
      try store.fill(.iNaturalist, "corvus", ids: 1...300, pages: 2, closes: true, now: now)
      try fillLists(store)
      let repository = RecordingRepository(store: store, dependencies: ManualClock().dependencies())
      { _ in nil }
      try repository.writeSearchIndex(least: 1)
    }
    let longer = try Data(contentsOf: file)
    let sql =
      "PRAGMA foreign_keys = ON; DELETE FROM query WHERE text = 'corvus'; DELETE FROM recording WHERE catalogue_id = 1"
    try #require(RawDatabase.execute(sql, in: file.path))
    stores.append(
      SoundStore(name: "a store with free pages", bytes: Array(try Data(contentsOf: file))))
    try longer.write(to: file)
    do {
      let store = try RecordingStore.writable(in: directory)
      let query = CatalogueQuery(
        catalogue: .iNaturalist, identity: "corvus", pageSize: 500, typed: "corvus",
        requestText: "corvus")
      #expect(try store.forget(query)?.report.recordings == 300)
    }
    stores.append(
      SoundStore(name: "a store that gave back space", bytes: Array(try Data(contentsOf: file))))
    #expect(stores[1].bytes.count == longer.count && stores[2].bytes.count < longer.count)
    return stores
  }

  /// Three lists in two catalogues: one complete, one half-read with departures, one that shares
  /// the first one's rows. The pages have tokens.
  private func soundFile() throws -> [UInt8] {
    let directory = try scratchDirectory()
    defer { try? FileManager.default.removeItem(at: directory) }
    try fillLists(RecordingStore.writable(in: directory))
    return Array(try Data(contentsOf: directory.appending(path: "chirper.sqlite")))
  }

  private func fillLists(_ store: RecordingStore) throws {
    try store.fill(.xenoCanto, "en:parrot", ids: 1...120, pages: 6, closes: true, now: now)
    try store.fill(.itunes, "jack", ids: 1...20, pages: 2, closes: false, now: now)
    try store.fill(.xenoCanto, "cnt:poland", ids: 61...100, pages: 3, closes: true, now: now)
    try store.fill(.xenoCanto, "cnt:poland", ids: 61...90, pages: 3, closes: true, now: now)
    try store.fill(.itunes, "jack", ids: 1...20, pages: 2, closes: false, named: "Jack", now: now)
  }

  private func scratchDirectory() throws -> URL {
    // In memory if possible: hundreds of files are synced here.
    let memory = "/dev/shm"
    let base =
      access(memory, W_OK) == 0 ? URL(filePath: memory) : FileManager.default.temporaryDirectory
    let directory = base.appending(
      path: "chirper-repair-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    return directory
  }
}

extension RecordingStore {
  /// Stores a list as a walk would.
  fileprivate func fill(
    _ catalogue: CatalogueID, _ text: String, ids: ClosedRange<Int>, pages: Int, closes: Bool,
    named name: String = "Parrot", now: Date
  ) throws {
    let size = 500
    let query = CatalogueQuery(
      catalogue: catalogue, identity: text, pageSize: size, typed: text, requestText: text)
    let perPage = (ids.count + pages - 1) / pages
    for page in 1...pages {
      let part = Array(ids).dropFirst((page - 1) * perPage).prefix(perPage)
      let recordings = try part.map { id in
        Recording(
          id: RecordingID(catalogue: catalogue, value: "\(id)"),
          fields: try RecordingFields(
            json:
              #"{"id":"\#(id)","en":"\#(name) \#(id)","rmk":"\#(String(repeating: "é", count: id % 50 == 0 ? 4000 : id % 7 * 25))"}"#
          ))
      }
      _ = try store(
        RecordingPage(
          number: page, recordings: recordings,
          totals: RecordingPage.Totals(recordings: ids.count, pages: pages),
          next: page < pages ? page + 1 : nil,
          nextToken: PageRequest.Token(rawValue: "after \(text) \(page)")), of: query,
        startsWalk: page == 1, now: now)
    }
    if closes { _ = try closeWalk(of: query, evenIfShifted: false, now: now) }
  }
}
