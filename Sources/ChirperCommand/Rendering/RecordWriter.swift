import ChirperModel

/// Writes recordings as CSV, TSV, JSON or JSON lines into a buffer, one at a time.
struct RecordWriter {
  private let format: RecordFormat
  private let columns: [String]
  private let headings: [String]
  /// Whole recordings pass through as they are stored.
  private let isWhole: Bool
  private let head: JSONObject
  private var locator: ColumnLocator
  private var cells: CellEncoder
  private var isFirst = true

  /// - Parameters:
  ///   - columns: the columns asked for, `nil` for all.
  ///   - headings: what the header says, where it is not the columns' own names.
  ///   - fieldNames: all there are.
  ///   - head: what stands beside the recordings in the JSON format.
  init(
    _ format: RecordFormat, columns: [String]?, headings: [String]? = nil, fieldNames: [String], head: JSONObject,
    isVisible: Bool, isSpreadsheetSafe: Bool = false
  ) {
    self.format = format
    self.columns = columns ?? fieldNames
    self.headings = headings ?? self.columns
    self.head = head
    isWhole = columns == nil
    locator = ColumnLocator(self.columns)
    cells = CellEncoder(format == .csv ? .csv : .tsv, isVisible: isVisible, isSpreadsheetSafe: isSpreadsheetSafe)
  }

  mutating func begin(_ out: inout [UInt8]) {
    switch format {
    case .csv, .tsv, .table: appendLine(headings, to: &out)
    case .json:
      // The object stays open: the recordings are its last member.
      out.append(contentsOf: head.text.utf8.dropLast())
      out.append(contentsOf: ",\"recordings\":[".utf8)
    case .jsonl: break
    }
  }

  /// - Parameter object: a recording's fields in canonical JSON.
  mutating func append(fields object: UnsafeBufferPointer<UInt8>, to out: inout [UInt8]) {
    switch format {
    case .csv, .tsv, .table: appendCells(of: object, to: &out)
    case .json:
      if !isFirst { out.append(UInt8(ascii: ",")) }
      out.append(UInt8(ascii: "\n"))
      appendObject(object, to: &out)
    case .jsonl:
      appendObject(object, to: &out)
      out.append(UInt8(ascii: "\n"))
    }
    isFirst = false
  }

  func end(_ out: inout [UInt8]) {
    if format == .json { out.append(contentsOf: "\n]}\n".utf8) }
  }

  /// A line of plain texts: a header.
  private mutating func appendLine(_ texts: [String], to out: inout [UInt8]) {
    let start = out.count
    for (index, text) in texts.enumerated() {
      if index > 0 { out.append(cells.separator) }
      cells.append(text: text, to: &out)
    }
    finishLine(from: start, count: texts.count, &out)
  }

  private mutating func appendCells(of object: UnsafeBufferPointer<UInt8>, to out: inout [UInt8]) {
    let start = out.count
    locator.locate(in: object)
    for (index, range) in locator.ranges.enumerated() {
      if index > 0 { out.append(cells.separator) }
      if !range.isEmpty { cells.append(json: UnsafeBufferPointer(rebasing: object[range]), to: &out) }
    }
    finishLine(from: start, count: columns.count, &out)
  }

  /// A single empty cell is written as `""`: an empty line would be read as no row at all.
  private func finishLine(from start: Int, count: Int, _ out: inout [UInt8]) {
    if count == 1, out.count == start, format == .csv { out.append(contentsOf: "\"\"".utf8) }
    cells.endLine(&out)
  }

  private mutating func appendObject(_ object: UnsafeBufferPointer<UInt8>, to out: inout [UInt8]) {
    guard !isWhole else {
      out.append(contentsOf: object)
      return
    }
    locator.locate(in: object)
    out.append(UInt8(ascii: "{"))
    var isFirst = true
    for (column, range) in zip(columns, locator.ranges) where !range.isEmpty {
      if !isFirst { out.append(UInt8(ascii: ",")) }
      isFirst = false
      out.append(contentsOf: JSONText.quoted(column).utf8)
      out.append(UInt8(ascii: ":"))
      out.append(contentsOf: object[range])
    }
    out.append(UInt8(ascii: "}"))
  }
}
