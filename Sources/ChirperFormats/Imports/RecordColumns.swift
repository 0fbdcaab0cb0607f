import ChirperModel

/// Columns of a table whose rows become objects: records, or items of their media.
struct RecordColumns {
  /// It has no text of its own, so that a row is written without counting references.
  private struct Column {
    /// The position of the cell; `nil` if every row has the value `standard`.
    let index: Int?
    /// The place in `json` of the name, with a colon.
    let name: Range<Int>
    /// The place in `json` of the value of a row whose cell is empty; `nil` if it has none.
    let standard: Range<Int>?
    /// Whether a cell is a list, with semicolons between the items.
    let isList: Bool
    /// Whether an address is better than words in a member of that name; `nil` if neither is.
    let wantsAddress: Bool?
  }

  /// The columns of each name, the best first.
  private var columns: [[Column]] = []
  private var json: [UInt8] = []
  private var nameIndices: [String: Int] = [:]

  /// The terms of Audiovisual Core, Dublin Core and XMP that mean the same, by the name that GBIF's
  /// multimedia has for it; the best first.
  private static let terms: KeyValuePairs = [
    "identifier": ["accessURI", "identifier"], "title": ["title", "caption"],
    "license": ["license", "WebStatement", "UsageTerms", "rights"],
    "rightsHolder": ["rightsHolder", "Owner"],
  ]
  private static let members = Dictionary(
    uniqueKeysWithValues: terms.flatMap { name, terms in terms.map { ($0, name) } })
  private static let order = terms.flatMap(\.value)

  /// The columns of a table of an archive.
  ///
  /// - Parameters:
  ///   - names: the names of members, where they are not those of columns; `nil` for a column that
  ///     is left out.
  ///   - lists: those of these names whose values are lists.
  init(
    _ table: ArchiveDescription.Table, names: [String: String?] = [:], lists: Set<String> = []
  ) {
    // The newer namespace of Dublin Core is before the older one.
    let ranked = table.columns.enumerated().map { position, column in
      let place = Self.order.firstIndex(of: column.name) ?? 0
      let isOld = column.term.hasPrefix("http://purl.org/dc/elements/")
      return (rank: [place, isOld ? 1 : 0, position], column)
    }
    for (_, column) in ranked.sorted(by: { $0.rank.lexicographicallyPrecedes($1.rank) }) {
      let name = names[column.name, default: Self.members[column.name] ?? column.name]
      add(name, column.index, column.standard, lists)
    }
  }

  /// The columns of a table with a heading.
  init(_ headings: [String]) {
    for (index, heading) in headings.enumerated() { add(heading, index, nil, []) }
  }

  private mutating func add(
    _ name: String?, _ index: Int?, _ standard: String?, _ lists: Set<String>
  ) {
    // No record has the mark of one that was imported from a column.
    guard let name, name != RecordingFields.mark else { return }
    let nameIndex = nameIndices[name] ?? columns.count
    if nameIndex == columns.count { columns.append([]) }
    nameIndices[name] = nameIndex
    let start = json.count
    json += "\(name.json):".utf8
    let end = json.count
    let isList = lists.contains(name)
    if let standard, !standard.isEmpty { Self.append(standard, isList: isList, to: &json) }
    columns[nameIndex].append(
      Column(
        index: index, name: start..<end, standard: end < json.count ? end..<json.count : nil,
        isList: isList, wantsAddress: Self.forms[name]))
  }

  /// Whether an address is better than words, by the name of the member; `nil` if the order decides.
  private static let forms = ["identifier": true, "license": true, "creator": false]

  /// The values of a row that are not empty, by their names.
  ///
  /// - Parameter own: a value in place of the row's.
  func record(
    of row: DelimitedRows.Row, _ own: (name: String, value: String)? = nil
  ) -> RecordingFields {
    let ownIndex = own.flatMap { nameIndices[$0.name] }
    var record = Array("{".utf8)
    record.reserveCapacity(2 * row.byteCount)
    for (nameIndex, columns) in columns.enumerated() {
      // One cell can be in thousands of columns; a record of more bytes is refused.
      guard record.count <= DelimitedRows.rowLimit else { break }
      guard let column = best(columns, of: row) else { continue }
      if record.count > 1 { record.append(UInt8(ascii: ",")) }
      record += json[column.name]
      if let own, nameIndex == ownIndex {
        JSONText.append(quoted: own.value, to: &record)
      } else if let index = column.index, !row.isEmpty(index) {
        Self.append(row[index], isList: column.isList, to: &record)
      } else if let standard = column.standard {
        record += json[standard]
      }
    }
    record.append(UInt8(ascii: "}"))
    return RecordingFields(canonical: record)
  }

  /// The text of that name in a row; `nil` if it is empty.
  func text(_ name: String, of row: DelimitedRows.Row) -> String? {
    nameIndices[name].flatMap { best(columns[$0], of: row) }.flatMap { text($0, row) }
  }

  /// The column among those of one name whose value counts: the first with a value of the form that
  /// is wanted, else the first with a value; `nil` if none has one.
  private func best(_ columns: [Column], of row: DelimitedRows.Row) -> Column? {
    func hasValue(_ column: Column) -> Bool {
      column.standard != nil || column.index.map { !row.isEmpty($0) } ?? false
    }
    guard let first = columns.first(where: hasValue) else { return nil }
    guard columns.count > 1, let wanted = first.wantsAddress else { return first }
    return columns.first { hasValue($0) && text($0, row).map(Self.isAddress) == wanted } ?? first
  }

  private func text(_ column: Column, _ row: DelimitedRows.Row) -> String? {
    row.text(column.index)
      ?? column.standard.flatMap {
        RecordingFields.Value(json: String(decoding: json[$0], as: UTF8.self)).text
      }
  }

  private static func isAddress(_ text: String) -> Bool {
    let start = text.prefix(10).lowercased()
    return ["http:", "https:", "//"].contains { start.hasPrefix($0) }
  }

  private static func append(_ text: String, isList: Bool, to json: inout [UInt8]) {
    guard isList else { return JSONText.append(quoted: text, to: &json) }
    json.append(UInt8(ascii: "["))
    for (index, item) in text.utf8.split(separator: UInt8(ascii: ";")).enumerated() {
      if index > 0 { json.append(UInt8(ascii: ",")) }
      JSONText.append(quoted: String(Substring(item)), to: &json)
    }
    json.append(UInt8(ascii: "]"))
  }
}
