import Foundation

/// The built `chirper`, run as a process with an environment and a directory of its own.
package struct BuiltProgram {
  /// Home, data and settings of this program's runs; removed by `remove`.
  package let directory: URL
  private var variables: [String: String]

  package init(_ variables: [String: String] = [:]) throws {
    directory = FileManager.default.temporaryDirectory.appending(
      path: "chirper-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    self.variables = [
      "HOME": directory.path, "PATH": "/usr/local/bin:/usr/bin:/bin", "TERM": "dumb",
    ]
    // Only tests that have a server for it ask the name service.
    self.variables["CHIRPER_NAME_SERVICE"] = "off"
    #if os(macOS)
    self.variables["XDG_DATA_HOME"] = path(".local/share")
    #endif
    self.variables.merge(variables) { $1 }
  }

  package func remove() {
    try? FileManager.default.removeItem(at: directory)
  }

  /// How a run ended: its exit code (128 and the number of the signal that ended it), and what it
  /// printed.
  package struct Result: Equatable {
    package let status: Int32
    package let output: String
    package let error: String

    package init(status: Int32, output: String, error: String) {
      self.status = status
      self.output = output
      self.error = error
    }
  }

  /// The built `chirper`: that of the environment, such as the one to be released, or that of the tests.
  package static let path =
    ProcessInfo.processInfo.environment["CHIRPER"] ?? path(ofProduct: "chirper")

  /// An executable that was built with the tests.
  package static func path(ofProduct name: String) -> String {
    #if canImport(Darwin)
    // There the main bundle is that of the program that loads the tests,
    // PRODUCTS/NAME.xctest/Contents/MacOS/NAME.
    var image = Dl_info()
    dladdr(#dsohandle, &image)
    var products = URL(filePath: String(cString: image.dli_fname))
    for _ in 1...4 { products.deleteLastPathComponent() }
    #else
    let products = Bundle.main.bundleURL
    #endif
    return products.appending(path: name).path
  }

  /// The top of the repository.
  package static let repository = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
    .deletingLastPathComponent()

  package func path(_ name: String) -> String { directory.appending(path: name).path }

  /// The files in a folder and the folders in it, by their paths there.
  package func files(_ folder: String) -> [String: Data] {
    var files: [String: Data] = [:]
    let all = FileManager.default.enumerator(atPath: path(folder))
    while let name = all?.nextObject() as? String {
      let path = path("\(folder)/\(name)")
      if let data = FileManager.default.contents(atPath: path) { files[name] = data }
    }
    return files
  }

  package func set(_ name: String, _ value: String?) -> BuiltProgram {
    var copy = self
    copy.variables[name] = value
    return copy
  }

  @discardableResult
  package func run(_ arguments: String..., input: String = "") throws -> Result {
    try run(Self.path, arguments, input: input)
  }

  /// Runs a command line in a shell; `$chirper` in it is the program.
  package func shell(_ words: String) throws -> Result {
    try set("chirper", Self.path).run("/bin/sh", ["-c", words], input: "")
  }

  package func run(_ executable: String, _ arguments: [String], input: String) throws -> Result {
    try start(executable, arguments: arguments, input: input).result()
  }

  /// A run that was started.
  package struct Running {
    package let process: Process
    fileprivate let files: URL
    fileprivate let ended: DispatchSemaphore

    /// Waits for the end of the run; call it once.
    package func result() throws -> Result {
      guard ended.wait(timeout: .now() + 300) == .success else {
        // And its children: Foundation starts each process in its own group.
        kill(-process.processIdentifier, SIGKILL)
        throw Hangs(words: process.arguments ?? [])
      }
      let status = process.terminationStatus
      return Result(
        status: process.terminationReason == .exit ? status : 128 + status, output: try text("out"),
        error: try text("err"))
    }

    /// Standard output so far.
    package var output: String { get throws { try text("out") } }

    /// Standard error so far.
    package var error: String { get throws { try text("err") } }

    private func text(_ name: String) throws -> String {
      String(decoding: try Data(contentsOf: files.appending(path: name)), as: UTF8.self)
    }
  }

  /// Output goes to files: a pipe that nobody reads would stop the program.
  package func start(
    _ executable: String = BuiltProgram.path, arguments: [String], input: String = ""
  ) throws -> Running {
    let files = directory.appending(path: "run-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
    for (name, text) in [("in", input), ("out", ""), ("err", "")] {
      try Data(text.utf8).write(to: files.appending(path: name))
    }
    let process = Process()
    process.executableURL = URL(filePath: executable)
    process.arguments = arguments
    process.environment = variables
    process.currentDirectoryURL = directory
    let handles = [
      try FileHandle(forReadingFrom: files.appending(path: "in")),
      try FileHandle(forWritingTo: files.appending(path: "out")),
      try FileHandle(forWritingTo: files.appending(path: "err")),
    ]
    // The process has its own copies. Left open they add up over hundreds of runs, and Foundation's
    // run reads past the end of its list of open files once that has about 1,360 lines
    // (swift-corelibs-foundation of Swift 6.3).
    defer { for handle in handles { try? handle.close() } }
    (process.standardInput, process.standardOutput, process.standardError) = (
      handles[0], handles[1], handles[2]
    )
    // A shell that runs the tests in the background, or nohup, ignores them, and so would the program.
    for number in [SIGINT, SIGHUP] { signal(number, SIG_DFL) }
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    try process.run()
    return Running(process: process, files: files, ended: ended)
  }
}

/// Runs a test with a program and removes its directory afterwards.
package func withProgram(_ variables: [String: String] = [:], _ body: (BuiltProgram) throws -> Void)
  throws
{
  let program = try BuiltProgram(variables)
  defer { program.remove() }
  try body(program)
}

/// The same, after fetching `parrot` from the sample: 3 pages of 50.
package func withParrots(_ variables: [String: String] = [:], _ body: (BuiltProgram) throws -> Void)
  throws
{
  try withProgram(variables) { program in
    let result = try program.run(
      "fetch", "parrot", "--source", "sample", "--pages", "3", "--per-page", "50")
    guard result.status == 0 else { throw FetchFailed(result: result) }
    try body(program)
  }
}

package struct FetchFailed: Error { package let result: BuiltProgram.Result }

/// A run that did not end within five minutes.
package struct Hangs: Error { package let words: [String] }

extension String {
  /// A text with ages as if it had been written at once; on a busy machine a page can be minutes old.
  package var writtenAtOnce: String { replacing(/\d+ (second|minute)s? ago/, with: "just now") }
}
