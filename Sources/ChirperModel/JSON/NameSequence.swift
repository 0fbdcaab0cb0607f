/// The names of an object's members, which are different, in their order: most records of a catalogue have the same, so to
/// compare names with those of the record before is all that is done to read most of them.
package struct NameSequence {
  /// Each name in its quotes and with its colon, in canonical form, one after the other.
  private var bytes: [UInt8] = []
  private var ends: [Int] = []
  /// Of each name and those before it.
  private var hashes: [UInt64] = []
  /// The first `setCount` names.
  private var set = NameSet()
  private var setCount = 0

  /// No names.
  init() {}

  /// The names of those fields.
  package init(of fields: RecordingFields) {
    fields.forEach { name, _ in _ = append(UnsafeBufferPointer(rebasing: name)) }
  }

  /// A hash of all names in their order; its seed differs in every process.
  package var hash: UInt64 { hashes.last ?? 0 }

  private func range(_ number: Int) -> Range<Int> { (number == 0 ? 0 : ends[number - 1])..<ends[number] }

  /// How many bytes it is from `place` to the value, where the name of that number is there, in canonical form.
  func length(ofName number: Int, at place: Int, in text: UnsafeBufferPointer<UInt8>) -> Int? {
    guard number < ends.count else { return nil }
    let range = range(number)
    guard place + range.count <= text.count else { return nil }
    let isThere = bytes.withUnsafeBufferPointer {
      ByteScan.areEqual(
        UnsafeBufferPointer(rebasing: $0[range]), UnsafeBufferPointer(rebasing: text[place..<(place + range.count)]))
    }
    return isThere ? range.count : nil
  }

  /// Whether a canonical object has members of these names in this order, and no others.
  func isEqual(in object: UnsafeBufferPointer<UInt8>) -> Bool {
    var at = 1
    for number in ends.indices {
      guard let length = length(ofName: number, at: at, in: object) else { return false }
      at = JSONText.valueEnd(object, from: at + length) + 1
    }
    return at == object.count
  }

  /// Removes that name and those after it.
  mutating func removeNames(from number: Int) {
    guard number < ends.count else { return }
    bytes.removeLast(bytes.count - range(number).lowerBound)
    ends.removeLast(ends.count - number)
    hashes.removeLast(hashes.count - number)
    (set, setCount) = (NameSet(), 0)
  }

  /// Appends a canonical name, given without its quotes; `false`, and nothing appended, if it is there already.
  mutating func append(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    while setCount < ends.count {
      let earlier = range(setCount)
      _ = bytes[(earlier.lowerBound + 1)..<(earlier.upperBound - 2)].withUnsafeBufferPointer { set.insert($0) }
      setCount += 1
    }
    guard set.insert(name) else { return false }
    setCount += 1
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: name)
    bytes.append(contentsOf: [UInt8(ascii: "\""), UInt8(ascii: ":")])
    ends.append(bytes.count)
    hashes.append(hash &* 0x9E37_79B9_7F4A_7C15 ^ ByteScan.hash(name))
    return true
  }
}

/// The names of one object, to find duplicates: a list for the few names that records have, a set for more.
struct NameSet {
  private var few: [UInt64] = []
  private var many: Set<UInt64> = []

  mutating func insert(_ name: String) -> Bool {
    var name = name
    return name.withUTF8 { insert($0) }
  }

  mutating func insert(_ name: UnsafeBufferPointer<UInt8>) -> Bool { insert(ByteScan.hash(name)) }

  /// Names are compared by a 64-bit hash with a random seed; two names with one hash are as likely as a bad memory cell.
  private mutating func insert(_ hash: UInt64) -> Bool {
    if many.isEmpty {
      if few.contains(hash) { return false }
      if few.isEmpty { few.reserveCapacity(48) }
      few.append(hash)
      if few.count > 64 { many = Set(few) }
      return true
    }
    return many.insert(hash).inserted
  }
}
