import Logging

extension Logger {
  /// Logs nothing, whatever the process has set up for loggers without a handler of their own.
  package static var discarding: Logger {
    Logger(label: "chirper") { _ in SwiftLogNoOpLogHandler() }
  }
}
