import ChirperFormats
import ChirperTestSupport
import Foundation
import Testing

@testable import ChirperCommand

struct SettingsTests {
  @Test func `the data directory is CHIRPER_DATA_DIR, else below XDG_DATA_HOME, else below HOME`()
    throws
  {
    func path(_ variables: [String: String]) throws -> String {
      try ProcessEnvironment(variables).dataDirectory().path
    }
    #expect(try path(["CHIRPER_DATA_DIR": "/field", "HOME": "/h"]) == "/field")
    #expect(try path(["XDG_DATA_HOME": "/x", "HOME": "/h"]) == "/x/chirper")
    #if !os(macOS)
    #expect(try path(["HOME": "/h"]) == "/h/.local/share/chirper")
    #expect(try path(["XDG_DATA_HOME": "relative", "HOME": "/h"]) == "/h/.local/share/chirper")
    #endif
  }

  @Test func `without HOME the error names the variable to set`() {
    #expect(throws: UserFacingError.noHome(variable: "CHIRPER_DATA_DIR")) {
      try ProcessEnvironment([:]).dataDirectory()
    }
    #expect(ProcessEnvironment([:]).configDirectory == nil)
  }

  @Test func `the environment wins over the config file`() throws {
    try withProgram { program in
      try Data("# mine\n\nsource = itunes\nxeno-canto-url=https://mirror.example.org\n".utf8)
        .write(to: program.directory.appending(path: "config"))
      let file = try Settings(ProcessEnvironment(["CHIRPER_CONFIG_DIR": program.directory.path]))
      #expect(file.source?.name == "itunes")
      #expect(file.baseURLs[.xenoCanto] == URL(string: "https://mirror.example.org"))
      let both = try Settings(
        ProcessEnvironment([
          "CHIRPER_CONFIG_DIR": program.directory.path, "CHIRPER_SOURCE": "sample",
        ]))
      #expect(both.source?.name == "sample")
    }
  }

  @Test func `doctor checks the store, and then reports the settings`() throws {
    try withParrots { program in
      let config = program.path("config")
      let set = program.set("CHIRPER_CONFIG_DIR", program.directory.path)
      for (line, problem) in [("garbage", "Unknown line"), ("source = zz", "Unknown catalogue")] {
        try Data("\(line)\n".utf8).write(to: URL(filePath: config))
        let doctor = try set.run("doctor")
        #expect(doctor.status == 78 && doctor.output.contains("integrity    sound"), "\(doctor)")
        #expect(doctor.error.hasPrefix("error: \(problem)"), "\(doctor)")
        #expect(try set.run("fetch", "parrot").error == doctor.error)
      }
      try Data("sauce = gbif\n".utf8).write(to: URL(filePath: config))
      let warned = try set.run("doctor")
      #expect(warned.status == 0, "\(warned)")
      #expect(warned.error.hasPrefix("warning: Unknown setting \"sauce\""), "\(warned)")
    }
  }

  @Test(arguments: ["\r\n", "\r", "\n"])
  func `the config file may have any line ends and a byte order mark`(end: String) throws {
    try withProgram { program in
      let lines = ["\u{FEFF}# mine", "source = sample", "player = mpv", ""]
      try Data(lines.joined(separator: end).utf8).write(
        to: program.directory.appending(path: "config"))
      let file = try Settings(ProcessEnvironment(["CHIRPER_CONFIG_DIR": program.directory.path]))
      #expect(file.source?.name == "sample" && file.player == "mpv")
      try Data(["source = sample", "nonsense", ""].joined(separator: end).utf8)
        .write(to: program.directory.appending(path: "config"))
      let error = #expect(throws: UserFacingError.self) {
        try Settings(ProcessEnvironment(["CHIRPER_CONFIG_DIR": program.directory.path]))
      }
      #expect("\(error as Any)".contains("line 2"))
    }
  }

  @Test(.timeLimit(.minutes(10)), arguments: ["/dev/zero", nil])
  func `a config file without end, or a longer one than settings need, is refused`(target: String?)
    throws
  {
    try withProgram { program in
      let (file, longest) = (program.path("config"), 1 << 16)
      if let target {
        try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: target)
      } else {
        try Data(repeating: 0x0A, count: longest + 1).write(to: URL(filePath: file))
      }
      let error = #expect(throws: UserFacingError.self) {
        try Settings(ProcessEnvironment(["CHIRPER_CONFIG_DIR": program.directory.path]))
      }
      #expect("\(error as Any)".contains("more than \(longest) bytes"))
    }
  }

  @Test(.timeLimit(.minutes(10)))
  func `a config file that is a pipe does not keep the program waiting`() throws {
    try withProgram { program in
      #expect(mkfifo(program.path("config"), 0o600) == 0)
      let settings = try Settings(
        ProcessEnvironment(["CHIRPER_CONFIG_DIR": program.directory.path]))
      #expect(settings.source == nil)
      try FileManager.default.removeItem(atPath: program.path("config"))
      try Data(repeating: 0x0A, count: 1 << 16).write(to: URL(filePath: program.path("config")))
      #expect(
        try Settings(ProcessEnvironment(["CHIRPER_CONFIG_DIR": program.directory.path])).player
          == nil)
    }
  }

  @Test(arguments: [
    "nonsense", "ftp://x.org", "http://example.org", "http://127.evil.example", "https://",
    "https://x.org/api",
    "https://x.org?a=b", "https://u@x.org",
  ])
  func `a base URL that is malformed or not HTTPS is refused`(url: String) {
    #expect(throws: UserFacingError.self) {
      try Settings(ProcessEnvironment(["CHIRPER_ITUNES_URL": url]))
    }
  }

  @Test(arguments: [
    "http://127.0.0.1:8080", "http://localhost:1", "http://[::1]:2", "https://x.org/",
  ])
  func `HTTPS anywhere and HTTP on this machine are accepted`(url: String) throws {
    #expect(
      try Settings(ProcessEnvironment(["CHIRPER_XENO_CANTO_URL": url])).baseURLs[.xenoCanto]
        == URL(string: url))
  }

  @Test(arguments: [
    ("http://", true), ("http://:3128", true), (":3128", true), ("http://name:word@", true),
    ("proxy.example", false),
    ("http://name:word@proxy.example:3128/", false), ("http://[::1]:3128", false), ("", false),
  ])
  func `a proxy without a host is refused`(setting: String, isRefused: Bool) throws {
    for name in ["https_proxy", "HTTPS_PROXY"] {
      let environment = ProcessEnvironment([name: setting])
      #if os(Linux)
      if isRefused {
        #expect(throws: UserFacingError.self) { try Settings(environment) }
        continue
      }
      #endif
      _ = try Settings(environment)
    }
  }

  @Test func `colour is for terminals, unless it is forbidden or forced`() {
    func isOn(_ variables: [String: String], flag: Bool = false, terminal: Bool = true) -> Bool {
      Style(noColor: flag, variables: ProcessEnvironment(variables), isTerminal: terminal).isOn
    }
    #expect(isOn([:]) && !isOn([:], terminal: false))
    #expect(!isOn(["NO_COLOR": "1"]) && !isOn(["TERM": "dumb"]) && !isOn([:], flag: true))
    #expect(
      isOn(["CLICOLOR_FORCE": "1"], terminal: false)
        && !isOn(["CLICOLOR_FORCE": "1", "NO_COLOR": "1"]))
  }
}
