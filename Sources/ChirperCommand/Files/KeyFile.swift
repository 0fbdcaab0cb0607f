import Chirper
import ChirperFormats
import ChirperModel
import Foundation

/// The key of the default catalogue and its origin: an environment variable, else a file
/// that a second variable names and a group may share, else a file that only its owner can
/// read.
enum KeyFile {
  /// The only catalogue with a key; a second one would need an option to choose.
  static let catalogue = Catalogues.defaultCatalogue

  /// `XENO_CANTO_API_KEY`.
  static var variable: String { catalogue.keyVariable }
  /// `XENO_CANTO_API_KEY_FILE`.
  static var fileVariable: String { variable + "_FILE" }

  static var url: URL? {
    ProcessEnvironment.live.configDirectory?.appending(path: "\(catalogue.id).key")
  }

  /// The source of the key, as a word for `--json`.
  enum Source: String {
    case environment, file
    case sharedFile = "shared-file"
  }

  /// The key in force, where it comes from, and its file, if it is in one; `nil` if none is set.
  static func current() throws(UserFacingError) -> (key: APIKey, source: Source, path: String?)? {
    let environment = ProcessEnvironment.live
    if let text = environment[variable] {
      return (try key(text, from: variable), .environment, nil)
    }
    if let path = environment[fileVariable] {
      guard let text = try read(path, forbidden: 0o027) else {
        throw Kind.key.unreadable(path: path, errno: ENOENT)
      }
      return (try key(text, from: path), .sharedFile, path)
    }
    guard let path = url?.path, let text = try read(path, forbidden: 0o077) else { return nil }
    return (try key(text, from: path), .file, path)
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

  /// The kinds of files with a secret, in messages.
  enum Kind: String {
    case key
    case token

    /// The advice besides that to change the file.
    fileprivate var advice: String {
      switch self {
      case .key: "type: chirper auth set"
      case .token: "name a different one in server-token-file or CHIRPER_SERVER_TOKEN_FILE"
      }
    }

    func unreadable(path: String, errno number: Int32) -> UserFacingError {
      UserFacingError(
        .configuration, kind: "\(rawValue)-file-unreadable", subject: path,
        problem: "the \(rawValue) file cannot be read: \(String(cString: strerror(number)))",
        hint: "Make it readable to you, or \(advice)")
    }
  }

  /// The text of a file with a secret; `nil` if it does not exist.
  ///
  /// - Parameter forbidden: the permissions that the file must not have.
  static func read(
    _ path: String, forbidden: mode_t, as kind: Kind = .key
  ) throws(UserFacingError) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw kind.unreadable(path: path, errno: errno)
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw kind.unreadable(path: path, errno: errno)
    }
    guard status.st_mode & forbidden == 0 else {
      let mode = String(~forbidden & 0o660, radix: 8)
      let isFile = status.st_mode & S_IFMT == S_IFREG
      throw UserFacingError(
        .configuration, kind: "\(kind.rawValue)-file-open", subject: path,
        problem: isFile
          ? "other users can read this \(kind.rawValue) file, so it is not used"
          : "this is not a \(kind.rawValue) file",
        hint: isFile
          ? "Type: chmod \(mode) \(CommandText.quoted(path))"
          : "Write the \(kind.rawValue) into a file, or \(kind.advice)")
    }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = Foundation.read(descriptor, &bytes, bytes.count)
    guard count >= 0 else { throw kind.unreadable(path: path, errno: errno) }
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }

  private static func key(_ text: String, from: String) throws(UserFacingError) -> APIKey {
    let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard isSecret(text) else {
      let help = catalogue.keyHelpAddress.map { "Copy it from \($0) and type" } ?? "Type"
      throw UserFacingError(
        .configuration, kind: "bad-key",
        problem: "The key in \(from) cannot be a key: a key is one word of letters and digits",
        hint: "\(help): chirper auth set")
    }
    return APIKey(text)
  }

  /// Whether the text can be a key or a token; a pasted sentence or URL has other characters.
  static func isSecret(_ text: String) -> Bool {
    text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) } && !text.isEmpty
      && text.utf8.count <= 512
  }
}
