/// The pages and rows of one query as they came out of a damaged file, and the list that keeps the rules made of them.
struct SalvagedList {
  struct PageRecord {
    var number: Int
    var walk: Int
    var fetchedAt: Int64
    var total: Int?
    var totalPages: Int?
    var totalSpecies: Int?
    var isLast: Bool
    var preceding: String?
    var skipped: Int
    var rowCount: Int
    var keptCount: Int

    static let columns =
      "query_id, number, walk, fetched_at, total, total_pages, total_species, next, preceding, skipped, row_count, kept_count"

    /// From column 1 on of `columns`.
    init(_ row: SQLRow) {
      number = row.count(1)
      walk = row.count(2)
      fetchedAt = row.time(3)
      total = row.optionalCount(4)
      totalPages = row.optionalCount(5)
      totalSpecies = row.optionalCount(6)
      isLast = row.isNull(7)
      preceding = row.optionalText(8)
      skipped = row.count(9)
      rowCount = row.count(10)
      keptCount = row.count(11)
    }

    /// For a page of which only rows are left.
    init(number: Int, fetchedAt: Int64) {
      self.number = number
      self.fetchedAt = fetchedAt
      (walk, isLast, skipped, rowCount, keptCount) = (0, false, 0, 0, 0)
    }
  }

  struct Row {
    let position: Int
    let recording: Int64
    var isKept: Bool
  }

  /// The query's latest walk, and what it claims.
  var walk: Int
  var claim: QueryRow.Claim?
  var marks: [Int: PageRecord] = [:]
  /// By page.
  var rows: [Int: [Row]] = [:]
  /// Rows that the marks promise and that are not there.
  private(set) var lostRows = 0
  /// Pages whose mark is not there.
  private(set) var lostPages = 0
  private(set) var isWhole = true

  init(walk: Int, claim: QueryRow.Claim?, isWhole: Bool) {
    self.walk = walk
    self.claim = claim
    self.isWhole = isWhole
  }

  /// Puts every page in order. Where one is not whole the claim is withdrawn and the walk opened again: what is whole
  /// stays in it, the rest is asked for by the next fetch, and every row that is left keeps its place until then.
  ///
  /// - Parameter fetchedAt: the time given to a page that has lost its mark.
  mutating func mend(fetchedAt: Int64) {
    let fetchedAt = marks.values.map(\.fetchedAt).min() ?? fetchedAt
    for (number, rows) in rows where marks[number] == nil && !rows.isEmpty {
      marks[number] = PageRecord(number: number, fetchedAt: fetchedAt)
    }
    var broken: Set<Int> = []
    for number in marks.keys where !mendPage(number) { broken.insert(number) }
    let inWalk = marks.values.filter { $0.walk == walk }.map(\.number).sorted()
    for number in inWalk where marks[number]?.isLast == true && number != inWalk.last { broken.insert(number) }
    let expected = marks.keys.max().map { Set(1...min($0, 1_000_000)) } ?? []
    lostPages = marks.values.count { $0.walk == 0 } + expected.subtracting(marks.keys).count
    isWhole = isWhole && broken.isEmpty && !marks.isEmpty && keepsItsClaim(inWalk)
    guard !isWhole else { return }
    for (number, mark) in marks { marks[number]?.walk = mark.walk == walk && !broken.contains(number) ? 2 : 1 }
    (walk, claim) = (2, nil)
  }

  /// Numbers the page's rows anew, those it brought before those it kept; whether its mark tells the same.
  private mutating func mendPage(_ number: Int) -> Bool {
    guard var mark = marks[number] else { return true }
    let found = (rows[number] ?? []).sorted { ($0.position, $0.recording) < ($1.position, $1.recording) }
    // Without a mark nobody knows what the page brought, so its rows stand behind until it is asked for again.
    let brought = mark.walk == 0 ? [] : found.filter { !$0.isKept }
    let kept = mark.walk == 0 ? found : found.filter(\.isKept)
    let isSame =
      mark.walk > 0 && brought.count == mark.rowCount && kept.count == mark.keptCount
      && found.enumerated().allSatisfy { $0.offset == $0.element.position && ($0.offset >= brought.count) == $0.element.isKept }
    lostRows += max(0, min(mark.rowCount + mark.keptCount, 10_000) - found.count)
    rows[number] = (brought + kept).enumerated().map {
      Row(position: $0.offset, recording: $0.element.recording, isKept: $0.offset >= brought.count)
    }
    (mark.rowCount, mark.keptCount) = (brought.count, kept.count)
    marks[number] = mark
    return isSame
  }

  /// Whether the pages are what the claim needs: all from 1 to the last in one walk, one total and as many rows.
  private func keepsItsClaim(_ inWalk: [Int]) -> Bool {
    guard claim == .complete || claim == .verified else { return true }
    let marks = inWalk.compactMap { self.marks[$0] }
    guard marks.count == self.marks.count, inWalk == Array(1...max(1, inWalk.count)), marks.last?.isLast == true else {
      return false
    }
    let count = marks.reduce(0) { $0 + $1.rowCount + $1.skipped }
    return Set(marks.map(\.total)).count == 1 && (marks[0].total ?? count) == count && marks.allSatisfy { $0.keptCount == 0 }
  }
}
