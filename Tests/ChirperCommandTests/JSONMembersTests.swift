import ChirperTestSupport
import Foundation
import Testing

/// The members of what commands print with `--json`, as docs/json-members.txt has them: all but
/// those of rare answers, which `FetchOutcomeTests` has. From 1.0 on lines are only added to it.
struct JSONMembersTests {
  /// `CHIRPER_RECORD=1` writes the file again.
  @Test func `the members of every JSON object are the recorded ones`() throws {
    let services = try services()
    var sections: [String] = []
    var run: [String] = []
    let variables = [
      "XENO_CANTO_API_KEY": Self.key, "CHIRPER_GBIF_URL": services.server.url.absoluteString,
    ]
    try withProgram(services.variables.merging(variables) { $1 }) { program in
      /// Runs each line of words with `--json`, and notes what they print in all.
      func record(_ name: String, _ lines: String..., rowsAsSent: Bool = false, input: String = "")
        throws
      {
        run += lines
        var members = Members(rowsAsSent: rowsAsSent)
        for line in lines {
          let words = line.split(separator: "|").map(String.init)
          let result = try program.run(BuiltProgram.path, words + ["--json"], input: input)
          let text =
            result.output.isEmpty && name.hasPrefix("an error") ? result.error : result.output
          #expect(!text.isEmpty, "\(line): \(result)")
          members.add(try JSONDecoder().decode(Value.self, from: Data(text.utf8)), at: "")
        }
        sections.append("\(name)\n" + members.lines.map { "  \($0)\n" }.joined())
      }
      try "parrot\nrefused\n".write(
        toFile: program.path("queries"), atomically: true, encoding: .utf8)
      try record(
        "fetch QUERY", "fetch|parrot|--pages|1", "fetch|halved|--all", "fetch|refused",
        "fetch|repeated",
        "fetch|kea|--source|sample|--pages|1|--per-page|50", "fetch|kea", "fetch|turdus",
        "fetch|Sample parot 1",
        "fetch|owl|--source|gbif", "fetch|parrot|--all|--audio")
      try record("fetch --audio", "fetch|--audio|--source|xeno-canto")
      try record("fetch --from FILE", "fetch|--from|queries")
      try program.run("export", "parrot", "--format", "jsonl", "-o", "earlier.jsonl")
      try record("sync, without a walk", "sync|parrot")
      services.change {
        $0 =
          $0.dropFirst().map { $0.with(remark: "heard again") } + [
            .init("11", species: "alba", uploaded: "2020-02-01")
          ]
      }
      try record("sync", "sync")
      try record("list", "list")
      try record(
        "list QUERY, export QUERY", "list|parrot", "list|kea|--source|sample|--where|q:A|--limit|2",
        "list|parrot|--new|7d",
        "list|parrot|--changed|7d", "list|parrot|--gone", "list|parrot|--for|commercial",
        "list|parrot|--distinct",
        "list|parrot|--since-export|earlier.jsonl", "list|owl|--source|gbif",
        "list|kea|--source|xeno-canto",
        "export|parrot|--format|json", rowsAsSent: true)
      try record("list QUERY QUERY", "list|parrot|repeated", rowsAsSent: true)
      try record("list QUERY -o FILE", "list|parrot|--format|gpx|-o|x.gpx", rowsAsSent: true)
      try record("export --audio FOLDER", "export|parrot|--audio|folder", rowsAsSent: true)
      try record("search", "search|q:A", "search|source:sample|--limit|1")
      try record("search --count", "search|q:A|--count")
      try record("changes", "changes", "changes|parrot|--changed|7d")
      try record("news", "news", "news|--since|7d")
      try record("stats", "stats|parrot|--by|species", "stats|--by|month")
      try record("doctor", "doctor")
      try record("doctor --audio", "doctor|--audio")
      try record("doctor --repair", "doctor|--repair")
      try record("backup", "backup|copy.sqlite")
      var download = GBIFDownload([.init(1), .init(2, sounds: [])])
      download.lines = ["3\tPL\tx\ty\tz\tw\ttoo many"]
      try download.write(to: program.path("download"))
      try record("import", "import|download")
      try "Scientific name,German,Klingon\nTurdus merula,Amsel,qaj\nTurdus,x,y\n".write(
        toFile: program.path("hessen.csv"), atomically: true, encoding: .utf8)
      try record("names add", "names|add|hessen.csv")
      try record("names list", "names|list")
      try record("names remove", "names|remove|hessen")
      try record("dataset new", "dataset|new|set|parrot|--split|80/10/10")
      try record("dataset lock", "dataset|lock|set.dataset.json")
      try record("dataset build", "dataset|build|set.lock.jsonl|set")
      try record("dataset verify", "dataset|verify|set.lock.jsonl|elsewhere")
      try record("dataset diff", "dataset|diff|set.lock.jsonl|set.lock.jsonl")
      try record("dataset has", "dataset|has|sample:135|set.lock.jsonl")
      try record("dataset leaks", "dataset|leaks|set.lock.jsonl")
      try record("auth", "auth|set", "auth|status", "auth|clear", input: Self.key)
      try record("forget", "forget|repeated|--yes", "forget|--empty|--yes")
      try record("an error, on standard error", "list|absent", "list|--sort")
    }
    for (words, command) in try DumpedCommand.all()
    where (command.arguments ?? []).contains(where: { $0.flag == "--json" }) {
      #expect(
        run.contains { $0.split(separator: "|").map(String.init).starts(with: words) }, "\(words)")
    }
    let file = BuiltProgram.repository.appending(path: "docs/json-members.txt")
    let text = sections.joined(separator: "\n")
    if ProcessInfo.processInfo.environment["CHIRPER_RECORD"] != nil {
      try Data(text.utf8).write(to: file)
    }
    #expect(String(decoding: try Data(contentsOf: file), as: UTF8.self) == text)
    let documents = try ["scripting", "counts", "formats", "datasets"].map { name in
      try String(
        contentsOf: BuiltProgram.repository.appending(path: "docs/\(name).md"), encoding: .utf8)
    }.joined()
    for line in text.split(separator: "\n") where line.hasPrefix("  ") {
      let name =
        line.drop { $0 == " " }.prefix { $0 != ":" }.split(separator: ".").last?.replacing(
          "[]", with: "") ?? ""
      #expect(documents.contains("`\(name)`") || documents.contains("\"\(name)\""), "\(line)")
    }
  }

  private static let key = "akeyofsomelength"

  /// A list of four pages, and queries whose name says what they are answered with.
  private func services() throws -> FakeXenoCanto {
    let records = (1...8).map {
      FakeXenoCanto.Record(
        "\($0)", species: "alba", uploaded: "2020-01-1\($0)", file: "/\($0)/download")
    }
    return try FakeXenoCanto(records: records, rowsPerPage: 2) { request, page in
      let query = request.query("query") ?? ""
      switch request.path {
      case "/4/download": return .empty(404)
      case let path where path.hasSuffix("/download"):
        return .bytes(200, Array("ID3".utf8), headers: ["Content-Type": "audio/mpeg"])
      case "/v2/species/match":
        let usage = #"{"key":"6X","name":"Strix","rank":"GENUS"}"#
        return .json(200, #"{"usage":\#(usage),"diagnostics":{"matchType":"EXACT"}}"#)
      case "/v1/occurrence/search":
        let sounds = (1...2).map {
          #"{"type":"Sound","identifier":"https://sounds.example/\#($0).mp3"}"#
        }
        let record =
          #"{"key":1,"scientificName":"Strix aluco","media":[\#(sounds.joined(separator: ","))]}"#
        return .json(
          200, #"{"offset":0,"limit":300,"endOfRecords":true,"count":1,"results":[\#(record)]}"#)
      case _ where query.contains("refused"): return .json(400, #"{"error":"x","message":"no"}"#)
      case _ where query.contains("halved") && page == 2: return .html(200)
      case _ where query.contains("repeated"):
        let record = #"{"id":"9","en":"\#(Self.key)"}"#
        return .json(200, FakeXenoCanto.body([record, record], page: 1, pages: 1, total: 2))
      case _ where query == #"en:"turdus""# || query.contains("parot"):
        return .json(200, FakeXenoCanto.body([], page: 1, pages: 1, total: 0))
      default: return nil
      }
    }
  }

  /// A value of JSON.
  private indirect enum Value: Decodable {
    case null, boolean, number, string
    case array([Value])
    case object([String: Value])

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if container.decodeNil() {
        self = .null
      } else if (try? container.decode(Bool.self)) != nil {
        self = .boolean
      } else if (try? container.decode(Double.self)) != nil {
        self = .number
      } else if (try? container.decode(String.self)) != nil {
        self = .string
      } else if let values = try? container.decode([Value].self) {
        self = .array(values)
      } else {
        self = .object(try container.decode([String: Value].self))
      }
    }
  }

  /// The types of each member that was seen, by its path: `queries[].fetchedAt.oldest`.
  private struct Members {
    /// Whether recordings have the fields of their catalogue, which are no business of ours.
    let rowsAsSent: Bool
    private var types: [String: Set<String>] = [:]

    init(rowsAsSent: Bool) { self.rowsAsSent = rowsAsSent }

    var lines: [String] {
      types.map { "\($0): \($1.sorted().joined(separator: " or "))" }.sorted()
    }

    mutating func add(_ value: Value, at path: String) {
      switch value {
      case .null: note("null", path)
      case .boolean: note("boolean", path)
      case .number: note("number", path)
      case .string: note("string", path)
      case .array(let values):
        note("array", path)
        for value in values { add(value, at: path + "[]") }
      case .object(let members):
        note("object", path)
        if path.hasSuffix(".fields") || rowsAsSent && path == "recordings[]" { return }
        for (name, value) in members { add(value, at: path.isEmpty ? name : "\(path).\(name)") }
      }
    }

    private mutating func note(_ type: String, _ path: String) {
      if !path.isEmpty { types[path, default: []].insert(type) }
    }
  }
}

extension FakeXenoCanto.Record {
  fileprivate func with(remark: String) -> Self {
    var copy = self
    copy.remark = remark
    return copy
  }
}
