import ChirperModel
import ChirperRemote
import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What has arrived of an audio file, and which version it is of; held by one download at a time.
///
/// The lock is on the part itself, and the system releases it when its holder dies. Everything is written through the
/// descriptor that was locked, so two downloads never share a part.
struct AudioPart {
  private let file: AudioFile
  private let descriptor: CInt

  /// Opens and locks the part, creating it where needed; `nil` where another download holds it.
  static func take(_ file: AudioFile) throws(AudioError) -> AudioPart? {
    let descriptor = open(file.part.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .file(path: file.part.path, errno: errno) }
    let part = AudioPart(file: file, descriptor: descriptor)
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
    return part
  }

  /// Unlocks the part; an empty one is removed.
  func release() {
    if isInPlace, size == 0 { unlink(file.part.path) }
    close(descriptor)
  }

  /// Bytes that can be kept; those of an unknown version cannot, because the rest might belong to another.
  func resumable() throws(AudioError) -> Int {
    if version == nil || size == 0 { try discard() }
    return size
  }

  /// The server's name for the version: a strong entity tag, or the date of the last change.
  var version: String? {
    guard let bytes = try? Data(contentsOf: file.validator), !bytes.isEmpty else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  func remember(_ response: HTTPResponse) throws(AudioError) {
    guard version == nil else { return }
    let tag = response.header("ETag").flatMap { $0.hasPrefix("W/") ? nil : $0 }
    // Without a version, the total size reveals a change within a run, but not between runs.
    let version = tag ?? response.header("Last-Modified") ?? Self.unnamed
    do {
      try Data(version.utf8).write(to: file.validator)
    } catch {
      throw .file(path: file.validator.path, errno: errno == 0 ? EIO : errno)
    }
  }

  func write(_ bytes: [UInt8], at offset: Int) throws(AudioError) {
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes {
        pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset + written))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .file(path: file.part.path, errno: errno) }
      written += count
    }
    guard fsync(descriptor) == 0 else { throw .file(path: file.part.path, errno: errno) }
  }

  func discard() throws(AudioError) {
    unlink(file.validator.path)
    guard ftruncate(descriptor, 0) == 0 else { throw .file(path: file.part.path, errno: errno) }
  }

  /// Before a run: a part of an unnamed version is not continued.
  func forgetUnnamed() throws(AudioError) {
    if version == Self.unnamed { try discard() }
  }

  /// Gives the complete file its name.
  func finish() throws(AudioError) {
    guard isInPlace else { throw .file(path: file.part.path, errno: ENOENT) }
    guard rename(file.part.path, file.url.path) == 0 else { throw .file(path: file.url.path, errno: errno) }
    unlink(file.validator.path)
  }

  private var size: Int {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Whether the part's name still belongs to the file that was locked.
  private var isInPlace: Bool {
    var (named, held) = (stat(), stat())
    return stat(file.part.path, &named) == 0 && fstat(descriptor, &held) == 0 && named.st_ino == held.st_ino
      && named.st_dev == held.st_dev
  }

  private static let unnamed = "unnamed"
}
