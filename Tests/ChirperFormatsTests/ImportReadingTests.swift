import Chirper
import ChirperModel
import ChirperTestSupport
import Foundation
import Testing

@testable import ChirperFormats

/// The parts that read files that are imported.
@Suite struct ImportReadingTests {
  private func rows(
    _ text: [UInt8], _ form: DelimitedRows.Form, piece: Int = 7
  ) throws -> [[String]] {
    var at = 0
    var reader = DelimitedRows(form) {
      defer { at = min(text.count, at + piece) }
      return Array(text[at..<min(text.count, at + piece)])
    }
    var found: [[String]] = []
    while let result = try reader.row() {
      switch result {
      case .row(let row): found.append(["\(row.line)"] + row.cells)
      case .unreadable(let line, let reason): found.append(["\(line)", "!" + reason])
      }
    }
    return found
  }

  @Test(arguments: [1, 2, 7, 1000])
  func `quotes enclose separators, line ends and doubled quotes`(_ piece: Int) throws {
    let form = DelimitedRows.Form(separator: 0x2C, quote: 0x22)
    let text = "\"a,\nb\",c\n5\" long,\"\"\n\"say \"\"x\"\"\",\"\"\"\"\n"
    #expect(
      try rows(Array(text.utf8), form, piece: piece) == [
        ["1", "a,\nb", "c"], ["3", "5\" long", ""], ["4", "say \"x\"", "\""],
      ])
  }

  @Test func `a row that is too long, not UTF-8 or never closed is named by its line`() throws {
    let long = [UInt8](repeating: 0x61, count: DelimitedRows.rowLimit + 100_000)
    let text = Array("1\n".utf8) + long + Array("\n3\n".utf8) + [0xC3, 0x28, 0x0A, 0x35]
    let form = DelimitedRows.Form(separator: 0x2C, quote: 0x22)
    #expect(
      try rows(text, form, piece: 1 << 16) == [
        ["1", "1"], ["2", "!it has more than 4194304 bytes"], ["3", "3"],
        ["4", "!it is not text in UTF-8"], ["5", "5"],
      ])
    #expect(
      try rows(Array("1\n\"2\n3".utf8), form) == [
        ["1", "1"], ["2", "!a quote in it is not closed"],
      ])
  }

  @Test(arguments: ["id,split\r\n1,train\r\n", "\"id\",split\n1,train"])
  func `a byte order mark is no part of the first cell of any file`(_ text: String) throws {
    for mark in ["", "\u{FEFF}"] {
      let found = try rows(Array((mark + text).utf8), .init(separator: 0x2C, quote: 0x22))
      #expect(found.map { $0.dropFirst() } == [["id", "split"], ["1", "train"]])
    }
  }

  private func description(_ meta: String) throws -> ArchiveDescription {
    try ArchiveDescription(Array(meta.utf8), of: "x.zip")
  }

  @Test func `the tables of an archive are as its meta.xml says`() throws {
    let meta = """
      <?xml version='1.0'?><!-- a > b --><archive metadata="eml.xml"><core rowType="http://rs.tdwg.org/dwc/terms/Occurrence"
       fieldsTerminatedBy=";" encoding="latin1" ignoreHeaderLines="2"><files><location> o.csv </location></files><id index="3"/>
       <field index="1" term="http://rs.tdwg.org/dwc/terms/country" default="A &amp; &#66;"/><field term="x#y" default="1"/></core></archive>
      """
    let found = try description(meta)
    #expect(found.metadata == "eml.xml" && found.extensions.isEmpty)
    #expect(found.core.file == "o.csv" && found.core.key == 3 && found.core.kind == "Occurrence")
    #expect(
      found.core.form
        == .init(separator: 0x3B, quote: 0x22, encoding: .windows1252, headerLines: 2, cells: 4))
    #expect(found.core.columns.map(\.name) == ["country", "y"])
    #expect(found.core.columns.map(\.standard) == ["A & B", "1"])
    #expect(found.core.columns.map(\.index) == [1, nil])
  }

  @Test(arguments: [
    (#"<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><archive/>"#, "document type"),
    (#"<archive metadata="&x;"/>"#, "entity x"),
    (#"<archive><core><files><location>../o.txt</location></files></core></archive>"#, "folder"),
    (#"<archive><core><files><location>/o.txt</location></files></core></archive>"#, "folder"),
    (
      #"<archive><core><files><location>o</location></files><id index="0"/></core><extension><files><location>o</location></files></extension></archive>"#,
      "two tables"
    ),
    (#"<archive></archive>"#, "one core"), (#"<archive"#, "ends within a tag"),
    (
      #"<archive><core fieldsTerminatedBy="||"><files><location>o</location></files></core></archive>"#,
      "separator"
    ),
    (
      #"<archive><core encoding="EBCDIC"><files><location>o</location></files></core></archive>"#,
      "EBCDIC"
    ),
    (
      #"<archive><core><files><location>o</location></files><id index="0"/><field index="99999999" term="t"/></core></archive>"#,
      "too many fields"
    ),
  ])
  func `a meta.xml that leads elsewhere is refused with a sentence`(
    _ meta: String, _ words: String
  ) throws {
    let error = #expect(throws: UserFacingError.self) { try description(meta) }
    #expect(error?.status == .damaged)
    #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
  }

  @Test func `of columns of one name the first with a value counts`() throws {
    var table = ArchiveDescription.Table()
    table.columns = [("a", 0, nil), ("b", 1, nil), ("c", 2, nil), ("a", -1, "x\"")].map {
      .init(name: $0.0, term: $0.0, index: $0.1, standard: $0.2)
    }
    let columns = RecordColumns(table, names: ["b": "a", "c": "list"], lists: ["list"])
    var lines = [Array("1\t2\t3;;4\n\t2\n\t\t\t5".utf8)]
    var rows = DelimitedRows(.init()) { lines.popLast() ?? [] }
    var records: [String] = []
    while case .row(let row)? = try rows.row() {
      records.append(columns.record(of: row).json)
      #expect(row.text(-1) == nil && row.text(4) == nil && row.text(nil) == nil)
    }
    #expect(
      records == [#"{"a":"1","list":["3","4"]}"#, #"{"a":"2"}"#, #"{"a":"x\""}"#])
  }

  private func zip(_ entries: [String: String]) throws -> [UInt8] {
    let memory = Memory()
    let writer = try ZipWriter(memory, date: Written.fetched)
    for (name, text) in entries.sorted(by: { $0.key < $1.key }) { try writer.add(name, text) }
    try writer.finish()
    return memory.written
  }

  /// Calls `body` with the path of a file with those bytes.
  private func withFile(_ bytes: [UInt8], _ body: (String) throws -> Void) throws {
    let program = try BuiltProgram()
    defer { program.remove() }
    let path = program.path("x.zip")
    try Data(bytes).write(to: URL(filePath: path))
    try body(path)
  }

  private func source(_ path: String) throws -> any ImportSource {
    try ImportFile.source(path, catalogues: Catalogues.all)
  }

  @Test func `an entry of a zip file is read back, and a changed one is damaged`() throws {
    let text = String(repeating: "blackbird ", count: 100_000)
    let bytes = try zip(["a.txt": text, "b.txt": ""])
    try withFile(bytes) { path in
      let reader = try ZipReader(ReadableFile(path))
      var read: [UInt8] = []
      let next = try reader.pieces(of: "a.txt")
      while case let piece = try next(), !piece.isEmpty { read += piece }
      #expect(read == Array(text.utf8))
      #expect(try reader.pieces(of: "b.txt")() == [])
    }
    var changed = bytes
    changed[60] ^= 1
    try withFile(changed) { path in
      #expect(throws: UserFacingError.self) {
        let next = try ZipReader(ReadableFile(path)).pieces(of: "a.txt")
        while try !next().isEmpty {}
      }
    }
    for count in [0, 10, bytes.count / 2, bytes.count - 1] {
      try withFile(Array(bytes.prefix(count))) { path in
        #expect(throws: UserFacingError.self) { try source(path) }
      }
    }
  }

  @Test func `a zip file that says more than it has ends with a sentence`() throws {
    var bytes = try zip(["a.txt": "x"])
    // The size in the directory, whose entry begins 46 + 5 + 22 bytes before the end.
    let size = bytes.count - 22 - 51 + 24
    bytes[size] = 0xFF
    try withFile(bytes) { path in
      let error = #expect(throws: UserFacingError.self) {
        let next = try ZipReader(ReadableFile(path)).pieces(of: "a.txt")
        while try !next().isEmpty {}
      }
      #expect(error?.message.contains("a.txt is damaged") == true)
    }
  }

  @Test func `any other file is refused with the file to ask for`() throws {
    let simple = "gbifID\tdatasetKey\toccurrenceID\tspecies\n1\tx\ty\tz\n"
    for (entries, words) in [
      (["0012345.csv": simple], "simple download"), (["a.mp3": "x"], "not a file"),
    ] {
      try withFile(try zip(entries)) { path in
        let error = #expect(throws: UserFacingError.self) { try source(path) }
        #expect(error?.status == .usage && error?.message.contains(words) == true)
      }
    }
    try withFile(Array(simple.utf8)) { path in
      let error = #expect(throws: UserFacingError.self) { try source(path) }
      #expect(error?.hint?.contains("Darwin Core archive") == true)
    }
  }

  @Test func `a link in the folder of an archive is not followed`() throws {
    let program = try BuiltProgram()
    defer { program.remove() }
    let folder = program.path("download")
    try GBIFDownload([.init(1)]).write(to: folder)
    _ = try source(folder)
    try FileManager.default.removeItem(atPath: folder + "/occurrence.txt")
    try FileManager.default.createSymbolicLink(
      atPath: folder + "/occurrence.txt", withDestinationPath: "/etc/passwd")
    let error = #expect(throws: UserFacingError.self) { try source(folder) }
    #expect(error?.message.contains("occurrence.txt is not in it") == true)
  }

  /// An interrupted import continues only with the same file.
  @Test func `a file that changed in its middle is a different one`() throws {
    let row = #"{"id":"1","catalogue":"gbif","scientificName":"x"}"# + "\n"
    try withFile(Array(String(repeating: row, count: 10_000).utf8)) { path in
      let before = try source(path).claim.fingerprint
      #expect(try source(path).claim.fingerprint == before)
      let file = try #require(FileHandle(forWritingAtPath: path))
      try file.seek(toOffset: UInt64(row.utf8.count * 5_000) + 7)
      try file.write(contentsOf: Data("2".utf8))
      try file.close()
      #expect(try source(path).claim.fingerprint != before)
    }
  }

  @Test(arguments: [
    ("https://doi.org/10.15468/DL.8k2qf5, (x)", "10.15468/dl.8k2qf5"),
    ("see doi:10.15468/qv0ksn.", "10.15468/qv0ksn"), ("10.5 m and 110.1234/x", nil), ("", nil),
    ("x10.x10.10.1234 10.1234/. 10.12/a (10.1234/a/b..)", "10.1234/a/b"), ("10.1234", nil),
  ])
  func `a DOI is found in a text`(_ text: String, _ doi: String?) {
    #expect(DOI.first(in: text) == doi)
  }
}
