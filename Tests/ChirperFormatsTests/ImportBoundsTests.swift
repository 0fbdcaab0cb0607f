import Chirper
import ChirperModel
import ChirperTestSupport
import Foundation
import Testing

@testable import ChirperFormats

/// Small files that would become many bytes (Sources/BOUNDS.md).
@Suite struct ImportBoundsTests {
  private let files: ImportedFiles

  init() throws { files = try ImportedFiles() }

  private static let long = String(repeating: "a", count: 1_000_000)

  @Test(
    arguments: [
      { $0.coreDefaults = ["locality": long] }, { $0.mediaDefaults = ["description": long] },
      { $0.coreTerms.append("x/\(long)") }, { $0.mediaTerms.append("x/\(long)") },
    ] as [@Sendable (inout MuseumArchive) -> Void])
  func `what a description says of every row is bounded by the bytes of the tables`(
    _ change: @Sendable (inout MuseumArchive) -> Void
  ) async throws {
    var archive = MuseumArchive(20)
    change(&archive)
    for index in archive.core.indices { archive.core[index]["x/\(Self.long)"] = "1" }
    for index in archive.media.indices { archive.media[index]["x/\(Self.long)"] = "1" }
    var changed = archive.files
    // The terms are not in the headings.
    changed = changed.mapValues { $0.replacing("\tx/\(Self.long)\n", with: "\tx\n") }
    let error = await #expect(throws: UserFacingError.self) { try await files.folder(changed) }
    #expect(error?.status == .damaged && error?.message.contains("32 bytes") == true)
  }

  @Test func `a heading that is in each record is bounded by the bytes of the file`() async throws {
    let heading = "ML Catalog Number,Format,\(Self.long.prefix(60_000))\n"
    let rows = (1...1_000).map { "\($0),Audio,x\n" }.joined()
    await #expect(throws: UserFacingError.self) {
      try await files.file(Array((heading + rows).utf8))
    }
  }

  @Test func `media that one record has are joined once, and up to a number of bytes`() async throws
  {
    var archive = MuseumArchive(1)
    archive.mediaTerms.append("description")
    archive.add("M2", sounds: 5_000)
    archive.core += Array(repeating: archive.core[1], count: 3_000)
    archive.add("M3", sounds: 9)
    let half = String(repeating: "a", count: DelimitedRows.rowLimit / 8)
    for index in archive.media.indices.suffix(9) { archive.media[index]["description"] = half }
    let report = try await files.folder(archive.files)
    #expect(report.claim.unreadable == 3_002 && report.claim.rows == 3_003)
    let bytes = try files.recordings(report).reduce(0) { $0 + $1.fields.bytes.count }
    #expect(bytes < 9 << 20)
  }

  @Test func `a cell in many columns, and a cell of many addresses become no more bytes`()
    async throws
  {
    var archive = MuseumArchive(3)
    archive.coreTerms.append("locality")
    archive.core[0]["locality"] = Self.long
    var changed = archive.files
    let fields = (0..<9_000).map { #"<field index="2" term="x/\#($0)"/>"# }.joined()
    changed["meta.xml"]?.replace("</core>", with: fields + "</core>")
    let report = try await files.folder(changed)
    #expect(report.claim.unread.map(\.line) == [2] && report.lists[0].stored?.count == 2)
    archive.mediaTerms.append("description")
    archive.media[0]["description"] = Self.long
    archive.media[0]["identifier"] = String(repeating: "https://m.example/1.mp3 ", count: 9_000)
    await #expect(throws: UserFacingError.self) { try await files.folder(archive.files) }
  }

  @Test func `records of many bytes are stored before there are many of them`() async throws {
    var archive = MuseumArchive(20)
    archive.coreTerms.append("locality")
    for index in archive.core.indices { archive.core[index]["locality"] = Self.long }
    let list = try await files.folder(archive.files).lists[0]
    #expect(list.stored?.count == 20 && list.stored?.pagesStored == 2)
    #expect(list.stored?.completeness == .imported)
  }

  @Test(.timeLimit(.minutes(1)), arguments: ["x10.", "10.", "10.1234/", "x10.1", " 10.1234"])
  func `the search for a DOI reads a text about once`(_ part: String) {
    let text = String(repeating: part, count: 50_000) + "  10.15468/dl.abc"
    #expect(DOI.first(in: text)?.hasSuffix(part.hasSuffix("/") ? "10.1234/" : "dl.abc") == true)
  }
}

/// Zip files whose directory lies.
@Suite struct LyingZipTests {
  /// A zip file of two entries whose directory says, with the numbers of zip64, what is given of the
  /// first one.
  private func zip(
    _ first: [UInt8], size: Int64? = nil, compressed: Int64? = nil, offset: Int64? = nil
  ) throws -> [UInt8] {
    let memory = Memory()
    let writer = try ZipWriter(memory, date: Written.fetched)
    var random = SeededRandom(seed: 1)
    for (name, bytes) in [
      ("a.txt", first),
      ("b.txt", (0..<300_000).map { _ in UInt8.random(in: 0...255, using: &random) }),
    ] {
      try writer.add(name) { $0.buffer += bytes }
    }
    try writer.finish()
    var bytes = memory.written
    func number(_ at: Int) -> Int64 {
      (0..<4).reduce(0) { $0 | Int64(bytes[at + $1]) << (8 * Int64($1)) }
    }
    let end = bytes.count - 22
    let start = Int(number(end + 16))
    let values = [size ?? number(start + 24), compressed ?? number(start + 20), offset ?? 0]
    for field in [start + 20, start + 24, start + 42] {
      bytes.replaceSubrange(field..<(field + 4), with: [255, 255, 255, 255])
    }
    bytes[start + 30] = 28
    bytes[end + 12] += 28
    var extra: [UInt8] = [1, 0, 24, 0]
    for value in values {
      for shift in 0..<8 { extra.append(UInt8(truncatingIfNeeded: value >> (8 * shift))) }
    }
    bytes.insert(contentsOf: extra, at: start + 46 + 5)
    return bytes
  }

  private func read(_ bytes: [UInt8]) throws -> Int {
    let program = try BuiltProgram()
    defer { program.remove() }
    let path = program.path("x.zip")
    try Data(bytes).write(to: URL(filePath: path))
    let next = try ZipReader(ReadableFile(path)).pieces(of: "a.txt")
    var count = 0
    while case let piece = try next(), !piece.isEmpty { count += piece.count }
    return count
  }

  @Test func `numbers beyond the file and beyond sums are damage, and never a trap`() throws {
    let text = Array(repeating: UInt8(ascii: "a"), count: 1_000)
    #expect(try read(zip(text)) == 1_000)
    for value in [Int64.max, 1 << 62, 1 << 51, 1 << 33, -1, .min] {
      #expect(throws: UserFacingError.self) { try read(zip(text, size: value)) }
      #expect(throws: UserFacingError.self) { try read(zip(text, compressed: value)) }
      #expect(throws: UserFacingError.self) { try read(zip(text, offset: value)) }
    }
  }

  @Test func `an entry that is said to have more compressed bytes than it has is no bomb`() throws {
    let zeros = [UInt8](repeating: 0, count: 80_000_000)
    #expect(throws: UserFacingError.self) { try read(zip(zeros)) }
    let lying = try zip(zeros, compressed: 300_000)
    #expect(throws: UserFacingError.self) { try read(lying) }
  }
}
