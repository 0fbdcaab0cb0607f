import Chirper
import ChirperFormats
import ChirperModel
import Foundation

/// The settings in the environment and the config file. Flags take precedence over them.
struct Settings {
  var source: (name: String, from: String)?
  /// Used in a catalogue's place, by its id: `xeno-canto-url` in the file, `CHIRPER_XENO_CANTO_URL`
  /// in the environment.
  var baseURLs: [CatalogueID: URL] = [:]
  /// The file with the token of the server that `--from-server` names.
  private var serverTokenFile: String?
  /// A program's name or absolute path.
  var player: String?
  /// Whether GBIF's name service is asked for other names if nothing is found.
  var asksNameService = true
  /// The time after which a list is due, for `sync --due`; `nil` for the usual one.
  private(set) var due: Age?
  /// Lists that have a time of their own, as they were typed.
  private(set) var dueOfLists: [(list: String, age: Age)] = []

  /// The warnings about names that are not settings.
  private(set) var warnings: [String] = []

  private static let remote = Catalogues.all.filter { $0.service != nil }.map(\.id)
  private static let names =
    ["source"] + remote.map { "\($0)-url" } + [
      "player", "name-service", "names", "due", "server-token-file",
    ]

  /// `CHIRPER_XENO_CANTO_URL`.
  static func variable(of catalogue: CatalogueID) -> String {
    "CHIRPER_\(catalogue.rawValue.uppercased().replacing("-", with: "_"))_URL"
  }

  init(_ environment: ProcessEnvironment) throws(UserFacingError) {
    for (parts, from) in try Self.lines(environment) { try take(parts, from: from) }
    let variables = [
      ("CHIRPER_SOURCE", "source"), ("CHIRPER_NAME_SERVICE", "name-service"),
      ("CHIRPER_SERVER_TOKEN_FILE", "server-token-file"),
    ]
    let addresses = Self.remote.map { (Self.variable(of: $0), "\($0)-url") }
    for (name, setting) in variables + addresses {
      if let value = environment[name] { try take([setting, value], from: name) }
    }
    for name in ["https_proxy", "HTTPS_PROXY"] {
      guard let setting = environment[name], ProxySettings([name: setting]).summary == "" else {
        continue
      }
      throw .badSetting(
        "A proxy without a host", from: name,
        hint: "Set \(name) to a host and a port, as in: proxy.example:3128")
    }
  }

  private mutating func take(_ parts: [String], from: String) throws(UserFacingError) {
    guard !parts.isEmpty else { return }
    guard parts.count == 2 else {
      throw .badSetting(
        "Unknown line \(parts[0].inQuotes)", from: from, hint: "Write it as in: source = xeno-canto"
      )
    }
    switch parts[0] {
    case "source": source = (parts[1], from)
    case "player": player = parts[1]
    case "server-token-file": serverTokenFile = parts[1]
    // Commands that read no other setting read it (`value`).
    case "names": break
    case "name-service":
      guard let isOn = ["on": true, "off": false][parts[1].lowercased()] else {
        throw .badSetting(
          "\(parts[1].inQuotes) is neither on nor off", from: from, hint: "Write on or off.")
      }
      asksNameService = isOn
    case "due":
      let words = parts[1].split(maxSplits: 1, whereSeparator: \.isWhitespace).map(String.init)
      guard let first = words.first, let age = try? Age(option: first) else {
        throw .badSetting(
          "\(parts[1].inQuotes) does not begin with a time", from: from,
          hint: "Write it as in: due = 7d, or for one list: due = 1d gbif:parrot")
      }
      if words.count == 1 { due = age } else { dueOfLists.append((words[1], age)) }
    default:
      if let catalogue = Self.remote.first(where: { parts[0] == "\($0)-url" }) {
        return baseURLs[catalogue] = try Self.base(parts[1], from: from)
      }
      let nearest = NearestNames.to(parts[0], among: Self.names)
      let meant =
        nearest.isEmpty
        ? "Settings are: \(Self.names.joined(separator: ", "))." : "Did you mean \(nearest[0])?"
      warnings.append("warning: Unknown setting \(parts[0].inQuotes) (\(from)). \(meant)")
    }
  }

  /// The lines of the config file, and where each is. A line is `name = value`, a comment after
  /// `#`, or blank.
  private static func lines(
    _ environment: ProcessEnvironment
  ) throws(UserFacingError) -> [(parts: [String], from: String)] {
    guard let file = environment.configDirectory?.appending(path: "config"),
      let text = try text(of: file)
    else { return [] }
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    return lines.enumerated().map { (parts(of: $1), "\(file.path), line \($0 + 1)") }
  }

  /// The name and the value of a line, or only one part of a line without `=`; empty for a comment.
  private static func parts(of line: Substring) -> [String] {
    let comment = line.indices.first {
      line[$0] == "#" && ($0 == line.startIndex || line[line.index(before: $0)].isWhitespace)
    }
    let line = line[..<(comment ?? line.endIndex)].trimmingCharacters(in: .whitespaces)
    guard !line.isEmpty else { return [] }
    let parts = line.split(separator: "=", maxSplits: 1).map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    return parts.count == 2 ? parts : [line]
  }

  /// The value of a setting that commands read that need no other, of the environment, else of the
  /// config file, and where it is set.
  static func value(of name: String, variable: String) -> (text: String, from: String)? {
    if let text = ProcessEnvironment.live[variable] { return (text, variable) }
    // Commands that read all settings report a file that cannot be read.
    let line = (try? lines(.live))?.last { $0.parts.count == 2 && $0.parts[0] == name }
    return line.map { ($0.parts[1], $0.from) }
  }

  /// The largest config file in bytes.
  private static let sizeLimit = 1 << 16

  private static func text(of file: URL) throws(UserFacingError) -> String? {
    // To open a pipe does not wait for what writes into it.
    let descriptor = open(file.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    if descriptor < 0, errno == ENOENT { return nil }
    defer { close(descriptor) }
    let bytes: Data
    do {
      bytes = try FileHandle(fileDescriptor: descriptor).read(upToCount: sizeLimit + 1) ?? Data()
    } catch {
      throw .badSetting(
        "The settings cannot be read", from: file.path,
        hint: "Make the file readable to you, or move it away.")
    }
    guard bytes.count <= sizeLimit else {
      throw .badSetting(
        "The settings have more than \(sizeLimit) bytes", from: file.path,
        hint: "Shorten the file, or move it away.")
    }
    let text = String(decoding: bytes, as: UTF8.self)
    // Some editors begin a file with a byte order mark.
    return text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text
  }

  /// The token for reading at another chirper's server; `nil` if no file with one is set.
  func serverToken() throws(UserFacingError) -> APIKey? {
    guard let path = serverTokenFile else { return nil }
    guard let read = try KeyFile.read(path, forbidden: 0o027, as: .token) else {
      throw KeyFile.Kind.token.unreadable(path: path, errno: ENOENT)
    }
    let text = read.trimmingCharacters(in: .whitespacesAndNewlines)
    guard KeyFile.isSecret(text) else {
      let what = text.isEmpty ? "is empty" : "has no token, which is one word of letters and digits"
      throw UserFacingError(
        .configuration, kind: "bad-token", subject: path, problem: "this token file \(what)",
        hint: "Write the token of the server's reader into it, and nothing else.")
    }
    return APIKey(text)
  }

  /// Scheme, host and port; plain HTTP only on this machine, where no one can listen.
  static func base(_ text: String, from: String) throws(UserFacingError) -> URL {
    let hint =
      "Write scheme, host and port, as in: https://mirror.example.org or http://127.0.0.1:8080"
    guard let url = URL(string: text), let host = url.host(), !host.isEmpty,
      let scheme = url.scheme?.lowercased(),
      ["", "/"].contains(url.path), url.query == nil, url.fragment == nil, url.user == nil
    else { throw .badSetting("\(text.inQuotes) is not a base URL", from: from, hint: hint) }
    guard scheme == "https" || (scheme == "http" && Loopback.contains(host)) else {
      throw .badSetting("\(text.inQuotes) does not use HTTPS", from: from, hint: hint)
    }
    return url
  }
}
