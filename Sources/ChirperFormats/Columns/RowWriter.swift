/// A row that a `RowWriter` writes.
protocol TableRow: SendableMetatype {
  /// Adds what is known about the row apart from that it was written.
  func describe(in summary: inout ExportSummary)
}

extension TableRow {
  func describe(in summary: inout ExportSummary) {}
}

/// Writes rows into a buffer, one at a time. Copies of a writer write parts of a table
/// concurrently.
protocol RowWriter<Row>: Sendable {
  associatedtype Row: TableRow

  var separator: String { get }

  mutating func begin(_ out: inout [UInt8])

  /// - Returns: whether the row was written; a format that needs more than the row has leaves it
  ///   out.
  mutating func append(_ row: Row, to out: inout [UInt8]) -> Bool

  /// Appends rows that a copy wrote; called in the order of the table, to add what depends on the
  /// rows before.
  mutating func join(_ rows: [UInt8], to out: inout [UInt8])

  /// - Parameter summary: the facts about all rows.
  mutating func end(_ out: inout [UInt8], _ summary: ExportSummary)
}

extension RowWriter {
  var separator: String { "" }
  mutating func begin(_ out: inout [UInt8]) {}
  mutating func join(_ rows: [UInt8], to out: inout [UInt8]) { out += rows }
  mutating func end(_ out: inout [UInt8], _ summary: ExportSummary) {}

  /// Appends a row that follows those of `summary`, and adds it to them.
  mutating func write(_ row: Row, to out: inout [UInt8], _ summary: inout ExportSummary) {
    let start = out.count
    if summary.written > 0 { out.append(utf8: separator) }
    let isWritten = append(row, to: &out)
    if !isWritten { out.removeSubrange(start...) }
    summary.add(row, wasWritten: isWritten)
  }
}

/// Writes nothing, to learn about the rows.
struct NoWriter<Row: TableRow>: RowWriter {
  func append(_ row: Row, to out: inout [UInt8]) -> Bool { true }
}
