import Chirper
import ChirperModel
import ChirperPlatform
import Foundation

/// How a list is exported, apart from its format.
package struct ExportOptions {
  /// The columns as typed, `nil` for all.
  package var columns: String?
  /// Whether the tidy columns are written in place of the raw fields, where a format has both.
  package var isTidy = false
  /// Escapes what a terminal could act on.
  package var escapesControls = false
  /// Puts `'` before text that a spreadsheet would run.
  package var isSpreadsheetSafe = false
  /// The audio that is kept; `nil` if it was not looked up, so that no paths are written.
  package var keptAudio: KeptAudio?
  /// The time that the file says it was written at.
  package var now: Date
  /// Called with the number of rows that are done.
  package var progress: (Int) -> Void = { _ in }

  package init(now: Date) {
    self.now = now
  }
}

extension RecordList {
  /// Writes every row in any format of `RecordFormat.exported`.
  ///
  /// - Throws: `RecordListError` for unknown columns, an unknown catalogue, and a zip file that cannot be written.
  package func export(_ format: RecordFormat, _ options: ExportOptions, to output: some ByteOutput) throws -> ExportSummary {
    if format.makeWriter != nil, !(options.isTidy && format.makeDetailWriter != nil) {
      try write(
        format, columns: try columns(options.columns), escapesControls: options.escapesControls,
        isSpreadsheetSafe: options.isSpreadsheetSafe, progress: options.progress, to: output)
      return ExportSummary(written: count)
    }
    // Without its catalogue nothing is known about a recording but its raw fields.
    guard catalogue != nil else { throw RecordListError.unknownCatalogue(stored.query.catalogue) }
    var details = DetailWriterOptions(provenance: provenance(now: options.now))
    if let columns = options.columns { details.columns = try TidyColumn.named(columns) }
    details.escapesControls = options.escapesControls
    details.isSpreadsheetSafe = options.isSpreadsheetSafe
    let summary: ExportSummary
    if let archive = format.makeArchiveWriter?(details) {
      let zip = ZipWriter(output, date: options.now)
      summary = try archive.write(to: zip) { try writeDetails($0, options, to: zip) }
      try zip.finish()
    } else if let writer = format.makeDetailWriter?(details) {
      summary = try writeDetails(writer, options, to: output)
    } else {
      throw RecordListError.needsQuery(format: format.name)
    }
    try output.flush()
    return summary
  }

  private func writeDetails(_ writer: any DetailWriter, _ options: ExportOptions, to output: some ByteOutput) throws
    -> ExportSummary
  {
    var writer = writer
    var summary = ExportSummary()
    writer.begin(&output.buffer)
    try forEachBatch(options) { [writer] in
      writer.written($0)
    } _: { rows in
      writer.append(rows, to: &output.buffer, &summary)
      try output.writeIfFull()
    }
    writer.end(&output.buffer, summary)
    try output.writeIfFull()
    return summary
  }

  /// Calls `body`, in the order of the list, with what `make` returns for the rows of each batch.
  ///
  /// To read rows and to compute their details takes most of the time of an export, so every core has a batch at work. The
  /// details of a row are computed when `make` comes to it, so that those of one row at a time are in memory.
  private func forEachBatch<Made: Sendable>(
    _ options: ExportOptions, _ make: @escaping @Sendable (LazyMapSequence<[Recording], DetailedRecording>) -> Made,
    _ body: (Made) throws -> Void
  ) throws {
    var waiting: [(made: ComputedAhead<Made>, end: Int)] = []
    func finishFirst() throws {
      let first = waiting.removeFirst()
      try body(try first.made.value())
      options.progress(first.end)
    }
    // The text of so few rows fits into memory that those before them have used; memory from the system is slow at first use.
    try batches(of: 64) { [reader, catalogue, kept = options.keptAudio] range in
      let made = ComputedAhead {
        make(
          try reader.rows(range).lazy.map { row in
            DetailedRecording(row, catalogue?.details(of: row) ?? RecordingDetails(), audioPath: kept?[row.id])
          })
      }
      waiting.append((made, range.upperBound))
      if waiting.count > ProcessInfo.processInfo.activeProcessorCount { try finishFirst() }
    }
    while !waiting.isEmpty { try finishFirst() }
  }

  /// What a sidecar says about an export: `summary`, or the same from reading all rows where a format with raw fields knows
  /// no details.
  package func sidecar(_ format: RecordFormat, _ summary: ExportSummary, _ options: ExportOptions) throws -> String {
    var summary = summary
    if summary.licences.isEmpty, summary.written > 0 {
      summary = ExportSummary()
      try forEachBatch(options) { rows in
        rows.reduce(into: ExportSummary()) { $0.add($1, wasWritten: true) }
      } _: {
        summary.add($0)
      }
    }
    return provenance(now: options.now).sidecar(format: format.name, summary)
  }

  private func provenance(now: Date) -> Provenance {
    var object = head
    object.add("exportedAt", now)
    object.add("version", ProgramVersion.current)
    return Provenance(stored, in: catalogue, object: object, choice: choiceInWords, now: now)
  }

  /// Which rows were chosen, for provenance; none where all were.
  private var choiceInWords: [String] {
    let satisfies = expression.map { ["rows that satisfy \(PlainLine.text($0.description) ?? "")"] } ?? []
    let window = offset > 0 || count < reader.count ? ["\(Plural.words(count, "row")) from number \(offset + 1)"] : []
    let changes =
      switch part {
      case .rows: [String]()
      case .new(let since): ["rows that entered the list since \(since.formatted(.iso8601))"]
      case .gone: ["recordings that left the list upstream"]
      }
    return changes + satisfies + choice.words + window
  }
}
