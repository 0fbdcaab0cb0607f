import ChirperTestSupport
import Foundation
import Testing

struct OfflineTests {
  /// Whether a process may run without a network on this machine.
  static let canUnshare: Bool = {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/unshare")
    process.arguments = ["-rn", "true"]
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()

  @Test(
    .enabled(if: canUnshare, "unshare -rn does not work here, so the network cannot be taken away"))
  func `list and export work without a network and with a key that cannot be read`() throws {
    try withParrots { program in
      // A directory in place of the key cannot be read by anyone, not even by root.
      try FileManager.default.createDirectory(
        atPath: program.path(".config/chirper/xeno-canto.key"), withIntermediateDirectories: true)
      for words in ["list", "list parrot", "export parrot", "doctor"] {
        let result = try program.shell("unshare -rn \"$chirper\" \(words)")
        #expect(result.status == 0, "\(words): \(result.error)")
        #expect(result.output.contains("sample"), "\(words)")
      }
    }
  }

  @Test(
    .enabled(if: canUnshare, "unshare -rn does not work here, so the network cannot be taken away"))
  func `a fetch without a network ends with 69 and points to what is stored`() throws {
    try withProgram(["XENO_CANTO_API_KEY": "k"]) { program in
      let result = try program.shell("unshare -rn \"$chirper\" fetch parrot")
      #expect(result.status == 69, "\(result.error)")
      #expect(
        result.error.contains("chirper list shows what is stored."),
        "\(result.error)")
    }
  }

  @Test
  func `a sync of several lists asks a dead host twice and reports the lists that were not tried`()
    throws
  {
    let catalogue = try FakeXenoCanto(["1", "2"])
    try withProgram(catalogue.variables) { program in
      for query in ["parrot", "macaw", "kea"] {
        #expect(try program.run("fetch", query, "--all").status == 0)
      }
      // A port where nobody listens any more.
      let port = try ScriptedServer { _ in .silent }.url
      let offline = program.set("CHIRPER_XENO_CANTO_URL", port.absoluteString)
      let result = try offline.run("sync", "--json")
      #expect(result.status == 69, "\(result)")
      #expect(
        result.output.contains(#""requests":2,"#)
          && result.output.contains(#""notTried":["macaw","kea"]"#), "\(result)")
      let text = try offline.run("sync")
      #expect(text.status == 69 && text.error.contains("not tried: macaw, kea\n"), "\(text)")
      #expect(!text.error.contains("0 new"), "\(text)")
    }
  }

  @Test
  func
    `a sync that only the sample answers ends as its other lists do, and names the list in each message`()
    throws
  {
    let catalogue = try FakeXenoCanto(["1", "2"])
    try withProgram(catalogue.variables) { program in
      #expect(try program.run("fetch", "parrot", "--all").status == 0)
      #expect(try program.run("fetch", "robin", "--source", "sample").status == 0)
      let port = try ScriptedServer { _ in .silent }.url
      let offline = program.set("CHIRPER_XENO_CANTO_URL", port.absoluteString)
      let result = try offline.run("sync", "--quiet")
      #expect(result.status == 69, "\(result)")
      let lines = result.error.split(separator: "\n")
      #expect(
        lines.count == 4 && lines[1] == "error: 1 of 2 queries could not be updated.", "\(result)")
      #expect(lines.filter { $0.hasPrefix("parrot: xeno-canto") }.count == 2, "\(result)")
      #expect(try offline.run("sync", "--json").status == 69)
    }
  }

  @Test func `a sync without a database ends with 66 and creates nothing`() throws {
    try withProgram { program in
      for arguments in [["sync"], ["sync", "--json"], ["sync", "--quiet"], ["sync", "parrot"]] {
        let result = try program.run(BuiltProgram.path, arguments, input: "")
        #expect(result.status == 66 && result.error.contains("chirper fetch parrot"), "\(result)")
      }
      #expect(!FileManager.default.fileExists(atPath: program.path(".local")))
    }
  }

  @Test
  func
    `a data directory in a directory that does not exist, as of a share that is not mounted, is not created`()
    throws
  {
    try withProgram { program in
      let share = program.path("share")
      let named = program.set("CHIRPER_DATA_DIR", share + "/chirper")
      for arguments in [
        ["fetch", "parrot", "--source", "sample"], ["sync"], ["list"], ["search", "parrot"],
        ["forget", "parrot", "--yes"],
        ["play", "1"], ["doctor", "--repair"],
      ] {
        let result = try named.run(BuiltProgram.path, arguments, input: "")
        #expect(
          result.status == 74
            && result.error.hasPrefix("error: \(share): this directory does not exist"), "\(result)"
        )
      }
      #expect(!FileManager.default.fileExists(atPath: share))
      try FileManager.default.createDirectory(atPath: share, withIntermediateDirectories: true)
      #expect(try named.run("fetch", "parrot", "--source", "sample").status == 0)
      #expect(
        try program.set("CHIRPER_DATA_DIR", "share/chirper/").run("list").output.contains("parrot"))
    }
  }

  @Test func `a missing key is reported once, whatever the number of lists`() throws {
    let catalogue = try FakeXenoCanto(["1", "2"])
    try withProgram(catalogue.variables) { program in
      for query in ["parrot", "macaw", "kea"] {
        #expect(try program.run("fetch", query, "--all").status == 0)
      }
      let result = try program.set("XENO_CANTO_API_KEY", nil).run("sync", "--quiet")
      #expect(result.status == 77, "\(result)")
      #expect(
        result.error.components(separatedBy: "needs a key, and none is set").count == 3, "\(result)"
      )
    }
  }

  @Test func `--quiet prints nothing where nothing fails`() throws {
    let catalogue = try FakeXenoCanto(["1", "2"])
    try withProgram(catalogue.variables) { program in
      let fetch = try program.run("fetch", "parrot", "--all", "--quiet")
      #expect(fetch == .init(status: 0, output: "", error: ""))
      #expect(try program.run("sync", "--quiet") == .init(status: 0, output: "", error: ""))
    }
  }
}
