import ChirperTestSupport
import Foundation
import Testing

struct OutputFileTests {
  private func files(_ directory: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
  }

  @Test func `a file is replaced whole and keeps its mode`() throws {
    try withParrots { program in
      let target = program.path("out/parrot.csv")
      try FileManager.default.createDirectory(
        atPath: program.path("out"), withIntermediateDirectories: true)
      try Data("old".utf8).write(to: URL(filePath: target))
      #expect(chmod(target, 0o600) == 0)
      let result = try program.run("export", "parrot", "-o", target)
      #expect(
        result.status == 0 && result.error.hasPrefix("wrote 150 rows to \(target)\n"), "\(result)")
      let text = String(decoding: try Data(contentsOf: URL(filePath: target)), as: UTF8.self)
      #expect(readCSV(text)?.count == 151)
      #expect(try files(program.path("out")) == ["parrot.csv"])
      let mode = try FileManager.default.attributesOfItem(atPath: target)[.posixPermissions] as? Int
      #expect(mode == 0o600)
    }
  }

  @Test(arguments: ["y", "é", "a/y", "./y"])
  func `a file can have a name of one letter`(name: String) throws {
    try withParrots { program in
      let folder = program.path("here")
      try FileManager.default.createDirectory(
        atPath: folder + "/a", withIntermediateDirectories: true)
      let result = try program.shell("cd '\(folder)' && \"$chirper\" export parrot -o '\(name)'")
      #expect(
        result.status == 0 && result.error.hasPrefix("wrote 150 rows to \(name)\n"), "\(result)")
      #expect(
        readCSV(
          String(decoding: try Data(contentsOf: URL(filePath: "\(folder)/\(name)")), as: UTF8.self))?
          .count == 151)
    }
  }

  @Test(arguments: ["missing/parrot.csv", "."])
  func `what cannot be created ends with 73 and leaves nothing`(name: String) throws {
    try withParrots { program in
      let before = try files(program.directory.path).filter { !$0.hasPrefix("run-") }
      let result = try program.run("export", "parrot", "-o", name)
      #expect(result.status == 73)
      #expect(result.output == "")
      #expect(try files(program.directory.path).filter { !$0.hasPrefix("run-") } == before)
    }
  }

  #if os(Linux)
  @Test func `a full disk ends with 74, whichever way it is written to`() throws {
    try withParrots { program in
      let message =
        "failed: No space left on device.\nFree some space and type the same command again.\n"
      for words in [
        "export parrot > /dev/full", "export parrot -o /dev/full", "list parrot > /dev/full",
        "list > /dev/full", "list --help > /dev/full",
      ] {
        let result = try program.shell("\"$chirper\" \(words)")
        #expect(result.status == 74, "\(words)")
        #expect(result.error.hasSuffix(message), "\(words): \(result.error)")
      }
    }
  }
  #endif

  @Test func `a closed pipe is not an error`() throws {
    try withParrots { program in
      // More than a pipe holds.
      try program.run("fetch", "parrot", "--source", "sample", "--all")
      let result = try program.shell(
        "{ \"$chirper\" export parrot --format json; echo $? > code; } | head -c 10; while [ ! -s code ]; do sleep 0.05; done; cat code"
      )
      #expect(result == BuiltProgram.Result(status: 0, output: "{\"query\":\"0\n", error: ""))
    }
  }

  @Test func `a closed standard output ends with 74 and leaves the database sound`() throws {
    try withParrots { program in
      let export = try program.shell("\"$chirper\" export parrot >&-")
      #expect(export.status == 74)
      let doctor = try program.run("doctor")
      #expect(doctor.status == 0)
    }
  }

  @Test func `an argument that is not UTF-8 is refused, and no file of another name is written`()
    throws
  {
    try withParrots { program in
      try FileManager.default.createDirectory(
        atPath: program.path("out"), withIntermediateDirectories: true)
      let result = try program.shell(#""$chirper" export parrot -o "$(printf 'out/x\377.csv')""#)
      #expect(
        result.status == 64 && result.error.contains("Argument 4 is not valid UTF-8."), "\(result)")
      #expect(try files(program.path("out")) == [])
    }
  }

  @Test(arguments: [
    "./a.csv", "../out/a.csv", "..//out/./a.csv", "A.CSV", "link/a.csv", "a-link.csv",
  ])
  func `a provenance is never written over its export`(name: String) throws {
    try withParrots { program in
      let folder = program.path("out")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(
        atPath: folder + "/link", withDestinationPath: folder)
      for exists in [false, true] {
        if exists {
          try Data("old".utf8).write(to: URL(filePath: folder + "/a.csv"))
          try FileManager.default.createSymbolicLink(
            atPath: folder + "/a-link.csv", withDestinationPath: "a.csv")
        } else if name == "a-link.csv" {
          continue
        }
        let result = try program.shell(
          "cd '\(folder)' && \"$chirper\" export parrot -o a.csv --provenance '\(name)'")
        // A file system may distinguish the case of letters; then these are two files.
        if name == "A.CSV", exists { continue }
        #expect(result.status == 64 && result.error.contains("a file of its own"), "\(result)")
        #expect(try files(folder).filter { $0.hasSuffix(".part") } == [])
      }
    }
  }

  @Test func `no output takes the name of a database that is open`() throws {
    try withParrots { program in
      let target = program.path("out.sqlite")
      try FileManager.default.createSymbolicLink(
        atPath: program.path("link"), withDestinationPath: target)
      // A program that has the database open.
      let other = try program.start(
        "/usr/bin/sqlite3", arguments: [target],
        input: """
          PRAGMA journal_mode = WAL;
          CREATE TABLE x (a);
          WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 50)
            INSERT INTO x SELECT i FROM n;
          .shell touch ready; while [ ! -e go ]; do sleep 0.05; done

          """)
      let isReady = { FileManager.default.fileExists(atPath: program.path("ready")) }
      while !isReady(), other.process.isRunning { usleep(10_000) }
      try #require(FileManager.default.fileExists(atPath: target + "-wal"))
      let outputs = [
        ["backup", target], ["backup", "link"],
        ["export", "parrot", "--format", "csv", "-o", "link"],
        ["export", "parrot", "--provenance", target, "-o", "x.csv"],
        ["export", "parrot", "--audio", program.path("out.sqlite.zip"), "--limit", "0"],
        ["stats", "--by", "month", "--format", "csv", "-o", "link"],
        ["export", "parrot", "--format", "sqlite", "-o", target],
        ["export", "parrot", "--format", "gpkg", "-o", "link"],
        ["export", "parrot", "--format", "dwca", "-o", "link"],
      ]
      try Data().write(to: URL(filePath: target + ".zip-journal"))
      for words in outputs {
        let result = try program.run(BuiltProgram.path, words, input: "")
        #expect(result.status == 73, "\(words): \(result)")
        let sentence = """
           is next to the file: a program has it open, or crashed.
          Close that program, or choose another name.

          """
        #expect(result.error.hasSuffix(sentence), "\(result)")
      }
      try Data().write(to: URL(filePath: program.path("go")))
      #expect(try other.result().status == 0)
      let check = try program.shell(
        "sqlite3 out.sqlite 'PRAGMA integrity_check; SELECT count(*) FROM x'")
      #expect(check.output == "ok\n50\n", "\(check)")
      // The other program has closed it.
      #expect(try program.run("backup", target).status == 0)
      #expect(try files(program.directory.path).filter { $0.hasSuffix(".part") } == [])
      for suffix in ["-journal", "-wal", "-shm"] {
        let name = program.path("new.gpkg")
        try FileManager.default.createSymbolicLink(
          atPath: name + suffix, withDestinationPath: program.path("nowhere"))
        let result = try program.run("export", "parrot", "-o", name)
        #expect(result.status == 73, "\(result)")
        #expect(result.error.contains("new.gpkg\(suffix) is next to the file"), "\(result)")
        #expect(unlink(name + suffix) == 0 && !FileManager.default.fileExists(atPath: name))
      }
    }
  }

  @Test func `no output takes a name that chirper's own files will have`() throws {
    try withProgram { program in
      let (data, config) = (program.path(".local/share/chirper"), program.path(".config/chirper"))
      try FileManager.default.createDirectory(atPath: config, withIntermediateDirectories: true)
      #expect(try program.run("fetch", "parrot", "--source", "sample", "--audio").status == 0)
      try FileManager.default.createSymbolicLink(
        atPath: program.path("sounds"), withDestinationPath: data + "/audio/sample")
      let key = program.path("shared.key")
      let shared = program.set("XENO_CANTO_API_KEY_FILE", key)
      let names = [
        "\(data)/serve-token", "\(data)/Serve-Token", "\(data)/serve-reader-token", "\(data)/audio",
        "\(data)/locks",
        "\(data)/audio/new.csv", "\(data)/audio/sample/new.mp3", "\(data)/locks/x.lock",
        "\(data)/locks/../audio", "\(config)/config", "\(config)/xeno-canto.key",
        program.path("sounds/new.mp3"), key,
      ]
      for name in names {
        let existed = FileManager.default.fileExists(atPath: name)
        for words in [["export", "parrot", "--format", "csv", "-o", name], ["backup", name]] {
          let result = try shared.run(BuiltProgram.path, words, input: "")
          #expect(
            result.status == 73 && result.error.contains("one of chirper's own files"),
            "\(words): \(result)")
        }
        #expect(FileManager.default.fileExists(atPath: name) == existed)
      }
      // Other names in the data directory are free.
      #expect(try program.run("export", "parrot", "-o", data + "/parrot.csv").status == 0)
    }
  }

  @Test(arguments: ["-o pipe.gpkg", "-o pipe.sqlite", "--format gpkg -o pipe.x", "backup"])
  func `a database is not written to a named pipe, whose reader it would wait for`(
    words: String
  ) throws {
    try withParrots { program in
      for name in ["pipe.gpkg", "pipe.sqlite", "pipe.x"] {
        #expect(mkfifo(program.path(name), 0o600) == 0)
      }
      let command = words == "backup" ? "backup pipe.sqlite" : "export parrot \(words)"
      let result = try program.shell("\"$chirper\" \(command)")
      #expect(result.status == (words == "backup" ? 74 : 64), "\(result)")
      #expect(result.error.contains(words == "backup" ? "not a regular file" : "to a file only"))
    }
  }

  @Test func `an export never replaces a file of chirper's own, by whatever name`() throws {
    try withParrots { program in
      try program.run("auth", "set", input: "abcdef1234567890\n")
      #expect(try program.run("fetch", "parrot", "--source", "sample", "--audio").status == 0)
      let data = program.path(".local/share/chirper")
      let audio = try #require(
        FileManager.default.contentsOfDirectory(atPath: data + "/audio/sample").first)
      // The database is a link, so its journal and damaged copies are where it leads.
      let real = program.path("real.db")
      try FileManager.default.moveItem(atPath: data + "/chirper.sqlite", toPath: real)
      try FileManager.default.createSymbolicLink(
        atPath: data + "/chirper.sqlite", withDestinationPath: real)
      try Data("damaged".utf8).write(to: URL(filePath: real + ".damaged-20260528T202640Z"))
      let own = [
        data + "/chirper.sqlite", real, real + ".damaged-20260528T202640Z",
        program.path(".config/chirper/xeno-canto.key"),
        data + "/audio/sample/" + audio,
      ]
      for name in [data, program.path("")].map({ $0 + "/" }) {
        for end in ["-journal", "-wal", "-shm", "-JOURNAL"] {
          let path = name + (name.hasPrefix(data) ? "chirper.sqlite" : "real.db") + end
          let result = try program.run("export", "parrot", "--format", "csv", "-o", path)
          #expect(
            result.status == 73 && result.error.contains("one of chirper's own files"),
            "\(path): \(result)")
          #expect(!FileManager.default.fileExists(atPath: path))
        }
      }
      for (number, file) in own.enumerated() {
        let before = try Data(contentsOf: URL(filePath: file))
        let (soft, hard) = (program.path("soft\(number).csv"), program.path("hard\(number).csv"))
        try FileManager.default.createSymbolicLink(atPath: soft, withDestinationPath: file)
        try FileManager.default.linkItem(
          atPath: URL(filePath: file).resolvingSymlinksInPath().path, toPath: hard)
        for name in [file, soft, hard] {
          let format = name.hasSuffix(".sqlite") ? "sqlite" : "csv"
          let result = try program.run("export", "parrot", "--format", format, "-o", name)
          #expect(
            result.status == 73 && result.error.contains("one of chirper's own files"),
            "\(name): \(result)")
        }
        #expect(try Data(contentsOf: URL(filePath: file)) == before)
      }
      let dangling = program.path("dangling.csv")
      try FileManager.default.createSymbolicLink(
        atPath: dangling, withDestinationPath: program.path("nowhere.csv"))
      let result = try program.run("export", "parrot", "-o", dangling)
      #expect(
        result.status == 73 && result.error.contains("a link to a file that does not exist"),
        "\(result)")
      #expect(
        try FileManager.default.destinationOfSymbolicLink(atPath: dangling)
          == program.path("nowhere.csv"))
      #expect(try program.run("list", "parrot").status == 0)
    }
  }
}
