// Unsafe memory: records are read in place.

import ChirperModel

/// The raw fields of a recording in canonical JSON, valid only while it is written.
typealias RawRow = UnsafeBufferPointer<UInt8>

extension RawRow: TableRow {}

extension RecordingFields {
  /// Calls `body` with the fields as a row.
  func withRow(_ body: (RawRow) -> Void) { bytes.withUnsafeBufferPointer(body) }
}

/// Raw fields of recordings, copied as they are stored. An object has the members that were sent.
///
/// It pays because exports of raw fields are copies: 50,000 rows take 0.19 s as CSV, and 0.29 s if
/// every cell is written by `CellEncoder.append(to:)`.
struct RawColumns: ColumnEncoder {
  let headings: [String]
  private let members: [[UInt8]]
  private let isWhole: Bool
  private let columns: NameScan
  /// The position of each column's value in the row, by column; empty if the field was not
  /// sent.
  private var ranges: [Range<Int>]

  /// - Parameters:
  ///   - fields: the fields to write, each once.
  ///   - headings: the header, if it is not the names of the fields.
  ///   - isWhole: whether those are all the fields there are, so that objects can be copied whole.
  init(_ fields: [String], headings: [String]? = nil, isWhole: Bool = false) {
    self.headings = headings ?? fields
    self.isWhole = isWhole
    // Canonical JSON has names as `quoted` writes them, so both sides are compared escaped.
    let names = fields.map(\.json)
    members = names.map { Array("\($0):".utf8) }
    columns = NameScan(names.map { String($0.dropFirst().dropLast()) })
    ranges = Array(repeating: 0..<0, count: fields.count)
  }

  mutating func appendLine(_ row: RawRow, with cells: CellEncoder, to out: inout [UInt8]) {
    locate(in: row)
    cells.appendLine(ranges.count, to: &out) { index, out in
      let range = ranges[index]
      if !range.isEmpty { cells.append(json: UnsafeBufferPointer(rebasing: row[range]), to: &out) }
    }
  }

  mutating func appendObject(_ row: RawRow, to out: inout [UInt8]) {
    guard !isWhole else { return out.append(contentsOf: row) }
    locate(in: row)
    var start: UInt8 = UInt8(ascii: "{")
    for (member, range) in zip(members, ranges) where !range.isEmpty {
      out.append(start)
      start = UInt8(ascii: ",")
      out += member
      out.append(contentsOf: row[range])
    }
    out += start == UInt8(ascii: "{") ? "{}".utf8 : "}".utf8
  }

  private mutating func locate(in row: RawRow) {
    for index in ranges.indices { ranges[index] = 0..<0 }
    let columns = columns
    JSONText.forEachMember(of: row) { name, value in
      if let column = columns.index(of: name) { ranges[column] = value.startIndex..<value.endIndex }
    }
  }
}

extension CellEncoder {
  /// Appends a JSON value: a string's own text, nothing for null, anything else as its JSON.
  ///
  /// Canonical strings have no quote and no control character except after a backslash, so most
  /// cells are copied whole.
  func append(json value: UnsafeBufferPointer<UInt8>, to out: inout [UInt8]) {
    guard let first = value.first, first != UInt8(ascii: "n") else { return }
    let isString = first == UInt8(ascii: "\"")
    let text = isString ? UnsafeBufferPointer(rebasing: value[1..<max(1, value.count - 1)]) : value
    let quote = UInt8(ascii: "\"")
    let comma = UInt8(ascii: ",")
    let special = isString ? UInt8(ascii: "\\") : quote
    let mayRun = isSpreadsheetSafe && isString
    guard mayRun || text.contains(where: { $0 == special || $0 == comma }) else {
      return out.append(contentsOf: text)
    }
    guard !mayRun, !text.contains(special) else {
      return append(isText: isString, to: &out) { out in
        if isString { JSONText.unescape(text, into: &out) } else { out.append(contentsOf: text) }
      }
    }
    // It has a comma.
    if form == .csv { out.append(quote) }
    out.append(contentsOf: text)
    if form == .csv { out.append(quote) }
  }
}
