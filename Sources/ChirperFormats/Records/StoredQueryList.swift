import Chirper
import ChirperModel
import Foundation

/// The stored queries themselves, in every format.
package struct StoredQueryList {
  private let queries: [StoredQuery]
  private let repository: RecordingRepository
  private let now: Date

  package init(_ repository: RecordingRepository, queries: [StoredQuery], now: Date) {
    self.repository = repository
    self.queries = queries
    self.now = now
  }

  private static let names = [
    "query", "source", "rows", "total", "pagesStored", "pages", "completeness", "oldest", "newest", "next", "pageSize",
  ]

  /// - Parameters:
  ///   - terminalWidth: cells of a terminal's line; `nil` for a pipe or a file.
  ///   - heading: styles the line of headings.
  package func write(
    _ format: RecordFormat, terminalWidth: Int?, escapesControls: Bool, heading: (String) -> String, to output: some ByteOutput
  ) throws {
    switch format {
    case .table where terminalWidth != nil: try writeTable(width: terminalWidth ?? 80, heading, to: output)
    case .table: try writeLines(.tsv, Self.headings.map(\.heading), queries.map(row), escapesControls, to: output)
    case .csv: try writeLines(.csv, Self.names, queries.map(values), escapesControls, to: output)
    case .tsv: try writeLines(.tsv, Self.names, queries.map(values), escapesControls, to: output)
    case .json:
      var object = JSONObject()
      object.add("queries", queries.map(json))
      try output.line(object.text)
    case .jsonl:
      for query in queries { try output.line(json(query).text) }
    default: throw RecordListError.needsQuery(format: format.name)
    }
    try output.flush()
  }

  private static let headings: [TextTable.Column] = [
    .init(heading: "query"), .init(heading: "source"), .init(heading: "rows", alignRight: true),
    .init(heading: "pages", alignRight: true), .init(heading: "completeness"), .init(heading: "fetched"),
    .init(heading: "next", alignRight: true),
  ]

  private func row(_ stored: StoredQuery) -> [String] {
    [
      stored.query.typed, stored.query.catalogue.rawValue,
      stored.recordsRead.map { "\(stored.count) (\($0))" } ?? stored.totals.map { "\(stored.count) of \($0.recordings)" }
        ?? "\(stored.count)",
      stored.totals.map { "\(stored.pagesStored) of \($0.pages)" } ?? "\(stored.pagesStored)",
      stored.completeness.word, stored.age(now: now), stored.next.map { "page \($0)" } ?? "-",
    ]
  }

  private func writeTable(width: Int, _ heading: (String) -> String, to output: some ByteOutput) throws {
    let rows = queries.map { row($0).map { TerminalText.escaped($0) } }
    let table = TextTable(Self.headings, rows: rows, width: width, usual: 12)
    try output.line(heading(table.header))
    for row in rows { try output.line(table.line(row)) }
  }

  private func writeLines(
    _ form: CellEncoder.Form, _ header: [String], _ rows: [[String]], _ escapesControls: Bool, to output: some ByteOutput
  ) throws {
    var cells = CellEncoder(form, escapesControls: escapesControls)
    for row in [header] + rows {
      for (index, text) in row.enumerated() {
        if index > 0 { output.buffer.append(cells.separator) }
        cells.append(text: text, to: &output.buffer)
      }
      cells.endLine(&output.buffer)
      try output.writeIfFull()
    }
  }

  private func values(_ stored: StoredQuery) -> [String] {
    func text(_ value: Int?) -> String { value.map(String.init) ?? "" }
    return [
      stored.query.typed, stored.query.catalogue.rawValue, text(stored.count), text(stored.totals?.recordings),
      text(stored.pagesStored), text(stored.totals?.pages), stored.completeness.word,
      stored.oldestFetchedAt.formatted(.iso8601), stored.newestFetchedAt.formatted(.iso8601), text(stored.next),
      text(stored.query.pageSize),
    ]
  }

  private func json(_ stored: StoredQuery) -> JSONObject {
    var object = JSONObject()
    stored.query.addMembers(to: &object, in: repository.catalogue(stored.query.catalogue))
    stored.addMembers(to: &object)
    return object
  }
}
