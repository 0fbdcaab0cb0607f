import Chirper
import ChirperModel
import ChirperRemote
import Foundation

/// One list on its way from the store to a file descriptor, in batches, so that memory stays flat.
struct RecordList {
  private let stored: StoredQuery
  private let reader: ListReader
  private let fieldNames: [String]
  /// The rows to write, by position.
  private let range: Range<Int>
  /// Where not every row of the list is meant: those that are, and the range is of these.
  private let positions: [Int]?

  private static let batch = 500

  init(
    _ repository: RecordingRepository, _ stored: StoredQuery, sort: ListSort? = nil, positions: [Int]? = nil, offset: Int = 0,
    limit: Int? = nil
  ) throws {
    self.stored = stored
    fieldNames = try repository.fieldNames(of: stored.query.catalogue)
    if let sort { try Self.check([sort.field], fieldNames) }
    reader = try repository.reader(of: stored.query, sort: sort)
    let all = 0..<reader.count
    let some = positions?.filter(all.contains)
    self.positions = some
    let count = some?.count ?? all.count
    let start = min(max(0, offset), count)
    range = start..<(start + min(limit ?? .max, count - start))
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
      for row in rows {
        writer.append(row, to: &sink.buffer)
        try sink.writeIfFull()
      }
    }
    writer.end(&sink.buffer)
    try sink.flush()
  }

  /// Writes a table that fits a terminal.
  func writeTable(_ columns: [Catalogue.TableColumn], width: Int, style: Style, to sink: ByteSink) throws {
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
    try batches { rows in
      let lines = rows.map(cells(of:))
      if table == nil {
        // The widths are those of the first batch: a longer cell further down is cut.
        let new = TextTable(columns.map { .init(heading: $0.heading, alignRight: $0.alignRight) }, rows: lines, width: width)
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

  private func batches(_ body: ([Recording]) throws -> Void) throws {
    var start = range.lowerBound
    while start < range.upperBound {
      let rows = try rows(start..<min(start + Self.batch, range.upperBound))
      guard !rows.isEmpty else { return }
      try body(rows)
      start += rows.count
    }
  }

  private func rows(_ range: Range<Int>) throws -> [Recording] {
    guard let positions else { return try reader.rows(range) }
    return try positions[range].flatMap { try reader.rows($0..<($0 + 1)) }
  }

  /// Rows that are written.
  var count: Int { range.count }

  /// What stands beside the recordings in the JSON format.
  private var head: JSONObject {
    var head = JSONObject()
    stored.query.addMembers(to: &head)
    head.add("origin", Origin.Place.store.rawValue)
    stored.addMembers(to: &head)
    head.add("offset", range.lowerBound)
    head.add("returned", range.count)
    return head
  }
}
