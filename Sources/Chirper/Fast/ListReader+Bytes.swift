import ChirperModel
import ChirperStore

extension ListReader {
  /// What `rows` reads, for an export of raw fields: calls `body` with the fields of each row as the store keeps them, only for
  /// the call. `body` must not wait for anything, because a read lock is held meanwhile. `RecordingStore.forEachRow` says what it
  /// saves.
  package func forEachRow(_ range: Range<Int>, _ body: (UnsafeBufferPointer<UInt8>) -> Void) throws(StoreError) {
    try store.forEachRow(keys[range], body)
  }
}
