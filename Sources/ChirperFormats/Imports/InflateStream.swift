// Unsafe memory: buffers of zlib.

import ZLibrary

/// Bytes that zlib compressed, uncompressed a piece at a time (docs/decisions/0022).
final class InflateStream {
  /// zlib keeps its address, so it must not move.
  private let stream: UnsafeMutablePointer<z_stream>
  private var isAtEnd = false

  init?() {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // Below zero: no header and no checksum around the data.
    let result = inflateInit2_(
      stream, -MAX_WBITS, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size))
    guard result == Z_OK else { return nil }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// Returns the next piece, empty at the end.
  ///
  /// - Parameter input: the next compressed bytes. Those that did not fit into the piece are kept
  ///   in it for the next call.
  /// - Returns: `nil` if the bytes are not compressed data.
  func next(_ input: inout [UInt8], _ more: () throws -> [UInt8]) rethrows -> [UInt8]? {
    while !isAtEnd {
      if input.isEmpty { input = try more() }
      var result = Z_OK
      var used = 0
      let piece = [UInt8](unsafeUninitializedCapacity: ReadableFile.pieceSize) { out, count in
        input.withUnsafeBufferPointer { bytes in
          stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
          stream.pointee.avail_in = UInt32(bytes.count)
          stream.pointee.next_out = out.baseAddress
          stream.pointee.avail_out = UInt32(out.count)
          result = inflate(stream, Z_NO_FLUSH)
          used = bytes.count - Int(stream.pointee.avail_in)
          count = out.count - Int(stream.pointee.avail_out)
        }
      }
      // No progress: the data end too early.
      guard [Z_OK, Z_STREAM_END].contains(result), used > 0 || !piece.isEmpty else { return nil }
      isAtEnd = result == Z_STREAM_END
      input.removeFirst(used)
      if !piece.isEmpty { return piece }
    }
    return []
  }
}
