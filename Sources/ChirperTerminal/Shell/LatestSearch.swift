import Dispatch

/// A search that runs outside the loop while its text is being typed, or the read of the rows that it found: a new one cancels
/// the one before.
///
/// Searches run one after the other on a thread of their own, so no key waits for one, however slow the disk is. Each has a
/// number, which its answers carry: an answer of an earlier search is late and must be ignored.
struct LatestSearch: Sendable {
  /// The number of the latest search.
  private(set) var number = 0
  private var task: Task<Void, Never>?
  private let executor = QueueExecutor("chirper.search")

  init() {}

  /// Cancels the search before and starts another. A search that was cancelled before it began is skipped.
  ///
  /// - Parameter body: gets the search's number; it must stop soon after its task is cancelled.
  mutating func start(_ body: @escaping @Sendable (_ number: Int) -> Void) {
    cancel()
    task = Task(executorPreference: executor) { [number] in
      if !Task.isCancelled { body(number) }
    }
  }

  /// Cancels the search; its answers are late from now on.
  mutating func cancel() {
    number += 1
    task?.cancel()
    task = nil
  }
}

/// A thread of its own for tasks, which run one after the other: the shared threads are as few as the processor's cores, and
/// reads that wait for the disk or for another process may hold all of them up.
final class QueueExecutor: TaskExecutor, SerialExecutor {
  private let queue: DispatchQueue

  init(_ name: String) {
    queue = DispatchQueue(label: name, qos: .userInteractive)
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { [self] in
      job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
    }
  }
}
