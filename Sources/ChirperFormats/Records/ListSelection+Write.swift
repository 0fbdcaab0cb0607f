import Chirper
import ChirperModel
import Foundation

extension ListSelection {
  /// Writes every row in any format.
  ///
  /// - Throws: `UserFacingError` for unknown columns, an unknown catalogue, and a zip file that cannot be written.
  @discardableResult
  package func write(
    _ format: RecordFormat, _ options: WriteOptions, to output: any ByteOutput
  ) throws -> ExportSummary {
    if case .cells = format.content, format.isTable { return try writeTable(options, to: output) }
    let summary: ExportSummary
    switch format.content {
    case .cells where options.isTidy, .objects where options.isTidy:
      return try tidyTable(options).write(format, options, to: output)
    case .cells, .objects:
      let columns = try names.columns(options.columns)
      let fields = RawColumns(columns ?? fieldNames, isWhole: columns == nil)
      // A raw field hides a detail of the same name.
      let details = (catalogue?.tableColumns ?? []).compactMap(\.detail)
        .filter { columns?.contains($0.name) == true && !fieldNames.contains($0.name) }
      return try rawTable(fields, adding: details).write(format, options, to: output)
    case .details(let makeWriter):
      let writer = makeWriter(provenance(now: options.now), try TidyColumn.named(options.columns))
      summary = try tidyTable(options).write(writer, options, to: output)
    case .archive(let write):
      let zip = try ZipWriter(output, date: options.now)
      let table = try tidyTable(options)
      summary = try write(provenance(now: options.now), zip) { try table.write($0, options, to: zip) }
      try zip.finish()
    case .database(let form):
      let database = try DatabaseOutput(form, try TidyColumn.named(options.columns), to: output)
      summary = try tidyTable(options).write(database.rowWriter, options, to: database)
      try database.finish(provenance(now: options.now), format, summary)
    }
    try output.flush()
    return summary
  }

  /// Writes where an export comes from, with `summary`, or the same from reading all rows if a format with raw fields knows no
  /// details.
  package func writeProvenance(
    _ format: RecordFormat, _ summary: ExportSummary, _ options: WriteOptions, to output: any ByteOutput
  ) throws {
    var summary = summary
    if summary.licences.isEmpty, summary.written > 0 {
      summary = try detailTable(options) { _ in ValueColumns([]) }.write(NoWriter(), options, to: output)
    }
    try output.line(provenance(now: options.now).file(format: format.name, summary))
  }

  /// The raw fields, as they are stored, with these details as further fields.
  private func rawTable(_ columns: RawColumns, adding details: [DetailColumn] = []) -> RowTable<RawColumns> {
    RowTable(
      count: count, isCopied: true,
      read: { [self] positions, body in
        if details.isEmpty, part.dateField == nil { return try reader.forEachRow(range(of: positions), body) }
        for row in try rows(positions, adding: details) { row.fields.withRow(body) }
      }, columns: { _ in columns }, frame: { JSONFrame(head: head) })
  }

  private func tidyTable(_ options: WriteOptions) throws -> RowTable<ValueColumns<DetailedRecording>> {
    // Without its catalogue nothing is known about a recording but its raw fields.
    guard catalogue != nil else { throw UserFacingError.unknownCatalogue(stored.query.catalogue) }
    var table = detailTable(options) { _ in
      ValueColumns(try TidyColumn.named(options.columns).map(\.column), joinsLists: true)
    }
    table.frame = { JSONFrame(head: provenance(now: options.now).object, endsWithRange: true) }
    return table
  }

  /// - Parameter hasDetails: whether the details are computed, which takes most of the time.
  private func detailTable(
    _ options: WriteOptions, hasDetails: Bool = true,
    columns: @escaping (RecordFormat) throws -> ValueColumns<DetailedRecording>
  ) -> RowTable<ValueColumns<DetailedRecording>> {
    let catalogue = hasDetails ? catalogue : nil
    return RowTable(
      count: count,
      read: { [self, kept = options.keptAudio] positions, body in
        for row in try rows(positions) {
          body(
            DetailedRecording(
              recording: row, details: catalogue?.details(of: row) ?? RecordingDetails(), audioPath: kept?[row.id]))
        }
      }, columns: columns)
  }

  /// Writes the table for people: fitted on a terminal, or every column in full for a pipe.
  private func writeTable(_ options: WriteOptions, to output: any ByteOutput) throws -> ExportSummary {
    let named = try names.columns(options.columns)
    let columns = tableColumns(named, inTerminal: options.terminalWidth != nil)
    guard options.terminalWidth == nil else {
      // The notes say that there are no rows.
      guard count > 0 else { return ExportSummary() }
      var table = detailTable(options, hasDetails: false) { _ in ValueColumns([]) }
      table.fitted = { fittedColumns(columns, areNamed: named != nil) }
      return try table.write(.table, options, to: output)
    }
    guard columns.contains(where: { $0.showsID || $0.detail != nil }) else {
      let fields = RawColumns(columns.map(\.field), headings: columns.map(\.heading))
      return try rawTable(fields).write(.table, options, to: output)
    }
    let table = detailTable(options, hasDetails: columns.contains { $0.detail != nil }) { _ in
      ValueColumns(
        columns.map { column in
          ValueColumn(name: column.heading) { row in
            if column.showsID { return .text(row.recording.id.value) }
            if let detail = column.detail { return ColumnValue(row.details.cell(of: detail)) }
            return row.recording[column.field].map { .field($0) } ?? .none
          }
        })
    }
    return try table.write(.table, options, to: output)
  }

  /// - Parameter areNamed: whether the user named the columns; otherwise the column sorted by is among them.
  private func fittedColumns(_ columns: [Catalogue.TableColumn], areNamed: Bool) -> FittedColumns<DetailedRecording> {
    var columns = columns
    let sorted = areNamed ? nil : sortedField
    if let sorted, !columns.contains(where: { $0.field == sorted }) { columns.append(.init(sorted, sorted)) }
    let cells = TableCells(columns, in: catalogue)
    let shown = columns.indices.map { index in
      // Columns that were named are all meant to be seen.
      TextTable.Column(
        heading: columns[index].heading, alignRight: columns[index].alignRight, least: columns[index].leastWidth,
        isEssential: areNamed || columns[index].place != nil, shortening: cells.shortening(ofColumn: index))
    }
    return FittedColumns(columns: shown, needed: columns.firstIndex { $0.field == sorted }) { [columns] row in
      zip(columns, cells.texts(of: row.recording)).map { column, text in
        column.field == part.dateField ? String(text.prefix(10)) : text
      }
    }
  }

  /// The columns of the table: those named, which show their field as it is, else the catalogue's own in the order of a
  /// terminal or of a pipe, with the date after the first.
  private func tableColumns(_ named: [String]?, inTerminal: Bool) -> [Catalogue.TableColumn] {
    let own = inTerminal && named == nil ? catalogue?.terminalColumns : catalogue?.tableColumns
    var known = own ?? fieldNames.prefix(6).map { .init($0, $0) }
    if let date = part.dateColumn { known.insert(date, at: min(1, known.count)) }
    guard let named else { return known }
    return named.map { name in known.first { $0.field == name && !$0.showsID } ?? .init(name, name) }
  }

  /// The rows at those positions, each with the date of the part and with details as further fields.
  private func rows(_ positions: Range<Int>, adding details: [DetailColumn] = []) throws -> [Recording] {
    let rows = try reader.rows(range(of: positions))
    guard part.dateField != nil || !details.isEmpty else { return rows }
    let dates = part.dateField == nil ? [] : try reader.dates(range(of: positions))
    return rows.enumerated().map { index, row in
      var added: JSONObject = [:]
      if let name = part.dateField { added.add(name, dates[index]) }
      let found = details.isEmpty ? nil : catalogue?.details(of: row)
      for detail in details { added.add(detail.name, found?.text(of: detail)) }
      return row.adding(added)
    }
  }

  private func range(of positions: Range<Int>) -> Range<Int> {
    range.lowerBound + positions.lowerBound..<range.lowerBound + positions.upperBound
  }

  private func provenance(now: Date) -> Provenance {
    var object = head
    object.add("exportedAt", now)
    object.add("version", ProgramVersion.current)
    if let names = catalogue?.volatileFields.sorted(), !names.isEmpty { object.add("volatileFields", names) }
    return Provenance(stored, in: catalogue, object: object, choice: choiceInWords, now: now)
  }

  /// Which rows were chosen, for provenance; none where all were.
  private var choiceInWords: [String] {
    let satisfies = expression.map { ["rows that satisfy \(PlainLine.text($0.description) ?? "")"] } ?? []
    let window = offset > 0 || count < reader.count ? ["\(Plural.words(count, "row")) from number \(offset + 1)"] : []
    let changes = part.words.map { ["\(part.noun)s that \($0)"] } ?? []
    return changes + satisfies + choice.words + window
  }
}

extension Recording {
  fileprivate func adding(_ members: JSONObject) -> Recording {
    let isEmpty = fields.bytes.count == 2
    let bytes = fields.bytes.dropLast() + (isEmpty ? "" : ",").utf8 + members.text.utf8.dropFirst()
    return Recording(id: id, fields: RecordingFields(canonical: Array(bytes)))
  }
}
