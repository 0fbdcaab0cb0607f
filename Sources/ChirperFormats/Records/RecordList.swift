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
    _ repository: RecordingRepository, _ stored: StoredQuery, others: [String], filter: String?, sort: ListSort?,
    offset: Int = 0, limit: Int? = nil
  ) throws {
    self.stored = stored
    self.others = others
    self.filter = filter
    fieldNames = try repository.fieldNames(of: stored.query.catalogue)
    if let sort { try Self.check([sort.field], fieldNames) }
    func window(_ count: Int) -> Range<Int> {
      let start = min(max(0, offset), count)
      return start..<(start + min(max(0, limit ?? .max), count - start))
    }
    // Only a sorted list, or one of which some rows are meant, needs all its rows to know the first.
    if sort == nil, filter == nil {
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
  }

  /// The columns named in `a,b,c`.
  package func columns(_ list: String?) throws(RecordListError) -> [String]? {
    guard let list else { return nil }
    let names = list.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    guard !names.isEmpty else {
      throw .noColumn(known: fieldNames)
    }
    if let twice = names.first(where: { name in names.count { $0 == name } > 1 }) {
      throw .columnTwice(twice)
    }
    try Self.check(names, fieldNames)
    return names
  }

  private static func check(_ names: [String], _ known: [String]) throws(RecordListError) {
    guard let unknown = names.first(where: { !known.contains($0) }) else { return }
    throw .unknownColumn(unknown, nearest: NearestNames.to(unknown, among: known), known: known)
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
    writer.begin(&output.buffer)
    try batches { rows in
      // Written only after the read has ended: a slow reader of our output must not hold up a fetch.
      try reader.forEachRow(rows) { writer.append(fields: $0, to: &output.buffer) }
      try output.writeIfFull()
    }
    writer.end(&output.buffer)
    try output.flush()
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
    func cells(of row: Recording) -> [String] {
      var json = row.fields.json
      return json.withUTF8 { object in
        locator.locate(in: object)
        return locator.ranges.map { range in
          TerminalText.escaped(FieldValue(json: String(decoding: object[range], as: UTF8.self)).text)
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
