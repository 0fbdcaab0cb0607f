import Foundation

/// The files of an archive: a zip file, or the folder that it was unpacked into.
struct ArchiveFiles: Sendable {
  private enum Place {
    /// The folder in the zip file that has the archive, with its slash.
    case zip(ZipReader, root: String)
    case folder(String)
  }

  /// The name of the archive in messages.
  let name: String
  private let place: Place

  /// The most bytes of a file that is read at once.
  static let textLimit = 4 << 20

  var isFolder: Bool { if case .folder = place { true } else { false } }

  init(folder path: String) {
    name = path
    place = .folder(path.hasSuffix("/") ? path : path + "/")
  }

  /// The archive in a zip file: in the folder of the file of that name that is in the fewest
  /// folders. What a Mac adds, in `__MACOSX/`, is passed over.
  init(zip: ZipReader, with mark: String) {
    name = zip.file.name
    let found = zip.entries.keys.filter { entry in
      !entry.hasPrefix("__MACOSX/") && "/\(entry)".lowercased().hasSuffix("/\(mark)")
    }
    let nearest = found.min {
      ($0.utf8.count { $0 == 0x2F }, $0) < ($1.utf8.count { $0 == 0x2F }, $1)
    }
    place = .zip(zip, root: String((nearest ?? mark).dropLast(mark.count)))
  }

  /// The bytes of a file when it is unpacked; `nil` if it is not there.
  func size(of file: String) -> Int64? {
    let path = path(of: file)
    switch place {
    case .zip(let zip, _): return zip.entries[path]?.size
    case .folder: return (try? ReadableFile(path, followsLinks: false))?.size
    }
  }

  /// The path of the file of that name, in any case if no name has the same case.
  private func path(of file: String) -> String {
    func found(_ names: some Collection<String>, _ path: String) -> String {
      names.contains(path)
        ? path : names.sorted().first { $0.lowercased() == path.lowercased() } ?? path
    }
    switch place {
    case .zip(let zip, let root): return found(zip.entries.keys, root + file)
    case .folder(let path):
      return path + found((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [], file)
    }
  }

  /// A function that returns the next piece of a file, empty at its end. A link in a folder is not
  /// followed.
  func pieces(of file: String) throws(UserFacingError) -> () throws -> [UInt8] {
    let path = path(of: file)
    switch place {
    case .zip(let zip, _): return try zip.pieces(of: path)
    case .folder: return try ReadableFile(path, followsLinks: false).pieces()
    }
  }

  /// A small file; `nil` if it is not there.
  func bytes(of file: String) throws -> [UInt8]? {
    guard let size = size(of: file) else { return nil }
    guard size <= Self.textLimit else {
      throw UserFacingError.badArchive(name, "\(file) has more than \(Self.textLimit) bytes")
    }
    var bytes: [UInt8] = []
    let next = try pieces(of: file)
    while case let piece = try next(), !piece.isEmpty {
      bytes += piece
      guard bytes.count <= Self.textLimit else {
        throw UserFacingError.badArchive(name, "\(file) has more bytes than its directory says")
      }
    }
    return bytes
  }
}
