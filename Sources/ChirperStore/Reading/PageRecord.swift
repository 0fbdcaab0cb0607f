import ChirperModel
import Foundation

/// A row of the table `page`.
struct PageRecord {
  let number: Int
  /// Of the walk that read it; 0 if the row itself was lost.
  var walk = 0
  let fetchedAt: Date
  var total: Int?
  var totalPages: Int?
  var totalSpecies: Int?
  var isLast = false
  var nextToken: String?
  var preceding: String?
  var skipped = 0
  /// `nil` if they are `recordCount`.
  var records: Int?
  var rowCount = 0
  var carriedCount = 0

  /// The greatest number a page can have. More pages than a walk can read: at one request a second it would take a week.
  static let greatestNumber = 1_000_000
  static let select = "SELECT * FROM page"

  /// The records that the page had, as the catalogue's total counts them.
  var recordCount: Int { records ?? rowCount + skipped }
  var totals: Totals? { total.map { Totals(recordings: $0, pages: totalPages ?? 0, species: totalSpecies) } }
}

extension PageRecord {
  init(_ row: SQLRow) {
    self.init(
      number: row.count(1), walk: row.count(2), fetchedAt: row.date(3), total: row.optionalCount(4),
      totalPages: row.optionalCount(5), totalSpecies: row.optionalCount(6), isLast: row.isNull(7),
      nextToken: row.optionalText(8), preceding: row.optionalText(9), skipped: row.count(10), records: row.optionalCount(11),
      rowCount: row.count(12), carriedCount: row.count(13))
  }
}

extension [PageRecord] {
  /// Whether they are the pages of one list in order: all from 1 to the last, with one total, and as many records.
  var areOneList: Bool {
    guard let last, last.isLast, !dropLast().contains(where: \.isLast), map(\.number) == Array<Int>(1...count),
      Set(map(\.total)).count == 1
    else { return false }
    return last.total.map { $0 == reduce(0 as Int64) { $0 + Int64($1.recordCount) } } ?? true
  }
}
