import ChirperTestSupport
import Foundation
import Testing

/// Builds of data sets that are killed, or cannot write.
@Suite(.serialized) struct DataSetFaultTests {
  private static let ids = (1...9).map { "\($0)" }

  /// Gives the body a program that has locked nine recordings whose audio is kept, in `lock.jsonl`, and
  /// the files of a build of them.
  private func withLock(
    _ body: (_ program: BuiltProgram, _ whole: [String: Data]) throws -> Void
  ) throws {
    let records = Self.ids.map { id in
      var record = FakeXenoCanto.Record(id, file: "/\(id)/download")
      record.licence = "//creativecommons.org/licenses/by/4.0/"
      return record
    }
    let catalogue = try FakeXenoCanto(records: records) { request, _ in
      guard request.path.hasSuffix("/download") else { return nil }
      return .bytes(
        200, Array("ID3 and sound \(request.path)".utf8), headers: ["Content-Type": "audio/mpeg"])
    }
    try withProgram(catalogue.variables) { program in
      #expect(try program.run("fetch", "kea", "--all").status == 0)
      #expect(try program.run("dataset", "new", "keas", "kea").status == 0)
      #expect(try program.run("dataset", "lock", "keas.dataset.json").status == 0)
      #expect(try program.run("dataset", "build", "keas.lock.jsonl", "whole").status == 0)
      try body(program, program.files("whole"))
    }
  }

  @Test(
    .enabled(if: SystemFaults.hasStrace, SystemFaults.needsStrace),
    arguments: ["signal=KILL", "error=ENOSPC", "error=EIO"])
  func `a build that fails at any call is whole after the same command again`(fault: String) throws
  {
    try withLock { full, whole in
      #expect(whole.count > Self.ids.count)
      let calls = ["write", "fsync", "rename,renameat,renameat2", "mkdir"]
      let tried = try Injection.atEvery(calls, fault: fault) { injection in
        try withCopy(of: full, [:]) { program in
          let folder = program.path("set")
          try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
          try Data("mine".utf8).write(to: URL(filePath: "\(folder)/mine.txt"))
          let build = ["dataset", "build", full.path("keas.lock.jsonl"), "set"]
          let (result, touched) = try injection.run(program, build)
          if fault != "signal=KILL" {
            #expect([0, 73, 74].contains(result.status), "\(injection): \(result)")
          }
          // What has a name is whole: tables differ as long as sounds are missing.
          for (name, data) in program.files("set") where name.hasSuffix(".mp3") {
            #expect(data == whole[name], "\(injection): \(name)")
          }
          let again = try program.run(BuiltProgram.path, build, input: "")
          #expect(again.status == 0, "\(injection): \(again)")
          var left = program.files("set")
          #expect(left.removeValue(forKey: "mine.txt") == Data("mine".utf8), "\(injection)")
          #expect(left == whole, "\(injection): \(left.keys.sorted())")
          return touched
        }
      }
      print("calls of a build that failed with \(fault): \(tried)")
      #expect(tried >= 50)
    }
  }

  @Test func `two builds into one folder at once leave one whole folder`() throws {
    try withLock { program, whole in
      for round in 1...4 {
        let runs = try (1...2).map { _ in
          try program.start(arguments: ["dataset", "build", "keas.lock.jsonl", "set-\(round)"])
        }
        for result in try runs.map({ try $0.result() }) where result.status != 0 {
          #expect(result.status == 75, "\(result)")
          #expect(result.error.contains("another build writes to this folder"), "\(result)")
        }
        #expect(program.files("set-\(round)") == whole)
      }
    }
  }
}
