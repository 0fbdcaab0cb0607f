import ChirperModel
import ChirperTestSupport
import Foundation
import Testing

@testable import Chirper
@testable import ChirperFormats

/// Decks for Anki, read by Python's `zipfile` and `sqlite3`. Anki's own importer reads one in
/// `Tests/Checks/test_deck.py`.
@Suite struct AnkiDeckTests {
  private static let start = Date(timeIntervalSince1970: 1_600_000_000.25)
  private let directory = FileManager.default.temporaryDirectory.appending(
    path: "chirper-\(UUID().uuidString)")
  private let repository: RecordingRepository

  init() throws { repository = try RecordingRepository(directory: directory) }

  private func removeStore() { try? FileManager.default.removeItem(at: directory) }

  private static func id(_ value: String) -> RecordingID {
    RecordingID(catalogue: .xenoCanto, value: value)
  }

  /// A recording as xeno-canto sends it, with some other fields.
  private static func record(
    _ id: String, licence: String = "by/4.0", _ others: [String: String] = [:]
  ) -> [String: String] {
    [
      "id": id, "en": "Eurasian Wren", "gen": "Troglodytes", "sp": "troglodytes",
      "type": "song, call", "loc": "Wood", "cnt": "Poland", "date": "2024-05-17",
      "rec": "A. Name", "url": "//xeno-canto.org/\(id)",
      "lic": "//creativecommons.org/licenses/\(licence)/",
    ].merging(others) { $1 }
  }

  /// Stores these records as a list, some time after the start, and keeps a sound of each.
  private func store(
    _ records: [[String: String]], after seconds: Double = 0, without silent: Set<String> = []
  ) throws -> CatalogueQuery {
    let query = try #require(repository.catalogue(.xenoCanto)).query("wren")
    let now = Self.start.addingTimeInterval(seconds)
    let recordings = records.map { fields in
      let members = fields.sorted { $0.key < $1.key }.map {
        "\(JSONText.quoted($0.key)):\(JSONText.quoted($0.value))"
      }
      return Recording(
        id: Self.id(fields["id"] ?? ""),
        fields: RecordingFields(canonical: "{\(members.joined(separator: ","))}"))
    }
    let page = RecordingPage(number: 1, recordings: recordings, totals: nil, next: nil)
    _ = try repository.store.store(page, of: query, startsWalk: true, now: now)
    _ = try repository.store.closeWalk(of: query, evenIfShifted: false, now: now)
    let folder = directory.appending(path: "audio/xeno-canto")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for id in recordings.map(\.id.value) where !silent.contains(id) {
      try Self.sound(id).write(to: folder.appending(path: "\(id).mp3"))
    }
    return query
  }

  private static func sound(_ id: String) -> Data { Data("ID3 and sound \(id)".utf8) }

  /// The content of a package: of each note its guid, time and fields, and files by their names.
  private struct Deck: Decodable {
    let deck: String
    let notes: [[String]]
    let files: [String: Data]
  }

  private static let script = #"""
    import base64, json, sqlite3, sys, zipfile
    with zipfile.ZipFile(sys.argv[1]) as file:
        assert file.testzip() is None
        names = json.loads(file.read("media"))
        assert sorted(file.namelist()) == sorted([*names, "media", "collection.anki2"])
        path = file.extract("collection.anki2", sys.argv[1] + ".content")
        files = {name: base64.b64encode(file.read(entry)).decode() for entry, name in names.items()}
    db = sqlite3.connect(path)
    assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    [(models, decks)] = db.execute("SELECT models, decks FROM col")
    [model], [deck] = json.loads(models).values(), json.loads(decks).values()
    notes = db.execute("SELECT id, guid, mod, mid, flds FROM notes ORDER BY id").fetchall()
    cards = db.execute("SELECT nid, did, due FROM cards ORDER BY id").fetchall()
    assert cards == [(note[0], deck["id"], due) for due, note in enumerate(notes, 1)]
    fields = [note[4].split("\x1f") for note in notes]
    assert all(note[3] == model["id"] for note in notes)
    assert all(len(one) == len(model["flds"]) for one in fields)
    print(json.dumps({
        "deck": deck["name"], "files": files,
        "notes": [[guid, str(mod), *one] for (_, guid, mod, _, _), one in zip(notes, fields)]}))
    """#

  private func deck(_ rows: Rows) throws -> (content: Deck, summary: ExportSummary) {
    let memory = Memory()
    let summary = try rows.write(.anki, WriteOptions(now: Self.start), to: memory)
    let program = try BuiltProgram()
    defer { program.remove() }
    let path = program.path("x.apkg")
    try Data(memory.written).write(to: URL(filePath: path))
    let result = try program.run("/usr/bin/env", ["python3", "-c", Self.script, path], input: "")
    #expect(result.status == 0, "\(result.error)")
    return (try JSONDecoder().decode(Deck.self, from: Data(result.output.utf8)), summary)
  }

  @Test
  func `a deck has the kept sounds that may be passed on, byte for byte, and counts the others`()
    throws
  {
    defer { removeStore() }
    let query = try store(
      [
        Self.record("1", licence: "by-nc-nd/4.0"), Self.record("2", ["lic": ""]),
        Self.record("3"), Self.record("4", ["date": "2024-00-00", "cnt": ""]),
      ], without: ["3"])
    let picture = Data("a picture".utf8)
    try repository.audio.keepSonogram(Array(picture), of: Self.id("4"))
    let rows = try repository.rows(of: Selection([query]))
    let (deck, summary) = try deck(rows)
    #expect(summary.written == 2 && summary.leftOut == 1 && summary.withoutAudio == 1)
    #expect(
      summary.soundLines(.anki) == ["1 row left out, whose audio is not on this machine"])
    let size = try rows.sizeOfDeck()
    #expect(size.cards == 2 && size.bytes == 2 * Self.sound("1").count + picture.count)
    #expect(deck.deck == "chirper::wren" && deck.notes.count == 2)
    let names = deck.notes.map { "chirper-\($0[0])" }
    #expect(
      deck.files == [
        "\(names[0]).mp3": Self.sound("1"), "\(names[1]).mp3": Self.sound("4"),
        "\(names[1]).png": picture,
      ])
    let licence = "https://creativecommons.org/licenses/by-nc-nd/4.0/"
    #expect(
      Array(deck.notes[0].dropFirst(2)) == [
        "[sound:\(names[0]).mp3]", "<bdi>Eurasian Wren</bdi>",
        "<bdi>Troglodytes troglodytes</bdi>", "<bdi>song, call</bdi>",
        "<bdi>Wood, Poland, 2024-05</bdi>", "",
        "<bdi>A. Name, XC1, CC BY-NC-ND 4.0</bdi> (<a href=\"\(licence)\">licence</a>), "
          + "<a href=\"https://xeno-canto.org/1\">page</a>",
      ])
    #expect(
      Array(deck.notes[1][6...7]) == ["<bdi>Wood, 2024</bdi>", "<img src=\"\(names[1]).png\">"])
  }

  @Test func `hostile text stays text in the fields of a deck`() throws {
    defer { removeStore() }
    let texts =
      Written.hostile + [
        "[sound:x.mp3]", "[latex]\\input{/etc/passwd}[/latex]", "a\u{1F}b", "{{Name}}", "[$]x[/$]",
      ]
    let fields = ["en", "gen", "sp", "type", "loc", "cnt", "rec", "rmk"]
    let query = try store(
      texts.enumerated().map { number, text in
        Self.record("\(number)", Dictionary(uniqueKeysWithValues: fields.map { ($0, text) }))
      })
    let notes = try deck(repository.rows(of: Selection([query]))).content.notes
    #expect(notes.count == texts.count)
    for (text, note) in zip(texts, notes) {
      for field in note.dropFirst(3) {
        #expect(!field.contains("["), "\(text): \(field)")
        let tags = field.split(separator: "<").dropFirst(field.hasPrefix("<") ? 0 : 1)
        for tag in tags {
          let isOwn = ["bdi>", "/bdi>", "a href=\"https://", "/a>"].contains { tag.hasPrefix($0) }
          #expect(isOwn, "\(text): \(tag)")
        }
      }
    }
  }

  @Test
  func `a note of a deck is later than before only if something on its card can have changed`()
    throws
  {
    defer { removeStore() }
    var records = ["1", "2", "3"].map { Self.record($0) }
    let query = try store(records)
    func notes(in shown: RecordingRepository? = nil) throws -> [[String]] {
      try deck((shown ?? repository).rows(of: Selection([query]))).content.notes
    }
    func later(_ before: [[String]], _ after: [[String]]) -> [Bool] {
      #expect(before.map { $0[0] } == after.map { $0[0] })
      return zip(before, after).map { (Int($0[1]) ?? 0) < (Int($1[1]) ?? 0) }
    }
    let first = try notes()
    #expect(try notes() == first)
    // Within the second in which it was stored.
    records[1]["en"] = "Winter Wren"
    _ = try store(records, after: 0.5)
    let second = try notes()
    #expect(later(first, second) == [false, true, false] && second[1][3].contains("Winter Wren"))
    try repository.audio.keepSonogram([1, 2, 3], of: Self.id("3"))
    let third = try notes()
    #expect(later(second, third) == [false, false, true])
    _ = try repository.addNames("de", from: "de.csv") { add in
      let species = try #require(Binomial("Troglodytes troglodytes"))
      try add(AddedName(species, language: "de", text: "Zaunkönig", position: 0))
    }
    let shown = try #require(try repository.showing(namesIn: "de"))
    let fourth = try notes(in: shown)
    #expect(later(third, fourth).prefix(2) == [true, true])
    #expect(fourth.allSatisfy { $0[3] == "<bdi>Zaunkönig</bdi>" }, "\(fourth)")
  }
}
