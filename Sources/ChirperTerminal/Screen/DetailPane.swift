import ChirperFormats
import ChirperModel

/// Everything the catalogue sent about one recording.
struct DetailPane {
  let recording: Recording
  let catalogue: Catalogue
  private let details: RecordingDetails

  init(recording: Recording, catalogue: Catalogue) {
    self.recording = recording
    self.catalogue = catalogue
    details = catalogue.details(of: recording)
  }

  func lines(columns: Int) -> [Line] {
    var lines = CellText.wrapped(heading, columns: columns).map { Line(Line.Span(text: $0, style: .strong)) }
    lines += CellText.wrapped(credit, columns: columns).map { Line(Line.Span(text: $0, style: .plain)) }
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

  /// What people read first, then the catalogue's order, then what it sent besides.
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
