import Dispatch
import Foundation
import Synchronization

/// What happens on Ctrl-C and on SIGTERM.
enum SignalHandling {
  /// Runs work in a task that a signal cancels; gives its result and the signal, if one came.
  ///
  /// Work that does not heed the cancelling within a second, or a second signal, ends the program at once.
  static func cancelling<Result: Sendable>(
    _ work: @escaping @Sendable () async -> Result
  ) async -> (result: Result, signal: Int32?) {
    let received = Received()
    let task = Task { await work() }
    let sources = watch([SIGINT, SIGTERM, SIGHUP]) { number in
      guard received.isFirst(number) else { _exit(128 + number) }
      task.cancel()
      DispatchQueue.global().asyncAfter(deadline: .now() + 0.9) { _exit(128 + number) }
    }
    let result = await task.value
    stop(sources)
    return (result, received.number)
  }

  /// Runs work during which a signal first cleans up, then ends the program.
  static func cleaningUp<Result, Failure: Error>(
    _ cleanUp: @escaping @Sendable () -> Void, during work: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let sources = watch([SIGINT, SIGTERM, SIGHUP]) { number in
      cleanUp()
      _exit(128 + number)
    }
    defer { stop(sources) }
    return try work()
  }

  private typealias Watch = (number: Int32, source: any DispatchSourceSignal)

  private static func watch(_ signals: [Int32], _ body: @escaping @Sendable (Int32) -> Void) -> [Watch] {
    signals.compactMap { number in
      // The source sees the signal, the default action must not.
      let before = signal(number, SIG_IGN)
      // Ignored from the start, as by nohup: it stays so.
      if unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { return nil }
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { body(number) }
      source.resume()
      return (number, source)
    }
  }

  private static func stop(_ watches: [Watch]) {
    for watch in watches {
      watch.source.cancel()
      signal(watch.number, SIG_DFL)
    }
  }

  private final class Received: Sendable {
    private let first = Mutex<Int32?>(nil)

    var number: Int32? { first.withLock { $0 } }

    func isFirst(_ number: Int32) -> Bool {
      first.withLock { first in
        guard first == nil else { return false }
        first = number
        return true
      }
    }
  }
}
