import Chirper
import ChirperModel
import Foundation

extension Rows {
  /// The time that a file of the rows says it is of.
  package func date(_ options: WriteOptions) throws -> Date {
    if let date = options.fileDate { return date }
    let dates = try sources().flatMap { [$0.newestFetchedAt, $0.checkedAt].compactMap(\.self) }
    return dates.max() ?? Self.dateWithoutPages
  }

  /// The beginning of 1980, before which no file of a zip file can be.
  private static let dateWithoutPages = Date(timeIntervalSince1970: 315_532_800)

  /// Writes every row in any format.
  ///
  /// - Throws: `UserFacingError` for unknown columns, an unknown catalogue, and a zip file that
  ///   cannot be written.
  @discardableResult
  package func write(_ format: RecordFormat, _ options: WriteOptions, to output: any ByteOutput)
    throws -> ExportSummary
  {
    let named = try names.columns(options.columns)
    var summary: ExportSummary
    switch format.content {
    case .cells where format.isTable: return try writeTable(named, options, to: output)
    case .cells, .objects:
      return try writeColumns(format, named, options, to: output)
    case .details(let makeWriter):
      let columns = (named ?? TidyColumn.defaults).map { TidyColumn($0) }
      let written = format.takesColumns ? columns.map(\.column) : []
      let contents = written.contents.union([.details, .audio])
      let choosesDownloaded = format.selectsSound && !options.hasAllRows
      let downloaded = choosesDownloaded ? try withDownloadedAudio() : nil
      let chosen = downloaded ?? self
      let writer = makeWriter(try report.provenance(now: date(options)), columns)
      summary = try chosen.detailTable(contents).writeRows(by: writer, options, to: output)
      summary.withoutAudio = count - chosen.count
      summary.namesNoAudio = choosesDownloaded && downloaded == nil && count > 0
    case .archive(let write):
      let zip = try ZipWriter(output, date: date(options))
      summary = try write(self, options, zip)
      try zip.finish()
    case .database(let form):
      let columns = named ?? TidyColumn.defaults
      let database = try DatabaseOutput(form, columns.map { TidyColumn($0) }, to: output)
      let table = try detailTable(columns.contents.union([.details, .audio]))
      summary = try table.writeRows(by: database.rowWriter, options, to: database)
      try database.finish(try report.provenance(now: date(options)), format, summary)
    }
    try output.flush()
    return summary
  }

  private func writeColumns(
    _ format: RecordFormat, _ named: [RecordingColumn]?, _ options: WriteOptions,
    to output: any ByteOutput
  ) throws -> ExportSummary {
    let usual = columnSet(options)
    let set: WriteOptions.ColumnSet
    // No field is known of a catalogue of which nothing was stored, and a header has columns.
    if usual == .raw, fieldNames.isEmpty, case .cells = format.content {
      set = .tidy
    } else {
      set = usual
    }
    if set == .raw, let fields = rawFields(named ?? fieldNames.map { .field($0) }) {
      let columns = RawColumns(fields, headings: named?.map(\.name), isWhole: named == nil)
      return try rawTable(columns).write(format, options, to: output)
    }
    let chosen = named ?? (set == .found ? RecordingColumn.all : TidyColumn.defaults)
    var columns = ValueColumns(chosen, joinsLists: set == .tidy)
    // A document of JSON ends with what the summary says.
    let describesRows = options.describesRows || named == nil || format == .json
    var contents = chosen.contents
    var details = named?.details
    if describesRows {
      contents.insert(.details)
      details?.formUnion(ExportSummary.columns)
    }
    if set == .found, case .objects = format.content {
      let words = options.findsWords ? expression : nil
      if words != nil {
        contents.insert(.details)
        details = nil
      }
      let further = (named == nil ? ["fields"] : []) + (words == nil ? [] : ["foundIn"])
      columns = ValueColumns(chosen.map(\.name) + further) { row in
        var values = row.values(of: chosen)
        if named == nil {
          values.append(.field(RecordingFields.Value(json: row.recording.fields.json)))
        }
        if let words { values.append(words.foundTexts(in: row.details).columnValue) }
        return values
      }
    }
    var table = try detailTable(contents, columns, details: details)
    table.describesRows = describesRows
    table.frame = {
      set == .tidy
        ? JSONFrame(head: try report.provenance(now: date(options)).object, endsWithRange: true)
        : JSONFrame(head: try report.head())
    }
    return try table.write(format, options, to: output)
  }

  /// Writes the annotations of every row, a line or an object each, in the order of the rows.
  ///
  /// - Returns: a summary that counts annotations.
  package func writeAnnotations(
    _ format: RecordFormat, _ options: WriteOptions, to output: any ByteOutput
  ) throws -> ExportSummary {
    try checkCatalogues()
    let table = RowTable<ValueColumns<AnnotationRow>>(
      count: count,
      read: { [self] positions, body in
        try reader.forEachRow(range(of: positions), with: .details) { row in
          for annotation in row.details.annotations {
            body(AnnotationRow(recording: row, annotation: annotation))
          }
        }
      },
      columns: { _ in AnnotationRow.columns },
      frame: { try JSONFrame(head: report.head(), name: "annotations") })
    return try table.write(format, options, to: output)
  }

  /// Writes where the rows come from, with `summary`, or the same from reading all rows if a format
  /// with raw fields knows no details.
  package func writeProvenance(
    _ format: RecordFormat, _ summary: ExportSummary, _ options: WriteOptions,
    to output: any ByteOutput
  ) throws {
    var summary = summary
    if summary.licences.isEmpty, summary.written > 0 {
      summary = try detailTable([.details]).writeRows(by: NoWriter(), options, to: output)
    }
    try output.line(try report.provenance(now: date(options)).file(format: format.name, summary))
  }

  /// The columns that are written if none are named: raw fields only if all rows are of one
  /// catalogue.
  func columnSet(_ options: WriteOptions) -> WriteOptions.ColumnSet {
    options.columnSet == .raw && catalogueID == nil ? .tidy : options.columnSet
  }

  /// The raw fields that have the values of the columns, each once; `nil` if a column is
  /// not a raw field.
  private func rawFields(_ columns: [RecordingColumn]) -> [String]? {
    let fields = columns.compactMap { column in
      switch column {
      case .field(let name): name
      case .id where catalogue?.sendsIDs == true: "id"
      case part.dateColumn: column.name
      default: nil
      }
    }
    return fields.count == columns.count && Set(fields).count == fields.count ? fields : nil
  }

  /// The raw fields, as they are stored, with the date of the part as a further field.
  private func rawTable(_ columns: RawColumns) -> RowTable<RawColumns> {
    RowTable(
      count: count, isCopied: true,
      read: { [self] positions, body in
        guard let date = part.dateColumn else {
          return try reader.forEachRow(range(of: positions), body)
        }
        for row in try reader.rows(range(of: positions), with: .dates) {
          row.recording.adding([date.name: row.date]).fields.withRow(body)
        }
      }, columns: { _ in columns }, frame: { try JSONFrame(head: report.head()) })
  }

  /// Calls `body` with each row, which is read with these contents. No lock is held meanwhile.
  func forEach(
    with contents: RowContents = [.details], _ body: (RecordingRow) throws -> Void
  ) throws {
    let table = try detailTable(contents)
    for positions in (0..<count).batches() {
      try Task.checkCancellation()
      var rows: [RecordingRow] = []
      try table.read(positions) { rows.append($0) }
      try rows.forEach(body)
    }
  }

  /// - Parameter details: the only columns of the details that are read; all if `nil`.
  func detailTable(
    _ contents: RowContents,
    _ columns: ValueColumns<RecordingRow> = ValueColumns([RecordingColumn]()),
    details: Set<DetailColumn>? = nil
  ) throws -> RowTable<ValueColumns<RecordingRow>> {
    // Without its catalogue nothing is known about a recording but its raw fields.
    if contents.contains(.details) { try checkCatalogues() }
    var reader = reader
    try reader.prepare(for: contents, details: details)
    return RowTable(
      count: count, isCopied: contents.isEmpty,
      read: { [self, reader] positions, body in
        try reader.forEachRow(range(of: positions), with: contents, body)
      }, columns: { _ in columns })
  }

  // MARK: The table

  /// Writes the table for people: fitted on a terminal, or every column in full for a pipe.
  private func writeTable(
    _ named: [RecordingColumn]?, _ options: WriteOptions, to output: any ByteOutput
  ) throws -> ExportSummary {
    let isFitted = options.terminalWidth != nil
    // The notes say that a list has no rows.
    if isFitted, results == nil, count == 0 { return ExportSummary() }
    var columns = tableColumns(named, inTerminal: isFitted)
    let showsNames = repository.shownNames != nil
    // An imported record may have no raw fields.
    let areSent = results == nil && lists.allSatisfy { $0.imported == nil }
    if !isFitted, !showsNames, areSent, let fields = rawFields(columns.map(\.column)) {
      return try rawTable(RawColumns(fields, headings: columns.map(\.shown.heading))).write(
        .table, options, to: output)
    }
    if named == nil, leftOutCopies > 0 { columns.append(tableColumn(.copies)) }
    let needed = named == nil && isFitted ? sorted : nil
    if let needed, !columns.contains(where: { $0.column == needed }) {
      columns.append(tableColumn(needed))
    }
    // The cells of one catalogue are made from a recording without its longest fields.
    let ownCells = isFitted ? catalogue ?? foundCatalogue : nil
    let cells = TableCells(columns.map(\.shown), in: ownCells, names: repository.shownNames)
    var contents = columns.map(\.column).contents
    let words = expression.flatMap { $0.hasBareWords ? $0 : nil }
    if words != nil || !isFitted && showsNames {
      contents.insert(.details)
    } else if ownCells != nil {
      contents.remove(.details)
    }
    var table = try textTable(columns, contents)
    table.fitted = {
      let shown = columns.map(\.shown).enumerated().map { index, column in
        // Columns that were named are all meant to be seen.
        TextTable.Column(
          heading: column.heading, alignRight: column.alignRight, least: column.leastWidth,
          isEssential: named != nil || column.rank != nil,
          shortening: cells.shortening(ofColumn: index))
      }
      var fitted = FittedColumns<RecordingRow>(
        columns: shown, needed: columns.firstIndex { $0.column == needed }
      ) { [columns] row in
        let cells = cells.row(of: row.recording)
        let texts = zip(columns, cells.texts).map { column, text in
          switch column.column {
          case .field, .id: text
          case .detail where ownCells != nil: text
          case .copies: row.otherCatalogues
          case .enteredAt, .changedAt, .goneAt: String(row.text(of: column.column).prefix(10))
          default: row.text(of: column.column)
          }
        }
        let issues = ownCells == nil ? row.details.issues : cells.details?.issues ?? []
        return (texts, !issues.isEmpty)
      }
      if let words {
        fitted.found = { words.foundTexts(in: $0.details) }
        fitted.details = columns.map { details(shownBy: $0.column) }
      }
      return fitted
    }
    return try table.write(.table, options, to: output)
  }

  private func textTable(
    _ columns: [ShownColumn], _ contents: RowContents
  ) throws -> RowTable<ValueColumns<RecordingRow>> {
    let mapping = (catalogue ?? foundCatalogue)?.mapping
    let shownDetails = columns.map { details(shownBy: $0.column) }
    // A record of details alone has no raw fields.
    let importedDetails = columns.map { column in
      if case .field(let name) = column.column, name != "id" {
        mapping?.detail(inPlaceOf: name)
      } else {
        nil as DetailColumn?
      }
    }
    return try detailTable(
      contents,
      ValueColumns(columns.map(\.shown.heading)) { row in
        let isOfDetails = row.recording.fields.importedForm == .details
        let imported = isOfDetails ? mapping?.details(of: row.recording) : nil
        return columns.indices.map { index in
          let column = columns[index].column
          if shownDetails[index] == [.vernacularName], let name = row.details.shownName {
            return .text(name)
          }
          if let imported, let detail = importedDetails[index] {
            return .text(detail.value(of: imported).shown(isLength: detail == .mediaDuration))
          }
          guard case .field(let name) = column else { return .text(row.text(of: column)) }
          return row.value(of: isOfDetails && name == "id" ? .id : column)
        }
      })
  }

  private func details(shownBy column: RecordingColumn) -> [DetailColumn] {
    switch column {
    case .detail(let detail): [detail]
    case .field(let name): (catalogue ?? foundCatalogue)?.mapping.details(from: name) ?? []
    default: []
    }
  }

  private typealias ShownColumn = (column: RecordingColumn, shown: Catalogue.TableColumn)

  /// The only catalogue of the recordings that a search found; `nil` if they are of
  /// several.
  private var foundCatalogue: Catalogue? {
    results.flatMap { $0.catalogues.count == 1 ? $0.catalogue($0.catalogues[0]) : nil }
  }

  /// The columns of the table: those named; else those of one list's catalogue, in the order of a
  /// terminal or of a pipe, and in a pipe those of the only catalogue with results; else those that
  /// catalogues share.
  private func tableColumns(_ named: [RecordingColumn]?, inTerminal: Bool) -> [ShownColumn] {
    if let named { return named.map(tableColumn) }
    let isOneList = lists.count == 1
    let own = isOneList ? catalogue : inTerminal ? nil : foundCatalogue
    var columns: [ShownColumn] =
      own.map { isOneList && inTerminal ? $0.terminalColumns : $0.tableColumns }?
      .map { ($0.column, $0) } ?? []
    if columns.isEmpty, isOneList { return fieldNames.prefix(6).map { tableColumn(.field($0)) } }
    let isShared = columns.isEmpty
    if isShared { columns = Self.shared }
    // The id that `play` takes is seen however narrow the terminal is.
    let id = columns.firstIndex { $0.column == .id || $0.column == .field("id") }
    if isShared || inTerminal, let id, !isOneList || columns[id].shown.rank == nil {
      columns.insert(columns.remove(at: id), at: 0)
    }
    let added = isOneList ? [part.dateColumn].compactMap(\.self) : isShared ? [] : [.lists, .audio]
    columns.insert(contentsOf: added.map(tableColumn), at: min(isOneList ? 1 : 2, columns.count))
    return columns
  }

  private func tableColumn(_ column: RecordingColumn) -> ShownColumn {
    if let own = catalogue?.tableColumns.first(where: { $0.column == column }) {
      return (column, own)
    }
    switch column {
    case .detail(let detail):
      return (column, .init(detail, column.heading, alignRight: detail.type.isNumber))
    case .field(let name): return (column, .init(name, column.heading))
    case .copies: return (column, .init(column.name, column.heading, rank: 8, leastWidth: 4))
    default:
      return (
        column,
        .init(column.name, column.heading, alignRight: column == .id, showsID: column == .id)
      )
    }
  }

  private static let shared: [ShownColumn] = TableCells.found.columns.compactMap { shown in
    RecordingColumn.all.first { $0.name == shown.field }.map { ($0, shown) }
  }
}

extension RecordingRow {
  var otherCatalogues: String {
    ([details.alsoIn].compactMap(\.self) + copies).map(\.catalogue.rawValue).uniqued.joined(
      separator: ", ")
  }

  /// The value of a column as a table shows it.
  func text(of column: RecordingColumn) -> String {
    if column == .detail(.vernacularName), let name = details.shownName { return name }
    return value(of: column).shown(isLength: column == .detail(.mediaDuration))
  }
}

extension Recording {
  fileprivate func adding(_ members: JSONObject) -> Recording {
    let isEmpty = fields.bytes.count == 2
    let bytes = fields.bytes.dropLast() + (isEmpty ? "" : ",").utf8 + members.text.utf8.dropFirst()
    return with(RecordingFields(canonical: Array(bytes)))
  }
}
