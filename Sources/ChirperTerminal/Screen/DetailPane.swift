import ChirperFormats
import ChirperModel

/// Everything the catalogue sent about one recording.
struct DetailPane {
  let recording: Recording
  let catalogue: Catalogue

  func lines(columns: Int) -> [Line] {
    var lines = CellText.wrapped(heading, columns: columns).map { Line(Line.Span(text: $0, style: .strong)) }
    lines += CellText.wrapped(attribution, columns: columns).map { Line(Line.Span(text: $0, style: .plain)) }
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
    let details = catalogue.details(of: recording)
    let names = [details.vernacularName, details.scientificName].compactMap { $0 }.joined(separator: " · ")
    return names.isEmpty ? recording.id.value : names
  }

  /// Who recorded it, under which number, under which licence: what the catalogue asks to be shown.
  private var attribution: String {
    let details = catalogue.details(of: recording)
    let licence = details.licence.map { $0.url ?? $0.name } ?? "none given"
    return "\(details.recordedBy.map { "\($0), " } ?? "")\(recording.id), licence: \(licence)"
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
