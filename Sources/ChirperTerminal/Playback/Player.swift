import Foundation

/// A program that plays a local file; it is never given a URL nor text out of a catalogue.
package struct Player: Equatable, Sendable {
  package let name: String
  /// Absolute.
  package let path: String
  let flags: [String]

  /// The whole argument vector behind the program's name; no shell sees it.
  package func arguments(for file: URL) -> [String] { flags + [file.path] }

  /// Players known by name, the first installed is taken; flags keep each silent on the terminal and let it end.
  static let known: [(name: String, flags: [String])] = [
    ("mpv", ["--no-config", "--no-video", "--no-terminal", "--really-quiet", "--"]),
    ("ffplay", ["-nodisp", "-autoexit", "-loglevel", "quiet", "-i"]),
    ("play", ["-q"]),
    ("afplay", []),
  ]

  /// Finds the player.
  ///
  /// - Parameter configured: a name or absolute path out of the settings, which wins; one that is not known gets the
  ///   file as its only argument.
  package static func find(configured: String? = nil, environment: [String: String]) throws(Missing) -> Player {
    try find(configured: configured, in: ProgramSearch(environment: environment))
  }

  static func find(configured: String? = nil, in search: ProgramSearch) throws(Missing) -> Player {
    if let configured {
      guard let path = search.path(of: configured) else { throw .configured(configured) }
      let name = (configured as NSString).lastPathComponent
      return Player(name: name, path: path, flags: known.first { $0.name == name }?.flags ?? [])
    }
    for player in known {
      if let path = search.path(of: player.name) { return Player(name: player.name, path: path, flags: player.flags) }
    }
    throw .none
  }

  /// Why there is no player.
  package enum Missing: Error, Equatable {
    case none
    /// The settings name one that is not there.
    case configured(String)

    package var words: String {
      switch self {
      case .none: "no player is installed: install mpv (or ffplay, or play of sox)"
      case .configured(let name): "the player \(name) of the settings is not installed"
      }
    }
  }
}
