// Unsafe memory: paths and buffers of system calls.

import Foundation

/// A folder that is open. Its files are opened, replaced and removed by their names in it, whatever
/// happens to its path, and a link in the place of a file is never followed.
package final class OpenFolder: Sendable {
  private let descriptor: CInt

  #if os(Linux)
  /// `O_PATH`, which Swift does not import. It opens a folder to use its entries, without
  /// permission to read their names.
  private static let path: CInt = 0o10_000_000
  private static let flags = path | O_DIRECTORY | O_CLOEXEC
  #else
  private static let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
  #endif

  private init(owning descriptor: CInt) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Opens the folder at a path that the user named, with the links in it; `nil` with `errno` set
  /// on failure.
  package convenience init?(_ path: String) {
    let descriptor = Foundation.open(path, Self.flags)
    guard descriptor >= 0 else { return nil }
    self.init(owning: descriptor)
  }

  /// A folder in this one; `nil` with `errno` set on failure.
  ///
  /// A link in its place is followed if this account, the owner of this folder or root made
  /// it. Anybody else who may write to a group's folder could lead it to the files of the
  /// account that opens it.
  package func folder(_ name: String) -> OpenFolder? {
    let opened = openat(descriptor, name, Self.flags | O_NOFOLLOW)
    if opened >= 0 { return OpenFolder(owning: opened) }
    let code = errno
    guard kind(of: name) == .link else {
      errno = code
      return nil
    }
    guard let target = trustedTarget(of: name) else {
      errno = ELOOP
      return nil
    }
    let followed = openat(descriptor, target, Self.flags)
    return followed < 0 ? nil : OpenFolder(owning: followed)
  }

  /// The target of a link that may be followed; `nil` if the link may not be followed.
  private func trustedTarget(of name: String) -> String? {
    var link = stat()
    var own = stat()
    var text = [UInt8](repeating: 0, count: Int(PATH_MAX))
    #if os(Linux)
    // The link itself is opened, so that it cannot become a different one between its check and
    // its reading.
    let opened = openat(descriptor, name, Self.path | O_NOFOLLOW | O_CLOEXEC)
    guard opened >= 0 else { return nil }
    defer { close(opened) }
    guard fstat(opened, &link) == 0 else { return nil }
    let count = readlinkat(opened, "", &text, text.count)
    #else
    guard fstatat(descriptor, name, &link, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
    let count = readlinkat(descriptor, name, &text, text.count)
    #endif
    guard fstat(descriptor, &own) == 0, [geteuid(), own.st_uid, 0].contains(link.st_uid) else {
      return nil
    }
    guard (1..<text.count).contains(count) else { return nil }
    return String(validating: text[..<count], as: UTF8.self)
  }

  // MARK: Reading

  /// The facts about the file or link `name`; `nil` with `errno` set if it does not exist.
  package func status(of name: String) -> stat? {
    var status = stat()
    return fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
  }

  /// The facts about the folder.
  package var status: stat? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? status : nil
  }

  /// The permissions of a folder that is a group's; else `nil`.
  ///
  /// It is a group's if its group may write to it and everybody may remove every file in it (no
  /// sticky bit). New files and folders in it are open to the group, else to their owner alone.
  /// Their mode does not depend on the account's umask then: with `2775` every file is `0664` and
  /// every folder `2775`.
  package var groupMode: mode_t? {
    status.flatMap { $0.st_mode & (S_IWGRP | S_ISVTX) == S_IWGRP ? $0.st_mode & 0o7777 : nil }
  }

  /// The kind of `name` in this folder; `nil` if it does not exist.
  package func kind(of name: String) -> FileKind? {
    status(of: name).map { FileKind(mode: $0.st_mode) }
  }

  /// The bytes of a regular file of that name.
  package func size(of name: String) -> Int64? {
    status(of: name).flatMap { $0.st_mode & S_IFMT == S_IFREG ? Int64($0.st_size) : nil }
  }

  /// The names and kinds in the folder; `nil` with `errno` set if its names cannot be read.
  package func entries() -> [(name: String, kind: FileKind)]? {
    let opened = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard opened >= 0 else { return nil }
    guard let folder = fdopendir(opened) else {
      close(opened)
      return nil
    }
    defer { closedir(folder) }
    var found: [(String, FileKind)] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: name.pointee)) {
          String(cString: $0)
        }
      }
      guard name != ".", name != ".." else { continue }
      switch Int(entry.pointee.d_type) {
      case Int(DT_REG): found.append((name, .file))
      case Int(DT_DIR): found.append((name, .directory))
      case Int(DT_LNK): found.append((name, .link))
      // Some file systems do not say it.
      default: if let kind = kind(of: name) { found.append((name, kind)) }
      }
    }
    return found
  }

  /// Opens a regular file; -1 with `errno` set on failure. To open a named pipe does not wait for
  /// its other end.
  package func open(_ name: String, _ access: CInt = O_RDONLY) -> CInt {
    let opened = openat(descriptor, name, access | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard opened >= 0 else { return -1 }
    var status = stat()
    if fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFREG { return opened }
    close(opened)
    errno = EINVAL
    return -1
  }

  // MARK: Writing

  /// Opens a regular file for reading and writing, or creates it with the permissions that files in
  /// this folder have; -1 with `errno` set on failure.
  package func openOrCreate(_ name: String) -> CInt {
    let existing = open(name, O_RDWR)
    guard existing < 0, errno == ENOENT else { return existing }
    let created = create(name)
    // Another process may have created it between the two calls.
    return created < 0 && errno == EEXIST ? open(name, O_RDWR) : created
  }

  /// Creates a file with the permissions that files in this folder have.
  ///
  /// - Returns: The descriptor; -1 with `errno` set on failure, also if the name exists
  ///   already.
  package func create(_ name: String) -> CInt {
    let mode = groupMode.map { $0 & 0o664 } ?? 0o600
    let created = openat(descriptor, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    // Whatever the umask is.
    if created >= 0 { fchmod(created, mode) }
    return created
  }

  /// Writes a file that appears whole, in place of one or of a link with that name.
  ///
  /// - Returns: the number of the error; `nil` if it was written.
  package func replace(_ name: String, with bytes: [UInt8]) -> Int32? {
    let part = ".\(UUID().uuidString)"
    let created = create(part)
    guard created >= 0 else { return errno }
    var problem = Descriptor.write(bytes, to: created)
    if problem == nil, fsync(created) != 0 { problem = errno }
    close(created)
    if problem == nil, !rename(part, to: name) { problem = errno }
    if problem != nil { remove(part) }
    return problem
  }

  /// Makes a folder in this folder, if it does not exist.
  ///
  /// - Returns: `false` on failure, with `errno` set.
  package func makeFolder(_ name: String) -> Bool {
    guard mkdirat(descriptor, name, 0o700) == 0 else { return errno == EEXIST }
    guard let mode = groupMode else { return true }
    let made = openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard made >= 0 else { return false }
    defer { close(made) }
    return fchmod(made, mode & 0o2775) == 0
  }

  /// Gives a file a different name in the folder, in place of an entry with that name;
  /// `false` with `errno` set on failure.
  package func rename(_ name: String, to new: String) -> Bool {
    Descriptor.rename(name, to: new, from: descriptor, in: ".")
  }

  /// Removes a file or a link; `false` with `errno` set on failure.
  @discardableResult
  package func remove(_ name: String) -> Bool { unlinkat(descriptor, name, 0) == 0 }
}
