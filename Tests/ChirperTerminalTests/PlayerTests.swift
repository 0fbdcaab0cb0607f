import ChirperFormats
import Foundation
import Testing

@testable import Chirper
@testable import ChirperRemote
@testable import ChirperTerminal

@Suite struct PlayerTests {
  private func search(_ installed: String...) -> ProgramPath {
    ProgramPath(environment: ["PATH": "relative:/usr/bin:/opt/bin"]) { installed.contains($0) }
  }

  @Test func `The first installed player is used, and gets the file as one argument`() throws {
    let player = try Player.find(in: search("/opt/bin/play", "/usr/bin/ffplay", "relative/mpv"))
    #expect(player.path == "/usr/bin/ffplay")
    let file = URL(filePath: "/data/audio/xeno-canto/-x $(touch y);.mp3")
    #expect(
      player.arguments(for: file) == [
        "-nodisp", "-autoexit", "-loglevel", "error", "-i", file.path,
      ])
  }

  @Test(arguments: [
    ("mpv", ["--start=0.5", "--end=12.001"], []), ("ffplay", ["-ss", "0.5", "-t", "11.501"], []),
    ("play", [], ["trim", "0.5", "=12.001"]),
  ])
  func `A part is played by the options of each player`(
    name: String, before: [String], after: [String]
  ) throws {
    let player = try Player.find(configured: "\(name) -v", in: search("/usr/bin/\(name)"))
    let file = URL(filePath: "/a.mp3")
    #expect(player.playsParts)
    let part = player.arguments(for: file, part: 0.5...12.001)
    #expect(part == before + player.arguments(for: file) + after)
  }

  @Test(arguments: ["afplay", "/home/me/sing"])
  func `A player that begins at the beginning plays the whole file`(name: String) throws {
    let player = try Player.find(configured: name, in: search("/usr/bin/afplay", "/home/me/sing"))
    #expect(!player.playsParts)
    #expect(player.arguments(for: URL(filePath: "/a.mp3"), part: 1...2) == ["/a.mp3"])
  }

  @Test func `A configured player comes first`() throws {
    #expect(
      try Player.find(configured: "afplay", in: search("/usr/bin/mpv", "/opt/bin/afplay")).path
        == "/opt/bin/afplay")
    let own = try Player.find(
      configured: "/home/me/sing", in: search("/usr/bin/mpv", "/home/me/sing"))
    #expect(own.arguments(for: URL(filePath: "/a.mp3")) == ["/a.mp3"])
    let missing = #expect(throws: UserFacingError.self) {
      try Player.find(configured: "sing", in: search("/usr/bin/mpv"))
    }
    #expect(missing?.problem == "the player sing from the settings is not installed")
    let loud = try Player.find(
      configured: "ffplay -volume '50' -af \"a b\"", in: search("/usr/bin/ffplay"))
    #expect(
      loud.flags == [
        "-volume", "50", "-af", "a b", "-nodisp", "-autoexit", "-loglevel", "error", "-i",
      ])
  }

  @Test func `Without a player the error names those to install`() {
    let missing = #expect(throws: UserFacingError.self) { try Player.find(in: search()) }
    #expect(missing?.problem == "no player is installed: install mpv (or ffplay, or play from sox)")
  }

  @Test(arguments: [
    ("exit 0", Player.Outcome.finished), ("exit 3", .failed("sh failed (exit code 3)")),
    ("kill -9 $$", .failed("sh crashed (signal 9)")),
    (
      "echo one; echo 'cannot open it.' >&2; echo; exit 2",
      .failed("sh failed (exit code 2): cannot open it")
    ),
  ])
  func `The outcome says how the player ended`(script: String, outcome: Player.Outcome) async throws
  {
    let file = FileManager.default.temporaryDirectory.appending(
      path: "chirper-player-\(UUID().uuidString)")
    try Data(script.utf8).write(to: file)
    let player = Player(name: "sh", path: "/bin/sh", flags: [])
    #expect(await player.play(AudioLibrary.LocalFile(url: file, isTemporary: true)) == outcome)
    #expect(!FileManager.default.fileExists(atPath: file.path))
  }

  @Test(arguments: [("''", ""), ("'echo outcome >> $0.pid; exit'", "outcome")])
  func `A player is asked to end, and killed if it does not`(trap: String, word: String)
    async throws
  {
    let file = FileManager.default.temporaryDirectory.appending(
      path: "chirper-player-\(UUID().uuidString)")
    let note = file.appendingPathExtension("pid")
    defer { try? FileManager.default.removeItem(at: note) }
    try Data("trap \(trap) TERM; echo $$ > $0.pid; while :; do sleep 0.02; done".utf8).write(
      to: file)
    let player = Player(name: "sh", path: "/bin/sh", flags: [])
    let playing = Task { await player.play(AudioLibrary.LocalFile(url: file, isTemporary: true)) }
    var id: pid_t?
    for _ in 1...1000 where id == nil {
      try await Task.sleep(for: .milliseconds(10))
      id = (try? String(contentsOf: note, encoding: .utf8)).flatMap { pid_t($0.dropLast()) }
    }
    playing.cancel()
    #expect(await playing.value == .stopped)
    #expect(kill(try #require(id), 0) == -1 && errno == ESRCH)
    #expect(
      try String(contentsOf: note, encoding: .utf8).split(separator: "\n").dropFirst().joined()
        == word)
  }
}
