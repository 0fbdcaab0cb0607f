import Chirper
import ChirperModel
import ChirperTestSupport
import Foundation
import Testing

@testable import ChirperFormats

/// Parts of a file that are not imported are counted and named, and nothing counts as gone then.
@Suite struct ImportLossTests {
  private let files: ImportedFiles

  init() throws { files = try ImportedFiles() }

  private func reasons(_ report: ImportReport) -> [String] { report.claim.unread.map(\.reason) }

  @Test(arguments: [201, 250, 700])
  func `sounds beyond the most of one record are counted`(_ count: Int) async throws {
    var archive = MuseumArchive(2)
    try await files.folder(archive.files)
    archive = MuseumArchive(1)
    archive.add("M3", sounds: count)
    let report = try await files.folder(archive.files)
    let list = try #require(report.lists.first)
    let left = count + 2 - (list.stored?.count ?? 0)
    #expect(left > 0 && report.claim.unreadable == 1 && list.gone == 0)
    #expect(reasons(report) == ["\(left) of its \(count) sounds are beyond the most of one record"])
    #expect(list.stored?.imported?.unread.map(\.line) == [3])
  }

  @Test func `sounds beyond the most of a record of a service are counted once`() async throws {
    let media = (0..<201).map { #"{"type":"Sound","identifier":"https://m.example/\#($0).mp3"}"# }
    let line = #"{"key":1,"media":[\#(media.joined(separator: ","))]}"# + "\n"
    let report = try await files.file(
      Array((line + line).utf8), sender: files.repository.catalogue(.gbif))
    #expect(reasons(report) == ["1 of its 201 sounds are beyond the most of one record"])
    #expect(report.lists.first?.stored?.count == 200)
  }

  @Test(arguments: ["occurrence.txt", "media.txt"])
  func `a table that is cut within a row makes nothing gone`(_ name: String) async throws {
    let whole = MuseumArchive(4).files
    try await files.folder(whole)
    let bytes = Array((whole[name] ?? "").utf8)
    let cuts = (bytes.count / 2..<bytes.count).filter {
      bytes[$0 - 1] != UInt8(ascii: "\n") || name == "occurrence.txt"
    }
    for count in cuts {
      var cut = whole
      cut[name] = String(decoding: bytes[..<count], as: UTF8.self)
      let report = try await files.folder(cut)
      #expect(report.claim.unreadable > 0 && report.lists.allSatisfy { $0.gone == 0 }, "\(count)")
      #expect(report.lists[0].stored?.count == 4)
    }
    #expect(cuts.count > 20)
    let again = try await files.folder(whole).lists[0]
    #expect(again.stored?.completeness == .imported && again.changed == 0)
  }

  @Test func `a file in a zip file may end without a line feed`() async throws {
    var archive = MuseumArchive(2).files
    archive["occurrence.txt"]?.removeLast()
    let memory = Memory()
    let writer = try ZipWriter(memory, date: Written.fetched)
    for (name, text) in archive { try writer.add(name, text) }
    try writer.finish()
    let report = try await files.file(memory.written)
    #expect(report.claim.unreadable == 0 && report.lists[0].stored?.completeness == .imported)
  }

  @Test func `a CSV file that is cut in its last cell makes nothing gone`() async throws {
    let text = "id,catalogue,recordedBy\n1-a,gbif,Ann\n2-a,gbif,Bob\n3-a,gbif,Zoe"
    _ = try await files.file(Array((text + "\n").utf8))
    let cut = text.replacing("2-a,gbif,Bob\n", with: "").dropLast()
    let report = try await files.file(Array(cut.utf8))
    #expect(report.lists[0].gone == 0 && reasons(report) == ["the file ends in it and may be cut"])
  }

  @Test func `rows with fewer cells, of two lines, or with an earlier key are named`()
    async throws
  {
    var archive = MuseumArchive()
    archive.coreTerms = ["locality", "scientificName"]
    archive.mediaTerms = ["identifier", "type"]
    archive.add("M1", ["locality": "A wood\nnear B"])
    archive.add("M2", ["locality": "C"])
    archive.core.append(archive.core[1])
    archive.add("M3")
    archive.media[2]["identifier"] = "https://m.example/\n3.mp3"
    let report = try await files.folder(archive.files)
    #expect(
      reasons(report) == [
        "of media.txt: it has fewer cells than the heading",
        "of media.txt: it has fewer cells than the heading",
        "it has fewer cells than the heading", "it has fewer cells than the heading",
        "its recordings are those of an earlier row",
      ])
    #expect(report.claim.unread.map(\.line) == [4, 5, 2, 3, 5])
    #expect((report.claim.rows, report.claim.silent) == (5, 2))
    // Half a cell is no value.
    #expect(try files.details(report).map(\.locality) == [nil, "C"])
  }

  @Test func `sounds without a record, and empty ids are named, and blanks around ids are not ids`()
    async throws
  {
    var archive = MuseumArchive(1)
    archive.add(" M2 ")
    archive.media[1]["id"] = "M2"
    for id in ["M7", "", " "] {
      archive.media.append(["id": id, "type": "Sound", "identifier": "https://m.example/7.mp3"])
    }
    archive.media.append([
      "id": "M8", "type": "StillImage", "identifier": "https://m.example/8.jpg",
    ])
    archive.core.append(["id": " ", "scientificName": "Turdus merula"])
    let report = try await files.folder(archive.files)
    #expect(
      reasons(report) == [
        "of media.txt: it has no id", "of media.txt: it has no id", "it has no id",
        "of media.txt: no record has its id, M7",
      ])
    #expect(report.lists[0].stored?.count == 2 && report.claim.rows == 3)
  }

  @Test(arguments: ["0123", "1234567890123456789", "x1"])
  func `the key of a sound that is not one of GBIF is named`(_ key: String) async throws {
    var download = GBIFDownload([.init(1)])
    download.lines = ["\(key)\tPL\tx\ty\tz\tw"]
    var changed = download.files
    changed["multimedia.txt"]? += "\(key)\tSound\thttps://m.example/1.mp3\t\t\n"
    let report = try await files.folder(changed)
    #expect(reasons(report) == ["its id is not a number of GBIF: \(key)"])
  }

  @Test func `keys of an archive of chirper's name catalogues that are known, or are named`()
    async throws
  {
    var archive = MuseumArchive()
    archive.system = "chirper"
    let unknown = ["../../evil:1", "gbif2:1", "GBIF:1"]
    let empty = ["gbif:", ":1", ":", "sample:", "gbif"]
    for key in ["gbif:1-a", "xeno-canto:1", "sample:7"] + unknown + empty { archive.add(key) }
    let report = try await files.folder(archive.files)
    #expect(
      report.lists.map { "\($0.query.catalogue):\($0.stored?.count ?? 0)" } == [
        "gbif:1", "sample:1", "xeno-canto:1",
      ])
    let strange = ["../../evil", "gbif2", "GBIF"].map {
      "its catalogue is not one that chirper knows: \($0)"
    }
    let without = [String](repeating: "it has no id and catalogue", count: empty.count)
    #expect(reasons(report) == strange + without)
  }
}
