import ChirperPlatform
import Foundation

/// The terminal's bytes and the process's signals, in the order in which they arrive.
///
/// Signals go through a pipe that the same thread reads, so that one thread waits for everything. The player does not
/// inherit signal handlers, as it would inherit ignored signals.
final class TerminalInput: Sendable {
  enum Event: Sendable {
    case bytes([UInt8])
    /// Nothing followed the last bytes for a moment, so a pending Escape is the key itself.
    case pause
    case signal(Int32)
    /// The terminal was closed.
    case closed
  }

  /// Those that end the program.
  static let endingSignals = [SIGTERM, SIGINT, SIGHUP]
  static let signals = [SIGWINCH, SIGTSTP, SIGCONT] + endingSignals
  /// In milliseconds; a terminal sends the bytes of one sequence together.
  private static let escapeTimeout: Int32 = 40

  /// The writing end of the pipe, for the signal handler.
  nonisolated(unsafe) private static var pipeEnd: Int32 = -1  // Safe: written while no handler is installed.

  private let terminal: Int32
  private let pipe: (reading: Int32, writing: Int32)
  private let hasStopped = Locked(false)
  /// Whether bytes were read since the last pause.
  private let isPauseDue = Locked(false)

  init(terminal: Int32, receive: @escaping @Sendable (Event) -> Void) {
    self.terminal = terminal
    var ends: [Int32] = [-1, -1]
    _ = Foundation.pipe(&ends)
    pipe = (ends[0], ends[1])
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    Self.pipeEnd = ends[1]
    for number in Self.signals { Self.watch(number) }
    let thread = Thread { [self] in
      while let event = next() { receive(event) }
    }
    thread.start()
  }

  /// Ends the thread and restores the default signal actions.
  func stop() {
    for number in Self.signals { signal(number, SIG_DFL) }
    hasStopped.withLock { $0 = true }
    var stop: UInt8 = 0
    _ = write(pipe.writing, &stop, 1)
  }

  static func watch(_ number: Int32) {
    signal(number) { number in
      let error = errno
      var byte = UInt8(truncatingIfNeeded: number)
      _ = write(TerminalInput.pipeEnd, &byte, 1)
      errno = error
    }
  }

  /// Waits for the next event; `nil` at the end. Runs on the thread.
  private func next() -> Event? {
    while true {
      var descriptors = [
        pollfd(fd: terminal, events: Int16(POLLIN), revents: 0), pollfd(fd: pipe.reading, events: Int16(POLLIN), revents: 0),
      ]
      let count = poll(&descriptors, 2, isPauseDue.withLock { $0 } ? Self.escapeTimeout : -1)
      if hasStopped.withLock({ $0 }) { return nil }
      if count < 0 { continue }
      if count == 0 {
        isPauseDue.withLock { $0 = false }
        return .pause
      }
      if descriptors[1].revents != 0, let number = read(pipe.reading, 1)?.first { return .signal(Int32(number)) }
      guard descriptors[0].revents != 0 else { continue }
      guard let bytes = read(terminal, 4096), !bytes.isEmpty else {
        hasStopped.withLock { $0 = true }
        return .closed
      }
      isPauseDue.withLock { $0 = true }
      return .bytes(bytes)
    }
  }

  /// `nil` if nothing can be read any more.
  private func read(_ descriptor: Int32, _ limit: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: limit)
    while true {
      let count = Foundation.read(descriptor, &bytes, limit)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      return count < 0 ? nil : Array(bytes.prefix(count))
    }
  }
}
