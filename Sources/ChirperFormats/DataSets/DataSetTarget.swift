import Chirper
import ChirperModel
import Foundation

/// The folder of a data set, to which one build writes at a time.
///
/// A hidden file in it says from which lock it was made. Without that file nothing in the folder is
/// chirper's.
final class DataSetTarget: Sendable {
  let path: String
  private let isAllowed: DataSet.OutputCheck
  private let mark: Int32
  private static let markName = ".chirper-dataset"

  /// - Parameter isAllowed: refuses files that must not be replaced.
  init(
    path: String, lock: String, names: DataSetNames, isAllowed: @escaping DataSet.OutputCheck
  ) throws {
    guard !["", "-"].contains(path) else {
      throw UserFacingError.usage(
        "dataset build needs the name of a folder",
        example: "chirper dataset build wrens.lock.jsonl wrens")
    }
    try isAllowed(path, .follow)
    try AudioFolder.create(path)
    // Also what arranges the files: with other names they would be there twice.
    var digest = SHA256()
    let next = try ReadableFile(lock).pieces()
    while case let piece = try next(), !piece.isEmpty { digest.add(piece) }
    let text = Array("\(digest.text()) \(names.arePlain ? "plain" : "species")\n".utf8)
    mark = try Self.taken(path, text) { try Self.checkIsEmpty(path, for: lock, names) }
    self.path = path
    self.isAllowed = isAllowed
  }

  deinit { close(mark) }

  /// Refuses a folder in which a file is in the way of a first build.
  private static func checkIsEmpty(
    _ path: String, for lock: String, _ names: DataSetNames
  ) throws {
    func check(_ name: String) throws {
      let file = "\(path)/\(name)"
      if FileKind(file, followsLinks: false) != nil { throw UserFacingError.inTheWay(file) }
    }
    for name in DataSetFolder.names { try check(name) }
    let reader = try LockReader(lock)
    while let recording = try reader.next() {
      try check(names.path(of: recording))
      try check(names.annotations(of: recording))
    }
  }

  /// Locks the mark of a folder, and writes it.
  ///
  /// - Returns: its descriptor, which holds the lock until it is closed.
  private static func taken(
    _ path: String, _ mark: [UInt8], _ checkIsEmpty: () throws -> Void
  ) throws -> Int32 {
    let name = "\(path)/\(markName)"
    let descriptor = open(name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      throw UserFacingError(FileError.creating(name, errno: errno))
    }
    do {
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
        throw UserFacingError(
          .tryLater, kind: "in-use", subject: path,
          problem: "another build writes to this folder", hint: "Wait until it has ended.")
      }
      var found = [UInt8](repeating: 0, count: 200)
      let count = pread(descriptor, &found, found.count, 0)
      if count > 0 {
        guard Array(found.prefix(count)) == mark else {
          throw UserFacingError.cannotCreate(
            path, "this folder was made from a different lock, or with other names",
            hint: "Name a new folder.")
        }
        return descriptor
      }
      do {
        try checkIsEmpty()
      } catch {
        unlink(name)
        throw error
      }
      if let number = Descriptor.write(mark, to: descriptor) {
        throw UserFacingError(FileError.writing(name, errno: number))
      }
      return descriptor
    } catch {
      close(descriptor)
      throw error
    }
  }

  /// Writes a file of the folder, whole or not at all.
  ///
  /// - Returns: SHA-256 and bytes of what is in the file then.
  func write(
    _ name: String, _ body: (any ByteOutput) throws -> Void
  ) throws -> LockedRecording.Audio {
    let file = try AtomicFile(path: try place(name), links: .replace)
    try AtomicFile.committing([file]) {
      try body(file.sink)
      // Annotations follow from the lock alone, so a table that differs was edited.
      guard name.hasSuffix("selections.txt"), let part = file.temporary,
        let old = try? content(of: name)
      else { return }
      try file.sink.flush()
      guard try AudioLibrary.content(of: URL(filePath: part)).sha256 != old.sha256 else { return }
      throw UserFacingError.inTheWay("\(path)/\(name)", isChanged: true)
    }
    return try content(of: name)
  }

  /// The content of a file of the folder.
  func content(of name: String) throws -> LockedRecording.Audio {
    try LockedRecording.Audio(of: URL(filePath: "\(path)/\(name)", directoryHint: .notDirectory))
  }

  /// The path of a file, whose folders are made. A link in its way is refused: it leads to a place
  /// that is not the folder's.
  private func place(_ name: String) throws -> String {
    var at = path
    for part in name.split(separator: "/").dropLast() {
      at += "/\(part)"
      if mkdir(at, 0o777) != 0, errno != EEXIST {
        throw UserFacingError(FileError.creating(at, errno: errno))
      }
      try checkIsNoLink(at)
    }
    let file = "\(path)/\(name)"
    try checkIsNoLink(file)
    try isAllowed(file, .replace)
    return file
  }

  private func checkIsNoLink(_ path: String) throws {
    guard FileKind(path, followsLinks: false) == .link else { return }
    throw UserFacingError.cannotCreate(
      path, "this is a link, and chirper writes no file through it",
      hint: "Remove it, or name a new folder.")
  }
}
