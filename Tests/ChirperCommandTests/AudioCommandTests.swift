import ChirperTestSupport
import Foundation
import Testing

/// Audio in `play`, `fetch`, `sync`, `doctor` and `forget`.
struct AudioCommandTests {
  /// The program `script` of macOS, which comes without scriptreplay, takes other options.
  static let hasScript = FileManager.default.isExecutableFile(atPath: "/usr/bin/scriptreplay")

  /// A catalogue whose recordings have 13 bytes of audio each, and one without; the audio of `broken` is missing.
  private func catalogue(_ ids: [String], broken: String? = nil, pause: Duration = .zero) throws -> FakeXenoCanto {
    let records = ids.map { FakeXenoCanto.Record($0, file: "/\($0)/download") } + [FakeXenoCanto.Record("99")]
    return try FakeXenoCanto(records: records) { request, _ in
      guard request.path.hasSuffix("/download") else { return nil }
      guard request.path != "/\(broken ?? "")/download" else { return .empty(404) }
      let answer = ScriptedAnswer.bytes(200, Array("ID3 and sound".utf8), headers: ["Content-Type": "audio/mpeg"])
      return pause == .zero ? answer : ScriptedAnswer([.pause(pause)] + answer.steps)
    }
  }

  private func audioFiles(_ program: BuiltProgram) -> [String] {
    let folder = program.path(".local/share/chirper/audio/xeno-canto")
    return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
  }

  /// Sets a player that writes the name of each file it gets to `played`.
  private func setPlayer(_ program: BuiltProgram) throws {
    let player = program.path("player")
    try "#!/bin/sh\nbasename \"$1\" >> '\(program.path("played"))'\n".write(toFile: player, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: player)
    let settings = program.path(".config/chirper")
    try FileManager.default.createDirectory(atPath: settings, withIntermediateDirectories: true)
    try "player = \(player)\n".write(toFile: settings + "/config", atomically: true, encoding: .utf8)
  }

  @Test func `play takes several ids, plays them in order, and goes past one that cannot be played`() throws {
    let catalogue = try catalogue(["1", "2", "3"], broken: "2")
    try withProgram(catalogue.variables) { program in
      try setPlayer(program)
      #expect(try program.run("fetch", "kea", "--all").status == 0)
      let result = try program.run("play", "XC3", "2", "1")
      #expect(result.status == 3, "\(result)")
      #expect(result.error.contains("error: 1 of 3 recordings could not be played.\n"), "\(result)")
      #expect(try String(contentsOfFile: program.path("played"), encoding: .utf8) == "3.mp3\n1.mp3\n")
      #expect(!result.error.contains("\r"), "\(result)")
      let saved = try program.run("play", "1", "3", "--save")
      #expect(saved.status == 0 && saved.output.split(separator: "\n").map { $0.suffix(6) } == ["/1.mp3", "/3.mp3"], "\(saved)")
    }
  }

  @Test func `an id that is not stored ends play before anything is played`() throws {
    let catalogue = try catalogue(["1"])
    try withProgram(catalogue.variables) { program in
      try setPlayer(program)
      #expect(try program.run("fetch", "kea", "--all").status == 0)
      #expect(try program.run("play", "1", "7").status == 66)
      #expect(!FileManager.default.fileExists(atPath: program.path("played")))
    }
  }

  @Test(.enabled(if: hasScript, "needs script of util-linux"))
  func `play shows the progress of a download on a terminal, at most ten times a second`() throws {
    let catalogue = try catalogue(["1"], pause: .milliseconds(700))
    try withProgram(catalogue.variables) { program in
      #expect(try program.run("fetch", "kea", "--all").status == 0)
      let result = try program.set("TERM", "xterm")
        .shell("script -qec '\"$chirper\" play 1 --save' /dev/null < /dev/null")
      #expect(result.status == 0, "\(result)")
      #expect(result.output.contains("\r\u{1B}[K1: requesting the audio"), "\(result)")
      #expect(result.output.count { $0 == "\r" } <= 12, "\(result)")
    }
  }

  @Test func `fetch and sync report the audio they keep, and doctor all of it`() throws {
    let catalogue = try catalogue(["1", "2"])
    try withProgram(catalogue.variables) { program in
      let fetch = try program.run("fetch", "kea", "--all", "--audio", "--json")
      let first = #""audio":{"new":2,"kept":0,"without":1,"failed":0,"files":2,"bytes":26},"exit":0"#
      #expect(fetch.status == 0 && fetch.output.contains(first), "\(fetch)")
      catalogue.change { $0.append(.init("3", file: "/3/download")) }
      #expect(try !program.run("sync", "kea", "--json").output.contains("audio"))
      let sync = try program.run("sync", "kea", "--audio", "--json")
      let second = #""audio":{"new":1,"kept":2,"without":1,"failed":0,"files":3,"bytes":39},"exit":0"#
      #expect(sync.status == 0 && sync.output.contains(second), "\(sync)")
      #expect(
        try program.run("sync", "--audio").error.contains("audio: 0 new, 3 already kept, 1 without audio; 3 files, 39 bytes\n"))
      #expect(try program.run("doctor", "--json").output.contains(#""audio":{"files":3,"bytes":39,"unreadableFolders":0}"#))
      #expect(try program.run("doctor").output.contains("audio        3 files, 39 bytes\n"))
    }
  }

  @Test func `forget removes the audio that no other list holds, and reports how much`() throws {
    let catalogue = try catalogue(["1", "2", "3"])
    try withProgram(catalogue.variables) { program in
      #expect(try program.run("fetch", "kea", "--all", "--audio").status == 0)
      catalogue.change { $0.removeAll { $0.id == "3" } }
      #expect(try program.run("fetch", "parrot", "--all").status == 0)
      let part = program.path(".local/share/chirper/audio/xeno-canto/3.mp3.part")
      try "half".write(toFile: part, atomically: true, encoding: .utf8)
      let one = try program.run("forget", "kea", "--yes")
      #expect(
        one.status == 0
          && one.error.hasSuffix("1 recording was in no other list and was deleted, with 1 audio file (17 bytes)\n"), "\(one)")
      #expect(audioFiles(program) == ["1.mp3", "2.mp3"])
      let rest = try program.run("forget", "parrot", "--yes", "--json")
      #expect(rest.output.contains(#""recordings":3,"audio":{"files":2,"bytes":26,"links":0}"#), "\(rest)")
      #expect(audioFiles(program) == [])
    }
  }

  @Test func `forget removes audio in a folder that is a link, and of a file that is a link only the link`() throws {
    let catalogue = try catalogue(["1", "2"])
    try withProgram(catalogue.variables) { program in
      #expect(try program.run("fetch", "kea", "--all", "--audio").status == 0)
      let files = FileManager.default
      let (folder, card) = (program.path(".local/share/chirper/audio/xeno-canto"), program.path("card"))
      try files.moveItem(atPath: folder, toPath: card)
      try files.createSymbolicLink(atPath: folder, withDestinationPath: card)
      try files.moveItem(atPath: card + "/1.mp3", toPath: program.path("moved.mp3"))
      try files.createSymbolicLink(atPath: card + "/1.mp3", withDestinationPath: program.path("moved.mp3"))
      #expect(try program.run("doctor").output.contains("audio        2 files, 26 bytes\n"))
      let forgotten = try program.run("forget", "kea", "--yes")
      #expect(forgotten.error.contains(", with 1 audio file (13 bytes)\n"), "\(forgotten)")
      #expect(forgotten.error.hasSuffix("removed 1 link to audio; what it leads to was left\n"), "\(forgotten)")
      #expect(try files.contentsOfDirectory(atPath: card) == [])
      #expect(files.fileExists(atPath: program.path("moved.mp3")))
    }
  }

  @Test(.enabled(if: hasScript, "needs script of util-linux"))
  func `forget asks with the audio that it would remove, and removes nothing without a yes`() throws {
    let catalogue = try catalogue(["1", "2"])
    try withProgram(catalogue.variables) { program in
      #expect(try program.run("fetch", "kea", "--all", "--audio").status == 0)
      let result = try program.shell("echo n | script -qec '\"$chirper\" forget kea' /dev/null")
      #expect(result.output.contains("Remove \"kea\" with its 3 rows and 2 audio files (26 bytes)? [y/N]"), "\(result)")
      #expect(audioFiles(program) == ["1.mp3", "2.mp3"])
    }
  }
}
