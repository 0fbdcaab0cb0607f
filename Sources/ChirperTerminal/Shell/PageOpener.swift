import Foundation

/// Opens a page in the user's browser: the address is one argument of the program, and no shell reads it.
enum PageOpener {
  enum Outcome: Equatable {
    case opened(String)
    case refused(String)
  }

  static func open(_ url: URL, environment: [String: String]) -> Outcome {
    #if os(macOS)
      let name = "open"
    #else
      let name = "xdg-open"
    #endif
    guard let program = ProgramSearch(environment: environment).path(of: name) else {
      return .refused("no program to open \(url.absoluteString): Y copies it")
    }
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = [url.absoluteString]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return .refused("\(name) could not be started: Y copies the address") }
    return .opened(url.absoluteString)
  }
}
