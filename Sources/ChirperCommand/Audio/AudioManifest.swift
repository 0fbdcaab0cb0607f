import ChirperFormats
import ChirperModel
import Foundation

/// The files that chirper wrote to a folder, as a hidden file there names them, with the size of a
/// sound and the SHA-256 of a text.
///
/// A file of a different size or SHA-256 is not the one that chirper wrote.
struct AudioManifest {
  static let fileName = ".chirper-audio.tsv"
  private static let heading = "file\tcontent"
  /// The heading of a manifest with sizes alone, in which texts were not noted.
  private static let earlierHeading = "file\tbytes"
  /// The content of a text that an export is writing. Whatever the text has then is chirper's.
  private static let unfinished = ""
  /// A manifest of more bytes is not chirper's.
  private static let sizeLimit = 1 << 28

  private let folder: String
  private var contents: [String: String] = [:]

  /// Whether the folder has one, so that chirper has written there.
  private(set) var isThere = false

  var isEmpty: Bool { contents.isEmpty }

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
    let heading = lines.first.map(String.init)
    guard bytes.count <= Self.sizeLimit,
      heading == Self.heading || heading == Self.earlierHeading
    else { return }
    isThere = true
    for line in lines.dropFirst() {
      let cells = line.split(separator: "\t", omittingEmptySubsequences: false)
      // Whoever gave the folder could name a file elsewhere.
      guard cells.count == 2, AudioFolder.canBeFile(String(cells[0])) else { continue }
      contents[String(cells[0])] = String(cells[1])
    }
    guard heading == Self.earlierHeading else { return }
    for name in AudioFolder.texts {
      let size = RegularFile("\(folder)/\(name)").map { "\($0.size)" }
      contents[name] = contents[name] == size ? Self.content(of: name, in: folder) : nil
    }
    begin(AudioFolder.written(with: nil))
  }

  /// Whether chirper has written a file of that name.
  func has(_ name: String) -> Bool { contents[name] != nil }

  /// Whether chirper has written a file of that name and content.
  func has(_ name: String, _ content: String) -> Bool {
    contents[name] == content || contents[name] == Self.unfinished
  }

  /// Notes that a file is there.
  mutating func add(_ name: String) {
    if let content = Self.content(of: name, in: folder) { contents[name] = content }
  }

  /// Notes that texts are about to be written.
  mutating func begin(_ texts: [String]) {
    for name in texts { contents[name] = Self.unfinished }
  }

  /// Notes the files that only `other` has, and those that `other` has written since.
  mutating func add(_ other: AudioManifest) {
    for (name, content) in other.contents where !isCurrent(name) { contents[name] = content }
  }

  /// The files that are still there as chirper wrote them, in the order of their names.
  func files(where isWanted: (String) -> Bool) -> [String] {
    contents.keys.filter { isWanted($0) && isCurrent($0) }.sorted()
  }

  /// Deletes a file that chirper wrote; `false` if it has changed since, or cannot be
  /// deleted.
  mutating func delete(_ name: String) -> Bool {
    guard isCurrent(name), unlink("\(folder)/\(name)") == 0 else { return false }
    contents[name] = nil
    return true
  }

  func write(to output: any ByteOutput) throws {
    try output.line(Self.heading)
    for (name, content) in contents.sorted(by: { $0.key < $1.key })
    where content == Self.unfinished || isCurrent(name) {
      try output.line("\(name)\t\(content)")
    }
    try output.flush()
  }

  private func isCurrent(_ name: String) -> Bool {
    contents[name].map { $0 == Self.content(of: name, in: folder) } ?? false
  }

  /// The bytes of a sound, and SHA-256 of a text, which an edit may leave as long as it was; `nil`
  /// if it is not there.
  static func content(of name: String, in folder: String) -> String? {
    let path = "\(folder)/\(name)"
    guard let size = RegularFile(path)?.size else { return nil }
    guard AudioFolder.texts.contains(name) else { return "\(size)" }
    var digest = SHA256()
    let next = try? ReadableFile(path).pieces()
    while let piece = try? next?(), !piece.isEmpty { digest.add(piece) }
    return digest.text()
  }
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
