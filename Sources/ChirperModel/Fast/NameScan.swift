/// Finds members of an object by their names, in one pass over its JSON: details are computed for every row of a list, and a
/// search for each of the thirty names would read the record thirty times.
package struct NameScan: Sendable {
  /// By hashes: with a `String` of each name of a record, `export --tidy` takes 10 % more instructions.
  private let indices: [UInt64: Int]

  /// Looks for these names, which are all different.
  package init(_ wanted: [String]) {
    indices = Dictionary(uniqueKeysWithValues: wanted.enumerated().map { (ByteScan.hash(of: $1), $0) })
  }

  /// Calls `body` with the index of each name that was sent and its value, valid only inside of `body`, in the order sent.
  package func forEach(in fields: RecordingFields, _ body: (Int, RawValue) -> Void) {
    fields.bytes.withUnsafeBufferPointer { forEach(in: RawValue(json: $0), body) }
  }

  /// Calls `body` with the index and the value of each name that is a member of the object.
  package func forEach(in object: RawValue, _ body: (Int, RawValue) -> Void) {
    guard object.isObject else { return }
    JSONText.forEachMember(of: object.json) { name, value in
      guard let index = indices[ByteScan.hash(UnsafeBufferPointer(rebasing: name))] else { return }
      body(index, RawValue(json: UnsafeBufferPointer(rebasing: value)))
    }
  }
}
