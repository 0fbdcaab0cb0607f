import Foundation

/// A file that appears whole under its name or not at all.
final class AtomicFile {
  let sink: ByteSink
  /// Where the bytes gather until they are all there; `nil` where the target is a device or a pipe.
  let temporary: String?
  private let path: String
  private var descriptor: Int32

  /// Creates the temporary file beside the target, so that renaming it is one step.
  init(path named: String, mode: mode_t? = nil) throws(CommandError) {
    // A link keeps being one: the file it names is replaced.
    path =
      realpath(named, nil).map { resolved in
        defer { free(resolved) }
        return String(cString: resolved)
      } ?? named
    var status = stat()
    let exists = stat(path, &status) == 0
    let kind = status.st_mode & S_IFMT
    if exists, kind == S_IFDIR { throw .isDirectory(path: named) }
    if exists, kind != S_IFREG {
      descriptor = open(path, O_WRONLY | O_CLOEXEC)
      temporary = nil
    } else {
      let name = (path as NSString).lastPathComponent
      let folder = (path as NSString).deletingLastPathComponent
      let hidden = ".\(name.prefix(100)).\(UInt32.random(in: 0 ... .max)).part"
      let beside = folder.isEmpty ? hidden : folder + (folder.hasSuffix("/") ? "" : "/") + hidden
      let bits = mode ?? (exists ? status.st_mode & 0o777 : 0o666)
      descriptor = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, bits)
      temporary = beside
    }
    guard descriptor >= 0 else { throw .cannotCreate(path: named, errno: errno) }
    sink = ByteSink(descriptor: descriptor, path: named)
  }

  /// Makes the file appear: written out, then renamed.
  func commit() throws(CommandError) {
    try sink.flush()
    guard temporary == nil || fsync(descriptor) == 0, closed() == 0 else { throw .writeFailed(path: path, errno: errno) }
    guard let temporary else { return }
    guard rename(temporary, path) == 0 else { throw .cannotCreate(path: path, errno: errno) }
    let folder = (path as NSString).deletingLastPathComponent
    let directory = open(folder.isEmpty ? "." : folder, O_RDONLY | O_CLOEXEC)
    if directory >= 0 {
      // The file is whole by now; a file system that cannot sync a directory changes nothing in that.
      _ = fsync(directory)
      close(directory)
    }
  }

  /// Takes back what was begun.
  func discard() {
    if let temporary { unlink(temporary) }
    _ = closed()
  }

  /// Closes the file, once.
  private func closed() -> Int32 {
    guard descriptor >= 0 else { return 0 }
    defer { descriptor = -1 }
    return close(descriptor)
  }
}
