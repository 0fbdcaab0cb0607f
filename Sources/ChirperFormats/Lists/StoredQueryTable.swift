import Chirper
import ChirperModel
import Foundation

/// The stored queries themselves, in the formats of `list`.
package struct StoredQueryTable {
  private let queries: [StoredQuery]
  private let repository: RecordingRepository

  package init(_ queries: [StoredQuery], in repository: RecordingRepository) {
    self.queries = queries
    self.repository = repository
  }

  package func write(_ format: RecordFormat, _ options: WriteOptions, to output: any ByteOutput)
    throws
  {
    let now = options.now
    let shown = [
      TextTable.Column(heading: "query", defaultWidth: 24, least: 12, isEssential: true),
      .init(heading: "source"), .init(heading: "rows", alignRight: true),
      .init(heading: "pages", alignRight: true),
      .init(heading: "completeness", isEssential: true),
      .init(heading: "fetched", defaultWidth: 8, isEssential: true),
      .init(heading: "next", alignRight: true),
    ]
    // A terminal, which has the columns that fit, shows the claim before the numbers.
    let order = [0, 4, 5, 2, 1, 3, 6]
    func fitted(_ query: StoredQuery) -> [String] {
      let texts = query.shown(now: now)
      return order.map { texts[$0] }
    }
    let table = RowTable(
      count: queries.count, isCopied: true,
      read: { [queries] positions, body in queries[positions].forEach(body) },
      columns: { format in
        switch format.content {
        case .cells where format.isTable:
          QueryColumns(repository: repository, headings: shown.map(\.heading)) {
            $0.shown(now: now)
          }
        case .cells, .objects:
          QueryColumns(repository: repository, headings: QueryColumns.names, values: \.values)
        case .details, .archive, .database:
          throw UserFacingError.usage(
            "--format \(format.name) needs a query",
            example: "chirper list parrot --format \(format.name)")
        }
      },
      fitted: {
        FittedColumns(columns: order.map { shown[$0] }, defaultWidth: 12, texts: fitted)
      },
      frame: { JSONFrame(head: [:], name: "queries", isOneLine: true) })
    try table.write(format, options, to: output)
  }
}

extension StoredQuery: TableRow {}

/// The columns of stored queries; in JSON they have the members of every object about one.
private struct QueryColumns: ColumnEncoder {
  let repository: RecordingRepository
  let headings: [String]
  let values: @Sendable (StoredQuery) -> [String]

  static let names = [
    "query", "source", "rows", "total", "pagesStored", "pages", "completeness", "oldest", "newest",
    "next", "pageSize",
  ]

  func appendLine(_ row: StoredQuery, with cells: CellEncoder, to out: inout [UInt8]) {
    let texts = values(row)
    cells.appendLine(texts.count, to: &out) { index, out in
      cells.append(text: texts[index], to: &out)
    }
  }

  func appendObject(_ row: StoredQuery, to out: inout [UInt8]) {
    var object = row.query.object(in: repository.catalogue(row.query.catalogue))
    object.add(row.object)
    out += object.text.utf8
  }
}

extension StoredQuery {
  /// The values of the columns `QueryColumns.names`.
  fileprivate var values: [String] {
    func text(_ value: Int?) -> String { value.map(String.init) ?? "" }
    return [
      query.typed, query.catalogue.rawValue, text(count), text(totals?.recordings),
      text(pagesStored), text(totals?.pages),
      completeness.word, oldestFetchedAt.formatted(.iso8601), newestFetchedAt.formatted(.iso8601),
      text(next),
      text(query.pageSize),
    ]
  }

  fileprivate func shown(now: Date) -> [String] {
    [
      query.typed, query.catalogue.rawValue,
      recordsRead.map { "\(count) (\($0))" } ?? shownTotals.map {
        "\(count) of \(about)\($0.recordings)"
      } ?? "\(count)",
      shownTotals.map { "\(pagesStored) of \(about)\($0.pages)" } ?? "\(pagesStored)",
      completeness.word, age(now: now),
      next.map { "page \($0)" } ?? "-",
    ]
  }
}
