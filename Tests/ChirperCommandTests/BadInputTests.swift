import Chirper
import ChirperFormats
import ChirperModel
import ChirperTestSupport
import Foundation
import Testing

struct BadInputTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let arguments: [String]
    let status: Int32
    let error: String
    var variables: [String: String] = [:]
    var testDescription: String { arguments.joined(separator: " ") }
  }

  private static let catalogues = Catalogues.all.map(\.id.rawValue).joined(separator: ", ")
  private static let formats = WordList.or(RecordFormat.all.map(\.name))

  @Test(arguments: [
    Case(
      arguments: ["lst", "parrot"], status: 64,
      error:
        "error: Unknown command \"lst\".\nType: chirper list, or chirper --help for all commands.\n"
    ),
    Case(
      arguments: ["grey parrot"], status: 64,
      error:
        "error: Unknown command \"grey parrot\".\nType: chirper fetch 'grey parrot', or chirper --help for all commands.\n"
    ),
    Case(
      arguments: ["fetch", "  "], status: 64,
      error: "error: The query is empty.\nType what to look for, as in: parrot\n"),
    Case(
      arguments: ["list", ""], status: 64,
      error: "error: The query is empty.\nType what to look for, as in: parrot\n"),
    Case(
      arguments: ["fetch", "parrot", "--source", "ebird"], status: 64,
      error:
        "error: Unknown catalogue \"ebird\" (--source).\nType one of: \(catalogues).\n"
    ),
    Case(
      arguments: ["fetch", "grey", "parrot", "--all"], status: 64,
      error: "error: Quote queries of more than one word.\nType: chirper fetch 'grey parrot'\n"),
    Case(
      arguments: ["sync", "grey", "parrot", "--json"], status: 64,
      error:
        #"{"error":{"code":64,"kind":"usage","message":"Quote queries of more than one word.","#
        + #""hint":"Type: chirper sync 'grey parrot'"}}"#
        + "\n"),
    Case(
      arguments: ["help", "lst"], status: 64,
      error:
        "error: Unknown command \"lst\".\nType: chirper list, or chirper --help for all commands.\n"
    ),
    Case(
      arguments: ["search", "-q:A"], status: 64,
      error: "error: A search that begins with - goes after --.\nType: chirper search -- -q:A\n"),
    Case(
      arguments: ["search", "-q:A", "robin", "--limit", "3"], status: 64,
      error:
        "error: A search that begins with - goes after --.\nType: chirper search -- '-q:A robin'\n"),
    Case(
      arguments: ["search", "robin", "-q:A"], status: 64,
      error: "error: Quote queries of more than one word.\nType: chirper search 'robin -q:A'\n"),
    Case(
      arguments: ["forget", "nope", "--yes"], status: 66,
      error: "error: \"nope\" was never fetched.\nchirper list shows the stored lists.\n"),
    Case(
      arguments: ["fetch", "date:2019-05-01", "--source", "xeno-canto"], status: 64,
      error: "error: Unknown tag \"date:\".\nDid you mean year:2019 month:5? "
        + "To send it as it is, type: '=date:2019-05-01'\n"),
    Case(
      arguments: ["fetch", "parrot"], status: 78,
      error:
        "error: Unknown catalogue \"ebird\" (CHIRPER_SOURCE).\nType one of: \(catalogues).\n",
      variables: ["CHIRPER_SOURCE": "ebird"]),
    Case(
      arguments: ["fetch", "robin", "--source", "archive"], status: 64,
      error:
        "error: Nothing is fetched from Darwin Core archives.\nGet a file and import it.\n"),
    Case(
      arguments: ["fetch", "parrot", "--pages", "0"], status: 64,
      error: "error: --pages must be from 1 to 1000000.\nType it as in: --pages 3\n"),
    Case(
      arguments: ["fetch", "parrot", "--pages", "2", "--all"], status: 64,
      error: "error: --pages and --all cannot be used together.\nType one of them.\n"),
    Case(
      arguments: ["fetch", "parrot", "--verify"], status: 64,
      error:
        "error: --verify needs --all: only a complete list can be verified.\nType --all --verify.\n"
    ),
    Case(
      arguments: ["fetch", "parrot", "--source", "xeno-canto", "--per-page", "1000"], status: 64,
      error:
        "error: xeno-canto does not serve pages of 1000 recordings.\nChoose a number from 50 to 500.\n"
    ),
    Case(
      arguments: ["fetch", "par\u{1B}[2Jrot"], status: 64,
      error:
        "error: The query contains a control character (U+001B).\nType it without this character.\n"
    ),
    Case(
      arguments: ["fetch", String(repeating: "x", count: 10_000)], status: 64,
      error: "error: The query has 10000 characters; the limit is 1000.\nType a shorter one.\n"),
    Case(
      arguments: ["list", "parrot", "--limit", "-3"], status: 64,
      error: "error: --limit must be from 0 to 1000000000.\nType it as in: --limit 20\n"),
    Case(
      arguments: ["search"], status: 64,
      error: """
        error: Missing expected argument "<search>".
        <search>: What to find; in single quotes.
        For all options type: chirper search --help

        """),
    Case(
      arguments: ["search", "x", "--format", "nope"], status: 64,
      error: """
        error: The value "nope" is invalid for "--format <format>".
        Type one of: \(formats).
        For all options type: chirper search --help

        """),
    Case(
      arguments: ["list", "x", "--limit", "many"], status: 64,
      error: """
        error: The value "many" is invalid for "--limit <limit>".
        --limit <limit>: At most this many rows, up to 1000000000.
        For all options type: chirper list --help

        """),
    Case(
      arguments: ["list", "--new", "5"], status: 64,
      error: """
        error: The value "5" is invalid for "--new <age>": type a number up to 100000 and a unit, as in 30m, 12h, 7d or 2w.
        For all options type: chirper list --help

        """),
    Case(
      arguments: ["list", "--sot", "x"], status: 64,
      error:
        "error: Unknown option \"--sot\".\nDid you mean --sort?\nFor all options type: chirper list --help\n"
    ),
    Case(
      arguments: ["search", "x", "--xyz"], status: 64,
      error: "error: Unknown option \"--xyz\".\nFor all options type: chirper search --help\n"),
    Case(
      arguments: ["completions", "tcsh"], status: 64,
      error: """
        error: Can't generate completion scripts for "tcsh".
        Please use --generate-completion-script=<shell> with one of: zsh bash fish
        For all options type: chirper --help

        """),
    Case(
      arguments: ["list", "en:\"song thrush\""], status: 66,
      error:
        "error: 'en:\"song thrush\"' was never fetched.\nType: chirper fetch 'en:\"song thrush\"'\n"
    ),
    Case(
      arguments: ["search", "type:\"=\\\"'\" type:sonng"], status: 64,
      error: """
        error: search, column 13: the tag "type:" does not accept "sonng".
        Did you mean song? To search for exactly this text, type: type:"=sonng"

        """),
    Case(
      arguments: ["list", "parrot", "--new", "1d", "--new=2d"], status: 64,
      error: "error: --new was given twice.\nGive it once.\n"),
    Case(
      arguments: ["export", "parrot", "-o", "rows.parquet"], status: 64,
      error: """
        error: Unknown file extension ".parquet".
        Name the file .csv, .tsv, .json, .jsonl, .sqlite, .geojson, .gpkg, .gpx, .md, .html, .bib, .zip or .apkg, or type --format.

        """),
    Case(
      arguments: ["list", "--sort", "date"], status: 64,
      error: """
        error: Options that choose rows need a query.
        Type it after the command, as in: chirper list parrot --sort date

        """),
    Case(
      arguments: ["fetch", "parrot"], status: 78,
      error: """
        error: "http://example.org" does not use HTTPS (CHIRPER_XENO_CANTO_URL).
        Write scheme, host and port, as in: https://mirror.example.org or http://127.0.0.1:8080

        """,
      variables: ["CHIRPER_XENO_CANTO_URL": "http://example.org"]),
    Case(
      arguments: ["list"], status: 78,
      error: """
        error: chirper has no place for its files, because HOME is not set.
        Set HOME, or CHIRPER_DATA_DIR to a directory of your choice.

        """,
      variables: ["HOME": ""]),
  ])
  func `each error has a message, a hint and an exit code, and nothing is written`(bad: Case) throws
  {
    try withProgram(bad.variables) { program in
      let result = try program.run(BuiltProgram.path, bad.arguments, input: "")
      #expect(result == BuiltProgram.Result(status: bad.status, output: "", error: bad.error))
      #expect(!FileManager.default.fileExists(atPath: program.path(".local")))
    }
  }

  @Test
  func
    `help is shown whatever else was typed, and words that a command does not take are the parser's error`()
    throws
  {
    try withProgram { program in
      let help = try program.run("fetch", "grey", "parrot", "--help")
      #expect(help.status == 0 && help.output.hasPrefix("OVERVIEW: "), "\(help)")
      let words = try program.run("doctor", "grey", "parrot")
      #expect(words.status == 64 && !words.error.contains("Quote"), "\(words)")
      for word in ["it's", "b'", "--x'y"] {
        #expect(try program.run("doctor", word).error.contains(" \"\(word)\"."), "\(word)")
      }
    }
  }

  @Test func `words that are options do what is meant`() throws {
    try withProgram { program in
      #expect(try program.run("version") == (try program.run("--version")))
      let script = try program.run("completions", "bash")
      #expect(script.status == 0)
      #expect(script == (try program.run("--generate-completion-script", "bash")))
      #expect(try program.run("help", "search") == (try program.run("search", "--help")))
    }
  }

  @Test func `with --json the error is one JSON object`() throws {
    try withProgram { program in
      let result = try program.run("fetch", "parrot", "--pages", "0", "--json")
      #expect(
        result.error == """
          {"error":{"code":64,"kind":"usage","message":"--pages must be from 1 to 1000000.",\
          "hint":"Type it as in: --pages 3"}}

          """)
      #expect(result.status == 64)
      let missing =
        #"{"error":{"code":64,"kind":"usage","message":"Missing expected argument \"<search>\".","hint":"<search>: "#
      #expect(try program.run("search", "--json").error.hasPrefix(missing))
    }
  }

  @Test func `an unknown column is an error that names the nearest one`() throws {
    try withParrots { program in
      for command in ["list", "export"] {
        let result = try program.run(command, "parrot", "--columns", "id,lenght")
        #expect(
          result
            == .init(
              status: 64, output: "",
              error: "error: Unknown column \"lenght\".\nDid you mean length?\n"))
      }
    }
  }

  @Test func `a data directory that is a file is a configuration error`() throws {
    try withProgram { program in
      try Data("mine".utf8).write(to: program.directory.appending(path: "file"))
      let other = program.set("CHIRPER_DATA_DIR", program.path("file"))
      for arguments in [["list"], ["fetch", "parrot"], ["doctor"]] {
        let result = try other.run(BuiltProgram.path, arguments, input: "")
        #expect(result.status == 78, "\(result)")
        #expect(
          result.error.contains("Set CHIRPER_DATA_DIR to a directory you may write to."),
          "\(result)")
      }
      #expect(try Data(contentsOf: program.directory.appending(path: "file")) == Data("mine".utf8))
    }
  }
}
