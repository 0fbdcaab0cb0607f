import ChirperTestSupport
import Foundation
import Synchronization
import Testing

/// `list --new`, `list --gone`, and the ids that `sync --json` names.
struct NewAndGoneTests {
  /// A list of eight of which a sync found `x` and `y` new and `3` gone.
  private func withSyncedList(_ body: (BuiltProgram, FakeXenoCanto, _ sync: String) throws -> Void)
    throws
  {
    let catalogue = try FakeXenoCanto(["1", "2", "3", "4", "5", "6", "7", "8"])
    try withProgram(catalogue.variables) { program in
      #expect(try program.run("fetch", "parrot", "--all").status == 0)
      catalogue.ids = ["9", "1", "2", "4", "10", "5", "6", "7", "8"]
      let sync = try program.run("sync", "parrot", "--json")
      #expect(sync.status == 0, "\(sync)")
      try body(program, catalogue, sync.output)
    }
  }

  private func lines(_ program: BuiltProgram, _ arguments: String...) throws -> [String] {
    let result = try program.run(BuiltProgram.path, arguments, input: "")
    #expect(result.status == 0, "\(result)")
    return result.output.split(whereSeparator: \.isNewline).map(String.init)
  }

  @Test func `a first fetch makes nothing new`() throws {
    let catalogue = try FakeXenoCanto(["1", "2", "3", "4"])
    try withProgram(catalogue.variables) { program in
      #expect(try program.run("fetch", "parrot").status == 0)
      let fetch = try program.run("fetch", "parrot", "--all", "--json").output
      #expect(
        fetch.contains(
          #""new":1,"changed":0,"gone":0,"#
            + #""ids":{"new":["4"],"changed":[],"gone":[],"foundAgain":[]}"#),
        "\(fetch)")
      let list = try program.run("list", "parrot", "--new", "52w", "--columns", "id")
      #expect(list.status == 0 && list.output == "ID\n")
      #expect(list.error.hasPrefix("no row entered the list since "), "\(list.error)")
      let gone = try program.run("list", "parrot", "--gone", "--columns", "id")
      #expect(
        gone.output == "ID\n" && gone.error.hasPrefix("no recording left the list upstream\n"),
        "\(gone)")
    }
  }

  @Test func `everything stored leaves out what is in no list any more, and says how many`() throws
  {
    try withSyncedList { program, _, _ in
      let note = "1 more recording is in no list any more; gone:any finds it too"
      for command in [["search", "source:any"], ["export"], ["export", "--format", "geojson"]] {
        let result = try program.run(BuiltProgram.path, command, input: "")
        #expect(result.status == 0 && result.error.contains(note), "\(command): \(result)")
        #expect(!result.output.contains("XC3"), "\(command)")
      }
      let rows = ["--format", "jsonl", "--columns", "id"]
      func ids(_ arguments: String...) throws -> [String] {
        let result = try program.run(BuiltProgram.path, arguments + rows, input: "")
        #expect(result.status == 0 && !result.error.contains("in no list"), "\(result)")
        return result.output.matches(of: /"id":"(\d+)"/).map { String($0.output.1) }
      }
      let count = try program.run("search", "source:any", "--count")
      #expect(count.output == "9\n" && count.error == note + "\n", "\(count)")
      #expect(
        try program.run("search", "source:any", "--count", "--json").output.contains(
          #""matched":9,"inNoList":1,"#))
      #expect(try ids("search", "gone:any").count == 10)
      for command in [
        ["XC3"], ["nr:3"], ["3", "--source", "xeno-canto"], ["gone:yes"], ["in:none"],
      ] {
        let found = try program.run(BuiltProgram.path, ["search"] + command + rows, input: "")
        #expect(found.output.contains(#""id":"3""#), "\(command): \(found)")
      }
      #expect(try ids("export", "--gone") == ["3"])
      #expect(try ids("export", "--where", "gone:any").count == 10)
      #expect(try ids("export", "parrot").count == 9)
      let stats = try program.run("stats", "--by", "catalogue")
      #expect(stats.output.contains("xeno-canto\t9") && stats.error.contains(note), "\(stats)")
      let all = try program.run("stats", "--where", "gone:any", "--by", "catalogue", "--json")
      #expect(all.output.contains(#""recordings":10,"inNoList":0,"#), "\(all)")
      let provenance = try program.run("export", "--format", "credits", "--where", "source:any")
      #expect(
        provenance.output.contains("no recordings that are in no list any more"), "\(provenance)")
    }
  }

  @Test func `news counts no change of what has left every list, with details or without`() throws {
    let catalogue = try FakeXenoCanto(["1", "2", "3", "4", "5"])
    try withProgram(catalogue.variables) { program in
      #expect(try program.run("fetch", "parrot", "--all").status == 0)
      catalogue.change { $0[0].quality = "E" }
      #expect(try program.run("fetch", "parrot", "--all", "--verify").status == 0)
      let changed = try program.run("news", "--details")
      #expect(changed.output.contains("quality"), "\(changed)")
      catalogue.change { _ = $0.removeFirst() }
      #expect(try program.run("fetch", "parrot", "--all", "--verify").status == 0)
      let news = try program.run("news", "--json")
      #expect(news.output.contains(#""changed":0,"gone":1"#), "\(news)")
      let details = try program.run("news", "--details", "--json")
      #expect(details.output.contains(#""recordings":0"#), "\(details)")
    }
  }

  @Test func `other clients find what is in no list any more only by its number`() throws {
    try withSyncedList { program, _, _ in
      try withServer(program) { (port: Int) throws in
        for (query, ids) in [
          ("gen:psittacus", ["1", "10", "2", "4", "5", "6", "7", "8", "9"]),
          ("nr:2-4", ["2", "4"]), ("nr:3", ["3"]),
        ] {
          for version in [2, 3] {
            let target = "/api/\(version)/recordings?query=\(query)"
            let answer = try #require(RawClient.answer(target, port: port))
            let rows = try #require(answer.json["recordings"] as? [[String: Any]], "\(target)")
            #expect(rows.compactMap { $0["id"] as? String }.sorted() == ids, "\(target)")
            #expect(answer.json["numRecordings"] as? String == "\(ids.count)", "\(target)")
          }
        }
      }
    }
  }

  @Test func `the progress does not count a recording that has left the list`() throws {
    let catalogue = try FakeXenoCanto(["1", "2", "3"])
    try withProgram(catalogue.variables) { program in
      #expect(try program.run("fetch", "parrot", "--all").status == 0)
      catalogue.ids = ["1", "3"]
      let fetch = try program.run("fetch", "parrot", "--all")
      #expect(fetch.error.contains("page 1 of 1: 2 rows stored\n"), "\(fetch)")
      #expect(fetch.error.contains("parrot: 2 of 2 rows"), "\(fetch)")
      // A page less.
      catalogue.ids = ["1", "2", "3", "4", "5"]
      #expect(try program.run("fetch", "parrot", "--all").status == 0)
      catalogue.ids = ["1", "2", "3"]
      let shorter = try program.run("fetch", "parrot", "--all")
      #expect(shorter.error.contains("page 1 of 1: 3 rows stored\n"), "\(shorter)")
    }
  }

  @Test func `what a sync found is named in its JSON and listed with its date`() throws {
    try withSyncedList { program, _, sync in
      #expect(
        sync.contains(
          #""new":2,"changed":0,"gone":1,"#
            + #""ids":{"new":["9","10"],"changed":[],"gone":["3"],"foundAgain":[]}"#),
        "\(sync)")
      let today = Date.now.formatted(.iso8601.year().month().day())
      let new = try lines(program, "list", "parrot", "--new", "7d", "--columns", "id,Entered")
      #expect(new.count == 3 && new[0] == "ID\tEntered", "\(new)")
      #expect(new.dropFirst().map { $0.prefix { $0 != "\t" } } == ["9", "10"])
      #expect(
        new.dropFirst().allSatisfy { $0.contains("\t\(today.prefix(4))") && $0.hasSuffix("Z") },
        "\(new)")
      let gone = try program.run("list", "parrot", "--gone", "--format", "csv")
      let rows = try #require(readCSV(gone.output))
      #expect(rows.count == 2 && rows[1][0] == "3" && rows[0].last == "goneAt", "\(gone)")
      #expect(gone.error.hasPrefix("1 recording left the list upstream\n"), "\(gone.error)")
      #expect(try lines(program, "list", "parrot", "--new", "0s", "--columns", "id") == ["ID"])
    }
  }

  @Test func `new and gone rows combine with the other options and formats`() throws {
    try withSyncedList { program, _, _ in
      let json = try program.run(
        "list", "parrot", "--new", "1d", "--json", "--columns", "id,enteredAt", "--limit", "1"
      ).output
      #expect(
        json.contains(#","matched":2,"offset":0,"returned":1,"recordings":["#)
          && json.contains(#""newSince":"2"#), "\(json)")
      #expect(json.contains(#"{"id":"9","enteredAt":"2"#), "\(json)")
      let whole = try lines(program, "export", "parrot", "--gone", "--format", "jsonl")
      #expect(
        whole.count == 1 && whole[0].hasPrefix(#"{"id":"3","gen":"#)
          && whole[0].contains(#","goneAt":"2"#), "\(whole)")
      let sorted = try lines(
        program, "export", "parrot", "--new", "1d", "--sort", "id", "--columns", "id")
      #expect(sorted == ["id", "9", "10"])
      let byDate = try lines(
        program, "export", "parrot", "--new", "1d", "--sort", "-Entered", "--columns", "id")
      #expect(Set(byDate) == ["id", "9", "10"])
      let filtered = try program.run(
        "list", "parrot", "--new", "1d", "--where", "text:\"rot 10\"", "--columns", "id")
      #expect(filtered.status == 0 && filtered.output == "ID\n10\n")
      #expect(
        filtered.error.contains("1 of 2 rows satisfy 'text:\"rot 10\"'\n"), "\(filtered.error)")
      #expect(try lines(program, "list", "parrot", "--columns", "id").count == 10)
    }
  }

  /// A list of nine. After page 1 of the second fetch was read, 2 leaves, so that 4 moves onto
  /// page 1, and 10 enters.
  private func withExchange(_ body: (BuiltProgram) throws -> Void) throws {
    let requests = Mutex(0)
    let holder = Mutex<FakeXenoCanto?>(nil)
    let catalogue = try FakeXenoCanto((1...9).map(String.init)) { _, _ in
      let count = requests.withLock { count in
        count += 1
        return count
      }
      if count == 5 {
        holder.withLock { $0?.ids = ["1", "3", "4", "5", "6", "7", "8", "9", "10"] }
      }
      return nil
    }
    holder.withLock { $0 = catalogue }
    defer { holder.withLock { $0 = nil } }
    try withProgram(catalogue.variables) { program in
      #expect(try program.run("fetch", "parrot", "--all").status == 0)
      try body(program)
    }
  }

  @Test func `a row that one pass misses and the next one finds is not named anywhere`() throws {
    try withExchange { program in
      let fetch = try program.run("fetch", "parrot", "--all", "--verify", "--json").output
      let ids = #""ids":{"new":["10"],"changed":[],"gone":["2"]"#
      #expect(fetch.contains(#""new":1,"changed":0,"gone":1,"# + ids), "\(fetch)")
      #expect(fetch.contains(#","foundAgain":[]}"#), "\(fetch)")
      #expect(fetch.contains(#""completeness":"verified""#), "\(fetch)")
      #expect(try lines(program, "list", "parrot", "--gone", "--columns", "id") == ["ID", "2"])
      let new = try lines(program, "list", "parrot", "--new", "1d", "--columns", "id")
      #expect(new == ["ID", "10"])
      let news = try program.run("news", "--json").output
      #expect(news.contains(ids + #","renamed":[],"differentSpecies":[]}"#), "\(news)")
      let words = try program.run("fetch", "parrot", "--all")
      #expect(words.error.contains("0 new, 0 changed, 0 gone"), "\(words)")
    }
  }

  @Test func `a departure that an arrival cancels out is unconfirmed until the next walk`() throws {
    try withExchange { program in
      let words = "complete; 1 departure unconfirmed"
      let fetch = try program.run("fetch", "parrot", "--all")
      #expect(fetch.error.contains(words), "\(fetch)")
      let list = try program.run("list", "parrot", "--json", "--limit", "1").output
      #expect(
        list.contains(#""completeness":"complete","unconfirmedDepartures":1,"#), "\(list)")
      #expect(try program.run("list", "parrot").error.contains(words))
      let next = try program.run("fetch", "parrot", "--all").error
      #expect(next.contains("\n1 new (1 found again), 0 changed, 1 gone\n"), "\(next)")
      #expect(next.contains(words))
      let verified = try program.run("fetch", "parrot", "--all")
      #expect(verified.error.contains(", verified\n"), "\(verified)")
      #expect(try !program.run("list", "parrot", "--json").output.contains("unconfirmed"))
    }
  }

  @Test func `new and gone are refused together, without a query, and with another age`() throws {
    try withSyncedList { program, _, _ in
      let both = try program.run("list", "parrot", "--new", "7d", "--gone")
      #expect(
        both.status == 64
          && both.error == "error: --new and --gone cannot be used together.\nType one of them.\n")
      #expect(try program.run("list", "--gone").status == 64)
      #expect(try program.run("list", "parrot", "--new", "soon").status == 64)
      let unknown = try program.run("list", "parrot", "--columns", "enteredAt")
      #expect(
        unknown.status == 64 && unknown.error.contains("Unknown column \"enteredAt\""), "\(unknown)"
      )
    }
  }
}
