import Chirper
import ChirperModel
import ChirperTestSupport
import Foundation
import Testing

@testable import ChirperFormats

/// Zip files, read by Python's `zipfile`.
@Suite struct ArchiveTests {
  /// The entries of a zip file, in their order; fails where a checksum or a header is wrong.
  private func entries(of zip: [UInt8]) throws -> [(name: String, content: [UInt8])] {
    let script = """
      import base64, sys, zipfile
      with zipfile.ZipFile(sys.argv[1]) as file:
          assert file.testzip() is None
          for entry in file.infolist():
              assert entry.date_time == (2026, 9, 21, 14, 13, 20), entry.date_time
              print(entry.filename, base64.b64encode(file.read(entry)).decode())
      """
    let program = try BuiltProgram()
    defer { program.remove() }
    try Data(zip).write(to: URL(filePath: program.path("x.zip")))
    let result = try program.run(
      "/usr/bin/env", ["python3", "-c", script, program.path("x.zip")], input: "")
    #expect(result.status == 0, "\(result.error)")
    return try result.output.split(separator: "\n").map { line in
      let parts = line.split(separator: " ", omittingEmptySubsequences: false)
      return (String(parts[0]), Array(try #require(Data(base64Encoded: String(parts[1])))))
    }
  }

  @Test func `entries of any size are read back, and memory is the same for all`() throws {
    var random = SeededRandom(seed: 3)
    let noise = (0..<700_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    let text = Array(String(repeating: "a line that is repeated\n", count: 100_000).utf8)
    let memory = Memory()
    let zip = try ZipWriter(memory, date: Written.fetched)
    for (name, content) in [("noise", noise), ("text", text)] as [(String, [UInt8])] {
      try zip.add(name) { output in
        for start in stride(from: 0, to: content.count, by: 1000) {
          output.buffer += content[start..<min(start + 1000, content.count)]
          try output.writeIfFull()
        }
      }
    }
    try zip.add("empty", "")
    try zip.finish()
    let read = try entries(of: memory.written)
    #expect(read.map(\.name) == ["noise", "text", "empty"])
    #expect(read.map(\.content) == [noise, text, []])
    #expect(memory.written.count < 800_000 && memory.largest < 1 << 19)
  }

  private func archive(_ rows: [RecordingRow]) throws -> [String: String] {
    let memory = Memory()
    let zip = try ZipWriter(memory, date: Written.fetched)
    let archive = DarwinCoreArchiveWriter(provenance: Written.provenance)
    let summary = try archive.write(to: zip) { writer in
      try Written.table(rows).writeRows(by: writer, WriteOptions(now: Written.fetched), to: zip)
    }
    try zip.finish()
    #expect(summary.written == rows.count)
    let read = try entries(of: memory.written).map {
      ($0.name, String(decoding: $0.content, as: UTF8.self))
    }
    return Dictionary(read, uniquingKeysWith: { first, _ in first })
  }

  @Test func `a Darwin Core Archive has occurrences, their sounds, and what they mean`() throws {
    var identified = Written.full.details
    identified.occurrenceID = "https://example.org/occurrence/7"
    let rows = [
      Written.full, Written.empty,
      RecordingRow(recording: Written.full.recording, details: identified),
    ]
    let files = try archive(rows + Written.hostileRows)
    #expect(Set(files.keys) == ["meta.xml", "eml.xml", "occurrence.txt", "multimedia.txt"])
    let tables = ["occurrence.txt", "multimedia.txt"].map { name in
      (files[name] ?? "").split(separator: "\n").map {
        $0.split(separator: "\t", omittingEmptySubsequences: false)
      }
    }
    // An empty line end belongs to no row, and no text adds a cell or a row.
    #expect(tables[0].count == 4 + Written.hostile.count && Set(tables[0].map(\.count)).count == 1)
    #expect(tables[1].count == 3 + Written.hostile.count && Set(tables[1].map(\.count)).count == 1)
    let first = Dictionary(zip(tables[0][0], tables[0][1]), uniquingKeysWith: { first, _ in first })
    #expect(first["id"] == "xeno-canto:900001" && first["occurrenceID"] == "xeno-canto:900001")
    #expect(
      first["decimalLatitude"] == "-0.5" && first["eventDate"] == "2024-05"
        && first["behavior"] == "call | flight call")
    // An obscured place is not taken for an exact one, and every occurrence says what kind of
    // evidence it is.
    #expect(
      first["coordinateUncertaintyInMeters"] == "27500.5"
        && first["dataGeneralizations"] == "the place is obscured")
    #expect(first["basisOfRecord"] == "MachineObservation" && first["countryCode"] == "GA")
    let second = Dictionary(
      zip(tables[0][0], tables[0][2]), uniquingKeysWith: { first, _ in first })
    #expect(
      first["geodeticDatum"] == "WGS84" && second["decimalLatitude"] == ""
        && second["geodeticDatum"] == "")
    let third = Dictionary(zip(tables[0][0], tables[0][3]), uniquingKeysWith: { first, _ in first })
    #expect(
      third["id"] == "xeno-canto:900001"
        && third["occurrenceID"] == "https://example.org/occurrence/7")
    #expect(
      tables[1][1].prefix(3) == [
        "xeno-canto:900001", "Sound", "https://xeno-canto.org/900001/download",
      ])
    let meta = try #require(files["meta.xml"])
    for (name, table) in zip(["core", "extension"], tables) {
      let part = meta.split(separator: "<\(name) ")[1].split(separator: "</\(name)>")[0]
      let fields = part.matches(of: /<field index="(\d+)" term="[^"]*\/([A-Za-z]+)"\/>/).map {
        (Int($0.output.1), $0.output.2)
      }
      #expect(fields.map(\.0) == Array(1..<table[0].count).map { $0 })
      #expect(fields.map(\.1) == Array(table[0].dropFirst()))
    }
    let eml = try #require(files["eml.xml"])
    #expect(
      eml.contains("<para>Query: parrot, sent as en:&quot;parrot&quot;</para>")
        && eml.contains("CC BY-NC-SA 4.0: 2"))
  }
}
