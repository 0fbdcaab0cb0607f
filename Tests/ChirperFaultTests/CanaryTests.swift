import Chirper
import ChirperTestSupport
import Foundation
import Synchronization
import Testing

/// A key that can be recognised goes through every command; it may appear in its own file and in
/// requests to its own host.
@Suite(.serialized)
struct CanaryTests {
  private static let key = "c4n4rykey0123456789"

  /// The lines that report a request for a list that is not stored yet.
  private static let asking = [
    ["fetch", "wren", "--all"], ["fetch", "wren", "--all", "--json"],
    ["fetch", "wren", "--all", "--verify"], ["sync"], ["sync", "parrot", "--json"],
  ]

  /// Every command in the plain form, or with all options.
  private static func lines(hasOptions: Bool) throws -> [[String]] {
    let forms = try CommandForm.all(of: "xeno-canto").filter { hasOptions || $0.isPlain }
    return CommandForm.session(
      forms,
      then: [
        ["dataset", "new", "own", "parrot"], ["dataset", "lock", "own.dataset.json", "--no-audio"],
        ["dataset", "verify", "own.lock.jsonl", "--sync"], ["export", GBIFDownload.doi],
        ["fetch", "--help"], unknown,
      ])
  }

  private static let unknown = ["fetch", "parrot:x"]

  private static let answers: [(name: String, answer: ScriptedAnswer?)] = [
    ("sound", nil), ("401", .json(401, #"{"message":"bad key"}"#)),
    ("500 for an hour", .empty(500, headers: ["Retry-After": "3600"])),
    ("429", .empty(429, headers: ["Retry-After": "3600"])),
    ("400", .json(400, #"{"message":"no"}"#)), ("a web page", .html(200)),
    ("no JSON", .json(200, "{")), ("not HTTP", .raw("nonsense\r\n\r\n")),
  ]

  private static let echoes: [(name: String, answer: ScriptedAnswer?)] = [
    (
      "an echo in a count", .json(200, #"{"numRecordings":"\#(key)","numPages":1,"recordings":[]}"#)
    ),
    ("an echo as a name that comes twice", .json(200, #"{"\#(key)":1,"\#(key)":2}"#)),
    ("an echo as an encoding", .bytes(200, [], headers: ["Content-Encoding": key.uppercased()])),
    ("an echo in a redirect", .redirect(to: "https://\(key).example/")),
    ("an echo in refusals", .json(400, #"{"message":"\#(spellings.joined(separator: " "))"}"#)),
    (
      "an echo in UTF-16",
      .bytes(
        400, [UInt8]("bad \(key)".data(using: .utf16) ?? Data()),
        headers: ["Content-Type": "text/plain"])
    ),
  ]

  /// What the key looks like where a service repeats it: as it is, in capitals, percent-encoded, as
  /// JSON escapes, as entities, escaped again and without an end too, with what no text shows
  /// between its letters, and in full width.
  private static let spellings = [
    key, key.uppercased(), key.utf8.map { "%" + String($0, radix: 16) }.joined(),
    key.utf8.map { "\\u00" + String($0, radix: 16) }.joined(), entities("&#", ";"),
    entities("&amp;#", ";"),
    entities("&amp;amp;amp;#", ";"), entities("&#", ""),
    key.map(String.init).joined(separator: "\u{200B}"),
    key.map(String.init).joined(separator: "\\u0001"),
    key.map(String.init).joined(separator: "\u{E0041}"),
    String(
      String.UnicodeScalarView(key.unicodeScalars.compactMap { Unicode.Scalar($0.value + 0xFEE0) })),
  ]

  private static func entities(_ before: String, _ after: String) -> String {
    key.utf8.map { "\(before)\($0)\(after)" }.joined()
  }

  @Test(arguments: [true, false])
  func `appears in no output, no file and no argument, whatever the server does`(isInFile: Bool)
    throws
  {
    for (name, answer) in Self.answers + Self.echoes {
      let isEcho = name.hasPrefix("an echo")
      let isStored = Mutex(isEcho)
      let catalogue = try FakeXenoCanto(["1", "2", "3", "4"]) { _, _ in
        isStored.withLock(\.self) ? answer : nil
      }
      try withProgram(["CHIRPER_XENO_CANTO_URL": catalogue.server.url.absoluteString]) { program in
        var program = program
        if isInFile {
          #expect(try program.run("auth", "set", input: Self.key + "\n").status == 0)
        } else {
          program = program.set("XENO_CANTO_API_KEY", Self.key)
        }
        if !isEcho { #expect(try program.run("fetch", "parrot").status == 0) }
        isStored.withLock { $0 = true }
        try CommandForm.writeFiles(for: program)
        for command in try Self.asking + (isEcho ? [] : Self.lines(hasOptions: false)) {
          let result = try program.run(BuiltProgram.path, command, input: Self.key)
          #expect(!Self.isIn(result.output + result.error), "\(name): \(command)")
        }
        #expect(catalogue.server.requests.allSatisfy { $0.query("key") == Self.key }, "\(name)")
        #expect(!catalogue.server.requests.isEmpty)
        try expectNoTrace(in: program, name)
      }
    }
  }

  @Test func `is stored as stars where a record repeats it, and the fetch says so`() throws {
    let count = 4 * Self.spellings.count
    let rows = Self.spellings.enumerated().map { number, key in
      #"{"id":"\#(number) \#(key)","en":"\#(key)","\#(key)":"x","rmk":["https://xeno-canto.org/?key=\#(key)"]}"#
    }
    let catalogue = try FakeXenoCanto([]) { _, _ in
      .json(200, FakeXenoCanto.body(rows, page: 1, pages: 1, total: rows.count))
    }
    try withProgram([
      "CHIRPER_XENO_CANTO_URL": catalogue.server.url.absoluteString, "XENO_CANTO_API_KEY": Self.key,
    ]) { program in
      let result = try program.run("fetch", "parrot", "--all")
      #expect(result.status == 0, "\(result)")
      let words = "the catalogue repeated your key \(count) times; *** is stored in its place"
      #expect(result.error.contains(words), "\(result.error)")
      #expect(
        try program.run("fetch", "parrot", "--all", "--json").output.contains(
          #""redactions":\#(count)"#))
      let json = try program.run("export", "parrot", "--format", "jsonl").output
      #expect(
        json.contains(
          #"{"id":"0 ***","en":"***","***":"x","rmk":["https://xeno-canto.org/?key=***"]}"#),
        "\(json)")
      try CommandForm.writeFiles(for: program)
      for command in try CommandForm.formats().map(\.words) + Self.lines(hasOptions: true) {
        let result = try program.run(BuiltProgram.path, command, input: Self.key)
        // 3: something is missing, such as the audio; 66: nothing is chosen. None of these recordings
        // has audio to play, and a data set that is verified stores the sample's list of that name.
        let further: Int32? = ["play": 1, "forget": 64][command[0]]
        #expect(
          [0, 3, 66, further].contains(result.status) || command == Self.unknown,
          "\(command): \(result)")
        #expect(!Self.isIn(result.output + result.error), "\(command)")
      }
      try expectNoTrace(in: program, "echo")
    }
  }

  @Test func `goes through no proxy, and no debug variable prints it`() throws {
    let proxy = try ScriptedServer { _ in
      .json(200, FakeXenoCanto.body([], page: 1, pages: 1, total: 0))
    }
    let catalogue = try FakeXenoCanto(["1", "2"])
    var variables = [
      "CHIRPER_XENO_CANTO_URL": catalogue.server.url.absoluteString, "XENO_CANTO_API_KEY": Self.key,
    ]
    for name in ["http_proxy", "https_proxy", "all_proxy", "ftp_proxy"] {
      variables[name] = proxy.url.absoluteString
      variables[name.uppercased()] = proxy.url.absoluteString
    }
    variables["URLSessionDebugLibcurl"] = "1"
    variables["URLSessionDebug"] = "1"
    variables["CURL_VERBOSE"] = "1"
    try withProgram(variables) { program in
      let result = try program.run("fetch", "parrot", "--all")
      #expect(result.status == 0, "\(result)")
      #expect(!Self.isIn(result.output + result.error), "\(result)")
      #expect(proxy.connections == 0)
      #expect(catalogue.server.requests.count == 1)
    }
  }

  @Test(arguments: ["/elsewhere", "", "?key=KEY"])
  func `never follows a redirect to another server`(target: String) throws {
    let other = try ScriptedServer { _ in
      .json(200, FakeXenoCanto.body([], page: 1, pages: 1, total: 0))
    }
    let location = other.url.absoluteString + target.replacing("KEY", with: Self.key)
    let own = try ScriptedServer { _ in .redirect(to: location) }
    try withProgram([
      "CHIRPER_XENO_CANTO_URL": own.url.absoluteString, "XENO_CANTO_API_KEY": Self.key,
    ]) { program in
      for command in [["fetch", "parrot"], ["fetch", "parrot", "--json"]] {
        let result = try program.run(BuiltProgram.path, command, input: "")
        #expect(result.status == 69, "\(result)")
        #expect(!(result.output + result.error).contains(Self.key), "\(result)")
      }
      #expect(other.requests.isEmpty)
      try expectNoTrace(in: program, "redirect")
    }
  }

  private static let others: [(id: String, query: String, answer: String)] = [
    ("itunes", "jack johnson", #"{"resultCount":0,"results":[]}"#),
    (
      "gbif", "turdus merula",
      #"{"usage":{"key":"1","name":"a"},"diagnostics":{"matchType":"EXACT"},"offset":0,"#
        + #""endOfRecords":true,"count":0,"results":[]}"#
    ),
    (
      "inaturalist", "turdus merula",
      #"{"total_results":1,"results":[{"id":1,"name":"Turdus merula","rank":"species"}]}"#
    ),
  ]

  @Test(arguments: others)
  func `is not sent to a different catalogue`(
    _ catalogue: (id: String, query: String, answer: String)
  )
    throws
  {
    let other = try ScriptedServer { _ in .json(200, catalogue.answer) }
    let variable = "CHIRPER_\(catalogue.id.uppercased())_URL"
    try withProgram([variable: other.url.absoluteString, "XENO_CANTO_API_KEY": Self.key]) {
      program in
      let result = try program.run("fetch", catalogue.query, "--source", catalogue.id)
      #expect(result.status == 0, "\(result)")
      #expect(!other.requests.isEmpty)
      for request in other.requests { #expect(!"\(request)".contains(Self.key)) }
      try expectNoTrace(in: program, catalogue.id)
    }
  }

  @Test func `every catalogue without a key is asked whether it is sent one`() {
    let others = Catalogues.all.filter { $0.keyHelpURL == nil && $0.service != nil }
    #expect(Set(Self.others.map(\.id)) == Set(others.map(\.id.rawValue)))
  }

  @Test func `does not appear in the arguments, in the journal or in an error while a fetch hangs`()
    throws
  {
    let catalogue = try FakeXenoCanto((1...9).map { "\($0)" }) { _, page in page > 1 ? .silent : nil
    }
    try withProgram(catalogue.variables.merging(["XENO_CANTO_API_KEY": Self.key]) { $1 }) {
      program in
      let run = try program.start(arguments: ["fetch", "parrot", "--all"])
      try waitUntil { catalogue.server.requests.count >= 2 }
      let id = run.process.processIdentifier
      for file in ["cmdline", "comm"] {
        let text = (try? Data(contentsOf: URL(filePath: "/proc/\(id)/\(file)"))) ?? Data()
        #expect(text.range(of: Data(Self.key.utf8)) == nil)
      }
      #if os(Linux)
      let limits = try String(contentsOfFile: "/proc/\(id)/limits", encoding: .utf8)
      #expect(limits.firstMatch(of: #/Max core file size +0 +0 /#) != nil, "\(limits)")
      #expect(
        try String(contentsOfFile: "/proc/\(id)/coredump_filter", encoding: .utf8) == "00000000\n"
      )
      #endif
      try expectNoTrace(in: program, "hanging")
      kill(id, SIGTERM)
      let result = try run.result()
      #expect(!(result.output + result.error).contains(Self.key))
    }
  }

  /// Whether the key is there, whatever its case, and whatever is between its letters that no text
  /// shows.
  private static func isIn(_ text: String) -> Bool {
    let shown = text.unicodeScalars.filter {
      ![.control, .format].contains($0.properties.generalCategory)
    }
    return spellings.contains { spelling in
      [text, String(shown)].contains {
        $0.range(of: spelling, options: [.caseInsensitive, .literal]) != nil
      }
    }
  }

  /// No file below the program's directory holds the key, but its own.
  private func expectNoTrace(in program: BuiltProgram, _ what: String) throws {
    let files = try #require(FileManager.default.enumerator(atPath: program.directory.path))
    for case let name as String in files
    where !name.hasSuffix("xeno-canto.key") && !name.hasSuffix("/in") {
      guard let data = try? Data(contentsOf: URL(filePath: program.path(name))) else { continue }
      #expect(!Self.isIn(String(decoding: data, as: UTF8.self)), "\(what): \(name)")
    }
  }
}
