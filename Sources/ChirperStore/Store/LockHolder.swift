import ChirperModel
import Foundation

/// Finds the process that holds a lock on a file, for error messages.
///
/// Linux lists every lock in `/proc/locks`. To open the file and ask for its lock (`F_GETLK`) would
/// be wrong: closing it again would release SQLite's own locks on it.
package enum LockHolder {
  /// The process that holds a lock on a file: `process 4711 (chirper sync)`, for a
  /// different account `process 4711 of bob (chirper sync)`; `nil` if no other process is
  /// known to hold one.
  package static func description(ofLockOn path: String) -> String? {
    var status = stat()
    // With a write-ahead log the locks are on its index, and a process that only reads holds up
    // nobody.
    let usesLog = stat(path + "-shm", &status) == 0
    guard usesLog || stat(path, &status) == 0, let locks = contents("/proc/locks") else {
      return nil
    }
    let device = UInt64(truncatingIfNeeded: status.st_dev)
    let major = device >> 8 & 0xFFF | device >> 32 & 0xFFFF_F000
    let minor = device & 0xFF | device >> 12 & 0xFFFF_FF00
    let text = String(decoding: locks, as: UTF8.self)
    let process = process(
      in: text, major: major, minor: minor, inode: UInt64(status.st_ino), onlyWriters: usesLog)
    return process.flatMap(description)
  }

  /// The process that holds a lock on a file according to `/proc/locks`, preferably one for
  /// writing.
  static func process(
    in locks: String, major: UInt64, minor: UInt64, inode: UInt64, onlyWriters: Bool = false
  ) -> Int32? {
    var readers: [Int32] = []
    for line in locks.split(separator: "\n") {
      // 2: POSIX  ADVISORY  WRITE 30039 fe:00:16328671 1073741824 1073742335; a process that waits
      // has "->" as its second word.
      let words = line.split(separator: " ")
      guard words.count >= 6, words[1] != "->", let process = Int32(words[4]), process > 0,
        process != getpid()
      else { continue }
      let file = words[5].split(separator: ":")
      guard file.count == 3, UInt64(file[0], radix: 16) == major,
        UInt64(file[1], radix: 16) == minor, UInt64(file[2]) == inode
      else { continue }
      if words[3] == "WRITE" { return process }
      readers.append(process)
    }
    return onlyWriters ? nil : readers.first
  }

  /// The name of a process. The arguments of other programs are left out, because a password can be
  /// among them.
  private static func description(of process: Int32) -> String? {
    // A lock outlives the process that took it if another one has inherited the open file.
    guard kill(process, 0) == 0 || errno == EPERM else { return nil }
    let bytes = contents("/proc/\(process)/cmdline") ?? Data()
    let owner =
      FileOwner("/proc/\(process)").map { $0.id == geteuid() ? "" : " of \($0.name)" } ?? ""
    let words = bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    guard let name = words.first.map({ ($0 as NSString).lastPathComponent }), !name.isEmpty
    else { return "process \(process)\(owner)" }
    let line = name == "chirper" ? ([name] + words.dropFirst()).joined(separator: " ") : name
    return "process \(process)\(owner) (\(line.count > 60 ? line.prefix(60) + "…" : line[...]))"
  }

  /// A file of `/proc`, whose size is not known before it is read.
  private static func contents(_ path: String) -> Data? {
    try? FileHandle(forReadingAtPath: path)?.readToEnd()
  }
}

struct FileOwner {
  let id: uid_t
  /// The account's name; its number if it has no name.
  let name: String

  /// The owner of a file; `nil` if the file does not exist.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    id = status.st_uid
    name =
      getpwuid(status.st_uid).map { String(cString: $0.pointee.pw_name) }
      ?? "account \(status.st_uid)"
  }

  /// The other account whose permission to use a file is missing: the owner of the file, or of the
  /// folder that it is in.
  ///
  /// - Parameter permission: `R_OK` or `W_OK`.
  init?(denying path: String, _ permission: Int32) {
    let paths: [String] = [path, path.folderOfPath]
    let denied = paths.filter { access($0, permission) != 0 && errno == EACCES }
    guard let owner = denied.compactMap({ FileOwner($0) }).first, owner.id != geteuid() else {
      return nil
    }
    self = owner
  }

  /// The command that the owner has to type, so that the group can use a folder.
  func request(toShare folder: String) -> String {
    "it belongs to \(name), who has to type: chmod -R g+rwX \(folder)"
  }
}

extension StoreError {
  /// A store that cannot be written, and whose permission is missing.
  static func unwritable(_ path: String) -> StoreError {
    StoreError(.readOnly(path: path, owner: FileOwner(denying: path, W_OK)?.name))
  }
}
