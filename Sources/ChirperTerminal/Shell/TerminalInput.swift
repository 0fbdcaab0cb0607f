import ChirperModel
import Foundation

/// The terminal's bytes and the process's signals.
final class TerminalInput: Sendable {
  enum Event: Sendable {
    case bytes([UInt8])
    /// A moment without bytes after the last ones, so a pending Escape is the key itself.
    case pause
    case signal(Int32)
    case closed
  }

  static let endingSignals = [SIGTERM, SIGINT, SIGHUP]
  private static let signals = [SIGWINCH, SIGTSTP, SIGCONT] + endingSignals
  /// The time in milliseconds in which a terminal sends the bytes of one sequence.
  private static let escapeTimeout: Int32 = 40

  private let hasStopped = Locked(false)

  init(receive: @escaping @Sendable (Event) -> Void) {
    SignalWatch.start(Self.signals) { receive(.signal($0)) }
    let thread = Thread { [hasStopped] in
      // Whether bytes were read since the last pause.
      var isPauseDue = false
      while true {
        var waiting = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        let count = poll(&waiting, 1, isPauseDue ? Self.escapeTimeout : -1)
        // What is typed from then on is for the shell.
        if hasStopped.withLock(\.self) { return }
        if count < 0 { continue }
        if count == 0 {
          isPauseDue = false
          receive(.pause)
          continue
        }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let length = read(STDIN_FILENO, &bytes, bytes.count)
        if length < 0, errno == EINTR || errno == EAGAIN { continue }
        guard length > 0 else { return receive(.closed) }
        isPauseDue = true
        receive(.bytes(Array(bytes.prefix(length))))
      }
    }
    thread.start()
  }

  /// Ends reading, and restores the default signal actions.
  func stop() {
    for number in Self.signals { signal(number, SIG_DFL) }
    hasStopped.withLock { $0 = true }
  }
}
