import ChirperModel
import Foundation
import Testing

@testable import Chirper
@testable import ChirperFormats

/// Selections over lists of several catalogues, some of whose recordings are copies.
struct SelectionTests {
  private let now = Date(timeIntervalSince1970: 1_790_000_000)
  private let repository: RecordingRepository

  /// `wren` of xeno-canto has 1 (no changed versions), 2 and 3; `wren` of GBIF has copies of 1, of
  /// 2, and two of 9; `wren song` has 3 and 2.
  init() throws {
    repository = try .inMemory()
    func sound(_ id: Int, _ licence: String) -> Recording {
      Recording(
        id: RecordingID(catalogue: .xenoCanto, value: "\(id)"),
        fields: RecordingFields([
          "id": "\(id)", "en": "Eurasian Wren", "length": "0:30", "lat": "1", "lon": "2",
          "lic": "//creativecommons.org/licenses/\(licence)/4.0/",
        ]))
    }
    func copy(_ key: Int, of number: Int) -> Recording {
      Recording(
        id: RecordingID(catalogue: .gbif, value: "\(key)-0a"),
        fields: RecordingFields(
          canonical:
            #"{"datasetKey":"b1047888-ae52-4179-9dd5-5448ea342a24","catalogNumber":"XC\#(number)","key":\#(key),"month":7,"decimalLatitude":1,"decimalLongitude":2,"#
            + #""media":[{"type":"Sound","identifier":"https://x.example/\#(key).mp3","#
            + #""license":"http://creativecommons.org/licenses/by/4.0/"}]}"#))
    }
    try store("wren", .xenoCanto, [sound(1, "by-nd"), sound(2, "by"), sound(3, "by-sa")])
    try store("wren", .gbif, [copy(21, of: 1), copy(22, of: 2), copy(23, of: 9), copy(24, of: 9)])
    try store("wren song", .xenoCanto, [sound(3, "by-sa"), sound(2, "by")])
  }

  private func store(_ text: String, _ id: CatalogueID, _ rows: [Recording]) throws {
    let query = try #require(repository.catalogue(id)).query(text)
    let page = RecordingPage(number: 1, recordings: rows, totals: nil, next: nil)
    _ = try repository.store.store(page, of: query, startsWalk: true, now: now)
    _ = try repository.store.closeWalk(of: query, evenIfShifted: false, now: now)
  }

  private func lists(_ names: (CatalogueID, String)...) throws -> [StoredQuery] {
    try names.map { id, text in
      let query = try #require(repository.catalogue(id)).query(text)
      return try #require(try repository.stored(query))
    }
  }

  /// The rows of those lists, or of everything stored, with further choices.
  private func rows(
    of lists: [StoredQuery], _ choose: (inout Chirper.Selection) -> Void = { _ in }
  ) throws -> Rows {
    var selection = Selection(lists.map(\.query))
    choose(&selection)
    return try repository.rows(of: selection)
  }

  private func written(
    _ selection: Rows, _ format: RecordFormat = .csv, columns: String? = "id"
  ) throws -> String {
    let memory = Memory()
    var options = WriteOptions(now: now)
    options.columns = columns
    let summary = try selection.write(format, options, to: memory)
    #expect(summary.written + summary.leftOut == selection.count)
    return String(decoding: memory.written, as: UTF8.self)
  }

  private func ids(_ selection: Rows) throws -> [String] {
    try written(selection).split(separator: "\r\n").dropFirst().map(String.init)
  }

  @Test func `each recording of several lists is one row, in the order of the lists`() throws {
    let songs = try lists((.xenoCanto, "wren song"), (.xenoCanto, "wren"))
    #expect(try ids(rows(of: songs)) == ["3", "2", "1"])
    let second = try rows(of: songs) {
      $0.offset = 1
      $0.limit = 1
    }
    #expect(try ids(second) == ["2"])
    #expect(try ids(rows(of: songs) { $0.sort = [SortKey(.field("id"))] }) == ["1", "2", "3"])
    let all = try lists((.gbif, "wren"), (.xenoCanto, "wren"), (.xenoCanto, "wren song"))
    #expect(
      try ids(rows(of: all) { $0.searches = ["lic:BY"] }) == [
        "21-0a", "22-0a", "23-0a", "24-0a", "2",
      ])
  }

  @Test(arguments: [true, false])
  func `copies are left out after the choice by licence, of lists and of everything stored`(
    isOfLists: Bool
  ) throws {
    let named = isOfLists ? try lists((.xenoCanto, "wren"), (.gbif, "wren")) : []
    #expect(
      Set(try ids(rows(of: named) { $0.copies = .leftOut })) == [
        "1", "2", "3", "23-0a", "24-0a",
      ])
    let usable = try rows(of: named) {
      $0.copies = .leftOut
      $0.purposes = [.derivatives]
    }
    // The copy of 1 is all there is that may be used of it.
    #expect(Set(try ids(usable)) == ["2", "3", "21-0a", "23-0a", "24-0a"])
    #expect(
      usable.leftOutByPurpose == 1
        && usable.purposes.lines.first?.hasPrefix("1 row left out") == true)
    let found: [CatalogueID: Int]? = isOfLists ? nil : [.xenoCanto: 2, .gbif: 3]
    #expect(usable.results?.matchedByCatalogue == found)
    // No copy is counted as a row that stays.
    let places = try rows(of: named) {
      $0.copies = .leftOut
      $0.purposes = [.precise(metres: 500)]
    }
    #expect(places.count == 5 && places.purposes.unknownUncertainties == 5)
  }

  @Test func `a raw field does not hide a detail of its name`() throws {
    let birds = try rows(of: lists((.gbif, "wren"))) { $0.limit = 1 }
    #expect(
      try written(birds, columns: "month,raw.month,catalogNumber")
        == "month,raw.month,catalogNumber\r\n,7,XC1\r\n")
    #expect(try written(birds, .jsonl, columns: "raw.key") == "{\"key\":21}\n")
  }

  @Test func `a file names each list, and each row its own catalogue`() throws {
    let all = try rows(of: lists((.xenoCanto, "wren song"), (.gbif, "wren")))
    let credits = try written(all, .credits, columns: nil)
    #expect(
      credits.hasPrefix("Sound recordings: wren song and wren, from xeno-canto and GBIF\n"),
      "\(credits)")
    #expect(
      credits.contains(
        "\nList: wren song, sent as en:\"wren song\"; Catalogue: xeno-canto (https://xeno-canto.org); "
      ))
    #expect(
      credits.contains("\nList: wren; Catalogue: GBIF (https://api.gbif.org); ")
        || credits.contains("\nList: wren, sent as "))
    let references = try written(all, .credits(.bibtex), columns: nil)
    #expect(
      references.contains("Sound recording, xeno-canto, XC3")
        && references.contains("Sound recording, GBIF, XC9"))
    let package = try written(all, .geojson, columns: nil)
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(package.utf8)) as? [String: Any])
    let provenance = try #require(object["provenance"] as? [String: Any])
    #expect(
      (provenance["lists"] as? [[String: Any]])?.map { $0["source"] as? String } == [
        "xeno-canto", "gbif",
      ])
  }

  @Test func `a terminal shows the old and the new value, and then of which recording`() throws {
    let query = try #require(repository.catalogue(.xenoCanto)).query("owl")
    for (day, name) in ["The first of two long names", "The other of two long names"].enumerated() {
      let owl = Recording(
        id: RecordingID(catalogue: .xenoCanto, value: "7"),
        fields: RecordingFields(["id": "7", "en": "Eurasian Eagle-Owl", "rec": name]))
      let page = RecordingPage(number: 1, recordings: [owl], totals: nil, next: nil)
      _ = try repository.store.store(
        page, of: query, startsWalk: true, now: now + Double(day) * 86_400)
    }
    let changed = try repository.rows(of: Selection(where: ["changed:any"]))
    let table = ChangeTable(
      try changed.reader.changes(), search: "", news: [:], lists: [], since: now, in: repository)
    func headings(_ width: Int) throws -> [Substring] {
      let memory = Memory()
      var options = WriteOptions(now: now)
      options.terminalWidth = width
      try table.write(.table, options, to: memory)
      let text = String(decoding: memory.written, as: UTF8.self)
      return text.prefix { $0 != "\n" }.split(separator: " ")
    }
    #expect(try headings(80) == ["ID", "Detail", "Old", "New", "Source"])
    #expect(try headings(40) == ["ID", "Detail", "Old", "New"])
  }
}
