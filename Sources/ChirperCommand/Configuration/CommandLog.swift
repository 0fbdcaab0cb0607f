import Chirper
import ChirperFormats
import Foundation
import Logging

/// The log that `CHIRPER_LOG` asks for.
enum CommandLog {
  private static let levels: [Logger.Level] = [.debug, .trace]

  /// The clock of the system, and the log.
  static func dependencies() throws(UserFacingError) -> RecordingRepository.Dependencies {
    var dependencies = RecordingRepository.Dependencies.live
    if let logger = try logger() {
      dependencies.logger = logger
    } else if !needsStandardError {
      dependencies.logger = Logger(label: "chirper") { _ in
        LineLogHandler(.warning, to: STDERR_FILENO)
      }
    }
    return dependencies
  }

  /// A logger to the file, or to standard error if no file is set; `nil` if nothing is logged.
  private static func logger() throws(UserFacingError) -> Logger? {
    let environment = ProcessEnvironment.live
    guard let value = environment[LineLogHandler.variable] else { return nil }
    guard let level = levels.first(where: { $0.rawValue == value }) else {
      let known = levels.map(\.rawValue).joined(separator: ", ")
      throw .badSetting(
        "Unknown value \(value.inQuotes)", from: LineLogHandler.variable,
        hint: "Values are: \(known).")
    }
    var descriptor = STDERR_FILENO
    if let path = environment[LineLogHandler.fileVariable] {
      descriptor = try open(path)
    } else if needsStandardError {
      return nil
    }
    return Logger(label: "chirper") { _ in LineLogHandler(level, to: descriptor) }
  }

  /// Whether standard error is one JSON object, or the terminal that `browse` fills.
  private static var needsStandardError: Bool {
    CommandLine.arguments.askForJSON || CommandLine.arguments.dropFirst().first == "browse"
  }

  /// Opens the file for appending, so that several programs may log into it.
  private static func open(_ path: String) throws(UserFacingError) -> Int32 {
    try OwnFiles().check(output: path)
    // Not blocking, or a named pipe without a reader would be waited for.
    let descriptor = Foundation.open(
      path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else {
      throw .badSetting(
        "The file cannot be opened: \(String(cString: strerror(errno)))",
        from: LineLogHandler.fileVariable,
        hint: "Name a file in a directory that exists and that you may write to.")
    }
    return descriptor
  }
}
