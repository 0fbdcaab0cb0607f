import Chirper
import ChirperFormats
import Foundation
import Testing

/// Exports from an app, with public API alone.
@Suite struct ExportTests {
  private let directory = FileManager.default.temporaryDirectory.appending(
    path: "chirper-\(UUID().uuidString)")
  private let repository: RecordingRepository
  private let query: CatalogueQuery

  init() throws {
    repository = try .inMemory()
    query = try #require(repository.catalogue(.sample)).query("parrot", pageSize: 50)
  }

  private func fetch() async throws {
    let report = await repository.fetch(query, FetchPlan(.pages(2)))
    try #require(report.stored?.count == 100)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  @Test func `a list is written to a file, an open file and memory, with the same bytes`()
    async throws
  {
    defer { try? FileManager.default.removeItem(at: directory) }
    try await fetch()
    let file = directory.appending(path: "parrots.csv")
    try Data("before".utf8).write(to: file)
    let export = Export(.csv, of: Selection([query]))
    let report = try await export.write(to: file, from: repository)
    #expect(report.written == 100 && report.leftOut == 0 && report.notAllowed == 0)
    let bytes = try Data(contentsOf: file)
    #expect(bytes.split(separator: UInt8(ascii: "\n")).count == 101)
    #expect(try await export.data(from: repository).data == bytes)
    let other = directory.appending(path: "other")
    try Data("head\n".utf8).write(to: other)
    let handle = try FileHandle(forWritingTo: other)
    try handle.seekToEnd()
    _ = try await export.write(to: handle, from: repository)
    try handle.close()
    #expect(try Data(contentsOf: other) == Data("head\n".utf8) + bytes)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == [
        "other", "parrots.csv",
      ])
  }

  @Test func `a file is not written beside SQLite's files of another program`() async throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    try await fetch()
    for format in [RecordFormat.geoPackage, .csv] {
      for suffix in ["-journal", "-wal", "-shm"] {
        let file = directory.appending(path: "open.gpkg")
        try Data("before".utf8).write(to: file)
        let companion = directory.appending(path: "open.gpkg\(suffix)")
        try Data().write(to: companion)
        let sentence = "a program has it open, or crashed."
        let message = "open.gpkg\(suffix) is next to the file: \(sentence)"
        await #expect(throws: ExportError.invalid(code: "cannot-create", message: message)) {
          try await Export(format, of: Selection([query])).write(to: file, from: repository)
        }
        #expect(try Data(contentsOf: file) == Data("before".utf8))
        try FileManager.default.removeItem(at: companion)
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(names == ["open.gpkg"])
      }
    }
  }

  @Test func `a file that takes the place of another keeps its link and its permissions`()
    async throws
  {
    defer { try? FileManager.default.removeItem(at: directory) }
    try await fetch()
    let (file, link) = (directory.appending(path: "a.csv"), directory.appending(path: "link.csv"))
    try Data("before".utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
    try FileManager.default.createSymbolicLink(
      atPath: link.path, withDestinationPath: file.lastPathComponent)
    _ = try await Export(.csv, of: Selection([query])).write(to: link, from: repository)
    let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions]
    #expect(mode as? Int == 0o640)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == "a.csv")
    #expect(try Data(contentsOf: file).count > 1000)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).count == 2)
    await #expect(
      throws: ExportError.invalid(code: "cannot-create", message: "this is a directory.")
    ) {
      try await Export(.csv, of: Selection([query])).write(to: directory, from: repository)
    }
  }

  @Test(arguments: RecordFormat.exported) func `every format is written from an app`(
    _ format: RecordFormat
  ) async throws {
    try await fetch()
    defer { try? FileManager.default.removeItem(at: directory) }
    var export = Export(format, of: Selection([query]))
    export.selection.searches = ["type:song"]
    let (data, report) = try await export.data(from: repository)
    #expect(report.written + report.leftOut > 0 && !data.isEmpty)
    let handle = FileHandle(forWritingAtPath: "/dev/null")
    #expect(
      try await export.write(to: try #require(handle), from: repository).written == report.written)
    if format == .sqlite || format == .geoPackage {
      #expect(data.starts(with: Data("SQLite format 3".utf8)))
    }
    #expect(format.fileExtension.map { RecordFormat.ofFile("a.\($0)") == format } ?? true)
  }

  @Test func `counts are written as a table`() async throws {
    try await fetch()
    defer { try? FileManager.default.removeItem(at: directory) }
    let search = try repository.searchExpression("source:sample")
    let counts = try await repository.rows(of: Selection(where: ["source:sample"]))
      .counts(by: \.quality)
    let lines = try counts.data(as: .csv).split(separator: UInt8(ascii: "\n")).map {
      String(decoding: $0, as: UTF8.self)
    }
    #expect(lines.first == "quality,recordings\r" && lines.count == 1 + counts.rows.count)
    #expect(counts.rows.reduce(0) { $0 + $1.count } + counts.missing[0] == 100)
    let json = try #require(
      try JSONSerialization.jsonObject(with: counts.data(as: .json, of: search)) as? [String: Any])
    #expect(json["search"] as? String == "source:sample" && json["recordings"] as? Int == 100)
    #expect(throws: ExportError.invalid(code: "usage", message: "Counts cannot be written as gpx."))
    {
      try counts.data(as: .gpx)
    }
  }

  @Test func `recordings are counted by every detail that is documented`() async throws {
    _ = await repository.fetch(query, FetchPlan(.pages(1)))
    let found = try await repository.rows(of: Selection(where: ["source:sample"]))
    let rows = try await found.rows(0..<found.count)
    let texts: [KeyPath<RecordingDetails, String?>] = [
      \.scientificName, \.vernacularName, \.country, \.recordedBy,
    ]
    for detail in texts {
      let counts = try await found.counts(by: detail)
      #expect(counts.total == 50)
      #expect(
        Set(counts.rows.map(\.texts))
          == Set(rows.compactMap { $0.details[keyPath: detail] }.map { [$0] }))
    }
    let others: [PartialKeyPath<RecordingDetails>] = [
      \.acceptedNameUsage, \.countryCode, \.behavior, \.quality, \.licence, \.mediaDuration,
      \.eventDate, \.eventDate?.month, \.eventDate?.year,
    ]
    for detail in others {
      #expect(try await found.counts(by: detail).rows.contains { $0.count > 0 }, "\(detail)")
    }
    // The sample has none of these.
    let missing: [PartialKeyPath<RecordingDetails>] = [\.issues, \.annotations, \.eventTime]
    for detail in missing {
      #expect(try await found.counts(by: detail).total == 50)
    }
    let months = try await found.counts(by: \.eventDate?.month, \.country).rows
    #expect(months.allSatisfy { (1...12).contains(Int($0.texts[0]) ?? 0) && $0.texts.count == 2 })
  }

  @Test func `a recording has the details that it is counted and sorted by under their names`()
    async throws
  {
    _ = await repository.fetch(query, FetchPlan(.pages(1)))
    var selection = Selection([query])
    selection.sort = [SortKey(\.eventDate?.month)]
    let row = try #require(try await repository.rows(of: selection).rows(0..<50).first)
    let details = row.details
    let named = Dictionary(uniqueKeysWithValues: details.named.map { ($0.name, $0.text) })
    #expect(named["month"] == details.eventDate?.month.map(String.init))
    #expect(named["scientificName"] == details.scientificName && named["datasetKey"] == nil)
  }

  #if !os(iOS)
  @Test func `counts by other details, by none or by three end the program`() async throws {
    await #expect(processExitsWith: .failure) {
      let repository = try RecordingRepository.inMemory()
      let found = try await repository.rows(of: Selection(where: ["robin"]))
      _ = try await found.counts(by: \.credit)
    }
    await #expect(processExitsWith: .failure) {
      let repository = try RecordingRepository.inMemory()
      let found = try await repository.rows(of: Selection(where: ["robin"]))
      _ = try await found.counts()
    }
    await #expect(processExitsWith: .failure) {
      let repository = try RecordingRepository.inMemory()
      let found = try await repository.rows(of: Selection(where: ["robin"]))
      _ = try await found.counts(by: \.country, \.countryCode)
    }
  }
  #endif

  @Test func `the URL of a web page is not taken for a file of this machine`() async throws {
    try await fetch()
    defer { try? FileManager.default.removeItem(at: directory) }
    let path = directory.appending(path: "parrots.csv").path
    let address = try #require(URL(string: "https://example.org\(path)"))
    await #expect(throws: ExportError.file(errno: EINVAL)) {
      try await Export(.csv, of: Selection([query])).write(to: address, from: repository)
    }
    let refused = StoreError(
      .cannotOpen(
        path: address.absoluteString, detail: "it is not the URL of a file"))
    await #expect(throws: refused) { try await repository.backup(to: address) }
    #expect(throws: refused) { try RecordingRepository(directory: address) }
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func `rows, columns and licences are chosen`() async throws {
    let shelf = Shelf()
    let repository = try RecordingRepository.inMemory(catalogues: [shelf])
    let query = try shelf.catalogue.query("hum")
    _ = await repository.fetch(query, FetchPlan(.all))
    var export = Export(.csv, of: Selection([query]))
    export.writesTidyColumns = true
    export.columns = ["vernacularName", "license", "license"]
    export.selection.sort = [SortKey(\.vernacularName, descending: true)]
    let (all, whole) = try await export.data(from: repository)
    #expect(
      String(decoding: all, as: UTF8.self).hasPrefix(
        "vernacularName,license\r\nHum 9,https://creativecommons.org/"))
    #expect(whole.licences == ["CC BY 4.0": 5, "CC BY-NC 4.0": 5])
    export.selection.purposes = [.commercial]
    let (data, report) = try await export.data(from: repository)
    #expect(report.written == 5 && report.notAllowed == 5 && report.licences == ["CC BY 4.0": 5])
    #expect(data.count < all.count)
    export.format = .credits
    let credits = String(decoding: try await export.data(from: repository).data, as: UTF8.self)
    #expect(credits.contains("CC BY 4.0") && !credits.contains("CC BY-NC 4.0\n"))
    export.selection.searches = ["hum 8"]
    #expect(try await export.data(from: repository).report.written == 1)
    // Everything that is stored is the list.
    export.selection.lists = []
    #expect(try await export.data(from: repository).report.written == 1)
  }

  @Test func `the article's selection counts what is left out, and reads rows in batches`()
    async throws
  {
    let shelf = Shelf()
    let repository = try RecordingRepository.inMemory(catalogues: [shelf])
    let query = try shelf.catalogue.query("hum")
    _ = await repository.fetch(query, FetchPlan(.all))
    var selection = Selection([query], where: ["q:A type:song"])
    selection.purposes = [.commercial]
    let rows = try await repository.rows(of: selection)
    let first = try await rows.rows(0..<20)
    #expect(rows.searched == 10 && rows.matched == 0 && first.isEmpty)
    selection.searches = []
    let usable = try await repository.rows(of: selection)
    #expect(usable.matched == 10 && usable.count == 5 && usable.leftOutByPurpose == 5)
    #expect(try await usable.rows(0..<20).allSatisfy { $0.lists == [query] })
    selection.limit = 2
    selection.offset = 4
    #expect(try await repository.rows(of: selection).rows(0..<20).map(\.id.value) == ["8"])
  }

  @Test func `the article's export names the recordists of what may be used`() async throws {
    let shelf = Shelf()
    let repository = try RecordingRepository.inMemory(catalogues: [shelf])
    let query = try shelf.catalogue.query("hum")
    _ = await repository.fetch(query, FetchPlan(.all))
    let file = FileManager.default.temporaryDirectory.appending(
      path: "chirper-\(UUID().uuidString).html")
    defer { try? FileManager.default.removeItem(at: file) }
    var export = Export(.credits(.html), of: Selection([query]))
    export.selection.purposes = [.commercial]
    let report = try await export.write(to: file, from: repository)
    #expect(report.written == 5 && report.notAllowed == 5)
    #expect(try String(contentsOf: file, encoding: .utf8).contains("Hum 8"))
  }

  /// Ten recordings, half of them for any use.
  private struct Shelf: PageFetcher {
    let catalogue: Catalogue = {
      var catalogue = Catalogue(id: "shelf", name: "Shelf")
      catalogue.defaultPageSize = 10
      catalogue.minimumInterval = .zero
      catalogue.fields = ["id"]
      catalogue.details = [
        .value(\.vernacularName, from: ["id"]) { "Hum \($0.id.value)" },
        .value(\.licence, from: ["id"]) { recording in
          RecordingDetails.Licence(
            creativeCommonsCode: (Int(recording.id.value) ?? 0) % 2 == 0 ? "by" : "by-nc",
            version: "4.0")
        },
      ]
      return catalogue
    }()

    func page(_ request: PageRequest) async throws(FetchError) -> RecordingPage {
      RecordingPage(
        number: 1,
        recordings: (0..<10).map {
          Recording(
            id: RecordingID(catalogue: catalogue.id, value: "\($0)"),
            fields: RecordingFields(["id": "\($0)"]))
        }, totals: RecordingPage.Totals(recordings: 10, pages: 1), next: nil)
    }
  }

  @Test func `an export that cannot be written leaves the file as it was, and says why`()
    async throws
  {
    try await fetch()
    defer { try? FileManager.default.removeItem(at: directory) }
    let file = directory.appending(path: "parrots.csv")
    try Data("before".utf8).write(to: file)
    var export = Export(.csv, of: Selection([query]))
    export.columns = ["nonsense"]
    let unknown = await #expect(throws: SelectionError.self) {
      try await export.write(to: file, from: repository)
    }
    #expect(
      unknown?.code == "unknown-column"
        && unknown?.localizedDescription == "Unknown column \"nonsense\".")
    let other = try #require(repository.catalogue(.sample)).query("dodo")
    await #expect(throws: SelectionError.notStored(other)) {
      try await Export(.csv, of: Selection([other])).write(to: file, from: repository)
    }
    let nowhere = directory.appending(path: "no/such.csv")
    let missing = await #expect(throws: ExportError.self) {
      try await Export(.csv, of: Selection([query])).write(to: nowhere, from: repository)
    }
    #expect(missing?.code == "write-failed")
    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await Export(.geojson, of: Selection([query])).write(to: file, from: repository)
    }
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    #expect(try Data(contentsOf: file) == Data("before".utf8))
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["parrots.csv"])
  }
}
