import ChirperModel
import Foundation

/// Makes text from outside safe to print: what a terminal could act on is escaped.
///
/// It works on scalars, never on `Character`: a control character followed by a combining mark is one `Character` and
/// would slip through.
package enum TerminalText {
  /// - Parameter keepingLines: leaves line feeds, for text of several lines of our own making.
  package static func escaped(_ text: String, keepingLines: Bool = false) -> String {
    guard text.unicodeScalars.contains(where: JSONText.isControl) else { return text }
    var out = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if JSONText.isControl(scalar), !(keepingLines && scalar == "\n") {
        out.append(contentsOf: escape(scalar).unicodeScalars)
      } else {
        out.append(scalar)
      }
    }
    return String(out)
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\n": return "\\n"
    case "\r": return "\\r"
    case "\t": return "\\t"
    default: return String(format: scalar.value > 0xFF ? "\\u%04x" : "\\x%02x", scalar.value)
    }
  }
}
