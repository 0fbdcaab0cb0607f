import Chirper
import ChirperFormats
import ChirperModel

/// The table of one list, or of the results of a search of everything stored: its state and
/// the rows near the visible ones, never all of them.
struct RecordingTable: Sendable {
  let subject: Subject
  /// The latest snapshot of the list; `nil` until the store was read. A search has none.
  var snapshot: ListSnapshot?
  var cursor = Cursor()
  var window = RowWindow()
  /// The selected recording, to find it again when rows were inserted above it.
  var selectedID: RecordingID?
  let cells: TableCells
  /// The widest cell of each column among the rows that were read, which are those near the visible
  /// ones: columns do not jump with every row, and shrink again further on.
  var widths: [Int]
  /// Columns that are hidden on the left, after the first, which stays.
  var columnsSkipped = 0
  var sort: SortKey?
  /// The search of everything stored, for a table of its results.
  var filter: RowFilter?
  /// The name to search for in place of a query that found nothing, and a description of it
  /// in words.
  var suggestion: (name: String, words: String)?
  /// The page that was requested because the end of the rows came near; each page is requested
  /// once.
  var requestedPage: Int?

  enum Subject: Sendable {
    case list(CatalogueQuery, Catalogue)
    case everythingStored
  }

  /// - Parameter names: the names of animals in the language that was chosen.
  init(_ subject: Subject, names: ShownNames? = nil) {
    self.subject = subject
    cells =
      switch subject {
      case .list(_, let catalogue):
        TableCells(catalogue.terminalColumns, in: catalogue, names: names)
      case .everythingStored: .found
      }
    widths = []
    measure()
  }

  /// The list's query; `nil` if everything stored is searched.
  var query: CatalogueQuery? {
    if case .list(let query, _) = subject { query } else { nil }
  }

  /// The catalogue of a recording; `nil` if the program does not know it.
  func catalogue(of recording: Recording) -> Catalogue? {
    if case .list(_, let catalogue) = subject {
      catalogue
    } else {
      Catalogues.named(recording.id.catalogue)
    }
  }

  /// The number of rows shown: the matches if a filter is applied, else the whole list.
  var count: Int { appliedFilter?.answer.count ?? snapshot?.count ?? 0 }

  var loadStep: LoadState.Step? {
    if case .loading(let step)? = snapshot?.load { step } else { nil }
  }

  var shownRows: ShownRows {
    query == nil ? .found : appliedFilter?.answer.count == nil ? .list : .matches
  }

  var appliedFilter: RowFilter? {
    guard let filter, filter.isApplied else { return nil }
    return filter
  }

  var selected: Recording? { selectedRow?.recording }

  var selectedRow: Row? { cursor.selected < count ? window[cursor.selected] : nil }

  /// Rows that were read, by their position among the rows shown.
  struct RowWindow: Equatable, Sendable {
    /// The positions that were requested; the list may have ended earlier.
    var range = 0..<0
    var rows: [Row] = []
    /// Whether the list has changed since.
    var isStale = false

    subscript(position: Int) -> Row? {
      let index = position - range.lowerBound
      return rows.indices.contains(index) ? rows[index] : nil
    }
  }

  struct Row: Equatable, Sendable {
    let recording: Recording
    let cells: [String]
    var isDownloaded: Bool
    /// Whether it entered the list in the last days.
    var isNew = false
    /// Whether its catalogue says something against it.
    var hasIssues = false
    /// The lists that it is in, as typed; empty in the table of one list.
    var lists: [String] = []
    /// Whether the scientific name is in place of a missing English one.
    var hasScientificNameOnly = false
    /// The columns with each bare word of the search.
    var foundTexts: [[FoundText]] = []
  }

  /// The search to filter by. While it is applied only matching rows are shown, otherwise n
  /// and N go to them.
  struct RowFilter: Equatable, Sendable {
    let search: TypedExpression
    var text: String { search.text }
    /// The countries in it that were typed by other names, each with the name it was taken
    /// for, and the names that a bird is found under too, to follow a sentence about the matches.
    var readings: String {
      let names = [OtherNamesText.line(answer.otherNames)].compactMap(\.self)
      return (search.expression.countryReadings + names).map { " · \($0)" }.joined()
    }
    /// The latest answer. Until the first for this text it has the number of rows and the notices
    /// of the previous one: otherwise each letter would blank the table. Without a number, every
    /// row is shown.
    var answer: MatchCount
    var failure: String?
    var isApplied = true
  }
}

extension RecordingTable {
  mutating func apply(_ snapshot: ListSnapshot) -> [ScreenAction] {
    // After a failure the same page may be requested again.
    if case .error? = snapshot.state { requestedPage = nil }
    let showsSameList = self.snapshot?.showsSameList(as: snapshot) ?? false
    self.snapshot = snapshot
    if showsSameList { return [] }
    window.isStale = true
    return filter.map { [.filter($0.search)] } ?? []
  }

  mutating func apply(_ matches: MatchCount) {
    guard filter?.text == matches.text else { return }
    guard matches.count != nil else {
      filter?.answer.done = matches.done
      return
    }
    filter?.answer = matches
    filter?.failure = nil
    if appliedFilter != nil { window.isStale = true }
  }

  mutating func failFilter(_ text: String, _ reason: String) {
    if filter?.text == text { filter?.failure = reason }
  }

  mutating func markDownloaded(_ id: RecordingID) {
    for index in window.rows.indices where window.rows[index].recording.id == id {
      window.rows[index].isDownloaded = true
    }
  }

  mutating func apply(
    _ rows: [Recording], downloaded: Set<RecordingID>, new: Set<RecordingID>, at range: Range<Int>
  ) {
    apply(
      rows.map { row in
        let cells = cells.row(of: row)
        return Row(
          recording: row, cells: cells.texts, isDownloaded: downloaded.contains(row.id),
          isNew: new.contains(row.id), hasIssues: cells.details?.issues.isEmpty == false,
          foundTexts: cells.details.map(foundTexts) ?? [])
      }, at: range)
  }

  /// Keeps the rows that were read before, because those at these positions could not be read. They
  /// are not asked for again before the list changes or the cursor leaves them.
  mutating func keepRows(at range: Range<Int>) {
    guard window.range.overlaps(range), window.range.lowerBound <= range.lowerBound else {
      return apply([Row](), at: range)
    }
    window.range = window.range.lowerBound..<max(window.range.upperBound, range.upperBound)
    window.isStale = false
  }

  mutating func apply(_ found: [RecordingRow], at range: Range<Int>) {
    apply(
      found.map { row in
        var lists: [String] = []
        if case .list(let names) = row.value(of: .lists) { lists = names }
        return Row(
          recording: row.recording, cells: cells.texts(of: row),
          isDownloaded: row.isAudioDownloaded,
          hasIssues: !row.details.issues.isEmpty, lists: lists,
          hasScientificNameOnly: row.details.nameForPeople == nil,
          foundTexts: foundTexts(in: row.details))
      }, at: range)
  }

  private func foundTexts(in details: RecordingDetails) -> [[FoundText]] {
    appliedFilter?.search.expression.foundTexts(in: details) ?? []
  }

  /// Stores the rows that were read; where rows were inserted above, the cursor follows its
  /// recording.
  private mutating func apply(_ rows: [Row], at range: Range<Int>) {
    let wasStale = window.isStale
    window = RowWindow(range: range, rows: rows)
    measure()
    guard wasStale, let selectedID, selected?.id != selectedID,
      let index = rows.firstIndex(where: { $0.recording.id == selectedID })
    else { return }
    let shift = range.lowerBound + index - cursor.selected
    cursor.selected += shift
    cursor.top += shift
  }

  /// Keeps the cursor in the list, and asks for the rows that are visible but not read, and for
  /// the next page.
  mutating func clampAndRequest(height: Int) -> [ScreenAction] {
    cursor.clamp(count: count, height: height)
    var actions: [ScreenAction] = []
    if let range = missingRows(height: height) { actions.append(.read(range, of: shownRows)) }
    if let page = nextPage(height: height) {
      requestedPage = page
      actions.append(.loadPage(page))
    }
    if !window.isStale, let selected { selectedID = selected.id }
    return actions
  }

  /// The next page, where the last row is nearly visible, the state is paging and the page was not
  /// requested yet.
  private func nextPage(height: Int) -> Int? {
    guard case .paging(_, next: let next)? = snapshot?.state, loadStep == nil, appliedFilter == nil,
      requestedPage != next,
      cursor.top + height + Self.prefetchDistance >= count
    else { return nil }
    return next
  }

  private func missingRows(height: Int) -> Range<Int>? {
    let visible = cursor.visible(count: count, height: height)
    let isRead =
      window.range.lowerBound <= visible.lowerBound && visible.upperBound <= window.range.upperBound
    guard !visible.isEmpty, window.isStale || !isRead else { return nil }
    return max(0, visible.lowerBound - height)..<min(count, visible.upperBound + height)
  }

  /// The next page is requested when this many rows or fewer are left below the last visible one.
  private static let prefetchDistance = 2
}

/// Sorting and filtering.
extension RecordingTable {
  /// - Parameter number: of the columns shown, from 1; 0 restores the catalogue's order.
  mutating func sort(byColumn number: Int, columns: Int) -> [ScreenAction] {
    guard number > 0 else { return setSort(nil) }
    let shown = layout(columns: columns).fit.columns
    guard number <= shown.count else { return [] }
    let column = sortColumn(shown[number - 1].index)
    return setSort(
      SortKey(column, descending: sort?.column == column && sort?.descending == false))
  }

  /// The column of recordings by which the rows are ordered for that of the table.
  func sortColumn(_ index: Int) -> RecordingColumn {
    let column = cells.columns[index]
    let found = query == nil ? RecordingColumn.all.first { $0.name == column.field } : nil
    return found ?? column.column
  }

  private mutating func setSort(_ sort: SortKey?) -> [ScreenAction] {
    self.sort = sort
    goToTop()
    guard query != nil else { return searchAgain() }
    return [.sort(sort)] + (filter.map { [.filter($0.search)] } ?? [])
  }

  /// Shows only rows that satisfy the search; without one every row of a list, and nothing of
  /// everything stored.
  mutating func setFilter(_ search: TypedExpression?) -> [ScreenAction] {
    let before = appliedFilter?.answer
    filter = search.map { search in
      let answer = MatchCount(
        text: search.text, count: before?.count, notices: before?.notices ?? [])
      return RowFilter(search: search, answer: answer)
    }
    goToTop()
    if query == nil, search == nil { window = RowWindow() }
    return query == nil ? [.searchStored(search, sort)] : [.filter(search)]
  }

  mutating func searchAgain() -> [ScreenAction] {
    filter?.answer.isComplete = false
    return filter.map { [.searchStored($0.search, sort)] } ?? []
  }

  /// Shows every row again, once the position of the selected match is known.
  mutating func leaveFilter() -> [ScreenAction] {
    guard appliedFilter != nil else { return [] }
    if shownRows == .matches { return [.findMatch(.index(cursor.selected))] }
    leaveFilter(at: cursor.selected)
    return []
  }

  /// Shows every row again with the cursor on its recording; n and N still go to the matches.
  mutating func leaveFilter(at position: Int) {
    filter?.isApplied = false
    cursor.top += position - cursor.selected
    cursor.selected = position
    window.isStale = true
  }

  private mutating func goToTop() {
    cursor = Cursor()
    selectedID = nil
    window.isStale = true
  }
}
