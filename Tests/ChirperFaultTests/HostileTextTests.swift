import ChirperModel
import ChirperTestSupport
import Foundation
import Testing

/// Text that could control a terminal, end a cell or end a string, in every field of a page.
@Suite(.serialized)
struct HostileTextTests {
  /// As they are sent, and as they must be read back.
  static let texts = [
    "\u{1B}[2J\u{1B}]0;owned\u{7}\u{1B}[31m", "\u{9B}31m\u{90}q\u{9C}",
    "a\u{202E}b\u{2066}c\u{2069}\u{200F}\u{61C}",
    "x\ry\nz\r\n",
    "nul\u{0}behind", "\"\u{301},\u{301}/\u{301}", "\\\"\u{338}\\", "=cmd|' /C calc'!A0",
    "tab\there\u{B}\u{C}",
    "line\u{2028}para\u{2029}", "\u{7F}\u{8}\u{8}", "''\"\"\"\"", ",;\t,", "é\u{301}\u{200D}👩‍🔬",
    "\u{FEFF}bom",
    "</script>%s%n$(id)`id`",
  ]

  private static let fields = [
    "gen", "sp", "en", "rec", "cnt", "loc", "type", "rmk", "lic", "q", "date", "url", "file",
  ]

  /// One record with a hostile text in every field; over all records each field has each text.
  private static func record(_ number: Int) -> (id: String, values: [String: String], json: String)
  {
    let id = "\(number)\(texts[number % texts.count])"
    var values = ["id": id]
    for (index, field) in fields.enumerated() {
      values[field] = texts[(number + index) % texts.count]
    }
    let members = (["id"] + fields).map { "\"\($0)\":\(JSONText.quoted(values[$0] ?? ""))" }
    return (id, values, "{\(members.joined(separator: ","))}")
  }

  private static let records = (0..<texts.count).map(record)

  private func withHostileList(_ body: (BuiltProgram) throws -> Void) throws {
    let page = FakeXenoCanto.body(
      Self.records.map(\.json), page: 1, pages: 1, total: Self.records.count)
    let server = try ScriptedServer { _ in .json(200, page) }
    try withProgram([
      "CHIRPER_XENO_CANTO_URL": server.url.absoluteString, "XENO_CANTO_API_KEY": "k",
    ]) { program in
      let result = try program.run("fetch", "parrot", "--all")
      #expect(result.status == 0, "\(result)")
      try body(program)
    }
  }

  @Test(arguments: ["export parrot --format csv", "list parrot --format csv --columns COLUMNS"])
  func `is read back from CSV unchanged`(words: String) throws {
    try withHostileList { program in
      let rows = try #require(readCSV(try output(words, program)))
      try expectValues(rows)
    }
  }

  @Test(arguments: ["export parrot --format tsv", "list parrot --format tsv --columns COLUMNS"])
  func `is read back from TSV unchanged`(words: String) throws {
    try withHostileList { program in
      let lines = try output(words, program).unicodeScalars.split(
        separator: "\n", omittingEmptySubsequences: false
      ).dropLast()
      try expectValues(
        lines.map {
          $0.split(separator: "\t", omittingEmptySubsequences: false).map(Self.unescaped)
        })
    }
  }

  @Test(arguments: [
    "export parrot --format json", "list parrot --json", "export parrot --format jsonl",
    "list parrot --format jsonl",
  ])
  func `is read back from JSON unchanged`(words: String) throws {
    try withHostileList { program in
      let text = try output(words, program)
      let objects: [Any]
      if words.contains("jsonl") {
        objects = try text.utf8.split(separator: 0x0A).map {
          try JSONSerialization.jsonObject(with: Data($0))
        }
      } else {
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        objects = try #require(object?["recordings"] as? [Any])
      }
      #expect(objects.count == Self.records.count)
      // Foundation's reader drops a byte order mark that begins a string, so that one is looked for
      // in the text.
      #expect(
        text.utf8.split(separator: Array("\"\u{FEFF}bom\"".utf8)).count > Self.records.count / 2)
      for (object, record) in zip(objects, Self.records) {
        let members = try #require(object as? [String: String])
        for (name, value) in record.values {
          #expect(
            scalars(members[name]).filter { $0 != 0xFEFF }
              == scalars(value).filter { $0 != 0xFEFF }, "\(name)")
        }
      }
    }
  }

  @Test func `is imported unchanged`() throws {
    try withHostileList { program in
      let before = try output("export parrot --tidy --format jsonl", program)
      #expect(
        try program.run("export", "parrot", "--tidy", "--format", "jsonl", "-o", "a.jsonl").status
          == 0)
      #expect(try program.run("forget", "parrot", "--yes").status == 0)
      let result = try program.run("import", "a.jsonl", "--as", "parrot")
      #expect(result.status == 0, "\(result)")
      #expect(try output("export parrot --tidy --format jsonl", program) == before)
    }
  }

  @Test func `in a title and a row of a file that is imported it is printed safely`() throws {
    for text in Self.texts {
      try withProgram { program in
        let folder = program.path("download")
        var download = GBIFDownload([.init(1)])
        download.lines = ["2\tPL\tx\ty\tz\tw\ttoo many"]
        try download.write(to: folder)
        let title = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        try "<eml><dataset><title>\(title)</title></dataset></eml>".write(
          toFile: folder + "/metadata.xml", atomically: true, encoding: .utf8)
        try FileManager.default.removeItem(atPath: folder + "/citations.txt")
        let line =
          #"{"id":"1","catalogue":\#(JSONText.quoted(text)),"scientificName":"x"}"#
          + "\n" + #"{"id":"1","catalogue":"gbif","scientificName":"x"}"#
        try line.write(
          toFile: program.path("a.jsonl"), atomically: true, encoding: .utf8)
        for command in [["import", "download"], ["import", "a.jsonl"], ["list"], ["sync"]] {
          let result = try program.run(BuiltProgram.path, command, input: "")
          #expect(result.status == (command[0] == "import" ? 3 : 0), "\(command): \(result)")
          #expect(
            !(result.output + result.error).unicodeScalars.contains {
              PlainLine.isControl($0) && $0 != "\n" && $0 != "\t"
            }, "\(command): \(result)")
        }
      }
    }
  }

  @Test func `in a pipe the table has one line per row`() throws {
    try withHostileList { program in
      let text = try output("list parrot", program)
      #expect(text.unicodeScalars.count { $0 == "\n" } == Self.records.count + 1)
    }
  }

  /// Further lines, with columns of their own or with a lock of these records.
  private static let furtherLines = [
    "list parrot --format tsv", "export parrot --format tsv --tidy", "export parrot --json --tidy",
    "stats --by recordist", "stats --by country,type", "stats --by species --format csv",
    "dataset new own parrot --split 80/20", "dataset lock own.dataset.json --no-audio",
    "dataset verify own.lock.jsonl", "dataset verify made.lock.jsonl own.lock.jsonl",
  ].map { $0.split(separator: " ").map(String.init) }

  @Test(.enabled(if: SystemFaults.hasScript, SystemFaults.needsScript))
  func `a terminal gets no control sequence except chirper's own`() throws {
    try withHostileList { program in
      // Everything is new.
      RawDatabase.execute(
        """
        INSERT INTO arrival
        SELECT recording_id, query_id, CAST(unixepoch() AS INTEGER) * 1000 FROM entry
        """, in: program.path(".local/share/chirper/chirper.sqlite"))
      try CommandForm.writeFiles(for: program)
      let forms = try CommandForm.all(of: "xeno-canto") + CommandForm.formats()
      // In a terminal `auth set` waits for a key, and shows no record.
      for words in CommandForm.session(forms, then: Self.furtherLines)
      where words.prefix(2) != ["auth", "set"] {
        let line = words.map { "\"\($0)\"" }.joined(separator: " ")
        let result = try program.set("TERM", "xterm-256color")
          .shell(
            "stty -opost 2> /dev/null; script -qec '\"$chirper\" \(line)' /dev/null < /dev/null")
        // Refused lines show nothing of a record. The last `forget` has a choice of two lists.
        #expect(
          result.status < 128 && (result.status != 64 || words[0] == "forget"),
          "\(line): \(result.output)")
        #expect(
          Self.foreign(
            result.output, hasTabs: ["tsv", "raven", "audacity"].contains(where: line.contains))
            == [], "\(line): \(result.output.debugDescription.prefix(2000))")
      }
    }
  }

  /// The control characters in the output of a terminal that are no part of chirper's sequences.
  private static func foreign(_ output: String, hasTabs: Bool) -> [String] {
    var shown = output.unicodeScalars.map { $0 }[...]
    var foreign: [String] = []
    while let scalar = shown.popFirst() {
      guard PlainLine.isControl(scalar), scalar != "\n", scalar != "\t" || !hasTabs else {
        continue
      }
      // Before the end of a line, and where a line of progress begins.
      if scalar == "\r", let next = shown.first, ["\n", "\r", "\u{1B}"].contains(next) { continue }
      if scalar == "\u{1B}", takeOwnSequence(&shown) { continue }
      foreign.append(String(scalar.value, radix: 16))
    }
    return foreign
  }

  @Test(arguments: ["par\u{1B}[2Jrot", "en:\"\u{202E}x\""])
  func `a query with such text is refused and printed safely`(query: String) throws {
    try withProgram { program in
      for command in ["fetch", "list", "export"] {
        let result = try program.run(command, query)
        #expect(result.status == 64, "\(result)")
        #expect(
          !(result.output + result.error).unicodeScalars.contains {
            PlainLine.isControl($0) && $0 != "\n"
          }, "\(result)")
      }
    }
  }

  @Test(arguments: [
    "'; DROP TABLE page; --", "100%_", "\"\u{301}", "ü\u{308}\u{308}", "a'b\"c`d", "?1 $x :y @z",
    "key=1&page=2#x",
  ])
  func `quotes, wildcards and combining marks in a query are plain text`(query: String) throws {
    let catalogue = try FakeXenoCanto(["1"])
    try withProgram(catalogue.variables) { program in
      let result = try program.run("fetch", query, "--all")
      #expect(result.status == 0, "\(result)")
      #expect(!catalogue.requests.isEmpty)
      #expect(
        catalogue.server.requests.allSatisfy { $0.query("key") == "k" && $0.query("page") == "1" })
      #expect(try program.run("list", query).status == 0)
      #expect(try program.run("forget", query, "--yes").status == 0)
      #expect(try program.run("doctor").status == 0)
    }
  }

  @Test func `reading fields from damaged text never traps`() {
    let alphabet = Array(#"{}[]":,\u0dfnte1-. "#.utf8) + [0x00, 0x1F, 0xC3, 0xFF]
    var random = SeededRandom(seed: 11)
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
        alphabet.randomElement(using: &random) ?? 0
      }
      let fields = RecordingFields(canonical: "{" + String(decoding: bytes, as: UTF8.self))
      for name in fields.names { _ = (fields[name]?.text, fields[name]?.list) }
    }
  }

  // MARK: Reading back

  private func output(_ words: String, _ program: BuiltProgram) throws -> String {
    let columns = (["id"] + Self.fields).joined(separator: ",")
    let result = try program.shell("\"$chirper\" \(words.replacing("COLUMNS", with: columns))")
    #expect(result.status == 0, "\(result.error)")
    return result.output
  }

  private func expectValues(_ rows: [[String]]) throws {
    let header = try #require(rows.first)
    #expect(rows.count == Self.records.count + 1)
    for (row, record) in zip(rows.dropFirst(), Self.records) {
      #expect(row.count == header.count)
      for (name, value) in record.values {
        let column = try #require(header.firstIndex(of: name))
        #expect(scalars(row[column]) == scalars(value), "\(name)")
      }
    }
  }

  /// Compared by scalars: to Swift two strings may be equal and still differ in bytes.
  private func scalars(_ text: String?) -> [UInt32] { (text ?? "-").unicodeScalars.map(\.value) }

  private static func unescaped(_ cell: some Collection<Unicode.Scalar>) -> String {
    var out = String.UnicodeScalarView()
    var rest = Array(cell)[...]
    while let scalar = rest.popFirst() {
      guard scalar == "\\", let escape = rest.popFirst() else {
        out.append(scalar)
        continue
      }
      out.append(escape == "t" ? "\t" : escape == "n" ? "\n" : escape == "r" ? "\r" : escape)
    }
    return String(out)
  }

  /// Removes the rest of a colour (`ESC [ 1 m`) or of clearing a line (`ESC [ K`), the only
  /// sequences the program sends here.
  private static func takeOwnSequence(_ shown: inout ArraySlice<Unicode.Scalar>) -> Bool {
    guard shown.first == "[" else { return false }
    let digits = shown.dropFirst().prefix { ("0"..."9").contains($0) || $0 == ";" }
    guard let end = shown.dropFirst(1 + digits.count).first, end == "m" || end == "K",
      digits.count <= 4,
      !digits.elementsEqual("31".unicodeScalars) || end == "m"
    else { return false }
    shown = shown.dropFirst(2 + digits.count)
    return true
  }
}
