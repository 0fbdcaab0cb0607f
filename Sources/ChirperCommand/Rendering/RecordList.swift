import Chirper
import ChirperModel
import ChirperRemote
import Foundation

/// One list on its way from the store to a file descriptor, in batches, so that memory stays flat.
struct RecordList {
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

  /// The rows of what is stored, as the flags choose them.
  init(
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
        let catalogue = try Session.catalogue(stored.query.catalogue.rawValue, from: "the store")
        let search = RowSearch(filter, in: catalogue)
        var found: [Int] = []
        for start in stride(from: 0, to: reader.count, by: Self.batch) {
          found += try reader.positions(start..<(start + Self.batch), matching: search)
        }
        reader = reader.rows(at: found)
      }
      self.reader = reader
      range = window(reader.count)
      self.offset = range.lowerBound
    }
  }

  /// The rows that a reader has.
  init(_ repository: RecordingRepository, _ stored: StoredQuery, rows: ListReader) throws {
    self.stored = stored
    fieldNames = try repository.fieldNames(of: stored.query.catalogue)
    reader = rows
    (range, offset, filter, others) = (0..<rows.count, 0, nil, [])
  }

  /// The columns named in `a,b,c`.
  func columns(_ list: String?) throws(CommandError) -> [String]? {
    guard let list else { return nil }
    let names = list.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    guard !names.isEmpty else {
      throw .usage("--columns names no column.", hint: "Columns are: \(fieldNames.joined(separator: ", ")).")
    }
    if let twice = names.first(where: { name in names.count { $0 == name } > 1 }) {
      throw .usage("--columns names \"\(twice)\" twice.", hint: "Name each column once.")
    }
    try Self.check(names, fieldNames)
    return names
  }

  private static func check(_ names: [String], _ known: [String]) throws(CommandError) {
    guard let unknown = names.first(where: { !known.contains($0) }) else { return }
    throw .unknownColumn(unknown, nearest: NearestNames.to(unknown, among: known), known: known)
  }

  /// Writes every row in a format other than the terminal's table.
  func write(
    _ format: RecordFormat, columns: [String]?, headings: [String]? = nil, isVisible: Bool, isSpreadsheetSafe: Bool = false,
    to sink: ByteSink
  ) throws {
    var writer = RecordWriter(
      format, columns: columns, headings: headings, fieldNames: fieldNames, head: head, isVisible: isVisible,
      isSpreadsheetSafe: isSpreadsheetSafe)
    writer.begin(&sink.buffer)
    try batches { rows in
      // Written only once the read has ended: a slow reader of our output must not stall a fetch.
      try reader.forEachRow(rows) { writer.append(fields: $0, to: &sink.buffer) }
      try sink.writeIfFull()
    }
    writer.end(&sink.buffer)
    try sink.flush()
  }

  /// Writes a table that fits a terminal.
  ///
  /// - Parameter sorted: the field sorted by; its column stays whatever the width.
  func writeTable(
    _ columns: [Catalogue.TableColumn], sorted: String?, width: Int, style: Style, to sink: ByteSink
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
          TerminalText.visible(FieldValue(json: String(decoding: object[range], as: UTF8.self)).text)
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
        try sink.line(style.bold(new.header))
        table = new
      }
      for line in lines { try sink.line(table?.line(line) ?? "") }
    }
    try sink.flush()
  }

  /// The columns of the table: those named, else the catalogue's own.
  func tableColumns(_ names: [String]?) -> [Catalogue.TableColumn] {
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

  /// What is said of the list beside its rows: what a filter left, where it comes from, what else is stored.
  func notes(now: Date) -> [String] {
    let matches = filter.map { "\(reader.count) of \(stored.count) rows have \"\($0)\"" }
    let also = others.isEmpty ? nil : "also stored: \(others.joined(separator: ", "))"
    return [matches, stored.origin(now: now), also].compactMap(\.self)
  }

  /// Rows that are written.
  var count: Int { range.count }

  /// What stands beside the recordings in the JSON format.
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
