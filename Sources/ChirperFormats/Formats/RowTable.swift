import ChirperModel
import Foundation

/// Rows to be printed, and their columns: the one printer of a stored list, of the results
/// of a search and of the stored queries.
///
/// Rows are read and encoded in batches, so that memory stays flat and no read lock is held
/// while output waits.
struct RowTable<Columns: ColumnEncoder> {
  typealias Row = Columns.Row

  let count: Int
  /// Whether rows are copied as they are, or nearly so: that takes no longer than to pass them from
  /// core to core.
  var isCopied = false
  /// Whether rows are read with what a summary says of them.
  var describesRows = true
  /// Calls its second argument with each row at those positions.
  let read: @Sendable (Range<Int>, (Row) -> Void) throws -> Void
  /// The columns in a format, apart from a table on a terminal.
  let columns: (RecordFormat) throws -> Columns
  var fitted: () -> FittedColumns<Row> = { FittedColumns(columns: []) { _ in [] } }
  var frame: () throws -> JSONFrame = { JSONFrame(head: [:]) }

  /// Writes every row; stops if the task it runs in is cancelled.
  ///
  /// - Throws: `UserFacingError` for a format that only recordings are exported in.
  @discardableResult
  func write(
    _ format: RecordFormat, _ options: WriteOptions, to output: any ByteOutput
  ) throws -> ExportSummary {
    if format.isTable, let width = options.terminalWidth {
      var summary = ExportSummary(written: count)
      try writeFitted(width: width, heading: options.heading, to: output, &summary)
      return summary
    }
    let columns = try columns(format)
    let summary: ExportSummary
    switch format.content {
    case .cells(let form):
      let cells = CellEncoder(
        form: form, escapesControls: options.escapesControls,
        isSpreadsheetSafe: options.isSpreadsheetSafe)
      summary = try writeRows(
        by: DelimitedWriter(columns: columns, cells: cells), options, to: output)
    case .objects(let isLines):
      summary = try writeRows(
        by: JSONWriter(columns: columns, frame: isLines ? nil : try frame()), options, to: output)
    case .details, .archive, .database:
      throw UserFacingError.usage(
        "\(format.name) is for recordings only",
        hint: "For this table, type --format table, csv, tsv, json or jsonl.")
    }
    try output.flush()
    return summary
  }

  /// Writes every row by a writer, and leaves it to the caller to flush.
  func writeRows(by writer: some RowWriter<Row>, _ options: WriteOptions, to output: any ByteOutput)
    throws -> ExportSummary
  {
    var writer = writer
    let none = ExportSummary(describesRows: describesRows)
    var summary = none
    writer.begin(&output.buffer)
    if isCopied {
      try forEachBatch { range in
        try read(range) { row in writer.write(row, to: &output.buffer, &summary) }
        try output.writeIfFull()
        options.progress(range.upperBound)
      }
    } else {
      // To read rows and to compute their values takes most of the time, so every core has a batch
      // at work.
      typealias Written = (bytes: [UInt8], summary: ExportSummary, end: Int)
      try ComputedAhead<Written>.forEach(of: (0..<count).batches()) { [read, writer] range in
        var writer = writer
        var written = Written([], none, range.upperBound)
        try read(range) { writer.write($0, to: &written.bytes, &written.summary) }
        return written
      } _: { rows in
        if summary.written > 0, rows.summary.written > 0 { output.buffer += writer.separator.utf8 }
        writer.join(rows.bytes, to: &output.buffer)
        summary.add(rows.summary)
        try output.writeIfFull()
        options.progress(rows.end)
      }
    }
    writer.end(&output.buffer, summary)
    return summary
  }

  private func forEachBatch(_ body: (Range<Int>) throws -> Void) throws {
    for range in (0..<count).batches() {
      try Task.checkCancellation()
      try body(range)
    }
  }

  /// Writes a table that fits a terminal. The widths follow from the first rows; a longer
  /// cell further down is cut.
  private func writeFitted(
    width: Int, heading: (String) -> String, to output: any ByteOutput,
    _ summary: inout ExportSummary
  ) throws {
    let columns = fitted()
    var table: TextTable?
    func write(_ lines: [FittedLine]) throws {
      let fitted = table ?? columns.table(of: lines, width: width)
      if table == nil { try output.line(heading(fitted.header)) }
      table = fitted
      let details = columns.details(shownBy: fitted)
      for line in lines {
        try output.line(fitted.line(line.cells))
        guard let note = line.found.note(besides: details) else { continue }
        try output.line(CellText.cut("  " + TerminalText.escaped(note), columns: width).text)
      }
    }
    try forEachBatch { range in
      var lines: [FittedLine] = []
      try read(range) { row in
        var (texts, isMarked) = columns.texts(row)
        if isMarked, !texts.isEmpty {
          texts[0] = "! " + texts[0]
          summary.hasMarks = true
        }
        lines.append((texts.map { TerminalText.escaped($0) }, columns.found(row)))
      }
      try write(lines)
    }
    if table == nil { try write([]) }
    try output.flush()
  }
}

/// The columns of a table that is fitted on a terminal, and the texts of a row in them.
struct FittedColumns<Row> {
  var columns: [TextTable.Column]
  /// The columns that a text has by itself (`ColumnFit.Need`).
  var defaultWidth = ColumnFit.defaultWidth
  /// The index of a column that stays whatever the width.
  var needed: Int?
  /// The texts, and whether the row has the mark of what its catalogue doubts.
  let texts: (Row) -> (texts: [String], isMarked: Bool)
  /// The columns with each bare word of a search.
  var found: (Row) -> [[FoundText]] = { _ in [] }
  /// The details that each column shows; empty if `found` is.
  var details: [[DetailColumn]] = []
}

private typealias FittedLine = (cells: [String], found: [[FoundText]])

extension FittedColumns {
  /// A table for these rows and those that follow. It shows the names of species that most rows are
  /// found by.
  fileprivate func table(of lines: [FittedLine], width: Int) -> TextTable {
    func table(_ needed: Int?) -> TextTable {
      TextTable(
        columns, rows: lines.map(\.cells), width: width, defaultWidth: defaultWidth, needed: needed)
    }
    let fitted = table(needed)
    guard needed == nil,
      let names = lines.map(\.found).hiddenNames(besides: details(shownBy: fitted)),
      let index = details.firstIndex(where: { $0.contains(names) })
    else { return fitted }
    return table(index)
  }

  fileprivate func details(shownBy table: TextTable) -> Set<DetailColumn> {
    details.isEmpty ? [] : Set(table.shown.flatMap { details[$0] })
  }

  /// Columns of rows that have no mark.
  init(
    columns: [TextTable.Column], defaultWidth: Int = ColumnFit.defaultWidth,
    texts: @escaping (Row) -> [String]
  ) {
    self.init(columns: columns, defaultWidth: defaultWidth) { (texts($0), false) }
  }
}
