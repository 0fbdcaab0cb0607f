import ChirperModel

/// Lines of our own making with texts that others wrote. Each text that is put into them is one line
/// without characters that a terminal acts on (`PlainLine`); only a further `PlainText` keeps its
/// lines.
struct PlainText: ExpressibleByStringInterpolation {
  let text: String

  init(stringLiteral text: String) { self.text = text }
  init(stringInterpolation: Interpolation) { text = stringInterpolation.text }

  /// Text of several lines that others wrote, of which each line becomes plain.
  init(linesOf text: String) {
    self.text = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .map { PlainLine.text(String($0)) ?? "" }.joined(separator: "\n")
  }

  struct Interpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    init(literalCapacity _: Int, interpolationCount _: Int) {}

    mutating func appendLiteral(_ literal: String) { text += literal }

    mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      text += PlainLine.text(value.description) ?? ""
    }

    mutating func appendInterpolation(_ lines: PlainText) { text += lines.text }
  }
}

extension Sequence<PlainText> {
  func joined(separator: String) -> PlainText {
    PlainText(stringLiteral: map(\.text).joined(separator: separator))
  }
}
