import ChirperFormats
import ChirperModel
import Foundation

/// A line on standard error that is rewritten at most ten times a second, and lines that stay above
/// it.
final class ProgressLine: Sendable {
  private struct Line {
    var text: (@Sendable () -> String)?
    var shown = ""
    var isClosed = false
    var ticker: Task<Void, Never>?
  }

  private let line = Locked(Line())

  /// - Parameter delay: the time before the line is shown. Work that takes less has no
  ///   line.
  init(isShown: Bool, after delay: Duration = .zero) {
    guard isShown else { return }
    // A tick of its own keeps the line at ten a second however fast events come, and a wait
    // counting down.
    let task = Task { [weak self] in
      try? await Task.sleep(for: delay)
      while !Task.isCancelled {
        self?.draw()
        try? await Task.sleep(for: .milliseconds(100))
      }
    }
    line.withLock { $0.ticker = task }
  }

  /// Shows this text from the next tick on; it is made anew at each tick.
  func show(_ text: @escaping @Sendable () -> String) {
    line.withLock { $0.text = text }
  }

  func above(_ text: String) {
    line.withLock { line in
      Console.write((line.shown.isEmpty ? "" : "\r\u{1B}[K") + TerminalText.escaped(text) + "\n")
      line.shown = ""
    }
  }

  func close() {
    line.withLock { line in
      line.ticker?.cancel()
      if !line.shown.isEmpty { Console.write("\r\u{1B}[K") }
      line.shown = ""
      line.isClosed = true
    }
  }

  private func draw() {
    line.withLock { line in
      guard !line.isClosed, let text = line.text?(), text != line.shown else { return }
      let width = TerminalDevice.width(of: STDERR_FILENO)
      Console.write(
        "\r\u{1B}[K" + CellText.cut(TerminalText.escaped(text), columns: width - 1).text)
      line.shown = text
    }
  }
}
