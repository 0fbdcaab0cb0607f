/// The keys of a list's rows, in their order.
package struct ListKeys: Sendable {
  private var keys: [Int64]

  package init(_ keys: some Sequence<Int64> = EmptyCollection<Int64>()) {
    self.keys = Array(keys)
  }

  package var count: Int { keys.count }

  /// Whether both have the same keys in the same order.
  package func isEqual(to other: ListKeys) -> Bool { keys == other.keys }

  package mutating func append(_ key: Int64) { keys.append(key) }

  /// The keys at those positions, from 0, clamped to the end.
  package subscript(range: Range<Int>) -> [Int64] {
    Array(keys[range.clamped(to: keys.indices)])
  }
}
