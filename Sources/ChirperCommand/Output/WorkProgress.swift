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
