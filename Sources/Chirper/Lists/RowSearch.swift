import ChirperModel

/// Whether a row holds a text in a field that the table or the detail names, whatever its case and accents.
package struct RowSearch: Sendable {
  private let needle: FoldedNeedle
  /// The fields that are searched, by name; addresses and the like would match by accident.
  private let fields: [UInt64: [UInt8]]

  package init(_ text: String, in catalogue: Catalogue) {
    needle = FoldedNeedle(TextFolding.folded(text.utf8))
    // The address of a licence has words in it that would match every row: "common".
    let columns = catalogue.tableColumns.filter { ($0.detail ?? catalogue.mapping.detail(ofField: $0.field)) != .licence }
      .flatMap { column in column.detail.map { catalogue.mapping.fields[$0] ?? [] } ?? [column.field] }
    let names = Set(columns + Self.details.flatMap { catalogue.mapping.fields[$0] ?? [] })
    fields = Dictionary(
      uniqueKeysWithValues: names.map { name in
        let name = Array(name.utf8)
        return (name.withUnsafeBufferPointer(ByteScan.hash), name)
      })
  }

  private static let details: [DetailName] = [
    .scientificName, .vernacularName, .recordedBy, .country, .locality, .eventDate, .quality, .soundType, .remarks,
    .backgroundSpecies,
  ]

  package func matches(_ recording: Recording) -> Bool {
    recording.fields.bytes.withUnsafeBufferPointer(matches(json:))
  }

  /// The same of the fields' canonical JSON, where it is.
  ///
  /// The raw JSON of a value is searched, so text that JSON escapes is not found.
  package func matches(json: UnsafeBufferPointer<UInt8>) -> Bool {
    // In most rows the text is nowhere, which is seen without a look at the fields.
    guard needle.isIn(json) else { return false }
    var found = false
    JSONText.forEachMember(of: json) { key, value in
      guard !found, fields[ByteScan.hash(UnsafeBufferPointer(rebasing: key))]?.elementsEqual(key) == true else { return }
      found = needle.isIn(UnsafeBufferPointer(rebasing: value))
    }
    return found
  }
}
