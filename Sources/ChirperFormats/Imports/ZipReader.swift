import Foundation
import ZLibrary

/// A zip file by its directory, with the entries as streams; zip64 too. Nothing is unpacked onto
/// the disk.
struct ZipReader: Sendable {
  struct Entry: Sendable {
    var isEncrypted = false
    var method = 0
    var checksum: UInt = 0
    var compressed: Int64 = 0
    var size: Int64 = 0
    /// The position of the entry's own header.
    var offset: Int64 = 0
  }

  let file: ReadableFile
  private(set) var entries: [String: Entry] = [:]

  /// The most entries of a file, and the most bytes of its directory. A download of GBIF has an
  /// entry for each dataset.
  private static let (mostEntries, mostBytes) = (100_000, Int64(16 << 20))

  /// The most bytes that a compressed one becomes. Downloads have some 10, rows that are all alike
  /// some 200. Small entries may have more.
  private static let (mostRatio, unsuspicious) = (Int64(500), Int64(1 << 17))

  /// The most bytes of an entry, far more than a disk has and far fewer than overflow in a sum.
  private static let mostSize = Int64(1) << 50

  static func isZip(_ start: [UInt8]) -> Bool {
    start.starts(with: [0x50, 0x4B, 0x03, 0x04]) || start.starts(with: [0x50, 0x4B, 0x05, 0x06])
  }

  /// Reads the directory at the end of the file.
  init(_ file: ReadableFile) throws(UserFacingError) {
    self.file = file
    // The end record has 22 bytes and a comment of at most 65,535.
    let tail = try file.bytes(at: max(0, file.size - 65_557), count: 65_557)
    let start = (0...max(0, tail.count - 22)).reversed().first { at in
      at + 22 <= tail.count && number(tail, at, 4) == 0x0605_4B50
        && at + 22 + Int(number(tail, at + 20, 2)) <= tail.count
    }
    guard let start else { throw fault("it has no directory at its end: a part is missing") }
    var count = number(tail, start + 10, 2)
    var bytes = number(tail, start + 12, 4)
    var offset = number(tail, start + 16, 4)
    let end = max(0, file.size - 65_557) + Int64(start)
    if count == 0xFFFF || bytes == 0xFFFF_FFFF || offset == 0xFFFF_FFFF, end >= 20 {
      let locator = try file.bytes(at: end - 20, count: 20)
      if number(locator, 0, 4) == 0x0706_4B50 {
        let record = try file.bytes(at: number(locator, 8, 8), count: 56)
        guard record.count == 56, number(record, 0, 4) == 0x0606_4B50 else {
          throw fault("its zip64 directory is damaged")
        }
        count = number(record, 32, 8)
        bytes = number(record, 40, 8)
        offset = number(record, 48, 8)
      }
    }
    guard (0...Int64(Self.mostEntries)).contains(count), (0...Self.mostBytes).contains(bytes) else {
      throw fault("it has more than \(Self.mostEntries) entries")
    }
    try readDirectory(file.bytes(at: offset, count: Int(bytes)), count: Int(count))
  }

  private mutating func readDirectory(_ bytes: [UInt8], count: Int) throws(UserFacingError) {
    var at = 0
    for _ in 0..<count {
      guard at + 46 <= bytes.count, number(bytes, at, 4) == 0x0201_4B50 else {
        throw fault("its directory is damaged")
      }
      let lengths = [28, 30, 32].map { Int(number(bytes, at + $0, 2)) }
      let name = at + 46
      let extra = at + 46 + lengths[0]
      let next = extra + lengths[1] + lengths[2]
      guard next <= bytes.count else { throw fault("its directory is damaged") }
      var entry = Entry()
      entry.isEncrypted = number(bytes, at + 8, 2) & 1 == 1
      entry.method = Int(number(bytes, at + 10, 2))
      entry.checksum = UInt(number(bytes, at + 16, 4))
      entry.compressed = number(bytes, at + 20, 4)
      entry.size = number(bytes, at + 24, 4)
      entry.offset = number(bytes, at + 42, 4)
      readZip64(bytes[extra..<(extra + lengths[1])], into: &entry)
      guard (0...file.size).contains(entry.compressed), (0...file.size).contains(entry.offset),
        (0...Self.mostSize).contains(entry.size)
      else { throw fault("its directory is damaged") }
      entries[String(decoding: bytes[name..<extra], as: UTF8.self)] = entry
      at = next
    }
  }

  /// Reads the sizes and the offset that do not fit into 32 bits.
  private func readZip64(_ extra: ArraySlice<UInt8>, into entry: inout Entry) {
    let bytes = Array(extra)
    var at = 0
    while at + 4 <= bytes.count {
      let tag = number(bytes, at, 2)
      let length = Int(number(bytes, at + 2, 2))
      var field = at + 4
      let end = min(field + length, bytes.count)
      at = field + length
      guard tag == 1 else { continue }
      func next(_ value: inout Int64) {
        guard value == 0xFFFF_FFFF, field + 8 <= end else { return }
        value = number(bytes, field, 8)
        field += 8
      }
      next(&entry.size)
      next(&entry.compressed)
      next(&entry.offset)
    }
  }

  /// A function that returns the next piece of an entry's content, empty at its end. It throws if
  /// the content is not as the directory says.
  func pieces(of name: String) throws(UserFacingError) -> () throws -> [UInt8] {
    guard let entry = entries[name] else { throw fault("\(name) is not in it") }
    guard !entry.isEncrypted else { throw fault("\(name) is encrypted") }
    guard [0, 8].contains(entry.method) else {
      throw fault("\(name) is compressed by the method \(entry.method)")
    }
    guard entry.size / Self.mostRatio <= max(Self.unsuspicious, entry.compressed) else {
      throw fault("\(name) is compressed to less than a \(Self.mostRatio)th, as no table is")
    }
    let header = try file.bytes(at: entry.offset, count: 30)
    guard header.count == 30, number(header, 0, 4) == 0x0403_4B50 else {
      throw fault("\(name) is not where the directory says")
    }
    let start = entry.offset + 30 + number(header, 26, 2) + number(header, 28, 2)
    let stored = file.pieces(at: start, count: entry.compressed)
    guard let stream = InflateStream() else { throw fault("zlib cannot begin") }
    var input = [UInt8]()
    var used = Int64(0)
    var read = Int64(0)
    var checksum = UInt(0)
    return { [self] in
      let piece =
        entry.method == 0
        ? try stored()
        : try stream.next(&input) {
          let more = try stored()
          used += Int64(more.count)
          return more
        }
      guard let piece else { throw fault("\(name) is damaged") }
      read += Int64(piece.count)
      checksum = crc32_z(checksum, piece, piece.count)
      // The directory can say that an entry has more compressed bytes than it has.
      guard piece.isEmpty ? read == entry.size && checksum == entry.checksum : read <= entry.size,
        entry.method == 0 || read / Self.mostRatio <= max(Self.unsuspicious, used)
      else { throw fault("\(name) is damaged") }
      return piece
    }
  }

  private func fault(_ problem: String) -> UserFacingError {
    .badArchive(file.name, "this zip file cannot be read: \(problem)")
  }
}

extension UserFacingError {
  /// An archive that was cut or changed.
  static func badArchive(_ name: String, _ problem: String) -> UserFacingError {
    UserFacingError(
      .damaged, kind: "bad-archive", subject: name, problem: problem,
      hint: "Download it again, or ask whoever made it.")
  }

  /// A file that is not one of those that can be imported.
  static func notImportable(_ name: String, _ problem: String, hint: String) -> UserFacingError {
    UserFacingError(.usage, kind: "not-importable", subject: name, problem: problem, hint: hint)
  }
}

/// The little-endian number at a position; 0 if it is not there.
private func number(_ bytes: [UInt8], _ at: Int, _ count: Int) -> Int64 {
  guard at >= 0, at + count <= bytes.count else { return 0 }
  return (0..<count).reduce(0) { $0 | Int64(bytes[at + $1]) << (8 * Int64($1)) }
}
