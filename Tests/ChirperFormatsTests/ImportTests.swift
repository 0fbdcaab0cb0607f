import ChirperModel
import ChirperTestSupport
import ChirperTesting
import Foundation
import Testing

@testable import Chirper
@testable import ChirperFormats

/// Lists that are imported, and what an import does to recordings that are stored.
@Suite struct ImportTests {
  private let repository: RecordingRepository
  private let program: BuiltProgram
  private let server: ScriptedServer

  init() throws {
    program = try BuiltProgram()
    let server = try ScriptedServer { _ in
      let record = """
        {"key":1,"countryCode":"PL","country":"Polska","species":"Turdus merula","recordedBy":"Ann",
        "extensions":{"http://rs.tdwg.org/ac/terms/Multimedia":[{"http://purl.org/dc/elements/1.1/type":"Sound",
        "http://ns.adobe.com/xap/1.0/Rating":"5"}]},"datasetKey":"b1047888-ae52-4179-9dd5-5448ea342a24","lastCrawled":"now",
        "media":[{"type":"Sound","identifier":"https://xeno-canto.org/sounds/XC1-a.mp3"}]}
        """
      return .json(
        200,
        #"{"offset":0,"limit":300,"endOfRecords":true,"count":1,"results":[\#(record)]}"#)
    }
    self.server = server
    repository = try .inMemory(
      configuration: RemoteConfiguration(baseURLs: [.gbif: server.url]),
      dependencies: ManualClock().dependencies())
  }

  @discardableResult
  private func imported(
    _ download: GBIFDownload, as name: String = GBIFDownload.doi
  ) async throws -> ImportReport {
    let folder = program.path("download")
    try? FileManager.default.removeItem(atPath: folder)
    try download.write(to: folder)
    let source = try ImportFile.source(folder, catalogues: repository.catalogues)
    return try await repository.importRows(of: source, named: name)
  }

  private func rows(_ query: CatalogueQuery) throws -> [Recording] {
    try repository.rows(of: query, in: 0..<10_000)
  }

  @Test func `an archive is a list with its own claim, and a row for each sound`() async throws {
    defer { program.remove() }
    var download = GBIFDownload([
      .init(1), .init(2, sounds: ["b.mp3", "c.mp3"]), .init(3, sounds: []),
    ])
    download.lines = ["4\tPL\tx\ty\tz\tw\ttoo many", "x\tPL"]
    let report = try await imported(download)
    let list = try #require(report.lists.first)
    #expect(report.lists.count == 1 && list.new == 3 && list.changed == 0 && list.gone == 0)
    let stored = try #require(list.stored)
    #expect(stored.completeness.word == "shifted" && stored.count == 3 && stored.next == nil)
    let claim = try #require(stored.imported)
    #expect(claim.doi == GBIFDownload.doi && claim.madeOn == "2026-11-20")
    #expect((claim.rows, claim.silent, claim.unreadable) == (5, 2, 2))
    #expect(claim.unread.map(\.line) == [5, 6])
    #expect(try repository.importTexts(of: list.query).citations?.contains("GBIF.org") == true)
    let ids = try rows(list.query).map(\.id.value)
    #expect(ids.map { $0.prefix(2) } == ["1-", "2-", "2-"] && Set(ids).count == 3)
    let details = try repository.details(of: rows(list.query)[0])
    #expect(details.country == "Poland" && details.seconds == 9)
    #expect(details.licence?.name == "CC BY 4.0")
  }

  @Test func `pages are those of a fetch, whatever their number`() async throws {
    defer { program.remove() }
    for count in [1, 499, 500, 501] {
      let report = try await imported(
        GBIFDownload((1...count).map { .init($0) }), as: "n\(count)")
      #expect(report.lists[0].stored?.count == count)
      #expect(report.lists[0].stored?.pagesStored == (count + 499) / 500)
    }
  }

  @Test(arguments: [[500: 2], [499: 3], [499: 200, 500: 2], [500: 2, 999: 3, 1001: 1]])
  func `the sounds of a record are on one page, so the list is whole`(
    _ sounds: [Int: Int]
  ) async throws {
    defer { program.remove() }
    var download = GBIFDownload(
      (1...(sounds.keys.max() ?? 0)).map { key in
        .init(key, sounds: (0..<sounds[key, default: 1]).map { "XC\(key)-\($0).mp3" })
      })
    for count in [download.records.map(\.sounds.count).reduce(0, +), 0] {
      let list = try await imported(download).lists[0]
      #expect(list.stored?.completeness == .imported && list.changed == 0)
      if count > 0 { #expect(list.new == count && list.stored?.count == count) }
      // The next file lacks the last record.
      if count == 0 { #expect(list.gone == sounds[download.records.count + 1]) }
      download.records.removeLast()
    }
  }

  @Test func `the next archive shows what is new, changed and gone`() async throws {
    defer { program.remove() }
    var download = GBIFDownload((1...20).map { .init($0) })
    try await imported(download)
    download.records[4].values["recordedBy"] = "Zoe"
    download.records.remove(at: 0)
    download.records.append(.init(21))
    let list = try await imported(download).lists[0]
    #expect((list.new, list.changed, list.gone) == (1, 1, 1))
    // Also if it is far smaller than the one before: it was read to its end.
    download.records = [.init(7)]
    let small = try await imported(download).lists[0]
    #expect(small.gone == 19 && small.stored?.completeness == .imported)
    let again = try await imported(download).lists[0]
    #expect((again.new, again.changed, again.gone) == (0, 0, 0))
  }

  @Test func `a record that one file lacks and the next one has is found again`() async throws {
    defer { program.remove() }
    var download = GBIFDownload((1...4).map { .init($0) })
    try await imported(download)
    let record = download.records.removeFirst()
    #expect(try await imported(download).lists[0].gone == 1)
    download.records += [record, .init(5)]
    let report = try await imported(download)
    #expect(report.lists[0].new == 2 && report.lists[0].foundAgain == 1)
    let line = try #require(report.lines(in: repository).first)
    #expect(line.hasSuffix(", 2 new (1 found again), 0 changed, 0 gone"), "\(line)")
    let object = report.object("x.zip", in: repository).text
    #expect(object.contains(#""new":2,"foundAgain":1,"changed":0,"gone":0"#), "\(object)")
  }

  @Test func `an import that leaves its index to the next search says so`() async throws {
    defer { program.remove() }
    var report = try await imported(GBIFDownload((1...4).map { .init($0) }))
    #expect(report.lines(in: repository).count == 1)
    report.unindexed = 200_600
    #expect(
      report.lines(in: repository).last
        == "the next search prepares the index of 200600 recordings first")
  }

  @Test func `what a row that cannot be read may be is not gone`() async throws {
    defer { program.remove() }
    var download = GBIFDownload((1...20).map { .init($0) })
    try await imported(download)
    download.records.removeFirst(2)
    download.lines = ["1\tPL\tx\ty\tz\tw\ttoo many"]
    let part = try await imported(download).lists[0]
    #expect(part.gone == 0 && part.stored?.count == 20)
    #expect(part.stored?.completeness == .shifted(rows: 20, total: nil))
    // Which of the two rows is the one with that key is not known.
    download.lines = ["3\tPL\tx\ty\tz\tw"]
    let twice = try await imported(download).lists[0]
    #expect(twice.gone == 0 && twice.stored?.count == 20)
    download.lines = []
    let whole = try await imported(download).lists[0]
    #expect(whole.gone == 2 && whole.stored?.completeness == .imported)
  }

  @Test func `a record that was fetched stays, and nothing changes`() async throws {
    defer { program.remove() }
    let query = try repository.query("cnt:poland", in: .gbif)
    _ = await repository.fetch(query, FetchPlan(.all))
    let before = try rows(query)
    #expect(repository.details(of: before[0]).quality == .a)
    var download = GBIFDownload([.init(1), .init(2)])
    download.records[0].values["recordedBy"] = "Zoe"
    let list = try await imported(download).lists[0]
    #expect(list.new == 2 && list.changed == 0)
    #expect(try rows(query) == before && rows(list.query)[0] == before[0])
    #expect(await repository.fetch(query, FetchPlan(.all)).changed == 0)
  }

  @Test
  func `a fetch takes the place of what was imported, and is a change only if it contradicts`()
    async throws
  {
    defer { program.remove() }
    let query = try repository.query("cnt:poland", in: .gbif)
    for (recordist, changed) in [("Ann", 0), ("Zoe", 1)] {
      var download = GBIFDownload([.init(1)])
      download.records[0].values["recordedBy"] = recordist
      let list = try await imported(download, as: recordist).lists[0]
      #expect(await repository.fetch(query, FetchPlan(.all)).failure == nil)
      let row = try rows(list.query)[0]
      #expect(try repository.earlierVersions(of: row.id).count == changed)
      #expect(row["lastCrawled"]?.text == "now")
      for stored in try await repository.storedQueries() {
        _ = try await repository.forget(stored.query)
      }
    }
  }

  @Test func `a record in a different form is a change only if it contradicts`() async throws {
    defer { program.remove() }
    let files = try ImportedFiles()
    let tidy = [("1", ""), ("2", #","recordedBy":"Zoe""#)].map { id, more in
      #"{"id":"\#(id)","catalogue":"xeno-canto","scientificName":"Turdus merula"\#(more)}"# + "\n"
    }
    let sent = ["1", "2"].map {
      #"{"id":"\#($0)","gen":"Turdus","sp":"merula","rec":"Ann"}"# + "\n"
    }
    _ = try await files.file(Array(tidy.joined().utf8))
    let report = try await files.file(
      Array(sent.joined().utf8), sender: files.repository.catalogue(.xenoCanto))
    #expect(report.lists[0].changed == 1)
    #expect(try files.details(report).map(\.recordedBy) == ["Ann", "Ann"])
    // What a service sent has more than its details, so it is kept as what the recording was.
    var details = try files.details(report)[0]
    details.locality = "Wood"
    let cells = DetailColumn.allCases.compactMap { column in
      column.value(of: details).text().map { "\(column.rawValue.json):\($0.json)" }
    }
    let added = #"{"id":"1","catalogue":"xeno-canto",\#(cells.joined(separator: ","))}"#
    #expect(try await files.file(Array(added.utf8)).lists[0].changed == 1)
  }

  @Test func `a different value takes the place of all that goes with it, and of nothing else`()
    async throws
  {
    let files = try ImportedFiles()
    func details(_ cells: String) async throws -> RecordingDetails {
      let heading =
        "id,catalogue,scientificName,infraspecificEpithet,vernacularName,family,country,countryCode,"
        + "eventDate,eventTime,license,licenseName,locality,decimalLatitude,decimalLongitude,"
        + "coordinateUncertaintyInMeters\n1,xeno-canto,"
      return try files.details(try await files.file(Array("\(heading)\(cells)\n".utf8)))[0]
    }
    let earlier = try await details(
      "Turdus merula merula,merula,Blackbird,Turdidae,Poland,PL,2019-05-12,06:30,"
        + "https://creativecommons.org/licenses/by/4.0/,CC BY 4.0,Wood,52.1,21.2,10")
    let same = try await details("Turdus merula merula,,,,,PL,2019-05-12,,,CC BY 4.0,,52.1,21.2,")
    #expect(same == earlier)
    let newer = try await details("Turdus iliacus,,,,,DE,2020-05,,,All rights reserved,,52,21,")
    #expect(newer.scientificName == "Turdus iliacus" && newer.infraspecificEpithet == nil)
    #expect(newer.vernacularName == nil && newer.family == nil)
    #expect(newer.country == nil && newer.countryCode == "DE")
    #expect(newer.eventDate?.description == "2020-05" && newer.eventTime == nil)
    #expect(newer.licence?.name == "All rights reserved" && newer.licence?.address == nil)
    #expect(newer.coordinate?.latitude == 52 && newer.coordinateUncertaintyInMeters == nil)
    #expect(newer.locality == "Wood")
  }

  @Test func `an archive keeps what a newer one of the same names does not have`() async throws {
    let files = try ImportedFiles()
    func details(_ cells: [String: String]) async throws -> RecordingDetails {
      var museum = MuseumArchive()
      museum.coreTerms = ["scientificName", "family", "eventDate", "behavior", "recordedBy"]
      museum.add("M1", cells)
      return try files.details(try await files.folder(museum.files))[0]
    }
    _ = try await details(["family": "Turdidae", "eventDate": "2019-05-12", "behavior": "song"])
    let newer = try await details(["recordedBy": "Zoe"])
    #expect(newer.family == "Turdidae" && newer.eventDate?.description == "2019-05-12")
    #expect(newer.behavior == ["song"] && newer.recordedBy == "Zoe")
    let other = try await details(["scientificName": "Parus major"])
    #expect(other.family == nil && other.behavior == ["song"])
  }

  @Test func `details of the same record in a different form are no change`() async throws {
    let files = try ImportedFiles()
    var museum = MuseumArchive()
    museum.add("M1", ["scientificName": "Turdus merula merula"])
    let stored = try await files.folder(museum.files)
    let before = try files.recordings(stored)
    let id = before[0].id
    let tidy =
      #"{"id":"\#(id.value)","catalogue":"\#(id.catalogue)","scientificName":"Turdus merula merula","#
      + #""acceptedNameUsage":"Turdus merula"}"#
    let report = try await files.file(Array(tidy.utf8))
    #expect(report.lists[0].changed == 0)
    #expect(try files.recordings(report) == before)
  }

  @Test func `a sent record takes the place of equal details, and is not a change`() async throws {
    let files = try ImportedFiles()
    let sent = #"{"id":"1","gen":"Turdus","sp":"merula","rec":"Ann","mic":"x"}"#
    let xenoCanto = files.repository.catalogue(.xenoCanto)
    let tidy =
      #"{"id":"1","catalogue":"xeno-canto","scientificName":"Turdus merula","genus":"Turdus","#
      + #""specificEpithet":"merula","recordedBy":"Ann","catalogNumber":"XC1"}"#
    let before = try files.recordings(try await files.file(Array(tidy.utf8)))
    #expect(before[0]["mic"] == nil)
    let report = try await files.file(Array(sent.utf8), sender: xenoCanto)
    let record = try files.recordings(report)
    #expect(report.lists[0].changed == 0 && record[0]["mic"]?.text == "x")
    // The same details again do not take the place of a record that has more.
    #expect(try await files.file(Array(tidy.utf8)).lists[0].changed == 0)
    #expect(try files.recordings(report) == record)
  }

  @Test func `an import empties no detail`() async throws {
    defer { program.remove() }
    var download = GBIFDownload([.init(1)])
    download.records[0].values["locality"] = "Wood"
    try await imported(download)
    download.records[0].values["locality"] = nil
    download.records[0].values["recordedBy"] = "Zoe"
    let list = try await imported(download).lists[0]
    let details = try repository.details(of: rows(list.query)[0])
    #expect(list.changed == 1 && details.locality == "Wood" && details.recordedBy == "Zoe")
  }
}
