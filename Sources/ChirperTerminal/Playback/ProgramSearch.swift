import Foundation

/// Finds programs as a shell does.
struct ProgramSearch {
  private let folders: [String]
  private let isExecutable: (String) -> Bool

  init(environment: [String: String], isExecutable: @escaping (String) -> Bool = isProgram) {
    // A relative folder in PATH would run whatever lies in the working directory.
    folders = (environment["PATH"] ?? "").split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
    self.isExecutable = isExecutable
  }

  /// The absolute path of a name, or of an absolute path itself.
  func path(of name: String) -> String? {
    if name.contains("/") { return name.hasPrefix("/") && isExecutable(name) ? name : nil }
    return folders.lazy.map { $0 + "/" + name }.first(where: isExecutable)
  }

  static func isProgram(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
      && FileManager.default.isExecutableFile(atPath: path)
  }
}
