import ChirperModel

/// Finds where in a recording's JSON each wanted column lies.
///
/// Recordings of a catalogue mostly send their fields in one order, so the name at a position is first compared with
/// the one seen there before; only a miss is looked up.
struct ColumnLocator {
  /// By column: where its value lies in the object, empty where it was not sent.
  private(set) var ranges: [Range<Int>]
  private let columns: [String: Int]
  private var expected: [(name: [UInt8], column: Int?)] = []

  /// Columns by their names, each at most once.
  init(_ names: [String]) {
    ranges = Array(repeating: 0..<0, count: names.count)
    // Canonical JSON has names as `quoted` writes them, so both sides are compared escaped.
    columns = Dictionary(
      names.enumerated().map { (String(JSONText.quoted($1).dropFirst().dropLast()), $0) }, uniquingKeysWith: { first, _ in first }
    )
  }

  mutating func locate(in object: UnsafeBufferPointer<UInt8>) {
    for index in ranges.indices { ranges[index] = 0..<0 }
    var position = 0
    JSONText.forEachMember(of: object) { name, value in
      let column = column(of: UnsafeBufferPointer(rebasing: name), at: position)
      if let column { ranges[column] = value.startIndex..<value.endIndex }
      position += 1
    }
  }

  private mutating func column(of name: UnsafeBufferPointer<UInt8>, at position: Int) -> Int? {
    if position < expected.count, expected[position].name.elementsEqual(name) { return expected[position].column }
    let column = columns[String(decoding: name, as: UTF8.self)]
    if position < expected.count {
      expected[position] = (Array(name), column)
    } else if position == expected.count, position < 200 {
      expected.append((Array(name), column))
    }
    return column
  }
}
