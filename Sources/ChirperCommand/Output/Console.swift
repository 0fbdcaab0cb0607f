import ChirperFormats
import Foundation

/// Standard error: everything that is not data.
enum Console {
  /// One line; what a terminal could act on is spelled out.
  static func line(_ text: String) {
    write(TerminalText.escaped(text) + "\n")
  }

  /// Text of our own making, as it is. A standard error that is gone stops nothing.
  static func write(_ text: String) {
    let bytes = Array(text.utf8)
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes { Foundation.write(STDERR_FILENO, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      written += count
    }
  }
}
