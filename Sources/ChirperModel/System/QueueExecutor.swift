import Dispatch

/// A thread of its own for tasks, which run one after the other.
///
/// Tasks that wait for the disk, a lock or a different thread run on one. Swift's shared
/// threads are as few as the processor's cores, and such waits could hold all of them up.
package final class QueueExecutor: TaskExecutor, SerialExecutor {
  /// A serial queue. The system gives each such queue a thread when it needs one, however
  /// many of them wait.
  private let queue: DispatchQueue

  /// - Parameter name: the thread's, for debuggers.
  package init(_ name: String) {
    queue = DispatchQueue(label: name)
  }

  /// Runs a piece of a task, with the task's priority.
  package func enqueue(_ job: consuming ExecutorJob) {
    let quality = Self.quality(of: job.priority)
    let job = UnownedJob(job)
    queue.async(qos: quality, flags: .enforceQoS) { [self] in
      job.runSynchronously(
        isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
    }
  }

  /// The quality of service of a task's priority, by which the system chooses among threads.
  private static func quality(of priority: JobPriority) -> DispatchQoS {
    switch priority.rawValue {
    case ...TaskPriority.background.rawValue: .background
    case ...TaskPriority.utility.rawValue: .utility
    case ..<TaskPriority.high.rawValue: .default
    case TaskPriority.high.rawValue: .userInitiated
    default: .userInteractive
    }
  }
}
