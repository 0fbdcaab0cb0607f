import Chirper
import ChirperFormats
import ChirperModel
import ChirperServer
import Foundation

/// chirper's own files, which an export must not replace: database, journal, damaged copies, locks,
/// audio, settings, key and tokens.
///
/// They are looked up once, when this is made.
struct OwnFiles {
  /// Files that are there, by whatever name or link.
  private var files: Set<FileIdentity> = []
  /// Folders in which every file is chirper's.
  private var folders: Set<FileIdentity> = []
  /// Names that chirper gives to its files, whether or not they are there.
  private var names: Set<NameInFolder> = []

  init() {
    let environment = ProcessEnvironment.live
    add(environment.configDirectory?.appending(path: "config"))
    add(KeyFile.url)
    add(environment[KeyFile.fileVariable].map { URL(filePath: $0) })
    guard let data = try? environment.dataDirectory() else { return }
    let database = RecordingRepository.database(in: data)
    // SQLite's journal and a repair's copies are beside the file itself, also if a link leads to
    // it.
    for file in Set([database, database.resolvingSymlinksInPath()]) {
      // A file that is put there would be read as the database's journal.
      for suffix in [""] + SQLiteCompanion.suffixes {
        NameInFolder(file.path + suffix).map { _ = names.insert($0) }
      }
      let folder = file.deletingLastPathComponent().path
      let found = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      for name in found where name.hasPrefix(file.lastPathComponent) {
        FileIdentity(folder + "/" + name).map { _ = files.insert($0) }
      }
    }
    for role in SessionToken.Role.allCases { add(SessionToken.file(of: role, in: data)) }
    for name in ["audio", "locks"] {
      let folder = data.appending(path: name)
      add(folder)
      // A folder for each catalogue, which may be a link.
      add(folder: folder.path, levels: 2)
    }
  }

  private mutating func add(_ file: URL?) {
    guard let path = file?.path else { return }
    NameInFolder(path).map { _ = names.insert($0) }
    FileIdentity(path).map { _ = files.insert($0) }
  }

  private mutating func add(folder: String, levels: Int) {
    guard let identity = FileIdentity(folder) else { return }
    folders.insert(identity)
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
      let path = folder + "/" + name
      FileIdentity(path).map { _ = files.insert($0) }
      if levels > 1, FileKind(path) == .directory { add(folder: path, levels: levels - 1) }
    }
  }

  /// Refuses an output that is one of these, or would be, by whatever name or link. A link that
  /// leads nowhere is refused, too, unless it is to be replaced.
  func check(output path: String, links: AtomicFile.LinkPolicy = .follow) throws(UserFacingError) {
    guard !isOwnName(path) else { throw .ownFile(path: path) }
    let isLink = FileKind(path, followsLinks: false) == .link
    if isLink, links == .replace { return }
    guard let target = FileIdentity(path) else {
      guard isLink else { return }
      throw .cannotCreate(
        path, "this is a link to a file that does not exist", hint: "Name another file.")
    }
    guard !files.contains(target) else { throw .ownFile(path: path) }
  }

  /// Whether the path, or a folder that would have to be created for it, has a name of chirper's
  /// files or is in one of chirper's folders.
  private func isOwnName(_ path: String) -> Bool {
    var path = path
    while !path.isEmpty {
      if let name = NameInFolder(path) {
        return names.contains(name) || folders.contains(name.folder)
      }
      path = path.folderOfPath
    }
    return false
  }

  /// Whether two paths lead to one file, or would if it existed: by `./`, by a different
  /// case of letters, by a link.
  static func areSame(_ left: String, _ right: String) -> Bool {
    if let left = FileIdentity(left), let right = FileIdentity(right) { return left == right }
    return NameInFolder(left).map { $0 == NameInFolder(right) } ?? (left == right)
  }

  /// A name in a folder, whether or not the file exists.
  private struct NameInFolder: Hashable {
    let folder: FileIdentity
    /// The name in lower case, because some file systems do not distinguish it.
    let name: String

    init?(_ path: String) {
      let parent = path.folderOfPath
      guard let folder = FileIdentity(parent.isEmpty ? "." : parent),
        let name = path.split(separator: "/").last
      else { return nil }
      self.folder = folder
      self.name = name.lowercased()
    }
  }
}
