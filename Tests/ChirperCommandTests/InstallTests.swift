import ChirperTestSupport
import Foundation
import Testing

/// `scripts/install` with a program that is built already.
struct InstallTests {
  private func install(_ program: BuiltProgram, _ arguments: String...) throws
    -> BuiltProgram.Result
  {
    let script = BuiltProgram.repository.appending(path: "scripts/install").path
    return try program.run(script, ["--prefix", program.path("prefix")] + arguments, input: "")
  }

  /// Every file and folder below the prefix, by its path there.
  private func contents(_ program: BuiltProgram) -> Set<String> {
    let found = FileManager.default.enumerator(atPath: program.path("prefix"))
    return Set(found?.compactMap { $0 as? String } ?? [])
  }

  private static let files = [
    "bin/chirper", "share/bash-completion/completions/chirper", "share/zsh/site-functions/_chirper",
    "share/fish/vendor_completions.d/chirper.fish", "share/man/man1/chirper.1",
    "share/man/man1/chirper-list.1",
  ]

  @Test
  func
    `program, completions and man pages are installed, and removed again without what others put there`()
    throws
  {
    try withProgram { program in
      let result = try install(program, "--program", BuiltProgram.path)
      #expect(result.status == 0, "\(result)")
      #expect(
        result.output.contains("export PATH=\"\(program.path("prefix"))/bin:$PATH\""), "\(result)")
      #expect(contents(program).isSuperset(of: Self.files))
      #expect(!contents(program).contains { $0.hasPrefix(".") })
      #expect(
        try program.run(program.path("prefix/bin/chirper"), ["--version"], input: "").status == 0)
      let page = try String(
        contentsOfFile: program.path("prefix/share/man/man1/chirper-list.1"), encoding: .utf8)
      #expect(page.hasPrefix(".TH \"CHIRPER-LIST\" \"1\""))
      #expect(try install(program, "--program", BuiltProgram.path).status == 0)
      try "".write(
        toFile: program.path("prefix/share/man/man1/other.1"), atomically: true, encoding: .utf8)
      #expect(try install(program, "--remove").status == 0)
      #expect(
        contents(program) == ["share", "share/man", "share/man/man1", "share/man/man1/other.1"])
      #expect(try install(program, "--remove").status == 1)
    }
  }

  @Test func `the man pages that the help names are installed, and no page has marks of Markdown`()
    throws
  {
    try withProgram { program in
      #expect(try install(program, "--program", BuiltProgram.path).status == 0)
      let pages = contents(program).filter { $0.hasPrefix("share/man/man") && $0.contains(".") }
      for page in pages {
        let text = try String(contentsOfFile: program.path("prefix/" + page), encoding: .utf8)
        for mark in ["](", "`", "\n| ", "\n## ", ". \\- ", "docs/"] {
          #expect(!text.contains(mark), "\(page)")
        }
        // What it names is installed: pages, not the documents that they are made of.
        #expect(!text.contains(/[a-z]\.md/), "\(page)")
        guard page.hasSuffix(".1") else { continue }
        for heading in ["EXIT STATUS", "ENVIRONMENT", "FILES", "EXAMPLES", "SEE ALSO"] {
          #expect(text.contains("\n.SH \(heading)\n"), "\(page) \(heading)")
        }
      }
      let screens = BuiltProgram.repository.appending(path: "Tests/ChirperCommandTests/HelpScreens")
      let help = try FileManager.default.contentsOfDirectory(
        at: screens, includingPropertiesForKeys: nil
      )
      .map { try String(contentsOf: $0, encoding: .utf8) }.joined(separator: "\n")
      #expect(!help.contains("docs/"))
      let words = help.split { !$0.isLetter && $0 != "-" }
      let named = Set(zip(words, words.dropFirst()).filter { $0.0 == "man" }.map { String($0.1) })
      #expect(
        named.isSuperset(of: [
          "chirper-scripting", "chirper-search", "chirper-formats", "chirper-server",
        ]))
      for name in named { #expect(pages.contains("share/man/man7/\(name).7")) }
    }
  }

  @Test func `an installation that fails leaves what was there`() throws {
    try withProgram { program in
      let page = program.path("prefix/share/man/man1/chirper.1")
      try FileManager.default.createDirectory(atPath: page, withIntermediateDirectories: true)
      let bin = program.path("prefix/bin")
      try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: true)
      try "older".write(toFile: bin + "/chirper", atomically: true, encoding: .utf8)
      let result = try install(program, "--program", BuiltProgram.path)
      #expect(result.status == 1 && result.error.hasSuffix("Nothing was installed.\n"), "\(result)")
      #expect(
        contents(program) == [
          "bin", "bin/chirper", "share", "share/man", "share/man/man1", "share/man/man1/chirper.1",
        ])
      #expect(try String(contentsOfFile: bin + "/chirper", encoding: .utf8) == "older")
    }
  }

  @Test func `a file that a newer version no longer has is removed when that is installed`() throws
  {
    try withProgram { program in
      #expect(try install(program, "--program", BuiltProgram.path).status == 0)
      let list = program.path("prefix/share/chirper/installed-files")
      let old = "share/man/man1/chirper-old.1"
      try "".write(toFile: program.path("prefix/" + old), atomically: true, encoding: .utf8)
      try (String(contentsOfFile: list, encoding: .utf8) + old + "\n").write(
        toFile: list, atomically: true, encoding: .utf8)
      #expect(try install(program, "--program", BuiltProgram.path).status == 0)
      #expect(!contents(program).contains(old))
      #expect(contents(program).isSuperset(of: Self.files))
    }
  }

  @Test
  func
    `the service is installed if it is asked for, stays with newer versions, and goes with the program`()
    throws
  {
    try withProgram { program in
      let unit = "share/systemd/user/chirper.service"
      #expect(try install(program, "--program", BuiltProgram.path).status == 0)
      #expect(!contents(program).contains(unit))
      let result = try install(program, "--service", "--program", BuiltProgram.path)
      #expect(
        result.status == 0 && result.output.contains("systemctl --user enable --now chirper"),
        "\(result)")
      #expect(try install(program, "--program", BuiltProgram.path).status == 0)
      let text = try String(contentsOfFile: program.path("prefix/" + unit), encoding: .utf8)
      #expect(text.contains("\nExecStart=\"\(program.path("prefix"))/bin/chirper\" serve\n"))
      let sync = "share/systemd/user/chirper-sync"
      let daily = try String(
        contentsOfFile: program.path("prefix/\(sync).service"), encoding: .utf8)
      #expect(
        daily.contains("/bin/chirper\" sync --due\n") && contents(program).contains("\(sync).timer")
      )
      // Where systemd is, it reads the file.
      let check =
        "command -v systemd-analyze > /dev/null || exit 0; systemd-analyze verify --man=no \"$HOME/prefix/\(unit)\" \"$HOME/prefix/\(sync).timer\""
      let verified = try program.shell(check)
      #expect(verified.status == 0, "\(verified)")
      // What systemd would replace.
      let odd = "p %h$HOME"
      #expect(
        try install(
          program, "--prefix", program.path(odd), "--service", "--program", BuiltProgram.path
        ).status == 0)
      let oddly = try program.shell(check.replacing("prefix/", with: "p %h\\$HOME/"))
      #expect(oddly.status == 0, "\(oddly)")
      let quoted = try install(
        program, "--prefix", program.path("p'"), "--service", "--program", BuiltProgram.path)
      #expect(quoted.status == 1 && quoted.error.contains("quotation mark"), "\(quoted)")
      #expect(try install(program, "--remove").status == 0 && contents(program) == [])
    }
  }

  @Test func `what is not chirper is not installed, and an unknown option names the help`() throws {
    try withProgram { program in
      let other = try install(program, "--program", "/bin/ls")
      #expect(other.status == 1 && other.error.hasPrefix("/bin/ls is not chirper.\n"), "\(other)")
      #expect(contents(program) == [])
      let unknown = try install(program, "--prefx", "x")
      #expect(
        unknown.status == 1 && unknown.error.contains("Type scripts/install --help"), "\(unknown)")
      #expect(try install(program, "--help").output.contains("--remove"))
    }
  }
}
