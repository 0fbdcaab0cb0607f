import Chirper
import ChirperFormats
import ChirperServer
import Foundation

/// chirper's own files, which an export must not replace: database, journal, damaged copies, locks, audio, settings, key and token.
struct OwnFiles {
  private let environment: ProcessEnvironment

  init(_ environment: ProcessEnvironment = .live) {
    self.environment = environment
  }

  /// Refuses an output file that is one of these, by whatever name or link, and a link that leads nowhere: the link itself
  /// would be replaced.
  func check(output path: String) throws(UserFacingError) {
    if let place = Place(path), places().contains(place) { throw .ownFile(path: path) }
    guard let target = Identity(path) else {
      var status = stat()
      if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK {
        throw .cannotCreate(path, "this is a link to a file that does not exist", hint: "Name another file.")
      }
      return
    }
    guard !identities().contains(target) else { throw .ownFile(path: path) }
  }

  /// Whether two paths lead to one file, or would if it existed: by `./`, by another case of letters, by a link.
  static func areSame(_ left: String, _ right: String) -> Bool {
    if let left = Identity(left), let right = Identity(right) { return left == right }
    return Place(left).map { $0 == Place(right) } ?? (left == right)
  }

  /// Where SQLite expects the database and the files that belong to it: one that is put there would be read as its journal.
  private func places() -> [Place] {
    guard let data = try? environment.dataDirectory() else { return [] }
    let database = RecordingRepository.database(in: data)
    return [database, database.resolvingSymlinksInPath()].flatMap { file in
      ["", "-journal", "-wal", "-shm"].compactMap { Place(file.path + $0) }
    }
  }

  private func identities() -> Set<Identity> {
    var files: [String] = []
    if let data = try? environment.dataDirectory() {
      let database = RecordingRepository.database(in: data)
      // SQLite's journal and a repair's copies are beside the file itself, also if a link leads to it.
      for file in Set([database, database.resolvingSymlinksInPath()]) {
        let folder = file.deletingLastPathComponent().path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        files += names.filter { $0.hasPrefix(file.lastPathComponent) }.map { folder + "/" + $0 }
      }
      files.append(SessionToken.file(in: data).path)
      for folder in ["audio", "locks"] {
        let folder = data.appending(path: folder).path
        files += FileManager.default.enumerator(atPath: folder)?.compactMap { ($0 as? String).map { folder + "/" + $0 } } ?? []
      }
    }
    files += [environment.configDirectory?.appending(path: "config").path, KeyFile(environment).url?.path].compactMap(\.self)
    return Set(files.compactMap { Identity($0) })
  }

  /// A name in a folder, whether or not there is such a file.
  private struct Place: Hashable {
    let folder: Identity
    /// In lower case, because some file systems do not distinguish it.
    let name: String

    init?(_ path: String) {
      let parent = path.folderOfPath
      guard let folder = Identity(parent.isEmpty ? "." : parent), let name = path.split(separator: "/").last else { return nil }
      self.folder = folder
      self.name = name.lowercased()
    }
  }

  /// What makes two names the same file.
  private struct Identity: Hashable {
    let device: UInt64
    let inode: UInt64

    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      device = UInt64(truncatingIfNeeded: status.st_dev)
      inode = UInt64(truncatingIfNeeded: status.st_ino)
    }
  }
}
