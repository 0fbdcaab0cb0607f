import ChirperModel
import GRDB

/// The sums over a query's page records.
struct PageSummary {
  /// The greatest number a page can have. More pages than a walk can read: at one request a second it would take a week.
  static let greatestNumber = 1_000_000

  let walk: Int
  var count = 0
  var countInWalk = 0
  // In 64 bits on every platform: a damaged file may have any number of great counts.
  private var (rowSum, carriedSum, recordSum, skippedSum): (Int64, Int64, Int64, Int64) = (0, 0, 0, 0)
  var rows: Int { Int(clamping: rowSum) }
  var carried: Int { Int(clamping: carriedSum) }
  var records: Int { Int(clamping: recordSum) }
  var skipped: Int { Int(clamping: skippedSum) }
  var totals: Totals?
  var oldest: Int64?
  var newest: Int64?
  /// The first page that the walk has not read; `nil` once it read the last.
  var next: Int? = 1

  init(walk: Int) {
    self.walk = walk
  }

  /// Fails for a page number that no walk reaches, because others count up to it.
  mutating func add(_ row: SQLRow) throws {
    let number = row.count(0)
    guard number <= Self.greatestNumber else {
      throw RecordingStore.damaged("a stored page has the impossible number \(row.int64(0))")
    }
    let fetchedAt = row.int64(2)
    count += 1
    skippedSum += Int64(row.count(7))
    rowSum += Int64(row.count(8) + row.count(9))
    carriedSum += Int64(row.count(9))
    recordSum += Int64(row.optionalCount(10) ?? row.count(8) + row.count(9))
    oldest = min(oldest ?? fetchedAt, fetchedAt)
    if newest == nil || fetchedAt >= newest ?? 0 {
      newest = fetchedAt
      totals = row.optionalCount(3).map {
        Totals(recordings: $0, pages: row.optionalCount(4) ?? 0, species: row.optionalCount(5))
      }
    }
    if row.count(1) == walk {
      countInWalk += 1
      if next == number { next = row.isNull(6) ? nil : number + 1 }
    }
  }
}
