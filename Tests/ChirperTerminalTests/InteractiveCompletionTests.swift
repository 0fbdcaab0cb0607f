import ChirperModel
import ChirperTestSupport
import Foundation
import Testing

/// The completion scripts in interactive shells, over a store with names that a shell could run.
@Suite(.serialized)
struct InteractiveCompletionTests {
  enum Shell: String, CaseIterable {
    case bash, zsh, fish

    /// The options that leave out the user's settings.
    var options: [String] {
      switch self {
      case .bash: ["--norc", "--noprofile", "-i"]
      case .zsh: ["-f", "-i"]
      case .fish: ["-N", "-i"]
      }
    }

    /// The line that loads the script in the file `completions`.
    var loading: String {
      switch self {
      case .bash, .fish: "source ./completions"
      case .zsh: "autoload -U compinit; compinit -u -D; source ./completions"
      }
    }

    var path: String? {
      ["/usr/local/bin/", "/usr/bin/", "/bin/"].map { $0 + rawValue }
        .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// The shells that are installed; a test says which are not.
    static var installed: [Shell] { allCases.filter { $0.path != nil } }
    static var missing: [Shell] { allCases.filter { $0.path == nil } }
  }

  /// Names of fields and texts of lists, each of which makes the file `hit` if a shell runs it.
  static let hostile = [
    "$(touch hit)", "`touch hit`", ";touch hit;", "|touch hit", "&touch hit&", "&&touch hit",
    "<(touch hit)", ">(touch hit)", ">hit", "\";touch hit;\"", "';touch hit;'",
    "\\\";touch hit;\\\"", "${x:=$(touch hit)}", "$((a[$(touch hit)]))", "!!;!touch;touch hit",
    "{a,$(touch hit)}", "(e:'touch hit':)", "=(touch hit)", "(touch hit)",
    "$'\\x60touch hit\\x60'", "\ntouch hit\n", "\rtouch hit\r",
    "\u{1B}[201~\rtouch hit\r", "\u{3}\rtouch hit\r",
    "\u{202E}$(touch hit)\u{2066}", "\t;touch hit\r", "\u{200B}`touch hit`", "'$(touch hit)",
  ].enumerated().map { "n\($0 < 10 ? "0" : "")\($0)\($1)" }

  private func withHostileStore(_ body: (BuiltProgram, [String: String]) throws -> Void) throws {
    let fields = (Self.hostile + ["größe"]).map { "\(JSONText.quoted($0)):\"x\"" }
      .joined(separator: ",")
    let record = #"{"id":"1","gen":"Turdus","sp":"merula","en":"Blackbird","q":"A",\#(fields)}"#
    let page = FakeXenoCanto.body([record], page: 1, pages: 1, total: 1)
    let server = try ScriptedServer { _ in .json(200, page) }
    let variables = [
      "CHIRPER_XENO_CANTO_URL": server.url.absoluteString, "XENO_CANTO_API_KEY": "k",
      "LC_ALL": "C.UTF-8",
    ]
    try withProgram(variables) { program in
      #expect(try program.run("fetch", "sp:\"turdus merula\"", "--all").status == 0)
      #expect(try program.run("fetch", "Ωmega", "--all").status == 0)
      // Control characters are refused in what is typed.
      let stored = try Self.hostile.filter { try program.run("fetch", $0, "--all").status == 0 }
      #expect(stored.count >= 20)
      let rows = try program.run("list", "Ωmega", "--json").output
      for name in Self.hostile { #expect(rows.contains(JSONText.quoted(name)), "\(name)") }
      try FileManager.default.createDirectory(
        atPath: program.path("bin"), withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(
        atPath: program.path("bin/chirper"), withDestinationPath: BuiltProgram.path)
      var environment = variables
      environment["HOME"] = program.directory.path
      environment["PATH"] = "\(program.path("bin")):/usr/local/bin:/usr/bin:/bin"
      environment["TERM"] = "xterm"
      #if os(macOS)
      environment["XDG_DATA_HOME"] = program.path(".local/share")
      #endif
      try body(program, environment)
    }
  }

  @Test(.enabled(if: Shell.missing.isEmpty, "zsh or fish is not installed"))
  func `every shell is there`() {
    #expect(Shell.installed == Shell.allCases)
  }

  @Test(arguments: Shell.installed)
  func `a shell runs nothing that a catalogue sent`(shell: Shell) throws {
    try withHostileStore { program, environment in
      let script = try program.run("--generate-completion-script", shell.rawValue).output
      try Data(script.utf8).write(to: program.directory.appending(path: "completions"))
      let terminal = try PseudoTerminal(
        program: try #require(shell.path), shell.options, environment: environment,
        directory: program.directory, columns: 160, rows: 50)
      /// Types a line, and waits until the shell has run it.
      func run(_ line: String, _ number: Int) throws {
        terminal.type("\(line) > rows-\(number) 2> errors-\(number); echo x > done-\(number)\n")
        let isDone = terminal.wait(seconds: 120) { _ in
          FileManager.default.fileExists(atPath: program.path("done-\(number)"))
        }
        try #require(isDone, "\(shell): \(line.debugDescription): \(terminal.screen.text)")
      }
      func rows(_ number: Int) throws -> String {
        try String(contentsOfFile: program.path("rows-\(number)"), encoding: .utf8)
      }
      try run(shell.loading, 0)
      try run("chirper list sp\t", 1)
      #expect(try rows(1).contains("Blackbird"), "\(shell): \(terminal.screen.text)")
      try run("chirper list Ω\t", 2)
      #expect(try rows(2).contains("Blackbird"), "\(shell): \(terminal.screen.text)")
      try run("chirper list Ωmega --format csv --columns id,grö\t", 3)
      #expect(try rows(3).hasPrefix("id,größe"), "\(shell): \(terminal.screen.text)")
      // All the words at once, and each by itself.
      try run("chirper list Ωmega --columns n\t", 4)
      try run("chirper list n\t", 5)
      let each = Self.hostile.map { String($0.prefix(3)) }
      for start in stride(from: 0, to: each.count, by: 7) {
        let some = each[start...].prefix(7)
        try run("chirper list \(some.map { "\($0)\t" }.joined(separator: " "))", 100 + start)
        try run(
          "chirper list Ωmega \(some.map { "--sort \($0)\t" }.joined(separator: " "))", 200 + start)
      }
      let files = try FileManager.default.contentsOfDirectory(atPath: program.directory.path)
      #expect(files.filter { $0.hasPrefix("hit") } == [], "\(shell): \(terminal.screen.text)")
    }
  }
}
