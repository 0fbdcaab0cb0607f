import ChirperTestSupport
import Foundation
import Synchronization
import Testing

@testable import ChirperModel

/// The built program in a real terminal, against a server on loopback.
@Suite(.serialized) struct BrowseTests {
  @Test func `A search is scrolled through three pages, loses the network, and restores the terminal`() throws {
    let catalogue = try LoopbackCatalogue(rows: 150)
    let world = try World(catalogue.url)
    let terminal = try world.terminal("browse", "parrot")
    let before = terminal.settings
    #expect(terminal.shows("50 of 150 · scroll down"))
    try expect(terminal.screen.text + "\n", inFile: "Frames/program first page 80x24.txt")
    #expect(terminal.settings != before)
    terminal.type("G")
    #expect(terminal.shows("100 of 150 · scroll down"))
    terminal.type("G")
    #expect(terminal.shows("150 of 150, complete"))
    terminal.type("G")
    #expect(terminal.shows("Sample parrot 150"))
    try expect(terminal.screen.text + "\n", inFile: "Frames/program last page 80x24.txt")
    #expect(catalogue.pagesAsked == [1, 2, 3])

    catalogue.close()
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

  @Test func `Stored rows are shown at once without a network`() throws {
    let catalogue = try LoopbackCatalogue(rows: 60)
    let world = try World(catalogue.url)
    let first = try world.terminal("browse", "parrot")
    #expect(first.shows("50 of 60"))
    first.type("q")
    #expect(first.exitStatus() == 0)
    catalogue.close()
    let second = try world.terminal("browse")
    #expect(second.shows("parrot"))
    second.type("\r")
    #expect(second.shows("50 of 60"))
    #expect(second.shows("offline"))
    second.type("q")
    #expect(second.exitStatus() == 0)
  }

  @Test(arguments: [("q", nil, 0), ("\u{3}", nil, 130), ("", SIGTERM, 143), ("", SIGINT, 130), ("", SIGHUP, 129)])
  func `The terminal is restored however the program ends`(keys: String, number: Int32?, status: Int32) throws {
    let catalogue = try LoopbackCatalogue(rows: 60)
    let world = try World(catalogue.url)
    let terminal = try world.terminal("browse", "parrot")
    let before = terminal.settings
    #expect(terminal.shows("50 of 60"))
    terminal.type(keys)
    if let number { terminal.send(number) }
    #expect(terminal.exitStatus() == status)
    #expect(terminal.settings == before)
    #expect(terminal.screen.isAlternate == false)
  }

  @Test func `A crash restores the terminal too`() throws {
    let world = try World(try LoopbackCatalogue(rows: 60).url)
    let terminal = try world.terminal("browse")
    let before = terminal.settings
    #expect(terminal.shows("nothing is stored"))
    terminal.send(SIGABRT)
    #expect(terminal.exitStatus() == 128 + SIGABRT)
    #expect(terminal.settings == before)
    #expect(terminal.screen.isAlternate == false)
  }

  @Test func `Ctrl-Z returns the terminal to the shell, and fg takes it again`() throws {
    let catalogue = try LoopbackCatalogue(rows: 60)
    let world = try World(catalogue.url)
    let terminal = try world.shell()
    terminal.type("\(PseudoTerminal.program) browse parrot\n")
    #expect(terminal.shows("50 of 60"))
    let during = terminal.settings
    terminal.type("\u{1A}")
    #expect(terminal.wait { _ in String(decoding: terminal.raw, as: UTF8.self).contains("Stopped") })
    #expect(terminal.screen.isAlternate == false)
    #expect(terminal.settings != during)
    terminal.type("fg\n")
    #expect(terminal.wait { $0.isAlternate && $0.text.contains("Sample parrot 5 ") })
    #expect(terminal.settings == during)
    terminal.resize(columns: 60, rows: 8)
    #expect(terminal.shows("Sample parrot 4 ") && terminal.screen.text.hasPrefix("parrot · xeno-canto"))
    terminal.type("q")
    #expect(terminal.waitForPrompt())
    terminal.type("exit\n")
    #expect(terminal.exitStatus() == 0)
  }

  @Test func `An export has the rows that are shown, even after another process changed the list`() throws {
    let catalogue = try LoopbackCatalogue(rows: 60)
    let world = try World(catalogue.url)
    let terminal = try world.terminal("browse", "parrot")
    #expect(terminal.shows("50 of 60"))
    terminal.type("2fparrot 9\r")
    #expect(terminal.shows("1 of 50 rows"))
    let other = try world.terminal("fetch", "parrot", "--all")
    #expect(other.exitStatus() == 0)
    terminal.type("e\u{15}out.csv\r")
    #expect(terminal.shows("wrote 1 row to out.csv"))
    let text = try String(contentsOf: world.directory.appending(path: "out.csv"), encoding: .utf8)
    #expect(text.contains("Sample parrot 9,"), "\(text)")
    terminal.type("q")
    #expect(terminal.exitStatus() == 0)
  }

  @Test func `An export that is running is finished when the user quits`() throws {
    let catalogue = try LoopbackCatalogue(rows: 60)
    let world = try World(catalogue.url)
    let terminal = try world.terminal("browse", "parrot")
    #expect(terminal.shows("50 of 60"))
    terminal.type("e\u{15}out.jsonl\rq")
    #expect(terminal.exitStatus() == 0)
    let text = try String(contentsOf: world.directory.appending(path: "out.jsonl"), encoding: .utf8)
    #expect(text.split(separator: "\n").count == 50)
    #expect(try FileManager.default.contentsOfDirectory(atPath: world.directory.path).allSatisfy { !$0.hasSuffix(".part") })
  }

  @Test func `Continued in the background, it leaves the terminal to the shell`() throws {
    let catalogue = try LoopbackCatalogue(rows: 60)
    let world = try World(catalogue.url)
    let terminal = try world.shell()
    terminal.type("\(PseudoTerminal.program) browse parrot\n")
    #expect(terminal.shows("50 of 60"))
    terminal.type("\u{1A}")
    #expect(terminal.wait { _ in String(decoding: terminal.raw, as: UTF8.self).contains("Stopped") })
    terminal.type("bg; sleep 0.3; echo 'still' here\n")
    #expect(terminal.wait { _ in String(decoding: terminal.raw, as: UTF8.self).contains("still here") })
    #expect(terminal.screen.isAlternate == false)
    terminal.type("fg\n")
    #expect(terminal.wait { $0.isAlternate && $0.text.contains("Sample parrot 5 ") })
    terminal.type("q")
    #expect(terminal.waitForPrompt())
    terminal.type("exit\n")
    #expect(terminal.exitStatus() == 0)
  }

  @Test func `A sample recording is played, and the screen shows the end`() throws {
    let world = try World(try LoopbackCatalogue(rows: 60).url)
    let played = try world.install(
      player: "mpv", script: "cp \"${@: -1}\" \"$HOME/played.wav\"; while [ ! -e \"$HOME/heard\" ]; do sleep 0.05; done")
    let terminal = try world.terminal("browse", "kea", "--source", "sample")
    #expect(terminal.shows("Kea"))
    terminal.type("p")
    #expect(terminal.shows("♪ playing"))
    try Data().write(to: played.appending(path: "heard"))
    #expect(terminal.shows("finished playing"))
    #expect(try Data(contentsOf: played.appending(path: "played.wav")).prefix(4) == Data("RIFF".utf8))
    terminal.type("q")
    #expect(terminal.exitStatus() == 0)
  }

  @Test func `A player that crashes is reported and does not disturb the screen`() throws {
    let world = try World(try LoopbackCatalogue(rows: 60).url)
    _ = try world.install(player: "mpv", script: "stty sane; printf 'noise'; kill -SEGV $$")
    let terminal = try world.terminal("browse", "kea", "--source", "sample")
    #expect(terminal.shows("Kea"))
    terminal.type(" ")
    #expect(terminal.shows("mpv crashed (signal 11)"))
    #expect(!terminal.screen.text.contains("noise"))
    terminal.type("q")
    #expect(terminal.exitStatus() == 0)
  }
}

/// A fake xeno-canto with made-up parrots, 50 a page.
final class LoopbackCatalogue: Sendable {
  private let server: ScriptedServer

  init(rows: Int) throws {
    server = try ScriptedServer { request in
      let page = request.query("page").flatMap { Int($0) } ?? 1
      let numbers = (1...rows).dropFirst((page - 1) * 50).prefix(50)
      let records = numbers.map { number in
        """
        {"id":"\(number)","gen":"Psittacus","sp":"exemplaris","en":"Sample parrot \(number)","cnt":"Gabon","type":"call",\
        "q":"A","length":"0:30","rec":"Sample recordist","date":"2024-05-01"}
        """
      }
      let pages = (rows + 49) / 50
      return .json(
        200,
        """
        {"numRecordings":"\(rows)","numSpecies":"1","page":\(page),"numPages":\(pages),"recordings":[\(records.joined(separator: ","))]}
        """)
    }
  }

  var url: URL { server.url }
  var pagesAsked: [Int] { server.requests.compactMap { $0.query("page").flatMap { Int($0) } } }

  func close() { server.close() }
}

/// A home, a data directory and an environment for one test.
final class World {
  let directory: URL
  private var environment: [String: String]

  init(_ catalogue: URL) throws {
    directory = FileManager.default.temporaryDirectory.appending(path: "chirper-browse-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    environment = [
      "HOME": directory.path, "PATH": "\(directory.path)/bin:/usr/bin:/bin", "TERM": "xterm-256color", "LC_ALL": "C.UTF-8",
      "CHIRPER_XENO_CANTO_URL": catalogue.absoluteString, "XENO_CANTO_API_KEY": "x", "TZ": "UTC",
    ]
    // 50 a page, as the smallest that xeno-canto serves.
    let config = directory.appending(path: ".config/chirper", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: config, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  func terminal(_ arguments: String...) throws -> PseudoTerminal {
    try PseudoTerminal(arguments, environment: environment, directory: directory)
  }

  /// An interactive shell, because it has job control.
  func shell() throws -> PseudoTerminal {
    try PseudoTerminal(program: "/bin/bash", ["--norc", "-i"], environment: environment, directory: directory)
  }

  /// Installs a script as a player in PATH and returns the home, where the script can write.
  func install(player: String, script: String) throws -> URL {
    let bin = directory.appending(path: "bin", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: bin, withIntermediateDirectories: true)
    let file = bin.appending(path: player)
    try Data("#!/bin/bash\n\(script)\n".utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
    return directory
  }
}
