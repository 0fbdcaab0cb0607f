import ChirperTestSupport
import Foundation
import Testing

/// What the completion scripts offer, asked in real shells.
struct CompletionTests {
  /// Runs words in bash with the completion script loaded; `$chirper` is in PATH as `chirper`.
  private func bash(_ program: BuiltProgram, completing words: String...) throws -> [String] {
    try lines(
      program, "bash",
      """
      source <(chirper --generate-completion-script bash)
      COMP_WORDS=(\(words.map { "'\($0)'" }.joined(separator: " ")))
      COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMP_LINE="${COMP_WORDS[*]}"; COMP_POINT=${#COMP_LINE}; COMP_TYPE=9
      _chirper
      printf '%s\\n' "${COMPREPLY[@]}"
      """)
  }

  private func lines(_ program: BuiltProgram, _ shell: String, _ script: String) throws -> [String] {
    let folder = program.path("bin")
    if !FileManager.default.fileExists(atPath: folder) {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(atPath: folder + "/chirper", withDestinationPath: BuiltProgram.path)
    }
    let result = try program.set("PATH", "\(folder):/usr/bin:/bin").run("/usr/bin/env", [shell, "-c", script], input: "")
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
      for command in ["list", "export", "sync", "forget", "browse", "fetch"] {
        #expect(try bash(program, completing: "chirper", command, "bl") == ["blackbird"], "\(command)")
      }
      #expect(try bash(program, completing: "chirper", "list", "").contains("Turdus merula"))
      #expect(try bash(program, completing: "chirper", "list", "parrot", "--columns", "re") == ["rec", "regnr"])
      #expect(
        try bash(program, completing: "chirper", "list", "parrot", "--columns", "id,en,re") == ["id,en,rec", "id,en,regnr"])
      #expect(try bash(program, completing: "chirper", "export", "parrot", "--sort", "da") == ["date"])
      #expect(try bash(program, completing: "chirper", "list", "--format", "js") == ["json", "jsonl"])
    }
  }

  @Test func `without a store, or with a damaged one, nothing is offered and nothing fails`() throws {
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

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/fish"), "needs fish"))
  func `fish offers the stored queries`() throws {
    try withLists { program throws in
      func offered(_ line: String) throws -> [String] {
        try lines(program, "fish", "chirper --generate-completion-script fish | source; complete --do-complete '\(line)'")
      }
      #expect(try offered("chirper list bl") == ["blackbird"])
      #expect(try offered("chirper list --columns da") == ["date"])
    }
  }

  /// zsh offers only in an interactive shell, so its completion function is asked for the words that it would show.
  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/zsh"), "needs zsh"))
  func `zsh asks the program for the stored queries`() throws {
    try withLists { program throws in
      let script = """
        autoload -Uz compinit && compinit -u -d "$HOME/.zcompdump"
        eval "$(chirper --generate-completion-script zsh)" 2> /dev/null
        _describe() { shift; print -l -- "${(@P)1}" }
        words=(chirper list bl); CURRENT=3
        $(functions -m '*chirper*custom_complete*' > /dev/null && print -l ${(k)functions[(I)*chirper*custom_complete*]}) ---completion list -- positional@0 2 2
        """
      #expect(try lines(program, "zsh", script).contains { $0.hasPrefix("blackbird") })
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
      #expect(try program.run("forget", "parot", "--yes").error.contains("Did you mean \"parrot\"?"))
      #expect(try program.run("export", "owl").error == "error: \"owl\" was never fetched.\nType: chirper fetch owl\n")
      #expect(try program.run("list", "parot", "--source", "itunes").error.contains("Type: chirper fetch parot --source itunes"))
    }
  }
}
