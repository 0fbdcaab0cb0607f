/// Finds members of an object by their names, in one pass over its JSON: details are computed for every row of a list, and a
/// search for each of the thirty names would read the record thirty times.
package struct NameScan: Sendable {
  private let heads: [UInt64]
  private let names: [[UInt8]]
  /// A hash table of the names by their heads: the index of each plus one, in its own place or, if that is taken, in the
  /// next free one; 0 in the others, of which there are always some.
  private let places: [Int]

  /// Looks for these names, which are fewer than 256.
  package init(_ wanted: [String]) {
    names = wanted.map { Array($0.utf8) }
    heads = names.map { $0.withUnsafeBufferPointer { Self.head($0) } }
    var places = Array(repeating: 0, count: 256)
    for (index, head) in heads.enumerated() {
      var place = Self.place(of: head)
      while places[place] > 0 { place = (place + 1) % places.count }
      places[place] = index + 1
    }
    self.places = places
  }

  /// Calls `body` with the index of each name that was sent, and its value, in the order sent. The value is valid only inside
  /// of `body`.
  package func forEach(in fields: RecordingFields, _ body: (Int, RawValue) -> Void) {
    fields.bytes.withUnsafeBufferPointer { forEach(in: RawValue(json: $0), body) }
  }

  /// Calls `body` with the index and the value of each name that is a member of the object.
  package func forEach(in object: RawValue, _ body: (Int, RawValue) -> Void) {
    guard object.isObject else { return }
    JSONText.forEachMember(of: object.json) { name, value in
      if let index = index(of: UnsafeBufferPointer(rebasing: name)) {
        body(index, RawValue(json: UnsafeBufferPointer(rebasing: value)))
      }
    }
  }

  private func index(of name: UnsafeBufferPointer<UInt8>) -> Int? {
    let head = Self.head(name)
    var place = Self.place(of: head)
    while places[place] > 0 {
      let index = places[place] - 1
      if heads[index] == head, name.count <= Self.headLength || names[index].elementsEqual(name) { return index }
      place = (place + 1) % places.count
    }
    return nil
  }

  private static func place(of head: UInt64) -> Int { Int(truncatingIfNeeded: (head &* 0x9E37_79B9_7F4A_7C15) >> 56) }

  private static var headLength: Int { 7 }

  /// Length and first bytes of a name: all that distinguishes the short ones, which most are.
  private static func head(_ name: UnsafeBufferPointer<UInt8>) -> UInt64 {
    var head = UInt64(truncatingIfNeeded: min(name.count, 0xFF))
    for index in 0..<min(name.count, headLength) { head = head << 8 | UInt64(name[index]) }
    return head
  }
}
