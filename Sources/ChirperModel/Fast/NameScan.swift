/// Finds members of a record by their names in one pass: a search for each of thirty names would read it thirty times.
package struct NameScan: Sendable {
  /// By hashes: with a `String` of each name of a record, `export --tidy` takes 10 % more instructions.
  private let indices: [UInt64: Int]

  /// Looks for these names, which are all different.
  package init(_ wanted: [String]) {
    let hashes = wanted.map { ByteScan.hash(of: Array($0.utf8), 0..<$0.utf8.count) }
    indices = Dictionary(uniqueKeysWithValues: zip(hashes, wanted.indices))
  }

  /// Calls `body` with the index of each name that was sent and its value, valid only inside of `body`, in the order sent.
  package func forEach(in fields: RecordingFields, _ body: (Int, RawValue) -> Void) {
    fields.forEach { name, value in
      guard let index = indices[ByteScan.hash(name)] else { return }
      body(index, RawValue(json: UnsafeBufferPointer(rebasing: value)))
    }
  }
}
