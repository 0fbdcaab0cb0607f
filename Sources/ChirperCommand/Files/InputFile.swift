import ChirperFormats
import Foundation

/// A file that the user names to be read.
enum InputFile {
  static func name(_ path: String) -> String { path == "-" ? "standard input" : path }

  /// The lines of a text file of at most a megabyte; `-` is standard input.
  static func lines(_ path: String) throws -> [String] {
    var bytes: [UInt8] = []
    func fault(_ problem: String) -> UserFacingError {
      .usage("\(name(path)) \(problem)", hint: "Name a file with a query in each line.")
    }
    func read(_ next: () throws -> [UInt8]) throws {
      while case let piece = try next(), !piece.isEmpty {
        bytes += piece
        guard bytes.count <= 1 << 20 else { throw fault("has more than a megabyte") }
      }
    }
    if path == "-" {
      try read { try piece(of: STDIN_FILENO, name(path)) }
    } else {
      try read(ReadableFile(path).pieces())
    }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw fault("is not text in UTF-8")
    }
    return text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(
      String.init)
  }

  private static func piece(of descriptor: Int32, _ path: String) throws -> [UInt8] {
    var piece = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = read(descriptor, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw UserFacingError.cannotRead(path: path, errno: errno) }
      return Array(piece.prefix(count))
    }
  }
}
