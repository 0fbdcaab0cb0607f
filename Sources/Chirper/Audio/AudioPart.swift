import ChirperModel
import ChirperRemote
import Foundation

/// What has arrived of an audio file, and which version it is of; held by one download at a time. The lock is on the part itself,
/// and the system releases it when its holder dies. Everything is written through the descriptor that was locked.
struct AudioPart {
  private let file: AudioFile
  private let descriptor: CInt
  /// Of the bytes that have arrived; `nil` if there are none.
  private(set) var version: AudioVersion?

  /// Opens and locks the part, creating it where needed; `nil` if another download holds it. Bytes of an earlier run stay if the
  /// rest can be requested with a condition.
  static func take(_ file: AudioFile) throws(AudioError) -> AudioPart? {
    let descriptor = file.folder.open(file.part.lastPathComponent)
    guard descriptor >= 0 else { throw .file(path: file.part.path, errno: errno) }
    var part = AudioPart(file: file, descriptor: descriptor)
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      close(descriptor)
      guard code == EWOULDBLOCK || code == EINTR else { throw .file(path: file.part.path, errno: code) }
      return nil
    }
    // Whoever held it may have given it its final name, or removed it, since it was opened.
    guard part.isInPlace else {
      close(descriptor)
      return nil
    }
    if let size = AudioLibrary.size(of: file.validator), size <= AudioVersion.sizeLimit {
      part.version = try? JSONDecoder().decode(AudioVersion.self, from: Data(contentsOf: file.validator))
    }
    do throws(AudioError) {
      if !part.isResumable { try part.discard() }
    } catch {
      close(descriptor)
      throw error
    }
    return part
  }

  /// Unlocks the part; an empty one is removed.
  func release() {
    if isInPlace, size == 0 {
      unlink(file.validator.path)
      unlink(file.part.path)
    }
    close(descriptor)
  }

  /// Stores the version of the first piece.
  mutating func remember(_ version: AudioVersion) throws(AudioError) {
    guard self.version == nil else { return }
    do {
      try JSONEncoder().encode(version).write(to: file.validator, options: .atomic)
      file.folder.setMode(ofNew: file.validator.lastPathComponent)
    } catch {
      throw .file(path: file.validator.path, errno: errno == 0 ? EIO : errno)
    }
    self.version = version
  }

  /// Writes a piece and syncs it. After an error the part ends where it ended before.
  func write(_ bytes: [UInt8], at offset: Int) throws(AudioError) {
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes { bytes in
        bytes.baseAddress.map { pwrite(descriptor, $0, bytes.count, off_t(offset + written)) } ?? 0
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw failedWrite(at: offset) }
      written += count
    }
    guard fsync(descriptor) == 0 else { throw failedWrite(at: offset) }
  }

  private func failedWrite(at offset: Int) -> AudioError {
    let code = errno
    _ = ftruncate(descriptor, off_t(offset))
    return .file(path: file.part.path, errno: code)
  }

  mutating func discard() throws(AudioError) {
    version = nil
    unlink(file.validator.path)
    guard ftruncate(descriptor, 0) == 0 else { throw .file(path: file.part.path, errno: errno) }
  }

  /// Gives the complete file the name of its kind.
  ///
  /// - Parameter mediaType: that the server sent; empty if none.
  /// - Returns: the file.
  func finish(mediaType: String) throws(AudioError) -> URL {
    guard isInPlace else { throw .file(path: file.part.path, errno: ENOENT) }
    let kind = AudioKind(mediaType: mediaType, name: file.expected) {
      AudioFile.bytes(of: descriptor, at: $0, $1)
    }
    let url = file.url(kind)
    guard rename(file.part.path, url.path) == 0 else { throw .file(path: url.path, errno: errno) }
    unlink(file.validator.path)
    return url
  }

  var size: Int {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int(clamping: status.st_size) : 0
  }

  /// A part with all bytes that was never renamed is not: they may not have reached the disk.
  private var isResumable: Bool {
    guard let version, version.condition != nil, version.total <= AudioFetcher.limit else { return false }
    return size > 0 && size < version.total
  }

  /// Whether the part's name still belongs to the file that was locked.
  private var isInPlace: Bool {
    var (named, held) = (stat(), stat())
    return stat(file.part.path, &named) == 0 && fstat(descriptor, &held) == 0 && named.st_ino == held.st_ino
      && named.st_dev == held.st_dev
  }
}
