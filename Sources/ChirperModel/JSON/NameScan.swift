// Unsafe memory: records are read in place.

/// Finds members of a record by their names in one pass: a search for each of thirty names would
/// read it thirty times.
package struct NameScan: Sendable {
  /// The index of each name, by its hash.
  private let indices: [ByteScan.Hash: Int]

  /// Looks for these names; of equal ones the first counts.
  package init(_ wanted: [String]) {
    let hashes = wanted.enumerated().map { (ByteScan.hash(of: $1), $0) }
    indices = Dictionary(hashes) { first, _ in first }
  }

  /// The index of the name; `nil` if it is not looked for.
  package func index(of name: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
    indices[ByteScan.hash(name)]
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
