import Chirper
import ChirperFormats
import ChirperModel
import Foundation

/// The title, the headings and the visible rows.
extension RecordingTable {
  func render(columns: Int, height: Int, playback: Playback, now: Date, timeZone: TimeZone)
    -> Screen.RenderedList
  {
    let layout = layout(columns: columns)
    return Screen.RenderedList(
      title: title(at: now), headings: headings(layout, columns: columns),
      rows: cursor.rows(of: count, height: height, columns: columns) { position, sign in
        window[position].map { text(of: $0, sign, layout, columns: columns, playback) }
      },
      footer: footer(in: timeZone))
  }

  private func text(
    of row: Row, _ sign: String, _ layout: Layout, columns: Int, _ playback: Playback
  ) -> String {
    let mark =
      switch playback {
      case .playing(row.recording.id, part: _): "♪"
      case .downloading(row.recording.id, received: _, total: _): "↓"
      default: row.isDownloaded ? "•" : " "
      }
    let marks = mark + (row.isNew ? "*" : " ") + (row.hasIssues ? "!" : " ")
    let text = sign + marks + joined(layout) { row.cells[$0] }
    guard let note = note(of: row, layout) else { return text }
    // It covers the end of the row, at most half of it.
    let cut = CellText.cut(note, columns: columns / 2)
    return CellText.fitted(text, columns: columns - cut.columns - ColumnFit.gap)
      + String(repeating: " ", count: ColumnFit.gap) + cut.text
  }

  /// A note of the columns that have the words of the search, if no shown column has them.
  private func note(of row: Row, _ layout: Layout) -> String? {
    var shown = details(shownBy: layout.fit)
    if row.hasScientificNameOnly { shown.insert(.scientificName) }
    return row.foundTexts.note(besides: shown)
  }

  private func details(shownBy fit: ColumnFit.Layout) -> Set<DetailColumn> {
    Set(fit.columns.flatMap { cells.details(ofColumn: $0.index) })
  }

  /// The headings, before them a sign for columns that are hidden on either side.
  private func headings(_ layout: Layout, columns: Int) -> Line {
    let headings = joined(layout) { index in
      let arrow =
        sort?.column == sortColumn(index) ? (sort?.descending == true ? "↓" : "↑") : ""
      return arrow + cells.columns[index].heading
    }
    let text = (layout.hidesLeft ? "‹" : " ") + (layout.hidesRight ? "›" : " ") + "  " + headings
    return Line(text, columns: columns, style: .faint)
  }

  private func joined(_ layout: Layout, _ cell: (_ index: Int) -> String) -> String {
    layout.fit.columns.map { column in
      CellText.fitted(
        cell(column.index), columns: column.width,
        alignRight: cells.columns[column.index].alignRight,
        shortening: cells.shortening(ofColumn: column.index))
    }.joined(separator: String(repeating: " ", count: layout.fit.gap))
  }

  private func title(at now: Date) -> String {
    var parts: [String]
    switch subject {
    case .list(let query, let catalogue): parts = [query.typed, catalogue.name]
    case .everythingStored: parts = ["everything stored"] + (filter.map { [$0.text] } ?? [])
    }
    if let snapshot, snapshot.source != nil { parts.append(amount) }
    if case .error(let error, cached: _)? = snapshot?.state, error.isOffline {
      parts.append("offline")
    }
    if let snapshot, snapshot.source != nil, let stored = snapshot.stored {
      parts.append("fetched \(AgeText.ago(stored.oldestFetchedAt, now: now))")
    }
    if let sort {
      let index = cells.columns.indices.first { sortColumn($0) == sort.column }
      let heading = index.map { cells.columns[$0].heading } ?? sort.name
      parts.append("by \(heading)\(sort.descending ? ", descending" : "")")
    }
    return parts.joined(separator: " · ")
  }

  /// `150 of 454`, or `150 rows` if the catalogue gives no total.
  private var amount: String {
    let stored = snapshot?.count ?? 0
    guard let total = snapshot?.totals?.exact?.recordings else {
      return Plural.words(stored, "row")
    }
    // A record can have several recordings.
    return stored > total
      ? "\(stored) rows of \(Plural.words(total, "record"))" : "\(stored) of \(total)"
  }

  /// Columns left of the row for its marks: selected, playing or downloaded, new, with issues.
  private static let margin = 4
}

/// Columns: which fit, and how wide each is.
extension RecordingTable {
  /// The columns that are shown, by their index in a row's cells.
  struct Layout {
    let fit: ColumnFit.Layout
    let hidesLeft: Bool
    let hidesRight: Bool
  }

  mutating func measure() {
    widths = cells.columns.indices.map { index in
      window.rows.reduce(DisplayWidth.columns(cells.columns[index].heading)) { widest, row in
        // Most cells are ASCII and shorter than the widest so far.
        row.cells[index].utf8.count <= widest
          ? widest : max(widest, CellText.cut(row.cells[index], columns: ColumnFit.widest).columns)
      }
    }
  }

  /// Shows columns further right or left, as far as there are any: to the right until one comes
  /// that was not shown.
  mutating func scrollSideways(by step: Int, columns: Int) {
    columnsSkipped = effectiveSkip(columns: columns)
    if step < 0 { columnsSkipped = max(0, columnsSkipped + step) }
    let shown = Set(layout(columns: columns).fit.columns.map(\.index))
    while step > 0, layout(columns: columns, skipping: columnsSkipped).hidesRight {
      columnsSkipped += 1
      if layout(columns: columns, skipping: columnsSkipped).fit.columns.contains(where: {
        !shown.contains($0.index)
      }) {
        break
      }
    }
  }

  /// The columns that fit, with the one that the rows are sorted by unless it was scrolled past;
  /// else with the names of species that most rows are found by.
  func layout(columns: Int) -> Layout {
    layout(columns: columns, skipping: effectiveSkip(columns: columns))
  }

  /// Columns skipped; fewer where the last column would be in sight anyway, because the terminal
  /// became wider.
  private func effectiveSkip(columns: Int) -> Int {
    var skip = min(columnsSkipped, cells.columns.count - 1)
    while skip > 0, !layout(columns: columns, skipping: skip - 1).hidesRight { skip -= 1 }
    return max(0, skip)
  }

  private func layout(columns: Int, skipping skip: Int) -> Layout {
    let shown = cells.columns.indices.filter { $0 == 0 || $0 > skip }
    let sorted = sort.flatMap { sort in shown.firstIndex { sortColumn($0) == sort.column } }
    let needs = shown.enumerated().map { number, index in
      // The heading of the sorted column has an arrow.
      let heading = number == sorted ? DisplayWidth.columns(cells.columns[index].heading) + 1 : 0
      return cells.need(ofColumn: index, wanted: max(widths[index], heading))
    }
    func fitted(_ needed: Int?) -> ColumnFit.Layout {
      var fit = ColumnFit.layout(needs, in: max(1, columns - Self.margin), needed: needed)
      for index in fit.columns.indices {
        fit.columns[index].index = shown[fit.columns[index].index]
      }
      return fit
    }
    var fit = fitted(sorted)
    if sorted == nil,
      let names = window.rows.map(\.foundTexts).hiddenNames(besides: details(shownBy: fit)),
      let index = shown.firstIndex(where: { cells.details(ofColumn: $0).contains(names) })
    {
      fit = fitted(index)
    }
    return Layout(fit: fit, hidesLeft: skip > 0, hidesRight: fit.columns.count < shown.count)
  }
}

/// The footer: the state of the list, and the key to press next.
extension RecordingTable {
  private typealias Footer = Screen.Footer

  private func footer(in zone: TimeZone) -> Footer {
    guard case .list(let query, let catalogue) = subject else { return footerOfSearch }
    if let filter = appliedFilter { return footer(of: filter) }
    if let loadStep { return footer(of: loadStep, query, catalogue, in: zone) }
    guard let snapshot else { return Footer("reading the store") }
    switch snapshot.state {
    case nil: return Footer("not fetched yet", hint: "r fetches it from \(catalogue.name)")
    case .loading: return Footer("loading page 1")
    case .paging: return Footer(amount, hint: "scroll down for more")
    case .populated:
      if let fall = snapshot.stored?.fall {
        return Footer(fall.text, hint: "r fetches it again", style: .warning)
      }
      return footer(of: snapshot)
    case .empty where suggestion != nil:
      return Footer(
        "nothing found; did you mean \(suggestion?.words ?? "")?", hint: "Enter searches for it",
        style: .warning)
    case .empty:
      return Footer(
        "nothing found for \(query.typed)", hint: "/ searches for something else", style: .warning)
    case .error(let error, cached: _):
      let error = UserFacingError(error)
      let first = error.status == .key ? "chirper auth set · " : ""
      return Footer(error.problem, hint: first + "r tries again", style: .warning)
    }
  }

  private var footerOfSearch: Footer {
    guard let filter else {
      return Footer("type words and tags, as in: robin q:A", hint: "Esc goes back")
    }
    if let failure = filter.failure {
      return Footer(
        "the search for \(filter.text) ended: \(failure)", hint: "Esc goes back", style: .warning)
    }
    let found = filter.answer
    guard found.isComplete else {
      let done = found.done.map { ", \(Int($0 * 100)) %" } ?? ""
      return Footer("searching for \(filter.text)\(done)", hint: "Esc goes back")
    }
    guard found.searched > 0 else {
      return Footer("nothing is stored yet", hint: "/ searches a catalogue")
    }
    if let footer = suggestion(
      of: filter, "0 of \(Plural.words(found.searched, "recording")) found")
    {
      return footer
    }
    let amount = "\(count) of \(Plural.words(found.searched, "recording")) found\(filter.readings)"
    let unlisted =
      found.unlisted > 0 ? ", \(found.unlisted) more in no list any more (gone:any)" : ""
    let copies =
      found.copies > 0
      ? ", without \(found.copies == 1 ? "1 copy" : "\(found.copies) copies") of them" : ""
    return Footer(
      amount + copies + unlisted, hint: "Esc goes back", style: count == 0 ? .warning : .plain)
  }

  private func footer(of filter: RowFilter) -> Footer {
    if let failure = filter.failure {
      return Footer(
        "the search for \(filter.text) ended: \(failure)", hint: "Esc shows all", style: .warning)
    }
    guard let matches = filter.answer.count else {
      return Footer("searching for \(filter.text)", hint: "Esc shows all")
    }
    let nothing = "0 of \(Plural.words(snapshot?.count ?? 0, "row")) match \(filter.text)"
    if let footer = suggestion(of: filter, nothing) { return footer }
    let found = "\(matches) of \(snapshot?.count ?? 0) rows match \(filter.text)\(filter.readings)"
    return Footer(
      found + (filter.answer.isComplete ? "" : ", still searching"), hint: "Esc shows all")
  }

  private func suggestion(of filter: RowFilter, _ found: String) -> Footer? {
    filter.answer.meant.map {
      Footer(
        "\(found); did you mean \($0)?", hint: "Enter searches for it", style: .warning)
    }
  }

  private func footer(of snapshot: ListSnapshot) -> Footer {
    switch snapshot.completeness {
    case .verified: Footer("\(amount), verified", hint: "r refreshes", style: .good)
    case .complete:
      Footer(
        [amount + ", complete", snapshot.stored?.departuresText].joinedTexts(by: "; ") ?? "",
        hint: "r refreshes", style: .good)
    case .shifted where snapshot.stored?.imported != nil:
      Footer("\(amount); the file could not be read in full", style: .warning)
    case .shifted where snapshot.stored.map { $0.skipped > 0 } ?? false:
      Footer(
        "\(amount); some records could not be read", hint: "r fetches it again", style: .warning)
    case .shifted(let rows, let total):
      Footer(
        "the list changed while it was fetched: \(rows) of \(total.map(String.init) ?? "?")",
        hint: "r fetches it again",
        style: .warning)
    case .imported: Footer("\(amount), imported", style: .good)
    case .partial: Footer(amount, hint: "r refreshes")
    }
  }

  private func footer(
    of step: LoadState.Step, _ query: CatalogueQuery, _ catalogue: Catalogue, in zone: TimeZone
  ) -> Footer {
    let stored = (snapshot?.count ?? 0) > 0 ? "\(amount) · " : ""
    switch step {
    case .starting: return Footer(stored + "connecting to \(catalogue.name)")
    case .waiting(_, .retryAfter), .waiting(_, .rateLimit):
      return Footer("\(step.message(in: zone)) · \(stored)stored rows stay usable")
    case .waiting(let until, .backoff(let error, let attempt)):
      let problem = UserFacingError(error, catalogue: query.catalogue, page: nil).problem
      let time = until.map { " at \(AgeText.timeOfDay($0, in: zone))" } ?? ""
      return Footer(stored + problem, hint: "attempt \(attempt)\(time)")
    case .refreshing, .loading, .waiting(_, .otherProcess), .startingOver, .verifying:
      return Footer(stored + step.message(in: zone))
    }
  }
}
