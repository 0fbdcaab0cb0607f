import Foundation

/// Opens a page in the user's web browser; the address is one argument of the program, and no shell reads it.
enum PageOpener {
  enum Outcome: Equatable {
    case opened(String)
    case failed(String)
  }

  static func open(_ page: URL, environment: [String: String]) -> Outcome {
    #if os(macOS)
      let name = "open"
    #else
      let name = "xdg-open"
    #endif
    guard let program = ProgramPath(environment: environment).path(of: name) else {
      return .failed("\(name) is not installed to open \(page.absoluteString): Y copies the address")
    }
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = [page.absoluteString]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return .failed("\(name) could not be started: Y copies the address") }
    return .opened(page.absoluteString)
  }
}
