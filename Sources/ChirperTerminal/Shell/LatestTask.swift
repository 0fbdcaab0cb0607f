import ChirperModel

/// Work outside the loop of which only the latest counts: a new task cancels the one before, whose
/// answers are then late and ignored.
struct LatestTask: Sendable {
  /// One task's right to answer; its answers carry it.
  final class Turn: Sendable {
    private let isOpen = Locked(true)

    /// Whether no later task was started, and this one was not cancelled.
    var isLatest: Bool { isOpen.withLock(\.self) }

    fileprivate func end() { isOpen.withLock { $0 = false } }
  }

  private(set) var turn = Turn()
  private var task: Task<Void, Never>?
  private let executor: QueueExecutor?

  /// - Parameter executor: runs the tasks one after the other, so that no key waits for one,
  ///   however slow the disk is.
  init(on executor: QueueExecutor? = nil) {
    self.executor = executor
  }

  /// Cancels the task before and starts a new one. A task that was cancelled before it
  /// began is skipped.
  ///
  /// - Parameter body: the work, which must stop soon after its task is cancelled.
  mutating func start(_ body: @escaping @Sendable (Turn) async -> Void) {
    cancel()
    turn = Turn()
    task = Task(executorPreference: executor) { [turn] in
      if !Task.isCancelled { await body(turn) }
    }
  }

  /// Cancels the task; its answers are late from now on.
  func cancel() {
    turn.end()
    task?.cancel()
  }

  func end() async { await task?.value }
}
