import ChirperModel
import ChirperPlatform
import Foundation

/// Rows to be printed, and their columns: the one printer of a stored list, of what a search found and of the stored queries.
///
/// Rows are read and encoded in batches, so that memory stays flat and no read lock is held while output waits.
struct RowTable<Columns: ColumnEncoder> {
  typealias Row = Columns.Row

  /// Rows that are written.
  let count: Int
  /// Whether rows are copied as they are stored: that takes no longer than to pass them from core to core.
  var isCopied = false
  /// Rows that a core encodes at once. The text of so few fits into memory that those before them have used; memory from the
  /// system is slow at first use.
  var encodedAtOnce = 64
  /// Calls its second argument with each row at those positions.
  let read: @Sendable (Range<Int>, (Row) -> Void) throws -> Void
  /// The columns in a format; not those of a table on a terminal.
  let columns: (RecordFormat) throws -> Columns
  /// The columns that are fitted on a terminal.
  var fitted: () -> FittedColumns<Row> = { FittedColumns([]) { _ in [] } }
  /// What a JSON file has apart from its rows.
  var frame: () -> JSONFrame = { JSONFrame(head: JSONObject()) }

  /// Writes every row; stops if the task it runs in is cancelled.
  ///
  /// - Throws: `RowTableError` for a format that only recordings are exported in.
  @discardableResult
  func write(
    _ format: RecordFormat, _ options: WriteOptions, to output: any ByteOutput
  ) throws -> ExportSummary {
    if format.isTable, let width = options.terminalWidth {
      try writeFitted(width: width, heading: options.heading, to: output)
      return ExportSummary(written: count)
    }
    let columns = try columns(format)
    let summary: ExportSummary
    switch format.content {
    case .cells(let form):
      let cells = CellEncoder(form, escapesControls: options.escapesControls, isSpreadsheetSafe: options.isSpreadsheetSafe)
      summary = try write(DelimitedWriter(columns, cells), options, to: output)
    case .objects(let isLines):
      summary = try write(JSONWriter(columns, in: isLines ? nil : frame()), options, to: output)
    case .details, .archive: throw RowTableError.onlyExported(format: format.name)
    }
    try output.flush()
    return summary
  }

  /// Writes every row by a writer, and leaves it to the caller to flush.
  func write(_ writer: some RowWriter<Row>, _ options: WriteOptions, to output: any ByteOutput) throws -> ExportSummary {
    var (writer, summary) = (writer, ExportSummary())
    writer.begin(&output.buffer)
    if isCopied {
      try forEachRange(of: Self.batch) { range in
        try read(range) { row in writer.write(row, to: &output.buffer, &summary) }
        try output.writeIfFull()
        options.progress(range.upperBound)
      }
    } else {
      try forEachBatch(by: writer, options) { rows in
        writer.append(rows, to: &output.buffer, &summary)
        try output.writeIfFull()
      }
    }
    writer.end(&output.buffer, summary)
    try output.writeIfFull()
    return summary
  }

  /// Calls `body`, in the order of the rows, with what a writer made of each batch.
  ///
  /// To read rows and to compute their values takes most of the time, so every core has a batch at work.
  func forEachBatch(
    by writer: some RowWriter<Row>, _ options: WriteOptions, _ body: (WrittenRows) throws -> Void
  ) throws {
    var waiting: [(made: ComputedAhead<WrittenRows>, end: Int)] = []
    func finishFirst() throws {
      let first = waiting.removeFirst()
      try body(try first.made.value())
      options.progress(first.end)
    }
    try forEachRange(of: encodedAtOnce) { [read] range in
      let made = ComputedAhead {
        var (writer, written) = (writer, WrittenRows())
        try read(range) { written.add($0, by: &writer) }
        return written
      }
      waiting.append((made, range.upperBound))
      if waiting.count > ProcessInfo.processInfo.activeProcessorCount { try finishFirst() }
    }
    while !waiting.isEmpty { try finishFirst() }
  }

  private static var batch: Int { 250 }

  private func forEachRange(of size: Int, _ body: (Range<Int>) throws -> Void) throws {
    for start in stride(from: 0, to: count, by: size) {
      try Task.checkCancellation()
      try body(start..<min(start + size, count))
    }
  }

  /// Writes a table that fits a terminal. The widths are those of the first rows: a longer cell further down is cut.
  private func writeFitted(width: Int, heading: (String) -> String, to output: any ByteOutput) throws {
    let columns = fitted()
    var table: TextTable?
    func write(_ lines: [[String]]) throws {
      let isFirst = table == nil
      let shown = table ?? TextTable(columns.columns, rows: lines, width: width, usual: columns.usual, needed: columns.needed)
      table = shown
      if isFirst { try output.line(heading(shown.header)) }
      for line in lines { try output.line(shown.line(line)) }
    }
    try forEachRange(of: Self.batch) { range in
      var lines: [[String]] = []
      try read(range) { row in lines.append(columns.texts(row).map { TerminalText.escaped($0) }) }
      try write(lines)
    }
    if table == nil { try write([]) }
    try output.flush()
  }
}

/// The columns of a table that is fitted on a terminal, and the texts of a row in them.
struct FittedColumns<Row> {
  var columns: [TextTable.Column]
  /// See `TextTable`.
  var usual = ColumnFit.usual
  /// The index of a column that stays whatever the width.
  var needed: Int?
  let texts: (Row) -> [String]

  init(_ columns: [TextTable.Column], needed: Int? = nil, usual: Int = ColumnFit.usual, texts: @escaping (Row) -> [String]) {
    self.columns = columns
    self.needed = needed
    self.usual = usual
    self.texts = texts
  }
}
