import ChirperFormats
import Foundation

/// The environment variables, and the directories that follow from them.
struct ProcessEnvironment: Sendable {
  private let variables: [String: String]

  static let live = ProcessEnvironment(ProcessInfo.processInfo.environment)

  init(_ variables: [String: String]) {
    self.variables = variables
  }

  /// The value of a variable; `nil` if it is unset or empty.
  subscript(name: String) -> String? {
    guard let value = variables[name], !value.isEmpty else { return nil }
    return value
  }

  /// The names of the variables that are set and that chirper reads, without their values.
  var namesRead: [String] {
    let others = [
      "CLICOLOR_FORCE", "COLUMNS", "NO_COLOR", "SOURCE_DATE_EPOCH", "TERM", "XDG_CONFIG_HOME",
      "XDG_DATA_HOME",
      "XENO_CANTO_API_KEY",
      "XENO_CANTO_API_KEY_FILE", "https_proxy", "no_proxy",
    ]
    return variables.keys.filter { name in
      name.hasPrefix("CHIRPER_") || others.contains(name) || others.contains(name.lowercased())
    }.sorted()
  }

  /// The time that files say they are of, in place of that of their rows.
  ///
  /// - SeeAlso: https://reproducible-builds.org/specs/source-date-epoch/
  func sourceDate() throws(UserFacingError) -> Date? {
    guard let text = self["SOURCE_DATE_EPOCH"] else { return nil }
    guard let seconds = Int(text), (0...253_402_300_799).contains(seconds) else {
      throw .badSetting(
        "\(text.inQuotes) is not a number of seconds since 1970", from: "SOURCE_DATE_EPOCH",
        hint: "Unset it, or set it as in: SOURCE_DATE_EPOCH=1767225600")
    }
    return Date(timeIntervalSince1970: TimeInterval(seconds))
  }

  func dataDirectory() throws(UserFacingError) -> URL {
    #if os(macOS)
    let fallback = "Library/Application Support"
    #else
    let fallback = ".local/share"
    #endif
    let own = "CHIRPER_DATA_DIR"
    guard let directory = directory(own, xdg: "XDG_DATA_HOME", fallback: fallback) else {
      throw .noHome(variable: own)
    }
    return directory
  }

  /// The data directory, to open the store in it.
  ///
  /// - Throws: `UserFacingError`, also if the user named a directory whose parent does not
  ///   exist. It may be on a share that is not mounted, and an empty store would be created
  ///   in its place.
  func storeDirectory() throws(UserFacingError) -> URL {
    let directory = try dataDirectory()
    guard let own = self["CHIRPER_DATA_DIR"] else { return directory }
    let folder = (own as NSString).deletingLastPathComponent
    guard
      folder.isEmpty || FileManager.default.fileExists(atPath: folder)
        || FileManager.default.fileExists(atPath: own)
    else {
      throw UserFacingError(
        .inputOutput, kind: "no-folder", subject: folder,
        problem: "this directory does not exist, so the data directory in it cannot be used",
        hint: "Mount or create it, or set CHIRPER_DATA_DIR to another directory.")
    }
    return directory
  }

  /// The directory of the settings and the key; `nil` without a home.
  var configDirectory: URL? {
    directory("CHIRPER_CONFIG_DIR", xdg: "XDG_CONFIG_HOME", fallback: ".config")
  }

  /// Refuses paths that are not UTF-8. Foundation would leave them out or change them, and
  /// so use a different directory.
  static func checkPaths() throws(UserFacingError) {
    let data = "CHIRPER_DATA_DIR"
    let config = "CHIRPER_CONFIG_DIR"
    var names = [data, config]
    if live[data] == nil || live[config] == nil {
      names += ["XDG_DATA_HOME", "XDG_CONFIG_HOME", "HOME"]
    }
    for name in names {
      if let value = getenv(name), String(validatingCString: value) == nil {
        throw .badSetting(
          "the path is not valid UTF-8", from: name, hint: "Set \(name) to a path in UTF-8.")
      }
    }
    let isRelative = [data, config].contains { live[$0].map { !$0.hasPrefix("/") } ?? false }
    guard isRelative, let working = getcwd(nil, 0) else { return }
    defer { free(working) }
    guard String(validatingCString: working) != nil else {
      throw .badSetting(
        "the path of the working directory is not valid UTF-8", from: data,
        hint: "Set \(data) to an absolute path.")
    }
  }

  /// The directory that the variable `own` names, else chirper's below that of the XDG
  /// specification, which has relative paths ignored.
  private func directory(_ own: String, xdg variable: String, fallback: String) -> URL? {
    if let path = self[own] { return URL(filePath: path, directoryHint: .isDirectory) }
    let parent: URL
    if let base = self[variable], base.hasPrefix("/") {
      parent = URL(filePath: base, directoryHint: .isDirectory)
    } else if let home = self["HOME"], home.hasPrefix("/") {
      parent = URL(filePath: home, directoryHint: .isDirectory).appending(
        path: fallback, directoryHint: .isDirectory)
    } else {
      return nil
    }
    return parent.appending(path: "chirper", directoryHint: .isDirectory)
  }
}

extension [String] {
  /// Whether these arguments of the program ask for JSON.
  var askForJSON: Bool { prefix { $0 != "--" }.contains("--json") }
}
