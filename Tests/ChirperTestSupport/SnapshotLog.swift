import Chirper
import ChirperModel
import Testing

/// A screen that shows every snapshot it is handed, and remembers them.
public final class SnapshotLog: Sendable {
  private let seen = Locked<(all: [ListSnapshot], hasEnded: Bool)>(([], false))
  private let task = Locked<Task<Void, Never>?>(nil)

  public init(_ snapshots: ListSnapshot.Updates) {
    let seen = seen
    let task = Task {
      for await snapshot in snapshots { seen.withLock { $0.all.append(snapshot) } }
      seen.withLock { $0.hasEnded = true }
    }
    self.task.withLock { $0 = task }
  }

  public var all: [ListSnapshot] { seen.withLock(\.all) }
  public var last: ListSnapshot? { all.last }
  /// Whether the loop over the snapshots has ended.
  public var hasEnded: Bool { seen.withLock(\.hasEnded) }

  /// Leaves the screen; returns when the loop has ended.
  public func leave() async {
    let task = task.withLock(\.self)
    task?.cancel()
    await task?.value
  }

  /// Waits for a snapshot like that.
  @discardableResult
  package func first(where isWanted: (ListSnapshot) -> Bool) async throws -> ListSnapshot? {
    try await eventually { all.contains(where: isWanted) }
    return all.first(where: isWanted)
  }
}

extension ListSnapshot {
  /// The ids of its rows.
  public var ids: [String] { rows.map(\.id.value) }
}
