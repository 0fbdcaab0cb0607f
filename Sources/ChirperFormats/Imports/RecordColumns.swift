import ChirperModel

/// Columns of a table whose rows become objects: records, or items of their media.
struct RecordColumns {
  private struct Column {
    /// The position of the cell; `nil` if every row has the value `standard`.
    let index: Int?
    let name: String
    /// The name as JSON, with a colon.
    let key: [UInt8]
    /// The value of a row whose cell is empty, as JSON.
    let standard: [UInt8]?
    /// Whether a cell is a list, with semicolons between the items.
    let isList: Bool
    /// The position of its name among the names that differ.
    let nameIndex: Int
  }

  private var columns: [Column] = []
  private var nameIndices: [String: Int] = [:]

  /// The columns of a table of an archive.
  ///
  /// - Parameters:
  ///   - names: the names of members, where they are not those of columns; `nil` for a column that
  ///     is left out.
  ///   - lists: those of these names whose values are lists.
  init(
    _ table: ArchiveDescription.Table, names: [String: String?] = [:], lists: Set<String> = []
  ) {
    for column in table.columns {
      add(names[column.name, default: column.name], column.index, column.standard, lists)
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
    let isList = lists.contains(name)
    let nameIndex = nameIndices[name] ?? nameIndices.count
    nameIndices[name] = nameIndex
    let standard = standard.flatMap { $0.isEmpty ? nil : $0 }
    columns.append(
      Column(
        index: index, name: name, key: Array("\(JSONText.quoted(name)):".utf8),
        standard: standard.map { text in
          var (json, text) = ([UInt8](), text)
          text.withUTF8 { Self.append($0, isList: isList, to: &json) }
          return json
        }, isList: isList, nameIndex: nameIndex))
  }

  /// The values of a row that are not empty, by their names; of columns of one name the first.
  ///
  /// - Parameter first: members that come first, as JSON.
  func record(of row: DelimitedRows.Row, after first: String = "") -> RecordingFields {
    var json = Array("{\(first)".utf8)
    json.reserveCapacity(2 * row.byteCount)
    var isWritten =
      nameIndices.count == columns.count ? [] : [Bool](repeating: false, count: nameIndices.count)
    for position in columns.indices where hasValue(position, row) {
      if !isWritten.isEmpty {
        guard !isWritten[columns[position].nameIndex] else { continue }
        isWritten[columns[position].nameIndex] = true
      }
      if json.count > 1 { json.append(UInt8(ascii: ",")) }
      json += columns[position].key
      if let index = columns[position].index, !row.isEmpty(index) {
        row.withCell(index) { Self.append($0, isList: columns[position].isList, to: &json) }
      } else {
        json += columns[position].standard ?? []
      }
    }
    json.append(UInt8(ascii: "}"))
    return RecordingFields(canonical: json)
  }

  /// The text of that name in a row; `nil` if it is empty.
  func text(_ name: String, of row: DelimitedRows.Row) -> String? {
    for column in columns where column.name == name {
      if let text = row.text(column.index) { return text }
      if let standard = column.standard {
        return RecordingFields.Value(json: String(decoding: standard, as: UTF8.self)).text
      }
    }
    return nil
  }

  private func hasValue(_ position: Int, _ row: DelimitedRows.Row) -> Bool {
    columns[position].standard != nil || columns[position].index.map { !row.isEmpty($0) } ?? false
  }

  private static func append(
    _ text: UnsafeBufferPointer<UInt8>, isList: Bool, to json: inout [UInt8]
  ) {
    guard isList else { return JSONText.append(quoted: text, to: &json) }
    json.append(UInt8(ascii: "["))
    for (index, item) in text.split(separator: UInt8(ascii: ";")).enumerated() {
      if index > 0 { json.append(UInt8(ascii: ",")) }
      JSONText.append(quoted: UnsafeBufferPointer(rebasing: item), to: &json)
    }
    json.append(UInt8(ascii: "]"))
  }
}
