import ChirperTestSupport
import Foundation
import Synchronization
import Testing

/// Audio in `play`, `fetch`, `sync`, `export`, `doctor` and `forget`.
struct AudioCommandTests {
  /// The program `script` of macOS, which comes without scriptreplay, takes other options.
  static let hasScript = FileManager.default.isExecutableFile(atPath: "/usr/bin/scriptreplay")

  /// A catalogue whose recordings have 13 bytes of audio each, and one without; the audio of
  /// `broken` is missing.
  private func catalogue(_ ids: [String], broken: String? = nil, pause: Duration = .zero) throws
    -> FakeXenoCanto
  {
    let records =
      ids.map { FakeXenoCanto.Record($0, file: "/\($0)/download") } + [FakeXenoCanto.Record("99")]
    return try FakeXenoCanto(records: records) { request, _ in
      guard request.path.hasSuffix("/download") else { return nil }
      guard request.path != "/\(broken ?? "")/download" else { return .empty(404) }
      let answer = ScriptedAnswer.bytes(
        200, Array("ID3 and sound".utf8), headers: ["Content-Type": "audio/mpeg"])
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
    let script = """
      #!/bin/sh
      basename "$1" >> '\(program.path("played"))'
      env > '\(program.path("environment"))'

      """
    try script.write(toFile: player, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: player)
    let settings = program.path(".config/chirper")
    try FileManager.default.createDirectory(atPath: settings, withIntermediateDirectories: true)
    try "player = \(player)\n".write(
      toFile: settings + "/config", atomically: true, encoding: .utf8)
  }

  @Test
  func `play takes several ids, plays them in order, and goes past one that cannot be played`()
    throws
  {
    let catalogue = try catalogue(["1", "2", "3"], broken: "2")
    try withProgram(catalogue.variables) { program in
      try setPlayer(program)
      #expect(try program.run("fetch", "kea", "--all").status == 0)
      let result = try program.run("play", "XC3", "2", "1")
      #expect(result.status == 3, "\(result)")
      #expect(result.error.contains("error: 1 of 3 recordings could not be played.\n"), "\(result)")
      #expect(
        try String(contentsOfFile: program.path("played"), encoding: .utf8) == "3.mp3\n1.mp3\n")
      #expect(!result.error.contains("\r"), "\(result)")
      let environment = try String(contentsOfFile: program.path("environment"), encoding: .utf8)
      #expect(catalogue.variables["XENO_CANTO_API_KEY"] != nil && environment.contains("PATH="))
      #expect(!environment.contains("API_KEY"), "\(environment)")
      let saved = try program.run("play", "1", "3", "--save")
      #expect(
        saved.status == 0
          && saved.output.split(separator: "\n").map { $0.suffix(6) } == ["/1.mp3", "/3.mp3"],
        "\(saved)")
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

  @Test func `doctor names kept audio that is not what was completed`() throws {
    let catalogue = try catalogue(["1", "2", "3"])
    try withProgram(catalogue.variables) { program in
      #expect(try program.run("fetch", "kea", "--all", "--audio").status == 0)
      let sound = try program.run("doctor", "--audio")
      #expect(
        sound.status == 0 && sound.output.contains("compared     3 files: 3 as completed\n"),
        "\(sound)")
      let sums = try program.shell("cd .local/share/chirper/audio && sha256sum -c .sha256")
      #expect(sums.status == 0 && sums.output.count { $0 == "\n" } == 3, "\(sums)")
      let file = program.path(".local/share/chirper/audio/xeno-canto/2.mp3")
      try Data("ID3 and noise".utf8).write(to: URL(filePath: file))
      let damaged = try program.run("doctor", "--audio")
      #expect(damaged.status == 65)
      #expect(
        damaged.output.contains(
          "compared     3 files: 2 as completed, 1 changed\n  changed: xeno-canto/2.mp3\n"))
      #expect(damaged.error.contains("1 audio file of 3 is not as completed.\n"), "\(damaged)")
      #expect(try program.run("doctor").status == 0, "the audio is read only if asked")
      // All parts together are all files, and one of them has the file that changed.
      let ends = try (1...3).map {
        try program.run("doctor", "--audio", "--part", "\($0)/3").status
      }
      #expect(ends.sorted() == [0, 0, 65])
      // It gets into no lock.
      #expect(try program.run("dataset", "new", "keas", "kea", "--title", "Keas").status == 0)
      let lock = try program.run("dataset", "lock", "keas.dataset.json")
      #expect(lock.status == 65 && lock.error.contains("/xeno-canto/2.mp3: these are"), "\(lock)")
      try FileManager.default.removeItem(atPath: file)
      #expect(try program.run("dataset", "lock", "keas.dataset.json").status == 3)
      #expect(try program.run("doctor", "--audio").status == 0)
      for part in ["4/3", "0/3", "3", "a/b", "1/2/3", "-1/3"] {
        let refused = try program.run("doctor", "--audio", "--part=\(part)")
        #expect(refused.status == 64 && refused.error.contains("is not a part"), "\(refused)")
      }
      #expect(try program.run("doctor", "--part", "1/3").status == 64)
      // A report has no names.
      #expect(try program.run("doctor", "--report", "--audio").status == 64)
    }
  }

  @Test func `fetch and sync report the audio they keep, and doctor all of it`() throws {
    let catalogue = try catalogue(["1", "2"])
    try withProgram(catalogue.variables) { program in
      let fetch = try program.run("fetch", "kea", "--all", "--audio", "--json")
      let first =
        #""audio":{"new":2,"kept":0,"without":1,"failed":0,"files":2,"bytes":26},"exit":0"#
      #expect(fetch.status == 0 && fetch.output.contains(first), "\(fetch)")
      catalogue.change { $0.append(.init("3", file: "/3/download")) }
      #expect(try !program.run("sync", "kea", "--json").output.contains("audio"))
      let sync = try program.run("sync", "kea", "--audio", "--json")
      let second =
        #""audio":{"new":1,"kept":2,"without":1,"failed":0,"files":3,"bytes":39},"exit":0"#
      #expect(sync.status == 0 && sync.output.contains(second), "\(sync)")
      #expect(
        try program.run("sync", "--audio").error.contains(
          "audio: 0 new, 3 already kept, 1 without audio; 3 files, 39 bytes\n"))
      #expect(
        try program.run("doctor", "--json").output.contains(
          #""audio":{"files":3,"bytes":39,"unreadableFolders":0}"#))
      #expect(try program.run("doctor").output.contains("audio        3 files, 39 bytes\n"))
    }
  }

  // MARK: Selections

  @Test func `play and export --audio take selections`() throws {
    let catalogue = try catalogue(["1", "2", "3"])
    try withProgram(catalogue.variables) { program in
      try setPlayer(program)
      try program.run("fetch", "kea", "--all")
      for options in [["kea", "--where", "nr:2,99"], ["--sort", "-id", "--limit", "3"]] {
        let export = try program.run(
          BuiltProgram.path, ["export", "--audio", "sounds"] + options, input: "")
        #expect(export.status == 0, "\(export)")
      }
      #expect(audioFiles(program) == ["2.mp3", "3.mp3"])
      #expect(try program.run("play", "kea", "--where", "audio:yes", "--sort", "-id").status == 0)
      #expect(try program.run("play", "--where", "nr:1").status == 0)
      #expect(
        try program.run("play", "kea", "--sort", "id", "--limit", "1", "--offset", "1").status == 0)
      #expect(
        try String(contentsOfFile: program.path("played"), encoding: .utf8)
          == "3.mp3\n2.mp3\n1.mp3\n2.mp3\n")
      #expect(try program.run("play").status == 64)
      #expect(try program.run("play", "--where", "nr:4").status == 66)
      #expect(
        try program.run("play", "kea", "nosuch").error.contains("No recording \"kea\" is stored"))
    }
  }

  private func texts(_ program: BuiltProgram, _ folder: String) throws -> (
    names: [String], playlist: [String], table: String
  ) {
    let path = program.path(folder)
    let names = try FileManager.default.contentsOfDirectory(atPath: path).filter {
      !$0.hasPrefix("recordings") && !$0.hasPrefix(".")
    }
    let playlist = try String(contentsOfFile: path + "/recordings.m3u8", encoding: .utf8).split(
      separator: "\n")
    #expect(playlist.first == "#EXTM3U")
    for (line, file) in zip(playlist, playlist.dropFirst()) where !file.hasPrefix("#") {
      // The length in seconds, title, type and credit.
      #expect(try /#EXTINF:[\d.-]+,.+, .+ - .+, .+, .+/.wholeMatch(in: line) != nil, "\(line)")
      guard let id = file.firstMatch(of: /XC(\d+)/)?.output.1 else { continue }
      #expect(line.contains(", call - Sample recordist, XC\(id), "), "\(line)")
    }
    return (
      names.sorted(), playlist.filter { !$0.hasPrefix("#") }.map(String.init),
      try String(contentsOfFile: path + "/recordings.csv", encoding: .utf8)
    )
  }

  private static func name(_ id: String) -> String {
    "Sample parrot \(id) - call - XC\(id) - Sample recordist.mp3"
  }

  @Test func `export --audio copies the audio of the rows under names for people, once`() throws {
    let catalogue = try catalogue(["1", "2", "3"], broken: "3")
    try withProgram(catalogue.variables) { program in
      #expect(try program.run("fetch", "kea", "--all").status == 0)
      let folder = program.path("deep/parrots")
      let first = try program.run("export", "kea", "--audio", folder, "--where", "-nr:1")
      #expect(first.status == 3, "\(first)")
      #expect(
        first.error.hasPrefix(
          """
          audio: 1 new, 0 already kept, 1 without audio, 1 failed; 1 file, 13 bytes
          audio missing: 3
          wrote 1 audio file to \(folder), with a playlist, credits and a table
          3 of 4 rows satisfy "-nr:1"

          """), "\(first)")
      let few = try texts(program, "deep/parrots")
      #expect(
        few.names == [Self.name("2"), "credits.txt"] && few.playlist == [Self.name("2")], "\(few)")
      #expect(
        few.table.contains(",\(Self.name("2")),") && few.table.split(separator: "\r\n").count == 4,
        "\(few)")
      let credits = try String(contentsOfFile: folder + "/credits.txt", encoding: .utf8)
      #expect(
        credits.contains("Sample parrot 2 (Psittacus exemplaris): Sample recordist, XC2")
          && credits.contains("Query: kea"))
      // What is there stays as it is, and a sound that was changed is not replaced.
      let sound = folder + "/" + Self.name("2")
      try Data("no sound".utf8).write(to: URL(filePath: sound))
      let refused = try program.run("export", "kea", "--audio", folder, "--where", "nr:2")
      #expect(
        refused.status == 73 && refused.error.contains("\(sound): this file has changed since"),
        "\(refused)")
      try FileManager.default.moveItem(atPath: sound, toPath: program.path("mine.mp3"))
      let all = try program.run("export", "kea", "--audio", folder, "--where", "-nr:3", "--json")
      #expect(
        all.output.hasPrefix(
          #"{"folder":"\#(folder)","files":2,"copied":2,"audio":{"new":1,"kept":1,"#), "\(all)")
      #expect(all.status == 0 && all.output.contains(#""where":"-nr:3","matched":3,"#), "\(all)")
      let again = try program.run("export", "kea", "--audio", folder, "--where", "-nr:3")
      #expect(
        again.error.contains(
          "wrote 2 audio files to \(folder), 2 of them there already, with a playlist"), "\(again)")
      #expect(
        try texts(program, "deep/parrots").names == [Self.name("1"), Self.name("2"), "credits.txt"])
      let content = try Data(contentsOf: URL(filePath: folder + "/" + Self.name("2")))
      #expect(content == Data("ID3 and sound".utf8))
      #expect(catalogue.requests.count { $0.path == "/2/download" } == 1)
    }
  }

  @Test func `a deck gets the sounds that may be passed on, and says what it lacks`() throws {
    var records = ["1", "2", "3", "4"].map { FakeXenoCanto.Record($0, file: "/\($0)/download") }
    for index in 0..<3 { records[index].licence = "//creativecommons.org/licenses/by-nc-nd/4.0/" }
    let catalogue = try FakeXenoCanto(records: records) { request, _ in
      guard request.path.hasSuffix("/download") else { return nil }
      guard request.path != "/3/download" else { return .empty(404) }
      return .bytes(200, Array("ID3 and sound".utf8), headers: ["Content-Type": "audio/mpeg"])
    }
    try withProgram(catalogue.variables) { program in
      #expect(try program.run("fetch", "kea", "--all").status == 0)
      let file = program.path("trip.apkg")
      let first = try program.run("export", "kea", "-o", file)
      #expect(first.status == 3, "\(first)")
      #expect(
        first.error.hasPrefix(
          """
          audio: 2 new, 0 already kept, 0 without audio, 1 failed; 2 files, 26 bytes
          audio missing: 3
          1 row left out, without open licence
          1 row left out, whose audio is not on this machine
          wrote 2 rows to \(file)

          """), "\(first)")
      #expect(!catalogue.requests.contains { $0.path == "/4/download" })
      let again = try program.run("export", "kea", "-o", file, "--json", "--where", "nr:1,4")
      #expect(
        again.status == 0
          && again.output.contains(#""written":1,"without":{"open licence":1,"audio":0},"#)
          && again.output.contains(#""audio":{"new":0,"kept":1,"#), "\(again)")
      // A recording without a licence is not one of the most of its species.
      let one = try program.run(
        "export", "kea", "-o", file, "--where", "nr:1,4", "--sort", "-id", "--per-species", "1")
      #expect(one.status == 0 && one.error.contains("wrote 1 row to"), "\(one)")
      let deck = try Data(contentsOf: URL(filePath: file))
      #expect(try program.run("export", "kea", "-o", file, "--where", "nr:3").status == 3)
      #expect(try Data(contentsOf: URL(filePath: file)) == deck)
      let few = try program.run("export", "kea", "--per-species", "3", "--format", "jsonl")
      #expect(
        few.output.split(separator: "\n").count == 3
          && few.error.hasPrefix("1 row left out, more than 3 of a species\n"), "\(few)")
      #expect(try program.run("export", "kea", "--per-species", "0").status == 64)
    }
  }

  @Test
  func
    `a second export --audio names what is no longer chosen, and --prune deletes it`()
    throws
  {
    let catalogue = try catalogue(["1", "2", "3", "4"])
    try withProgram(catalogue.variables) { program in
      #expect(try program.run("fetch", "kea", "--all").status == 0)
      let folder = program.path("parrots")
      func export(_ options: String...) throws -> BuiltProgram.Result {
        try program.run(
          BuiltProgram.path, ["export", "kea", "--audio", folder] + options, input: "")
      }
      func sounds() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".mp3") }
          .sorted()
      }
      let all = ["1", "2", "3", "4"].map(Self.name)
      let first = try export()
      #expect(try !first.error.contains("no longer chosen") && sounds() == all, "\(first)")
      // Files of somebody, one with the name of a file that chirper wrote.
      let mine = folder + "/mine.mp3"
      try Data("mine".utf8).write(to: URL(filePath: mine))
      try Data("a longer recording of mine".utf8).write(to: URL(filePath: folder + "/" + all[3]))
      try Data("outside".utf8).write(to: URL(filePath: program.path("outside.mp3")))
      let manifest = folder + "/.chirper-audio.tsv"
      let known = try String(contentsOfFile: manifest, encoding: .utf8)
      #expect(known.split(separator: "\n").count == 8, "\(known)")
      try (known + "../outside.mp3\t7\nlink.mp3\t4\n").write(
        toFile: manifest, atomically: true, encoding: .utf8)
      try FileManager.default.createSymbolicLink(
        atPath: folder + "/link.mp3", withDestinationPath: mine)
      let second = try export("--where", "nr:1")
      let note =
        "2 files in \(folder) are no longer chosen (--prune deletes): \(all[1]), \(all[2])\n"
      #expect(second.status == 0 && second.error.contains(note), "\(second)")
      #expect(try sounds().count == 6)
      // It is said again, whatever was written between.
      let third = try export("--where", "nr:1,2", "--json")
      #expect(third.output.contains(#""notChosen":["\#(all[2])"],"pruned":0"#), "\(third)")
      let pruning = try export("--where", "nr:1", "--prune")
      #expect(
        pruning.error.contains("deleted 2 files in \(folder) that were no longer chosen\n"),
        "\(pruning)")
      #expect(try sounds() == [all[0], all[3], "link.mp3", "mine.mp3"])
      #expect(FileManager.default.fileExists(atPath: program.path("outside.mp3")))
      #expect(try !export("--where", "nr:1", "--prune").error.contains("no longer chosen"))
      // So it is of a table that the last export did not write.
      let table = "recordings.selections.txt"
      let raven = try export("--where", "nr:1", "--format", "raven", "--prune")
      #expect(raven.status == 0 && !raven.error.contains("no longer chosen"), "\(raven)")
      let without = try export("--where", "nr:1")
      #expect(without.error.contains("is no longer chosen (--prune deletes): \(table)\n"))
      #expect(try export("--where", "nr:1", "--prune").status == 0)
      #expect(!FileManager.default.fileExists(atPath: "\(folder)/\(table)"))
      // Audio that cannot be had now is chosen all the same.
      #expect(try export("--where", "nr:1-3").status == 0)
      try FileManager.default.removeItem(atPath: program.path(".local/share/chirper/audio"))
      let offline = try program.set("CHIRPER_XENO_CANTO_URL", "http://127.0.0.1:1")
        .run("export", "kea", "--audio", folder, "--where", "nr:1-2", "--prune")
      #expect(
        offline.error.contains("deleted 1 file in \(folder) that was no longer chosen\n"),
        "\(offline)")
      #expect(
        try sounds().contains(all[0]) && sounds().contains(all[1]) && !sounds().contains(all[2]))
      for refused in [
        ["export", "kea", "--prune"], ["export", "kea", "--audio", "x.zip", "--prune"],
      ] {
        #expect(try program.run(BuiltProgram.path, refused, input: "").status == 64)
      }
    }
  }

  @Test func `export --audio into a zip file has the same files`() throws {
    let catalogue = try catalogue(["1", "2"])
    try withProgram(catalogue.variables) { program in
      #expect(try program.run("fetch", "kea", "--all").status == 0)
      let zip = program.path("parrots.zip")
      let result = try program.run("export", "--audio", zip)
      #expect(
        result.status == 0
          && result.error.contains("wrote 2 audio files to \(zip), with a playlist"), "\(result)")
      let listed = try program.run(
        "/usr/bin/env", ["python3", "-m", "zipfile", "-e", zip, program.path("unzipped")], input: ""
      )
      #expect(listed.status == 0, "\(listed)")
      let (names, playlist, table) = try texts(program, "unzipped")
      #expect(
        names == [Self.name("1"), Self.name("2"), "credits.txt"]
          && Set(playlist) == Set(names.prefix(2)), "\(playlist)")
      #expect(table.contains(",channels,sha256\r\n"))
      #expect(
        try Data(contentsOf: URL(filePath: program.path("unzipped/" + Self.name("1"))))
          == Data("ID3 and sound".utf8))
    }
  }

  @Test func `a signal ends export --audio with whole files, and the same command goes on`() throws
  {
    let records = ["1", "2", "3"].map { FakeXenoCanto.Record($0, file: "/\($0)/download") }
    let asked = Mutex(0)
    let catalogue = try FakeXenoCanto(records: records) { request, _ in
      guard request.path.hasSuffix("/download") else { return nil }
      let number = asked.withLock { count in
        count += 1
        return count
      }
      return number == 2
        ? .silent
        : .bytes(200, Array("ID3 and sound".utf8), headers: ["Content-Type": "audio/mpeg"])
    }
    try withProgram(catalogue.variables) { program in
      #expect(try program.run("fetch", "kea", "--all").status == 0)
      let run = try program.start(arguments: [
        "export", "kea", "--audio", program.path("parrots"), "--sort", "id",
      ])
      try waitUntil { asked.withLock { $0 } == 2 }
      let start = ContinuousClock.now
      kill(run.process.processIdentifier, SIGINT)
      let result = try run.result()
      #expect(ContinuousClock.now - start < .seconds(20))
      #expect(result.status == 130, "\(result)")
      #expect(
        result.error.contains("1 audio file of 3 recordings is in \(program.path("parrots"))\n"),
        "\(result)")
      let names = try FileManager.default.contentsOfDirectory(atPath: program.path("parrots"))
      #expect(names.sorted() == [".chirper-audio.tsv", Self.name("1")])
      let rest = try program.run(
        "export", "kea", "--audio", program.path("parrots"), "--sort", "id")
      #expect(rest.error.contains("audio: 2 new, 1 already kept, "), "\(rest)")
      #expect(
        rest.status == 0
          && rest.error.contains(
            "wrote 3 audio files to \(program.path("parrots")), 1 of them there already")
      )
      #expect(try texts(program, "parrots").playlist == ["1", "2", "3"].map(Self.name))
    }
  }

  @Test
  func
    `without a network export --audio copies what is kept, of every catalogue, and names the rest`()
    throws
  {
    let records =
      ["1", "2", "3"].map { FakeXenoCanto.Record($0, file: "/\($0)/download") } + [
        FakeXenoCanto.Record("99")
      ]
    let isOffline = Mutex(false)
    let catalogue = try FakeXenoCanto(records: records) { request, _ in
      guard request.path.hasSuffix("/download") else { return nil }
      // A captive portal answers for every host.
      return isOffline.withLock { $0 } ? .html(200) : .bytes(200, Array("ID3 and sound".utf8))
    }
    try withProgram(catalogue.variables) { program in
      #expect(try program.run("fetch", "kea", "--all").status == 0)
      #expect(try program.run("play", "2", "--save").status == 0)
      #expect(try program.run("fetch", "macaw", "--source", "sample").status == 0)
      isOffline.withLock { $0 = true }
      let result = try program.run(
        "export", "kea", "macaw", "--audio", program.path("all"), "--limit", "5")
      // One of them fails, and the other is not tried.
      #expect(
        result.status == 3
          && result.error.contains("1 new, 1 already kept, 1 without audio, 1 failed"), "\(result)")
      #expect(result.error.contains("\naudio missing: 3, 1\n"), "\(result)")
      let names = try texts(program, "all").names
      #expect(
        names.count == 3 && names.contains(Self.name("2"))
          && names.contains { $0.hasSuffix(".wav") }, "\(names)")
    }
  }

  @Test func `export --audio refuses what cannot be a folder, and options of files`() throws {
    try withParrots { program in
      try Data().write(to: URL(filePath: program.path("file")))
      for (folder, status) in [("", 64), ("-", 64), (program.path("file"), 73), ("/dev/null", 73)]
        as [(String, Int32)]
      {
        let result = try program.run("export", "parrot", "--audio", folder, "--limit", "1")
        #expect(result.status == status && !result.error.contains("audio files"), "\(result)")
      }
      for option in [["-o", "x.csv"], ["--format", "csv"], ["--tidy"], ["--columns", "id"]] {
        #expect(
          try program.run(
            BuiltProgram.path, ["export", "parrot", "--audio", program.path("new")] + option,
            input: ""
          ).status
            == 64)
      }
      #expect(!FileManager.default.fileExists(atPath: program.path("new")))
    }
  }

  @Test
  func `export --audio replaces links in its folder, and writes to nothing that they lead to`()
    throws
  {
    let catalogue = try catalogue(["1", "2"])
    try withProgram(catalogue.variables) { program in
      #expect(try program.run("fetch", "kea", "--all", "--audio").status == 0)
      let manager = FileManager.default
      let (folder, outside) = (program.path("out"), program.path("outside.txt"))
      let database = program.path(".local/share/chirper/chirper.sqlite")
      try manager.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try Data("mine".utf8).write(to: URL(filePath: outside))
      let links = [
        "credits.txt": database, Self.name("1"): outside, Self.name("2"): program.path("nowhere"),
        "recordings.csv": program.path(".local/share/chirper/audio/xeno-canto/1.mp3"),
        "recordings.m3u8": program.path("no folder/x"),
      ]
      for (name, target) in links {
        try manager.createSymbolicLink(atPath: "\(folder)/\(name)", withDestinationPath: target)
      }
      let before = try Data(contentsOf: URL(filePath: database))
      let result = try program.run("export", "kea", "--audio", folder)
      #expect(result.status == 0 && result.error.contains("wrote 2 audio files"), "\(result)")
      for name in links.keys {
        let attributes = try manager.attributesOfItem(atPath: "\(folder)/\(name)")
        #expect(attributes[.type] as? FileAttributeType == .typeRegular, "\(name)")
      }
      #expect(try Data(contentsOf: URL(filePath: database)) == before)
      #expect(try Data(contentsOf: URL(filePath: outside)) == Data("mine".utf8))
      #expect(!manager.fileExists(atPath: program.path("nowhere")))
      #expect(
        try program.run("export", "kea", "--audio", folder).error.contains(
          "2 of them there already"))
      // The folder itself may be a link, which the user named.
      try manager.createSymbolicLink(atPath: program.path("card"), withDestinationPath: folder)
      #expect(try program.run("export", "kea", "--audio", program.path("card")).status == 0)
    }
  }

  @Test
  func `export --audio refuses a place that is one of chirper's own files, a pipe or a folder`()
    throws
  {
    let catalogue = try catalogue(["1"])
    try withProgram(catalogue.variables) { program in
      #expect(try program.run("fetch", "kea", "--all", "--audio").status == 0)
      let data = program.path(".local/share/chirper")
      let folder = program.path("out")
      let credits = folder + "/credits.txt"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try FileManager.default.linkItem(atPath: data + "/chirper.sqlite", toPath: credits)
      let own = try program.run("export", "kea", "--audio", folder)
      #expect(own.status == 73 && own.error.contains("one of chirper's own files"), "\(own)")
      #expect(unlink(credits) == 0 && mkfifo(credits, 0o600) == 0)
      let pipe = try program.run("export", "kea", "--audio", folder)
      #expect(pipe.status == 73 && pipe.error.contains("this is a pipe or a device"), "\(pipe)")
      #expect(unlink(credits) == 0)
      try FileManager.default.createDirectory(atPath: credits, withIntermediateDirectories: true)
      #expect(try program.run("export", "kea", "--audio", folder).status == 73)
      for name in ["audio", "audio/xeno-canto", "audio/new/deeper", "locks/x", "serve-token"] {
        let result = try program.run("export", "kea", "--audio", "\(data)/\(name)")
        #expect(result.status == 73 && result.error.contains("own files"), "\(name): \(result)")
      }
      #expect(audioFiles(program) == ["1.mp3"])
    }
  }

  @Test func `export --audio replaces no file that exports have not written`() throws {
    let catalogue = try catalogue(["1"])
    try withProgram(catalogue.variables) { program in
      #expect(try program.run("fetch", "kea", "--all", "--audio").status == 0)
      let folder = program.path("out")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      for name in ["credits.txt", "recordings.csv", Self.name("1")] {
        let file = URL(filePath: "\(folder)/\(name)")
        try Data("my thesis".utf8).write(to: file)
        let result = try program.run("export", "kea", "--audio", folder)
        #expect(
          result.status == 73
            && result.error.contains("\(name): this file is there already, and is not chirper's"),
          "\(result)")
        #expect(try Data(contentsOf: file) == Data("my thesis".utf8))
        try FileManager.default.removeItem(at: file)
      }
      #expect(try program.run("export", "kea", "--audio", folder).status == 0)
      #expect(try program.run("export", "kea", "--audio", folder).status == 0)
    }
  }

  @Test func `export --audio replaces no text that was edited, even to the same length`() throws {
    try withParrots { program in
      let folder = program.path("out")
      func export(_ options: String...) throws -> BuiltProgram.Result {
        try program.run(
          BuiltProgram.path, ["export", "parrot", "--audio", folder] + options, input: "")
      }
      for format in ["audacity", "raven"] {
        #expect(try export("--limit", "2", "--format", format).status == 0)
      }
      let manager = FileManager.default
      let texts = [
        "credits.txt", "recordings.csv", "recordings.m3u8", "recordings.selections.txt",
      ]
      for name in texts {
        let file = "\(folder)/\(name)"
        var text = try Data(contentsOf: URL(filePath: file))
        text[text.startIndex] ^= 1
        try text.write(to: URL(filePath: file))
        let before = program.files("out")
        let refused = try export("--limit", "3", "--format", "raven")
        #expect(
          refused.status == 73
            && refused.error.hasPrefix("error: \(file): this file has changed since it was written")
            && refused.error.contains("Rename it, or name a new folder."), "\(refused)")
        #expect(program.files("out") == before)
        try manager.moveItem(atPath: file, toPath: "\(folder)/my \(name)")
        #expect(try export("--limit", "2", "--format", "raven").status == 0)
        #expect(try Data(contentsOf: URL(filePath: "\(folder)/my \(name)")) == text)
      }
      // An earlier manifest has sizes, and not the texts that every export writes.
      let selections = try Data(contentsOf: URL(filePath: "\(folder)/recordings.selections.txt"))
      try Data("file\tbytes\nrecordings.selections.txt\t\(selections.count)\n".utf8)
        .write(to: URL(filePath: "\(folder)/.chirper-audio.tsv"))
      #expect(try export("--limit", "2", "--format", "raven").status == 0)
      // A table that is not written is in nobody's way, and stays the user's.
      let table = URL(filePath: "\(folder)/recordings.labels.txt")
      try Data("mine".utf8).write(to: table)
      #expect(try export("--limit", "2", "--prune").status == 0)
      #expect(try export("--limit", "2", "--format", "audacity").status == 73)
      #expect(try Data(contentsOf: table) == Data("mine".utf8))
    }
  }

  @Test func `several exports of audio into one folder at once all end well`() throws {
    let catalogue = try catalogue((1...12).map(String.init))
    try withProgram(catalogue.variables) { program in
      #expect(try program.run("fetch", "kea", "--all", "--audio").status == 0)
      for round in 1...6 {
        let folder = program.path("out-\(round)")
        let runs = try (1...4).map { _ in
          try program.start(arguments: ["export", "kea", "--audio", folder])
        }
        for run in runs {
          let result = try run.result()
          #expect(result.status == 0, "\(result)")
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(names.count == 16 && !names.contains { $0.hasSuffix(".part") }, "\(names)")
      }
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
          && one.error.hasSuffix(
            "1 recording was in no other list and was deleted, with 1 audio file (17 bytes)\n"),
        "\(one)")
      #expect(audioFiles(program) == ["1.mp3", "2.mp3"])
      let rest = try program.run("forget", "parrot", "--yes", "--json")
      #expect(
        rest.output.contains(
          #""recordings":3,"labelled":0,"audio":{"files":2,"bytes":26,"links":0}"#), "\(rest)")
      #expect(audioFiles(program) == [])
    }
  }

  @Test
  func
    `forget removes audio in a folder that is a link, and of a file that is a link only the link`()
    throws
  {
    let catalogue = try catalogue(["1", "2"])
    try withProgram(catalogue.variables) { program in
      #expect(try program.run("fetch", "kea", "--all", "--audio").status == 0)
      let files = FileManager.default
      let (folder, card) = (
        program.path(".local/share/chirper/audio/xeno-canto"), program.path("card")
      )
      try files.moveItem(atPath: folder, toPath: card)
      try files.createSymbolicLink(atPath: folder, withDestinationPath: card)
      try files.moveItem(atPath: card + "/1.mp3", toPath: program.path("moved.mp3"))
      try files.createSymbolicLink(
        atPath: card + "/1.mp3", withDestinationPath: program.path("moved.mp3"))
      #expect(try program.run("doctor").output.contains("audio        1 file, 13 bytes\n"))
      let forgotten = try program.run("forget", "kea", "--yes")
      #expect(forgotten.error.contains(", with 1 audio file (13 bytes)\n"), "\(forgotten)")
      #expect(
        forgotten.error.hasSuffix("removed 1 link to audio; what it leads to was left\n"),
        "\(forgotten)")
      #expect(try files.contentsOfDirectory(atPath: card) == [])
      #expect(files.fileExists(atPath: program.path("moved.mp3")))
    }
  }

  @Test func `a link in the place of kept audio is neither played, exported nor sent`() throws {
    try withProgram { program in
      #expect(
        try program.run("fetch", "owl", "--source", "sample", "--pages", "1", "--audio").status == 0
      )
      let files = FileManager.default
      let folder = program.path(".local/share/chirper/audio/sample")
      let name = try #require(files.contentsOfDirectory(atPath: folder).sorted().first)
      let id = name.replacing("%3A", with: ":").replacing(".wav", with: "")
      let secret = "RIFFxxxxWAVE this is a secret"
      try Data(secret.utf8).write(to: URL(filePath: program.path("secret")))
      func makeLink() throws {
        try? files.removeItem(atPath: "\(folder)/\(name)")
        try files.createSymbolicLink(
          atPath: "\(folder)/\(name)", withDestinationPath: program.path("secret"))
      }
      try makeLink()
      try withServer(program) { (port: Int) throws in
        #expect(RawClient.answer("/\(id)/download", port: port)?.status == 404)
        #expect(RawClient.answer("/api/chirper/audio/sample/\(id)", port: port)?.status == 404)
      }
      #expect(
        try !program.run("search", "audio:yes", "--columns", "id", "--format", "csv").output
          .contains("\(id)\n"))
      // What is made on this machine takes the place of the link.
      let saved = try program.run("play", id, "--save")
      let path = saved.output.trimmingCharacters(in: .whitespacesAndNewlines)
      #expect(saved.status == 0, "\(saved)")
      #expect(
        try !String(decoding: Data(contentsOf: URL(filePath: path)), as: UTF8.self).contains(
          "secret"))
      for target in ["taken", "taken.zip"] {
        try makeLink()
        let exported = try program.run(
          "export", "owl", "--source", "sample", "--audio", program.path(target))
        #expect(exported.status == 0, "\(exported)")
        let found = try program.shell("grep -rl 'this is a secret' \(program.path(target)); true")
        #expect(found.output.isEmpty, "\(found)")
      }
      #expect(
        try String(contentsOf: URL(filePath: program.path("secret")), encoding: .utf8) == secret)
    }
  }

  @Test(.enabled(if: hasScript, "needs script of util-linux"))
  func `forget asks with the audio that it would remove, and removes nothing without a yes`() throws
  {
    let catalogue = try catalogue(["1", "2"])
    try withProgram(catalogue.variables) { program in
      #expect(try program.run("fetch", "kea", "--all", "--audio").status == 0)
      let result = try program.shell("echo n | script -qec '\"$chirper\" forget kea' /dev/null")
      #expect(
        result.output.contains(
          "Remove \"kea\" with its 3 rows and 2 audio files (26 bytes)? [y/N]"), "\(result)")
      #expect(audioFiles(program) == ["1.mp3", "2.mp3"])
    }
  }
}
