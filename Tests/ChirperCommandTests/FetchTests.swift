import Chirper
import ChirperFormats
import ChirperRemote
import ChirperTestSupport
import Foundation
import Testing

struct FetchTests {
  @Test func `a fetch in a pipe prints plain lines on standard error and nothing else`() throws {
    try withProgram { program in
      let result = try program.run("fetch", "parrot", "--source", "sample", "--pages", "2")
      #expect(result.output == "")
      #expect(!result.error.contains("\r") && !result.error.contains("\u{1B}"))
      #expect(result.error.contains("stored: nothing yet\npage 1 of "))
      #expect(result.error.contains("100 new, 0 changed, 0 gone\nparrot: 100 of "))
      #expect(
        result.error.hasSuffix(
          "next: chirper list parrot --source sample, or for the rest: chirper fetch parrot --source sample --all\n"
        ))
    }
  }

  @Test func `without a key the sample is used, and a real catalogue comes next`() throws {
    try withProgram { program in
      let lines = try program.run("fetch", "parrot").error.split(separator: "\n")
      #expect(
        lines.first
          == "No xeno-canto key is set (chirper auth set), so the built-in sample answers; nothing in it is data."
      )
      #expect(
        lines.last
          == "next: chirper fetch parrot --source gbif, for real recordings without a key")
    }
  }

  @Test func `JSON on standard output is one object, and standard error is silent`() throws {
    try withProgram { program in
      let result = try program.run("fetch", "parrot", "--source", "sample", "--json")
      let object = try #require(
        try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
      let names = [
        "changed", "checkedAt", "completeness", "error", "exit", "failedPages", "fetchedAt", "gone",
        "ids", "new", "next",
        "notice", "oldestReadAt", "pageSize", "pages", "pagesFetched", "pagesStored", "query",
        "requests", "rows", "sent",
        "skipped", "source",
        "total", "walkedAt",
      ]
      #expect(object.keys.sorted() == names)
      #expect(result.error == "")
    }
  }

  @Test func `a stored query keeps its page size`() throws {
    try withParrots { program in
      let result = try program.run(
        "fetch", "parrot", "--source", "sample", "--pages", "4", "--json")
      #expect(result.output.contains(#""pageSize":50,"#))
      try program.run("fetch", "macaw", "--source", "sample", "--per-page", "20")
      #expect(
        try program.run("fetch", "macaw", "--source", "sample", "--json").output.contains(
          #""pageSize":20,"#))
    }
  }

  @Test(
    arguments: [
      (.html(200), 76), (.json(400, #"{"error":"x","message":"no"}"#), 1), (.json(200, "{"), 76),
    ] as [(ScriptedAnswer, Int32)])
  func `what the server does decides the exit code`(answer: ScriptedAnswer, status: Int32) throws {
    let server = try ScriptedServer { _ in answer }
    try withProgram([
      "CHIRPER_XENO_CANTO_URL": server.url.absoluteString, "XENO_CANTO_API_KEY": "k",
    ]) { program in
      let result = try program.run("fetch", "parrot", "--json")
      #expect(result.status == status)
    }
  }

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
  func `a signal stops a fetch that waits, and keeps what is stored`(signal: Int32, status: Int32)
    throws
  {
    let server = try ScriptedServer { _ in .silent }
    try withProgram([
      "CHIRPER_XENO_CANTO_URL": server.url.absoluteString, "XENO_CANTO_API_KEY": "k",
    ]) { program in
      let run = try program.start(arguments: ["fetch", "parrot"])
      try waitUntil { !server.requests.isEmpty }
      let start = ContinuousClock.now
      kill(run.process.processIdentifier, signal)
      #expect(try run.result().status == status)
      // Without the signal it would wait 30 seconds for the answer.
      #expect(ContinuousClock.now - start < .seconds(20))
    }
  }

  @Test
  func
    `the queries of a file are fetched with one summary, and again without a request for what is there`()
    throws
  {
    try withProgram { program in
      let file = program.path("trip.txt")
      let lines = "# a trip\n\nsample:parrot\n  sample:macaw \nsample:nosuchbird\nsample:parrot\n"
      try Data(lines.utf8).write(to: URL(filePath: file))
      let first = try program.run("fetch", "--from", file)
      #expect(first.status == 0 && first.output == "")
      #expect(
        first.error.hasPrefix(
          "\(Catalogues.defaultWithoutKey.notice ?? "")\n3 of 3 queries done, ")
          && first.error.hasSuffix("nothing found: nosuchbird\nnext: chirper list\n"), "\(first)")
      let object = try JSONSerialization.jsonObject(
        with: Data(program.run("fetch", "--from", file, "--json").output.utf8))
      let queries = try #require((object as? [String: Any])?["queries"] as? [[String: Any]])
      #expect(queries.map { $0["query"] as? String } == ["parrot", "macaw", "nosuchbird"])
      #expect(queries.map { $0["requests"] as? Int } == [0, 0, 0])
      let audio = try program.run(
        "fetch", "--from", "-", "--audio", input: "\u{FEFF}sample:parrot\r\n")
      #expect(
        audio.error.contains("1 of 1 query done, ") && audio.error.contains("audio: "),
        "\(audio)")
    }
  }

  @Test(arguments: ["", ".csv"])
  func `lines of BirdNET's species lists are fetched, and those without a species are named`(
    ending: String
  ) throws {
    try withProgram { program in
      let file = program.path("species_list\(ending)")
      func lines(_ labels: [String]) -> String {
        ending.isEmpty
          ? labels.joined(separator: "\n")
          : "Label,Note\n" + labels.map { "\"\($0)\",x\n" }.joined()
      }
      func fetch(_ labels: [String]) throws -> (status: Int32, error: String, queries: [String?]) {
        try Data(lines(labels).utf8).write(to: URL(filePath: file))
        let run = try program.run("fetch", "--from", file, "--source", "sample", "--json")
        let object = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
        let queries = (object as? [String: Any])?["queries"] as? [[String: Any]]
        return (run.status, run.error, queries?.map { $0["query"] as? String } ?? [])
      }
      let birds = ["Psittacus erithacus_Grey Parrot", "Ara macao_Scarlet Macaw"]
      let names = ["Psittacus erithacus", "Ara macao"]
      let known = try fetch(birds)
      #expect(known.status == 0 && known.queries == names, "\(known)")
      let some = try fetch([birds[0], "Engine_Engine", birds[1], "Turdus_Thrushes"])
      #expect(some.status == 3 && some.queries == names, "\(some)")
      let named = try program.run("fetch", "--from", file, "--source", "sample").error
      let first = ending.isEmpty ? 2 : 3
      for (line, label) in [(first, "Engine_Engine"), (first + 2, "Turdus_Thrushes")] {
        #expect(
          named.contains("line \(line): \"\(label)\" is not the label of a species"), "\(named)")
      }
      let none = try program.run("fetch", "--from", "-", input: "Dog_Dog\n")
      #expect(none.status == 64, "\(none)")
      // A list is found by its label, too; one that an import has named like a label is that list.
      let rows = program.path("rows.jsonl")
      let label = "Psittacus erithacus_2024"
      _ = try program.run(
        "export", names[0], "--source", "sample", "--format", "jsonl", "--tidy", "-o", rows)
      #expect(try program.run("import", rows, "--as", label).status == 0)
      #expect(try program.run("list", label).status == 0)
      #expect(try program.run("forget", label, "--yes").status == 0)
      #expect(try program.run("list", names[0], "--source", "sample").status == 0)
      #expect(try program.run("list", "--json").output.contains(names[0]))
      #expect(try program.run("list", birds[1], "--source", "sample").status == 0)
    }
  }

  @Test func `a file with a line that is no query is refused before anything is fetched`() throws {
    try withProgram { program in
      let result = try program.run("fetch", "--from", "-", input: "sample:parrot\nsample:lat:x\n")
      #expect(
        result.status == 64 && result.error.hasPrefix("error: standard input, line 2: "),
        "\(result)")
      for (arguments, input) in [
        (["fetch", "--from", "-"], "# none\n"), (["fetch", "--from", "-"], "\u{0}"),
        (["fetch"], ""),
      ] {
        #expect(try program.run(BuiltProgram.path, arguments, input: input).status == 64)
      }
      #expect(try program.run("fetch", "parrot", "--from", "-").status == 64)
      #expect(try program.run("fetch", "--from", program.path("missing")).status == 74)
      #expect(!FileManager.default.fileExists(atPath: program.path("data/chirper.sqlite")))
    }
  }

  @Test func `sync reports each query, and forget removes one`() throws {
    try withParrots { program in
      let sync = try program.run("sync")
      #expect(sync.status == 0)
      #expect(sync.error.contains("0 new, 0 changed, 0 gone\nparrot: 150 of "))
      let asked = try program.run("forget", "parrot")
      #expect(asked.status == 64)
      #expect(asked.error.hasSuffix("Type: chirper forget parrot --yes\n"))
      #expect(try program.run("forget", "parrot", "--yes").status == 0)
      #expect(try program.run("list", "parrot").status == 66)
      #expect(try program.run("forget", "parrot", "--yes").status == 66)
    }
  }

  @Test func `sample rows never replace real ones that are stored`() throws {
    let catalogue = try FakeXenoCanto(["1", "2"])
    try withProgram(catalogue.variables) { program in
      #expect(try program.run("fetch", "parrot", "--all").status == 0)
      let keyless = program.set("XENO_CANTO_API_KEY", nil)
      let fetch = try keyless.run("fetch", "parrot")
      #expect(
        fetch.status == 77 && fetch.error.contains("needs a key, and none is set"), "\(fetch)")
      // Stored later on purpose, they come after the real rows.
      #expect(try keyless.run("fetch", "parrot", "--source", "sample").status == 0)
      let list = try keyless.run("list", "parrot", "--columns", "id", "--format", "csv")
      #expect(list.output == "id\r\n1\r\n2\r\n")
      #expect(list.error.contains("also stored: sample (50 a page)"), "\(list)")
    }
  }

  @Test
  func
    `a script must name the catalogue of a text that is stored from several, whatever was fetched last`()
    throws
  {
    let catalogue = try FakeXenoCanto(["1"])
    let shop = try ScriptedServer { _ in
      .json(
        200,
        #"{"resultCount":1,"results":[{"wrapperType":"track","trackId":11,"trackName":"Sample song"}]}"#
      )
    }
    try withProgram(
      catalogue.variables.merging(["CHIRPER_ITUNES_URL": shop.url.absoluteString]) { $1 }
    ) { program in
      for source in ["xeno-canto", "itunes", "sample"] {
        #expect(try program.run("fetch", "parrot", "--source", source).status == 0)
      }
      for command in ["list", "export", "news"] {
        let refused = try program.run(command, "parrot")
        #expect(refused.status == 64 && refused.output.isEmpty, "\(refused)")
        #expect(
          refused.error == """
            error: "parrot" is stored from itunes and xeno-canto.
            Type chirper \(command) itunes:parrot or chirper \(command) xeno-canto:parrot

            """)
      }
      try withServer(program) { (port: Int) throws in
        for target in [
          "api/chirper/rows?", "api/chirper/export?", "api/chirper/stats?by=month&",
          "api/chirper/map?", "api/chirper/audio?", "feed.atom?",
        ] {
          let refused = try #require(RawClient.answer("/\(target)list=parrot", port: port))
          #expect(
            refused.status == 400
              && refused.text.contains("is stored from itunes and xeno-canto.")
              && refused.text.contains("itunes:parrot"), "\(target) \(refused.text)")
          let named = RawClient.answer("/\(target)list=xeno-canto:parrot", port: port)
          // No audio is kept.
          #expect(named?.status == (target.contains("audio") ? 404 : 200), "\(target)")
        }
      }
      for run in [
        try program.run("export", "xeno-canto:parrot", "--columns", "id"),
        try program.run("export", "parrot", "--columns", "id", "--source", "xeno-canto"),
        try program.set("CHIRPER_SOURCE", "xeno-canto").run("export", "parrot", "--columns", "id"),
      ] { #expect(run.output == "id\r\n1\r\n", "\(run)") }
      if AudioCommandTests.hasScript {
        // A person sees which one it is.
        let shown = try program.set("TERM", "xterm").shell(
          "script -qec '\"$chirper\" list parrot' /dev/null < /dev/null")
        #expect(shown.status == 0 && shown.output.contains("also stored: "), "\(shown)")
      }
      // A catalogue that has nothing of it is no choice, and an empty variable is none.
      for name in ["gbif", ""] {
        #expect(try program.set("CHIRPER_SOURCE", name).run("export", "parrot").status == 64)
      }
      let other = try program.run("list", "gbif:parrot")
      #expect(other.status == 66 && other.error.contains("--source gbif"), "\(other)")
    }
  }

  @Test func `an empty list does not hide one with rows`() throws {
    let catalogue = try FakeXenoCanto(["1"]) { _, _ in
      .json(200, FakeXenoCanto.body([], page: 1, pages: 1, total: 0))
    }
    try withProgram(catalogue.variables) { program in
      #expect(try program.run("fetch", "parrot", "--source", "sample").status == 0)
      #expect(try program.run("fetch", "parrot", "--source", "xeno-canto").status == 0)
      let list = try program.run("list", "parrot", "--limit", "1", "--json")
      #expect(list.output.contains(#""source":"sample""#), "\(list)")
      #expect(try program.run("forget", "parrot", "--yes").status == 0)
      #expect(try program.run("list", "parrot", "--source", "sample").status == 66)
    }
  }

  @Test(arguments: ["XC363793", "xc363793", "363793"])
  func `a catalogue number is found by its number`(typed: String) throws {
    let catalogue = try FakeXenoCanto(["363793"])
    try withProgram(catalogue.variables) { program in
      let fetch = try program.run("fetch", typed)
      #expect(fetch.status == 0, "\(fetch)")
      #expect(catalogue.requests.first?.query("query") == "nr:363793")
      let list = try program.run("list", "XC363793")
      #expect(list.status == 0, "\(list)")
    }
  }

  @Test
  func
    `words that are no English name are asked as a scientific one, and what was taken is asked the next time`()
    throws
  {
    let catalogue = try FakeXenoCanto(["1", "2"]) { request, _ in
      request.query("query")?.hasPrefix("en:") == true
        ? .json(200, FakeXenoCanto.body([], page: 1, pages: 1, total: 0)) : nil
    }
    try withProgram(catalogue.variables) { program in
      let fetch = try program.run("fetch", "turdus exemplaris", "--all")
      let tried = "no English name has this; tried as the species Turdus exemplaris"
      #expect(fetch.status == 0 && fetch.error.contains("\(tried)\n"), "\(fetch)")
      #expect(try program.run("list", "turdus exemplaris").output.split(separator: "\n").count == 3)
      let json = try program.run("fetch", "turdus exemplaris", "--json")
      #expect(json.output.contains("\"asked\":\"\(tried)\""), "\(json)")
      let (english, species) = (#"en:"turdus exemplaris""#, #"sp:"turdus exemplaris""#)
      #expect(catalogue.requests.compactMap { $0.query("query") } == [english, species, species])
      // The English name that found nothing is not stored too.
      #expect(try program.run("list", "--empty").output.split(separator: "\n").count == 1)
      let only = try program.run("fetch", "Turdus", "--scientific")
      #expect(
        only.status == 0 && catalogue.requests.last?.query("query") == "gen:Turdus", "\(only)")
      #expect(try program.run("forget", "turdus exemplaris", "--yes").status == 0)
      #expect(try program.run("list", "turdus exemplaris").status == 66)
    }
  }

  @Test func `an empty last page that the catalogue counts ends a list as complete`() throws {
    // xeno-canto reports one page too many where the total is an exact multiple of the page size.
    let catalogue = try FakeXenoCanto((1...6).map { "\($0)" }) { _, page in
      let ids = page < 3 ? Array((page * 3 - 2)...(page * 3)) : []
      let records = ids.map { FakeXenoCanto.record("\($0)", size: 10) }
      return .json(200, FakeXenoCanto.body(records, page: page, pages: 3, total: 6))
    }
    try withProgram(catalogue.variables) { program in
      let fetch = try program.run("fetch", "parrot", "--all", "--json")
      #expect(fetch.status == 0 && fetch.output.contains(#""completeness":"complete""#), "\(fetch)")
      #expect(
        fetch.output.contains(#""rows":6,"#) && catalogue.pagesAsked == [1, 2, 3], "\(fetch)")
    }
  }
}
