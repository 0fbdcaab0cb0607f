import Foundation

/// The part on the disk, what version it is of, and the step that gives the whole its name.
extension AudioDownload {
  static func makeDirectory(_ directory: URL) throws(AudioError) {
    do {
      try FileManager.default.createDirectory(
        at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw .file(path: directory.path, errno: errno == 0 ? EACCES : errno)
    }
  }

  /// Bytes of the part that can be kept; a part of an unknown version cannot, for the rest might be of another.
  func resumable() throws(AudioError) -> Int {
    guard version() != nil else {
      discardPart()
      return 0
    }
    var status = stat()
    guard stat(file.part.path, &status) == 0 else { return 0 }
    return Int(status.st_size)
  }

  /// The server's name for the version of the part: a strong entity tag, or the date of the last change.
  func version() -> String? {
    guard let bytes = try? Data(contentsOf: file.validator), !bytes.isEmpty else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  func remember(_ response: HTTPResponse) throws(AudioError) {
    guard version() == nil else { return }
    let tag = response.header("ETag").flatMap { $0.hasPrefix("W/") ? nil : $0 }
    // Within one run the total tells a change well enough; over two it does not.
    let version = tag ?? response.header("Last-Modified") ?? Self.unnamed
    do {
      try Data(version.utf8).write(to: file.validator)
    } catch {
      throw .file(path: file.validator.path, errno: errno == 0 ? EIO : errno)
    }
  }

  func write(_ bytes: [UInt8], at offset: Int) throws(AudioError) {
    let flags = O_WRONLY | O_CREAT | O_CLOEXEC | (offset == 0 ? O_TRUNC : 0)
    let descriptor = open(file.part.path, flags, 0o600)
    guard descriptor >= 0 else { throw .file(path: file.part.path, errno: errno) }
    defer { close(descriptor) }
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

  func finish() throws(AudioError) {
    guard rename(file.part.path, file.url.path) == 0 else { throw .file(path: file.url.path, errno: errno) }
    unlink(file.validator.path)
  }

  func discardPart() {
    unlink(file.part.path)
    unlink(file.validator.path)
  }

  /// Before a run: a part whose version has no name is not gone on with.
  func forgetUnnamed() {
    if version() == Self.unnamed { discardPart() }
  }

  private static let unnamed = "unnamed"
}
