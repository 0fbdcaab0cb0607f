import ChirperModel
import Foundation

/// A row of the table `page`.
struct PageRecord {
  let number: Int
  /// The walk that read the page; 0 if the row itself was lost.
  var walk = 0
  let fetchedAt: Date
  var total: Int?
  var totalPages: Int?
  var totalSpecies: Int?
  var isLast = false
  var nextToken: String?
  var preceding: String?
  var skipped = 0
  /// The records of the page; `nil` if they are `recordCount`.
  var records: Int?
  var rowCount = 0
  var carriedCount = 0

  /// The greatest number a page can have. More pages than a walk can read: at one request a second
  /// it would take a week.
  static let greatestNumber = 1_000_000
  static let select = "SELECT * FROM page"

  /// The records that the page had, as the catalogue's total counts them.
  var recordCount: Int { records ?? rowCount + skipped }
  /// Whether the total is an estimate. `total_pages` is NULL then, because its pages follow
  /// from the size of a page.
  var isEstimate: Bool { total != nil && totalPages == nil }
  /// The total that can be compared with a different one; NULL if the page has none, and
  /// for an estimate.
  static let exactTotal = "iif(total_pages IS NULL, NULL, total)"

  /// The totals that the catalogue sent.
  func totals(pageSize: Int) -> RecordingPage.Totals? {
    total.map { total in
      let pages = totalPages ?? total / max(1, pageSize) + (total % max(1, pageSize) > 0 ? 1 : 0)
      return RecordingPage.Totals(
        recordings: total, pages: pages, species: totalSpecies, isEstimate: isEstimate)
    }
  }
}

extension PageRecord {
  init(_ row: SQLRow) {
    self.init(
      number: row.count(1), walk: row.count(2), fetchedAt: row.date(3), total: row.optionalCount(4),
      totalPages: row.optionalCount(5), totalSpecies: row.optionalCount(6), isLast: row.isNull(7),
      nextToken: row.optionalText(8), preceding: row.optionalText(9), skipped: row.count(10),
      records: row.optionalCount(11),
      rowCount: row.count(12), carriedCount: row.count(13))
  }
}

extension [PageRecord] {
  /// Whether they are all pages of a list that was read to its end: from 1 to the last.
  var reachTheEnd: Bool {
    guard let last, last.isLast, !dropLast().contains(where: \.isLast) else { return false }
    return map(\.number) == Array<Int>(1...count)
  }

  /// Whether they are the pages of one list in order: all from 1 to the last, with one total, and
  /// as many records. Estimates do not count.
  var areOneList: Bool {
    guard reachTheEnd else { return false }
    let totals = Set(filter { !$0.isEstimate }.map(\.total))
    guard totals.count <= 1 else { return false }
    guard let total = totals.first ?? nil else { return true }
    return total == map(\.recordCount).reduce(0, +)
  }
}
