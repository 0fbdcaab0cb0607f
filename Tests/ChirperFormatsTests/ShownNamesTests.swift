import ChirperModel
import Foundation
import Testing

@testable import Chirper
@testable import ChirperFormats

/// Names in a language of the lists that the user added, where rows are shown and written.
@Suite struct ShownNamesTests {
  private let now = Date(timeIntervalSince1970: 1_790_000_000)
  private let repository: RecordingRepository
  private let query: CatalogueQuery

  init() throws {
    repository = try .inMemory()
    let rows = [
      ("1", "Sylvia", "communis", "Common Whitethroat"), ("2", "Curruca", "communis", ""),
      ("3", "Turdus", "merula", "Common Blackbird"), ("4", "Bufo", "bufo", ""),
      ("5", "Turdus", "pilaris", "Fieldfare"),
    ].map { id, genus, epithet, english in
      Recording(
        id: RecordingID(catalogue: .xenoCanto, value: id),
        fields: RecordingFields(
          canonical: #"{"id":"\#(id)","gen":"\#(genus)","sp":"\#(epithet)","en":"\#(english)"}"#))
    }
    query = try Catalogues.all[0].query("a")
    let page = RecordingPage(number: 1, recordings: rows, totals: nil, next: nil)
    _ = try repository.store.store(page, of: query, startsWalk: true, now: now)
    _ = try repository.store.closeWalk(of: query, evenIfShifted: false, now: now)
  }

  private func add(_ name: String, _ names: [(String, String, String)]) throws {
    _ = try repository.addNames(name, from: "a.csv") { add in
      for (position, name) in names.enumerated() {
        let species = try #require(Binomial(name.0))
        try add(AddedName(species, language: name.1, text: name.2, position: position))
      }
    }
  }

  private static let german = [
    ("Curruca communis", "de", "Dorngrasmücke"), ("Turdus merula", "de", "Amsel"),
    ("Turdus merula", "de", "Schwarzdrossel"), ("Bufo bufo", "de", "Erdkröte"),
  ]

  private func written(
    _ format: RecordFormat, columns: String? = nil, width: Int? = nil, ofList: Bool = false,
    of query: CatalogueQuery? = nil, in language: String? = "de"
  ) throws -> [String] {
    let shown = try language.map { try #require(try repository.showing(namesIn: $0)) } ?? repository
    let list = query ?? (ofList ? self.query : nil)
    let selection = try shown.rows(of: Selection(list.map { [$0] } ?? []))
    let memory = Memory()
    var options = WriteOptions(now: now)
    (options.columns, options.terminalWidth) = (columns, width)
    _ = try selection.write(format, options, to: memory)
    return String(decoding: memory.written, as: UTF8.self).split(whereSeparator: \.isNewline).map {
      $0.trimmingCharacters(in: .whitespacesAndNewlines)
    }
  }

  @Test func `a file has the language's names in the column of accepted names alone`() throws {
    try add("a", Self.german)
    let columns = "vernacularName,acceptedVernacularName,acceptedNameUsage"
    #expect(
      try written(.csv, columns: columns).dropFirst() == [
        "Common Whitethroat,Dorngrasmücke,Curruca communis",
        ",Dorngrasmücke,Curruca communis", "Common Blackbird,Amsel,Turdus merula",
        ",Erdkröte,", "Fieldfare,Fieldfare,Turdus pilaris",
      ])
    let before = try written(.csv, columns: columns, in: nil)
    #expect(before[1] == "Common Whitethroat,\(Self.whitethroat),Curruca communis")
    #expect(before[4] == ",,")
  }

  @Test func `a reader that is not prepared has the name of a species that its family decides`()
    throws
  {
    try add("a", [("Chloris chloris", "de", "Grünfink")])
    let row = Recording(
      id: RecordingID(catalogue: .xenoCanto, value: "6"),
      fields: RecordingFields(
        canonical: #"{"id":"6","gen":"Carduelis","sp":"chloris","en":"Common Green Finch"}"#))
    let page = RecordingPage(number: 1, recordings: [row], totals: nil, next: nil)
    let query = try Catalogues.all[0].query("b")
    _ = try repository.store.store(page, of: query, startsWalk: true, now: now)
    let shown = try #require(try repository.showing(namesIn: "de"))
    let rows = try ListReader(shown, [query]).rows(0..<1, with: [.details])
    #expect(rows.map(\.details.nameForPeople) == ["Grünfink"])
  }

  @Test func `a species that a copy decides is in every format with the column`() throws {
    let copy = Recording(
      id: RecordingID(catalogue: .gbif, value: "9-0a0b0c0d"),
      fields: RecordingFields(
        canonical: #"{"datasetKey":"b1047888-ae52-4179-9dd5-5448ea342a24","catalogNumber":"XC1","#
          + #""key":9,"species":"Sylvia communis","#
          + #""media":[{"type":"Sound","identifier":"https://x.example/9.mp3"}]}"#))
    let gbif = try #require(Catalogues.named(.gbif)).query("a")
    _ = try repository.store.store(
      RecordingPage(number: 1, recordings: [copy], totals: nil, next: nil), of: gbif,
      startsWalk: true, now: now)
    let rows = try written(.csv, columns: "acceptedNameUsage", of: gbif, in: nil)
    #expect(rows.dropFirst() == ["Curruca communis"])
    let json = try written(.geojson, of: gbif, in: nil).joined()
    #expect(json.contains(#""acceptedNameUsage":"Curruca communis""#), "\(json)")
  }

  private static var whitethroat: String {
    NameTable.species(named: "Curruca communis")?.englishName ?? ""
  }

  @Test(arguments: [false, true], [200, nil])
  func `a table has the language's names, else those of before`(ofList: Bool, width: Int?) throws {
    try add("a", Self.german)
    let lines = try written(.table, width: width, ofList: ofList)
    for (name, count) in [
      ("Dorngrasmücke", 2), ("Amsel", 1), ("Erdkröte", 1), ("Fieldfare", 1), ("Whitethroat", 0),
    ] {
      #expect(lines.count { $0.contains(name) } == count, "\(name): \(lines)")
    }
    #expect(
      try written(.table, width: 200, ofList: ofList, in: nil).contains {
        $0.contains("Common Blackbird")
      })
  }

  @Test func `a species has the first name of the list that was added last`() throws {
    try add("a", Self.german)
    try add("b", [("Turdus merula", "de", "Gartenamsel"), ("Turdus merula", "fr", "Merle noir")])
    let names = try written(.csv, columns: "acceptedVernacularName")
    #expect(names.contains("Gartenamsel") && names.contains("Dorngrasmücke"))
    #expect(try repository.nameLanguages() == ["de", "en", "fr"])
    for language in ["DE", "German", "deutsch", "de"] {
      #expect(try repository.showing(namesIn: language)?.shownNames?.language == "de")
    }
    #expect(try repository.showing(namesIn: "it") == nil)
  }

  @Test func `a list with older names is of the same species, by its English names`() throws {
    try add(
      "a",
      [("Sylvia communis", "de", "Dorngrasmücke"), ("Sylvia communis", "en", Self.whitethroat)])
    #expect(
      try written(.csv, columns: "acceptedVernacularName").dropFirst().prefix(2) == [
        "Dorngrasmücke", "Dorngrasmücke",
      ])
  }

  @Test func `counts of species have the language's names beside the scientific ones`() throws {
    try add("a", Self.german)
    let shown = try #require(try repository.showing(namesIn: "de"))
    let counts = try shown.search(.everything).counts(by: [.species])
    let people = counts.rows.map { counts.valuesForPeople(of: $0)[0].shown() }
    #expect(Set(people) == ["Dorngrasmücke", "Amsel", "Erdkröte", "Fieldfare"])
    #expect(Set(counts.rows.map { $0.values[0].shown() }).contains("Curruca communis"))
    let memory = Memory()
    try CountTable(counts, search: "", lists: [], offset: 0, limit: nil).write(
      .csv, WriteOptions(now: now), to: memory)
    memory.flush()
    let text = String(decoding: memory.written, as: UTF8.self)
    #expect(text.contains("acceptedVernacularName") && text.contains("Dorngrasmücke"), "\(text)")
    #expect(text.contains("Curruca communis"))
  }

  @Test(arguments: [false, true])
  func `species are counted under the English names that rows have`(isIndexed: Bool) throws {
    let frog = Recording(
      id: RecordingID(catalogue: .xenoCanto, value: "6"),
      fields: RecordingFields(
        canonical: #"{"id":"6","gen":"Rana","sp":"temporaria","en":"Common Frog"}"#))
    let page = RecordingPage(number: 1, recordings: [frog], totals: nil, next: nil)
    let query = try Catalogues.all[0].query("frog")
    _ = try repository.store.store(page, of: query, startsWalk: true, now: now)
    if isIndexed { try repository.writeSearchIndex(least: 1) }
    let counts = try repository.search(.everything).counts(by: [.species])
    let names = counts.rows.map { [counts.shownName(of: $0) ?? "", $0.values[0].shown()] }
    #expect(
      Set(names) == [
        [Self.whitethroat, "Curruca communis"], ["Common Blackbird", "Turdus merula"],
        ["", "Bufo bufo"], ["Fieldfare", "Turdus pilaris"], ["Common Frog", "Rana temporaria"],
      ])
    let memory = Memory()
    var options = WriteOptions(now: now)
    options.terminalWidth = 80
    try CountTable(counts, search: "", lists: [], offset: 0, limit: nil).write(
      .table, options, to: memory)
    let lines = String(decoding: memory.written, as: UTF8.self).split(whereSeparator: \.isNewline)
    #expect(lines.contains { $0.hasPrefix("Common Frog") && $0.contains("Rana temporaria") })
    #expect(lines.contains { $0.hasPrefix("Bufo bufo") && !$0.dropFirst(9).contains("Bufo") })
  }

  @Test(arguments: [false, true])
  func `rows are ordered by the names that people see`(isIndexed: Bool) throws {
    try add("a", Self.german)
    if isIndexed { try repository.writeSearchIndex(least: 1) }
    func order(_ language: String?, _ list: Bool, _ column: RecordingColumn) throws -> [String] {
      let shown = try language.flatMap { try repository.showing(namesIn: $0) } ?? repository
      var selection = Selection(list ? [query] : [])
      selection.sort = [SortKey(column)]
      return try shown.rows(of: selection).reader.rows(0..<5).map(\.id.value)
    }
    for column in [RecordingColumn.detail(.vernacularName), .field("en")] {
      for list in [false, true] {
        #expect(try order("de", list, column) == ["3", "1", "2", "4", "5"], "\(column) \(list)")
        // Of the second row only the list of birds has an English name.
        #expect(try order(nil, list, column) == ["3", "1", "2", "5", "4"], "\(column) \(list)")
      }
    }
  }
}
