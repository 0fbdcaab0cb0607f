import Foundation

@testable import Chirper
@testable import ChirperModel
@testable import ChirperTerminal

/// Drives a screen over a list in memory: performs the actions that read, filter or sort the list,
/// and records the others.
struct ScreenDriver {
  var screen: Screen
  var recordings: [Recording]
  /// Recordings whose audio is downloaded.
  var downloaded: Set<RecordingID> = []
  /// Recordings that entered the list in the last days.
  var new: Set<RecordingID> = []
  private(set) var actions: [ScreenAction] = []
  private(set) var rowsRead = 0
  private(set) var largestRead = 0
  private var sort: SortKey?
  /// Positions of the rows that match the filter, in the list as it is sorted.
  private var matches: [Int] = []
  /// Details that a search asked for: reading them for each letter would take most of a test.
  private var details: [Recording: RecordingDetails] = [:]
  /// What the search of everything stored found; `recordings` is all that is stored.
  private var found: [RecordingRow] = []

  static let start = Date(timeIntervalSince1970: 1_767_272_400)

  init(columns: Int, rows: Int, recordings: [Recording] = [], isFallback: Bool = false) {
    screen = Screen(
      size: TerminalSize(columns: columns, rows: rows), now: Self.start,
      timeZone: TimeZone(secondsFromGMT: 3600) ?? .gmt,
      isFallback: isFallback)
    self.recordings = recordings
  }

  mutating func send(_ events: ScreenEvent...) {
    for event in events { send(event) }
  }

  mutating func press(_ keys: Key...) {
    for key in keys { send(.key(key)) }
  }

  mutating func type(_ text: String) {
    for character in text { send(.key(.character(character))) }
  }

  private mutating func send(_ event: ScreenEvent) {
    var waiting = screen.handle(event)
    while !waiting.isEmpty {
      let action = waiting.removeFirst()
      switch action {
      case .read(let range, of: .found):
        let rows = Array(found[range.clamped(to: found.indices)])
        largestRead = max(largestRead, rows.count)
        waiting += screen.handle(.foundRows(range, rows))
      case .read(let range, let source):
        let positions =
          source == .matches ? Array(matches[range.clamped(to: matches.indices)]) : Array(range)
        let list = sorted
        let rows = positions.compactMap { list.indices.contains($0) ? list[$0] : nil }
        rowsRead += rows.count
        largestRead = max(largestRead, rows.count)
        waiting += screen.handle(.rows(range, rows, downloaded: downloaded, new: new))
      case .filter(let search?):
        let list = sorted
        matches = list.indices.filter { satisfies(list[$0], search) }
        waiting += screen.handle(
          .matches(
            MatchCount(text: search.text, count: matches.count, isComplete: true), of: .matches))
        actions.append(action)
      case .searchStored(let search?, _):
        found = recordings.filter { satisfies($0, search) }.map { recording in
          RecordingRow(
            recording: recording, details: Catalogues.all[0].details(of: recording),
            lists: [Self.query],
            audioPath: downloaded.contains(recording.id) ? "/kept" : nil, firstSeenAt: Self.start)
        }
        let count = MatchCount(
          text: search.text, count: found.count, isComplete: true, searched: recordings.count)
        waiting += screen.handle(.matches(count, of: .found))
        actions.append(action)
      case .findMatch(let search):
        let position =
          switch search {
          case .index(let index): matches.indices.contains(index) ? matches[index] : nil
          case .after(let position): matches.first { $0 > position }
          case .before(let position): matches.last { $0 < position }
          }
        waiting += screen.handle(.match(search, position: position))
      case .count(let key, let shown):
        let rows =
          shown == .found
          ? found.map(\.recording) : shown == .matches ? matches.map { sorted[$0] } : recordings
        waiting += screen.handle(.counts(Self.counts(key, of: rows)))
      case .sort(let sort):
        self.sort = sort
        actions.append(action)
      default: actions.append(action)
      }
    }
  }

  /// Counts as `CountKey` groups, the most first.
  private static func counts(_ key: CountKey, of recordings: [Recording]) -> RecordingCounts {
    var counts: [String: Int] = [:]
    for recording in recordings {
      let details = Catalogues.all[0].details(of: recording)
      for group in key.groups(of: details, in: .xenoCanto) {
        switch group {
        case .number(let number): counts[key.value(of: number).text() ?? "", default: 0] += 1
        case .text(let text):
          counts[key.text(of: text, in: details, .xenoCanto) ?? text, default: 0] += 1
        }
      }
    }
    let rows = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.enumerated().map {
      position, row in
      RecordingCounts.Row(
        count: row.value, stored: nil, first: .init(value: .text(row.key), position: position),
        second: nil)
    }
    return RecordingCounts(
      keys: [key], rows: rows, total: recordings.count, missing: [0], several: [0])
  }

  private mutating func satisfies(_ recording: Recording, _ search: TypedExpression) -> Bool {
    guard let matcher = try? SearchMatcher(search.expression, now: Self.start) else {
      return false
    }
    let known = details[recording] ?? Catalogues.all[0].details(of: recording)
    details[recording] = known
    return matcher.matches(known, SearchContext(catalogue: .xenoCanto))
  }

  private var sorted: [Recording] {
    guard let sort else { return recordings }
    let ascending = recordings.sorted { ($0.text(sort.name) ?? "") < ($1.text(sort.name) ?? "") }
    return sort.descending ? ascending.reversed() : ascending
  }

  mutating func takeActions() -> [ScreenAction] {
    defer { actions = [] }
    return actions
  }

  /// Opens the list and shows it in that state.
  mutating func open(
    _ state: ListState?, totals: RecordingPage.Totals? = nil,
    completeness: StoredQuery.Completeness = .partial(pages: 1, of: 3), hoursOld: Double = 2,
    catalogue: Catalogue = ScreenDriver.catalogue
  ) {
    send(.opened(Self.query, catalogue))
    show(state, totals: totals, completeness: completeness, hoursOld: hoursOld)
  }

  mutating func show(
    _ state: ListState?, totals: RecordingPage.Totals? = nil,
    completeness: StoredQuery.Completeness = .partial(pages: 1, of: 3), hoursOld: Double = 2,
    load: LoadState = .idle
  ) {
    let fetchedAt = Self.start.addingTimeInterval(-hoursOld * 3600)
    let isStored = !recordings.isEmpty || state == .empty
    let next = if case .paging(_, let page) = state { page } else { nil as Int? }
    let stored = StoredQuery(
      query: Self.query, count: recordings.count, pagesStored: isStored ? 1 : 0, totals: totals,
      next: next, completeness: completeness, oldestFetchedAt: fetchedAt,
      newestFetchedAt: fetchedAt)
    send(
      .snapshot(
        ListSnapshot(
          query: Self.query, state: state, stored: stored, from: isStored ? .store : nil,
          load: load)))
  }

  static let query = CatalogueQuery(
    catalogue: .xenoCanto, identity: "en:\"parrot\"", pageSize: 50, typed: "parrot",
    requestText: "en:\"parrot\"")

  static let catalogue = catalogue(
    tableColumns: Catalogues.all[0].tableColumns, mapping: Catalogues.all[0].mapping)

  static func catalogue(tableColumns: [Catalogue.TableColumn], mapping: Catalogue.DetailsMapping)
    -> Catalogue
  {
    var catalogue = Catalogue(id: .xenoCanto, name: "xeno-canto")
    catalogue.pageSizes = 50...500
    catalogue.fields = [
      "id", "gen", "sp", "en", "rec", "cnt", "loc", "date", "type", "q", "length", "lic", "url",
      "file", "also", "rmk",
    ]
    catalogue.tableColumns = tableColumns
    catalogue.mapping = mapping
    catalogue.audio = Catalogues.all[0].audio
    catalogue.makeQuery = { cleaned, _ in (cleaned, cleaned) }
    return catalogue
  }

  /// Made-up parrots, the same in every run.
  static func parrots(_ count: Int, from first: Int = 1) -> [Recording] {
    let names = [
      "Grey Parrot", "Hyacinth Macaw", "Kea", "Kākāpō", "Budgerigar", "Sulphur-crested Cockatoo",
    ]
    let countries = ["Brazil", "New Zealand", "Gabon", "Australia"]
    return (first..<(first + count)).map { number in
      recording(
        id: String(1000 + number),
        [
          ("en", names[number % names.count]), ("gen", "Psittacus"), ("sp", "exemplaris"),
          ("cnt", countries[number % countries.count]), ("loc", "Sample wood \(number)"),
          ("type", number % 3 == 0 ? "song" : "call"), ("q", ["A", "B", "C"][number % 3]),
          ("length", "0:\(10 + number % 50)"), ("rec", "Sample recordist \(number % 7)"),
          ("date", "2024-05-\(10 + number % 20)"),
          ("lic", "//creativecommons.org/licenses/by-nc-sa/4.0/"),
          ("url", "//example.org/\(1000 + number)"),
          ("file", "https://example.org/\(1000 + number)/download"),
          ("rmk", "First line.\r\nSecond line."),
        ])
    }
  }

  static func recording(id: String, _ fields: [(String, String)]) -> Recording {
    let members = ([("id", id)] + fields).map {
      "\(JSONText.quoted($0.0)):\(JSONText.quoted($0.1))"
    }
    return Recording(
      id: RecordingID(catalogue: .xenoCanto, value: id),
      fields: RecordingFields(canonical: "{\(members.joined(separator: ","))}"))
  }
}
