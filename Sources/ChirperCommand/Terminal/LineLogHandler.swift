import Chirper
import ChirperFormats
import Foundation
import Logging

/// Writes a log line by line to a descriptor: time (UTC), process, level, message, and the metadata
/// in the order of their names; without a log only the sentences of warnings.
struct LineLogHandler: LogHandler {
  /// The environment variables: the level of the log, and its file.
  static let (variable, fileVariable) = ("CHIRPER_LOG", "CHIRPER_LOG_FILE")

  var logLevel: Logger.Level
  var metadata: Logger.Metadata = [:]
  private let descriptor: Int32

  init(_ level: Logger.Level, to descriptor: Int32) {
    logLevel = level
    self.descriptor = descriptor
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let all = metadata.merging(event.metadata ?? [:]) { _, own in own }
    let line =
      logLevel == .warning
      ? TerminalText.escaped("\(event.message)")
      : Self.line(at: WallClock.now(), event.level, "\(event.message)", all)
    // In one write, so that lines of several processes do not mix. A log that cannot be written
    // stops nothing.
    let bytes = Array("\(line)\n".utf8)
    _ = write(descriptor, bytes, bytes.count)
  }

  /// One line of the log; characters that a terminal could act on are spelled out.
  static func line(
    at time: Date, _ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata
  ) -> String {
    let stamp = time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    let members = metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\(quoted("\($0.value)"))" }
      .joined()
    return TerminalText.escaped("\(stamp) \(getpid()) \(level) \(message)\(members)")
  }

  /// The value, in quotes if it is not one word.
  private static func quoted(_ value: String) -> String {
    guard value.isEmpty || value.contains(where: { $0.isWhitespace || $0 == "\"" || $0 == "=" })
    else { return value }
    return "\"\(value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
  }
}
