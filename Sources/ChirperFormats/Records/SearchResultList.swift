import Chirper
import ChirperModel
import Foundation

/// What a search of everything stored found, in the formats of `list`.
package struct SearchResultList {
  private let results: SearchResults
  private let search: String
  private let offset: Int

  private static let batch = 250

  /// - Parameters:
  ///   - search: the expression, as it can be typed.
  ///   - offset: recordings found before the first of the results.
  package init(_ results: SearchResults, search: String, offset: Int) {
    self.results = results
    self.search = search
    self.offset = offset
  }

  /// Recordings that are written.
  package var count: Int { results.count }

  /// Recordings found.
  package var matched: Int { results.matched }

  /// How a list is written, apart from its format and columns.
  package struct Style {
    /// Cells of a terminal's line; `nil` for a pipe or a file.
    package var terminalWidth: Int?
    /// Escapes what a terminal could act on.
    package var escapesControls = false
    /// Puts `'` before text that a spreadsheet would run.
    package var isSpreadsheetSafe = false
    /// Styles the line of headings.
    package var heading: (String) -> String = { $0 }

    package init() {}
  }

  /// Writes every recording; stops where the task it runs in is cancelled.
  ///
  /// - Parameters:
  ///   - columns: those named, `nil` for all; a table then has those of `SearchColumnNames.table`.
  ///   - names: the names of the columns.
  ///   - sorted: the column sorted by; it stays in a terminal's table whatever the width.
  package func write(
    _ format: RecordFormat, columns: [SearchColumn]?, names: SearchColumnNames, sorted: SearchColumn?, _ style: Style,
    to output: some ByteOutput
  ) throws {
    switch format {
    case .table:
      var shown = names.table(columns, of: results.catalogues.map(results.catalogue))
      guard let width = style.terminalWidth else {
        try writeLines(.tsv, shown.map(\.heading), style, to: output) { row in
          shown.map { SearchCell.shown(row.value(of: $0.column), $0.column) }
        }
        return
      }
      if columns == nil, let sorted, !shown.contains(where: { $0.column == sorted }) { shown.append(names.tableColumn(sorted)) }
      let needed = columns == nil ? sorted.flatMap { sorted in shown.firstIndex { $0.column == sorted } } : nil
      try writeTable(shown, needed: needed, width: width, style.heading, to: output)
    case .csv, .tsv:
      let columns = columns ?? SearchColumn.all
      try writeLines(format == .csv ? .csv : .tsv, columns.map(\.name), style, to: output) { row in
        columns.map { row.value(of: $0).text() ?? "" }
      }
    case .json: try writeObjects(columns, isLines: false, to: output)
    case .jsonl: try writeObjects(columns, isLines: true, to: output)
    default: throw RecordListError.onlyExported(format: format.name)
    }
  }

  /// Writes how many recordings were found, alone or as the JSON object without its recordings.
  package func writeCount(asJSON: Bool, to output: some ByteOutput) throws {
    try output.line(asJSON ? counts.text : String(matched))
    try output.flush()
  }

  private func batches(_ body: ([FoundRecording]) throws -> Void) throws {
    for start in stride(from: 0, to: results.count, by: Self.batch) {
      try Task.checkCancellation()
      try body(try results.rows(start..<(start + Self.batch)))
    }
  }

  private func writeLines(
    _ form: CellEncoder.Form, _ header: [String], _ style: Style, to output: some ByteOutput,
    _ values: (FoundRecording) -> [String]
  ) throws {
    var cells = CellEncoder(form, escapesControls: style.escapesControls, isSpreadsheetSafe: style.isSpreadsheetSafe)
    func append(_ row: [String]) {
      for (index, text) in row.enumerated() {
        if index > 0 { output.buffer.append(cells.separator) }
        // A single empty cell: an empty line would be read as no row at all.
        if row.count == 1, text.isEmpty, form == .csv { output.buffer += "\"\"".utf8 }
        cells.append(text: text, to: &output.buffer)
      }
      cells.endLine(&output.buffer)
    }
    append(header)
    try batches { rows in
      for row in rows { append(values(row)) }
      try output.writeIfFull()
    }
    try output.flush()
  }

  private func writeTable(
    _ columns: [SearchColumnNames.TableColumn], needed: Int?, width: Int, _ heading: (String) -> String,
    to output: some ByteOutput
  ) throws {
    var table: TextTable?
    func begin(_ lines: [[String]]) throws -> TextTable {
      // The widths are those of the first batch: a longer cell further down is cut.
      let new = TextTable(
        columns.map { .init(heading: $0.heading, alignRight: $0.alignRight) }, rows: lines, width: width, needed: needed)
      try output.line(heading(new.header))
      return new
    }
    try batches { rows in
      let lines = rows.map { row in
        columns.map { TerminalText.escaped(SearchCell.shown(row.value(of: $0.column), $0.column)) }
      }
      let shown = try table ?? begin(lines)
      table = shown
      for line in lines { try output.line(shown.line(line)) }
    }
    if table == nil { _ = try begin([]) }
    try output.flush()
  }

  private func writeObjects(_ columns: [SearchColumn]?, isLines: Bool, to output: some ByteOutput) throws {
    if !isLines {
      output.buffer += (counts.text.dropLast() + ",\"offset\":\(offset),\"returned\":\(count),\"recordings\":[").utf8
    }
    var isFirst = true
    try batches { rows in
      for row in rows {
        if !isLines { output.buffer += (isFirst ? "\n" : ",\n").utf8 }
        isFirst = false
        var object = JSONObject()
        for column in columns ?? SearchColumn.all { object.add(column.name, raw: SearchCell.json(row.value(of: column))) }
        if columns == nil { object.add("fields", raw: row.recording.fields.json) }
        output.buffer += object.text.utf8
        if isLines { output.buffer.append(UInt8(ascii: "\n")) }
      }
      try output.writeIfFull()
    }
    if !isLines { output.buffer += "\n]}\n".utf8 }
    try output.flush()
  }

  /// What was searched for, and how many recordings were found.
  private var counts: JSONObject {
    var object = JSONObject()
    object.add("search", search)
    object.add("origin", Origin.Place.store.rawValue)
    object.add("searched", results.searched)
    object.add("matched", results.matched)
    object.add(
      "sources",
      results.catalogues.map { id in
        var source = JSONObject()
        source.add("source", id.rawValue)
        source.add("matched", results.matchedByCatalogue[id])
        if let notice = results.catalogue(id)?.notice { source.add("notice", notice) }
        return source
      })
    return object
  }

  /// Notes about the recordings: how many were found, and what people must know about their catalogues.
  package var notes: [String] {
    guard results.searched > 0 else { return ["Nothing is stored yet. Type: chirper fetch parrot"] }
    let found = "\(results.matched) of \(Plural.words(results.searched, "recording")) found"
    return [found] + results.catalogues.compactMap { results.catalogue($0)?.notice }
  }
}

/// The value of a cell as text and as JSON.
enum SearchCell {
  /// For people: a length as `3:45`, and nothing where audio is not kept.
  static func shown(_ value: ColumnValue, _ column: SearchColumn) -> String {
    switch (value, column) {
    case (.number(let seconds), .detail(.mediaDuration)): AgeText.length(seconds: seconds)
    case (.flag(let isTrue), _): isTrue ? "yes" : ""
    default: value.text(separator: ", ") ?? ""
    }
  }

  static func json(_ value: ColumnValue) -> String {
    switch value {
    case .list(let texts): "[" + texts.map(JSONText.quoted).joined(separator: ",") + "]"
    case .field(let field): field.json
    default: value.text().map { value.isText ? JSONText.quoted($0) : $0 } ?? "null"
    }
  }
}

/// Finds the column that a typed name means, among details and the raw fields of the stored catalogues.
package struct SearchColumnNames {
  /// A column of the table, for people.
  struct TableColumn: Equatable {
    let column: SearchColumn
    let heading: String
    var alignRight = false
  }

  private let fields: [String]

  /// - Parameter fields: the raw fields of the stored catalogues.
  package init(fields: [String]) {
    self.fields = fields
  }

  /// The columns of a table of several catalogues, the most important first.
  private static let shared: [SearchColumn] = [
    .id, .catalogue, .detail(.vernacularName), .lists, .audio, .detail(.country), .detail(.behavior), .detail(.quality),
    .detail(.mediaDuration), .detail(.eventDate), .detail(.recordedBy), .detail(.scientificName), .detail(.locality),
  ]

  /// The columns of the table: those named, else the table columns of the catalogue if all recordings are of one, else
  /// those that catalogues share. The lists and whether the audio is kept are always among them.
  func table(_ columns: [SearchColumn]?, of catalogues: [Catalogue?]) -> [TableColumn] {
    if let columns { return columns.map(tableColumn) }
    guard catalogues.count == 1, let catalogue = catalogues[0] else { return Self.shared.map(tableColumn) }
    var own = catalogue.tableColumns.map {
      TableColumn(column: .field($0.field), heading: $0.heading, alignRight: $0.alignRight)
    }
    own.insert(contentsOf: [tableColumn(.lists), tableColumn(.audio)], at: min(2, own.count))
    return own
  }

  func tableColumn(_ column: SearchColumn) -> TableColumn {
    switch column {
    case .id: TableColumn(column: column, heading: "ID", alignRight: true)
    case .catalogue: TableColumn(column: column, heading: "Source")
    case .detail(let detail): TableColumn(column: column, heading: detail.heading, alignRight: detail.type.isNumber)
    case .lists: TableColumn(column: column, heading: "Lists")
    case .leftLists: TableColumn(column: column, heading: "Left")
    case .audio: TableColumn(column: column, heading: "Audio")
    case .firstSeenAt: TableColumn(column: column, heading: "First seen")
    case .field(let name): TableColumn(column: column, heading: name)
    }
  }

  /// A column's own name first, then its heading, then a raw field; in any case where no spelling is the same.
  package func column(_ typed: String) throws(RecordListError) -> SearchColumn {
    let wanted = typed.lowercased()
    if let column = SearchColumn.all.first(where: { $0.name.lowercased() == wanted }) { return column }
    let headings = SearchColumn.all.map { tableColumn($0).heading }
    if let index = headings.firstIndex(where: { $0.lowercased() == wanted }) { return SearchColumn.all[index] }
    if let field = fields.first(where: { $0 == typed }) ?? fields.first(where: { $0.lowercased() == wanted }) {
      return .field(field)
    }
    let known = SearchColumn.all.map(\.name)
    let other = headings.filter { !known.contains($0.lowercased()) && !known.contains($0) }
    throw .unknownColumn(typed, nearest: NearestNames.to(typed, among: known + other + fields), known: known)
  }

  /// The columns named in `a,b,c`; `nil` where nothing is named.
  package func columns(_ list: String?) throws(RecordListError) -> [SearchColumn]? {
    guard let list else { return nil }
    let typed = list.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    guard !typed.isEmpty else { throw .noColumn(known: SearchColumn.all.map(\.name)) }
    var columns: [SearchColumn] = []
    for name in typed {
      let column = try column(name)
      guard !columns.contains(column) else { throw .columnTwice(name) }
      columns.append(column)
    }
    return columns
  }
}
