import Chirper
import ChirperFormats
import Foundation
import Testing

/// The values of the library as an app keeps, compares and makes them.
@Suite struct ValueTests {
  private func decoded<Value: Codable>(_ value: Value) throws -> Value {
    // In an array, because some are texts.
    try JSONDecoder().decode([Value].self, from: JSONEncoder().encode([value]))[0]
  }

  private func check<Value: Codable & Equatable>(
    _ value: Value, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(try decoded(value) == value, sourceLocation: sourceLocation)
  }

  @Test func `what an app keeps is the same after it was encoded`() throws {
    let catalogue = try #require(Catalogues.all.first { $0.id == .xenoCanto })
    for scientific in [false, true] {
      let query = try catalogue.query("turdus merula", scientific: scientific, pageSize: 50)
      let again = try decoded(query)
      #expect(
        again == query && again.requestText == query.requestText && again.typed == query.typed
          && again.alternatives == query.alternatives)
    }
    let words = try catalogue.query("turdus merula", pageSize: 50)
    #expect(!catalogue.isScientific(words) && words.alternatives.count == 1)
    #expect(try words.alternatives.allSatisfy { try catalogue.isScientific(decoded($0)) })
    #expect(try !catalogue.isScientific(catalogue.query("gen:turdus")))
    try check(RecordingID(catalogue: .sample, value: "sample:1"))
    #expect(
      try String(decoding: JSONEncoder().encode([CatalogueID.sample]), as: UTF8.self)
        == #"["sample"]"#)
    try check([SortKey(\.eventDate, descending: true), SortKey(.field("q"))])
    var selection = Selection([words], where: ["q:A type:song"])
    selection.part = .new(within: try #require(Age(rawValue: "7d")))
    selection.purposes = [.precise(metres: 500), .commercial]
    selection.copies = .leftOut
    selection.sort = [SortKey(\.mediaDuration, descending: true)]
    selection.limit = 20
    try check(selection)
    let recording = Recording(
      id: RecordingID(catalogue: .sample, value: "1"),
      fields: try RecordingFields(json: #"{"b":1.50,"a":"\u00e9"}"#))
    try check(recording)
    #expect(
      try decoded(recording).fields.names == ["b", "a"]
        && decoded(recording).fields.json.contains("1.50"))
    let nested = try RecordingFields(
      json: #"{"place":{"country":{"code":"PL"}},"list":[1],"text":"{}"}"#)
    #expect(nested["place"]?.object?["country"]?.object?["code"]?.text == "PL")
    #expect(nested["list"]?.object == nil && nested["text"]?.object == nil)
    #expect(throws: (any Error).self) {
      try JSONDecoder().decode([RecordingFields].self, from: Data(#"["[1]"]"#.utf8))
    }
  }

  @Test func `values are made for previews, and lists of them are shown`() throws {
    let preview = PreviewCatalogue(titles: ["Robin"])
    let query = try preview.catalogue.query("robin")
    let now = Date(timeIntervalSince1970: 1_790_000_000)
    let stored = StoredQuery(
      query: query, count: 1, pagesStored: 1, completeness: .complete, oldestFetchedAt: now,
      newestFetchedAt: now)
    #expect(stored.id == query && stored.records == 1)
    let recording = Recording(
      id: RecordingID(catalogue: query.catalogue, value: "Robin"),
      fields: RecordingFields(["id": "1"]))
    let found = RecordingRow(
      recording: recording, details: preview.catalogue.details(of: recording),
      audioPath: "/a/1.mp3", firstSeenAt: now)
    #expect(
      found.id == recording.id && found.isAudioDownloaded
        && found.audioFile == URL(filePath: "/a/1.mp3"))
    let snapshot = ListSnapshot.preview(.paging([recording], next: 2), of: query, total: 50)
    #expect(
      snapshot.stored?.next == 2 && snapshot.canLoadMore && !snapshot.isLoading
        && snapshot.rows.count == 1 && snapshot.totals?.recordings == 50)
    #expect(snapshot.completeness == .partial(pages: 1, of: 3) && snapshot.source != nil)
    let failed = ListSnapshot.preview(.error(.cancelled, cached: [recording]), of: query)
    #expect(failed.failure == .cancelled && failed.load == .failed(.cancelled) && failed.count == 1)
    let first = ListSnapshot.preview(.loading, of: query)
    #expect(first.isLoading && first.stored == nil && first.source == nil)
    #expect(ListSnapshot.preview(.populated([recording]), of: query).completeness == .complete)
    #expect(
      Set(Catalogues.all).count == Catalogues.all.count
        && Catalogues.all.map(\.id).contains(.sample))
  }

  @Test func `addresses are URLs and lengths are durations`() throws {
    var details = RecordingDetails()
    #expect(
      details.mediaDuration == nil && details.accessURI == nil && details.audioDuration == nil)
    details.mediaDuration = .milliseconds(95_500)
    details.pageURL = URL(string: "https://shelf.example/1?a=b#c")
    details.accessURI = URL(string: "https://shelf.example/1.mp3")
    details.sonogramURL = URL(string: "https://shelf.example/1.png")
    details.licence = RecordingDetails.Licence(creativeCommonsCode: "by", version: "4.0")
    #expect(
      details.mediaDuration == .milliseconds(95_500)
        && details.audioDuration == details.mediaDuration)
    #expect(details.pageURL?.absoluteString == "https://shelf.example/1?a=b#c")
    #expect(details.licence?.url == URL(string: "https://creativecommons.org/licenses/by/4.0/"))
    details.preview = .init(duration: .seconds(30))
    #expect(details.audioDuration == .seconds(30) && details.preview?.duration == .seconds(30))
    details.accessURI = nil
    #expect(details.accessURI == nil && details.sonogramURL?.pathExtension == "png")
    let standard = try #require(Catalogues.all.first { $0.id == .xenoCanto })
    #expect(standard.keyHelpURL?.scheme == "https" && standard.queryHelpURL?.scheme == "https")
  }
}
