import ArgumentParser
import Foundation

/// The program: parses, runs, and tells how it ended; the one place that exits.
@main
enum Program {
  static func main() async {
    // A reader that has gone shows as EPIPE where we write, and is no error (`ByteSink`).
    signal(SIGPIPE, SIG_IGN)
    // Were one of the three closed, the database could get its number and our output be written into it.
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
      _ = open("/dev/null", O_RDONLY)
    }
    let ending = Ending(arguments: CommandLine.arguments)
    do {
      try checkOpenFiles()
      var command = try RootCommand.parseAsRoot()
      if var asking = command as? any AsyncParsableCommand {
        try await asking.run()
      } else {
        try command.run()
      }
    } catch {
      exit(ending.tell(error))
    }
  }

  /// Dispatch and URLSession on Linux end the process where they find no descriptor for their own queues and pipes.
  private static func checkOpenFiles() throws(CommandError) {
    var limit = rlimit()
    #if canImport(Darwin)
      let known = getrlimit(RLIMIT_NOFILE, &limit) == 0
    #else
      let known = getrlimit(.init(RLIMIT_NOFILE.rawValue), &limit) == 0
    #endif
    guard known, limit.rlim_cur < leastOpenFiles else { return }
    throw .badSetting(
      "\(limit.rlim_cur) open files are too few", from: "ulimit -n", hint: "Allow \(leastOpenFiles) or more: ulimit -n 256")
  }

  private static let leastOpenFiles = 64
}
