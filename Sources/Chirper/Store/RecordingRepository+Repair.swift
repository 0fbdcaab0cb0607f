#if Collection

import ChirperStore
import Foundation

/// The health of a store.
public typealias Diagnosis = ChirperStore.Diagnosis
/// The result of a repair.
package typealias Repair = ChirperStore.Repair

extension RecordingRepository {
  /// Checks the whole file, which takes about ten seconds for a million recordings, and
  /// longer if they must be read from a disk.
  ///
  /// Others read meanwhile, and write between two checks. The longest check is SQLite's
  /// own, about four of the ten seconds. It cannot be divided, because it compares all
  /// parts of the file. With the rollback journal, writing waits for it, and while
  /// something waits, a screen has placeholders for the rows that it has not read yet.
  public func diagnosis() async throws(StoreError) -> Diagnosis {
    try await perform { store throws(StoreError) in try store.diagnosis() }
  }

  /// Does what the `async` call of that name describes.
  package func diagnosis() throws(StoreError) -> Diagnosis {
    try store.diagnosis(of: directory)
  }

  /// Copies the readable part of a damaged store into a new one, and keeps the damaged file
  /// next to it. No repository may be open on the directory.
  ///
  /// - Returns: `nil` if the file does not exist.
  package static func repair(directory: URL, dependencies: Dependencies = .live)
    throws(StoreError)
    -> Repair?
  {
    try StoreRepair(directory: directory, now: dependencies.now()).run()
  }
}

#endif
