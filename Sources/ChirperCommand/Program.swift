import ArgumentParser
import ChirperFormats
import ChirperModel
import Foundation

/// The program: parses, runs, and reports how it ended; nothing else exits.
///
/// A subcommand in `Subcommands` fills a value of a module below and shows the result.
@main
enum Program {
  static func main() async {
    // A reader that has gone shows as EPIPE where we write, and is not an error (`ByteSink`).
    signal(SIGPIPE, SIG_IGN)
    // A write beyond `ulimit -f` then fails with EFBIG. A handler, because a player would inherit
    // an ignored signal.
    signal(SIGXFSZ) { _ in }
    // Were one of the three closed, the database could get its number and our output be written
    // into it.
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
      _ = open("/dev/null", O_RDONLY)
    }
    ProcessLimits.forbidCoreDumps()
    let reporter = ErrorReporter(arguments: CommandLine.arguments)
    do {
      try ProcessLimits.allowOpenFiles()
      try ProcessLimits.checkMemory()
      try checkArguments()
      var command = try RootCommand.parsed(Array(CommandLine.arguments.dropFirst()))
      try ProcessEnvironment.checkPaths()
      // A wrong value is reported by every command, also by those that log nothing.
      _ = try CommandLog.dependencies()
      if let asking = command as? any AsyncParsableCommand {
        try await run(asking)
      } else {
        try command.run()
      }
      leave(EXIT_SUCCESS)
    } catch {
      leave(reporter.report(error))
    }
  }

  /// Runs a command on a thread of its own: its reads and its output may wait, and the threads that
  /// tasks share may not.
  private static func run(_ command: sending any AsyncParsableCommand) async throws {
    var command = command
    try await withTaskExecutorPreference(QueueExecutor("chirper.command")) {
      try await command.run()
    }
  }

  /// Ends the process without the handlers that libraries run at exit. These free memory that a
  /// request under way still uses: `browse`, ended by a key while a page was loading, crashed once
  /// in a few hundred runs.
  private static func leave(_ status: Int32) -> Never {
    fflush(nil)
    _exit(status)
  }

  /// Refuses text that is not UTF-8, because Swift would replace its bytes, and so name a different
  /// query or file. Without /proc, as in some sandboxes, Swift's runtime has no arguments at all.
  private static func checkArguments() throws(UserFacingError) {
    guard CommandLine.argc > 0 else {
      throw UserFacingError(
        .configuration, kind: "no-arguments",
        problem: "What was typed cannot be read, because /proc is not mounted or cannot be read",
        hint: "Type: mount -t proc proc /proc")
    }
    for number in 1..<Int(CommandLine.argc) {
      guard let argument = CommandLine.unsafeArgv[number],
        String(validatingCString: argument) == nil
      else { continue }
      throw .usage("Argument \(number) is not valid UTF-8", hint: "Type it in UTF-8.")
    }
  }
}
