import Chirper
import ChirperModel
import Foundation

/// A file that appears whole under its name or not at all.
package final class AtomicFile {
  package let sink: ByteSink
  /// The file in which the bytes gather until they are all there; `nil` if the target is a
  /// device or a pipe.
  package let temporary: String?
  private let path: String
  private let links: LinkPolicy
  private var descriptor: Int32

  /// The treatment of a link that has the file's name.
  package enum LinkPolicy {
    /// The file that the link leads to is written, and the link stays.
    case follow
    /// A file takes the place of the link.
    case replace
    /// Nothing that has the file's name is replaced: `commit` throws.
    case refuse
  }

  /// Creates the temporary file next to the target, so that renaming it is one step.
  /// Removes the temporary files of killed exports to this target.
  package init(
    path named: String, mode: mode_t? = nil, links: LinkPolicy = .follow
  ) throws(FileError) {
    self.links = links
    path = links == .follow ? Self.target(of: named) : named
    try Self.checkIsClosed(path)
    var status = stat()
    var exists = (links == .follow ? stat(path, &status) : lstat(path, &status)) == 0
    let kind = status.st_mode & S_IFMT
    if links == .replace, kind == S_IFLNK { exists = false }
    if exists, kind == S_IFDIR {
      throw .folder(named)
    }
    if exists, kind != S_IFREG {
      guard links == .follow else { throw .device(named) }
      descriptor = open(path, O_WRONLY | O_CLOEXEC)
      temporary = nil
    } else {
      let parts = PartFiles(of: path)
      parts.removeAbandoned()
      let bits = mode ?? (exists ? status.st_mode & 0o777 : 0o666)
      (descriptor, temporary) = parts.create(bits)
    }
    guard descriptor >= 0 else { throw .creating(named, errno: errno) }
    sink = ByteSink(descriptor, path: named, file: temporary)
  }

  /// Whether a pipe, a device or a socket has that name. Opening a named pipe would wait until a
  /// program reads from it.
  package static func isDevice(_ path: String) -> Bool {
    FileKind(path).map { ![.file, .directory].contains($0) } ?? false
  }

  /// The file that a link names, so that the link stays; else the path as it is.
  private static func target(of named: String) -> String {
    guard FileKind(named, followsLinks: false) == .link, let real = realpath(named, nil)
    else { return named }
    defer { free(real) }
    return String(validatingCString: real) ?? named
  }

  /// Refuses a name next to which SQLite keeps files. SQLite would play them back into the
  /// new file, and the program that has the old one open would go on with a file without a
  /// name.
  private static func checkIsClosed(_ path: String) throws(FileError) {
    guard let companion = SQLiteCompanion.name(beside: path) else { return }
    throw .openDatabase(path, companion: companion)
  }

  /// Makes the file appear: written out, then renamed. Its lock is held until it has its name, so
  /// that no other export takes it for the part of a killed one.
  package func commit() throws(FileError) {
    try sink.flush()
    guard let temporary else {
      guard closed() == 0 else { throw .writing(path, errno: errno) }
      return
    }
    guard fsync(descriptor) == 0 else { throw .writing(path, errno: errno) }
    try Self.checkIsClosed(path)
    // Some file systems have no second names.
    if links == .refuse, link(temporary, path) != 0, FileKind(path, followsLinks: false) != nil {
      throw .creating(path, errno: EEXIST)
    }
    guard Descriptor.rename(temporary, to: path, in: path.folderOfPath) else {
      throw .creating(path, errno: errno)
    }
    // A rename between two names of one file does nothing.
    if links == .refuse { unlink(temporary) }
    _ = closed()
  }

  package func discard() {
    if let temporary { SQLiteCompanion.deleteAll(with: temporary) }
    _ = closed()
  }

  /// Runs `work`, then gives the files their names; discards them on failure. It installs
  /// no handler of signals.
  package static func committing<Result>(_ files: [AtomicFile], _ work: () throws -> Result) throws
    -> Result
  {
    do {
      let result = try work()
      for file in files { try file.commit() }
      return result
    } catch {
      for file in files { file.discard() }
      guard let failure = error as? TableFile.Failure, let file = files.first else { throw error }
      throw FileError.writing(file.path, errno: failure.number)
    }
  }

  private func closed() -> Int32 {
    guard descriptor >= 0 else { return 0 }
    defer { descriptor = -1 }
    return close(descriptor)
  }
}

/// The hidden files next to a target in which its bytes gather:
/// `.parrot.csv.chirper-1a2b3c4d.part`.
///
/// Each is locked while the process that writes it lives, so an unlocked one was left by a
/// killed process. Other programs also use names that end with `.part`, so chirper's name
/// is in these.
private struct PartFiles {
  private let folder: String
  private let prefix: String
  private static let suffix = ".part"

  init(of path: String) {
    // A name of 255 bytes is the longest that file systems take.
    var name = (path as NSString).lastPathComponent
    while name.utf8.count > 200 { name.removeLast() }
    folder = path.folderOfPath
    prefix = ".\(name).chirper-"
  }

  /// Creates and locks a new one.
  ///
  /// - Returns: -1 and no name on failure, with `errno` set.
  func create(_ mode: mode_t) -> (descriptor: Int32, path: String?) {
    while true {
      let digits = String(format: "%08x", UInt32.random(in: 0 ... .max))
      let path = beside(prefix + digits + Self.suffix)
      let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
      guard descriptor >= 0 else { return (-1, nil) }
      // Where locks do not work nothing is removed either. Another export may have removed the file
      // before it was locked.
      _ = flock(descriptor, LOCK_EX)
      if Self.isSame(path, descriptor) { return (descriptor, path) }
      close(descriptor)
    }
  }

  /// Removes the files that no running process has locked.
  func removeAbandoned() {
    let names =
      (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)) ?? []
    for name in names where isOne(name) {
      let path = beside(name)
      let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      defer { close(descriptor) }
      var status = stat()
      guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
        status.st_uid == geteuid(),
        flock(descriptor, LOCK_EX | LOCK_NB) == 0, Self.isSame(path, descriptor)
      else { continue }
      SQLiteCompanion.deleteAll(with: path)
    }
  }

  private func isOne(_ name: String) -> Bool {
    guard name.hasPrefix(prefix), name.hasSuffix(Self.suffix) else { return false }
    let digits = name.dropFirst(prefix.count).dropLast(Self.suffix.count)
    return digits.count == 8 && digits.allSatisfy { $0.isASCII && $0.isHexDigit && !$0.isUppercase }
  }

  private func beside(_ name: String) -> String {
    folder.isEmpty ? name : folder + (folder.hasSuffix("/") ? "" : "/") + name
  }

  /// Whether the name still belongs to the open file.
  private static func isSame(_ path: String, _ descriptor: Int32) -> Bool {
    var named = stat()
    var held = stat()
    return lstat(path, &named) == 0 && fstat(descriptor, &held) == 0 && named.st_ino == held.st_ino
      && named.st_dev == held.st_dev
  }
}
