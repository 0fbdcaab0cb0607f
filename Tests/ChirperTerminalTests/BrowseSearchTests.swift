import ChirperTestSupport
import Foundation
import Testing

/// Searching as one types, in the built program in a real terminal.
@Suite(.serialized) struct BrowseSearchTests {
  @Test func `s finds recordings of every list, and Esc goes back to where it was pressed`() throws
  {
    let catalogue = try FakeXenoCanto((1...12).map { "\($0)" }, rowsPerPage: 50)
    let home = try TestHome(catalogue.server.url)
    #expect(try home.terminal("fetch", "parrot").exitStatus() == 0)
    #expect(try home.terminal("fetch", "kea", "--source", "sample").exitStatus() == 0)
    let terminal = try home.terminal("browse")
    #expect(terminal.shows("2 stored queries"))
    terminal.type("sparrot -1")
    #expect(terminal.shows("recordings found"))
    #expect(
      terminal.wait {
        $0.text.contains("Sample parrot 2 ") && !$0.text.contains("Sample parrot 10")
      }, "\(terminal.screen.text)")
    terminal.type("\r")
    #expect(terminal.wait { !$0.text.contains("search everything stored:") })
    terminal.type("\r")
    #expect(terminal.shows("in the list parrot"))
    terminal.type("\u{1B}")
    #expect(terminal.shows("Source"))
    terminal.type("e\u{15}found.csv\r")
    #expect(terminal.shows("wrote 8 recordings to found.csv"))
    let text = try String(contentsOf: home.directory.appending(path: "found.csv"), encoding: .utf8)
    #expect(text.split(whereSeparator: \.isNewline).count == 9, "\(text)")
    terminal.type("\u{1B}")
    #expect(terminal.shows("2 stored queries"))
    // Sample recordings come with their notice.
    terminal.type("ssource:sample")
    #expect(terminal.shows("nothing in it is data"))
    terminal.type("\u{1B}")
    #expect(terminal.shows("2 stored queries"))
    terminal.type("q")
    #expect(terminal.exitStatus() == 0)
  }

  @Test func `a misspelled country or name is suggested, and Enter searches for it`() throws {
    let catalogue = try FakeXenoCanto((1...3).map { "\($0)" }, rowsPerPage: 50)
    let home = try TestHome(catalogue.server.url)
    let terminal = try home.terminal("browse", "parrot")
    #expect(terminal.shows("3 of 3, complete"))
    for (key, typed, meant, found) in [
      ("s", "cnt:gabno", "cnt:Gabon", "3 of 3 recordings found"),
      ("f", "cnt:gabno", "cnt:Gabon", "3 of 3 rows match cnt:Gabon"),
      ("s", "sampel parrot 2", "Sample parrot 2", "also as Psittacus exemplaris"),
    ] {
      terminal.type("\(key)\(typed)")
      let isSuggested = terminal.wait {
        $0.text.contains(": \(typed)")
          && $0.text.contains("did you mean \(meant)? · Enter searches for it")
      }
      #expect(isSuggested, "\(terminal.screen.text)")
      terminal.type("\r")
      #expect(terminal.shows(found))
      terminal.type("\u{1B}")
      #expect(terminal.shows("3 of 3, complete"))
    }
    terminal.type("q")
    #expect(terminal.exitStatus() == 0)
  }

  @Test func `names come first, a row says where else the word is, and a file keeps the order`()
    throws
  {
    var records = (1...4).map { number in
      FakeXenoCanto.Record("\(number)", species: number == 1 ? "kea" : "exemplaris")
    }
    records[3].remark = "like a kea"
    let catalogue = try FakeXenoCanto(records: records, rowsPerPage: 50)
    let home = try TestHome(catalogue.server.url)
    #expect(try home.terminal("fetch", "parrot").exitStatus() == 0)
    func isRanked(_ text: String) -> Bool {
      guard let name = text.range(of: "Sample parrot 1"),
        let remark = text.range(of: "Sample parrot 4")
      else { return false }
      return name.lowerBound < remark.lowerBound && text.contains("in remarks: like a kea")
        && !text.contains("parrot 2")
    }
    for arguments in [["search", "kea"], ["list", "parrot", "--where", "kea"]] {
      let ranked = try home.terminal(arguments).raw(untilExit: 20)
      #expect(isRanked(ranked), "\(ranked)")
      let stored = try home.terminal(arguments + ["--sort", "stored"]).raw(untilExit: 20)
      #expect(!isRanked(stored) && stored.contains("in remarks: like a kea"), "\(stored)")
    }
    let terminal = try home.terminal("browse", "parrot")
    #expect(terminal.shows("4 of 4, complete"))
    for (key, file) in [("s", "found.csv"), ("f", "matches.csv")] {
      terminal.type("\(key)kea\r")
      #expect(terminal.wait { isRanked($0.text) }, "\(terminal.screen.text)")
      // A file has the order as stored.
      terminal.type("e\u{15}\(file)\r")
      #expect(terminal.shows("to \(file)"))
      let text = try String(contentsOf: home.directory.appending(path: file), encoding: .utf8)
      let rows = text.split(whereSeparator: \.isNewline).dropFirst()
      #expect(rows.map { $0.contains("like a kea") } == [true, false], "\(text)")
      terminal.type("\u{1B}")
      #expect(terminal.shows("Sample parrot 2"))
    }
    terminal.type("q")
    #expect(terminal.exitStatus() == 0)
  }

  @Test(arguments: [
    ("parrot q:A", #""parrot" is taken as an English name"#),
    ("foo:x", #"chirper does not know the tag "foo:""#),
  ]) func `A query that is not sent as it was typed says so`(_ typed: String, _ note: String) throws
  {
    let catalogue = try FakeXenoCanto((1...3).map { "\($0)" }, rowsPerPage: 50)
    let home = try TestHome(catalogue.server.url)
    let terminal = try home.terminal("browse", typed)
    #expect(terminal.shows(note))
    terminal.type("q")
    #expect(terminal.exitStatus() == 0)
  }

  @Test(arguments: [("s", "search everything stored: "), ("f", "filter: ")])
  func
    `Letters are shown while a search waits for the disk, and only the last search is ever shown`(
      key: String, label: String
    ) throws
  {
    let catalogue = try FakeXenoCanto((1...60).map { "\($0)" }, rowsPerPage: 60)
    let home = try TestHome(catalogue.server.url)
    #expect(try home.terminal("fetch", "parrot", "--all").exitStatus() == 0)
    let terminal = try home.terminal("browse", "parrot")
    #expect(terminal.shows("60 of 60, complete"))
    // From here on every read of the program waits, so each search is as slow as the test likes.
    let lock = try DatabaseLock(
      home.directory.appending(path: ".local/share/chirper/chirper.sqlite"))
    let before = terminal.raw.count
    terminal.type(key)
    var typed = ""
    for letter in "parrot 17" {
      typed.append(letter)
      terminal.type(String(letter))
      // The screen's text has no spaces at the ends of lines.
      #expect(
        terminal.shows(label + (letter == " " ? String(typed.dropLast()) : typed)),
        "\(terminal.screen.text)")
    }
    #expect(terminal.shows("searching for parrot 17"))
    lock.release()
    #expect(terminal.shows("1 of 60 "))
    // The row may be read after the frame with the count.
    #expect(terminal.shows("Sample parrot 17"))
    // The searches for the texts before would have found 60 and 11.
    let drawn = String(decoding: terminal.raw.dropFirst(before), as: UTF8.self)
    #expect(!drawn.contains("60 of 60 r") && !drawn.contains("11 of 60"), "\(drawn)")
    terminal.type("\rq")
    #expect(terminal.exitStatus() == 0)
  }

  @Test func `Ctrl-C ends the program at once while a search waits for the disk`() throws {
    let catalogue = try FakeXenoCanto(["1"])
    let home = try TestHome(catalogue.server.url)
    #expect(try home.terminal("fetch", "parrot", "--all").exitStatus() == 0)
    let terminal = try home.terminal("browse")
    let before = terminal.settings
    #expect(terminal.shows("1 stored query"))
    let lock = try DatabaseLock(
      home.directory.appending(path: ".local/share/chirper/chirper.sqlite"))
    terminal.type("sparrot")
    #expect(terminal.shows("searching for parrot"))
    terminal.type("\u{3}")
    #expect(terminal.exitStatus(seconds: 5) == 130)
    #expect(terminal.settings == before)
    lock.release()
  }
}

/// Holds SQLite's exclusive lock on a database file, as a process does that writes: every read
/// waits.
private final class DatabaseLock {
  private let file: Int32

  init(_ database: URL) throws {
    file = open(database.path, O_RDWR | O_CLOEXEC)
    try #require(file >= 0)
    // The bytes that SQLite locks: pending, reserved and shared (sqlite.org/lockingv3.html,
    // os_unix.c).
    var bytes = flock()
    bytes.l_type = Int16(F_WRLCK)
    bytes.l_whence = Int16(SEEK_SET)
    bytes.l_start = 0x4000_0000
    bytes.l_len = 512
    try #require(fcntl(file, F_SETLKW, &bytes) == 0)
  }

  func release() { close(file) }
}
