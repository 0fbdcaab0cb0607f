#if Collection

import Foundation

/// The pages and rows of one query as they were read from a damaged file, and a list made of them
/// that keeps the rules.
struct SalvagedList {
  struct Row {
    let position: Int
    let recording: Int64
    var isCarried: Bool
  }

  /// The number of the list's catalogue; `nil` if the query's own row is lost.
  var catalogue: Int64?
  var typed = ""
  /// The number of the query's latest walk, and the list's completeness.
  var walk = 1
  var completeness: QueryRow.StoredCompleteness?
  var isWhole = true
  var pages: [Int: PageRecord] = [:]
  /// The rows by page.
  var rows: [Int: [Row]] = [:]
  /// Rows that the page records count and that were not found.
  private(set) var lostRows = 0
  /// Pages whose record was not found.
  private(set) var lostPages = 0

  /// Makes every page consistent. If a page is not whole, the list is no longer complete
  /// and its walk is opened again. Whole pages stay in it, the next fetch requests the
  /// rest, and every row that was found keeps its position until then.
  ///
  /// - Parameter fetchedAt: the time given to a page that has lost its record, if no page
  ///   has one.
  mutating func repair(fetchedAt: Date) {
    let fetchedAt = pages.values.map(\.fetchedAt).min() ?? fetchedAt
    for (number, rows) in rows where pages[number] == nil && !rows.isEmpty {
      pages[number] = PageRecord(number: number, fetchedAt: fetchedAt)
    }
    var broken: Set<Int> = []
    for number in pages.keys where !repairPage(number) { broken.insert(number) }
    let inWalk = pages.values.filter { $0.walk == walk }.map(\.number).sorted()
    for number in inWalk where pages[number]?.isLast == true && number != inWalk.last {
      broken.insert(number)
    }
    let expected = pages.keys.max().map { Set(1...min($0, PageRecord.greatestNumber)) } ?? []
    lostPages = pages.values.count { $0.walk == 0 } + expected.subtracting(pages.keys).count
    isWhole = isWhole && broken.isEmpty && !pages.isEmpty && supportsCompleteness(inWalk)
    guard !isWhole else { return }
    for (number, page) in pages {
      pages[number]?.walk = page.walk == walk && !broken.contains(number) ? 2 : 1
    }
    walk = 2
    completeness = nil
  }

  /// Numbers the page's rows again, current ones before carried ones; whether its record matched
  /// them. One that did not has as many records as rows.
  private mutating func repairPage(_ number: Int) -> Bool {
    guard var page = pages[number] else { return true }
    let found = (rows[number] ?? []).sorted {
      ($0.position, $0.recording) < ($1.position, $1.recording)
    }
    // Without a record it is unknown which rows were current, so all count as carried until the
    // page is fetched again.
    let current = page.walk == 0 ? [] : found.filter { !$0.isCarried }
    let carried = page.walk == 0 ? found : found.filter(\.isCarried)
    let isSame =
      page.walk > 0 && current.count == page.rowCount && carried.count == page.carriedCount
      && found.enumerated().allSatisfy {
        $0.offset == $0.element.position && ($0.offset >= current.count) == $0.element.isCarried
      }
    lostRows += max(0, min(page.rowCount + page.carriedCount, 10_000) - found.count)
    rows[number] = (current + carried).enumerated().map {
      Row(
        position: $0.offset, recording: $0.element.recording, isCarried: $0.offset >= current.count)
    }
    page.rowCount = current.count
    page.carriedCount = carried.count
    if !isSame { page.records = nil }
    pages[number] = page
    return isSame
  }

  /// Whether the pages are what the completeness demands: pages of one list, all read in
  /// one walk.
  private func supportsCompleteness(_ inWalk: [Int]) -> Bool {
    guard completeness == .complete || completeness == .verified else { return true }
    let pages = inWalk.compactMap { self.pages[$0] }
    return pages.count == self.pages.count && pages.areOneList
      && pages.allSatisfy { $0.carriedCount == 0 }
  }
}

#endif
