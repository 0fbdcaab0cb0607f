import Chirper
import ChirperFormats
import ChirperModel
import Foundation

/// The key of the default catalogue and its origin: an environment variable, else a file
/// that a second variable names and a group may share, else a file that only its owner can
/// read.
enum KeyFile {
  static let catalogue = Catalogues.defaultCatalogue

  /// `XENO_CANTO_API_KEY`.
  static var variable: String { catalogue.keyVariable }
  /// `XENO_CANTO_API_KEY_FILE`.
  static var fileVariable: String { variable + "_FILE" }

  static var url: URL? {
    ProcessEnvironment.live.configDirectory?.appending(path: "\(catalogue.id).key")
  }

  enum Source: Equatable {
    case environment
    case file(path: String)
    case sharedFile(path: String)
  }

  /// The key in force and where it comes from; `nil` if none is set.
  static func current() throws(UserFacingError) -> (key: APIKey, source: Source)? {
    let environment = ProcessEnvironment.live
    if let text = environment[variable] {
      return (try key(text, from: variable), .environment)
    }
    if let path = environment[fileVariable] {
      guard let text = try read(path, forbidden: 0o027) else {
        throw .keyFileUnreadable(path: path, errno: ENOENT)
      }
      return (try key(text, from: path), .sharedFile(path: path))
    }
    guard let path = url?.path, let text = try read(path, forbidden: 0o077) else { return nil }
    return (try key(text, from: path), .file(path: path))
  }

  /// Stores the key in place of the one before, whole or not at all.
  static func store(_ text: String) throws -> String {
    guard let url else { throw UserFacingError.noHome(variable: "CHIRPER_CONFIG_DIR") }
    _ = try key(text, from: "the input")
    let directory = url.deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(
        at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw FileError.creating(directory.path, errno: errno == 0 ? EACCES : errno)
    }
    let file = try AtomicFile(path: url.path, mode: 0o600)
    try AtomicFile.writing([file]) {
      file.sink.buffer += (text.trimmingCharacters(in: .whitespacesAndNewlines) + "\n").utf8
    }
    return url.path
  }

  /// Removes the stored key; `nil` if none was stored.
  static func clear() throws(UserFacingError) -> String? {
    guard let path = url?.path else { return nil }
    guard unlink(path) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw UserFacingError(FileError.writing(path, errno: errno))
    }
    return path
  }

  /// The text of a file with a secret; `nil` if it does not exist.
  ///
  /// - Parameter forbidden: the permissions that the file must not have.
  static func read(_ path: String, forbidden: mode_t) throws(UserFacingError) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw .keyFileUnreadable(path: path, errno: errno)
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw .keyFileUnreadable(path: path, errno: errno)
    }
    guard status.st_mode & forbidden == 0 else {
      let mode = String(~forbidden & 0o660, radix: 8)
      throw UserFacingError(
        .configuration, kind: "key-file-open", subject: path,
        problem: "other users can read this key file, so it is not used",
        hint: "Type: chmod \(mode) \(CommandText.quoted(path))")
    }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = Foundation.read(descriptor, &bytes, bytes.count)
    guard count >= 0 else { throw .keyFileUnreadable(path: path, errno: errno) }
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }

  private static func key(_ text: String, from: String) throws(UserFacingError) -> APIKey {
    let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    // A pasted sentence or URL mostly has other characters.
    guard text.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }), !text.isEmpty,
      text.utf8.count <= 512
    else {
      let help = catalogue.keyHelpAddress.map { "Copy it from \($0) and type" } ?? "Type"
      throw UserFacingError(
        .configuration, kind: "bad-key",
        problem: "The key in \(from) cannot be a key: a key is one word of letters and digits",
        hint: "\(help): chirper auth set")
    }
    return APIKey(text)
  }
}
