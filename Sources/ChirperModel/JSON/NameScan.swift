// Unsafe memory: records are read in place.

/// Finds members of a record by their names in one pass: a search for each of thirty names would
/// read it thirty times.
package struct NameScan: Sendable {
  /// The hashes of the names, in ascending order, and the index of each.
  private let hashes: [ByteScan.Hash]
  private let indices: [Int]

  /// Looks for these names; of equal ones the first counts.
  package init(_ wanted: [String]) {
    let all = wanted.map { ByteScan.hash(of: $0) }
    indices = all.indices.sorted { (all[$0], $0) < (all[$1], $1) }
    hashes = indices.map { all[$0] }
  }

  /// The index of the name; `nil` if it is not looked for.
  package func index(of name: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
    let hash = ByteScan.hash(name)
    var start = 0
    var end = hashes.count
    while start < end {
      let middle = (start + end) / 2
      if hashes[middle] < hash { start = middle + 1 } else { end = middle }
    }
    return start < hashes.count && hashes[start] == hash ? indices[start] : nil
  }

  /// Calls `body` with the index of each name that was sent and its value, valid only inside of
  /// `body`, in the order sent.
  package func forEach(in fields: RecordingFields, _ body: (Int, RawValue) -> Void) {
    fields.bytes.withUnsafeBufferPointer { forEach(in: RawValue(json: $0), body) }
  }

  /// Calls `body` with the index of each name that the object has and its value, valid only
  /// inside of `body`.
  package func forEach(in object: RawValue, _ body: (Int, RawValue) -> Void) {
    guard object.isObject else { return }
    JSONText.forEachMember(of: object.json) { name, value in
      guard let index = index(of: name) else { return }
      body(index, RawValue(json: UnsafeBufferPointer(rebasing: value)))
    }
  }
}
