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

  @Test func `every format has the same recordings in the same order`() throws {
    try withParrots { program in
      func ids(_ arguments: String...) throws -> [String] {
        let result = try program.run(BuiltProgram.path, arguments, input: "")
        #expect(result.status == 0)
        return result.output.matches(of: /sample:\d+/).map { String($0.output) }
      }
      let expected = try ids("export", "parrot", "--columns", "id")
      #expect(expected.count == 150)
      for format in ["csv", "tsv", "json", "jsonl"] {
        #expect(try ids("export", "parrot", "--columns", "id", "--format", format) == expected)
        #expect(try ids("list", "parrot", "--columns", "id", "--format", format) == expected)
      }
      #expect(try ids("list", "parrot", "--columns", "id") == expected)
      #expect(
        try ids("list", "parrot", "--columns", "id", "--offset", "3", "--limit", "2")
          == Array(expected[3..<5]))
      #expect(try ids("list", "parrot", "--columns", "id", "--offset", "1000").isEmpty)
    }
  }

  @Test func `JSON contains the source and the completeness beside the recordings`() throws {
    try withParrots { program in
      let result = try program.run("list", "parrot", "--json", "--limit", "2")
      let object = try #require(
        try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
      #expect(object["source"] as? String == "sample")
      #expect(object["origin"] as? String == "store")
      #expect(object["rows"] as? Int == 150)
      #expect(object["completeness"] as? String == "partial")
      #expect((object["recordings"] as? [Any])?.count == 2)
      #expect(result.error == "")
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
    }
  }

  @Test func `columns may be named by heading or detail, and sort keys combine`() throws {
    try withParrots { program in
      func rows(_ arguments: String...) throws -> [[Substring]] {
        let result = try program.run(
          BuiltProgram.path, ["list", "parrot", "--format", "csv"] + arguments, input: "")
        #expect(result.status == 0, "\(result)")
        return result.output.split(whereSeparator: \.isNewline).map {
          $0.split(separator: ",", omittingEmptySubsequences: false)
        }
      }
      #expect(try rows("--columns", "ID,Country,quality").first == ["id", "cnt", "quality"])
      #expect(
        try rows("--columns", "id", "--sort", "Country") == rows("--columns", "id", "--sort", "cnt")
      )
      let sorted = try rows("--columns", "cnt,length,id", "--sort", "cnt", "--sort", "-length")
        .dropFirst()
      #expect(Set(sorted.map { $0[0] }).count > 1)
      for (row, next) in zip(sorted, sorted.dropFirst()) {
        #expect(row[0] <= next[0])
        guard row[0] == next[0] else { continue }
        func seconds(_ text: Substring) -> Int {
          text.split(separator: ":").reduce(0) { $0 * 60 + (Int($1) ?? 0) }
        }
        #expect(seconds(row[1]) >= seconds(next[1]))
      }
      let unknown = try program.run("list", "parrot", "--sort", "Contry")
      #expect(unknown.status == 64 && unknown.error.contains("Did you mean country"), "\(unknown)")
    }
  }

}
