import ChirperFormats

/// One screen: its lines from the top, and the position of the cursor.
struct Frame: Equatable, Sendable {
  var lines: [Line]
  /// The position of the cursor; `nil` hides it.
  var cursor: Position?

  /// Row and column, from 0.
  struct Position: Equatable, Sendable {
    let row: Int
    let column: Int
  }

  /// The text without styles and without spaces at the ends of lines.
  var text: String {
    lines.map { line in
      let text = line.spans.map(\.text).joined()
      return String(
        text[..<(text.lastIndex { $0 != " " }.map(text.index(after:)) ?? text.startIndex)])
    }.joined(separator: "\n")
  }
}

/// One line of a frame.
struct Line: Equatable, Sendable {
  var spans: [Span]

  /// A part of a line in one style; the text comes from `CellText`, which makes it safe to print.
  struct Span: Equatable, Sendable {
    let text: String
    let style: Style
  }

  init(_ spans: Span...) {
    self.spans = spans.filter { !$0.text.isEmpty }
  }

  func clipped(to columns: Int) -> Line {
    var line = Line()
    var left = columns
    for span in spans where left > 0 {
      let width = DisplayWidth.columns(span.text)
      line.spans.append(
        width <= left
          ? span : Span(text: CellText.cut(span.text, columns: left).text, style: span.style))
      left -= width
    }
    return line
  }

  init(_ raw: String, columns: Int, style: Style = .plain) {
    self.init(Span(text: CellText.cut(raw, columns: columns).text, style: style))
  }
}

/// The emphasis of text; never the only sign of anything.
enum Style: Sendable {
  case plain, strong, faint, selected, warning, good
}

/// Columns and rows of a terminal; at least one of each.
struct TerminalSize: Hashable, Sendable {
  let columns: Int
  let rows: Int

  init(columns: Int, rows: Int) {
    self.columns = max(1, columns)
    self.rows = max(1, rows)
  }
}
