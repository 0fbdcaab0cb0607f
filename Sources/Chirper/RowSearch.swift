import ChirperModel

/// Whether a row holds a text in a field that the table or the detail names, whatever its case and accents.
package struct RowSearch: Sendable {
  private let needle: [UInt8]
  /// The fields that are searched, by name; addresses and the like would match by accident.
  private let fields: Set<[UInt8]>

  package init(_ text: String, in catalogue: Catalogue) {
    needle = TextFolding.folded(text.utf8)
    // The address of a licence has words in it that would match every row: "common".
    let columns = catalogue.tableColumns.filter { ($0.detail ?? catalogue.mapping.detail(ofField: $0.field)) != .licence }
      .flatMap { column in column.detail.map { catalogue.mapping.fields[$0] ?? [] } ?? [column.field] }
    let names = columns + Self.details.flatMap { catalogue.mapping.fields[$0] ?? [] }
    fields = Set(names.map { Array($0.utf8) })
  }

  private static let details: [DetailName] = [
    .scientificName, .vernacularName, .recordedBy, .country, .locality, .eventDate, .quality, .soundType, .remarks,
    .backgroundSpecies,
  ]

  package func matches(_ recording: Recording) -> Bool {
    var found = false
    recording.fields.forEach { key, value in
      guard !found, fields.contains(Array(key)) else { return }
      found = holds(value)
    }
    return found
  }

  /// Searches the raw JSON of the value, so text that JSON escapes is not found.
  private func holds(_ value: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    let bytes = TextFolding.folded(value)
    guard let first = needle.first, bytes.count >= needle.count else { return needle.isEmpty }
    var at = 0
    while at <= bytes.count - needle.count {
      if bytes[at] == first, bytes[at..<(at + needle.count)].elementsEqual(needle) { return true }
      at += 1
    }
    return false
  }
}
