import Foundation
import ZLibrary

/// Writes a zip file from its beginning to its end, so that it can go to a pipe; zlib
/// compresses (docs/decisions/0022).
///
/// The bytes written to `buffer` within `add` are the content of an entry.
/// Memory does not grow with the size. An entry, and the whole file, may have 4 GiB: zip64
/// is not written, because readers of streams understand it in different ways.
package final class ZipWriter: ByteOutput {
  /// The content of the entry that has begun; `writeIfFull` compresses it.
  package var buffer: [UInt8] = []
  private let output: any ByteOutput
  /// The fields that all entries share: version needed, flags (sizes follow the content,
  /// names are UTF-8), deflate, time and day.
  private let common: [Int]
  private var entries: [Entry] = []
  private var isInEntry = false
  private let stream: DeflateStream
  private var size: Int64 = 0

  private struct Entry {
    let name: String
    let offset: Int64
    var checksum: UInt = 0
    var compressed: Int64 = 0
    var uncompressed: Int64 = 0

    var sizes: [Int64] { [Int64(checksum), compressed, uncompressed] }
  }

  private static let pieceSize = 1 << 16
  private static let sizeLimit = Int64(UInt32.max)
  /// The most bytes of files that fit, with room for names and texts.
  package static let mostBytes = Int(sizeLimit) - 1 << 26

  package init(_ output: any ByteOutput, date: Date) throws(UserFacingError) {
    self.output = output
    // The time and day of MS-DOS, in UTC: zip files have no zone, and an export must not depend on
    // where it is made.
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
    let year = min(max((parts.year ?? 1980) - 1980, 0), 127)
    let time = (parts.hour ?? 0) << 11 | (parts.minute ?? 0) << 5 | (parts.second ?? 0) / 2
    common = [
      20, 1 << 3 | 1 << 11, 8, time, year << 9 | (parts.month ?? 0) << 5 | (parts.day ?? 0),
    ]
    stream = try DeflateStream(.none)
  }

  /// Writes an entry. No data can choose a path: names are in no folder.
  ///
  /// - Parameters:
  ///   - isCompressed: whether zlib compresses the content. Sound is compressed already.
  ///   - content: writes the content to this file.
  package func add<Result>(
    _ name: String, isCompressed: Bool = true, _ content: (any ByteOutput) throws -> Result
  ) throws -> Result {
    precondition(!isInEntry && !name.utf8.contains(UInt8(ascii: "/")))
    let entry = Entry(name: name, offset: size)
    var header = Header()
    header.add32([0x0403_4B50])
    header.add16(common)
    // Checksum and sizes follow the content.
    header.add32([0, 0, 0])
    header.add16([entry.name.utf8.count, 0])
    try write(header.bytes + entry.name.utf8)
    entries.append(entry)
    stream.reset(compresses: isCompressed)
    isInEntry = true
    let result = try content(self)
    try compress(isEnd: true)
    isInEntry = false
    var descriptor = Header()
    descriptor.add32([0x0807_4B50] + (entries.last?.sizes ?? []))
    try write(descriptor.bytes)
    return result
  }

  func add(_ name: String, _ text: String) throws {
    try add(name) { $0.buffer += text.utf8 }
  }

  package func writeIfFull() throws {
    if buffer.count >= Self.pieceSize { try compress(isEnd: false) }
  }

  package func flush() throws { try compress(isEnd: false) }

  /// Writes the directory, which ends the file.
  package func finish() throws {
    let start = size
    for entry in entries {
      var header = Header()
      header.add32([0x0201_4B50])
      // Made by version 2.0 of the specification on Unix.
      header.add16([3 << 8 | 20] + common)
      header.add32(entry.sizes)
      header.add16([entry.name.utf8.count, 0, 0, 0, 0])
      // A regular file that everyone may read.
      header.add32([0o100644 << 16, entry.offset])
      try write(header.bytes + entry.name.utf8)
    }
    var end = Header()
    end.add32([0x0605_4B50])
    end.add16([0, 0, entries.count, entries.count])
    end.add32([size - start, start])
    end.add16([0])
    try write(end.bytes)
    try output.flush()
  }

  private func compress(isEnd: Bool) throws {
    guard isInEntry, let index = entries.indices.last else { return }
    if !buffer.isEmpty {
      entries[index].checksum = crc32_z(entries[index].checksum, buffer, buffer.count)
    }
    let compressed = try stream.compress(buffer, isEnd: isEnd)
    entries[index].uncompressed += Int64(buffer.count)
    entries[index].compressed += Int64(compressed.count)
    buffer.removeAll(keepingCapacity: true)
    try write(compressed)
    guard entries[index].uncompressed <= Self.sizeLimit else { throw UserFacingError.zipTooLarge }
  }

  private func write(_ bytes: [UInt8]) throws {
    output.buffer += bytes
    size += Int64(bytes.count)
    guard size <= Self.sizeLimit else { throw UserFacingError.zipTooLarge }
    try output.writeIfFull()
  }
}

extension UserFacingError {
  fileprivate static let zipTooLarge = UserFacingError(
    .failed, kind: "too-large", problem: "The zip file would be larger than 4 GiB",
    hint: "Export some of the rows with --limit and --offset, or another format.")
}

/// Little-endian fields of a zip file.
private struct Header {
  private(set) var bytes: [UInt8] = []

  mutating func add16(_ values: [Int]) {
    for value in values {
      bytes += [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
    }
  }

  mutating func add32(_ values: [Int64]) {
    for value in values { add16([Int(value & 0xFFFF), Int(value >> 16 & 0xFFFF)]) }
  }
}
