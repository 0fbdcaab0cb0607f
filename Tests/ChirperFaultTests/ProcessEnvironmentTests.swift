import ChirperTestSupport
import Foundation
import Testing

/// Unusual process environments: no home, odd paths, few file descriptors.
struct ProcessEnvironmentTests {
  private static let commands = [
    "list", "export parrot", "fetch parrot --source sample", "sync", "doctor",
  ]

  @Test func `without HOME every command names the variable to set`() throws {
    try withProgram { program in
      for words in Self.commands {
        let result = try program.shell("env -u HOME \"$chirper\" \(words)")
        #expect(result.status == 78, "\(words): \(result)")
        #expect(
          result.error.contains("Set HOME, or CHIRPER_DATA_DIR to a directory of your choice."),
          "\(words): \(result)")
      }
      let result = try program.shell(
        "env -u HOME CHIRPER_DATA_DIR=own \"$chirper\" fetch parrot --source sample")
      #expect(result.status == 0, "\(result)")
      #expect(FileManager.default.fileExists(atPath: program.path("own/chirper.sqlite")))
    }
  }

  @Test func `a relative XDG path is ignored, as its specification demands`() throws {
    try withProgram(["XDG_DATA_HOME": "data", "XDG_CONFIG_HOME": "config"]) { program in
      let result = try program.run("fetch", "parrot", "--source", "sample")
      #expect(result.status == 0, "\(result)")
      #expect(FileManager.default.fileExists(atPath: StoreInspector(program).file))
      #expect(!FileManager.default.fileExists(atPath: program.path("data")))
    }
  }

  @Test(.enabled(if: SystemFaults.canMount, SystemFaults.needsMount))
  func `with a read-only home directory reading works, and writing explains why it does not`()
    throws
  {
    try withProgram { program in
      let result = try program.shell(
        """
        unshare -rm --propagation private sh -c '
          mount --bind "$HOME" "$HOME" && mount -o remount,bind,ro "$HOME"
          "$chirper" list > /dev/null; echo "list $?"
          "$chirper" export parrot > /dev/null 2>&1; echo "export $?"
          "$chirper" fetch parrot --source sample; echo "fetch $?"
          echo key | "$chirper" auth set; echo "auth $?"
        ' 2> /dev/fd/1
        """)
      #expect(result.output.contains("list 0\nexport 66\n"), "\(result)")
      #expect(result.output.contains("fetch 74\n"), "\(result)")
      #expect(
        result.output.contains(
          "\(program.directory.path): the database is read-only, so nothing can be stored."),
        "\(result)")
      #expect(result.output.contains("auth 73\n"), "\(result)")
    }
  }

  @Test(.enabled(if: SystemFaults.canMount, SystemFaults.needsMount))
  func `without /proc every command says that it cannot read what was typed`() throws {
    try withProgram { program in
      for words in ["list", "backup b.sqlite", "fetch parrot --source sample", "nonsense"] {
        let result = try program.shell(
          """
          unshare -rm --propagation private sh -c '
            mount -t tmpfs none /proc && exec "$chirper" \(words)'
          """)
        #expect(result.status == 78, "\(words): \(result)")
        #expect(result.output.isEmpty && result.error.contains("/proc"), "\(words): \(result)")
      }
    }
  }

  @Test func `too few file descriptors are an error that names the limit, and 64 are enough`()
    throws
  {
    let catalogue = try FakeXenoCanto(["1", "2", "3", "4"])
    try withProgram(catalogue.variables) { program in
      #expect(try program.run("fetch", "parrot", "--all").status == 0)
      for words in ["list parrot", "export parrot -o out.csv", "fetch parrot --all", "doctor"] {
        for limit in [6, 10, 24, 63] {
          let result = try program.shell("ulimit -n \(limit); \"$chirper\" \(words)")
          #expect(result.status == 78, "\(words) with \(limit): \(result)")
          #expect(
            result.error == """
              error: Only \(limit) files may be open at once here; chirper needs 64.
              Type: ulimit -n 256

              """)
        }
        let result = try program.shell("ulimit -n 64; \"$chirper\" \(words)")
        #expect(result.status == 0, "\(words): \(result)")
      }
      // A soft limit is raised as far as the system allows.
      #expect(try program.shell("ulimit -S -n 10; \"$chirper\" fetch parrot --all").status == 0)
      #expect(try StoreInspector(program).check("few descriptors") == [["1", "2", "3", "4"]])
    }
  }

  @Test(arguments: ["-d 60000", "-v 110000"])
  func `with little memory every command says so in place of waiting without end`(limit: String)
    throws
  {
    try withProgram { program in
      for words in Self.commands {
        let result = try program.shell("ulimit \(limit); timeout 60 \"$chirper\" \(words)")
        #expect(
          result.status == 78
            && result.error.contains(" MB of memory may be used here; chirper needs "), "\(result)")
      }
    }
  }
}
