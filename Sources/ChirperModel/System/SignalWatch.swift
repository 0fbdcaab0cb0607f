#if Collection

import Foundation

/// Signals as calls on a thread: the handlers write to a pipe that it reads. Unlike ignored
/// signals, handlers are not inherited by a player.
package enum SignalWatch {
  /// Calls `handle` for each of these signals from now on, one after the other. It replaces an
  /// earlier `handle`.
  package static func start(_ signals: [Int32], _ handle: @escaping @Sendable (Int32) -> Void) {
    handler.withLock { $0 = handle }
    _ = thread
    for number in signals { watch(number) }
  }

  /// Watches a signal again whose action was set back. One that is ignored from the start, as by
  /// nohup, stays so.
  package static func watch(_ number: Int32) {
    let before = signal(number) { number in
      let error = errno
      var byte = UInt8(truncatingIfNeeded: number)
      _ = write(SignalWatch.pipeEnd, &byte, 1)
      errno = error
    }
    if unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
      signal(number, SIG_IGN)
    }
  }

  private static let handler = Locked<(@Sendable (Int32) -> Void)?>(nil)

  /// The writing end of the pipe, for the handlers.
  nonisolated(unsafe) private static var pipeEnd: Int32 = -1  // Safe: written before handlers.

  private static let thread: Void = {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    pipeEnd = ends[1]
    let reading = ends[0]
    Thread {
      var number: UInt8 = 0
      while true {
        let count = read(reading, &number, 1)
        if count == 1 {
          handler.withLock(\.self)?(Int32(number))
        } else if count == 0 || errno != EINTR {
          return
        }
      }
    }.start()
  }()
}

#endif
