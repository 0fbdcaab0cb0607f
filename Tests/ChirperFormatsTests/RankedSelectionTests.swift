import ChirperModel
import Foundation
import Testing

@testable import Chirper
@testable import ChirperFormats

/// Rows of which a name has the words come first, and a table says where else they are.
struct RankedSelectionTests {
  private let now = Date(timeIntervalSince1970: 1_790_000_000)
  private let repository: RecordingRepository

  /// The list `wren` has 1 to 6; a blackbird is in the background of 1, in the name of 3 and 6, in
  /// the place of 4, and in the remarks of 5.
  init() throws {
    repository = try .inMemory()
    let names = ["Great Tit", "Eurasian Wren", "Common Blackbird", "Robin", "Robin", "Blackbird"]
    // Of different species, none of them known, because a name finds all rows of its species.
    let epithets = ["unus", "duo", "tres", "quattuor", "quinque", "sex"]
    let rows = names.enumerated().map { index, name in
      let id = "\(index + 1)"
      var fields =
        #""id":"\#(id)","en":"\#(name)","gen":"Turdus","sp":"\#(epithets[index])","length":"0:\#(50 - index)""#
      switch id {
      case "1": fields += #","also":["Blackbird"]"#
      case "4": fields += #","loc":"Blackbird Hill""#
      case "5": fields += #","rmk":"no blackbird\nhere""#
      default: break
      }
      return Recording(
        id: RecordingID(catalogue: .xenoCanto, value: id),
        fields: RecordingFields(canonical: "{\(fields)}"))
    }
    let query = try Catalogues.all[0].query("wren")
    let page = RecordingPage(number: 1, recordings: rows, totals: nil, next: nil)
    _ = try repository.store.store(page, of: query, startsWalk: true, now: now)
    _ = try repository.store.closeWalk(of: query, evenIfShifted: false, now: now)
  }

  private func selection(
    _ search: String, _ sort: [String], ofList: Bool, offset: Int = 0, limit: Int? = nil
  ) throws -> Rows {
    let stored = try #require(try repository.stored(Catalogues.all[0].query("wren")))
    let keys = sort.map {
      SortKey(.field(String($0.drop { $0 == "-" })), descending: $0.hasPrefix("-"))
    }
    var selection = Selection(ofList ? [stored.query] : [], where: [search])
    selection.sort = keys
    selection.offset = offset
    selection.limit = limit
    return try repository.rows(of: selection)
  }

  private func written(_ selection: Rows, columns: String? = nil, width: Int? = nil) throws
    -> [String]
  {
    let memory = Memory()
    var options = WriteOptions(now: now)
    (options.columns, options.terminalWidth) = (columns, width)
    _ = try selection.write(width == nil ? .csv : .table, options, to: memory)
    let text = String(decoding: memory.written, as: UTF8.self)
    return text.split(whereSeparator: \.isNewline).dropFirst().map(String.init)
  }

  @Test(arguments: [false, true])
  func `rank puts names first, before further keys, in any window`(ofList: Bool) throws {
    func ids(_ search: String, _ sort: [String], offset: Int = 0, limit: Int? = nil) throws
      -> [String]
    {
      try written(
        selection(search, sort, ofList: ofList, offset: offset, limit: limit), columns: "id")
    }
    #expect(try ids("blackbird", []) == ["1", "3", "4", "5", "6"])
    #expect(try ids("blackbird", ["stored"]) == ["1", "3", "4", "5", "6"])
    #expect(try ids("blackbird", ["rank"]) == ["3", "6", "4", "1", "5"])
    #expect(try ids("blackbird", ["rank", "length"]) == ["6", "3", "4", "5", "1"])
    #expect(try ids("blackbird", ["Rank", "-length"], offset: 1, limit: 3) == ["6", "4", "1"])
    #expect(try ids("blackbird", ["rank"], offset: 2, limit: 2) == ["4", "1"])
    #expect(try ids("en:blackbird", ["rank"]) == ["3", "6"])
    #expect(try ids("robin blackbird", ["rank"]) == ["4", "5"])
    for (sort, problem) in [
      (["-rank"], "rank has one direction only"), (["-stored"], "stored has one direction only"),
      (["stored", "length"], "stored cannot be combined with other sort keys"),
      (["length", "rank"], "rank must be the first sort key"),
      (["rank", "stored"], "stored must be the first sort key"),
    ] {
      let error = #expect(throws: SelectionError.self) { try ids("blackbird", sort) }
      #expect(error?.presentation.problem == problem, "\(sort)")
    }
  }

  @Test(arguments: [false, true])
  func `a row says where the words are that no shown column has`(ofList: Bool) throws {
    func lines(_ search: String, _ columns: String? = nil, width: Int = 300) throws -> [String] {
      try written(
        selection(search, ["rank"], ofList: ofList, limit: 10), columns: columns, width: width
      ).map { $0.trimmingCharacters(in: .whitespaces) }
    }
    #expect(
      try lines("blackbird", "id,en") == [
        "3  Common Blackbird", "6  Blackbird", "4  Robin", "in place: Blackbird Hill",
        "1  Great Tit", "in background: Blackbird", "5  Robin", "in remarks: no blackbird here",
      ])
    #expect(try lines("blackbird", "id,en,loc,also,rmk").count == 5)
    // The place is left out of a narrow table.
    #expect(
      try lines("blackbird -tit").filter { $0.hasPrefix("in ") } == [
        "in remarks: no blackbird here"
      ])
    let narrow = try lines("blackbird -tit", width: 40)
    #expect(narrow.contains("in place: Blackbird Hill"), "\(narrow)")
    #expect(try lines("turdus wren").allSatisfy { !$0.hasPrefix("in ") })
    // A narrow table shows the names that most rows are found by.
    let named = try lines("turdus", width: 40)
    #expect(named.count == 6 && named.allSatisfy { $0.contains("Turdus") }, "\(named)")
    #expect(try lines("turdus", "id,en", width: 40).contains("in scientific name: Turdus unus"))
  }
}
