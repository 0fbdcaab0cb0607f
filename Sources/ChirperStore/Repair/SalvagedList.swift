import Foundation

/// The pages and rows of one query as they were read from a damaged file, and a list made of them that keeps the rules.
struct SalvagedList {
  struct PageRecord {
    var number: Int
    var walk: Int
    var fetchedAt: Date
    var total: Int?
    var totalPages: Int?
    var totalSpecies: Int?
    var isLast: Bool
    var nextToken: String?
    var preceding: String?
    var skipped: Int
    /// As many as rows and skipped records together if `nil`.
    var records: Int?
    var rowCount: Int
    var carriedCount: Int

    /// From a row with every column.
    init(_ row: SQLRow) {
      number = row.count(1)
      walk = row.count(2)
      fetchedAt = row.date(3)
      total = row.optionalCount(4)
      totalPages = row.optionalCount(5)
      totalSpecies = row.optionalCount(6)
      isLast = row.isNull(7)
      nextToken = row.optionalText(8)
      preceding = row.optionalText(9)
      skipped = row.count(10)
      records = row.optionalCount(11)
      rowCount = row.count(12)
      carriedCount = row.count(13)
    }

    /// For a page of which only rows are left; walk 0 marks it.
    init(number: Int, fetchedAt: Date) {
      self.number = number
      self.fetchedAt = fetchedAt
      (walk, isLast, skipped, rowCount, carriedCount) = (0, false, 0, 0, 0)
    }
  }

  struct Row {
    let position: Int
    let recording: Int64
    var isCarried: Bool
  }

  let catalogue: Int64
  let typed: String
  /// The number of the query's latest walk, and the list's completeness.
  var walk: Int
  var completeness: QueryRow.StoredCompleteness?
  var pages: [Int: PageRecord] = [:]
  /// By page.
  var rows: [Int: [Row]] = [:]
  /// Rows that the page records count and that were not found.
  private(set) var lostRows = 0
  /// Pages whose record was not found.
  private(set) var lostPages = 0
  private(set) var isWhole = true

  init(catalogue: Int64, typed: String, walk: Int, completeness: QueryRow.StoredCompleteness?, isWhole: Bool) {
    self.catalogue = catalogue
    self.typed = typed
    self.walk = walk
    self.completeness = completeness
    self.isWhole = isWhole
  }

  /// Makes every page consistent. If one is not whole, the list is no longer complete and its walk is opened again: whole pages
  /// stay in it, the next fetch requests the others, and every row that was found keeps its place until then.
  ///
  /// - Parameter fetchedAt: the time given to a page that has lost its record, if no page has one.
  mutating func repair(fetchedAt: Date) {
    let fetchedAt = pages.values.map(\.fetchedAt).min() ?? fetchedAt
    for (number, rows) in rows where pages[number] == nil && !rows.isEmpty {
      pages[number] = PageRecord(number: number, fetchedAt: fetchedAt)
    }
    var broken: Set<Int> = []
    for number in pages.keys where !repairPage(number) { broken.insert(number) }
    let inWalk = pages.values.filter { $0.walk == walk }.map(\.number).sorted()
    for number in inWalk where pages[number]?.isLast == true && number != inWalk.last { broken.insert(number) }
    let expected = pages.keys.max().map { Set(1...min($0, 1_000_000)) } ?? []
    lostPages = pages.values.count { $0.walk == 0 } + expected.subtracting(pages.keys).count
    isWhole = isWhole && broken.isEmpty && !pages.isEmpty && supportsCompleteness(inWalk)
    guard !isWhole else { return }
    for (number, page) in pages { pages[number]?.walk = page.walk == walk && !broken.contains(number) ? 2 : 1 }
    (walk, completeness) = (2, nil)
  }

  /// Numbers the page's rows again, current ones before carried ones; whether its record matched them.
  private mutating func repairPage(_ number: Int) -> Bool {
    guard var page = pages[number] else { return true }
    let found = (rows[number] ?? []).sorted { ($0.position, $0.recording) < ($1.position, $1.recording) }
    // Without a record it is unknown which rows were current, so all count as carried until the page is fetched again.
    let current = page.walk == 0 ? [] : found.filter { !$0.isCarried }
    let carried = page.walk == 0 ? found : found.filter(\.isCarried)
    let isSame =
      page.walk > 0 && current.count == page.rowCount && carried.count == page.carriedCount
      && found.enumerated().allSatisfy {
        $0.offset == $0.element.position && ($0.offset >= current.count) == $0.element.isCarried
      }
    lostRows += max(0, min(page.rowCount + page.carriedCount, 10_000) - found.count)
    rows[number] = (current + carried).enumerated().map {
      Row(position: $0.offset, recording: $0.element.recording, isCarried: $0.offset >= current.count)
    }
    (page.rowCount, page.carriedCount) = (current.count, carried.count)
    pages[number] = page
    return isSame
  }

  /// Whether the pages are what the completeness demands: all from 1 to the last in one walk, one total, and as many records.
  private func supportsCompleteness(_ inWalk: [Int]) -> Bool {
    guard completeness == .complete || completeness == .verified else { return true }
    let pages = inWalk.compactMap { self.pages[$0] }
    guard pages.count == self.pages.count, inWalk == Array(1...max(1, inWalk.count)), pages.last?.isLast == true else {
      return false
    }
    let count = pages.reduce(0) { $0 + ($1.records ?? $1.rowCount + $1.skipped) }
    return Set(pages.map(\.total)).count == 1 && (pages[0].total ?? count) == count && pages.allSatisfy { $0.carriedCount == 0 }
  }
}
