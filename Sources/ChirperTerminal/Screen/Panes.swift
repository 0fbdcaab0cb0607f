import ChirperFormats
import ChirperModel

/// Panes that cover the rows: lines that scroll.
extension Screen {
  var paneHeight: Int { max(1, size.rows - 1) }

  var detailLines: [Line] {
    guard let table, let recording = table.selected else { return [] }
    return DetailPane(recording: recording, catalogue: table.catalogue).lines(columns: size.columns)
  }

  func paneFrame(_ content: [Line], scrolled: Int) -> Frame {
    var lines = content.dropFirst(scrolled).prefix(paneHeight).map { $0.clipped(to: size.columns) }
    lines += Array(repeating: Line(), count: paneHeight - lines.count)
    if size.rows > 1 {
      let more = content.count > scrolled + paneHeight ? "j or PgDn for more · " : ""
      let text = notice?.text ?? "\(more)Esc goes back"
      lines.append(Line(text, columns: size.columns, style: notice == nil ? .faint : .strong))
    }
    return Frame(lines: lines, cursor: Frame.Position(row: 0, column: 0))
  }

  mutating func scrollPane(to line: Int) {
    switch pane {
    case .help: pane = .help(scrolled: line)
    case .detail: pane = .detail(scrolled: line)
    case .none, .prompt: break
    }
  }

  /// Scrolls no further than to the last line, and closes a detail pane that has lost its recording.
  mutating func clampPane() {
    switch pane {
    case .help(let scrolled):
      pane = .help(scrolled: clamped(scrolled, HelpPane.lines(columns: size.columns).count))
    case .detail(let scrolled):
      let count = detailLines.count
      pane = count == 0 ? .none : .detail(scrolled: clamped(scrolled, count))
    case .none, .prompt: break
    }
  }

  private func clamped(_ scrolled: Int, _ count: Int) -> Int {
    max(0, min(scrolled, count - paneHeight))
  }
}

/// Every key, from the key table.
enum HelpPane {
  static func lines(columns: Int) -> [Line] {
    let width = min(KeyTable.bindings.map { DisplayWidth.columns($0.label) }.max() ?? 0, max(1, columns / 3))
    var lines = [Line("keys", columns: columns, style: .strong)]
    for binding in KeyTable.bindings {
      for (index, part) in CellText.wrapped(binding.help, columns: max(1, columns - width - 2)).enumerated() {
        let keys = CellText.fitted(index == 0 ? binding.label : "", columns: width)
        lines.append(Line(Line.Span(text: keys, style: .strong), Line.Span(text: "  " + part, style: .plain)))
      }
    }
    return lines
  }
}

/// Everything that the catalogue sent about one recording.
struct DetailPane {
  private let recording: Recording
  private let catalogue: Catalogue
  private let details: RecordingDetails

  init(recording: Recording, catalogue: Catalogue) {
    self.recording = recording
    self.catalogue = catalogue
    details = catalogue.details(of: recording)
  }

  func lines(columns: Int) -> [Line] {
    var lines = CellText.wrapped(heading, columns: columns).map { Line(Line.Span(text: $0, style: .strong)) }
    lines += CellText.wrapped(credit, columns: columns).map { Line(Line.Span(text: $0, style: .plain)) }
    if let other = details.alsoIn { lines.append(Line(Line.Span(text: "also in \(other)", style: .plain))) }
    lines.append(Line())
    let names = orderedNames
    let width = min(names.map { DisplayWidth.columns($0) }.max() ?? 0, max(1, columns / 3))
    for name in names {
      guard let value = recording[name] else { continue }
      let text = value.json.hasPrefix("[") ? value.list.joined(separator: ", ") : value.text
      let parts = CellText.wrapped(text, columns: max(1, columns - width - 2))
      for (index, part) in parts.enumerated() {
        let label = CellText.fitted(index == 0 ? name : "", columns: width)
        lines.append(Line(Line.Span(text: label, style: .faint), Line.Span(text: "  " + part, style: .plain)))
      }
    }
    return lines
  }

  private var heading: String {
    let names = [details.vernacularName, details.scientificName].compactMap { $0 }.joined(separator: " · ")
    return names.isEmpty ? recording.id.value : names
  }

  /// Recordist, number and licence, as catalogues ask for them, and the address of the licence.
  private var credit: String {
    [details.credit, details.licence?.url].compactMap { $0 }.joined(separator: ", ")
  }

  /// What people read first, then the other fields in the catalogue's order, then any that were sent besides.
  private var orderedNames: [String] {
    let first = Self.first.compactMap { catalogue.mapping.fields[$0]?.first }
    let sent = recording.fields.names
    var seen: Set<String> = []
    return (first + catalogue.fields + sent).filter { sent.contains($0) && seen.insert($0).inserted }
  }

  private static let first: [DetailName] = [
    .recordedBy, .eventDate, .country, .locality, .soundType, .quality, .duration, .licence, .backgroundSpecies, .remarks,
  ]
}
