import ChirperTestSupport
import Foundation
import Testing

struct ListAndExportTests {
  @Test func `CSV reads back as it was stored, row by row`() throws {
    try withParrots { program in
      let result = try program.run("export", "parrot")
      let rows = try #require(readCSV(result.output))
      #expect(rows.count == 151)
      #expect(Set(rows.map(\.count)) == [rows[0].count])
      #expect(rows[0].prefix(3) == ["id", "gen", "sp"])
      let lines = try program.run("export", "parrot", "--format", "jsonl").output.split(
        separator: "\n")
      let sent = try lines.map {
        try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
      }
      #expect(sent.count == 150)
      for (row, object) in zip(rows.dropFirst(), sent) {
        for (name, cell) in zip(rows[0], row) {
          if let text = object[name] as? String { #expect(cell == text) }
        }
      }
      #expect(Set(rows.dropFirst().map { $0[0] }).count == 150)
      #expect(rows.dropFirst().allSatisfy { $0[0].hasPrefix("sample:") })
    }
  }

  @Test func `the stored queries are listed in every format`() throws {
    try withParrots { program in
      let csv = try #require(readCSV(try program.run("list", "--format", "csv").output))
      #expect(csv.count == 2)
      #expect(csv[1].prefix(3) == ["parrot", "sample", "150"])
      #expect(
        try program.run("list").output.hasPrefix(
          "query\tsource\trows\tpages\tcompleteness\tfetched\tnext\nparrot\tsample\t150 of "))
      #expect(
        try program.run("list", "--json").output.hasPrefix(
          #"{"queries":[{"query":"parrot","source":"sample","#))
      #expect(
        try program.run("list", "--format", "jsonl").output.hasPrefix(
          #"{"query":"parrot","source":"sample","#))
    }
  }

  @Test func `a prefix and an option may name the same catalogue`() throws {
    try withParrots { program in
      for words in [["list"], ["export"], ["news"], ["stats"], ["forget", "--yes"]] {
        let named = try program.run(
          BuiltProgram.path, words + ["sample:parrot", "--source", "gbif"], input: "")
        let problem = "error: The query names the catalogue sample, but gbif is chosen too.\n"
        #expect(named.status == 64 && named.error.hasPrefix(problem), "\(words): \(named)")
        let agreed = try program.run(
          BuiltProgram.path, words + ["sample:parrot", "--source", "sample"], input: "")
        #expect(agreed.status == 0, "\(words): \(agreed)")
      }
    }
  }

  @Test func `an option after -- is not searched for`() throws {
    try withParrots { program in
      let option = try program.run("list", "--", "parrot", "--limit", "1")
      #expect(option.status == 66 && !option.error.contains("chirper search"), "\(option)")
    }
  }

  @Test func `an export of a catalogue without rows has a header`() throws {
    try withParrots { program in
      let empty = try program.run("export", "--source", "archive")
      #expect(empty.status == 0 && empty.output.hasPrefix("id,catalogue,"), "\(empty)")
    }
  }

  @Test func `for a query that was never fetched the error names the command that fetches it`()
    throws
  {
    try withProgram { program in
      for command in ["list", "export", "sync"] {
        let result = try program.run(command, "grey parrot")
        #expect(
          result
            == .init(
              status: 66, output: "",
              error:
                "error: \"grey parrot\" was never fetched.\nType: chirper fetch 'grey parrot'\n")
        )
      }
      let imported = try program.run("list", "grey parrot", "--source", "macaulay")
      #expect(
        imported.error.hasSuffix("\nType: chirper import FILE --as 'grey parrot'\n"), "\(imported)")
    }
  }
}
