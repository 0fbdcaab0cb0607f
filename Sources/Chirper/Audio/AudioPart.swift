import ChirperModel
import ChirperRemote
import Foundation

/// The part of an audio file that has arrived, and its version; held by one download at a
/// time. The lock is on the part itself, and the system releases it when its holder dies.
/// Everything is written through the descriptor that was locked.
struct AudioPart {
  private let file: AudioFile
  private let folder: OpenFolder
  private let descriptor: CInt
  /// The version of the bytes that have arrived; `nil` if none has.
  private(set) var version: AudioVersion?

  /// Opens and locks the part, creating it if needed; `nil` if a different download holds
  /// it. Bytes of an earlier run stay if the rest can be requested with a condition.
  static func take(_ file: AudioFile) throws(AudioError) -> AudioPart? {
    guard let folder = file.folder else { throw .file(path: file.part.path, errno: errno) }
    let name = file.part.lastPathComponent
    // What a link leads to is not chirper's.
    if folder.kind(of: name) == .link { folder.remove(name) }
    let descriptor = folder.openOrCreate(name)
    guard descriptor >= 0 else { throw .file(path: file.part.path, errno: errno) }
    var part = AudioPart(file: file, folder: folder, descriptor: descriptor)
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      close(descriptor)
      guard code == EWOULDBLOCK || code == EINTR else {
        throw .file(path: file.part.path, errno: code)
      }
      return nil
    }
    // Whoever held it may have given it its final name, or removed it, since it was opened.
    guard part.isInPlace else {
      close(descriptor)
      return nil
    }
    let stored = DownloadedAudioFile(path: file.validator.path)
    if let stored, stored.size <= AudioVersion.sizeLimit {
      let bytes = try? stored.bytes(at: 0, upTo: stored.size)
      part.version = bytes.flatMap { try? JSONDecoder().decode(AudioVersion.self, from: Data($0)) }
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
      folder.remove(file.validator.lastPathComponent)
      folder.remove(file.part.lastPathComponent)
    }
    close(descriptor)
  }

  /// Stores the version of the first piece.
  mutating func remember(_ version: AudioVersion) throws(AudioError) {
    guard self.version == nil else { return }
    let bytes = (try? JSONEncoder().encode(version)).map(Array.init) ?? []
    if let code = folder.replace(file.validator.lastPathComponent, with: bytes) {
      throw .file(path: file.validator.path, errno: code)
    }
    self.version = version
  }

  /// Writes a piece and syncs it. After an error the part ends where it ended before.
  func write(_ bytes: [UInt8], at offset: Int) throws(AudioError) {
    if let code = Descriptor.write(bytes, to: descriptor, at: Int64(offset)) {
      throw failedWrite(code, at: offset)
    }
    guard fsync(descriptor) == 0 else { throw failedWrite(errno, at: offset) }
  }

  private func failedWrite(_ code: Int32, at offset: Int) -> AudioError {
    _ = ftruncate(descriptor, off_t(offset))
    return .file(path: file.part.path, errno: code)
  }

  mutating func discard() throws(AudioError) {
    version = nil
    folder.remove(file.validator.lastPathComponent)
    guard ftruncate(descriptor, 0) == 0 else { throw .file(path: file.part.path, errno: errno) }
  }

  /// Stores the hash of the complete file, and gives it the name of its kind.
  ///
  /// - Parameters:
  ///   - mediaType: that the server sent; empty if none.
  ///   - sha256: the hash without which the file is discarded; `nil` for any.
  /// - Returns: the file.
  /// - Throws: `AudioError`; `.none` for a file with a different hash.
  mutating func finish(mediaType: String, sha256: String?) throws -> URL {
    guard isInPlace else { throw AudioError.file(path: file.part.path, errno: ENOENT) }
    let kind = AudioKind(mediaType: mediaType, name: file.expected) {
      Descriptor.read(descriptor, at: Int64($0), count: $1) ?? []
    }
    let url = file.url(kind)
    // A download that is cancelled now is kept: nothing of it is missing.
    let content = try AudioLibrary.content(of: file.part) {}
    guard sha256 == nil || sha256 == content.sha256 else {
      try discard()
      throw AudioError.none
    }
    try AudioSums(directory: file.directory).add(content.sha256, for: url)
    guard folder.rename(file.part.lastPathComponent, to: url.lastPathComponent) else {
      throw AudioError.file(path: url.path, errno: errno)
    }
    folder.remove(file.validator.lastPathComponent)
    return url
  }

  var size: Int {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int(clamping: status.st_size) : 0
  }

  /// Whether the rest of the file can be requested. A part with all bytes that was never
  /// renamed is not resumed, because its bytes may not have reached the disk.
  private var isResumable: Bool {
    guard let version, version.condition != nil, version.total <= AudioFetcher.limit else {
      return false
    }
    return size > 0 && size < version.total
  }

  /// Whether the part's name still belongs to the file that was locked.
  private var isInPlace: Bool {
    var held = stat()
    let named = folder.status(of: file.part.lastPathComponent)
    guard let named, fstat(descriptor, &held) == 0 else { return false }
    return named.st_ino == held.st_ino && named.st_dev == held.st_dev
  }
}
