import ChirperModel
import Foundation

/// Makes text from outside safe to print: characters that a terminal could act on are
/// escaped.
///
/// It works on scalars, never on `Character`: a control character followed by a combining
/// mark is one `Character` and would slip through.
package enum TerminalText {
  /// - Parameter keepingLines: leaves line feeds, for text of several lines of our own making.
  package static func escaped(_ text: String, keepingLines: Bool = false) -> String {
    text.escaped { scalar in
      guard PlainLine.isControl(scalar), !(keepingLines && scalar == "\n") else { return nil }
      switch scalar {
      case "\n": return "\\n"
      case "\r": return "\\r"
      case "\t": return "\\t"
      default: return String(format: scalar.value > 0xFF ? "\\u%04x" : "\\x%02x", scalar.value)
      }
    }
  }
}
