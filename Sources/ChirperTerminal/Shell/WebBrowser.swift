import Foundation

/// The user's web browser.
package enum WebBrowser {
  /// Opens a page in it; the address is one argument of the program, and no shell reads it.
  ///
  /// - Parameters:
  ///   - address: of the page.
  ///   - environment: has `PATH`.
  /// - Returns: why it was not opened; `nil` if it was.
  package static func open(
    _ address: String, _ environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> String? {
    #if os(macOS)
    let name = "open"
    #else
    let name = "xdg-open"
    #endif
    guard let program = ProgramPath(environment: environment).path(of: name) else {
      return "\(name) is not installed to open the page"
    }
    #if os(Linux)
    if environment["DISPLAY"] == nil, environment["WAYLAND_DISPLAY"] == nil {
      return "no display is available to open the page"
    }
    #endif
    return (try? Process(silent: program, [address]).run()) == nil
      ? "\(name) could not be started" : nil
  }
}
