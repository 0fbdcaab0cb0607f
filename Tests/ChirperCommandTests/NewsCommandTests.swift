import ChirperTestSupport
import Foundation
import Testing

/// `news` and `--changed`: what was found changed by a later fetch.
struct NewsCommandTests {
  /// Two lists of the same three recordings, of which a later fetch found 1 rated otherwise, with
  /// remarks, and 2 of another species.
  private func withChanges(_ body: (BuiltProgram, FakeXenoCanto) throws -> Void) throws {
    let catalogue = try FakeXenoCanto(records: [
      .init(1, "alba"), .init(2, "bicolor"), .init(3, "nova"),
    ])
    try withProgram(catalogue.variables) { program in
      for query in ["parrot", "kea"] {
        #expect(try program.run("fetch", query, "--all").status == 0)
      }
      catalogue.change { records in
        records[0].quality = "C"
        records[0].remark = "two\tbirds"
        records[1].species = "dubia"
      }
      let fetch = try program.run("fetch", "parrot", "--all", "--json")
      #expect(fetch.output.contains(#""new":0,"changed":2,"gone":0"#), "\(fetch)")
      try body(program, catalogue)
    }
  }

  /// The cells of each line but those of the last column, the time.
  private func rows(_ result: BuiltProgram.Result) -> [[String]] {
    #expect(result.status == 0, "\(result)")
    return result.output.split(separator: "\n").map {
      $0.split(separator: "\t").dropLast().map(String.init)
    }
  }

  @Test func `news --details shows each detail before and after, a different name first`()
    throws
  {
    try withChanges { program, _ in
      let all = try program.run("news", "--details")
      #expect(
        rows(all)
          == [
            ["ID", "Source", "Name", "Detail", "Old", "New"],
            [
              "2", "xeno-canto", "Sample parrot 2", "scientificName", "Psittacus bicolor",
              "Psittacus dubia",
            ],
            ["1", "xeno-canto", "Sample parrot 1", "quality", "A", "C"],
            ["1", "xeno-canto", "Sample parrot 1", "occurrenceRemarks", "", #"two\tbirds"#],
          ].map { $0.filter { !$0.isEmpty } })
      #expect(
        all.error.hasPrefix("2 recordings changed since 2")
          && all.error.hasSuffix(", 0 renamed, 1 of a different species\n"), "\(all.error)")
      let list = try program.run("news", "kea", "--details", "--since", "7d")
      #expect(rows(list) == rows(all))
      #expect(
        list.error.contains("2 recordings changed since 2") && list.error.contains("xeno-canto"),
        "\(list.error)")
      #expect(try rows(program.run("news", "--details", "kea", "xeno-canto:parrot")) == rows(all))
      let chosen = try program.run(
        "news", "--details", "--where", "q:C", "--source", "xeno-canto", "--sort", "-id", "--limit",
        "1")
      #expect(rows(chosen) == [rows(all)[0], rows(all)[2]])
      #expect(chosen.error.hasPrefix("1 recording changed since 2"), "\(chosen.error)")
      #expect(
        try rows(program.run("news", "--details", "--offset", "2")) == [rows(all)[0], rows(all)[3]])
      let none = try program.run("news", "--details", "--since", "0s")
      #expect(
        (none.status, none.error.hasPrefix("no recording changed since 2")) == (0, true), "\(none)")
      #expect(try program.run("news", "--details", "macaw").status == 66)
      #expect(try program.run("news", "macaw").status == 66)
      #expect(try program.run("news", "--since", "soon").status == 64)
      #expect(try program.run("news", "--details", "--format", "atom").status == 64)
    }
  }

  @Test func `a recording that changed back has no row`() throws {
    try withChanges { program, catalogue in
      catalogue.change { $0[1].species = "bicolor" }
      #expect(try program.run("fetch", "parrot", "--all").status == 0)
      let news = try program.run("news", "--details")
      #expect(rows(news).count == 3)
      let note = "\n1 more changed only in fields that no detail shows, or changed back\n"
      #expect(news.error.contains(note), "\(news)")
    }
  }

  @Test func `the details have the formats of tables`() throws {
    try withChanges { program, _ in
      let json = try program.run("news", "parrot", "--details", "--json").output
      #expect(json.hasPrefix(#"{"since":"2"#), "\(json)")
      #expect(json.contains(#","new":0,"changed":2,"gone":0,"lists":1,"queries":[{"#), "\(json)")
      #expect(json.contains(#","search":"in:xeno-canto:parrot changed:any","#), "\(json)")
      #expect(
        json.contains(
          #""recordings":2,"renamed":0,"differentSpecies":1,"otherFields":0,"offset":0,"returned":3,"changes":["#
        ),
        "\(json)")
      #expect(
        json.contains(
          #"{"id":"1","catalogue":"xeno-canto","vernacularName":"Sample parrot 1","detail":"quality","old":"A","new":"C","changedAt":"2"#
        ),
        "\(json)")
      let csv = try #require(readCSV(try program.run("news", "--format", "csv").output))
      #expect(csv[0] == ["id", "catalogue", "vernacularName", "detail", "old", "new", "changedAt"])
      #expect(csv.count == 4 && csv[3][4] == "" && csv[3][5] == "two\tbirds", "\(csv)")
      #expect(
        try program.run("news", "-o", "changes.jsonl").error.hasPrefix(
          "wrote 3 rows to changes.jsonl\n"))
    }
  }

  @Test func `what changed is selected in list, export and search`() throws {
    try withChanges { program, _ in
      let list = try program.run(
        "list", "parrot", "--changed", "7d", "--sort", "id", "--columns", "id,Changed")
      #expect(rows(list) == [["ID"], ["1"], ["2"]])
      #expect(list.error.contains("2 rows changed since 2"), "\(list.error)")
      #expect(
        try program.run("list", "parrot", "--changed", "0s", "--columns", "id").output == "ID\n")
      let export = try program.run(
        "export", "kea", "--changed", "7d", "--format", "jsonl", "--sort", "id")
      #expect(
        export.output.contains(#""changedAt":"2"#)
          && export.output.split(separator: "\n").count == 2, "\(export)")
      #expect(
        try program.run("list", "parrot", "--changed", "7d", "--json").output.contains(
          #""changedSince":"2"#))
      #expect(try program.run("search", "changed:7d", "--count").output == "2\n")
      #expect(
        try program.run("search", "parrot -q:C", "--changed", "1d", "--count").output == "1\n")
      #expect(try program.run("search", "changed:none", "--count").output == "1\n")
      let both = try program.run("list", "parrot", "--changed", "7d", "--gone")
      #expect(
        both.status == 64
          && both.error.hasPrefix("error: --changed and --gone cannot be used together."), "\(both)"
      )
    }
  }

  @Test func `news are of the lists and recordings that are chosen`() throws {
    try withChanges { program, catalogue in
      catalogue.change { $0.removeAll { $0.id == "3" } }
      #expect(try program.run("sync", "parrot").status == 0)
      let list = try program.run("news", "parrot").output
      #expect(list.contains("2 changed (1 of a different species), 1 gone\n"), "\(list)")
      #expect(list.contains("\n\n0 new, 2 changed, 1 gone in 1 of 1 list since 2"), "\(list)")
      let some = try program.run("news", "parrot", "--where", "q:C").output
      #expect(some.contains("\n\n0 new, 1 changed, 0 gone in 1 of 1 list since 2"), "\(some)")
      let gone = try program.run("news", "--where", "nr:3", "--format", "atom").output
      #expect(gone.contains("<title>gone: XC3, ") && !gone.contains("XC1"), "\(gone)")
    }
  }

  @Test
  func
    `news has a block for each list with something in it, and a line of sums, with which sync ends`()
    throws
  {
    try withChanges { program, catalogue in
      let before = try program.run("news")
      #expect(
        before.output.contains("0 new, 4 changed, 0 gone in 2 of 2 lists since 2"), "\(before)")
      #expect(
        before.output.contains(
          "kea (xeno-canto): 2 changed (1 of a different species)\n  changed XC1, Sample parrot 1, Gabon, 2024-05-01, "
        ),
        "\(before)")
      #expect(before.output.contains("\n  changed XC2, Sample parrot 2, "), "\(before)")
      catalogue.change { records in
        records.removeAll { $0.id == "3" }
        records.append(.init(4, "nova"))
      }
      #expect(try program.run("fetch", "macaw", "--all").status == 0)
      let sync = try program.run("sync")
      #expect(sync.error.hasSuffix("\n2 new, 0 changed, 2 gone in 2 of 3 lists\n"), "\(sync.error)")
      #expect(try !program.run("sync", "kea").error.contains(" lists"))
      #expect(try program.run("fetch", "robin", "--source", "sample").status == 0)
      let news = try program.run("news", "--since", "1d").output
      #expect(
        news.contains(
          "parrot (xeno-canto): 1 new, 2 changed (1 of a different species), 1 gone\n  new     XC4, "
        ),
        "\(news)")
      #expect(
        news.contains("\n  gone    XC3, ")
          && news.contains("\n\n2 new, 6 changed, 2 gone in 3 of 3 lists since 2"), "\(news)")
      // What changed counts in every list that has it now.
      #expect(
        news.contains("macaw (xeno-canto): 2 changed (1 of a different species)\n")
          && !news.contains("robin"),
        "\(news)")
      let json = try program.run("news", "--json").output
      #expect(
        json.contains(#","new":2,"changed":6,"gone":2,"lists":3,"queries":[{"query":""#), "\(json)")
      #expect(
        json.contains(
          #""renamed":0,"differentSpecies":1,"ids":{"new":["4"],"changed":["1","2"],"gone":["3"],"#
            + #""renamed":[],"differentSpecies":["2"]}"#),
        "\(json)")
    }
  }
}
