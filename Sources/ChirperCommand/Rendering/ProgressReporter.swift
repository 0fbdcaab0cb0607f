import Chirper
import ChirperModel
import ChirperTerminal
import Foundation
import Synchronization

/// Tells on standard error how a fetch goes: one rewritten line on a terminal, plain lines in a pipe, or nothing.
final class ProgressReporter: Sendable {
  enum Manner: Sendable { case progressLine, plainLines, silent }

  private let manner: Manner
  private let state: Mutex<FetchProgress>
  private let ticker: Task<Void, Never>?
  private let board: ProgressBoard

  init(_ manner: Manner, label: String) {
    self.manner = manner
    state = Mutex(FetchProgress(label: label))
    let board = ProgressBoard()
    self.board = board
    // A tick of its own keeps the line at ten a second however fast events come, and the wait counting down.
    ticker =
      manner == .progressLine
      ? Task {
        while !Task.isCancelled {
          board.draw()
          try? await Task.sleep(for: .milliseconds(100))
        }
      } : nil
  }

  func observe(_ event: FetchEvent) {
    let told = state.withLock { progress in
      let told = progress.take(event, now: .now, wallClock: Dependencies.live.now())
      board.set(progress)
      return told
    }
    guard let told else { return }
    switch manner {
    case .silent: break
    case .plainLines: Console.line(told.line)
    case .progressLine:
      guard told.isLasting else { return }
      board.above(told.line)
    }
  }

  /// Takes the progress line away.
  func finish() {
    ticker?.cancel()
    if manner == .progressLine { board.close() }
  }
}

/// The one line that is rewritten, and what stands above it.
private final class ProgressBoard: Sendable {
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
      Console.write("\r\u{1B}[K" + CellText.cut(TerminalText.visible(text), columns: width - 1).text)
      line.shown = text
    }
  }

  func above(_ text: String) {
    line.withLock { line in
      Console.write((line.shown.isEmpty ? "" : "\r\u{1B}[K") + TerminalText.visible(text) + "\n")
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
