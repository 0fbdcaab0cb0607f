import ChirperFormats
import ChirperModel
import Foundation

/// Standard error: everything that is not data.
enum Console {
  /// Writes one line; characters that a terminal could act on are spelled out.
  static func line(_ text: String) {
    write(TerminalText.escaped(text) + "\n")
  }

  /// Text of our own making, as it is. A standard error that is gone stops nothing.
  static func write(_ text: String) {
    _ = Descriptor.write(Array(text.utf8), to: STDERR_FILENO)
  }
}
