// Unsafe memory: cells are read in place.

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
    /// The position of its name among the names that differ.
    let nameIndex: Int
  }

  private var columns: [Column] = []
  private var json: [UInt8] = []
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
    let start = json.count
    json += "\(JSONText.quoted(name)):".utf8
    let end = json.count
    if var standard, !standard.isEmpty {
      standard.withUTF8 { Self.append($0, isList: isList, to: &json) }
    }
    columns.append(
      Column(
        index: index, name: start..<end, standard: end < json.count ? end..<json.count : nil,
        isList: isList, nameIndex: nameIndex))
  }

  /// The values of a row that are not empty, by their names; of columns of one name the first.
  ///
  /// - Parameter first: members that come first, as JSON.
  func record(of row: DelimitedRows.Row, after first: String = "") -> RecordingFields {
    var record = Array("{\(first)".utf8)
    record.reserveCapacity(2 * row.byteCount)
    var isWritten =
      nameIndices.count == columns.count ? [] : [Bool](repeating: false, count: nameIndices.count)
    for column in columns where hasValue(column, row) {
      if !isWritten.isEmpty {
        guard !isWritten[column.nameIndex] else { continue }
        isWritten[column.nameIndex] = true
      }
      if record.count > 1 { record.append(UInt8(ascii: ",")) }
      ByteScan.append(column.name, of: json, to: &record)
      if let index = column.index, !row.isEmpty(index) {
        row.withCell(index) { Self.append($0, isList: column.isList, to: &record) }
      } else if let standard = column.standard {
        ByteScan.append(standard, of: json, to: &record)
      }
    }
    record.append(UInt8(ascii: "}"))
    return RecordingFields(canonical: record)
  }

  /// The text of that name in a row; `nil` if it is empty.
  func text(_ name: String, of row: DelimitedRows.Row) -> String? {
    guard let nameIndex = nameIndices[name] else { return nil }
    for column in columns where column.nameIndex == nameIndex {
      if let text = row.text(column.index) { return text }
      if let standard = column.standard {
        return RecordingFields.Value(json: String(decoding: json[standard], as: UTF8.self)).text
      }
    }
    return nil
  }

  private func hasValue(_ column: Column, _ row: DelimitedRows.Row) -> Bool {
    column.standard != nil || column.index.map { !row.isEmpty($0) } ?? false
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
