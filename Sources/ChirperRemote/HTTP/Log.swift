#if Logging
import Logging
#endif

/// The library's log: the logger of an app, or nothing without the trait `Logging`. A text is only
/// made if it is logged.
package struct Log: Sendable {
  #if Logging
  /// The default logs nothing, whatever the process has set up for loggers without a handler of
  /// their own.
  package var logger = Logger(label: "chirper") { _ in SwiftLogNoOpLogHandler() }
  #endif

  package init() {}

  /// A log whose lines have these values too.
  package func with(_ metadata: [String: String]) -> Log {
    #if Logging
    var log = self
    for (key, value) in metadata { log.logger[metadataKey: key] = .string(value) }
    return log
    #else
    return self
    #endif
  }

  package func trace(
    _ message: @autoclosure () -> String, _ metadata: @autoclosure () -> [String: String] = [:]
  ) {
    #if Logging
    logger.trace("\(message())", metadata: metadata().mapValues { .string($0) })
    #endif
  }

  package func debug(
    _ message: @autoclosure () -> String, _ metadata: @autoclosure () -> [String: String] = [:]
  ) {
    #if Logging
    logger.debug("\(message())", metadata: metadata().mapValues { .string($0) })
    #endif
  }

  /// A sentence for the user.
  package func warning(_ message: @autoclosure () -> String) {
    #if Logging
    logger.warning("\(message())")
    #endif
  }
}
