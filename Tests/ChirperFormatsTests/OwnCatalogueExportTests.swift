import ChirperModel
import Foundation
import Testing

@testable import Chirper
@testable import ChirperFormats

/// Exports of a list whose catalogue is an app's own: its details come from the repository.
@Suite struct OwnCatalogueExportTests {
  /// A catalogue that chirper does not have, of one page.
  private struct Herbarium: PageFetcher {
    let catalogue: Catalogue = {
      var catalogue = Catalogue(id: "herbarium", name: "Herbarium of Sounds")
      catalogue.service = Catalogue.Service("https://herbarium.example")
      catalogue.notice = "Hums of plants."
      catalogue.defaultPageSize = 50
      catalogue.minimumInterval = .zero
      catalogue.fields = ["id", "bloom", "at"]
      catalogue.tableColumns = [.init("bloom", "Bloom")]
      catalogue.details = [
        .text(\.vernacularName, of: "bloom"),
        .value(\.coordinate, from: ["at"]) { recording in
          let degrees = recording.text("at")?.split(separator: ",").compactMap { Double($0) } ?? []
          return degrees.count == 2
            ? RecordingDetails.Coordinate(latitude: degrees[0], longitude: degrees[1]) : nil
        },
        .value(\.mediaDuration, from: []) { _ in .seconds(12.5) },
        .value(\.licence, from: []) { recording in
          RecordingDetails.Licence(
            creativeCommonsCode: recording.id.value == "1" ? "by" : "by-nc", version: "4.0")
        },
        .value(\.accessURI, from: []) { recording in
          URL(string: "https://herbarium.example/\(recording.id.value).wav")
        },
      ]
      return catalogue
    }()

    func page(_ request: PageRequest) async throws(FetchError) -> RecordingPage {
      let recordings = [("1", "Bee orchid", "51.5,-0.25"), ("2", "Foxglove", "48.5,9")].map {
        id, bloom, place in
        Recording(
          id: RecordingID(catalogue: catalogue.id, value: id),
          fields: RecordingFields(["id": id, "bloom": bloom, "at": place]))
      }
      return RecordingPage(
        number: 1, recordings: recordings, totals: RecordingPage.Totals(recordings: 2, pages: 1),
        next: nil)
    }
  }

  private func fetched() async throws -> (RecordingRepository, StoredQuery) {
    let herbarium = Herbarium()
    let repository = try RecordingRepository.inMemory(catalogues: [herbarium])
    let query = try herbarium.catalogue.query("hum")
    let report = await repository.fetch(query, FetchPlan(.all))
    return (repository, try #require(report.stored))
  }

  private func export(
    _ format: RecordFormat, isTidy: Bool = false, purposes: [Chirper.Selection.Purpose] = []
  ) async throws -> String {
    let (repository, stored) = try await fetched()
    var selection = Selection([stored.query])
    selection.purposes = purposes
    let list = try await repository.rows(of: selection)
    var options = WriteOptions(now: Date(timeIntervalSince1970: 1_790_000_000))
    options.columnSet = isTidy ? .tidy : .raw
    if isTidy { options.columns = "scientificName,vernacularName,decimalLatitude,license" }
    let memory = Memory()
    let summary = try list.write(format, options, to: memory)
    #expect(summary.written == list.count)
    return String(decoding: memory.written, as: UTF8.self)
  }

  @Test func `GeoJSON has its places and names`() async throws {
    let text = try await export(.geojson)
    #expect(
      text.contains("[-0.25,51.5]") && text.contains("Bee orchid") && text.contains("[9,48.5]"),
      "\(text)")
    #expect(text.contains(#""notice":"Hums of plants.""#), "\(text)")
  }

  @Test func `tidy columns are filled from its details`() async throws {
    let lines = try await export(.csv, isTidy: true).split(separator: "\r\n")
    #expect(
      lines.count == 3 && lines[0] == "scientificName,vernacularName,decimalLatitude,license",
      "\(lines)")
    #expect(
      lines[1].hasPrefix(",Bee orchid,51.5,") && lines[2].hasPrefix(",Foxglove,48.5,"), "\(lines)")
  }

  @Test func `credits name it, and a choice by licence knows its licences`() async throws {
    let text = try await export(.credits, purposes: [.commercial])
    #expect(
      text.contains("Herbarium of Sounds") && text.contains("Note: Hums of plants."), "\(text)")
    #expect(text.contains("CC BY 4.0") && !text.contains("CC BY-NC 4.0\n"), "\(text)")
  }

  // A deck has only what is kept.
  @Test(
    arguments: RecordFormat.exported.filter { !$0.isDatabase && !$0.holdsSounds }.map(\.name))
  func `every format that is not written to a file only is written`(_ name: String) async throws {
    let format = try #require(RecordFormat.exported.first { $0.name == name })
    #expect(try await !export(format).isEmpty)
  }

  @Test func `a search and the list of queries know its name, columns and notice`() async throws {
    let (repository, stored) = try await fetched()
    let list = try await repository.rows(of: Selection(where: ["text:glove"]))
    let memory = Memory()
    let now = stored.newestFetchedAt
    #expect(
      list.report.notes(.table, WriteOptions(now: now)) == [
        "1 of 2 recordings found; 1 complete list searched, the oldest page read just now",
        "Hums of plants.",
      ])
    try list.write(.table, WriteOptions(now: now), to: memory)
    #expect(
      String(decoding: memory.written, as: UTF8.self) == "Bloom\tLists\tAudio\nFoxglove\thum\t\n")
    #expect(
      stored.origin(in: repository.catalogue(stored.query.catalogue), now: now)
        == "2 recordings from Herbarium of Sounds, fetched just now, complete")
    let queries = Memory()
    try StoredQueryTable([stored], in: repository).write(
      .jsonl, WriteOptions(now: now), to: queries)
    let line = String(decoding: queries.written, as: UTF8.self)
    #expect(line.contains(#""notice":"Hums of plants.""#), "\(line)")
    // However narrow a terminal is, it shows what a list claims, and its age.
    var narrow = WriteOptions(now: now)
    narrow.terminalWidth = 40
    let table = Memory()
    try StoredQueryTable([stored], in: repository).write(.table, narrow, to: table)
    let shown = String(decoding: table.written, as: UTF8.self)
    #expect(shown.hasPrefix("query  completeness  fetched"), "\(shown)")
    #expect(shown.contains("hum    complete      just now"), "\(shown)")
  }
}
