// Unsafe memory: rows are lent where SQLite has them.

#if Collection

import ChirperModel
import ChirperStore

extension ListReader {
  /// Calls `body` with the fields of each row as the store keeps them, for an export of raw
  /// fields. They are valid only during the call. `body` must not wait for anything,
  /// because a read lock is held meanwhile.
  package func forEachRow(_ range: Range<Int>, _ body: (UnsafeBufferPointer<UInt8>) -> Void)
    throws(StoreError)
  {
    try store.forEachRow(keys.within(range), body)
  }
}

#endif
