// Unsafe memory: buffers of zlib.

import ZLibrary

/// Bytes compressed by zlib, a piece at a time (docs/decisions/0022).
package final class DeflateStream {
  /// The header and checksum around the compressed bytes.
  package enum Wrapping {
    /// The compressed bytes alone, as in zip files.
    case none
    /// Header and checksum of gzip, as in HTTP.
    case gzip
  }

  /// zlib keeps its address, so it must not move.
  private let stream: UnsafeMutablePointer<z_stream>
  private static let pieceSize = 1 << 16

  package init(_ wrapping: Wrapping) throws(UserFacingError) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // Below zero: nothing around the data; 16 more: gzip.
    let window = wrapping == .none ? -MAX_WBITS : MAX_WBITS + 16
    let result = deflateInit2_(
      stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      CInt(MemoryLayout<z_stream>.size))
    guard result == Z_OK else { throw .notCompressed(code: result) }
  }

  deinit {
    // Does nothing to a stream that could not be initialized.
    deflateEnd(stream)
    stream.deallocate()
  }

  /// Begins anew.
  ///
  /// - Parameter compresses: whether the bytes that follow are worth the work.
  func reset(compresses: Bool) {
    deflateReset(stream)
    deflateParams(stream, compresses ? Z_DEFAULT_COMPRESSION : Z_NO_COMPRESSION, Z_DEFAULT_STRATEGY)
  }

  /// Compresses the next bytes, and returns the compressed bytes that are ready. `bytes`
  /// has less than 4 GiB, because zlib counts in 32 bits.
  package func compress(_ bytes: [UInt8], isEnd: Bool) throws(UserFacingError) -> [UInt8] {
    var compressed: [UInt8] = []
    var result = Z_OK
    bytes.withUnsafeBufferPointer { input in
      stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
      stream.pointee.avail_in = UInt32(input.count)
      repeat {
        compressed += [UInt8](unsafeUninitializedCapacity: Self.pieceSize) { piece, count in
          stream.pointee.next_out = piece.baseAddress
          stream.pointee.avail_out = UInt32(piece.count)
          result = deflate(stream, isEnd ? Z_FINISH : Z_NO_FLUSH)
          count = piece.count - Int(stream.pointee.avail_out)
        }
        // A full piece: there may be more, although all is read.
      } while result == Z_OK && stream.pointee.avail_out == 0
    }
    // No progress was possible: there was nothing to read.
    guard [Z_OK, Z_STREAM_END, Z_BUF_ERROR].contains(result) else {
      throw .notCompressed(code: result)
    }
    return compressed
  }
}

extension UserFacingError {
  /// An error with zlib's code, most likely for want of memory.
  fileprivate static func notCompressed(code: Int32) -> UserFacingError {
    UserFacingError(
      .failed, kind: "not-compressed", problem: "The data cannot be compressed (zlib error \(code))"
    )
  }
}
