import Chirper
import ChirperModel
import Foundation

/// The rows of one list that are to be written, read in batches so that memory stays flat.
package struct RecordList {
  let stored: StoredQuery
  /// The repository's; `nil` if it does not have it.
  let catalogue: Catalogue?
  let part: ListPart
  let reader: ListReader
  private let fieldNames: [String]
  /// The rows to write, by position in the reader.
  private let range: Range<Int>
  /// Rows of the list before the first of them.
  let offset: Int
  let expression: SearchExpression?
  /// Rows that were searched, and those that the search found.
  private let searchedCount: Int
  private let matchedCount: Int
  /// Which rows were chosen apart from the search, and what was left out.
  package let choice: ExportFilter
  private let names: ColumnNames
  /// The field of the first sort key; its column stays in a table whatever the width.
  private let sortedField: String?
  /// Other lists that the same text is stored as.
  private let others: [String]

  static let batch = 250

  /// The rows of a stored list, as the user chose them.
  ///
  /// - Parameters:
  ///   - others: other lists that the same text is stored as, in words.
  ///   - part: its rows, those that are new, or what left it; the last two have a column with the date.
  ///   - expression: a search that finds the rows.
  ///   - choice: which of these rows are written.
  /// - Throws: `RecordListError` for an unknown column or catalogue, `SearchExpressionError` for a list that is not stored,
  ///   `StoreError` where the store cannot be read.
  package init(
    _ repository: RecordingRepository, _ stored: StoredQuery, others: [String], part: ListPart = .rows,
    where expression: SearchExpression? = nil, sort: [ListSort], choice: ExportFilter = ExportFilter(), offset: Int = 0,
    limit: Int? = nil
  ) throws {
    var choice = choice
    self.stored = stored
    self.others = others
    self.part = part
    self.expression = expression
    let fieldNames = try repository.fieldNames(of: stored.query.catalogue) + [part.dateField].compactMap(\.self)
    self.fieldNames = fieldNames
    catalogue = repository.catalogue(stored.query.catalogue)
    let names = ColumnNames(fieldNames, in: catalogue, date: part.dateColumn)
    self.names = names
    let sort = try sort.map { key throws(RecordListError) in
      ListSort(field: try names.field(key.field), descending: key.descending)
    }
    sortedField = sort.first?.field
    func window(_ count: Int) -> Range<Int> {
      let start = min(max(0, offset), count)
      return start..<(start + min(max(0, limit ?? .max), count - start))
    }
    // Without sorting and searching, the rows of the window can be read without the others.
    if sort.isEmpty, expression == nil, part == .rows, choice.isEverything {
      let window = window(stored.count)
      reader = try repository.reader(of: stored.query, window: window)
      (range, self.offset) = (0..<reader.count, window.lowerBound)
      (searchedCount, matchedCount) = (stored.count, stored.count)
    } else {
      var reader = try repository.reader(of: stored.query, part: part, sort: sort)
      reader = try choice.newRows(of: reader)
      searchedCount = reader.count
      if let expression {
        // Without its catalogue nothing is known about a field.
        guard catalogue != nil else { throw RecordListError.unknownCatalogue(stored.query.catalogue) }
        let matcher = try repository.matcher(expression)
        reader = reader.subset(at: try reader.positions(matching: matcher))
      }
      matchedCount = reader.count
      reader = try choice.allowedRows(of: reader, in: catalogue)
      self.reader = reader
      range = window(reader.count)
      self.offset = range.lowerBound
    }
    self.choice = choice
  }

  /// The rows that a reader has.
  package init(_ repository: RecordingRepository, _ stored: StoredQuery, rows: ListReader) throws {
    self.stored = stored
    catalogue = repository.catalogue(stored.query.catalogue)
    fieldNames = try repository.fieldNames(of: stored.query.catalogue)
    reader = rows
    (part, range, offset, expression, others) = (.rows, 0..<rows.count, 0, nil, [])
    (choice, searchedCount, matchedCount) = (ExportFilter(), rows.count, rows.count)
    (names, sortedField) = (ColumnNames(fieldNames, in: catalogue), nil)
  }

  /// The fields of the columns named in `a,b,c`, by field name, heading or detail.
  package func columns(_ list: String?) throws(RecordListError) -> [String]? {
    guard let list else { return nil }
    let typed = list.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    guard !typed.isEmpty else { throw .noColumn(known: names.headings) }
    var fields: [String] = []
    for name in typed {
      let field = try names.field(name)
      guard !fields.contains(field) else { throw .columnTwice(name) }
      fields.append(field)
    }
    return fields
  }

  /// Writes every row in a format other than the terminal's table.
  ///
  /// - Parameters:
  ///   - columns: the fields to write, `nil` for all.
  ///   - headings: the header, where it is not the columns' own names.
  package func write(
    _ format: RecordFormat, columns: [String]?, headings: [String]? = nil, escapesControls: Bool, isSpreadsheetSafe: Bool = false,
    progress: (Int) -> Void = { _ in }, to output: some ByteOutput
  ) throws {
    guard let makeWriter = format.makeWriter else { throw RecordListError.onlyExported(format: format.name) }
    var options = RecordWriterOptions(columns: columns, headings: headings, fieldNames: fieldNames)
    // To make it takes as long as some hundred rows.
    if format.containsNotes { options.head = head }
    options.escapesControls = escapesControls
    options.isSpreadsheetSafe = isSpreadsheetSafe
    var writer = makeWriter(options)
    // The table has details where its columns show them; other formats only where no raw field has the name.
    let details = names.details(ofColumns: columns ?? []).filter { headings != nil || !fieldNames.contains($0.name) }
    writer.begin(&output.buffer)
    try batches { rows in
      var dates = try datesAsJSON(rows)[...]
      // Written only after the read has ended: a slow reader of our output must not hold up a fetch.
      if details.isEmpty {
        try reader.forEachRow(rows) { fields in
          guard let date = dates.popFirst() else { return writer.append(fields: fields, to: &output.buffer) }
          Self.adding(date, to: fields).withUnsafeBufferPointer { writer.append(fields: $0, to: &output.buffer) }
        }
      } else {
        for row in try self.rows(rows) {
          var json = self.json(of: row, with: details, asInTable: headings != nil)
          json.withUTF8 { writer.append(fields: $0, to: &output.buffer) }
        }
      }
      try output.writeIfFull()
      progress(rows.upperBound)
    }
    writer.end(&output.buffer)
    try output.flush()
  }

  /// The fields of a recording, and details under the names of their columns.
  private func json(of row: Recording, with details: [DetailColumn], asInTable: Bool) -> String {
    let found = catalogue?.details(of: row)
    var members: [String] = []
    row.fields.forEach { name, value in
      let name = String(decoding: name, as: UTF8.self)
      guard !details.contains(where: { $0.name == name }) else { return }
      members.append("\"\(name)\":\(String(decoding: value, as: UTF8.self))")
    }
    members += details.map { column in
      let text = asInTable ? found?.cell(of: column) : found?.text(of: column)
      return "\"\(column.name)\":\(text.map(JSONText.quoted) ?? "null")"
    }
    return "{\(members.joined(separator: ","))}"
  }

  /// Writes a table that fits a terminal.
  ///
  /// - Parameters:
  ///   - names: the fields of the columns, `nil` for the catalogue's own in the order of a terminal.
  ///   - heading: styles the line of headings.
  package func writeTable(_ names: [String]?, width: Int, heading: (String) -> String, to output: some ByteOutput) throws {
    var columns = tableColumns(names, inTerminal: true)
    let sorted = names == nil ? sortedField : nil
    if let sorted, !columns.contains(where: { $0.field == sorted }) { columns.append(.init(sorted, sorted)) }
    let cells = TableCells(columns, in: catalogue)
    var table: TextTable?
    try batches { range in
      let lines = try rows(range).map { row in
        zip(columns, cells.texts(of: row)).map { column, text in
          TerminalText.escaped(column.field == part.dateField ? String(text.prefix(10)) : text)
        }
      }
      if table == nil {
        // The widths are those of the first batch: a longer cell further down is cut.
        let new = TextTable(
          columns.indices.map { index in
            // Columns that were named are all meant to be seen.
            TextTable.Column(
              heading: columns[index].heading, alignRight: columns[index].alignRight, least: columns[index].leastWidth,
              isEssential: names != nil || columns[index].place != nil, shortening: cells.shortening(ofColumn: index))
          }, rows: lines, width: width, needed: sorted.flatMap { sorted in columns.firstIndex { $0.field == sorted } })
        try output.line(heading(new.header))
        table = new
      }
      for line in lines { try output.line(table?.line(line) ?? "") }
    }
    try output.flush()
  }

  /// Writes the table for a pipe: every column in full, separated by tabs.
  package func writeTabs(_ names: [String]?, to output: some ByteOutput) throws {
    let columns = tableColumns(names)
    guard columns.contains(where: \.showsID) else {
      return try write(
        .table, columns: columns.map(\.field), headings: columns.map(\.heading), escapesControls: false, to: output)
    }
    let hasDetails = columns.contains { $0.detail != nil }
    var cells = CellEncoder(.tsv)
    func line(_ texts: [String]) throws {
      for (index, text) in texts.enumerated() {
        if index > 0 { output.buffer.append(cells.separator) }
        cells.append(text: text, to: &output.buffer)
      }
      cells.endLine(&output.buffer)
    }
    try line(columns.map(\.heading))
    try batches { range in
      for row in try rows(range) {
        let details = hasDetails ? catalogue?.details(of: row) : nil
        try line(
          columns.map { column in
            if column.showsID { return row.id.value }
            return column.detail.map { details?.cell(of: $0) ?? "" } ?? row[column.field]?.text ?? ""
          })
      }
      try output.writeIfFull()
    }
    try output.flush()
  }

  /// The rows at those positions, each with the date of the part as a field more.
  private func rows(_ range: Range<Int>) throws -> [Recording] {
    let rows = try reader.rows(range)
    guard part.dateField != nil else { return rows }
    return zip(rows, try datesAsJSON(range)).map { row, date in
      let fields = row.fields.bytes.withUnsafeBufferPointer { Self.adding(date, to: $0) }
      return Recording(id: row.id, fields: RecordingFields(canonical: fields))
    }
  }

  /// For each row of a part with dates: `,"goneAt":"2026-11-21T10:15:00Z"`.
  private func datesAsJSON(_ rows: Range<Int>) throws -> [[UInt8]] {
    guard let field = part.dateField else { return [] }
    return try reader.dates(rows).map { date in
      let value = date.map { JSONText.quoted($0.formatted(.iso8601)) } ?? "null"
      return Array(",\(JSONText.quoted(field)):\(value)".utf8)
    }
  }

  /// The fields of a recording with one more member.
  private static func adding(_ member: [UInt8], to fields: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    // Without its closing brace; an object without members gets no comma.
    Array(fields.dropLast()) + (fields.count > 2 ? member[...] : member.dropFirst()) + [UInt8(ascii: "}")]
  }

  /// The columns of the table: those named, which show their field as it is, else the catalogue's own in the order of a
  /// terminal or of a pipe, with the date after the first.
  private func tableColumns(_ names: [String]?, inTerminal: Bool = false) -> [Catalogue.TableColumn] {
    let own = inTerminal && names == nil ? catalogue?.terminalColumns : catalogue?.tableColumns
    var known = own ?? fieldNames.prefix(6).map { .init($0, $0) }
    if let date = part.dateColumn { known.insert(date, at: min(1, known.count)) }
    guard let names else { return known }
    return names.map { name in known.first { $0.field == name && !$0.showsID } ?? .init(name, name) }
  }

  /// Stops where the task it runs in is cancelled.
  func batches(of size: Int = batch, _ body: (Range<Int>) throws -> Void) throws {
    for start in stride(from: range.lowerBound, to: range.upperBound, by: size) {
      try Task.checkCancellation()
      try body(start..<min(start + size, range.upperBound))
    }
  }

  /// Notes about the rows: what a search found, where the list comes from, what else is stored.
  package func notes(now: Date) -> [String] {
    let matches = expression.map { "\(matchedCount) of \(searchedCount) rows satisfy \"\($0)\"" }
    let changes: String? =
      switch part {
      case .rows: nil
      case .new(let since): "\(Plural.words(searchedCount, "row")) entered the list since \(since.formatted(.iso8601))"
      case .gone: "\(Plural.words(searchedCount, "recording")) left the list upstream"
      }
    let also = others.isEmpty ? nil : "also stored: \(others.joined(separator: ", "))"
    return [changes, matches, stored.origin(in: catalogue, now: now), also].compactMap(\.self)
  }

  /// Rows that are written.
  package var count: Int { range.count }

  /// The members of the JSON format apart from the recordings.
  var head: JSONObject {
    var head = JSONObject()
    stored.query.addMembers(to: &head, in: catalogue)
    head.add("origin", Origin.Place.store.rawValue)
    stored.addMembers(to: &head)
    if !others.isEmpty { head.add("alsoStored", others) }
    switch part {
    case .rows: break
    case .new(let since): head.add("newSince", since)
    case .gone: head.add("gone", true)
    }
    if let expression { head.add("where", expression.description) }
    if expression != nil || part != .rows { head.add("matched", matchedCount) }
    choice.addMembers(to: &head)
    head.add("offset", offset)
    head.add("returned", range.count)
    return head
  }
}

extension ListPart {
  /// The column with the dates of new or gone rows.
  var dateColumn: Catalogue.TableColumn? {
    switch self {
    case .rows: nil
    case .new: dateField.map { .init($0, "Entered") }
    case .gone: dateField.map { .init($0, "Gone") }
    }
  }
}
