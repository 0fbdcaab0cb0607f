import ChirperModel
import Foundation

/// Lets one process at a time walk a query. The system releases it when its holder ends, in
/// whatever way.
package final class WalkLock: Sendable {
  private let release: @Sendable () -> Void
  private static let inMemory = Locked<Set<String>>([])

  private init(release: @escaping @Sendable () -> Void) {
    self.release = release
  }

  deinit { release() }

  /// Acquires the lock of a query; `nil` if a different process, or a different run in this
  /// one, holds it.
  package static func acquire(_ query: CatalogueQuery, in store: RecordingStore) throws(StoreError)
    -> WalkLock?
  {
    let name = fileName(of: query)
    guard store.path != RecordingStore.memoryPath else {
      let key = "\(ObjectIdentifier(store.queue)) \(name)"
      guard inMemory.withLock({ $0.insert(key).inserted }) else { return nil }
      return WalkLock { _ = inMemory.withLock { $0.remove(key) } }
    }
    let folder = folder(of: store).path
    _ = OpenFolder(folder.folderOfPath)?.makeFolder("locks")
    let path = folder + "/" + name
    var file = OpenFolder(folder)?.openOrCreate(name) ?? -1
    // To lock a file it is enough that it can be read.
    if file < 0, errno == EACCES { file = open(path, O_RDONLY | O_CLOEXEC) }
    guard file >= 0 else {
      switch errno {
      case EACCES where access(store.path, W_OK) == 0:
        if LockHolder.description(ofLockOn: path) != nil { return nil }
        let request = (FileOwner(path) ?? FileOwner(folder))?.request(toShare: folder)
        throw StoreError(
          .cannotOpen(path: path, detail: request ?? String(cString: strerror(EACCES))))
      // The lock, or the folder of all locks, could not be created.
      case ENOENT where access(store.path, W_OK) != 0, EROFS, EACCES, EPERM:
        throw .unwritable(store.path)
      case ENOSPC, EDQUOT: throw StoreError(.diskFull(path: folder))
      case let code:
        throw StoreError(.cannotOpen(path: folder, detail: String(cString: strerror(code))))
      }
    }
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
      close(file)
      return nil
    }
    return WalkLock { [file] in close(file) }
  }

  /// The process that holds the lock of a query: `process 4711 (chirper sync)`; `nil` if it is not
  /// known.
  package static func holder(of query: CatalogueQuery, in store: RecordingStore) -> String? {
    LockHolder.description(
      ofLockOn: folder(of: store).appendingPathComponent(fileName(of: query)).path)
  }

  private static func folder(of store: RecordingStore) -> URL {
    URL(fileURLWithPath: store.path).deletingLastPathComponent().appendingPathComponent("locks")
  }

  /// FNV-1a of catalogue, page size and text: the same in every process, and a valid file name for
  /// any text.
  private static func fileName(of query: CatalogueQuery) -> String {
    let hash = StableHash.fnv1a(
      "\(query.catalogue.rawValue)\u{0}\(query.pageSize)\u{0}\(query.identity)")
    return String(hash, radix: 16) + ".lock"
  }
}
