import ChirperStore
import ChirperTestSupport
import Foundation
import Testing

/// A database that the program cannot use, and what every command does with it.
@Suite(.serialized)
struct DamagedDatabaseTests {
  private static let commands = [
    ["list"], ["list", "parrot"], ["export", "parrot"], ["fetch", "parrot", "--source", "sample"], ["sync"],
    ["forget", "parrot", "--yes"], ["doctor"], ["doctor", "--json"],
  ]

  /// A damaged store.
  struct DamagedStore: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// Rows of `parrot` after the repair.
    let rowsLeft: Int?
    let damage: @Sendable (inout [UInt8]) -> Void
  }

  @Test(arguments: [
    DamagedStore(testDescription: "a zeroed header", rowsLeft: 150) { for index in 0..<100 { $0[index] = 0 } },
    DamagedStore(testDescription: "a zeroed first page", rowsLeft: 150) { for index in 0..<4096 { $0[index] = 0 } },
    DamagedStore(testDescription: "cut in half", rowsLeft: nil) { $0.removeLast($0.count / 2) },
    DamagedStore(testDescription: "a text file", rowsLeft: nil) {
      $0 = Array(String(repeating: "no database ", count: 900).utf8)
    },
    DamagedStore(testDescription: "random bytes after a sound header", rowsLeft: nil) { bytes in
      var random = SeededRandom(seed: 7)
      for index in 100..<bytes.count { bytes[index] = UInt8.random(in: 0...255, using: &random) }
    },
  ])
  func `every command exits with 65, and doctor --repair fixes it`(store: DamagedStore) throws {
    try withParrots { program in
      let witness = StoreWitness(program)
      var bytes = Array(try Data(contentsOf: URL(filePath: witness.file)))
      store.damage(&bytes)
      try Data(bytes).write(to: URL(filePath: witness.file))
      for command in Self.commands {
        let ending = try program.run(BuiltProgram.path, command, input: "")
        #expect(ending.status == 65, "\(command): \(ending)")
        #expect(ending.error.contains("chirper doctor --repair"), "\(command): \(ending)")
      }
      #expect(try Data(contentsOf: URL(filePath: witness.file)) == Data(bytes))
      #expect(try program.run("doctor", "--json").output.contains(#"chirper.sqlite","exists":true"#))
      let repair = try program.run("doctor", "--repair")
      #expect(repair.status == 0, "\(repair)")
      #expect(repair.output.hasPrefix("repair       kept "), "\(repair)")
      #expect(repair.output.contains("the damaged file is now \(witness.file).damaged-"), "\(repair)")
      if let rows = store.rowsLeft { #expect(try witness.check("repaired").first?.count == rows) }
      #expect(try program.run("fetch", "parrot", "--source", "sample", "--per-page", "50", "--pages", "3").status == 0)
      #expect(try witness.check("fetched again").first?.count == 150)
      let kept = try FileManager.default.contentsOfDirectory(atPath: witness.directory.path).filter { $0.contains(".damaged-") }
      #expect(try kept.map { try Data(contentsOf: witness.directory.appending(path: $0)) } == [Data(bytes)])
    }
  }

  @Test func `a stored query without a page size ends commands with 65 and traps none`() throws {
    try withParrots { program in
      let file = StoreWitness(program).file
      RawDatabase.execute("PRAGMA ignore_check_constraints = 1; UPDATE query SET page_size = 0", in: file)
      for command in ["sync", "list"] {
        let ending = try program.run(command)
        #expect(ending.status == 65, "\(command): \(ending)")
        #expect(ending.error.contains("doctor --repair"), "\(command): \(ending)")
      }
      #expect(try program.run("doctor", "--repair").status == 0)
      #expect(try program.run("list").status == 0)
    }
  }

  @Test func `a directory with the database's name ends commands with 65, and a repair moves it aside`() throws {
    try withProgram { program in
      let witness = StoreWitness(program)
      try FileManager.default.createDirectory(atPath: witness.file, withIntermediateDirectories: true)
      for command in Self.commands {
        #expect(try program.run(BuiltProgram.path, command, input: "").status == 65, "\(command)")
      }
      #expect(try program.run("doctor", "--repair").status == 0)
      #expect(try program.run("fetch", "parrot", "--source", "sample").status == 0)
    }
  }

  @Test func `flipped bytes never trap a command`() throws {
    try withParrots { program in
      let witness = StoreWitness(program)
      let sound = Array(try Data(contentsOf: URL(filePath: witness.file)))
      for seed in 1...UInt64(12) {
        var bytes = sound
        var damage = Damage(seed: seed)
        damage.apply(to: &bytes)
        for command in [["list", "parrot"], ["export", "parrot"], ["doctor"], ["doctor", "--repair"], ["list"]] {
          if command != ["list"] { try Data(bytes).write(to: URL(filePath: witness.file)) }
          let ending = try program.run(BuiltProgram.path, command, input: "")
          #expect(
            [0, 65, 66, 75].contains(ending.status), "seed \(seed), \(damage), \(command): \(ending.status) \(ending.error)")
        }
      }
    }
  }

  @Test(arguments: ["PRAGMA user_version = 99", "PRAGMA application_id = 7"])
  func `a database of a newer version, or of another program, is refused with a message and not changed`(change: String) throws {
    try withParrots { program in
      let witness = StoreWitness(program)
      RawDatabase.execute(change, in: witness.file)
      let before = try Data(contentsOf: URL(filePath: witness.file))
      let isNewer = change.contains("user_version")
      for command in Self.commands + [["doctor", "--repair"]] {
        let ending = try program.run(BuiltProgram.path, command, input: "")
        #expect(ending.status == 65, "\(command): \(ending)")
        let words = isNewer ? "is of version 99, from a newer chirper" : "is a database, but not one of chirper's"
        #expect((ending.error + ending.output).contains(words), "\(command): \(ending)")
      }
      #expect(try Data(contentsOf: URL(filePath: witness.file)) == before)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: witness.directory.path).sorted() == ["chirper.sqlite", "locks"])
    }
  }

  @Test func `a repair leaves a sound database as it is`() throws {
    try withParrots { program in
      let before = try Data(contentsOf: URL(filePath: StoreWitness(program).file))
      let ending = try program.run("doctor", "--repair")
      #expect(ending.status == 0 && ending.output.hasPrefix("repair       nothing to repair\n"), "\(ending)")
      #expect(try program.run("doctor", "--repair", "--json").output.contains(#""repair":null"#))
      #expect(try Data(contentsOf: URL(filePath: StoreWitness(program).file)) == before)
    }
  }
}
