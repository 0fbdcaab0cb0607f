import Chirper
import ChirperTesting
import Foundation
import Synchronization
import Testing

/// Catalogues that an app wrote with public API alone, paged in three ways.
@Suite struct OwnCatalogueTests {
  private static let kinds: [String: @Sendable (Upstream) throws -> any PageFetcher] = [
    "offset": { OffsetCatalogue(upstream: $0) },
    "id cursor": { IDCursorCatalogue(upstream: $0) },
    "opaque cursor": { try Archive($0) },
  ]

  @Test(arguments: kinds.keys.sorted())
  func
    `a walk of one's own catalogue ends with the list that is upstream, whatever comes and goes meanwhile`(
      kind: String
    ) async throws
  {
    let make = try #require(Self.kinds[kind])
    let isDeep = ProcessInfo.processInfo.environment["CHIRPER_ALL_CASES"] != nil
    let seeds = isDeep ? 50 : 10
    var restarts = 0
    for seed in 0..<seeds {
      var random = Seeded(UInt64(seed))
      var changes: [Int: Upstream.Change] = [:]
      for request in 2...5 where Bool.random(using: &random) {
        let position = Int.random(in: 0..<450, using: &random)
        changes[request] =
          Bool.random(using: &random) ? .insert(position * 2 + 1) : .remove(position)
      }
      let upstream = Upstream(count: 450, changes: changes)
      let fetcher = try make(upstream)
      let repository = try RecordingRepository.inMemory(catalogues: [fetcher])
      let query = try fetcher.catalogue.query("Birdsong")
      var report = await repository.fetch(query, FetchPlan(.all, verify: true))
      if case .shifted? = report.stored?.completeness {
        // A change before almost every request uses up the passes of a run; the next run makes the
        // list exact.
        report = await repository.fetch(query, FetchPlan(.all, verify: true))
      }
      #expect(report.failure == nil && report.failedPages.isEmpty, "seed \(seed)")
      #expect(upstream.remainingChanges == 0, "seed \(seed)")
      #expect(report.stored?.completeness == .verified, "seed \(seed)")
      #expect(
        try repository.rows(of: query, in: 0..<1000).map(\.id.value) == upstream.ids, "seed \(seed)"
      )
      if upstream.cursors.count(where: { $0 == nil }) > 2 { restarts += 1 }
    }
    // Most changes are seen at once, so that the walk starts over before its verifying pass.
    #expect(restarts > seeds / 5)
  }

  @Test func `nothing precedes page 1, whatever a catalogue says`() async throws {
    let upstream = Upstream(count: 450)
    let fetcher = PrecededCatalogue(pages: OffsetCatalogue(upstream: upstream))
    let repository = try RecordingRepository.inMemory(catalogues: [fetcher])
    let report = await repository.fetch(try fetcher.catalogue.query("Birdsong"), FetchPlan(.all))
    #expect(report.stored?.completeness == .complete)
    #expect(upstream.cursors.count == 5)
  }

  @Test(arguments: [10, 449, 450, 2000])
  func `an estimated total is shown, and decides nothing: a list is read once, and is complete`(
    estimate: Int
  ) async throws {
    let upstream = Upstream(count: 450)
    let fetcher = EstimatingCatalogue(
      pages: OffsetCatalogue(upstream: upstream), estimate: estimate)
    let repository = try RecordingRepository.inMemory(catalogues: [fetcher])
    let query = try fetcher.catalogue.query("Birdsong")
    let first = await repository.fetch(query, FetchPlan(.pages(2)))
    // It is another one with each answer.
    let totals = RecordingPage.Totals(
      recordings: estimate + 2, pages: (estimate + 101) / 100, isEstimate: true)
    #expect(
      first.stored?.totals == totals && first.stored?.completeness == .partial(pages: 2, of: nil))
    #expect(try await repository.snapshot(of: query).totals == totals)
    let report = await repository.fetch(query, FetchPlan(.all))
    #expect(report.stored?.completeness == .complete && report.failure == nil)
    #expect(upstream.cursors.count == 5)
    #expect(try repository.rows(of: query, in: 0..<1000).map(\.id.value) == upstream.ids)
    let second = await repository.fetch(query, FetchPlan(.all))
    #expect(second.stored?.completeness == .verified && second.requests == 5)
    let synced = await repository.sync(try #require(second.stored))
    #expect(
      synced.stored?.completeness == .verified && !synced.isIncremental && synced.failure == nil)
  }

  @Test func `an exact total after estimates is compared with what was read`() async throws {
    for total in [450, 451] {
      let upstream = Upstream(count: 450)
      let fetcher = EstimatingCatalogue(
        pages: OffsetCatalogue(upstream: upstream), estimate: 300, lastTotal: total)
      let repository = try RecordingRepository.inMemory(catalogues: [fetcher])
      let report = await repository.fetch(try fetcher.catalogue.query("Birdsong"), FetchPlan(.all))
      #expect(
        report.stored?.completeness == (total == 450 ? .complete : .shifted(rows: 450, total: 451)))
    }
  }

  #if !os(iOS)
  @Test
  func
    `a catalogue that no search could name, or that no query could be made for, ends the program`()
    async
  {
    await #expect(processExitsWith: .failure) {
      _ = PreviewCatalogue(id: "My catalogue", titles: [])
    }
    await #expect(processExitsWith: .failure) { _ = PreviewCatalogue(id: "", titles: []) }
    await #expect(processExitsWith: .failure) {
      var shelf = PreviewShelf()
      shelf.catalogue.pageSizes = 1...50
      shelf.catalogue.defaultPageSize = 100
      _ = try RecordingRepository.inMemory(catalogues: [shelf])
    }
    await #expect(processExitsWith: .failure) {
      let (one, other) = (PreviewCatalogue(titles: []), PreviewCatalogue(titles: []))
      _ = try RecordingRepository.inMemory(catalogues: [one, other])
    }
    await #expect(processExitsWith: .failure) {
      _ = NotebookCatalogue(id: "notebook", places: [], searchTags: ["Land": .detail(\.country)])
    }
    await #expect(processExitsWith: .failure) {
      _ = NotebookCatalogue(id: "notebook", places: [], searchTags: ["file": .detail(\.accessURI)])
    }
    await #expect(processExitsWith: .failure) {
      var catalogue = Catalogue(id: "notebook", name: "Notebook")
      catalogue.details = [.text(\.country, of: "land"), .text(\.country, of: "country")]
    }
  }
  #endif

  // iOS starts no process, and a closure could not capture the path before Swift 6.3.
  #if compiler(>=6.3) && !os(iOS)
  @Test
  func
    `a walk by opaque cursor that is killed continues with the stored cursor, and requests no page again`()
    async throws
  {
    let directory = FileManager.default.temporaryDirectory.appending(
      path: "chirper-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = directory.path as String] in
      let archive = try Archive(Upstream(count: 450))
      let repository = try RecordingRepository(
        directory: URL(filePath: path), catalogues: [archive])
      _ = await repository.fetch(try archive.catalogue.query("Birdsong"), FetchPlan(.all)) {
        event in
        if case .page(number: 3, _) = event { kill(getpid(), SIGKILL) }
      }
    }
    let archive = try Archive(Upstream(count: 450))
    let repository = try RecordingRepository(directory: directory, catalogues: [archive])
    let query = try archive.catalogue.query("Birdsong")
    #expect(try await repository.stored(query)?.pagesStored == 3)
    let report = await repository.fetch(query, FetchPlan(.all))
    #expect(
      archive.upstream.cursors == [
        Archive.cursor(after: "item-0598"), Archive.cursor(after: "item-0798"),
      ])
    #expect(report.stored?.completeness == .complete)
    #expect(try repository.rows(of: query, in: 0..<1000).map(\.id.value) == archive.upstream.ids)
  }
  #endif

  @Test func `a search finds recordings of one's own catalogue, with an index and without`()
    async throws
  {
    let archive = try Archive(Upstream(count: 40))
    let repository = try RecordingRepository.inMemory(catalogues: [archive])
    let query = try archive.catalogue.query("Birdsong")
    _ = await repository.fetch(query, FetchPlan(.all))
    let rows = try repository.rows(of: query, in: 0..<1000)
    let wanted = try #require(repository.details(of: rows[7]).vernacularName)
    let expected = rows.filter { repository.details(of: $0).vernacularName == wanted }.map(\.id)
    let search = try SearchExpression("en:\"=\(wanted)\"", catalogues: [])
    for _ in 0..<2 {
      let results = try repository.search(search, sort: [SortKey(.id)])
      #expect(
        try results.rows(0..<results.count).map(\.recording.id) == expected
          && !expected.isEmpty)
      #expect(
        results.searched == rows.count
          && results.matchedByCatalogue == [archive.catalogue.id: expected.count])
      try await repository.updateSearchIndex(least: 1)
    }
  }

  @Test(arguments: ["notebook", "sample"], [nil, 7])
  func
    `a search goes by the details of one's own catalogue, also in place of chirper's, with an index and without`(
      id: String, version: Int?
    ) async throws
  {
    let notebook = NotebookCatalogue(
      id: id, places: ["Poland", "Norway", "Poland", "Wales"], version: version)
    let repository = try RecordingRepository.inMemory(catalogues: [notebook])
    let query = try notebook.catalogue.query("birds")
    _ = await repository.fetch(query, FetchPlan(.all))
    func found(_ text: String, sort: [SortKey] = []) throws -> [RecordingRow] {
      let expression = try repository.searchExpression(text)
      let results = try repository.search(expression, sort: sort)
      return try results.rows(0..<results.count)
    }
    for isIndexed in [false, true] {
      if isIndexed {
        let indexed = Mutex(0)
        try await repository.updateSearchIndex(least: 1) { done, _ in
          indexed.withLock { $0 = done }
        }
        // So none of them was in the index before.
        #expect(indexed.withLock(\.self) == 4)
      }
      let poland = try found("cnt:poland")
      #expect(poland.map(\.recording.id.value) == ["1", "3"], "indexed: \(isIndexed)")
      #expect(poland.first?.details.country == "Poland")
      #expect(poland.first?.lists == [query])
      #expect(
        try found("source:\(id) -cnt:poland").map(\.recording.id.value) == ["2", "4"],
        "indexed: \(isIndexed)")
      #expect(
        try found("year:2024 text:ORWAY").map(\.recording.id.value) == ["2"],
        "indexed: \(isIndexed)")
      for column in [RecordingColumn.detail(.eventDate), .field("day")] {
        let sorted = try found("month:5", sort: [SortKey(column)])
        #expect(sorted.map(\.recording.id.value) == ["4", "3", "2", "1"], "indexed: \(isIndexed)")
      }
      let list = try ListReader(repository, [query], sort: [SortKey(.field("day"))])
      #expect(
        try list.rows(0..<4).map(\.id.value) == ["4", "3", "2", "1"], "indexed: \(isIndexed)")
    }
  }

  @Test
  func `a sync asks one's own catalogue for uploads, and walks if they do not explain the total`()
    async throws
  {
    let diary = DiaryCatalogue(uploads: true)
    let repository = try RecordingRepository.inMemory(catalogues: [diary])
    let query = try diary.catalogue.query("birds")
    let first = await repository.fetch(query, FetchPlan(.all))
    #expect(first.stored?.completeness == .complete && first.requests == 6)
    diary.entries.withLock {
      $0 += [.init(30, "Moa", written: 16), .init(31, "Dodo", written: 16)]
    }
    var report = await repository.sync(try #require(first.stored))
    #expect(
      report.isIncremental && report.newIDs == ["31", "30"]
        && report.stored?.completeness == .complete)
    // The uploads, page 1, and an old page.
    #expect(report.requests == 3)
    #expect(try repository.rows(of: query, in: 0..<100).map(\.id.value) == diary.ids)
    diary.entries.withLock { entries in
      entries.append(.init(32, "Moa", written: 17))
      entries.removeAll { $0.number == 20 }
    }
    report = await repository.sync(try #require(report.stored))
    #expect(
      !report.isIncremental && report.new == 1 && report.gone == 1
        && report.stored?.completeness == .complete)
    #expect(try repository.rows(of: query, in: 0..<100).map(\.id.value) == diary.ids)
  }

  @Test func `a sync asks one's own catalogue for updates, and for its ids if entries left`()
    async throws
  {
    let diary = DiaryCatalogue(uploads: false)
    let repository = try RecordingRepository.inMemory(catalogues: [diary])
    let query = try diary.catalogue.query("birds")
    let first = await repository.fetch(query, FetchPlan(.all))
    // Its six pages, and page 1 for its total.
    #expect(first.stored?.completeness == .complete && first.requests == 7)
    diary.entries.withLock { entries in
      entries.append(.init(30, "Moa", written: 16))
      entries[3].note = "It was a rhea."
      entries[3].updated = 17
      entries.removeAll { $0.number == 20 }
    }
    let report = await repository.sync(try #require(first.stored))
    #expect(
      report.isIncremental && report.new == 1 && report.changedIDs == ["3"] && report.gone == 1)
    // The total, the updates, the total with all ids, and an old page.
    #expect(report.requests == 4 && report.stored?.completeness == .complete)
    let rows = try repository.rows(of: query, in: 0..<100)
    #expect(
      rows.map(\.id.value) == diary.ids
        && rows.first { $0.id.value == "3" }?.text("note") == "It was a rhea.")
  }

  @Test func `a search uses the tags of one's own catalogue`() async throws {
    let diary = NotebookCatalogue(
      id: "diary", places: ["Chile"], searchTags: ["title": .detail(\.eventDate)])
    let notebook = NotebookCatalogue(
      id: "notebook", places: ["Poland", "Norway"],
      searchTags: [
        "land": .detail(\.country), "title": .detail(\.country), "wann": .detail(\.eventDate),
        "q": .detail(\.country),
      ])
    let repository = try RecordingRepository.inMemory(catalogues: [diary, notebook])
    _ = await repository.fetch(try diary.catalogue.query("birds"), FetchPlan(.all))
    _ = await repository.fetch(try notebook.catalogue.query("birds"), FetchPlan(.all))
    func found(_ text: String) throws -> [String] {
      let expression = try repository.searchExpression(text)
      let results = try repository.search(expression)
      return try results.rows(0..<results.count).map(\.recording.id.value)
    }
    // Of two catalogues with a tag of one name, the first.
    #expect(try found("source:diary title:2024-05-31") == ["1"])
    #expect(try found("land:norway,poland -wann:2024-05-30") == ["1"])
    #expect(try found("source:notebook land:any") == ["1", "2"])
    #expect(
      try repository.searchExpression("land:norway") == repository.searchExpression("cnt:norway"))
    // A tag of chirper's keeps its meaning.
    #expect(throws: SearchExpressionError.self) { try repository.searchExpression("q:norway") }
    let unknown = SearchExpressionError(.unknownTag("wanns", nearest: ["wann"]), at: 1)
    #expect(throws: unknown) { try repository.searchExpression("wanns:2024") }
    #expect(throws: SearchExpressionError.self) {
      try SearchExpression("land:norway", catalogues: [])
    }
  }

  @Test func `a tag for numbers or dates compares them, with an index and without`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "folder-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, note) in [
      "1": #"{"bird":"Bat","heard":"2024-05-17","device":{"khz":62.5,"rate":"384000"}}"#,
      "2": #"{"bird":"Bat","heard":"2024-05","device":{"khz":"20","rate":0}}"#,
      "3": #"{"bird":"Bat","heard":"2023","device":{"khz":[18,45],"rate":44100.5}}"#,
      "4": #"{"bird":"Bat","heard":"May","device":{"khz":"about 50"}}"#,
    ] {
      try Data(note.utf8).write(to: folder.appending(path: "\(name).json"))
    }
    let sounds = FolderCatalogue(folder)
    let repository = try RecordingRepository.inMemory(catalogues: [sounds])
    let query = try sounds.catalogue.query("all")
    _ = await repository.fetch(query, FetchPlan(.all))
    let rates = try repository.rows(of: query, in: 0..<4).map {
      repository.details(of: $0).sampleRate
    }
    #expect(rates == [384_000, nil, nil, nil])
    for isIndexed in [false, true] {
      if isIndexed { try await repository.updateSearchIndex(least: 1) }
      for (text, ids) in [
        ("khz:>60", "1"), ("khz>60", "1"), ("khz:20-45", "2 3"), ("khz:20", "2"), ("khz:<20", "3"),
        ("khz:18,62.5", "1 3"), ("-khz:>60", "2 3 4"), ("khz:any", "1 2 3"), ("khz:none", "4"),
        ("heard:2024", "1 2"), ("heard:2024-05", "1 2"), ("heard:2024-05-17", "1"),
        ("heard:2022-2023", "3"), ("heard:>2023", "1 2"), ("heard:<2024-05-20", "1 3"),
        ("heard<2023-06", ""), ("heard:none", "4"), ("khz:>60 heard:2023", ""),
      ] {
        let expression = try repository.searchExpression(text)
        #expect(try repository.searchExpression(expression.description) == expression)
        let found = try repository.search(expression, sort: [SortKey(.id)])
        let rows = try found.rows(0..<found.count)
        #expect(
          rows.map(\.recording.id.value).joined(separator: " ") == ids,
          "\(text), indexed: \(isIndexed)")
      }
    }
    for text in ["khz:loud", "khz:40-20", "heard:May", "heard:>2022-2023", "heard:2023-2022"] {
      #expect(throws: SearchExpressionError.self, "\(text)") {
        try repository.searchExpression(text)
      }
    }
  }

  @Test func `a search names a list of one's own catalogue with the catalogue before it`()
    async throws
  {
    let shelves = ["ferry", "pier"].map { PreviewCatalogue(id: $0, titles: ["Gull \($0)"]) }
    let repository = try RecordingRepository.inMemory(catalogues: shelves)
    for shelf in shelves {
      _ = await repository.fetch(try shelf.catalogue.query("gull"), FetchPlan(.all))
    }
    func found(_ text: String) async throws -> [RecordingID] {
      let results = try repository.search(try repository.searchExpression(text))
      return try results.rows(0..<results.count).map(\.id)
    }
    let pier = [RecordingID(catalogue: "pier", value: "Gull pier")]
    for text in [#"in:"pier:gull""#, "in:pier:gull", "in:Pier:Gull", "-in:ferry:gull"] {
      #expect(try await found(text) == pier, "\(text)")
    }
    #expect(try await found("in:gull").count == 2)
    await #expect(throws: SearchExpressionError.self) { _ = try await found("in:quay:gull") }
  }

  @Test(arguments: ["notebook", "sample"])
  func `the index decides about one's own catalogue by the version of its details alone`(id: String)
    async throws
  {
    let directory = FileManager.default.temporaryDirectory.appending(
      path: "chirper-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    let places = ["Poland", "Norway", "Poland", "Wales"]
    /// The ids that a program with such a catalogue finds, the counts by country, and how many
    /// recordings had to be read.
    func search(_ text: String, _ notebook: NotebookCatalogue?, isIndexed: Bool = false)
      async throws -> [Int]
    {
      let repository = try RecordingRepository(
        directory: directory, catalogues: notebook.map { [$0] } ?? [])
      if let notebook, try await repository.storedQueries().isEmpty {
        _ = await repository.fetch(try notebook.catalogue.query("birds"), FetchPlan(.all))
      }
      if isIndexed { try await repository.updateSearchIndex(least: 1) }
      let before = notebook?.read.value ?? 0
      let expression = try repository.searchExpression(text)
      let results = try repository.search(
        expression, sort: [SortKey(\.eventDate, descending: true)])
      let read = (notebook?.read.value ?? 0) - before
      #expect(results.searched == 4)
      return try results.rows(0..<results.count).compactMap { Int($0.recording.id.value) } + [
        read
      ]
    }
    let first = NotebookCatalogue(id: id, places: places, version: 1)
    #expect(try await search("cnt:poland", first) == [1, 3, 4])
    #expect(try await search("cnt:poland", first, isIndexed: true) == [1, 3, 0])
    // Another meaning of the fields: the index of the first says nothing about it.
    let second = NotebookCatalogue(id: id, places: places, version: 2, country: "Iceland")
    #expect(try await search("cnt:poland", second) == [4])
    #expect(try await search("cnt:iceland", second, isIndexed: true) == [1, 2, 3, 4, 0])
    #expect(try await search("cnt:iceland", first) == [4])
    #expect(try await search("cnt:poland", first, isIndexed: true) == [1, 3, 0])
    // Without a version, and for a program without the catalogue, nothing is decided, and nothing
    // is written.
    let unversioned = NotebookCatalogue(id: id, places: places, country: "Iceland")
    #expect(try await search("cnt:iceland", unversioned, isIndexed: true) == [1, 2, 3, 4, 4])
    #expect(try await search("cnt:poland", nil, isIndexed: true) == [0])
    #expect(try await search("cnt:poland", first) == [1, 3, 0])
  }

  @Test
  func `details, order, field names and typed names work for one's own catalogue as for chirper's`()
    async throws
  {
    let archive = try Archive(Upstream(count: 12))
    let repository = try RecordingRepository.inMemory(catalogues: [archive])
    let query = try archive.catalogue.query("Birdsong")
    _ = await repository.fetch(query, FetchPlan(.all))
    let row = try #require(try repository.rows(of: query, in: 1..<2).first)
    let details = repository.details(of: row)
    #expect(details.vernacularName == "Song item-0002")
    #expect(details.eventDate?.description == "2024-05-02")
    #expect(details.pageURL == URL(string: "https://archive.org/details/item-0002"))
    #expect(
      try repository.fieldNames(of: archive.catalogue.id) == [
        "identifier", "title", "date", "downloads",
      ])
    let sorted = try ListReader(
      repository, [query], sort: [SortKey(.field("date"), descending: true)])
    #expect(try sorted.rows(0..<1).map(\.id.value) == ["item-0022"])
    #expect(try TypedText("BIRDSONG").stored(in: repository).map(\.query) == [query])
  }

  @Test
  func `the audio of one's own catalogue is downloaded from its service, and from no other host`()
    async throws
  {
    let sound = "RIFF\u{24}\0\0\0WAVEfmt "
    let server = try LoopbackServer { _ in sound }
    let notebook = NotebookCatalogue(id: "notebook", places: ["Poland"], files: server.url)
    for isOwnHost in [true, false] {
      let configuration = RemoteConfiguration(
        baseURLs: isOwnHost ? [notebook.catalogue.id: server.url] : [:])
      let repository = try RecordingRepository.inMemory(
        configuration: configuration, catalogues: [notebook])
      defer {
        try? FileManager.default.removeItem(
          at: repository.audio.directory.deletingLastPathComponent())
      }
      let query = try notebook.catalogue.query("all")
      _ = await repository.fetch(query, FetchPlan(.all))
      let row = try #require(try repository.rows(of: query, in: 0..<1).first)
      if isOwnHost {
        let file = try await repository.audio.file(of: row)
        #expect(try String(contentsOf: file.url, encoding: .utf8) == sound)
        #expect(try await repository.audio.downloadedFile(of: row.id) == file.url)
      } else {
        await #expect(throws: AudioError.addressRefused("it is on no host of the catalogue")) {
          try await repository.audio.file(of: row)
        }
      }
    }
  }

  @Test func `audio of one's own catalogue that is made here is kept`() async throws {
    let stream = IDCursorCatalogue(upstream: Upstream(count: 3))
    let repository = try RecordingRepository.inMemory(catalogues: [stream])
    defer {
      try? FileManager.default.removeItem(
        at: repository.audio.directory.deletingLastPathComponent())
    }
    let query = try stream.catalogue.query("all")
    _ = await repository.fetch(query, FetchPlan(.all))
    let row = try #require(try repository.rows(of: query, in: 1..<2).first)
    let file = try await repository.audio.file(of: row, storesGenerated: true)
    #expect(try String(contentsOf: file.url, encoding: .utf8) == "RIFF item-0002")
    #expect(try await repository.audio.downloadedFile(of: row.id) == file.url)
    let withAudio = try await repository.rows(of: Selection(where: ["audio:yes"]))
    #expect(try await withAudio.rows(0..<withAudio.count).map(\.recording.id) == [row.id])
  }

  @Test func `a change of a volatile field alone is no change`() async throws {
    // The downloads of every record are the length of the list.
    let archive = try Archive(Upstream(count: 10, changes: [2: .insert(99)]))
    let repository = try RecordingRepository.inMemory(catalogues: [archive])
    let query = try archive.catalogue.query("Birdsong")
    _ = await repository.fetch(query, FetchPlan(.all))
    let report = await repository.fetch(query, FetchPlan(.all))
    #expect((report.new, report.changed) == (1, 0))
  }

  /// A page with a wrong number was once requested without end.
  @Test(
    .timeLimit(.minutes(10)),
    arguments: [
      (
        RecordingPage(number: 1, recordings: [], totals: nil, next: 2),
        "page 1 came in place of page 2"
      ),
      (
        RecordingPage(number: 2, recordings: [], totals: nil, next: 2),
        "page 2 is said to follow page 2"
      ),
      (
        RecordingPage(
          number: 2, recordings: [], totals: RecordingPage.Totals(recordings: -1, pages: 1),
          next: nil),
        "a total is negative"
      ),
      (
        RecordingPage(
          number: 2, recordings: [],
          totals: RecordingPage.Totals(recordings: 1, pages: 1, species: -1), next: nil
        ),
        "a total is negative"
      ),
      (
        RecordingPage(number: 2, recordings: [], totals: nil, next: nil, skipped: -1),
        "a number of records is negative"
      ),
      (
        RecordingPage(number: 2, recordings: [OddCatalogue.row("")], totals: nil, next: nil),
        "a recording has no id"
      ),
      (
        RecordingPage(
          number: 2, recordings: [OddCatalogue.row("a", of: .sample)], totals: nil, next: nil),
        "a recording is of another catalogue"
      ),
    ])
  func `pages that no answer may be end a fetch, and the error names what is wrong`(
    page: RecordingPage, fault: String
  ) async throws {
    let odd = OddCatalogue(second: page)
    let repository = try RecordingRepository.inMemory(catalogues: [odd])
    let query = try odd.catalogue.query("all")
    let report = await repository.fetch(query, FetchPlan(.all))
    // After such a page the next two are tried.
    #expect(report.requests == 4 && report.failedPages.map(\.number) == [2, 3, 4])
    #expect(report.failedPages.first?.error == .malformed(fault))
    #expect(try repository.rows(of: query, in: 0..<9).map(\.id.value) == ["first"])
  }

  @Test func `the client follows no URL of another host, and reports what the service answers`()
    async throws
  {
    let server = try LoopbackServer { _ in nil }
    let client = CatalogueClient(
      ArchiveCatalogue.catalogue,
      RemoteConfiguration(baseURLs: [ArchiveCatalogue.catalogue.id: server.url]))
    await #expect(throws: FetchError.refused(status: 400, message: nil)) {
      try await client.get(try client.url("/a"))
    }
    let elsewhere = try #require(URL(string: "https://elsewhere.example/"))
    await #expect(
      throws: FetchError(.addressRefused("it leads to another host, elsewhere.example"))
    ) {
      try await client.get(elsewhere)
    }
    #expect(
      try client.url("/a b", ["q": "x y", "left out": nil, "n": "1"]).query() == "q=x%20y&n=1")
    #expect(client.minimumInterval == .zero)
    #expect(CatalogueClient(ArchiveCatalogue.catalogue).minimumInterval == .seconds(1))
  }

  @Test func `a service is asked by POST, answers with arrays, and its rows are decoded`()
    async throws
  {
    struct Question: Decodable {
      let plant: String
      let from: Int
    }
    let plants = ["Bee orchid", "Foxglove", "Yarrow"].enumerated().map { number, plant in
      // The spelling of numbers is kept.
      #"{"number":\#(number),"plant":"\#(plant)","place":{"name":"Kew","lat":"51.5","lon":-0.25},"rights":"CC-BY-4.0","height":1.50}"#
    }
    let server = try LoopbackServer { query in
      guard let body = query["body"],
        let question = try? JSONDecoder().decode(Question.self, from: Data(body.utf8)),
        question.plant == "flo\"wers"
      else { return nil }
      // The last answer has a row that cannot be read.
      let rows = plants.dropFirst(question.from).prefix(2) + (question.from == 0 ? [] : ["17"])
      return "[\(rows.joined(separator: ", "))]"
    }
    let id = HerbariumCatalogue.catalogue.id
    let client = CatalogueClient(
      HerbariumCatalogue.catalogue, RemoteConfiguration(baseURLs: [id: server.url]))
    let herbarium = HerbariumCatalogue(client: client)
    let page = try await herbarium.page(
      PageRequest(query: herbarium.catalogue.query("flo\"wers"), number: 2))
    #expect(page.recordings.map(\.fields.json) == [plants[2]] && page.skipped == 1)
    #expect(
      page.recordings[0]["place"]?.object?["name"]?.text == "Kew"
        && page.recordings[0]["plant"]?.object == nil)
    let repository = try RecordingRepository.inMemory(catalogues: [herbarium])
    let query = try herbarium.catalogue.query("flo\"wers")
    let report = await repository.fetch(query, FetchPlan(.pages(1)))
    #expect(report.failure == nil && report.new == 2)
    let row = try #require(try repository.rows(of: query, in: 1..<2).first)
    let details = repository.details(of: row)
    #expect(details.vernacularName == "Foxglove" && details.locality == "Kew")
    #expect(
      details.coordinate == RecordingDetails.Coordinate(latitude: 51.5, longitude: -0.25)
        && details.licence?.spdx == "CC-BY-4.0")
    // An empty body is sent, too, and an object is no array.
    await #expect(throws: FetchError.refused(status: 400, message: nil)) {
      try await client.post(client.url("/sheets"), body: [])
    }
    let object = try LoopbackServer { $0["body"].map { #"{"length":\#($0.utf8.count)}"# } }
    let other = CatalogueClient(
      HerbariumCatalogue.catalogue, RemoteConfiguration(baseURLs: [id: object.url]))
    let answer = try await other.post(
      other.url("/sheets"), body: String(repeating: "x", count: 300_000).utf8)
    #expect(String(decoding: answer.body, as: UTF8.self) == #"{"length":300000}"#)
    #expect(throws: FetchError.self) { try answer.objects() }
    #expect(throws: DecodingError.self) { try answer.object().decoded(as: Question.self) }
  }

  @Test func `a long Retry-After ends a fetch, and nothing is requested until then`() async throws {
    let clock = ManualClock()
    let busy = BusyCatalogue()
    let repository = try RecordingRepository.inMemory(
      catalogues: [busy], dependencies: clock.dependencies())
    let query = try busy.catalogue.query("all")
    // A minute is waited for, an hour is not.
    busy.retryAfter.withLock { $0 = [.seconds(60), .seconds(3600)] }
    let start = clock.now
    let first = await repository.fetch(query, FetchPlan(.all))
    #expect(first.requests == 2 && clock.now.timeIntervalSince(start) == 60)
    #expect(
      first.failure
        == .fetch(.rateLimited(retryAfter: .seconds(3600)), catalogue: busy.catalogue.id, page: 1))
    clock.advance(by: .seconds(3500))
    let second = await repository.fetch(query, FetchPlan(.all))
    #expect(second.requests == 0)
    #expect(
      second.failure
        == .fetch(.rateLimited(retryAfter: .seconds(100)), catalogue: busy.catalogue.id, page: 1))
    clock.advance(by: .seconds(100))
    let third = await repository.fetch(query, FetchPlan(.all))
    #expect(third.requests == 1 && third.stored?.completeness == .complete)
  }

  @Test func `a catalogue with the id of one of chirper's takes its place`() async throws {
    let preview = PreviewCatalogue(id: "sample", titles: ["Mine"])
    let repository = try RecordingRepository.inMemory(catalogues: [preview])
    let query = try preview.catalogue.query("mine")
    _ = await repository.fetch(query, FetchPlan(.all))
    #expect(try repository.rows(of: query, in: 0..<10).map(\.id.value) == ["Mine"])
    #expect(repository.catalogues.count(where: { $0.id == .sample }) == 1)
    #expect(repository.catalogue(.sample)?.name == "sample")
    #expect(repository.catalogue(CatalogueID(rawValue: "none")) == nil)
  }
}

/// Has one recording on its first page, and any second page.
private struct OddCatalogue: PageFetcher {
  let second: RecordingPage
  let catalogue: Catalogue = {
    var catalogue = Catalogue(id: "odd", name: "odd")
    catalogue.defaultPageSize = 1
    catalogue.minimumInterval = .zero
    return catalogue
  }()

  static func row(_ id: String, of catalogue: CatalogueID = CatalogueID(rawValue: "odd"))
    -> Recording
  {
    Recording(
      id: RecordingID(catalogue: catalogue, value: id), fields: RecordingFields(["title": id]))
  }

  func page(_ request: PageRequest) async throws(FetchError) -> RecordingPage {
    request.number == 1
      ? RecordingPage(number: 1, recordings: [Self.row("first")], totals: nil, next: 2) : second
  }
}

/// Gives no page.
private struct PreviewShelf: PageFetcher {
  var catalogue = Catalogue(id: "shelf", name: "Shelf")

  func page(_ request: PageRequest) async throws(FetchError) -> RecordingPage { throw .cancelled }
}

/// SplitMix64.
private struct Seeded: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// Estimates the total, one more with each page; the last page may have the exact one.
private struct EstimatingCatalogue: PageFetcher {
  let pages: OffsetCatalogue
  let estimate: Int
  var lastTotal: Int?
  var catalogue: Catalogue { pages.catalogue }

  func page(_ request: PageRequest) async throws(FetchError) -> RecordingPage {
    let page = try await pages.page(request)
    var totals = RecordingPage.Totals(
      recordings: estimate + request.number, pages: 1, isEstimate: true)
    if let lastTotal, page.next == nil {
      totals = RecordingPage.Totals(recordings: lastTotal, pages: (lastTotal + 99) / 100)
    }
    return RecordingPage(
      number: page.number, recordings: page.recordings, totals: totals, next: page.next,
      preceding: page.preceding)
  }
}

/// Asks for pauses, then answers with one row.
private final class BusyCatalogue: PageFetcher {
  let catalogue: Catalogue = {
    var catalogue = Catalogue(id: "busy", name: "Busy")
    catalogue.minimumInterval = .zero
    return catalogue
  }()
  /// The pauses of the next answers.
  let retryAfter = Mutex<[Duration]>([])

  func page(_ request: PageRequest) async throws(FetchError) -> RecordingPage {
    let pause = retryAfter.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    if let pause { throw .rateLimited(retryAfter: pause) }
    let row = Recording(
      id: RecordingID(catalogue: catalogue.id, value: "1"), fields: RecordingFields([:]))
    return RecordingPage(
      number: 1, recordings: [row], totals: RecordingPage.Totals(recordings: 1, pages: 1), next: nil
    )
  }
}

/// Says of page 1 too that nothing is before it.
private struct PrecededCatalogue: PageFetcher {
  let pages: OffsetCatalogue
  var catalogue: Catalogue { pages.catalogue }

  func page(_ request: PageRequest) async throws(FetchError) -> RecordingPage {
    let page = try await pages.page(request)
    guard request.number == 1 else { return page }
    return RecordingPage(
      number: 1, recordings: page.recordings, totals: page.totals, next: page.next,
      preceding: .nothing)
  }
}
