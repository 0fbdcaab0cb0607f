import ChirperFormats
import ChirperModel
import Foundation
import NIOCore

/// The address on which the server listens, and who may ask it besides the programs and
/// pages of this machine.
package struct ServerAccess: Sendable {
  /// The address of this machine that it listens on.
  let address: String
  /// A name by which it is reached, as that of a reverse proxy.
  let host: String?
  /// The origin of a page of a different site that may ask it.
  let origin: String?
  /// Whether reading needs no token.
  let isPublic: Bool
  /// Whether records lead to this server for audio that is kept.
  let offersAudio: Bool
  /// The token that allows everything.
  package let owner: SessionToken
  /// The token that allows reading.
  package let reader: SessionToken
  /// The code that can be typed in place of the reader's link; `nil` if nobody can read it, or
  /// reading needs no link.
  package let code: ReaderCode?

  /// Whether only this machine can connect.
  package var isLoopback: Bool { Loopback.contains(address) }

  /// - Parameters:
  ///   - address: an address of this machine; `0.0.0.0` and `::` for all of them, `nil` for
  ///     127.0.0.1.
  ///   - host: a name that requests may have in `Host`.
  ///   - origin: an origin as in `https://page.example`.
  ///   - isPublic: whether everybody who can connect may read.
  ///   - offersAudio: whether records lead to this server for audio that is kept.
  ///   - showsCode: whether somebody sees the code of the readers.
  ///   - directory: the data directory, which has the tokens.
  /// - Throws: `UserFacingError` for a text that is not an address, name or origin, for what cannot
  ///   be combined, and for a file that does not have a token of its own.
  package init(
    address: String?, host: String?, origin: String?, isPublic: Bool, offersAudio: Bool,
    showsCode: Bool, directory: URL
  ) throws(UserFacingError) {
    if let address, (try? SocketAddress(ipAddress: address, port: 0)) == nil {
      throw .usage(
        "\(address.inQuotes) is not the address of a machine",
        example: "--listen 192.168.1.20, or --listen 0.0.0.0 for all")
    }
    func isName(_ text: String) -> Bool {
      !text.isEmpty
        && text.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789-.".utf8.contains($0) }
    }
    if let host, !isName(host.lowercased()) {
      throw .usage(
        "\(host.inQuotes) is not the name of a machine",
        hint: "Type it without a port, as in: --allow-host birds.example")
    }
    if let origin {
      let parts = URLComponents(string: origin.lowercased())
      var own = URLComponents()
      own.scheme = parts?.scheme
      own.host = parts?.host
      own.port = parts?.port
      guard ["http", "https"].contains(parts?.scheme), isName(parts?.host ?? ""),
        own.string == origin.lowercased()
      else {
        throw .usage(
          "\(origin.inQuotes) is not the origin of a page",
          hint: "Type it without a path, as in: --allow-origin https://page.example")
      }
    }
    guard !isPublic || address != nil else {
      throw .usage(
        "--public is for other machines, which reach this server only with --listen",
        hint: "Type: chirper serve --listen 0.0.0.0 --public")
    }
    self.address = address ?? "127.0.0.1"
    guard !offersAudio || isPublic || Loopback.contains(self.address) else {
      throw .usage(
        "--own-audio cannot be used with --listen alone, because the addresses would need a token",
        hint: "Leave out --listen, or add --public if everybody in the network may read.")
    }
    self.isPublic = isPublic
    self.offersAudio = offersAudio
    self.host = host?.lowercased()
    self.origin = origin?.lowercased()
    owner = try SessionToken(.owner, in: directory)
    reader = try SessionToken(.reader, in: directory)
    code = showsCode && !isPublic && !Loopback.contains(self.address) ? ReaderCode() : nil
  }
}

/// A secret of a server, kept over restarts in a file that only its owner can read. Programs send
/// it, and the page exchanges it for a session.
package struct SessionToken: Sendable {
  /// The extent of what a token allows.
  package enum Role: String, CaseIterable, Sendable {
    /// Everything.
    case owner
    /// Reading, without what only whoever runs the server may know.
    case reader
  }

  let role: Role
  /// 32 hexadecimal digits.
  let text: String
  /// The file with the token; `nil` if it is for this run alone, because nothing can be
  /// written there.
  package let file: URL?

  /// The token of a data directory, made if the directory has none.
  ///
  /// - Throws: `UserFacingError` if other users can read the file, or it has no token.
  init(_ role: Role, in directory: URL) throws(UserFacingError) {
    self.role = role
    let made = SHA256.text((0..<16).map { _ in .random(in: 0...255) })
    let file = Self.file(of: role, in: directory)
    // As a link, so that another server that starts at the same time has the same one.
    let new = file.appendingPathExtension("\(getpid())")
    let descriptor = open(new.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    if descriptor >= 0 {
      let bytes = Array("\(made)\n".utf8)
      let written = write(descriptor, bytes, bytes.count)
      if fsync(descriptor) == 0, written == bytes.count { link(new.path, file.path) }
      close(descriptor)
      unlink(new.path)
    }
    var status = stat()
    guard stat(file.path, &status) == 0 else {
      text = made
      self.file = nil
      return
    }
    let stored =
      (try? String(contentsOf: file, encoding: .utf8))?.trimmingCharacters(
        in: .whitespacesAndNewlines) ?? ""
    guard status.st_mode & 0o077 == 0, stored.utf8.count >= 32,
      stored.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else {
      let isOpen = status.st_mode & 0o077 != 0
      throw UserFacingError(
        .configuration, kind: "token-file", subject: file.path,
        problem: isOpen
          ? "other users can read this file, so its token is not used" : "this file has no token",
        hint:
          "Type: rm \(CommandText.quoted(file.path)); the next chirper serve makes another token.")
    }
    text = stored
    self.file = file
  }

  /// The file of a data directory. In one that several accounts share, each has its own.
  package static func file(of role: Role, in directory: URL) -> URL {
    let name =
      switch role {
      case .owner: "serve-token"
      case .reader: "serve-reader-token"
      }
    let isShared = OpenFolder(directory.path)?.groupMode != nil
    return directory.appending(path: isShared ? "\(name)-\(getuid())" : name)
  }

  /// Whether the text is this token. Takes as long for a text that is nearly right as for
  /// any other.
  func matches(_ other: some StringProtocol) -> Bool { Self.areEqual(text, other) }

  /// Whether two secrets are equal. Takes as long for one that is nearly right as for any
  /// other.
  static func areEqual(_ one: some StringProtocol, _ other: some StringProtocol) -> Bool {
    guard one.utf8.count == other.utf8.count else { return false }
    return zip(one.utf8, other.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
