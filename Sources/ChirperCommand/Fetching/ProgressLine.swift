import ChirperFormats
import ChirperPlatform
import Foundation

/// A line on standard error that is rewritten at most ten times a second, and lines that stay above it.
final class ProgressLine: Sendable {
  private struct Line {
    var text: (@Sendable () -> String)?
    var shown = ""
    var isClosed = false
  }

  private let line = Locked(Line())
  private let ticker = Locked<Task<Void, Never>?>(nil)

  /// - Parameter isShown: if `false`, the line is never drawn.
  init(isShown: Bool = true) {
    guard isShown else { return }
    // A tick of its own keeps the line at ten a second however fast events come, and a wait counting down.
    let task = Task { [weak self] in
      while !Task.isCancelled {
        self?.draw()
        try? await Task.sleep(for: .milliseconds(100))
      }
    }
    ticker.withLock { $0 = task }
  }

  /// Shows this text from the next tick on; it is made anew at each tick.
  func show(_ text: @escaping @Sendable () -> String) {
    line.withLock { $0.text = text }
  }

  /// Prints a line that stays.
  func above(_ text: String) {
    line.withLock { line in
      Console.write((line.shown.isEmpty ? "" : "\r\u{1B}[K") + TerminalText.escaped(text) + "\n")
      line.shown = ""
    }
  }

  /// Removes the line.
  func close() {
    ticker.withLock { $0?.cancel() }
    line.withLock { line in
      if !line.shown.isEmpty { Console.write("\r\u{1B}[K") }
      line.shown = ""
      line.isClosed = true
    }
  }

  private func draw() {
    line.withLock { line in
      guard !line.isClosed, let text = line.text?(), text != line.shown else { return }
      let width = TerminalDevice.width(of: STDERR_FILENO)
      Console.write("\r\u{1B}[K" + CellText.cut(TerminalText.escaped(text), columns: width - 1).text)
      line.shown = text
    }
  }
}

/// A line on a terminal that shows how far work on stored rows is, once it has taken half a second.
struct WorkProgress {
  private let line: ProgressLine
  private let start = ContinuousClock.now

  init(isShown: Bool = TerminalDevice.canRewriteError) {
    line = ProgressLine(isShown: isShown)
  }

  func report(_ text: @escaping @Sendable () -> String) {
    guard ContinuousClock.now - start > .milliseconds(500) else { return }
    line.show(text)
  }

  /// Takes the line away.
  func finish() {
    line.close()
  }
}
