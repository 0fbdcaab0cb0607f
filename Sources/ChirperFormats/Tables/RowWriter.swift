/// A row that can be written.
protocol TableRow: SendableMetatype {
  /// Adds what is known about the row apart from that it was written.
  func describe(in summary: inout ExportSummary)
}

extension TableRow {
  func describe(in summary: inout ExportSummary) {}
}

/// The raw fields of a recording, in canonical JSON.
extension UnsafeBufferPointer<UInt8>: TableRow {}

/// Writes rows into a buffer, one at a time. Copies of a writer write parts of a table concurrently.
protocol RowWriter<Row>: Sendable {
  associatedtype Row: TableRow

  /// What is between the rows.
  var separator: String { get }

  mutating func begin(_ out: inout [UInt8])

  /// Writes what follows the row's place, if there is one.
  ///
  /// - Returns: whether the row was written; a format that needs more than the row has leaves it out.
  mutating func append(_ row: Row, to out: inout [UInt8]) -> Bool

  /// The length in seconds that moves the places of later rows; `nil` if rows do not begin with their place.
  func placeLength(of row: Row) -> Double?

  /// Writes the place of the next row that was written: its number, or what the lengths of the rows before it add up to.
  mutating func appendPlace(length: Double, to out: inout [UInt8])

  /// - Parameter summary: what was seen in all rows.
  mutating func end(_ out: inout [UInt8], _ summary: ExportSummary)
}

extension RowWriter {
  var separator: String { "" }
  mutating func begin(_ out: inout [UInt8]) {}
  func placeLength(of row: Row) -> Double? { nil }
  mutating func appendPlace(length: Double, to out: inout [UInt8]) {}
  mutating func end(_ out: inout [UInt8], _ summary: ExportSummary) {}

  /// Appends a row that follows those of `summary`, without its place, and adds it to it.
  ///
  /// - Returns: whether the row was written.
  @discardableResult
  mutating func write(_ row: Row, to out: inout [UInt8], _ summary: inout ExportSummary) -> Bool {
    let start = out.count
    if summary.written > 0 { out += separator.utf8 }
    let isWritten = append(row, to: &out)
    if !isWritten { out.removeSubrange(start...) }
    summary.add(row, wasWritten: isWritten)
    return isWritten
  }

  /// Appends the rows that follow those of `summary`, with their places, and adds them to it.
  mutating func append(_ rows: WrittenRows, to out: inout [UInt8], _ summary: inout ExportSummary) {
    if summary.written > 0, rows.summary.written > 0 { out += separator.utf8 }
    var start = 0
    for (end, length) in rows.ends {
      appendPlace(length: length, to: &out)
      out += rows.bytes[start..<end]
      start = end
    }
    if start == 0 { out += rows.bytes }
    summary.add(rows.summary)
  }
}

/// Rows as a writer wrote them, without their places.
struct WrittenRows: Sendable {
  private(set) var bytes: [UInt8] = []
  /// Where each row ends in `bytes`, and its length in seconds; empty for a writer without places.
  private(set) var ends: [(end: Int, length: Double)] = []
  private(set) var summary = ExportSummary()

  mutating func add<Writer: RowWriter>(_ row: Writer.Row, by writer: inout Writer) {
    let isWritten = writer.write(row, to: &bytes, &summary)
    if isWritten, let length = writer.placeLength(of: row) { ends.append((bytes.count, length)) }
  }
}

/// Writes nothing, to learn about the rows.
struct NoWriter<Row: TableRow>: RowWriter {
  func append(_ row: Row, to out: inout [UInt8]) -> Bool { true }
}
