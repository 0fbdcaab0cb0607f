import Chirper
import ChirperFormats
import ChirperTestSupport
import Foundation
import Testing

@testable import ChirperCommand

/// Every front end asks the same question, so all must get the same rows.
@Suite struct ChoiceTests {
  private static let gbif = #"""
    {"offset":0,"limit":100,"endOfRecords":true,"count":2,"results":[
    {"key":1,"catalogNumber":"XC2","datasetKey":"b1047888-ae52-4179-9dd5-5448ea342a24",
    "genericName":"Psittacus","media":[{"type":"Sound","identifier":"https://x.example/2.mp3",
    "license":"http://creativecommons.org/licenses/by/4.0/"}]},
    {"key":2,"genericName":"Psittacus","decimalLatitude":51.5,"decimalLongitude":19.1,
    "coordinateUncertaintyInMeters":10,"media":[{"type":"Sound",
    "identifier":"https://x.example/9.mp3",
    "license":"http://creativecommons.org/licenses/by-nc/4.0/"}]}]}
    """#

  private static let taxon = #"""
    {"usage":{"key":"62RT4","canonicalName":"Psittacus","rank":"GENUS"},
    "diagnostics":{"matchType":"EXACT"}}
    """#

  /// A list of which a recording is new, one changed, one left, and a list with a copy.
  private func withLists(_ body: (BuiltProgram) throws -> Void) throws {
    var records = ["A", "B", "A", "C"].enumerated().map {
      FakeXenoCanto.Record("\($0 + 1)", quality: $1)
    }
    for (index, code) in ["by/4.0", "by-nc/4.0", "by-nd/4.0"].enumerated() {
      records[index].licence = "//creativecommons.org/licenses/\(code)/"
    }
    let catalogue = try FakeXenoCanto(records: []) { request, _ in
      switch request.path {
      case "/v1/occurrence/search": .json(200, Self.gbif)
      case "/v1/species/match": .json(200, #"{"matchType":"NONE"}"#)
      case "/v2/species/match": .json(200, Self.taxon)
      default: nil
      }
    }
    let gbif = ["CHIRPER_GBIF_URL": catalogue.server.url.absoluteString]
    try withProgram(catalogue.variables.merging(gbif) { $1 }) { program in
      try CommandForm.writeFiles(for: program)
      #expect(try program.run("names", "add", "labels_de.txt").status == 0)
      let copies = try program.run("fetch", "parrot", "--source", "gbif")
      #expect(copies.status == 0, "\(copies)")
      var changed = records
      changed[1].quality = "A"
      for records in [Array(records.prefix(2)), records, Array(changed.dropFirst())] {
        catalogue.change { $0 = records }
        let result = try program.run("fetch", "gen:psittacus", "--all", "--verify")
        #expect(result.status == 0, "\(result)")
      }
      try body(program)
    }
  }

  /// Each option that chooses rows, as it is typed, and the same as parameters of the server.
  private static func choices() throws -> [(options: [String], parameters: String)] {
    func flags(_ name: String) throws -> [DumpedCommand.Argument] {
      let command = try #require(try DumpedCommand.all().first { $0.words == [name] }).command
      return command.arguments?.filter { $0.flag != nil } ?? []
    }
    let others: Set = ["--help", "--version", "--json", "--no-color"]
    let played = Set(try flags("play").compactMap(\.flag))
    let choosing = try flags("search").filter {
      played.contains($0.flag ?? "") && !others.contains($0.flag ?? "")
    }
    // A new option needs its place in what the server takes.
    let parameters = [
      "--where": "q=VALUE", "--new": "q=new:VALUE", "--changed": "q=changed:VALUE",
      "--gone": "q=gone:yes", "--for": "for=VALUE",
      "--copies": "distinct=VALUE", "--sort": "sort=VALUE", "--limit": "limit=VALUE",
      "--offset": "offset=VALUE", "--source": "source=VALUE", "--names": "names=VALUE",
    ]
    let further = [
      "--for": ["derivatives", "precise", "commercial,precise"],
      "--sort": ["-id", "rank", "stored"],
      "--copies": ["yes"], "--where": ["q:A"], "--offset": ["2"], "--limit": ["2"],
    ]
    var choices: [(options: [String], parameters: String)] = [([], "")]
    for option in choosing {
      let flag = try #require(option.flag)
      let parameter = try #require(parameters[flag], "\(flag) chooses rows")
      guard option.kind == "option" else {
        choices.append(([flag], parameter))
        continue
      }
      let value = try CommandForm.value(flag, of: "search").replacing("CATALOGUE", with: "gbif")
      for value in [value] + (further[flag] ?? []) {
        // What the server calls the other way round.
        let sent = flag == "--copies" ? "\(value == "no")" : value
        choices.append(([flag, value], parameter.replacing("VALUE", with: sent)))
      }
    }
    return choices
  }

  @Test func `every choice gives command, file, count, server and library the same rows`() throws {
    try withLists { program in
      try withServer(program) { port in
        let store = URL(filePath: program.path(".local/share/chirper"))
        let repository = try RecordingRepository(directory: store, access: .read)
        var distinct: Set<[String]> = []
        for (options, parameters) in try Self.choices() {
          for both in [[], ["--where", "lic:BY"]] where both.isEmpty || options.first != "--where" {
            let chosen = options + both
            let ids = try self.ids(program, ["search", "source:any"] + chosen)
            distinct.insert(ids)
            #expect(
              try self.ids(program, ["export", "--where", "source:any"] + chosen) == ids,
              "\(chosen)")
            let json = try #require(
              try program.object(["search", "source:any", "--json"] + chosen))
            #expect(json["returned"] as? Int == ids.count, "\(chosen)")
            if !["--sort", "--limit", "--offset"].contains(options.first ?? "") {
              let count = try program.run(
                BuiltProgram.path, ["search", "source:any", "--count"] + chosen, input: "")
              #expect(count.output == "\(ids.count)\n", "\(chosen): \(count)")
              let counted = try #require(
                try program.object(["search", "source:any", "--count", "--json"] + chosen))
              #expect(counted["matched"] as? Int == ids.count, "\(chosen): \(counted)")
            }
            let query = ["q=source:any", parameters] + both.dropFirst().map { "q=\($0)" }
            let target = query.filter { !$0.isEmpty }.joined(separator: "&")
            let answer = try send("GET", "/api/chirper/rows?\(target)", program, port).json
            let served = (answer["recordings"] as? [[String: Any]])?.map { $0["id"] as? String }
            #expect(served == ids, "\(target): \(answer)")
            let selection = try SelectionOptions.parse(chosen).selection(search: "source:any")
            let rows = try repository.rows(of: selection)
            let read = try rows.rows(0..<rows.count).map(\.recording.id.value)
            #expect(read == ids, "\(chosen)")
            let again = try JSONDecoder().decode(
              Selection.self, from: JSONEncoder().encode(selection))
            #expect(again == selection)
          }
        }
        // Orders, parts and purposes were told apart.
        #expect(distinct.count >= 12, "\(distinct)")
      }
    }
  }

  @Test func `every choice gives a list's command, file, server and library the same rows`() throws
  {
    try withLists { program in
      try withServer(program) { port in
        let store = URL(filePath: program.path(".local/share/chirper"))
        let repository = try RecordingRepository(directory: store, access: .read)
        for (options, parameters) in try Self.choices() where options.first != "--source" {
          let ids = try self.ids(program, ["list", "gen:psittacus"] + options)
          #expect(
            try self.ids(program, ["export", "gen:psittacus"] + options) == ids, "\(options)")
          let selection = try SelectionOptions.parse(options).selection(["gen:psittacus"])
          let rows = try repository.rows(of: selection)
          let read = try rows.rows(0..<rows.count).map(\.recording.id.value)
          #expect(read == ids, "\(options)")
          // The server has no part of a list: these parameters ask for rows that are in it now.
          guard !["--gone", "--new", "--changed"].contains(options.first ?? "") else { continue }
          let target = "list=gen:psittacus\(parameters.isEmpty ? "" : "&")\(parameters)"
          let answer = try send("GET", "/api/chirper/rows?\(target)", program, port).json
          let served = (answer["recordings"] as? [[String: Any]])?.map { $0["id"] as? String }
          #expect(served == ids, "\(target): \(answer)")
        }
      }
    }
  }

  @Test func `the preferred catalogue decides which list is meant, also on the server`() throws {
    try withLists { program in
      #expect(try program.run("fetch", "parrot", "--source", "xeno-canto").status == 0)
      #expect(try program.run("export", "parrot").status == 64)
      for (source, count) in [("gbif", 2), ("xeno-canto", 3)] {
        let preferring = program.set("CHIRPER_SOURCE", source)
        let result = try preferring.run("export", "parrot", "--format", "jsonl")
        #expect(result.output.split(separator: "\n").count == count, "\(source): \(result)")
        let server = try preferring.start(arguments: ["serve", "--port", "0"])
        try withServer(of: server) { port in
          let answer = try send("GET", "/api/chirper/rows?list=parrot", program, port).json
          #expect(answer["rows"] as? Int == count, "\(source): \(answer)")
        }
        try Data("source = \(source)\n".utf8).write(to: URL(filePath: program.path("config")))
        let set = program.set("CHIRPER_CONFIG_DIR", program.directory.path)
        let configured = try set.run("export", "parrot", "--format", "jsonl")
        #expect(configured.output == result.output, "\(source): \(configured)")
      }
    }
  }

  /// The ids of the rows that a command writes, in their order.
  private func ids(_ program: BuiltProgram, _ words: [String]) throws -> [String] {
    let format = ["--format", "jsonl", "--columns", "id,catalogue"]
    let result = try program.run(BuiltProgram.path, words + format, input: "")
    #expect(result.status == 0, "\(words): \(result)")
    return try result.output.split(separator: "\n").map { line in
      let row = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return try #require(row?["id"] as? String)
    }
  }
}

extension BuiltProgram {
  /// The JSON object that a command prints.
  fileprivate func object(_ words: [String]) throws -> [String: Any]? {
    let result = try run(BuiltProgram.path, words, input: "")
    return try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
  }
}
