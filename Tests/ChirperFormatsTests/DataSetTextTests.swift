import ChirperModel
import ChirperTestSupport
import Foundation
import Testing

@testable import Chirper
@testable import ChirperFormats

/// The texts in the folder of a data set, made from locks that were written by hand.
struct DataSetTextTests {
  private static var audio: [String: Any] {
    [
      "sha256": String(repeating: "0a", count: 32), "bytes": 7, "kind": "mp3",
    ]
  }

  private static func line(_ id: Int, _ members: [String: Any] = [:]) -> [String:
    Any]
  {
    var all: [String: Any] = [
      "catalogue": "xeno-canto", "id": "\(id)", "scientificName": "Turdus merula",
      "recordedBy": "Ann Example", "licenseName": "CC BY 4.0", "mediaDuration": 36,
      "license": "https://creativecommons.org/licenses/by/4.0/",
      "sha256": String(repeating: "0", count: 64), "audio": audio,
    ]
    all.merge(members) { $1 }
    return all
  }

  /// The texts by their names.
  private static func texts(
    _ header: [String: Any], _ lines: [[String: Any]], notCompared: Int = 0,
    audio: AudioHeader? = nil, report: ((DataSet.BuildReport) -> Void)? = nil
  ) throws -> [String: String] {
    var all: [String: Any] = [
      "chirperLock": 1, "recordings": lines.count, "audio": true,
      "volatileFields": [String: String](),
      "fetchedAt": "2026-11-20T10:00:00Z", "program": "1.0.0", "names": "AviList v2025",
      "definition": ["title": "T", "authors": ["A"], "selections": [[String: String]()]],
    ]
    all.merge(header) { $1 }
    let bytes = try ([all] + lines).map { object in
      String(
        decoding: try JSONSerialization.data(withJSONObject: object, options: .sortedKeys),
        as: UTF8.self) + "\n"
    }.joined().utf8
    func reader() throws -> LockReader {
      var rest = Array(bytes)
      return try LockReader(name: "t.lock.jsonl") {
        defer { rest = [] }
        return rest
      }
    }
    let header = try reader().header
    let folder = try DataSetFolder(
      header, names: DataSetNames(header), lock: "t.lock.jsonl",
      isThere: lines.map { _ in true }, notCompared: notCompared, lines: reader)
    var texts: [String: String] = [:]
    var counted = DataSet.BuildReport()
    try folder.writeTexts(&counted) { _ in
      audio
    } _: { name, body in
      let output = MemoryOutput()
      try body(output)
      texts[name] = String(decoding: output.buffer, as: UTF8.self)
      return LockedRecording.Audio(sha256: "0", bytes: 0, kind: "txt")
    }
    report?(counted)
    return texts
  }

  /// A lock with a text wherever it takes one.
  private static func everywhere(_ text: String) throws -> [String: String] {
    let columns = LockedRecording.columns.filter { $0 != .annotations && $0 != .scientificName }
    var members = Dictionary(uniqueKeysWithValues: columns.map { ($0.name, text as Any) })
    members["annotations"] =
      [
        ["startTime": "1", "endTime": "2", "scientificName": text, "behavior": [text]]
      ] as [[String: Any]]
    members["mediaDuration"] = 7
    return try texts(
      [
        "fetchedAt": text, "program": text, "names": text,
        "definition": [
          "title": "a \(text)", "authors": [text],
          "selections": [["lists": [text], "where": [text]]],
          "limits": ["perSpecies": 1], "split": ["file": text],
        ] as [String: Any],
        "lists": [
          [
            "query": text, "source": "xeno-canto", "completeness": text, "rows": text,
            "fetchedAt": ["newest": text], "imported": ["doi": text, "title": text],
          ] as [String: Any]
        ],
        "citations": [["query": text, "cite": text, "citations": text, "rights": text]],
      ], [line(1, members), line(2, ["catalogue": "xeno-canto", "recordedBy": text])])
  }

  @Test(arguments: [
    "\u{1B}[31m", "\u{202E}", "\u{2028}", "\u{85}", "\u{FFFF}", "\u{7F}", "\r", "\n- x",
  ])
  func `no text of a lock acts on a terminal, or becomes a line`(hostile: String) throws {
    let plain = try Self.everywhere("x y")
    let texts = try Self.everywhere("x\(hostile)y")
    #expect(plain.keys == texts.keys && plain.keys.contains("citations.txt"))
    for (name, text) in texts {
      // The lines of an imported file's texts stay lines.
      let isLines = name == "citations.txt" && hostile.contains(where: \.isNewline)
      let acting = text.unicodeScalars.filter {
        ($0 != "\n" && $0 != "\t" && $0 != "\r" || name == "README.txt" && $0 == "\r")
          && (PlainLine.isControl($0) || $0.value & 0xFFFE == 0xFFFE)
      }
      #expect(acting.isEmpty, "\(name)")
      func count(_ text: String?) -> Int { (text ?? "").unicodeScalars.count { $0 == "\n" } }
      #expect(isLines || count(text) == count(plain[name]), "\(name): \(text)")
    }
    #expect(texts["CITATION.cff"]?.contains("date-released") == false)
  }

  @Test(arguments: ["| x", "2026-13-01", "2026", "", "[a]"])
  func `a day of a lock that is not one is in no citation`(day: String) throws {
    let texts = try Self.texts(["fetchedAt": day], [Self.line(1)])
    #expect(texts["CITATION.cff"]?.contains("date-released") == false)
    #expect(
      try Self.texts([:], [Self.line(1)])["CITATION.cff"]?.contains("date-released: 2026-11-20\n")
        == true)
  }

  @Test func `a data set says how it was chosen, limited and divided`() throws {
    let definition: [String: Any] = [
      "selections": [
        [
          "lists": ["owl", "gbif:owl"], "source": "gbif", "where": ["q:A", "len:<40"],
          "for": ["commercial", "precise:500"], "distinct": true,
        ],
        [String: String](),
      ] as [[String: Any]],
      "limits": [
        "perSpecies": 20, "perRecordist": 5, "recordings": 50, "first": ["quality", "-eventDate"],
      ] as [String: Any],
      "split": ["train": 80, "validation": 10, "test": 10, "seed": 7, "holdOut": "country:PL"]
        as [String: Any],
      "names": true,
    ]
    let lines = [
      Self.line(1, ["split": "train"]),
      Self.line(2, ["split": "test", "recordedBy": "Ann Example & Bob"]),
      Self.line(3, ["split": "train", "scientificName": "Parus major"]),
      Self.line(4, ["split": "train", "scientificName": "Turdus"]),
    ]
    let texts = try Self.texts(
      ["definition": definition, "found": 100, "beyondLimits": 94], lines, notCompared: 3)
    let methods = try #require(texts["METHODS.md"])
    for sentence in [
      "The data set has 4 recordings of 2 species by 2 recordists (0 hours) from xeno-canto. 1 recording is above species: a genus, a group, a hybrid or without a name.",
      "Chosen were: \"owl\" and \"gbif:owl\", of gbif only, that satisfies \"q:A\" and \"len:<40\", fit for commercial and precise:500, without copies; everything stored, without copies.",
      "A name of a bird found it under its other names, too.",
      "Of 100 recordings found, 94 were left out by the limits. 2 of 6 had no audio.",
      "At most 20 of a species, 5 of a recordist and 50 in all were taken, the first by quality, eventDate (descending) and catalogue and id.",
      "3 for training and 1 for test were divided so that no recordist, session or copy is in two parts.",
      "Shares wanted were 80/10/10 with seed 7, and are 75/0/25 %. country:PL was held out for the test part. 1 of 2 species have no test sounds: Parus major.",
    ] {
      #expect(methods.contains(sentence), "\(sentence)\n\(methods)")
    }
    #expect(
      texts["README.txt"]?.contains(
        "\n3 of 4 lines are as the lock says; no record was compared.\n") == true)
  }

  @Test func `a table of Raven next to a sound has only what is in the file, each under a name`()
    throws
  {
    func box(_ begin: Double, _ end: Double, _ low: Int, _ high: Int, _ name: String?)
      -> [String: String]
    {
      var box = ["startTime": "\(begin)", "endTime": "\(end)", "freqLow": "\(low)"]
      box["freqHigh"] = "\(high)"
      box["scientificName"] = name
      return box
    }
    let boxes = [
      box(1, 2, 1000, 12_000, "Turdus merula"), box(3, 4, 9000, 9500, nil),
      box(9, 12, 500, 600, "Strix aluco"), box(10.2, 11, 500, 600, nil), box(2, 2, 500, 600, nil),
      box(5, 6, 500, 600, "Made upensis"), box(6, 7, 500, 600, ""),
    ]
    let line = Self.line(
      1, ["annotations": boxes, "mediaDuration": 11, "vernacularName": "Blackbird"])
    let name = "Turdus merula/xeno-canto-1.BirdNET.selections.txt"
    func rows(_ audio: AudioHeader?, _ report: @escaping (DataSet.BuildReport) -> Void) throws
      -> [String]
    {
      let text = try #require(try Self.texts([:], [line], audio: audio, report: report)[name])
      let rows = text.split(separator: "\n").map {
        $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      }
      #expect(rows[0][7...9] == ["Species", "Common Name", "Confidence"])
      return rows.dropFirst().map { $0[3...9].joined(separator: " ") }
    }
    let file = try withSilence(seconds: 10) { try #require(AudioHeader(path: $0)) }
    let cut = try rows(file) { report in
      #expect(report.annotationsWithoutTimes == 2 && report.annotationsAbove == 1)
      #expect(
        report.lines(folder: "set").dropLast() == [
          "2 annotations left out, without a beginning and an end in the sound",
          "1 annotation left out, above half the sample rate of the file",
        ])
    }
    #expect(
      cut == [
        "1 2 1000 4000 Turdus merula Blackbird 1.0", "9 10 500 600 Strix aluco Tawny Owl 1.0",
        "5 6 500 600 Made upensis Made upensis 1.0", "6 7 500 600  unknown 1.0",
      ])
    let whole = try rows(nil) { #expect($0.annotationsWithoutTimes == 1) }
    #expect(whole.count == 6 && whole.contains("3 4 9000 9500  unknown 1.0"))
    let layout = ["selections": [[String: String]()], "layout": "package"] as [String: Any]
    let texts = try Self.texts(["definition": layout], [line])
    #expect(texts["audio/xeno-canto-1.selections.txt"] != nil, "\(texts.keys)")
  }

  @Test func `the tables of parts have the columns of which all parts have one type`() throws {
    let definition: [String: Any] = [
      "selections": [[String: String]()], "layout": "audiofolder", "split": ["file": "s.csv"],
    ]
    let lines = [
      Self.line(1, ["split": "train", "sex": ["male"], "countryCode": "PL", "mediaDuration": 35]),
      Self.line(2, ["split": "test", "sex": ["1"], "countryCode": "NA", "mediaDuration": 3.5]),
      Self.line(3, ["split": "test", "sex": [String](), "locality": "Wood"]),
    ]
    let texts = try Self.texts(["definition": definition], lines)
    let tables = try ["train", "test"].map { part in
      try #require(texts["\(part)/metadata.csv"]).split(separator: "\r\n").map {
        $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      }
    }
    let headings = tables[0][0]
    #expect(headings == tables[1][0] && headings.starts(with: ["file_name", "label", "split"]))
    #expect(!headings.contains { ["sex", "countryCode", "locality"].contains($0) }, "\(headings)")
    // The credit before it has a comma in quotes.
    let fromEnd = try #require(headings.reversed().firstIndex(of: "mediaDuration")).base
    func duration(_ row: [String]) -> String { row[row.count - (headings.count - fromEnd) - 1] }
    #expect(duration(tables[0][1]) == "35.0" && duration(tables[1][1]) == "3.5")
    #expect(tables[0][1][0] == "xeno-canto-1.mp3" && tables.map(\.count) == [2, 3])
  }

  @Test func `a list without a recording in the folder is not cited`() throws {
    func list(_ source: String, _ name: String) -> [String: Any] {
      ["query": name, "source": source, "imported": ["doi": "10.5555/\(name)", "title": name]]
    }
    let header: [String: Any] = [
      "lists": [list("gbif", "absent"), list("xeno-canto", "present")],
      "citations": ["absent", "present"].map { ["query": $0, "cite": "cite \($0)"] },
    ]
    let texts = try Self.texts(header, [Self.line(1)])
    for (name, text) in texts { #expect(!text.contains("absent"), "\(name)") }
    for name in ["CITATION.cff", "METHODS.md", "citations.txt"] {
      #expect(texts[name]?.contains("present") == true, "\(name)")
    }
    let croissant = try #require(texts["croissant.json"]).utf8
    let object = try JSONSerialization.jsonObject(with: Data(croissant)) as? [String: Any]
    #expect((object?["citeAs"] as? String)?.hasPrefix("A: T. SHA-256 of the lines") == true)
  }
}
