import ChirperTestSupport
import Foundation
import Testing

// This is the contract of the project. No later change may alter this file, or
// `ChirperLibraryTests/ContractTests.swift`: what does not pass them is not chirper. Other tests
// say more about the same subjects; these say what must never change.

/// The built program, with a real store and real sockets on loopback.
@Suite struct ContractTests {
  /// Whether a process may run without a network on this machine.
  private static let canUnshare: Bool = {
    guard let program = try? BuiltProgram() else { return false }
    defer { program.remove() }
    return (try? program.run("/usr/bin/unshare", ["-rn", "true"], input: ""))?.status == 0
  }()

  /// A port where nobody listens.
  private static func closedPort() throws -> String {
    let server = try ScriptedServer()
    server.close()
    // The thread that listens looks every few milliseconds whether it has been closed.
    Thread.sleep(forTimeInterval: 0.3)
    return server.url.absoluteString
  }

  /// Fetches three pages of three parrots each, of four pages, from a server that then goes away.
  private func withFetchedParrots(_ body: (_ program: BuiltProgram, _ ids: [String]) throws -> Void)
    throws
  {
    let ids = (1...11).map { "\(100 + $0 * 7 % 11)" }
    let catalogue = try FakeXenoCanto(ids, rowsPerPage: 3)
    try withProgram(catalogue.variables) { program in
      let fetch = try program.run("fetch", "parrot", "--pages", "3")
      #expect(fetch.status == 0 && fetch.output.isEmpty, "\(fetch)")
      #expect(catalogue.pagesAsked == [1, 2, 3])
      try body(program.set("CHIRPER_XENO_CANTO_URL", Self.closedPort()), Array(ids.prefix(9)))
      #expect(catalogue.pagesAsked == [1, 2, 3])
    }
  }

  @Test func `chirper fetch parrot --pages 3 requests three pages in order and stores their rows`()
    throws
  {
    try withFetchedParrots { program, ids in
      let json = try program.run("list", "parrot", "--json")
      let object = try #require(
        try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
      let recordings = try #require(object["recordings"] as? [[String: Any]])
      #expect(recordings.compactMap { $0["id"] as? String } == ids)
      #expect(
        object["pagesStored"] as? Int == 3 && object["next"] as? Int == 4
          && object["total"] as? Int == 11)
    }
  }

  @Test
  func
    `chirper fetch parrot --pages 3 needs neither key nor network: without a key the built-in catalogue answers`()
    throws
  {
    try withProgram(["CHIRPER_XENO_CANTO_URL": Self.closedPort()]) { program in
      let fetch = try program.run("fetch", "parrot", "--pages", "3", "--json")
      #expect(fetch.status == 0, "\(fetch)")
      #expect(
        fetch.output.contains(#""source":"sample""#) && fetch.output.contains(#""pagesStored":3,"#),
        "\(fetch)")
      let list = try program.run("list", "parrot")
      #expect(list.status == 0 && list.output.split(separator: "\n").count > 100, "\(list)")
    }
  }

  @Test
  func
    `chirper list parrot shows the stored rows in their order when the catalogue cannot be reached`()
    throws
  {
    try withFetchedParrots { program, ids in
      let list = try program.run("list", "parrot")
      #expect(list.status == 0, "\(list)")
      let lines = list.output.split(separator: "\n")
      #expect(lines.dropFirst().map { String($0.prefix { $0 != "\t" }) } == ids, "\(list)")
      #expect(lines.dropFirst().allSatisfy { $0.contains("\tSample recordist\t") }, "\(list)")
      // Where they come from is on standard error.
      #expect(list.error.contains("9 of 11 recordings from xeno-canto"), "\(list)")
      // What is not stored is asked for, and that fails.
      #expect(try program.run("fetch", "parrot", "--pages", "4").status == 69)
      #expect(try program.run("list", "parrot").output == list.output)
    }
  }

  @Test(
    .enabled(if: canUnshare, "unshare -rn does not work here, so the network cannot be taken away"))
  func
    `chirper list parrot and chirper export parrot print the same in a process without any network`()
    throws
  {
    try withFetchedParrots { program, _ in
      for words in ["list parrot", "export parrot --format csv"] {
        let connected = try program.shell("\"$chirper\" \(words)")
        let offline = try program.shell("unshare -rn \"$chirper\" \(words)")
        #expect(offline.status == 0 && !offline.output.isEmpty, "\(offline)")
        #expect(offline.output == connected.output)
      }
    }
  }

  @Test func `chirper list parrot of what was never fetched fails with 66 and prints no rows`()
    throws
  {
    try withProgram { program in
      let list = try program.run("list", "parrot")
      #expect(
        list.status == 66 && list.output.isEmpty && list.error.contains("chirper fetch parrot"),
        "\(list)")
    }
  }

  @Test func `chirper export parrot --format csv writes every field as sent, by RFC 4180, offline`()
    throws
  {
    try withFetchedParrots { program, ids in
      let export = try program.run("export", "parrot", "--format", "csv")
      #expect(export.status == 0, "\(export)")
      let rows = try #require(readCSV(export.output))
      let header = try #require(rows.first)
      #expect(rows.allSatisfy { $0.count == header.count })
      let table = rows.dropFirst().map { Dictionary(uniqueKeysWithValues: zip(header, $0)) }
      #expect(table.map { $0["id"] } == ids)
      for row in table {
        #expect(
          row["en"] == "Sample parrot \(row["id"] ?? "")" && row["rec"] == "Sample recordist"
            && row["cnt"] == "Gabon")
        #expect(
          row["length"] == "0:30" && row["date"] == "2024-05-01"
            && row["rmk"] == String(repeating: "x", count: 60))
      }
      #expect(
        try program.run("export", "parrot", "--format", "csv", "-o", "parrot.csv").status == 0)
      #expect(
        try Data(contentsOf: program.directory.appending(path: "parrot.csv"))
          == Data(export.output.utf8))
    }
  }

  @Test func `the top level of the repository has what people and tools look for there`() {
    for name in [
      "Package.swift", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "Migrations",
      "Sources", "Tests", "docs",
      "scripts", ".ci/run",
    ] {
      #expect(
        FileManager.default.fileExists(atPath: BuiltProgram.repository.appending(path: name).path),
        "\(name)")
    }
  }
}
