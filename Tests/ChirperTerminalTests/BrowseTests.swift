import ChirperTestSupport
import Foundation
import Synchronization
import Testing

@testable import ChirperModel

/// The built program in a real terminal, against a server on loopback.
@Suite(.serialized) struct BrowseTests {
  @Test func `A search scrolls through three pages, loses the network, and restores the terminal`()
    throws
  {
    let catalogue = try FakeXenoCanto(parrots: 150)
    let home = try TestHome(catalogue.server.url)
    let terminal = try home.terminal("browse", "parrot")
    let before = terminal.settings
    #expect(terminal.shows("50 of 150 · scroll down"))
    let first = terminal.screen.text.writtenAtOnce
    try expect(first + "\n", inFile: "Frames/program first page 80x24.txt")
    #expect(terminal.settings != before)
    terminal.type("G")
    #expect(terminal.shows("100 of 150 · scroll down"))
    terminal.type("G")
    #expect(terminal.shows("150 of 150, complete"))
    // The rows that were appended leave the selection where it is.
    let selected = terminal.screen.text.split(separator: "\n").first { $0.hasPrefix(">") }
    #expect(selected?.contains("Sample parrot 100 ") == true, "\(terminal.screen.text)")
    terminal.type("G")
    #expect(terminal.shows("Sample parrot 150"))
    let last = terminal.screen.text.writtenAtOnce
    try expect(last + "\n", inFile: "Frames/program last page 80x24.txt")
    #expect(catalogue.pagesAsked == [1, 2, 3])

    catalogue.server.close()
    terminal.type("r")
    #expect(terminal.shows("offline"))
    #expect(terminal.shows("r tries again"))
    #expect(terminal.screen.text.contains("Sample parrot 150"))
    terminal.type("g")
    #expect(terminal.shows("Sample parrot 1 "))
    terminal.type("q")
    #expect(terminal.exitStatus() == 0)
    #expect(terminal.settings == before)
    #expect(terminal.screen.isAlternate == false)
    #expect(terminal.screen.unknown.isEmpty)
  }

  @Test func `A stored list is shown at once without a network`() throws {
    let catalogue = try FakeXenoCanto(parrots: 60)
    let home = try TestHome(catalogue.server.url)
    let first = try home.terminal("browse", "parrot")
    #expect(first.shows("50 of 60"))
    first.type("q")
    #expect(first.exitStatus() == 0)
    catalogue.server.close()
    let second = try home.terminal("browse")
    #expect(second.shows("parrot"))
    second.type("\r")
    #expect(second.shows("50 of 60"))
    #expect(second.shows("offline"))
    second.type("q")
    #expect(second.exitStatus() == 0)
  }

  @Test(arguments: [
    ("q", nil, 0), ("\u{3}", nil, 130), ("", SIGTERM, 143), ("", SIGINT, 130), ("", SIGHUP, 143),
  ])
  func `However the program ends, the terminal is restored`(
    keys: String, number: Int32?, status: Int32
  ) throws {
    let catalogue = try FakeXenoCanto(parrots: 60)
    let home = try TestHome(catalogue.server.url)
    let terminal = try home.terminal("browse", "parrot")
    let before = terminal.settings
    #expect(terminal.shows("50 of 60"))
    #expect(terminal.screen.marksPastes)
    terminal.type(keys)
    if let number { terminal.send(number) }
    #expect(terminal.exitStatus() == status)
    #expect(!String(decoding: terminal.raw, as: UTF8.self).contains("error:"))
    #expect(terminal.settings == before)
    #expect(terminal.screen.isAlternate == false)
    #expect(terminal.screen.marksPastes == false)
  }

  @Test(arguments: ["j", "\u{1B}[1;1", "\u{1B}[200~x"]) func `SIGTERM overtakes keys that wait`(
    key: String
  ) throws {
    let catalogue = try FakeXenoCanto(parrots: 60)
    let home = try TestHome(catalogue.server.url)
    let terminal = try home.terminal("browse", "parrot")
    #expect(terminal.shows("50 of 60"))
    terminal.type(String(repeating: key, count: 100_000))
    terminal.send(SIGTERM)
    #expect(terminal.exitStatus() == 143)
  }

  @Test func `A crash restores the terminal too`() throws {
    let home = try TestHome(try FakeXenoCanto(parrots: 60).server.url)
    let terminal = try home.terminal("browse")
    let before = terminal.settings
    #expect(terminal.shows("nothing is stored"))
    #expect(terminal.screen.marksPastes)
    terminal.send(SIGABRT)
    #expect(terminal.exitStatus() == 128 + SIGABRT)
    #expect(terminal.settings == before)
    #expect(terminal.screen.isAlternate == false)
    #expect(terminal.screen.marksPastes == false)
  }

  @Test func `A paste of two lines runs no key, and becomes the text of an open prompt`() throws {
    let catalogue = try FakeXenoCanto(parrots: 60)
    let home = try TestHome(catalogue.server.url)
    let terminal = try home.terminal("browse", "parrot")
    #expect(terminal.shows("50 of 60"))
    let pasted = "\u{1B}[200~/kea\r\nq\u{3}\n\u{1B}[201~"
    terminal.type(pasted)
    #expect(terminal.shows("a paste needs a prompt"))
    terminal.type("/" + pasted)
    #expect(terminal.shows("search: /kea q"))
    terminal.type("\u{1B}")
    #expect(terminal.wait { !$0.text.contains("search:") })
    terminal.type("q")
    #expect(terminal.exitStatus() == 0)
    // Neither line was searched for.
    #expect(try home.terminal("list").raw(untilExit: 10).contains("kea") == false)
    #expect(catalogue.pagesAsked == [1])
  }

  @Test func `D forgets a stored query once y is pressed`() throws {
    let catalogue = try FakeXenoCanto(parrots: 60)
    let home = try TestHome(catalogue.server.url)
    let terminal = try home.terminal("browse", "parrot")
    #expect(terminal.shows("50 of 60"))
    terminal.type("\u{1B}")
    #expect(terminal.shows("1 stored query"))
    terminal.type("Dn")
    #expect(terminal.shows("parrot is kept"))
    terminal.type("D")
    #expect(terminal.shows("forget parrot and its audio (xeno-canto, 50 rows)?"))
    terminal.type("y")
    #expect(terminal.shows("forgot parrot: 50 rows; deleted 50 recordings of no other list"))
    #expect(terminal.shows("nothing is stored yet"))
    terminal.type("q")
    #expect(terminal.exitStatus() == 0)
  }

  @Test func `A database that is moved away is said, and one that takes its place is shown`() throws
  {
    let catalogue = try FakeXenoCanto(parrots: 60)
    let home = try TestHome(catalogue.server.url)
    let file = home.directory.appending(path: ".local/share/chirper/chirper.sqlite").path
    let terminal = try home.terminal("browse", "parrot")
    #expect(terminal.shows("Sample parrot 1 "))
    #expect(rename(file, file + ".away") == 0)
    #expect(terminal.shows("was moved or deleted"))
    #expect(terminal.screen.text.contains("Sample parrot 1 "), "\(terminal.screen.text)")
    #expect(!FileManager.default.fileExists(atPath: file))
    #expect(rename(file + ".away", file) == 0)
    #expect(terminal.wait { !$0.text.contains("was moved or deleted") }, "\(terminal.screen.text)")
    func replace() throws {
      try FileManager.default.copyItem(atPath: file, toPath: file + ".copy")
      #expect(rename(file + ".copy", file) == 0)
    }
    try replace()
    #expect(terminal.shows("replaced by a different file, which is shown"))
    #expect(terminal.shows("Sample parrot 1 "))
    // Also where the stored queries are shown, and what is changed is in the new file.
    terminal.type("\u{1B}")
    #expect(terminal.shows("1 stored query"))
    try replace()
    #expect(terminal.shows("replaced by a different file, which is shown"))
    terminal.type("D")
    #expect(terminal.shows("forget parrot and its audio"))
    terminal.type("y")
    #expect(terminal.shows("forgot parrot"))
    #expect(try home.terminal("list").raw(untilExit: 10).contains("Nothing is stored yet"))
    terminal.type("q")
    #expect(terminal.exitStatus() == 0)
  }

  @Test
  func
    `A database that a newer program migrated is not changed, and the sentence says which to use`()
    throws
  {
    let catalogue = try FakeXenoCanto(parrots: 60)
    let home = try TestHome(catalogue.server.url)
    let file = home.directory.appending(path: ".local/share/chirper/chirper.sqlite").path
    let terminal = try home.terminal("browse", "parrot")
    #expect(terminal.shows("50 of 60"))
    // Byte 60 has the version, byte 24 the number that changes with each write.
    let handle = try FileHandle(forUpdating: URL(filePath: file))
    for byte in [27, 63] as [UInt64] {
      try handle.seek(toOffset: byte)
      let value = try #require(try handle.read(upToCount: 1)?.first)
      try handle.seek(toOffset: byte)
      try handle.write(contentsOf: [value &+ 90])
    }
    try handle.close()
    let migrated = try Data(contentsOf: URL(filePath: file))
    #expect(terminal.shows("written by a newer version"))
    #expect(terminal.screen.text.contains("Sample parrot 1 "), "\(terminal.screen.text)")
    terminal.type("r\u{1B}")
    #expect(terminal.shows("stored quer"))
    terminal.type("q")
    #expect(terminal.exitStatus() == 0)
    #expect(try Data(contentsOf: URL(filePath: file)) == migrated)
  }

  @Test func `The search of a filter ends although another process forgets the list meanwhile`()
    throws
  {
    let catalogue = try FakeXenoCanto(parrots: 60)
    let home = try TestHome(catalogue.server.url)
    let terminal = try home.terminal("browse", "parrot")
    #expect(terminal.shows("50 of 60"))
    // The rows' keys are read with the first letter.
    terminal.type("fparrot")
    #expect(terminal.shows("50 of 50 rows match parrot"))
    #expect(try home.terminal("forget", "parrot", "--yes").exitStatus() == 0)
    terminal.type(" 7")
    #expect(terminal.shows("0 of 0 rows match parrot 7 · Esc shows all"))
    terminal.type("\rq")
    #expect(terminal.exitStatus() == 0)
  }

  @Test func `list in a terminal of 80 columns shows quality, length, date and licence too`() throws
  {
    let home = try TestHome(try FakeXenoCanto(parrots: 60).server.url)
    #expect(try home.terminal("fetch", "parrot", "--source", "sample").exitStatus() == 0)
    let lines = try home.terminal("list", "parrot", "--source", "sample").raw(untilExit: 10).split(
      whereSeparator: \.isNewline)
    for heading in ["English name", "Q", "Length", "Type", "Country", "Date", "Licence", "ID"] {
      #expect(lines.first?.contains(heading) == true, "\(lines)")
    }
    #expect(
      lines.count > 50
        && lines.dropLast().allSatisfy { $0.count <= 80 + "\u{1B}[1m\u{1B}[0m".count }, "\(lines)")
  }

  @Test func `Audio that is kept has a mark`() throws {
    let catalogue = try FakeXenoCanto(parrots: 60)
    let home = try TestHome(catalogue.server.url)
    let audio = home.directory.appending(path: ".local/share/chirper/audio/xeno-canto")
    try FileManager.default.createDirectory(at: audio, withIntermediateDirectories: true)
    try Data("ID3".utf8).write(to: audio.appending(path: "2.mp3"))
    let terminal = try home.terminal("browse", "parrot")
    #expect(terminal.shows(" •  Sample parrot 2 "))
    #expect(terminal.screen.text.components(separatedBy: "•").count == 2)
    terminal.type("q")
    #expect(terminal.exitStatus() == 0)
  }

  @Test func `A row that a later fetch found has a mark, and the rows of the first have none`()
    throws
  {
    let catalogue = try FakeXenoCanto(parrots: 3)
    let home = try TestHome(catalogue.server.url)
    #expect(try home.terminal("fetch", "parrot", "--all").exitStatus() == 0)
    catalogue.ids.append("99")
    #expect(try home.terminal("fetch", "parrot", "--all").exitStatus() == 0)
    let terminal = try home.terminal("browse", "parrot")
    #expect(terminal.shows("  *"))
    #expect(terminal.screen.text.components(separatedBy: "*").count == 2)
    terminal.type("q")
    #expect(terminal.exitStatus() == 0)
  }

  @Test func `Without a key the first screen explains the sample and the way to real recordings`()
    throws
  {
    let home = try TestHome(try FakeXenoCanto(parrots: 60).server.url, hasKey: false)
    let terminal = try home.terminal("browse")
    #expect(terminal.shows("nothing is stored yet"))
    #expect(terminal.shows("chirper auth set") && terminal.shows("made-up recordings"))
    terminal.type("3")
    #expect(terminal.wait { $0.text.components(separatedBy: "xeno-canto needs a key.").count == 3 })
    terminal.type("/kea\r")
    #expect(terminal.shows("Kea"))
    #expect(terminal.shows("chirper auth set") && terminal.shows("nothing in it is data"))
    terminal.type("q")
    #expect(terminal.exitStatus() == 0)
  }

  @Test func `While nothing is stored, a digit fetches a first list`() throws {
    let catalogue = try FakeXenoCanto(parrots: 60)
    let home = try TestHome(catalogue.server.url)
    let terminal = try home.terminal("browse")
    #expect(terminal.shows("1  Show the sample") && terminal.shows("3  Fetch from xeno-canto"))
    terminal.type("1")
    #expect(terminal.shows("50 of 715"))
    terminal.type("\u{1B}")
    #expect(terminal.shows("1 stored query"))
    #expect(!terminal.screen.text.contains("Show the sample"))
    terminal.type("q")
    #expect(terminal.exitStatus() == 0)
    #expect(catalogue.pagesAsked == [])
  }

  @Test func `The taxon that a name is asked for as is shown once it is known`() throws {
    let server = try ScriptedServer { request in
      request.path == "/v2/species/match"
        ? .json(
          200,
          #"{"usage":{"key":"62RT4","canonicalName":"Accipiter","rank":"GENUS"},"diagnostics":{"matchType":"EXACT"}}"#
        )
        : .json(200, #"{"offset":0,"limit":300,"endOfRecords":true,"count":0,"results":[]}"#)
    }
    let home = try TestHome(server.url, variable: "CHIRPER_GBIF_URL")
    let terminal = try home.terminal("browse", "accipiter", "--source", "gbif")
    #expect(terminal.shows("nothing found for accipiter"))
    #expect(terminal.shows("Asked GBIF for taxonKey 62RT4 (Accipiter, genus)"))
    terminal.type("q")
    #expect(terminal.exitStatus() == 0)
  }

  @Test(arguments: [true, false])
  func `Words that name one taxon open its list, once`(hasRows: Bool) throws {
    let row = #"{"id":"7","gen":"Turdus","sp":"merula","en":"Common Blackbird","cnt":"Norway"}"#
    let isRefused = Locked(false)
    let server = try ScriptedServer { request in
      switch request.path {
      case "/v1/species/search":
        return .json(
          200,
          #"{"offset":0,"limit":300,"endOfRecords":true,"count":1,"results":[{"key":1,"nubKey":1,"canonicalName":"Turdus merula","rank":"SPECIES","vernacularNames":[{"vernacularName":"Amsel","language":"deu"}]}]}"#
        )
      case "/v2/species/match":
        return .json(
          200,
          #"{"usage":{"key":"1","canonicalName":"Turdus merula","rank":"SPECIES"},"diagnostics":{"matchType":"EXACT"}}"#
        )
      default:
        guard !isRefused.withLock(\.self) else { return .json(401, "{}") }
        let isFound = hasRows && request.query("query") == #"sp:"Turdus merula""#
        return .json(
          200,
          FakeXenoCanto.body(isFound ? [row] : [], page: 1, pages: 1, total: isFound ? 1 : 0))
      }
    }
    let home = try TestHome(server.url, also: ["CHIRPER_GBIF_URL"])
    let terminal = try home.terminal("browse", "Amsel")
    #expect(terminal.shows("Amsel is Turdus merula, by GBIF's name service"))
    let found = hasRows ? "Norway" : "nothing found for Amsel"
    #expect(terminal.shows(found))
    // The taxon's list without rows is forgotten.
    try waitUntil {
      let misses = try home.terminal("list", "--empty", "--format", "csv").raw(untilExit: 60)
      return misses.split(separator: "Amsel").count == (hasRows ? 1 : 2)
    }
    terminal.type("?")
    #expect(terminal.shows("search a catalogue;"))
    terminal.type("\u{1B}")
    #expect(terminal.shows(found))
    // What happens to it afterwards is shown.
    isRefused.withLock { $0 = true }
    terminal.type("r")
    #expect(terminal.shows("chirper auth set"))
    terminal.type("q")
    #expect(terminal.exitStatus() == 0)
    #expect(try home.terminal("list", "Amsel").exitStatus() == 0)
    #expect(server.requests.count { $0.path == "/v1/species/search" } == 1)
  }

  @Test func `A bird is opened under the name that the catalogue has for it`() throws {
    let row = #"{"id":"7","gen":"Sylvia","sp":"communis","en":"Common Whitethroat","cnt":"Norway"}"#
    let server = try ScriptedServer { request in
      let isFound = request.query("query") == #"en:"Common Whitethroat""#
      return .json(
        200,
        FakeXenoCanto.body(isFound ? [row] : [], page: 1, pages: 1, total: isFound ? 1 : 0))
    }
    let home = try TestHome(server.url)
    let terminal = try home.terminal("browse", "curruca communis")
    #expect(terminal.shows("curruca communis is asked as Common Whitethroat"))
    #expect(terminal.shows("Norway"))
    terminal.type("q")
    #expect(terminal.exitStatus() == 0)
    #expect(server.requests.count == 3)
  }

  @Test func `Ctrl-Z returns to the shell, and fg to the screen`() throws {
    let catalogue = try FakeXenoCanto(parrots: 60)
    let home = try TestHome(catalogue.server.url)
    let terminal = try home.shell()
    terminal.type("\(PseudoTerminal.program) browse parrot\n")
    #expect(terminal.shows("50 of 60"))
    let during = terminal.settings
    terminal.type("\u{1A}")
    #expect(
      terminal.wait { _ in String(decoding: terminal.raw, as: UTF8.self).contains("Stopped") })
    #expect(terminal.screen.isAlternate == false)
    #expect(terminal.settings != during)
    terminal.type("fg\n")
    #expect(
      terminal.wait { $0.isAlternate && $0.marksPastes && $0.text.contains("Sample parrot 5 ") })
    #expect(terminal.settings == during)
    terminal.resize(columns: 60, rows: 8)
    #expect(
      terminal.shows("Sample parrot 4 ") && terminal.screen.text.hasPrefix("parrot · xeno-canto"))
    terminal.type("q")
    #expect(terminal.waitForPrompt())
    terminal.type("exit\n")
    #expect(terminal.exitStatus() == 0)
  }

  /// Into a pipe that is read a little at a time, so that writing takes long enough to be shown.
  @Test(arguments: [false, true])
  func `An export into a file shows in the terminal how far it is, and takes that away`(
    isInterrupted: Bool
  ) throws {
    let catalogue = try FakeXenoCanto(parrots: 500)
    let home = try TestHome(catalogue.server.url)
    try #require(try home.terminal("fetch", "parrot", "--all").exitStatus() == 0)
    let pipe = home.directory.appending(path: "pipe").path
    #expect(mkfifo(pipe, 0o600) == 0)
    let terminal = try home.terminal(
      "export", "parrot", "--format", "jsonl", "--tidy", "-o", "pipe")
    let reader = try #require(FileHandle(forReadingAtPath: pipe))
    var rows = Data()
    func isShown(_: VirtualScreen) -> Bool {
      String(decoding: terminal.raw, as: UTF8.self).contains("parrot: writing, ")
    }
    while !terminal.wait(seconds: 0.2, until: isShown),
      let some = try reader.read(upToCount: 32_768)
    {
      rows += some
    }
    if isInterrupted {
      terminal.type("\u{3}")
      #expect(terminal.exitStatus() == 130)
      let raw = String(decoding: terminal.raw, as: UTF8.self)
      #expect(raw.hasSuffix("\r\u{1B}[K"), "\(raw)")
      return
    }
    rows += try reader.readToEnd() ?? Data()
    #expect(rows.split(separator: UInt8(ascii: "\n")).count == 500)
    let raw = terminal.raw(untilExit: 10)
    #expect(raw.contains(" of 500 rows\r\u{1B}[Kwrote 500 rows to pipe"), "\(raw)")
  }

  @Test func `An export has the rows shown, even if another process changed the list meanwhile`()
    throws
  {
    let catalogue = try FakeXenoCanto(parrots: 60)
    let home = try TestHome(catalogue.server.url)
    let terminal = try home.terminal("browse", "parrot")
    #expect(terminal.shows("50 of 60"))
    terminal.type("2fparrot 9\r")
    #expect(terminal.shows("1 of 50 rows"))
    let other = try home.terminal("fetch", "parrot", "--all")
    #expect(other.exitStatus() == 0)
    terminal.type("e\u{15}out.csv\r")
    #expect(terminal.shows("wrote 1 row to out.csv"))
    let text = try String(contentsOf: home.directory.appending(path: "out.csv"), encoding: .utf8)
    #expect(text.contains("Sample parrot 9,"), "\(text)")
    terminal.type("q")
    #expect(terminal.exitStatus() == 0)
  }

  @Test func `An export that was started is complete when the program ends`() throws {
    let catalogue = try FakeXenoCanto(parrots: 60)
    let home = try TestHome(catalogue.server.url)
    let terminal = try home.terminal("browse", "parrot")
    #expect(terminal.shows("50 of 60"))
    terminal.type("e\u{15}out.jsonl\rq")
    #expect(terminal.exitStatus() == 0)
    let text = try String(contentsOf: home.directory.appending(path: "out.jsonl"), encoding: .utf8)
    #expect(text.split(separator: "\n").count == 50)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: home.directory.path).allSatisfy {
        !$0.hasSuffix(".part")
      })
  }

  @Test func `In the background it leaves the terminal to the shell`() throws {
    let catalogue = try FakeXenoCanto(parrots: 60)
    let home = try TestHome(catalogue.server.url)
    let terminal = try home.shell()
    terminal.type("\(PseudoTerminal.program) browse parrot\n")
    #expect(terminal.shows("50 of 60"))
    terminal.type("\u{1A}")
    #expect(
      terminal.wait { _ in String(decoding: terminal.raw, as: UTF8.self).contains("Stopped") })
    terminal.type("bg; sleep 0.3; echo 'still' here\n")
    #expect(
      terminal.wait { _ in String(decoding: terminal.raw, as: UTF8.self).contains("still here") })
    #expect(terminal.screen.isAlternate == false)
    terminal.type("fg\n")
    #expect(terminal.wait { $0.isAlternate && $0.text.contains("Sample parrot 5 ") })
    terminal.type("q")
    #expect(terminal.waitForPrompt())
    terminal.type("exit\n")
    #expect(terminal.exitStatus() == 0)
  }

  @Test func `A sample recording is played, and the screen shows when it ends`() throws {
    let home = try TestHome(try FakeXenoCanto(parrots: 60).server.url)
    let played = try home.install(
      player: "mpv",
      script:
        "cp \"${@: -1}\" \"$HOME/played.wav\"; while [ ! -e \"$HOME/heard\" ]; do sleep 0.05; done")
    let terminal = try home.terminal("browse", "kea", "--source", "sample")
    #expect(terminal.shows("Kea"))
    terminal.type("p")
    #expect(terminal.shows("♪ playing"))
    try Data().write(to: played.appending(path: "heard"))
    #expect(terminal.shows("finished playing"))
    #expect(
      try Data(contentsOf: played.appending(path: "played.wav")).prefix(4) == Data("RIFF".utf8))
    terminal.type("q")
    #expect(terminal.exitStatus() == 0)
  }

  @Test(arguments: [
    ("mpv", "--start=0.5 --end=1.5", "♪ playing 0.5–1.5 s of 7"),
    ("afplay", "", "afplay cannot play a part of a file, so the whole recording plays"),
  ])
  func `The chosen annotation of a recording is played`(
    name: String, options: String, line: String
  ) throws {
    var record = FakeXenoCanto.Record(7, "exemplaris")
    record.file = "/7/download"
    record.annotationSet = #"{"annotations":[{"start_time":"0.5","end_time":"1.5"}]}"#
    let catalogue = try FakeXenoCanto(records: [record]) { request, _ in
      guard request.path.hasSuffix("/download") else { return nil }
      return .bytes(200, Array("RIFF\0\0\0\0WAVE".utf8), headers: ["Content-Type": "audio/wav"])
    }
    let home = try TestHome(catalogue.server.url)
    let played = try home.install(
      player: name,
      script: "echo \"$@\" > \"$HOME/said\"; while [ ! -e \"$HOME/heard\" ]; do sleep 0.05; done")
    let terminal = try home.terminal("browse", "parrot")
    #expect(terminal.shows("Sample parrot 7"))
    terminal.type("\r")
    #expect(terminal.shows("n chooses an annotation"))
    terminal.type("np")
    #expect(terminal.shows(line))
    let file = played.appending(path: "said")
    #expect(terminal.wait { _ in FileManager.default.fileExists(atPath: file.path) })
    let said = try String(contentsOf: file, encoding: .utf8)
    #expect(said.hasPrefix(options) && said.contains("--start") == !options.isEmpty, "\(said)")
    try Data().write(to: played.appending(path: "heard"))
    #expect(terminal.shows("finished playing 7"))
    terminal.type("q")
    #expect(terminal.shows("Sample parrot 7"))
    terminal.type("q")
    #expect(terminal.exitStatus() == 0)
  }

  @Test func `A player that crashes is reported and does not disturb the screen`() throws {
    let home = try TestHome(try FakeXenoCanto(parrots: 60).server.url)
    _ = try home.install(
      player: "mpv", script: "stty sane; printf 'noise\\nno device\\n'; kill -SEGV $$")
    let terminal = try home.terminal("browse", "kea", "--source", "sample")
    #expect(terminal.shows("Kea"))
    terminal.type(" ")
    #expect(terminal.shows("mpv crashed (signal 11): no device"))
    #expect(!terminal.screen.text.contains("noise"))
    terminal.type("q")
    #expect(terminal.exitStatus() == 0)
  }
}

extension FakeXenoCanto {
  /// So many made-up parrots, 50 a page.
  fileprivate convenience init(parrots count: Int) throws {
    try self.init((1...count).map { "\($0)" }, rowsPerPage: 50)
  }
}

/// The home directory and the environment of one test.
final class TestHome {
  let directory: URL
  private var environment: [String: String]

  /// - Parameters:
  ///   - variable: that of the catalogue's base URL.
  ///   - also: those of further catalogues that the same server answers for.
  init(
    _ catalogue: URL, variable: String = "CHIRPER_XENO_CANTO_URL", hasKey: Bool = true,
    also: [String] = []
  ) throws {
    directory = FileManager.default.temporaryDirectory.appending(
      path: "chirper-browse-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    environment = [
      "HOME": directory.path, "PATH": "\(directory.path)/bin:/usr/bin:/bin",
      "TERM": "xterm-256color", "LC_ALL": "C.UTF-8",
      variable: catalogue.absoluteString, "TZ": "UTC",
    ]
    #if os(macOS)
    environment["XDG_DATA_HOME"] = directory.appending(path: ".local/share").path
    #endif
    for variable in also { environment[variable] = catalogue.absoluteString }
    if hasKey { environment["XENO_CANTO_API_KEY"] = "x" }
    // 50 a page, as the smallest that xeno-canto serves.
    let config = directory.appending(path: ".config/chirper", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: config, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  func terminal(_ arguments: String...) throws -> PseudoTerminal { try terminal(arguments) }

  func terminal(_ arguments: [String]) throws -> PseudoTerminal {
    try PseudoTerminal(arguments, environment: environment, directory: directory)
  }

  /// A shell that runs a line and ends.
  func shell(_ line: String) throws -> PseudoTerminal {
    try PseudoTerminal(
      program: "/bin/sh", ["-c", line], environment: environment, directory: directory)
  }

  /// An interactive shell, which has jobs.
  func shell() throws -> PseudoTerminal {
    try PseudoTerminal(
      program: "/bin/bash", ["--norc", "-i"], environment: environment, directory: directory)
  }

  /// Installs a script under the name of a player; returns the home directory, which it may write
  /// to.
  func install(player: String, script: String) throws -> URL {
    let bin = directory.appending(path: "bin", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: bin, withIntermediateDirectories: true)
    let file = bin.appending(path: player)
    try Data("#!/bin/bash\n\(script)\n".utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
    return directory
  }
}
