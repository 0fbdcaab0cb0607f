import ChirperTestSupport
import Foundation
import Testing

/// What the completion scripts offer, asked in real shells.
struct CompletionTests {
  /// What bash offers for the last word, with the completion script loaded and the program in PATH.
  private func bash(_ program: BuiltProgram, completing words: String...) throws -> [String] {
    let script = """
      source <(chirper --generate-completion-script bash)
      COMP_WORDS=(\(words.map { "'\($0)'" }.joined(separator: " ")))
      COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMP_LINE="${COMP_WORDS[*]}"; COMP_POINT=${#COMP_LINE}; COMP_TYPE=9
      _chirper chirper "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let folder = program.path("bin")
    if !FileManager.default.fileExists(atPath: folder) {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(
        atPath: folder + "/chirper", withDestinationPath: BuiltProgram.path)
    }
    let result = try program.set("PATH", "\(folder):/usr/bin:/bin").run(
      "/usr/bin/env", ["bash", "-c", script], input: "")
    #expect(result.error == "", "\(result)")
    return result.output.split(separator: "\n").map(String.init).sorted()
  }

  /// Three stored lists.
  private func withLists(_ body: (BuiltProgram) throws -> Void) throws {
    try withParrots { program in
      for query in ["blackbird", "Turdus merula"] {
        #expect(try program.run("fetch", query, "--source", "sample").status == 0)
      }
      try body(program)
    }
  }

  @Test func `bash offers the stored queries, columns, sort keys and formats`() throws {
    try withLists { program throws in
      for command in ["list", "export", "news", "stats", "sync", "forget", "browse", "fetch"] {
        #expect(
          try bash(program, completing: "chirper", command, "bl") == ["blackbird"], "\(command)")
      }
      #expect(try bash(program, completing: "chirper", "list", "").contains("Turdus merula"))
      for query in ["sp:\"turdus merula\"", "len:<20"] {
        #expect(try program.run("fetch", query, "--source", "sample").status == 0)
      }
      #expect(try bash(program, completing: "chirper", "list", "sp") == ["sp:\"turdus merula\""])
      #expect(try bash(program, completing: "chirper", "list", "len") == ["len:<20"])
      #expect(
        try bash(program, completing: "chirper", "list", "parrot", "--columns", "re") == [
          "rec", "recordedBy", "references",
        ])
      #expect(
        try bash(program, completing: "chirper", "list", "parrot", "--columns", "id,en,rec") == [
          "id,en,rec", "id,en,recordedBy",
        ])
      #expect(
        try bash(program, completing: "chirper", "export", "parrot", "--sort", "da").contains(
          "date"))
      #expect(try bash(program, completing: "chirper", "search", "le") == ["len:"])
      // The list of birds has names that no stored recording has.
      for (command, typed, offered) in [
        ("search", "western jackd", "western jackdaw"), ("fetch", "Coloeus mo", "Coloeus monedula"),
        ("browse", "european storm-p", "european storm-petrel"), ("search", "q:A q", "q:A q:"),
        ("list", "western jackd", ""),
      ] {
        #expect(
          try bash(program, completing: "chirper", command, typed).joined(separator: "|")
            == offered,
          "\(typed)")
      }
      #expect(
        try bash(program, completing: "chirper", "list", "parrot", "--sort", "-date") == ["-date"])
      #expect(
        try bash(program, completing: "chirper", "list", "--format", "js") == ["json", "jsonl"])
    }
  }

  @Test func `without a store, or with a damaged one, nothing is offered and nothing fails`() throws
  {
    try withProgram { program in
      #expect(try bash(program, completing: "chirper", "list", "bl") == [])
      #expect(!FileManager.default.fileExists(atPath: program.path(".local")))
      let folder = program.path(".local/share/chirper")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try String(repeating: "no database ", count: 1000).write(
        toFile: folder + "/chirper.sqlite", atomically: true, encoding: .utf8)
      #expect(try bash(program, completing: "chirper", "list", "bl") == [])
      #expect(try bash(program, completing: "chirper", "list", "x", "--columns", "e") == [])
    }
  }

  /// zsh and fish complete only on a terminal, so this runs what their scripts run.
  @Test(arguments: ["zsh", "fish"])
  func `the scripts for zsh and fish ask the program for the same`(shell: String) throws {
    try withLists { program in
      let script = try program.run("--generate-completion-script", shell).output
      for call in [
        "list -- positional@0", "list -- --columns", "export -- --sort", "forget -- positional@0",
      ] {
        #expect(script.contains("---completion \(call)"), "\(call)")
      }
      let asked = program.set("SAP_SHELL", shell)
      let queries = try asked.run(
        "---completion", "list", "--", "positional@0", "2", "2", "chirper", "list", "bl")
      #expect(
        queries.status == 0 && queries.output.split(separator: "\n").contains("blackbird"),
        "\(queries)")
      let fields = try asked.run(
        "---completion", "export", "--", "--sort", "3", "0", "chirper", "export", "--sort", "")
      #expect(
        fields.status == 0 && fields.output.split(separator: "\n").contains("date"), "\(fields)")
    }
  }

  @Test func `a query that is not stored names those that are spelled much like it`() throws {
    try withLists { program in
      let result = try program.run("list", "blackbrid")
      #expect(result.status == 66)
      #expect(
        result.error == """
          error: "blackbrid" was never fetched.
          Did you mean "blackbird"? If not, type: chirper fetch blackbrid

          """)
      #expect(
        try program.run("forget", "parot", "--yes").error.contains("Did you mean \"parrot\"?"))
      #expect(
        try program.run("export", "owl").error
          == "error: \"owl\" was never fetched.\nType: chirper fetch owl\n")
      #expect(
        try program.run("list", "parot", "--source", "itunes").error.contains(
          "Type: chirper fetch parot --source itunes"))
    }
  }
}
