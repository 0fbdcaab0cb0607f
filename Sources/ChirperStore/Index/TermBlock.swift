/// Terms of a segment that follow each other, with their recordings, as one row of the store: most terms have one recording,
/// and a row for each would take longer to insert than all that is computed for it (decision 0030).
struct TermBlock {
  /// The first of the terms.
  private(set) var first: [UInt8] = []
  /// As the column `terms` has them.
  private(set) var bytes: [UInt8] = []

  /// In bytes. Four blocks of this size are a page of the file; SQLite puts the end of a longer one on a page of its own.
  private static let room = 970

  /// Appends the next term and its rows; `false`, and nothing appended, if that is more than a block has room for. The first
  /// always has room.
  mutating func append(_ term: [UInt8], _ rows: ArraySlice<UInt16>, span: Int) -> Bool {
    let start = bytes.count
    if start == 0 { first = term }
    bytes.append(UInt8(term.count))
    bytes += term
    let place = bytes.count
    bytes += [0, 0]
    Bitmap.append(rows, span: span, to: &bytes)
    let count = UInt16(bytes.count - place - 2)
    (bytes[place], bytes[place + 1]) = (UInt8(count & 0xFF), UInt8(count >> 8))
    guard start == 0 || first.count + bytes.count <= Self.room else {
      bytes.removeLast(bytes.count - start)
      return false
    }
    return true
  }

  /// Calls `body` with each term of a stored block and its recordings, until it returns `false`; fails for bytes of a damaged
  /// file.
  static func forEachTerm(
    in bytes: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) throws -> Bool
  ) throws {
    var at = 0
    func next(_ count: Int) throws -> UnsafeBufferPointer<UInt8> {
      guard count <= bytes.count - at else { throw Bitmap.damaged }
      defer { at += count }
      return UnsafeBufferPointer(rebasing: bytes[at..<(at + count)])
    }
    while at < bytes.count {
      let term = try next(Int(next(1)[0]))
      let count = try next(2)
      guard try body(term, next(Int(count[0]) | Int(count[1]) << 8)) else { return }
    }
  }
}
