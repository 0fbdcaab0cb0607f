import Chirper
import ChirperModel
import Foundation

/// The rows of one list that are to be written, read in batches so that memory stays flat.
package struct RecordList {
  private let stored: StoredQuery
  private let reader: ListReader
  private let fieldNames: [String]
  /// The rows to write, by position in the reader.
  private let range: Range<Int>
  /// Rows of the list before the first of them.
  private let offset: Int
  private let filter: String?
  private let names: ColumnNames
  /// The field of the first sort key; its column stays in a table whatever the width.
  package let sortedField: String?
  /// Other lists that the same text is stored as.
  private let others: [String]

  private static let batch = 250

  /// The rows of a stored list, as the user chose them.
  ///
  /// - Parameters:
  ///   - others: other lists that the same text is stored as, in words.
  ///   - filter: a text that the rows contain.
  /// - Throws: `RecordListError` for an unknown column or catalogue, `StoreError` where the store cannot be read.
  package init(
    _ repository: RecordingRepository, _ stored: StoredQuery, others: [String], filter: String?, sort: [ListSort],
    offset: Int = 0, limit: Int? = nil
  ) throws {
    self.stored = stored
    self.others = others
    self.filter = filter
    fieldNames = try repository.fieldNames(of: stored.query.catalogue)
    let names = ColumnNames(fieldNames, in: Catalogues.named(stored.query.catalogue))
    self.names = names
    let sort = try sort.map { key throws(RecordListError) in
      ListSort(field: try names.field(key.field), descending: key.descending)
    }
    sortedField = sort.first?.field
    func window(_ count: Int) -> Range<Int> {
      let start = min(max(0, offset), count)
      return start..<(start + min(max(0, limit ?? .max), count - start))
    }
    // Only a sorted list, or one of which some rows are meant, needs all its rows to know the first.
    if sort.isEmpty, filter == nil {
      let window = window(stored.count)
      reader = try repository.reader(of: stored.query, window: window)
      (range, self.offset) = (0..<reader.count, window.lowerBound)
    } else {
      var reader = try repository.reader(of: stored.query, sort: sort)
      if let filter {
        guard let catalogue = Catalogues.named(stored.query.catalogue) else {
          throw RecordListError.unknownCatalogue(stored.query.catalogue)
        }
        let search = RowSearch(filter, in: catalogue)
        var found: [Int] = []
        for start in stride(from: 0, to: reader.count, by: Self.batch) {
          found += try reader.positions(start..<(start + Self.batch), matching: search)
        }
        reader = reader.subset(at: found)
      }
      self.reader = reader
      range = window(reader.count)
      self.offset = range.lowerBound
    }
  }

  /// The rows that a reader has.
  package init(_ repository: RecordingRepository, _ stored: StoredQuery, rows: ListReader) throws {
    self.stored = stored
    fieldNames = try repository.fieldNames(of: stored.query.catalogue)
    reader = rows
    (range, offset, filter, others) = (0..<rows.count, 0, nil, [])
    (names, sortedField) = (ColumnNames(fieldNames, in: Catalogues.named(stored.query.catalogue)), nil)
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
    to output: some ByteOutput
  ) throws {
    var options = RecordWriterOptions(columns: columns, headings: headings, fieldNames: fieldNames)
    options.head = head
    options.escapesControls = escapesControls
    options.isSpreadsheetSafe = isSpreadsheetSafe
    var writer = format.makeWriter(options)
    // The table has details where its columns show them; other formats only where no raw field has the name.
    let details = names.details(ofColumns: columns ?? []).filter { headings != nil || !fieldNames.contains($0.rawValue) }
    writer.begin(&output.buffer)
    try batches { rows in
      // Written only after the read has ended: a slow reader of our output must not hold up a fetch.
      if details.isEmpty {
        try reader.forEachRow(rows) { writer.append(fields: $0, to: &output.buffer) }
      } else {
        for row in try reader.rows(rows) {
          var json = self.json(of: row, with: details, asInTable: headings != nil)
          json.withUTF8 { writer.append(fields: $0, to: &output.buffer) }
        }
      }
      try output.writeIfFull()
    }
    writer.end(&output.buffer)
    try output.flush()
  }

  /// The fields of a recording, with details beside them under the names of their columns.
  private func json(of row: Recording, with details: [DetailName], asInTable: Bool) -> String {
    let found = Catalogues.named(stored.query.catalogue)?.details(of: row)
    var members: [String] = []
    row.fields.forEach { name, value in
      let name = String(decoding: name, as: UTF8.self)
      guard !details.contains(where: { $0.rawValue == name }) else { return }
      members.append("\"\(name)\":\(String(decoding: value, as: UTF8.self))")
    }
    members += details.map { name in
      let text = asInTable ? found?.cell(of: name) : found?.text(of: name)
      return "\"\(name.rawValue)\":\(text.map(JSONText.quoted) ?? "null")"
    }
    return "{\(members.joined(separator: ","))}"
  }

  /// Writes a table that fits a terminal.
  ///
  /// - Parameters:
  ///   - sorted: the field sorted by; its column stays whatever the width.
  ///   - heading: styles the line of headings.
  package func writeTable(
    _ columns: [Catalogue.TableColumn], sorted: String?, width: Int, heading: (String) -> String,
    to output: some ByteOutput
  ) throws {
    var columns = columns
    if let sorted, !columns.contains(where: { $0.field == sorted }) { columns.append(.init(sorted, sorted)) }
    var locator = ColumnLocator(columns.map(\.field))
    var table: TextTable?
    let catalogue = Catalogues.named(stored.query.catalogue)
    let hasDetails = columns.contains { $0.detail != nil }
    func cells(of row: Recording) -> [String] {
      var json = row.fields.json
      let details = hasDetails ? catalogue?.details(of: row) : nil
      return json.withUTF8 { object in
        locator.locate(in: object)
        return zip(columns, locator.ranges).map { column, range in
          let text =
            if let detail = column.detail {
              details?.cell(of: detail) ?? ""
            } else {
              FieldValue(json: String(decoding: object[range], as: UTF8.self)).text
            }
          return TerminalText.escaped(text)
        }
      }
    }
    try batches { range in
      let lines = try reader.rows(range).map(cells(of:))
      if table == nil {
        // The widths are those of the first batch: a longer cell further down is cut.
        let new = TextTable(
          columns.map { .init(heading: $0.heading, alignRight: $0.alignRight) }, rows: lines, width: width,
          needed: sorted.flatMap { sorted in columns.firstIndex { $0.field == sorted } })
        try output.line(heading(new.header))
        table = new
      }
      for line in lines { try output.line(table?.line(line) ?? "") }
    }
    try output.flush()
  }

  /// The columns of the table: those named, else the catalogue's own.
  package func tableColumns(_ names: [String]?) -> [Catalogue.TableColumn] {
    let known = Catalogues.named(stored.query.catalogue)?.tableColumns ?? fieldNames.prefix(6).map { .init($0, $0) }
    guard let names else { return known }
    return names.map { name in known.first { $0.field == name } ?? .init(name, name) }
  }

  /// Stops where the task it runs in is cancelled.
  private func batches(_ body: (Range<Int>) throws -> Void) throws {
    for start in stride(from: range.lowerBound, to: range.upperBound, by: Self.batch) {
      try Task.checkCancellation()
      try body(start..<min(start + Self.batch, range.upperBound))
    }
  }

  /// Notes beside the rows: what a filter left, where the list comes from, what else is stored.
  package func notes(now: Date) -> [String] {
    let matches = filter.map { "\(reader.count) of \(stored.count) rows contain \"\($0)\"" }
    let also = others.isEmpty ? nil : "also stored: \(others.joined(separator: ", "))"
    return [matches, stored.origin(now: now), also].compactMap(\.self)
  }

  /// Rows that are written.
  package var count: Int { range.count }

  /// The members of the JSON format beside the recordings.
  private var head: JSONObject {
    var head = JSONObject()
    stored.query.addMembers(to: &head)
    head.add("origin", Origin.Place.store.rawValue)
    stored.addMembers(to: &head)
    if !others.isEmpty { head.add("alsoStored", others) }
    if let filter {
      head.add("filter", filter)
      head.add("matched", reader.count)
    }
    head.add("offset", offset)
    head.add("returned", range.count)
    return head
  }
}

/// Finds the field that a typed name of a column means.
struct ColumnNames {
  private let fields: [String]
  private let catalogue: Catalogue?

  init(_ fields: [String], in catalogue: Catalogue?) {
    self.fields = fields
    self.catalogue = catalogue
  }

  /// The headings of the table, for hints.
  var headings: [String] { catalogue?.tableColumns.map(\.heading) ?? fields }

  /// The details that these columns show.
  func details(ofColumns names: [String]) -> [DetailName] {
    let columns = catalogue?.tableColumns ?? []
    return names.compactMap { name in columns.first { $0.field == name }?.detail }
  }

  /// A field's own name first, then the heading of a table column, then the name of a detail that one field holds; the
  /// last two in any case.
  func field(_ typed: String) throws(RecordListError) -> String {
    if fields.contains(typed) { return typed }
    let wanted = typed.lowercased()
    let columns = catalogue?.tableColumns ?? []
    if let column = columns.first(where: { $0.heading.lowercased() == wanted }) { return column.field }
    let detail = DetailName.allCases.first { $0.rawValue.lowercased() == wanted }
    if let detail, let sources = catalogue?.mapping.fields[detail], let field = sources.first(where: fields.contains) {
      return field
    }
    if let field = fields.first(where: { $0.lowercased() == wanted }) { return field }
    let details = DetailName.allCases.filter { catalogue?.mapping.fields[$0] != nil }.map(\.rawValue)
    var seen: Set<String> = []
    let names = (fields + columns.map(\.heading) + details).filter { seen.insert($0.lowercased()).inserted }
    throw .unknownColumn(typed, nearest: NearestNames.to(typed, among: names), known: headings)
  }
}

/// Why rows cannot be written as asked.
package enum RecordListError: Error, Equatable {
  case unknownColumn(String, nearest: [String], known: [String])
  case noColumn(known: [String])
  case columnTwice(String)
  /// The list is of a catalogue that this program does not support, so a filter does not know its fields.
  case unknownCatalogue(CatalogueID)
  /// The format is for recordings, not for the list of stored queries.
  case needsQuery(format: String)
}

extension UserFacingError {
  init(_ error: RecordListError) {
    switch error {
    case .unknownColumn(let name, let nearest, let known):
      let hint = nearest.isEmpty ? "Columns: \(known.joined(separator: ", "))." : "Did you mean \(Self.orList(nearest))?"
      self.init(.usage, "unknown-column", "Unknown column \"\(name)\"", hint: hint)
    case .noColumn(let known):
      self.init(.usage, "usage", "--columns needs a column", hint: "Columns: \(known.joined(separator: ", ")).")
    case .columnTwice(let name):
      self.init(.usage, "usage", "--columns has \"\(name)\" twice", hint: "Name each column once.")
    case .needsQuery(let format):
      self.init(
        .usage, "usage", "--format \(format) needs a query", hint: "Type it as in: chirper list parrot --format \(format)")
    case .unknownCatalogue(let id):
      self.init(
        .configuration, "unknown-source", "Unknown catalogue \"\(id)\" (the store)",
        hint: "Known catalogues: \(Catalogues.all.map(\.id.rawValue).joined(separator: ", ")).")
    }
  }
}
