import Chirper
import ChirperModel
import ChirperPlatform
import Foundation

/// Reports on standard error how a fetch is doing: one rewritten line on a terminal, plain lines in a pipe, or nothing.
final class ProgressReporter: Sendable {
  enum Mode: Sendable { case progressLine, plainLines, silent }

  private let mode: Mode
  private let state: Locked<FetchProgress>
  private let display: ProgressLine

  init(_ mode: Mode, _ query: CatalogueQuery, in catalogue: Catalogue?) {
    self.mode = mode
    state = Locked(FetchProgress(query, in: catalogue))
    display = ProgressLine(isShown: mode == .progressLine)
  }

  func observe(_ event: FetchEvent) {
    let line = state.withLock { progress in
      let line = progress.apply(event, now: .now, wallClock: Dependencies.live.now())
      display.show { [progress] in progress.text(now: .now) }
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
    display.close()
  }
}
