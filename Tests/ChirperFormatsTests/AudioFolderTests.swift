import ChirperModel
import Foundation
import Testing

@testable import Chirper
@testable import ChirperFormats

/// The names of files to take along.
struct AudioFolderTests {
  private let repository: RecordingRepository

  init() throws { repository = try .inMemory() }

  /// The names of recordings of xeno-canto with these fields, in their order.
  private func names(_ rows: [(id: String, fields: [String: String])]) throws -> [String] {
    let recordings = rows.map { id, fields in
      let fields = fields.sorted { $0.key < $1.key }.map {
        ($0.key, RecordingFields.Value(json: JSONText.quoted($0.value)))
      }
      return Recording(
        id: RecordingID(catalogue: .xenoCanto, value: id),
        fields: RecordingFields(
          canonical:
            "{\(fields.map { "\(JSONText.quoted($0)):\($1.json)" }.joined(separator: ","))}"))
    }
    return try names(of: recordings, in: .xenoCanto)
  }

  private func names(of recordings: [Recording], in catalogue: CatalogueID) throws -> [String] {
    let query = try #require(repository.catalogue(catalogue)).query("wren")
    let now = Date(timeIntervalSince1970: 1_790_000_000)
    _ = try repository.store.store(
      RecordingPage(number: 1, recordings: recordings, totals: nil, next: nil), of: query,
      startsWalk: true, now: now)
    let stored = try #require(try repository.stored(query))
    let folder = try AudioFolder(repository.rows(of: Selection([stored.query])))
    return try folder.selection.rows(0..<recordings.count).map { folder.name(of: $0, kind: "mp3") }
  }

  private static let wren = [
    "id": "123456", "en": "Eurasian Wren", "type": "song", "rec": "A. Name",
  ]

  @Test func `a name says what is heard, under which number, and who recorded it`() throws {
    #expect(
      try names([
        ("123456", Self.wren), ("7", ["id": "7", "gen": "Troglodytes", "sp": "troglodytes"]),
      ])
        == ["Eurasian Wren - song - XC123456 - A. Name.mp3", "Troglodytes troglodytes - XC7.mp3"])
  }

  @Test func `one of several sounds of a record has its id in its name, whatever is chosen`() throws
  {
    let catalogue = try #require(repository.catalogue(.iNaturalist))
    let rows = [(7, [1, 2]), (8, [3])].compactMap { number, sounds in
      let sounds = sounds.map { #"{"file_url":"https://s.example/\#($0).wav","id":\#($0)}"# }
      let fields =
        #"{"id":\#(number),"sounds":[\#(sounds.joined(separator: ","))],"#
        + #""taxon":{"name":"Sylvia curruca"},"user":{"login":"a"}}"#
      return catalogue.recordings?(RecordingFields(canonical: fields)).rows.last
    }
    #expect(
      try names(of: rows, in: .iNaturalist) == [
        "Sylvia curruca - 7 - a - inaturalist 7-2.mp3", "Sylvia curruca - 8 - a.mp3",
      ])
  }

  @Test(
    arguments: [
      ("../../etc/passwd", "_.._etc_passwd"), ("a/b\\c:d*e?f\"g<h>i|j", "a_b_c_d_e_f'g_h_i_j"),
      (" . wren. . ", "wren"),
      ("-rf", "rf"), ("#EXTM3U 50%", "_EXTM3U 50_"), ("one\ntwo\u{202E}\u{0}", "one two"),
      ("e\u{301}", "é"),
      ("aux.h", "_aux.h"), ("COM1 .x", "_COM1 .x"), ("LPT³.x", "_LPT³.x"), ("Console", "Console"),
      ("...", nil),
      (String(repeating: "ö", count: 100), String(repeating: "ö", count: 40)),
      (
        String(repeating: "\u{1F426}\u{200D}\u{2B1B}", count: 50),
        String(repeating: "\u{1F426}\u{200D}\u{2B1B}", count: 8)
      ),
    ] as [(String, String?)])
  func `a name is one that FAT takes`(name: String, written: String?) throws {
    #expect(
      try names([("1", ["id": "1", "en": name])]) == [
        [written, "XC1"].compactMap(\.self).joined(separator: " - ") + ".mp3"
      ])
  }

  @Test
  func
    `names that differ in case, or not at all, become different names of a length that file systems take`()
    throws
  {
    var (other, long) = (Self.wren, Self.wren)
    other["en"] = "EURASIAN wren"
    for field in ["en", "type", "rec"] { long[field] = String(repeating: "\u{E000}", count: 400) }
    let ids = ["123456", "ab", "AB", String(repeating: "9", count: 120)]
    let written = try names(zip(ids, [Self.wren, other, other, long]).map { ($0, $1) })
    #expect(Set(written.map { $0.lowercased() }).count == 4, "\(written)")
    #expect(written[0] == "Eurasian Wren - song - XC123456 - A. Name.mp3")
    #expect(written[1] == "EURASIAN wren - song - ab - A. Name - xeno-canto ab.mp3")
    #expect(written.allSatisfy { $0.utf8.count <= 255 && !$0.contains("/") }, "\(written)")
  }
}
