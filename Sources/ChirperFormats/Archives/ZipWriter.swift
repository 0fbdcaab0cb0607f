import ChirperModel
import Foundation
import ZLibrary

/// Writes a zip file from its beginning to its end, so that it can go to a pipe; zlib compresses (docs/decisions/0022).
///
/// What is written to `buffer` between `begin` and `end` is the content of an entry. Memory is the same for any size. An entry,
/// and the whole file, may have 4 GiB: there is no zip64, which readers of streams understand in different ways.
package final class ZipWriter: ByteOutput {
  /// The content of the entry that has begun; `writeIfFull` compresses it.
  package var buffer: [UInt8] = []
  private let output: any ByteOutput
  private let stamp: (time: UInt16, day: UInt16)
  private var entries: [Entry] = []
  private var deflate: Deflate?
  /// Bytes of the file so far.
  private var size: Int64 = 0

  private struct Entry {
    let name: String
    let offset: Int64
    var checksum: UInt32 = 0
    var compressed: Int64 = 0
    var uncompressed: Int64 = 0
  }

  private static let pieceSize = 1 << 16
  private static let sizeLimit = Int64(UInt32.max)

  /// - Parameter date: of all entries.
  init(_ output: any ByteOutput, date: Date) {
    self.output = output
    stamp = Self.stamp(date)
  }

  /// Begins an entry. Names are fixed texts of the program, without folders, so no data can choose a path.
  func begin(_ name: StaticString) throws {
    precondition(deflate == nil)
    let entry = Entry(name: name.description, offset: size)
    var header = Header()
    header.add32(0x0403_4B50)
    header.addCommon(stamp)
    // Checksum and sizes follow the content.
    for _ in 0..<3 { header.add32(0) }
    header.add16(entry.name.utf8.count)
    header.add16(0)
    header.bytes += entry.name.utf8
    try write(header.bytes)
    entries.append(entry)
    deflate = try Deflate()
  }

  /// Writes an entry of one text.
  func add(_ name: StaticString, _ text: String) throws {
    try begin(name)
    buffer += text.utf8
    try end()
  }

  package func writeIfFull() throws {
    if buffer.count >= Self.pieceSize { try compress(isLast: false) }
  }

  package func flush() throws { try compress(isLast: false) }

  /// Ends the entry.
  func end() throws {
    try compress(isLast: true)
    deflate = nil
    guard let entry = entries.last else { return }
    var descriptor = Header()
    descriptor.add32(0x0807_4B50)
    descriptor.addSizes(entry.checksum, entry.compressed, entry.uncompressed)
    try write(descriptor.bytes)
  }

  /// Writes the directory, which ends the file.
  func finish() throws {
    let start = size
    for entry in entries {
      var header = Header()
      header.add32(0x0201_4B50)
      // Made by version 2.0 of the specification on Unix.
      header.add16(3 << 8 | 20)
      header.addCommon(stamp)
      header.addSizes(entry.checksum, entry.compressed, entry.uncompressed)
      header.add16(entry.name.utf8.count)
      for _ in 0..<4 { header.add16(0) }
      // A regular file that everyone may read.
      header.add32(0o100644 << 16)
      header.add32(entry.offset)
      header.bytes += entry.name.utf8
      try write(header.bytes)
    }
    var end = Header()
    end.add32(0x0605_4B50)
    for value in [0, 0, entries.count, entries.count] { end.add16(value) }
    end.add32(size - start)
    end.add32(start)
    end.add16(0)
    try write(end.bytes)
    try output.flush()
  }

  private func compress(isLast: Bool) throws {
    guard let deflate, let index = entries.indices.last else { return }
    entries[index].checksum = buffer.withUnsafeBufferPointer {
      $0.isEmpty ? entries[index].checksum : UInt32(crc32_z(UInt(entries[index].checksum), $0.baseAddress, $0.count))
    }
    entries[index].uncompressed += Int64(buffer.count)
    let before = output.buffer.count
    try deflate.append(buffer, to: &output.buffer, isLast: isLast)
    buffer.removeAll(keepingCapacity: true)
    let added = Int64(output.buffer.count - before)
    entries[index].compressed += added
    size += added
    guard entries[index].uncompressed <= Self.sizeLimit, size <= Self.sizeLimit else { throw RowTableError.zipTooLarge }
    try output.writeIfFull()
  }

  private func write(_ bytes: [UInt8]) throws {
    output.buffer += bytes
    size += Int64(bytes.count)
    guard size <= Self.sizeLimit else { throw RowTableError.zipTooLarge }
    try output.writeIfFull()
  }

  /// The time and day of MS-DOS, in UTC: zip files have no zone, and an export must not depend on where it is made.
  private static func stamp(_ date: Date) -> (time: UInt16, day: UInt16) {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
    let year = min(max((parts.year ?? 1980) - 1980, 0), 127)
    func bits(_ value: Int?, _ shift: Int) -> UInt16 { UInt16(value ?? 0) << UInt16(shift) }
    return (
      bits(parts.hour, 11) | bits(parts.minute, 5) | UInt16((parts.second ?? 0) / 2),
      bits(year, 9) | bits(parts.month, 5) | bits(parts.day, 0)
    )
  }
}

/// Little-endian fields of a zip file.
private struct Header {
  var bytes: [UInt8] = []

  mutating func add16(_ value: Int) {
    for shift in [0, 8] { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
  }

  mutating func add32(_ value: Int64) {
    for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
  }

  /// Version needed, flags (sizes follow the content, names are UTF-8), deflate, time and day.
  mutating func addCommon(_ stamp: (time: UInt16, day: UInt16)) {
    for value in [20, 1 << 3 | 1 << 11, 8, Int(stamp.time), Int(stamp.day)] { add16(value) }
  }

  mutating func addSizes(_ checksum: UInt32, _ compressed: Int64, _ uncompressed: Int64) {
    for value in [Int64(checksum), compressed, uncompressed] { add32(value) }
  }
}

/// A stream that zlib compresses into raw deflate, as zip files contain it.
private final class Deflate {
  /// zlib keeps its address, so it must not move.
  private let stream: UnsafeMutablePointer<z_stream>

  private static let pieceSize = 1 << 16

  init() throws(RowTableError) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // A negative window: no header and no checksum around the data.
    let result = deflateInit2_(
      stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      CInt(MemoryLayout<z_stream>.size))
    guard result == Z_OK else { throw .notCompressed(code: result) }
  }

  deinit {
    // Does nothing to a stream that could not be initialized.
    deflateEnd(stream)
    stream.deallocate()
  }

  /// - Parameter input: less than 4 GiB, because zlib counts in 32 bits.
  func append(_ input: [UInt8], to out: inout [UInt8], isLast: Bool) throws(RowTableError) {
    var input = input
    let result = input.withUnsafeMutableBufferPointer { input in
      (stream.pointee.next_in, stream.pointee.avail_in) = (input.baseAddress, UInt32(input.count))
      return compress(isLast: isLast, to: &out)
    }
    // No progress was possible: there was nothing to read.
    guard [Z_OK, Z_STREAM_END, Z_BUF_ERROR].contains(result) else { throw .notCompressed(code: result) }
  }

  /// Compresses what `stream` has to read.
  private func compress(isLast: Bool, to out: inout [UInt8]) -> CInt {
    var result = Z_OK
    repeat {
      out += [UInt8](unsafeUninitializedCapacity: Self.pieceSize) { piece, count in
        (stream.pointee.next_out, stream.pointee.avail_out) = (piece.baseAddress, UInt32(piece.count))
        result = deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
        count = piece.count - Int(stream.pointee.avail_out)
      }
      // Where the piece is full there may be more, although all is read.
    } while result == Z_OK && stream.pointee.avail_out == 0
    return result
  }
}
