import ChirperFormats
import ChirperModel
import Foundation

/// The audio files and tables of selections that chirper wrote to a folder, as a hidden file there
/// names them, with their sizes.
///
/// A file of a different size is not the one that chirper wrote.
struct AudioManifest {
  static let fileName = ".chirper-audio.tsv"
  private static let heading = "file\tbytes"
  /// A manifest of more bytes is not chirper's.
  private static let sizeLimit = 1 << 28

  private let folder: String
  private var sizes: [String: Int] = [:]

  /// Whether the folder has one, so that chirper has written there.
  private(set) var isThere = false

  var isEmpty: Bool { sizes.isEmpty }

  /// Reads the manifest of the folder; without a readable one no file is known.
  init(folder: String) {
    self.folder = folder
    var bytes: [UInt8] = []
    let path = "\(folder)/\(Self.fileName)"
    guard RegularFile(path) != nil else { return }
    let next = try? ReadableFile(path).pieces()
    while bytes.count <= Self.sizeLimit, let piece = try? next?(), !piece.isEmpty {
      bytes += piece
    }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    guard bytes.count <= Self.sizeLimit, lines.first.map(String.init) == Self.heading else {
      return
    }
    isThere = true
    for line in lines.dropFirst() {
      let cells = line.split(separator: "\t", omittingEmptySubsequences: false)
      // Whoever gave the folder could name a file elsewhere.
      guard cells.count == 2, let size = Int(cells[1]), AudioFolder.canBeFile(String(cells[0]))
      else { continue }
      sizes[String(cells[0])] = size
    }
  }

  /// Whether chirper has written a file of that name.
  func has(_ name: String) -> Bool { sizes[name] != nil }

  /// Notes that a file is there.
  mutating func add(_ name: String) {
    if let size = currentSize(of: name) { sizes[name] = size }
  }

  /// Notes the files that only `other` has.
  mutating func add(_ other: AudioManifest) { sizes.merge(other.sizes) { own, _ in own } }

  /// The files that are still there as chirper wrote them, in the order of their names.
  func files(where isWanted: (String) -> Bool) -> [String] {
    sizes.filter { isWanted($0.key) && currentSize(of: $0.key) == $0.value }.keys.sorted()
  }

  /// Deletes a file that chirper wrote; `false` if it has changed since, or cannot be
  /// deleted.
  mutating func delete(_ name: String) -> Bool {
    guard let size = sizes[name], currentSize(of: name) == size, unlink(path(of: name)) == 0
    else { return false }
    sizes[name] = nil
    return true
  }

  func write(to output: any ByteOutput) throws {
    try output.line(Self.heading)
    for (name, size) in sizes.sorted(by: { $0.key < $1.key }) where currentSize(of: name) == size {
      try output.line("\(name)\t\(size)")
    }
    try output.flush()
  }

  private func path(of name: String) -> String { "\(folder)/\(name)" }

  private func currentSize(of name: String) -> Int? { RegularFile(path(of: name))?.size }
}

/// The size of a regular file, and the time of its last change.
struct RegularFile {
  let size: Int
  let time: Date

  /// - Returns: `nil` for a link, whatever it leads to, and for anything else.
  init?(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    size = Int(status.st_size)
    let (seconds, nanoseconds) = status.modified
    time = Date(timeIntervalSince1970: Double(seconds) + Double(nanoseconds) / 1e9)
  }
}
