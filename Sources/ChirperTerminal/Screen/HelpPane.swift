import ChirperFormats

/// The keys, out of the one table.
enum HelpPane {
  static func lines(columns: Int) -> [Line] {
    let width = min(KeyTable.bindings.map { DisplayWidth.columns($0.shown) }.max() ?? 0, max(1, columns / 3))
    var lines = [Line("keys", columns: columns, style: .strong)]
    for binding in KeyTable.bindings {
      let explanation = CellText.wrapped(binding.explanation, columns: max(1, columns - width - 2))
      for (index, part) in explanation.enumerated() {
        let keys = CellText.fitted(index == 0 ? binding.shown : "", columns: width)
        lines.append(
          Line(
            Line.Span(text: keys, style: .strong), Line.Span(text: "  " + part, style: .plain)))
      }
    }
    return lines
  }
}
