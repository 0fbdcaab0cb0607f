import ChirperFormats

/// One drawn screen: its lines from the top, and where the cursor stands.
package struct Frame: Equatable, Sendable {
  package var lines: [Line]
  /// From 0; `nil` hides it.
  package var cursor: Position?

  package struct Position: Equatable, Sendable {
    package let row: Int
    package let column: Int
  }

  package init(lines: [Line], cursor: Position?) {
    self.lines = lines
    self.cursor = cursor
  }

  /// The text alone, without spaces at the ends of lines.
  package var text: String {
    lines.map { line in
      let text = line.spans.map(\.text).joined()
      return String(text[..<(text.lastIndex { $0 != " " }.map(text.index(after:)) ?? text.startIndex)])
    }.joined(separator: "\n")
  }
}

/// One line of a frame.
package struct Line: Equatable, Sendable {
  package var spans: [Span]

  /// A piece of a line in one style; its text comes out of `CellText`.
  package struct Span: Equatable, Sendable {
    package let text: String
    package let style: Style
  }

  package init(_ spans: Span...) {
    self.spans = spans.filter { !$0.text.isEmpty }
  }

  /// The line without what stands beyond that many columns.
  func clipped(to columns: Int) -> Line {
    var line = Line()
    var left = columns
    for span in spans where left > 0 {
      let width = DisplayWidth.columns(span.text)
      line.spans.append(
        width <= left ? span : Span(text: CellText.cut(span.text, columns: left).text, style: span.style))
      left -= width
    }
    return line
  }

  /// Any text, cut to that many columns.
  package init(_ raw: String, columns: Int, style: Style = .plain) {
    self.init(Span(text: CellText.cut(raw, columns: columns).text, style: style))
  }
}

/// How text stands out; never the only sign of anything.
package enum Style: Sendable {
  case plain, strong, faint, selected, warning, good
}
