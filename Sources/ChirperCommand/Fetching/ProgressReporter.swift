import Chirper
import ChirperFormats
import ChirperModel
import ChirperTerminal
import Foundation
import Synchronization

/// Reports on standard error how a fetch is doing: one rewritten line on a terminal, plain lines in a pipe, or nothing.
final class ProgressReporter: Sendable {
  enum Mode: Sendable { case progressLine, plainLines, silent }

  private let mode: Mode
  private let state: Mutex<FetchProgress>
  private let ticker: Task<Void, Never>?
  private let display: ProgressLine

  init(_ mode: Mode, _ query: SearchQuery) {
    self.mode = mode
    state = Mutex(FetchProgress(query))
    let display = ProgressLine()
    self.display = display
    // A tick of its own keeps the line at ten a second however fast events come, and the wait counting down.
    ticker =
      mode == .progressLine
      ? Task {
        while !Task.isCancelled {
          display.draw()
          try? await Task.sleep(for: .milliseconds(100))
        }
      } : nil
  }

  func observe(_ event: FetchEvent) {
    let line = state.withLock { progress in
      let line = progress.apply(event, now: .now, wallClock: Dependencies.live.now())
      display.set(progress)
      return line
    }
    guard let line else { return }
    switch mode {
    case .silent: break
    case .plainLines: Console.line(line.text)
    case .progressLine:
      guard line.isLasting else { return }
      display.above(line.text)
    }
  }

  /// Takes the progress line away.
  func finish() {
    ticker?.cancel()
    if mode == .progressLine { display.close() }
  }
}

/// The line that is rewritten, and the lines above it.
private final class ProgressLine: Sendable {
  private struct Line {
    var progress: FetchProgress?
    var shown = ""
    var isClosed = false
  }

  private let line = Mutex(Line())

  func set(_ progress: FetchProgress) {
    line.withLock { $0.progress = progress }
  }

  func draw() {
    line.withLock { line in
      guard !line.isClosed, let text = line.progress?.text(now: .now), text != line.shown else { return }
      let width = TerminalDevice.width(of: STDERR_FILENO)
      Console.write("\r\u{1B}[K" + CellText.cut(TerminalText.escaped(text), columns: width - 1).text)
      line.shown = text
    }
  }

  func above(_ text: String) {
    line.withLock { line in
      Console.write((line.shown.isEmpty ? "" : "\r\u{1B}[K") + TerminalText.escaped(text) + "\n")
      line.shown = ""
    }
  }

  func close() {
    line.withLock { line in
      if !line.shown.isEmpty { Console.write("\r\u{1B}[K") }
      line.isClosed = true
    }
  }
}
