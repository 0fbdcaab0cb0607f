import Chirper
import ChirperFormats
import ChirperModel
import Foundation

/// A program that plays a local file; it never gets a URL or a text from a catalogue.
package struct Player: Equatable, Sendable {
  /// `mpv`.
  package let name: String
  /// Absolute.
  let path: String
  let flags: [String]

  /// Every argument after the program's name; no shell reads them.
  ///
  /// - Parameter part: where the sound begins and ends, in seconds; `nil`, and for a player that
  ///   cannot do it, for the whole file.
  func arguments(for file: URL, part: ClosedRange<Double>? = nil) -> [String] {
    guard let part, let cut else { return flags + [file.path] }
    let (before, after) = cut(part)
    return before + flags + [file.path] + after
  }

  /// Whether it can play a part of a file.
  var playsParts: Bool { cut != nil }

  private var cut: Cut? { Self.known.first { $0.name == name }?.cut }

  /// Known players, in the order of preference; the flags keep each from reading the terminal, make
  /// it write only errors, and exit at the end.
  static let known: [(name: String, flags: [String], cut: Cut?)] = [
    (
      "mpv", ["--no-config", "--no-video", "--no-input-terminal", "--msg-level=all=error", "--"],
      { (["--start=\(text($0.lowerBound))", "--end=\(text($0.upperBound))"], []) }
    ),
    (
      "ffplay", ["-nodisp", "-autoexit", "-loglevel", "error", "-i"],
      { (["-ss", text($0.lowerBound), "-t", text($0.upperBound - $0.lowerBound)], []) }
    ),
    ("play", ["-q"], { ([], ["trim", text($0.lowerBound), "=\(text($0.upperBound))"]) }),
    // It has no option for where to begin.
    ("afplay", [], nil),
  ]

  /// The arguments before the flags and after the file with which a player plays only those
  /// seconds.
  typealias Cut = @Sendable (ClosedRange<Double>) -> (before: [String], after: [String])

  /// Seconds to the millisecond, without an exponent.
  private static func text(_ seconds: Double) -> String {
    DecimalText.text((seconds * 1000).rounded() / 1000)
  }

  /// Finds the player: the configured one, else the first known one that is installed.
  ///
  /// - Parameter configured: a name or an absolute path from the settings, and arguments,
  ///   in quotes if they have spaces. For a player that is known they come before chirper's
  ///   own.
  package static func find(configured: String? = nil, in search: ProgramPath)
    throws(UserFacingError) -> Player
  {
    if let configured {
      // A path may have spaces.
      var words = search.path(of: configured) == nil ? Self.words(of: configured) : [configured]
      let program = words.isEmpty ? configured : words.removeFirst()
      guard let path = search.path(of: program) else {
        throw UserFacingError(
          .configuration, kind: "no-player",
          problem: "the player \(program) from the settings is not installed")
      }
      let name = (program as NSString).lastPathComponent
      return Player(
        name: name, path: path, flags: words + (known.first { $0.name == name }?.flags ?? []))
    }
    for player in known {
      if let path = search.path(of: player.name) {
        return Player(name: player.name, path: path, flags: player.flags)
      }
    }
    throw UserFacingError(
      .configuration, kind: "no-player",
      problem: "no player is installed: install mpv (or ffplay, or play from sox)")
  }
}

extension Player {
  /// The words of a setting; quotes of either kind keep spaces together.
  private static func words(of setting: String) -> [String] {
    var (words, word, quote): ([String], String?, Character?) = ([], nil, nil)
    for character in setting {
      switch character {
      case quote: quote = nil
      case "'" where quote == nil, "\"" where quote == nil: (quote, word) = (character, word ?? "")
      case " " where quote == nil:
        if let word { words.append(word) }
        word = nil
      default: word = (word ?? "") + String(character)
      }
    }
    return words + [word].compactMap(\.self)
  }
}

/// Playing a file.
extension Player {
  /// The way in which the player ended.
  package enum Outcome: Equatable, Sendable {
    case finished
    /// The task was cancelled.
    case stopped
    /// The player failed or crashed; in one line, without a period at its end.
    case failed(String)
  }

  /// Plays the file, or a part of it if the player can, and deletes a temporary file; cancelling
  /// the task stops the player.
  package func play(
    _ file: AudioLibrary.LocalFile, part: ClosedRange<Double>? = nil
  ) async -> Outcome {
    defer { if file.isTemporary { unlink(file.url.path) } }
    let process = Process(silent: path, arguments(for: file.url, part: part))
    // A file, because a pipe that nobody reads would stop the player.
    let said = Self.unnamedFile()
    if let said { (process.standardOutput, process.standardError) = (said, said) }
    let (exits, continuation) = AsyncStream.makeStream(of: Void.self)
    process.terminationHandler = { _ in continuation.finish() }
    do {
      try Self.withSignalsUnblocked { try process.run() }
    } catch {
      return .failed("\(name) could not be started")
    }
    let pid = process.processIdentifier
    await withTaskCancellationHandler {
      for await _ in exits {}
      // A cancelled task leaves this loop while the player still runs.
      if process.isRunning { await Self.stop(process, pid) }
    } onCancel: {
      if process.isRunning { kill(pid, SIGTERM) }
    }
    if Task.isCancelled { return .stopped }
    let line = said.flatMap(Self.lastLine).map { ": \($0)" } ?? ""
    return switch (process.terminationReason, process.terminationStatus) {
    case (.exit, 0): .finished
    case (.exit, let status): .failed("\(name) failed (exit code \(status))\(line)")
    case (_, let signal): .failed("\(name) crashed (signal \(signal))\(line)")
    }
  }

  private static func unnamedFile() -> FileHandle? {
    let file = FileManager.default.temporaryDirectory.appending(
      path: "chirper-\(UUID().uuidString)")
    let descriptor = open(file.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_APPEND, 0o600)
    unlink(file.path)
    return descriptor < 0 ? nil : FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// The last line that is not blank, without a period at its end; `nil` if every line is
  /// blank. Only the end of a long text is read.
  private static func lastLine(of file: FileHandle) -> String? {
    guard let end = try? file.seekToEnd(), (try? file.seek(toOffset: end - min(end, 4096))) != nil,
      let bytes = try? file.readToEnd()
    else { return nil }
    let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
    guard
      var line = lines.map({ $0.trimmingCharacters(in: .whitespaces) }).last(where: { !$0.isEmpty })
    else { return nil }
    if line.hasSuffix(".") { line.removeLast() }
    return String(line.prefix(200))
  }

  /// A new program inherits the blocked signals of the thread that starts it, and threads that run
  /// tasks block all signals: without this the player could not be asked to end.
  private static func withSignalsUnblocked(_ start: () throws -> Void) rethrows {
    var none = sigset_t()
    var before = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    try start()
  }

  private static func stop(_ process: Process, _ pid: Int32) async {
    for _ in 0..<20 where process.isRunning {
      // In a cancelled task every sleep returns at once, so a detached task sleeps.
      await Task.detached { try? await Task.sleep(for: .milliseconds(25)) }.value
    }
    if process.isRunning { kill(pid, SIGKILL) }
    process.waitUntilExit()
  }
}

extension Process {
  /// A program that neither reads nor writes the terminal, which belongs to the screen.
  convenience init(silent program: String, _ arguments: [String]) {
    self.init()
    executableURL = URL(filePath: program)
    self.arguments = arguments
    environment = Self.withoutKeys(ProcessInfo.processInfo.environment)
    standardInput = FileHandle.nullDevice
    standardOutput = FileHandle.nullDevice
    standardError = FileHandle.nullDevice
  }
}

extension Process {
  /// An environment without the keys of catalogues, which no other program needs.
  static func withoutKeys(_ environment: [String: String]) -> [String: String] {
    let variables = Catalogues.all.filter { $0.keyHelpAddress != nil }.map(\.keyVariable)
    return environment.filter { name, _ in !variables.contains { name.hasPrefix($0) } }
  }
}

/// Finds programs in `PATH`, as a shell does.
package struct ProgramPath {
  private let folders: [String]
  private let isExecutable: (String) -> Bool

  /// - Parameter environment: has `PATH`.
  package init(environment: [String: String], isExecutable: @escaping (String) -> Bool = isProgram)
  {
    // A relative folder in PATH would run a program of the working directory.
    folders = (environment["PATH"] ?? "").split(separator: ":").map(String.init).filter {
      $0.hasPrefix("/")
    }
    self.isExecutable = isExecutable
  }

  /// The absolute path of a program, by its name or its absolute path.
  func path(of name: String) -> String? {
    if name.contains("/") { return name.hasPrefix("/") && isExecutable(name) ? name : nil }
    return folders.lazy.map { $0 + "/" + name }.first(where: isExecutable)
  }

  /// Whether a path is that of a file that may be executed.
  static func isProgram(_ path: String) -> Bool {
    FileKind(path).map { $0 != .directory } ?? false
      && FileManager.default.isExecutableFile(atPath: path)
  }
}
