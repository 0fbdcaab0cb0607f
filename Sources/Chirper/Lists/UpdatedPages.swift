#if Collection

import ChirperModel
import ChirperStore
import Foundation

/// The pages of a list as its catalogue would send them now, made of stored records and of
/// updates.
struct UpdatedPages {
  let store: RecordingStore
  let query: CatalogueQuery
  let list: StoredRecords
  let keys: [Int64]
  /// The time at which each of the list's records was last read.
  let readAt: [Date]
  let updates: [Int64: [Recording]]
  /// The records of the new list, the highest number first.
  let records: [Int64]
  private(set) var number = 0
  /// Records, and stored rows, that the pages so far are made of.
  private(set) var recordsBefore = 0
  private(set) var row = 0
  private(set) var record = 0

  /// The page of that number, and when the records of it that were not updated were last read, at
  /// most `now`; `nil` if it is not the one that follows.
  mutating func next(_ number: Int, now: Date) throws(StoreError) -> (
    page: RecordingPage, readAt: Date
  )? {
    guard number == self.number + 1 else { return nil }
    self.number = number
    let page = records[recordsBefore...].prefix(query.pageSize)
    let last = page.last ?? 0
    let start = row
    while row < list.rows.count, list.rows[row] >= last { row += 1 }
    var stored: [Int64: [Recording]] = [:]
    let rows = try store.recordings(keys.within(start..<row))
    for (record, row) in zip(list.rows[start..<row], rows) {
      stored[record, default: []].append(row.recording)
    }
    var oldest = now
    while record < list.records.count, list.records[record] >= last {
      if updates[list.records[record]] == nil { oldest = min(oldest, readAt[record]) }
      record += 1
    }
    recordsBefore += page.count
    let isLast = recordsBefore == records.count
    let made = RecordingPage(
      number: number, recordings: page.flatMap { updates[$0] ?? stored[$0] ?? [] },
      totals: RecordingPage.Totals(recordings: records.count, pageSize: query.pageSize),
      next: isLast ? nil : number + 1,
      nextToken: .after("\(last)", recordsBefore: recordsBefore),
      records: page.count,
      // Pages without a difference must not verify the list: they were not read.
      isFromCache: true)
    return (made, oldest)
  }
}

struct StoredRecords {
  /// The number of each row's record.
  let rows: [Int64]
  /// Each record once, the highest number first.
  let records: [Int64]

  /// The records of a stored list; `nil` if the rows are not in the order of their records.
  init?(of query: CatalogueQuery, in store: RecordingStore, record: (RecordingID) -> Int64?)
    throws(StoreError)
  {
    let numbers = try store.ids(of: query).map(record)
    rows = numbers.compactMap(\.self)
    records = rows.reduce(into: []) { records, number in
      if records.last != number { records.append(number) }
    }
    guard rows.count == numbers.count, zip(records, records.dropFirst()).allSatisfy(>) else {
      return nil
    }
  }
}

#endif
