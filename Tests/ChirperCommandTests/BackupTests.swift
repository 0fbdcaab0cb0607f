import ChirperTestSupport
import Foundation
import Testing

struct BackupTests {
  @Test func `a backup has every list, and audio beside it is listed`() throws {
    try withProgram { program in
      try program.run("fetch", "parrot", "--source", "sample", "--pages", "3", "--audio")
      let file = program.path("copy/chirper.sqlite")
      try FileManager.default.createDirectory(
        atPath: program.path("copy"), withIntermediateDirectories: true)
      let result = try program.run("backup", file)
      #expect(result.status == 0 && result.output == "", "\(result)")
      #expect(result.error.contains("\(file).audio.tsv lists 150 audio files"), "\(result.error)")
      let copy = program.set("CHIRPER_DATA_DIR", program.path("copy"))
      #expect(try copy.run("export", "parrot").output == program.run("export", "parrot").output)
      #expect(try copy.run("doctor").output.contains("integrity    sound"))
      let lines = try String(contentsOfFile: file + ".audio.tsv", encoding: .utf8).split(
        separator: "\n")
      #expect(lines.count == 151 && lines[0] == "file\tbytes")
      for line in lines.dropFirst() {
        let cells = line.split(separator: "\t")
        let path = program.path(".local/share/chirper/audio/\(cells[0])")
        #expect(
          try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int == Int(cells[1]),
          "\(line)")
      }
    }
  }

  @Test func `a backup while a fetch stores pages is the list at one moment`() throws {
    try withProgram { program in
      try program.run("fetch", "parrot", "--source", "sample")
      let fetch = try program.start(arguments: ["fetch", "parrot", "--source", "sample", "--all"])
      try FileManager.default.createDirectory(
        atPath: program.path("copy"), withIntermediateDirectories: true)
      let copy = program.set("CHIRPER_DATA_DIR", program.path("copy"))
      repeat {
        #expect(
          try program.run("backup", program.path("copy/chirper.sqlite"), "--json").status == 0)
        #expect(try copy.run("doctor").status == 0)
      } while fetch.process.isRunning
      #expect(try fetch.result().status == 0)
    }
  }

  @Test
  func `what a killed backup left is deleted by the next, with the files of SQLite beside it`()
    throws
  {
    try withProgram { program in
      try program.run("fetch", "parrot", "--source", "sample")
      let part = program.path(".b.sqlite.chirper-0000000a.part")
      for suffix in ["", "-journal", "-wal", "-shm"] {
        #expect(FileManager.default.createFile(atPath: part + suffix, contents: Data([0])))
      }
      #expect(try program.run("backup", program.path("b.sqlite")).status == 0)
      let folder = (part as NSString).deletingLastPathComponent
      let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      #expect(
        names.filter { $0.contains("b.sqlite") }.sorted() == ["b.sqlite", "b.sqlite.audio.tsv"])
    }
  }

  @Test func `without a database, and over its own files, nothing is written`() throws {
    try withProgram { program in
      let file = program.path("backup.sqlite")
      let missing = try program.run("backup", file)
      #expect(
        missing.status == 66 && missing.error.contains("this database does not exist"), "\(missing)"
      )
      #expect(!FileManager.default.fileExists(atPath: file))
      try program.run("fetch", "parrot", "--source", "sample")
      let rows = try program.run("export", "parrot").output
      let database = program.path(".local/share/chirper/chirper.sqlite")
      for target in [database, database + "-journal", program.path(""), "/dev/null", ""] {
        #expect(try ![0, 1].contains(program.run("backup", target).status), "\(target)")
      }
      #expect(try program.run("export", "parrot").output == rows)
    }
  }
}
