import ChirperModel
import ChirperTestSupport
import Foundation
import Testing

@testable import Chirper
@testable import ChirperStore

/// A damaged search index changes no answer: it is left out, and a warning says so once.
@Suite(.serialized)
struct SearchIndexDamageTests {
  /// What is done to the file.
  struct IndexDamage: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// Whether every search meets it.
    var isAlwaysMet = true
    /// Whether SQLite can still read the tables, so that the next search writes the index again.
    var isReadable = true
    let damage: @Sendable (_ file: String) throws -> Void

    init(
      _ description: String, isAlwaysMet: Bool = true, isReadable: Bool = true,
      _ damage: @escaping @Sendable (_ file: String) throws -> Void
    ) {
      (testDescription, self.isAlwaysMet, self.isReadable) = (description, isAlwaysMet, isReadable)
      self.damage = damage
    }

    init(_ sql: String, isAlwaysMet: Bool = true) {
      self.init(sql, isAlwaysMet: isAlwaysMet) { try #require(RawDatabase.execute(sql, in: $0)) }
    }
  }

  private static let note =
    "The search index was damaged and was not used: everything that is stored was read instead.\n"
  private static let searches = [
    ["search", "robin", "--count"], ["search", "q:A month:5", "--count"],
    ["search", "nightingale", "--sort", "-date", "--limit", "5", "--format", "csv"],
    ["list", "thrushes", "--where", "robin type:song", "--format", "csv"],
    ["list", "thrushes", "--sort", "-date", "--limit", "7"],
    [
      "search", "robin, nightingale", "--sort", "vernacularName", "--limit", "5", "--format", "csv",
    ],
    ["list", "thrushes", "--sort", "-vernacularName", "--sort", "quality", "--limit", "7"],
  ]

  @Test(arguments: [
    IndexDamage("UPDATE search_segment SET first_key = first_key + 1"),
    IndexDamage("UPDATE search_segment SET last_key = last_key - 100"),
    IndexDamage("DELETE FROM search_block"),
    IndexDamage("DELETE FROM search_segment", isAlwaysMet: false),
    IndexDamage("DELETE FROM search_block WHERE rowid % 3 = 0", isAlwaysMet: false),
    IndexDamage(
      "DELETE FROM search_block WHERE name = (SELECT max(name) FROM search_block)",
      isAlwaysMet: false),
    IndexDamage(
      "DELETE FROM search_block WHERE length(name) = 2 AND substr(name, 1, 1) = x'00'",
      isAlwaysMet: false),
    IndexDamage("UPDATE search_block SET contents = zeroblob(length(contents))"),
    IndexDamage("UPDATE search_block SET contents = substr(contents, 1, length(contents) - 1)"),
    IndexDamage("UPDATE search_block SET checksum = checksum + 1"),
    IndexDamage(
      "UPDATE search_block SET name = x'7E' WHERE name = (SELECT max(name) FROM search_block)",
      isAlwaysMet: false),
    IndexDamage("UPDATE search_block SET next = x'' WHERE rowid % 2 = 0", isAlwaysMet: false),
    IndexDamage("a changed bit in the set of a word", isAlwaysMet: false) { file in
      var bytes = try Data(contentsOf: URL(filePath: file))
      // In a block: the count of the term's bytes, a letter, the word, and its rank (1: of a name).
      let term = try #require(bytes.firstRange(of: Data([13]) + Data("wnightingale\u{1}".utf8)))
      bytes[term.upperBound + 2] ^= 0x10
      try bytes.write(to: URL(filePath: file))
    },
    IndexDamage("an overwritten page of the tree", isReadable: false) { file in
      var bytes = try Data(contentsOf: URL(filePath: file))
      let root = try #require(
        RawDatabase(file).rows("SELECT rootpage FROM sqlite_schema WHERE name = 'search_block'")
          .first?[0].int)
      for index in Int(root - 1) * 4096..<Int(root) * 4096 { bytes[index] = 0xFF }
      try bytes.write(to: URL(filePath: file))
    },
  ])
  func `answers stay the same, the damage is reported once, and doctor finds and repairs it`(
    damage: IndexDamage
  ) throws {
    try withProgram { program in
      let file = StoreInspector(program).file
      try makeStore(StoreInspector(program).directory)
      let expected = try Self.searches.map { try program.run(BuiltProgram.path, $0, input: "") }
      for result in expected {
        #expect(result.status == 0 && !result.error.contains(Self.note), "\(result)")
      }
      #expect(expected[0].output == "1000\n" && expected[1].output == "500\n")
      try damage.damage(file)
      let damaged = try Data(contentsOf: URL(filePath: file))

      for (search, sound) in zip(Self.searches, expected) {
        try damaged.write(to: URL(filePath: file))
        let result = try program.run(BuiltProgram.path, search, input: "")
        #expect(result.status == 0 && result.output == sound.output, "\(search): \(result)")
        let notes = result.error.ranges(of: Self.note).count
        #expect(
          damage.isAlwaysMet || !damage.isReadable ? notes == 1 : notes <= 1, "\(search): \(result)"
        )
        let isSearch = search[0] == "search"
        if isSearch, damage.isReadable, notes == 1 {
          // The next search writes the index again.
          let again = try program.run(BuiltProgram.path, search, input: "")
          #expect(
            again.status == 0 && again.output == sound.output && !again.error.contains(Self.note),
            "\(search): \(again)")
          #expect(try program.run("doctor").status == 0)
        }
      }

      try damaged.write(to: URL(filePath: file))
      let json = try program.run("search", "robin", "--count", "--json")
      #expect(json.status == 0 && json.error.isEmpty, "\(json)")
      try damaged.write(to: URL(filePath: file))
      let doctor = try program.run("doctor")
      #expect(
        doctor.status == 65
          && (!damage.isReadable || doctor.output.contains("integrity    damaged\n")), "\(doctor)")
      #expect(doctor.error.contains("chirper doctor --repair"), "\(doctor)")
      let repair = try program.run("doctor", "--repair")
      #expect(repair.status == 0 && repair.output.contains("integrity    sound\n"), "\(repair)")
      let words =
        damage.isReadable
        ? "repair       the search index was written again\n" : "repair       kept 1 query, "
      #expect(repair.output.hasPrefix(words), "\(repair)")
      for (search, sound) in zip(Self.searches, expected) {
        let result = try program.run(BuiltProgram.path, search, input: "")
        #expect(
          result.output == sound.output && !result.error.contains(Self.note), "\(search): \(result)"
        )
      }
    }
  }

  @Test func `a repair writes a sound index again`() throws {
    try withProgram { program in
      try makeStore(StoreInspector(program).directory)
      let repair = try program.run("doctor", "--repair", "--json")
      #expect(repair.status == 0, "\(repair)")
      #expect(
        repair.output.contains(#""repair":null"#)
          && repair.output.contains(#""searchIndexWritten":true"#), "\(repair)")
      #expect(try program.run("search", "robin", "--count").output == "1000\n")
    }
  }

  /// A list of 2,000 recordings, and its index.
  private func makeStore(_ directory: URL) throws {
    let store = try RecordingStore.writable(in: directory)
    let query = try Catalogues.defaultCatalogue.query("thrushes")
    for number in 1...4 {
      let rows = try (1...500).map { row in
        let id = number * 500 + row
        let json = """
          {"id":"\(id)","en":"\(id % 2 == 0 ? "Robin" : "Nightingale")","q":"\(["A", "B"][id / 2 % 2])","type":"song",\
          "date":"2024-\(id % 4 == 0 ? "05" : "06")-\(id % 8 == 0 ? "17" : "18")","rmk":"number \(id)"}
          """
        return Recording(
          id: RecordingID(catalogue: .xenoCanto, value: "\(id)"),
          fields: try RecordingFields(json: json))
      }
      let page = RecordingPage(
        number: number, recordings: rows, totals: RecordingPage.Totals(recordings: 2000, pages: 4),
        next: number < 4 ? number + 1 : nil)
      _ = try store.store(
        page, of: query, startsWalk: number == 1, now: Date(timeIntervalSince1970: 1_780_000_000))
    }
    _ = try store.closeWalk(
      of: query, evenIfShifted: false, now: Date(timeIntervalSince1970: 1_780_000_000))
    let repository = RecordingRepository(store: store, dependencies: ManualClock().dependencies()) {
      _ in nil
    }
    try repository.writeSearchIndex()
    try store.queue.close()
  }
}
