import Chirper
import ChirperModel
import Foundation

/// The changes of recordings, a row for each detail, in the formats of `list`.
package struct ChangeTable {
  private let changes: RecordingChanges
  private let search: String
  private let news: JSONObject
  private let lists: [StoredQuery]
  private let since: Date
  private let range: Range<Int>
  private let repository: RecordingRepository

  /// - Parameters:
  ///   - search: that found the recordings, as it can be typed.
  ///   - news: the members of a JSON file before those of the table.
  ///   - lists: of the recordings; none if they are of everything stored.
  ///   - since: when the changes begin.
  package init(
    _ changes: RecordingChanges, search: String, news: JSONObject, lists: [StoredQuery],
    since: Date,
    offset: Int = 0, limit: Int? = nil,
    in repository: RecordingRepository
  ) {
    self.changes = changes
    self.search = search
    self.news = news
    self.lists = lists
    self.since = since
    self.repository = repository
    range = (0..<changes.count).dropFirst(offset).prefix(limit ?? .max)
  }

  /// Rows that are written.
  package var count: Int { range.count }

  package func write(_ format: RecordFormat, _ options: WriteOptions, to output: any ByteOutput)
    throws
  {
    let table = RowTable(
      count: count,
      read: { [changes, start = range.lowerBound] range, body in
        for row in try changes.rows(range.lowerBound + start..<range.upperBound + start) {
          body(row)
        }
      },
      columns: { format in
        ValueColumns(Self.columns.map { format.isTable ? $0.heading : $0.rawValue }) { row in
          Self.columns.map { format.isTable ? .text(row.text(of: $0)) : row.value(of: $0) }
        }
      },
      fitted: {
        // A terminal, which has the columns that fit, shows the change before the recording.
        let essential: [ChangeColumn] = [.id, .detail, .old, .new]
        let shown = essential + Self.columns.filter { !essential.contains($0) }
        let columns = shown.map {
          TextTable.Column(
            heading: $0.heading, alignRight: $0 == .id, least: 8,
            isEssential: essential.contains($0))
        }
        return FittedColumns(columns: columns) { row in shown.map { row.text(of: $0) } }
      }, frame: { JSONFrame(head: head, name: "changes") })
    try table.write(format, options, to: output)
  }

  private static let columns = ChangeColumn.allCases

  /// The members of a JSON file apart from the rows.
  private var head: JSONObject {
    var head = news
    head.add([
      "search": search, "recordings": changes.recordings, "renamed": changes.renamed,
      "differentSpecies": changes.differentSpecies, "otherFields": changes.others,
      "offset": range.lowerBound, "returned": count,
    ])
    return head
  }

  /// Notes about the recordings: how many changed, and where the list comes from.
  package func notes(now: Date) -> [String] {
    let time = " since \(since.formatted(.iso8601))"
    let other =
      changes.differentSpecies == 0 ? "" : ", \(changes.differentSpecies) of a different species"
    let some =
      "\(Plural.words(changes.recordings, "recording")) changed\(time), \(changes.renamed) renamed"
      + other
    let others =
      changes.others == 0
      ? [] : ["\(changes.others) more changed only in fields that no detail shows, or changed back"]
    let origins = lists.map { $0.origin(in: repository.catalogue($0.query.catalogue), now: now) }
    return [changes.recordings == 0 ? "no recording changed\(time)" : some] + others + origins
  }
}

private enum ChangeColumn: String, CaseIterable {
  case id, catalogue, vernacularName, detail, old, new, changedAt

  var heading: String {
    switch self {
    case .id: "ID"
    case .catalogue: "Source"
    case .vernacularName: DetailColumn.vernacularName.heading
    case .detail: "Detail"
    case .old: "Old"
    case .new: "New"
    case .changedAt: "Changed"
    }
  }
}

extension RecordingChanges.Change: TableRow {
  fileprivate func value(of column: ChangeColumn) -> DetailColumn.Value {
    switch column {
    case .id: .text(recording.id.value)
    case .catalogue: .text(recording.id.catalogue.rawValue)
    case .vernacularName: DetailColumn.vernacularName.value(of: details)
    case .detail: .text(self.column.name)
    case .old: old
    case .new: new
    case .changedAt: .text(changedAt.formatted(.iso8601))
    }
  }

  /// The value of a column for people.
  fileprivate func text(of column: ChangeColumn) -> String {
    value(of: column).shown(
      isLength: self.column == .mediaDuration && (column == .old || column == .new))
  }
}
