import Foundation

/// What the user set in the environment and the config file; flags come on top.
struct Settings {
  /// A catalogue's name and where it was set.
  var source: (name: String, from: String)?
  var xenoCantoURL: URL?
  var itunesURL: URL?
  /// A program's name or absolute path.
  var player: String?

  private static let names = ["source", "xeno-canto-url", "itunes-url", "player"]

  init(_ surroundings: ProcessEnvironment) throws(CommandError) {
    if let file = surroundings.configDirectory?.appending(path: "config"), let text = try Self.text(of: file) {
      for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
        try take(line, from: "\(file.path), line \(number + 1)")
      }
    }
    if let name = surroundings["CHIRPER_SOURCE"] { source = (name, "CHIRPER_SOURCE") }
    if let url = surroundings["CHIRPER_XENO_CANTO_URL"] { xenoCantoURL = try Self.base(url, from: "CHIRPER_XENO_CANTO_URL") }
    if let url = surroundings["CHIRPER_ITUNES_URL"] { itunesURL = try Self.base(url, from: "CHIRPER_ITUNES_URL") }
  }

  /// A line is `name = value`, a comment behind `#`, or blank.
  private mutating func take(_ line: Substring, from: String) throws(CommandError) {
    let line = (line.firstMatch(of: /(^|\s)#/).map { line[..<$0.range.lowerBound] } ?? line).trimmingCharacters(in: .whitespaces)
    guard !line.isEmpty else { return }
    let parts = line.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
    guard parts.count == 2 else {
      throw .badSetting("\"\(line)\" is no setting", from: from, hint: "Write it as in: source = xeno-canto")
    }
    switch parts[0] {
    case "source": source = (parts[1], from)
    case "xeno-canto-url": xenoCantoURL = try Self.base(parts[1], from: from)
    case "itunes-url": itunesURL = try Self.base(parts[1], from: from)
    case "player": player = parts[1]
    default:
      throw .badSetting(
        "There is no setting \"\(parts[0])\"", from: from, hint: "Settings are: \(Self.names.joined(separator: ", ")).")
    }
  }

  private static func text(of file: URL) throws(CommandError) -> String? {
    do {
      return String(decoding: try Data(contentsOf: file), as: UTF8.self)
    } catch CocoaError.fileReadNoSuchFile {
      return nil
    } catch {
      throw .badSetting("The settings cannot be read", from: file.path, hint: "Make the file readable to you, or move it away.")
    }
  }

  /// Scheme, host and port; plain HTTP only on this machine, where no one can listen.
  private static func base(_ text: String, from: String) throws(CommandError) -> URL {
    let hint = "Write scheme, host and port, as in: https://mirror.example.org or http://127.0.0.1:8080"
    guard let url = URL(string: text), let host = url.host(), !host.isEmpty, let scheme = url.scheme?.lowercased(),
      ["", "/"].contains(url.path), url.query == nil, url.fragment == nil, url.user == nil
    else { throw .badSetting("\"\(text)\" is no base URL", from: from, hint: hint) }
    let isLocal = host == "localhost" || host == "::1" || host == "[::1]" || host.hasPrefix("127.")
    guard scheme == "https" || (scheme == "http" && isLocal) else {
      throw .badSetting("\"\(text)\" is not reached by HTTPS", from: from, hint: hint)
    }
    return url
  }
}
