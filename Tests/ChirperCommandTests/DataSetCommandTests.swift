import ChirperFormats
import ChirperTestSupport
import Foundation
import Testing

/// `dataset`, by the built program.
struct DataSetCommandTests {
  private static let ids = (1...12).map { "\($0 * 37)" }

  @Test func `a lock is a file`() throws {
    try withParrots { program in
      #expect(try program.run("dataset", "new", "a", "parrot").status == 0)
      for name in ["-", ""] {
        let refused = try program.run("dataset", "lock", "a.dataset.json", "-o", name)
        #expect(refused.status == 64 && refused.error.contains("name of a file"), "\(refused)")
      }
    }
  }

  @Test func `a set has at most so many recordings, the best of them`() throws {
    try withParrots { program in
      let limits = ["--per-species", "2", "--limit", "3", "--first", "quality"]
      let words = ["dataset", "new", "three", "parrot"] + limits
      #expect(try program.run(BuiltProgram.path, words, input: "").status == 0)
      let locked = try program.run("dataset", "lock", "three.dataset.json", "--no-audio")
      #expect(locked.error.contains("147 recordings left out by the limits\n"), "\(locked)")
      let lines = try String(contentsOfFile: program.path("three.lock.jsonl"), encoding: .utf8)
        .split(separator: "\n").dropFirst()
      #expect(lines.count == 3 && lines.allSatisfy { $0.contains(#""quality":"A""#) }, "\(lines)")
      let none = try program.run("dataset", "new", "none", "parrot", "--where", "sp:nothing")
      #expect(none.status == 0 && none.error.contains("no recording in what is stored"), "\(none)")
    }
  }

  @Test func `a file of parts is found from the folder of the definition`() throws {
    try withParrots { program in
      for folder in ["sets", "data"] {
        try FileManager.default.createDirectory(
          atPath: program.path(folder), withIntermediateDirectories: true)
      }
      try Data("id,split\nsample:2518,test\n".utf8).write(
        to: URL(filePath: program.path("data/parts.csv")))
      for (name, file) in [
        ("sets/a", "../data/parts.csv"), (program.path("sets/b"), "../data/parts.csv"),
        ("data/c", "parts.csv"), ("d", "data/parts.csv"),
      ] {
        let new = try program.run(
          "dataset", "new", name, "parrot", "--split-file", "data/parts.csv")
        #expect(new.status == 0, "\(new)")
        let path = "\(name).dataset.json"
        let definition = path.hasPrefix("/") ? path : program.path(path)
        #expect(
          try String(contentsOfFile: definition, encoding: .utf8).contains(#""file":"\#(file)""#))
        let locked = try program.run("dataset", "lock", definition, "--no-audio")
        #expect(locked.status == 0, "\(locked)")
      }
    }
  }

  /// A program that has locked the list `kea`; its files are in its directory.
  private func withLock(_ upstream: SoundCatalogue, _ body: (BuiltProgram, String) throws -> Void)
    throws
  {
    try withProgram(upstream.catalogue.variables) { program in
      #expect(try program.run("fetch", "kea", "--all").status == 0)
      #expect(
        try program.run("dataset", "new", "keas", "kea", "--title", "Keas").status == 0)
      let locked = try program.run("dataset", "lock", "keas.dataset.json")
      #expect(locked.status == 0, "\(locked)")
      try body(program, program.path("keas.lock.jsonl"))
    }
  }

  @Test func `a lock is built on another machine from the lock and the catalogue alone`() throws {
    let upstream = try SoundCatalogue(Self.ids)
    try withLock(upstream) { program, lock in
      let built = try program.run("dataset", "build", lock, "set")
      #expect(built.status == 0, "\(built)")
      let folder = program.files("set")
      #expect(
        folder["Psittacus exemplaris/XC37.mp3"] == Data("ID3 and sound 37 old".utf8),
        "\(folder.keys.sorted())")
      #expect(folder.keys.count { $0.hasSuffix(".mp3") } == 12)
      let asked = upstream.catalogue.requests.count
      try withProgram(upstream.catalogue.variables) { other in
        let built = try other.run("dataset", "build", lock, "set")
        #expect(built.status == 0, "\(built)")
        let unproven = "12 of 12 lines are as the lock says; no record was compared"
        #expect(built.error.contains(unproven + "\n"), "\(built)")
        func files() -> [String: Data] {
          var files = other.files("set")
          let readme = files["README.txt"].map { String(decoding: $0, as: UTF8.self) }
          files["README.txt"] = readme.map { Data($0.replacing("\(unproven).\n\n", with: "").utf8) }
          return files
        }
        #expect(files() == folder)
        #expect(other.files("set")["README.txt"] != folder["README.txt"])
        #expect(upstream.catalogue.requests.count - asked == 12, "one request for each file")
        // The same command again asks for nothing.
        let again = try other.run("dataset", "build", lock, "set")
        #expect(again.error.hasSuffix("12 audio files in set, 12 of them there already\n"))
        #expect(files() == folder)
        #expect(upstream.catalogue.requests.count - asked == 12)
        let checked = try other.run("dataset", "verify", lock, "set")
        #expect(checked.status == 3, "the store is empty: \(checked)")
        #expect(checked.output.hasSuffix("0 of 12 recordings are the same; 12 not asked\n"))
      }
      let checked = try program.run("dataset", "verify", lock, "set")
      #expect(checked.status == 0, "\(checked)")
      #expect(checked.output == "12 of 12 recordings are the same\n")
      // A file that was deleted is missing, whether the record is stored or not.
      let file = "set/Psittacus exemplaris/XC37.mp3"
      try FileManager.default.removeItem(atPath: program.path(file))
      let lacking = try program.run("dataset", "verify", lock, "set")
      #expect(
        lacking.status == 3
          && lacking.output == """
            XC37: missing
            11 of 12 recordings are the same; 1 missing

            """,
        "\(lacking)")
      #expect(lacking.error.contains("dataset build adds what is missing"), "\(lacking)")
      let elsewhere = try program.run("dataset", "verify", lock, program.path("nothing"), "--json")
      #expect(elsewhere.output.contains(#""missing":12"#), "\(elsewhere)")
    }
  }

  @Test
  func `a condition that no recording of a list can satisfy is said, and the list is not cited`()
    throws
  {
    try withProgram { program in
      let lines = (1...3).map {
        #"{"id":"\#($0)","catalogue":"gbif","scientificName":"Turdus merula"}"#
      }
      try Data(lines.joined(separator: "\n").utf8).write(to: URL(filePath: program.path("a.jsonl")))
      #expect(try program.run("import", "a.jsonl", "--as", "m").status == 0)
      #expect(try program.run("fetch", "owl", "--source", "sample", "--all").status == 0)
      for (name, lists) in [("named", ["owl", "m"]), ("all", [])] {
        let words = ["dataset", "new", name] + lists + ["--where", "q:A type:song"]
        #expect(try program.run(BuiltProgram.path, words, input: "").status == 0)
        let locked = try program.run("dataset", "lock", "\(name).dataset.json", "--no-audio")
        for condition in ["q:A", "type:song"] {
          let line =
            "\"\(condition)\" leaves out all of 3 recordings of \"m\" (gbif): none has such a value\n"
          #expect(locked.error.contains(line), "\(locked)")
        }
        let text = try String(
          contentsOfFile: program.path("\(name).lock.jsonl"), encoding: .utf8)
        let header = try #require(text.split(separator: "\n").first)
        #expect(header.contains(#""source":"sample""#) == (name == "named"))
        #expect(!header.contains(#""source":"gbif""#))
      }
      // Values that are only different ones are no reason.
      #expect(try program.run("dataset", "new", "b", "owl", "m", "--where", "sp:alba").status == 0)
      let other = try program.run("dataset", "lock", "b.dataset.json", "--no-audio")
      #expect(other.status == 0 && !other.error.contains("leaves out"), "\(other)")
    }
  }

  @Test func `a list that was imported is not asked, and its recordings are as they are stored`()
    throws
  {
    try withProgram([:]) { program in
      let folder = program.path("download")
      try GBIFDownload([.init(1), .init(2)]).write(to: folder)
      #expect(try program.run("import", folder, "--as", "m").status == 0)
      #expect(try program.run("dataset", "new", "a", "m").status == 0)
      #expect(try program.run("dataset", "lock", "a.dataset.json", "--no-audio").status == 0)
      let checked = try program.run("dataset", "verify", "a.lock.jsonl", "--sync")
      #expect(checked.status == 0, "\(checked)")
      #expect(checked.output == "2 of 2 recordings are the same\n", "\(checked)")
      #expect(!checked.error.contains("quer"), "\(checked)")
    }
  }

  @Test func `a sound is in a lock by its page and by the number of its record`() throws {
    try withProgram([:]) { program in
      let lines = [
        #""4049637966-s1","catalogue":"gbif","references":"https://data.example.org/a1""#,
        #""329926439-1980600","catalogue":"inaturalist""#, #""40-4049637966","catalogue":"gbif""#,
      ].map { "{\"id\":\($0),\"scientificName\":\"Turdus merula\"}\n" }.joined()
      try Data(lines.utf8).write(to: URL(filePath: program.path("a.jsonl")))
      #expect(try program.run("import", "a.jsonl", "--as", "m").status == 0)
      #expect(try program.run("dataset", "new", "a").status == 0)
      #expect(try program.run("dataset", "lock", "a.dataset.json", "--no-audio").status == 0)
      let gbif = "gbif 4049637966-s1 Turdus merula"
      let other = "inaturalist 329926439-1980600 Turdus merula"
      for (typed, found) in [
        ("https://data.example.org/a1", gbif), ("4049637966", gbif), ("4049637966-s1", gbif),
        ("https://www.gbif.org/occurrence/4049637966", gbif), ("4049637966-s2", "no"),
        ("https://www.inaturalist.org/observations/329926439", other), ("329926439", other),
        ("https://www.inaturalist.org/observations/4049637966", "no"),
        ("gbif:4049637966-s1", gbif), ("gbif:4049637966", gbif), ("inaturalist:329926439", other),
        ("gbif:4049637966-s2", "no"), ("inaturalist:4049637966", "no"),
      ] {
        let result = try program.run("dataset", "has", typed, "a.lock.jsonl")
        #expect(result.output == "a.lock.jsonl: \(found)\n", "\(typed): \(result)")
      }
    }
  }

  @Test func `verify asks, and says what became of each recording in lines or as JSON`() throws {
    let upstream = try SoundCatalogue(Self.ids)
    try withLock(upstream) { _, lock in
      upstream.catalogue.change { $0.removeAll { ["37", "74"].contains($0.id) } }
      try withProgram(upstream.catalogue.variables) { other in
        let checked = try other.run("dataset", "verify", lock, "--sync")
        #expect(checked.status == 3)
        #expect(
          checked.output == """
            XC37: withdrawn
            XC74: withdrawn
            10 of 12 recordings are the same; 2 withdrawn

            """, "\(checked)")
        let asked = upstream.catalogue.requests.count
        let stored = try other.run("dataset", "verify", lock, "--json")
        #expect(upstream.catalogue.requests.count == asked)
        let json = try #require(
          try JSONSerialization.jsonObject(with: Data(stored.output.utf8)) as? [String: Any])
        #expect((json["recordings"] as? [Any])?.count == 2)
        upstream.replaceAudio(of: "185")
        try withProgram(upstream.catalogue.variables) { third in
          let built = try third.run("dataset", "build", lock, "set")
          #expect(built.status == 3, "\(built)")
          #expect(built.error.contains("left out, with other audio than was locked: XC185\n"))
        }
      }
    }
  }

  @Test func `of several locks of one name at once, one is written`() throws {
    try withParrots { program in
      #expect(try program.run("dataset", "new", "a", "parrot").status == 0)
      for round in 1...5 {
        let runs = try (1...4).map { _ in
          try program.start(arguments: [
            "dataset", "lock", program.path("a.dataset.json"), "--no-audio", "-o",
            program.path("\(round).lock.jsonl"),
          ])
        }
        let results = try runs.map { try $0.result() }
        #expect(results.map(\.status).sorted() == [0, 73, 73, 73], "\(results)")
        #expect(results.count { $0.error.contains("A lock is never replaced.") } == 3)
      }
      #expect(program.files("").keys.count { $0.hasSuffix(".part") } == 0)
    }
  }

  @Test func `build replaces no table of annotations that was edited`() throws {
    let upstream = try SoundCatalogue(Self.ids)
    upstream.catalogue.change {
      $0[0].annotationSet = #"""
        {"annotations":[{"annotation_id":"7","annotator":"C. Atalogue","start_time":"0.5",
        "end_time":"0.75","scientific_name":"Corvus corax"}]}
        """#
    }
    try withLock(upstream) { program, lock in
      #expect(try program.run("dataset", "build", lock, "set").status == 0)
      let name = try #require(program.files("set").keys.first { $0.hasSuffix("selections.txt") })
      let again = try program.run("dataset", "build", lock, "set")
      #expect(again.status == 0, "\(again)")
      try Data("mine".utf8).write(to: URL(filePath: program.path("set/\(name)")))
      let refused = try program.run("dataset", "build", lock, "set")
      #expect(
        refused.status == 73 && refused.error.contains("set/\(name): this file has changed"),
        "\(refused)")
      #expect(program.files("set")[name] == Data("mine".utf8))
    }
  }

  @Test func `a signal ends verify while it reads sounds`() throws {
    let upstream = try SoundCatalogue(Self.ids, soundSize: 4 << 20)
    try withLock(upstream) { program, lock in
      #expect(try program.run("dataset", "build", lock, "set").status == 0)
      var ends: Set<Int32> = []
      for delay in stride(from: 100_000, through: 1_000_000, by: 100_000) {
        let run = try program.start(arguments: ["dataset", "verify", lock, "set"])
        usleep(useconds_t(delay))
        kill(run.process.processIdentifier, SIGINT)
        let result = try run.result()
        ends.insert(result.status)
        // Before its handler is there, the signal itself ends it.
        #expect([0, 130].contains(result.status), "\(result)")
        if result.status == 130, !result.error.isEmpty {
          #expect(result.error == "error: Interrupted.\nNothing was changed.\n")
        }
      }
      #expect(ends.contains(130))
    }
  }

  @Test func `a list that was found under a different name is read again, not stored twice`() throws
  {
    let nothing = #"{"numRecordings":"0","numPages":1,"page":1,"recordings":[]}"#
    let catalogue = try FakeXenoCanto(Self.ids) { request, _ in
      request.query("query")?.contains("Whitethroat") == true ? nil : .json(200, nothing)
    }
    try withProgram(catalogue.variables) { program in
      let fetched = try program.run("fetch", "curruca communis", "--all")
      #expect(fetched.status == 0 && fetched.error.contains("12 rows stored"), "\(fetched)")
      #expect(try program.run("dataset", "new", "a", "curruca communis").status == 0)
      #expect(try program.run("dataset", "lock", "a.dataset.json", "--no-audio").status == 0)
      let checked = try program.run("dataset", "verify", "a.lock.jsonl", "--sync")
      #expect(checked.output == "12 of 12 recordings are the same\n", "\(checked)")
      let lists = try program.run("list").output
      #expect(lists.split(separator: "\n").count == 2, "\(lists)")
    }
  }

  @Test func `the lines are the same bytes in another store, whatever the order of its rows`()
    throws
  {
    let upstream = try SoundCatalogue(Self.ids)
    try withLock(upstream) { _, lock in
      upstream.catalogue.change { records in
        for index in records.indices { records[index].quality = index % 2 == 0 ? "A" : "B" }
      }
      try withProgram(upstream.catalogue.variables) { program in
        #expect(try program.run("fetch", "kea", "--all").status == 0)
        #expect(try program.run("dataset", "new", "a", "kea").status == 0)
        #expect(try program.run("dataset", "lock", "a.dataset.json", "--no-audio").status == 0)
        #expect(try program.run("dataset", "new", "b", "--where", "rec:sample").status == 0)
        #expect(try program.run("dataset", "lock", "b.dataset.json", "--no-audio").status == 0)
        func lines(_ path: String) throws -> [Substring] {
          try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").dropFirst()
            .map { $0 }
        }
        let own = try lines(program.path("a.lock.jsonl"))
        #expect(try lines(program.path("b.lock.jsonl")) == own)
        #expect(own.count == 12)
        let numbers = own.map { $0.split(separator: "\"")[7] }
        #expect(numbers.map(String.init) == Self.ids, "\(numbers)")
        // The qualities are different from those of the first lock, and nothing else is.
        let compared = try program.run("dataset", "verify", lock, program.path("a.lock.jsonl"))
        let lines = compared.output.split(separator: "\n").dropLast()
        #expect(lines.allSatisfy { $0.hasSuffix("audio") })
        let definition = try program.run("dataset", "verify", program.path("a.dataset.json"))
        #expect(
          definition.status == 64 && definition.error.contains("Name the lock: "), "\(definition)")
      }
    }
  }

  @Test func `an export of equal rows is the same bytes on another day`() throws {
    try withParrots { program in
      func exported(_ folder: String) throws -> [String: Data] {
        try FileManager.default.createDirectory(
          atPath: program.path(folder), withIntermediateDirectories: true)
        for format in RecordFormat.exported {
          let file = "\(folder)/a.\(format.name).\(format.fileEnd)"
          // Each sound of the sample is made for a deck.
          let few = format.holdsSounds ? ["--limit", "1"] : []
          let words = ["export", "parrot", "--format", format.name, "-o", file] + few
          let result = try program.run(BuiltProgram.path, words, input: "")
          #expect(result.status == 0, "\(result)")
        }
        return program.files(folder)
      }
      // The first deck makes a sound, which tables of selections have from then on.
      let deck = try program.run(
        "export", "parrot", "--format", "anki", "-o", "a.apkg", "--limit", "1")
      #expect(deck.status == 0, "\(deck)")
      let first = try exported("one")
      // Zip files keep times to two seconds.
      usleep(2_100_000)
      let second = try exported("two")
      #expect(first.count == RecordFormat.exported.count && first.keys == second.keys)
      for (name, data) in first { #expect(data == second[name], "\(name)") }
    }
  }

  @Test func `a folder with files of others is not touched, and links are not followed`() throws {
    let upstream = try SoundCatalogue(Self.ids)
    try withLock(upstream) { program, lock in
      let folder = program.path("set")
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
      try "mine".write(toFile: folder + "/README.txt", atomically: true, encoding: .utf8)
      let refused = try program.run("dataset", "build", lock, "set")
      #expect(refused.status == 73)
      #expect(
        refused.error.hasPrefix("error: set/README.txt: this file is there already"), "\(refused)")
      #expect(program.files("set") == ["README.txt": Data("mine".utf8)])
      try FileManager.default.removeItem(atPath: folder + "/README.txt")
      let elsewhere = program.path("elsewhere")
      try FileManager.default.createDirectory(
        atPath: elsewhere, withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(
        atPath: folder + "/Psittacus exemplaris", withDestinationPath: elsewhere)
      let linked = try program.run("dataset", "build", lock, "set")
      #expect(linked.status == 73 && linked.error.contains("this is a link"), "\(linked)")
      #expect(program.files("elsewhere").isEmpty)
      let others = try program.run("dataset", "has", "XC37", lock)
      #expect(others.output == "\(lock): XC37 Psittacus exemplaris\n", "\(others)")
      #expect(try program.run("dataset", "has", "XC38", lock).output == "\(lock): no\n")
      let typo = try program.run("dataset", "has", "foo", lock)
      #expect(typo.status == 64 && typo.error.contains("has XC46088 "), "\(typo)")
    }
  }
}
