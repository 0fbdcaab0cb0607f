import Chirper
import ChirperModel

/// What a search of everything stored found, in the formats of `list`.
package struct FoundSelection {
  private let results: SearchResults
  private let search: String
  private let offset: Int
  private let columns: [SearchColumn]?
  private let sorted: SearchColumn?

  /// - Parameters:
  ///   - search: the expression, as it can be typed.
  ///   - offset: recordings found before the first of the results.
  ///   - columns: those named, `nil` for all; a table then has those of the catalogue, or those that catalogues share.
  ///   - sorted: the column sorted by; it stays in a terminal's table whatever the width.
  package init(
    _ results: SearchResults, search: String, offset: Int = 0, columns: [SearchColumn]? = nil,
    sorted: SearchColumn? = nil
  ) {
    self.results = results
    self.search = search
    self.offset = offset
    self.columns = columns
    self.sorted = sorted
  }

  /// Recordings that are written.
  package var count: Int { results.count }

  /// The names of its columns; the raw fields are those of the stored catalogues.
  package static func names(in repository: RecordingRepository) throws -> ColumnNames<SearchColumn> {
    let names = SearchColumn.all.map(\.name)
    let fields = try repository.catalogues.flatMap { try repository.fieldNames(of: $0.id) }
    return ColumnNames(
      groups: [
        SearchColumn.all.map { ($0.name, $0) }, SearchColumn.all.map { (tableColumn($0).shown.heading, $0) },
        fields.map { ($0, .field($0)) },
      ], known: names)
  }

  /// Writes every recording.
  package func write(_ format: RecordFormat, _ options: WriteOptions, to output: any ByteOutput) throws {
    let table = RowTable(
      count: count,
      read: { [results] range, body in
        for row in try results.rows(range) { body(row) }
      }, columns: columns(in:), fitted: fittedColumns, frame: { JSONFrame(head: head) })
    try table.write(format, options, to: output)
  }

  private func columns(in format: RecordFormat) -> ValueColumns<FoundRecording> {
    guard !format.isTable else {
      return ValueColumns(
        tableColumns.map { column in
          ValueColumn(name: column.shown.heading) { .text(Self.text(of: column.column, in: $0)) }
        })
    }
    var named = (columns ?? SearchColumn.all).map { column in
      ValueColumn<FoundRecording>(name: column.name) { $0.value(of: column) }
    }
    if columns == nil, case .objects = format.content {
      named.append(ValueColumn(name: "fields") { .field(FieldValue(json: $0.recording.fields.json)) })
    }
    return ValueColumns(named)
  }

  private func fittedColumns() -> FittedColumns<FoundRecording> {
    var shown = tableColumns
    let sorted = columns == nil ? sorted : nil
    if let sorted, !shown.contains(where: { $0.column == sorted }) { shown.append(Self.tableColumn(sorted)) }
    return FittedColumns(columns: shown.map(\.shown), needed: shown.firstIndex { $0.column == sorted }) { [shown] row in
      shown.map { Self.text(of: $0.column, in: row) }
    }
  }

  static func text(of column: SearchColumn, in row: FoundRecording) -> String {
    row.value(of: column).shown(isLength: column == .detail(.mediaDuration))
  }

  /// Writes how many recordings were found, alone or as the JSON object without its recordings.
  package func writeCount(asJSON: Bool, to output: any ByteOutput) throws {
    try output.line(asJSON ? counts.text : String(results.matched))
    try output.flush()
  }

  /// The members of a JSON file apart from the recordings.
  private var head: JSONObject {
    var head = counts
    head.add("offset", offset)
    head.add("returned", count)
    return head
  }

  private var counts: JSONObject {
    let sources = results.catalogues.map { id in
      var source: JSONObject = ["source": id.rawValue, "matched": results.matchedByCatalogue[id]]
      if let notice = results.catalogue(id)?.notice { source.add("notice", notice) }
      return source
    }
    return [
      "search": search, "origin": Origin.Place.store.rawValue, "searched": results.searched, "matched": results.matched,
      "sources": sources,
    ]
  }

  /// Notes about the recordings: how many were found, and what people must know about their catalogues.
  package var notes: [String] {
    guard results.searched > 0 else { return ["Nothing is stored yet. Type: chirper fetch parrot"] }
    let found = "\(results.matched) of \(Plural.words(results.searched, "recording")) found"
    return [found] + results.catalogues.compactMap { results.catalogue($0)?.notice }
  }

  // MARK: Columns of the table

  private typealias TableColumn = (column: SearchColumn, shown: TextTable.Column)

  /// Those named, else the table columns of the catalogue if all recordings are of one, else those that catalogues share.
  /// The lists and whether the audio is kept are among all but those named.
  private var tableColumns: [TableColumn] {
    if let columns { return columns.map(Self.tableColumn) }
    guard results.catalogues.count == 1, let catalogue = results.catalogue(results.catalogues[0]) else {
      return Self.shared.map(Self.tableColumn)
    }
    var own = catalogue.tableColumns.map { Self.column(.field($0.field), $0.heading, alignRight: $0.alignRight) }
    own.insert(contentsOf: [Self.tableColumn(.lists), Self.tableColumn(.audio)], at: min(2, own.count))
    return own
  }

  private static func tableColumn(_ column: SearchColumn) -> TableColumn {
    switch column {
    case .id: Self.column(column, "ID", alignRight: true)
    case .catalogue: Self.column(column, "Source")
    case .detail(let detail): Self.column(column, detail.heading, alignRight: detail.type.isNumber)
    case .lists: Self.column(column, "Lists")
    case .leftLists: Self.column(column, "Left")
    case .audio: Self.column(column, "Audio")
    case .firstSeenAt: Self.column(column, "First seen")
    case .field(let name): Self.column(column, name)
    }
  }

  private static func column(_ column: SearchColumn, _ heading: String, alignRight: Bool = false) -> TableColumn {
    (column, TextTable.Column(heading: heading, alignRight: alignRight))
  }

  /// The columns of a table of several catalogues, the most important first.
  private static let shared: [SearchColumn] = [
    .id, .catalogue, .detail(.vernacularName), .lists, .audio, .detail(.country), .detail(.behavior), .detail(.quality),
    .detail(.mediaDuration), .detail(.eventDate), .detail(.recordedBy), .detail(.scientificName), .detail(.locality),
  ]
}

extension FoundRecording: TableRow {}
