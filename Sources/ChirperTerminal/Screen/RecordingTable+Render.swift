import Chirper
import ChirperFormats
import ChirperModel
import Foundation

/// The title, the headings and the visible rows.
extension RecordingTable {
  func render(columns: Int, height: Int, playback: Playback, now: Date, timeZone: TimeZone) -> Screen.RenderedList {
    let layout = layout(columns: max(1, columns - Self.margin))
    let visible = selection.visible(count: count, height: height)
    let rows = visible.map { line(at: $0, layout: layout, columns: columns, playback: playback) }
    return Screen.RenderedList(
      title: title(at: now), headings: headings(layout, columns: columns), rows: rows,
      selected: visible.isEmpty ? nil : selection.selected - visible.lowerBound,
      footer: footer(in: timeZone))
  }

  private func line(at position: Int, layout: [Column], columns: Int, playback: Playback) -> Line {
    let isSelected = position == selection.selected
    guard let row = window[position] else { return Line(isSelected ? ">" : "", columns: columns) }
    let mark =
      switch playback {
      case .playing(row.recording.id): "♪"
      case .downloading(row.recording.id, received: _, total: _): "↓"
      default: " "
      }
    let cells = layout.map {
      CellText.fitted(row.cells[$0.index], columns: $0.width, alignRight: $0.table.alignRight)
    }
    let text = (isSelected ? ">" : " ") + mark + " " + cells.joined(separator: String(repeating: " ", count: ColumnFit.gap))
    return Line(
      Line.Span(text: CellText.fitted(text, columns: columns), style: isSelected ? .selected : .plain))
  }

  private func headings(_ layout: [Column], columns: Int) -> Line {
    let cells = layout.map { column in
      let arrow = sort?.field == column.table.field ? (sort?.descending == true ? "↓" : "↑") : ""
      return CellText.fitted(
        arrow + column.table.heading, columns: column.width, alignRight: column.table.alignRight)
    }
    let text = String(repeating: " ", count: Self.margin) + cells.joined(separator: String(repeating: " ", count: ColumnFit.gap))
    return Line(text, columns: columns, style: .faint)
  }

  private func title(at now: Date) -> String {
    var parts = [query.typed, catalogue.name]
    if let snapshot, snapshot.origin != nil { parts.append(amount) }
    if case .error(let error, cached: _)? = snapshot?.state, error.isOffline { parts.append("offline") }
    if let origin = snapshot?.origin { parts.append("fetched \(AgeText.ago(origin.oldestFetchedAt, now: now))") }
    if let sort {
      let heading = catalogue.tableColumns.first { $0.field == sort.field }?.heading ?? sort.field
      parts.append("by \(heading)\(sort.descending ? ", descending" : "")")
    }
    return parts.joined(separator: " · ")
  }

  /// `150 of 454`, or `150 rows` where the catalogue gives no total.
  private var amount: String {
    let stored = snapshot?.count ?? 0
    guard let total = snapshot?.totals?.recordings else { return Plural.words(stored, "row") }
    // A record can have several recordings.
    return stored > total ? "\(stored) rows of \(Plural.words(total, "record"))" : "\(stored) of \(total)"
  }

  /// Columns left of the row for its marks: selected, playing.
  private static let margin = 3
}

/// Columns: their texts, which fit, and how wide each is.
extension RecordingTable {
  struct Column {
    /// Its index in `tableColumns` and in a row's cells.
    let index: Int
    let table: Catalogue.TableColumn
    let width: Int
  }

  /// The text of each column: the detail of the column's field where it reads better than the field (a length as `3:45`,
  /// a date without its time), else the field as the catalogue sent it.
  func cells(of recording: Recording) -> [String] {
    let details = catalogue.details(of: recording)
    return catalogue.tableColumns.map { column in
      let text: String? =
        switch catalogue.mapping.detail(ofField: column.field) {
        case let detail? where [.duration, .eventDate, .quality].contains(detail): details.cell(of: detail)
        default: column.detail.flatMap { details.cell(of: $0) }
        }
      return text ?? recording.text(column.field) ?? ""
    }
  }

  /// Remembers how wide the row's cells are.
  mutating func updateWidths(for row: Row) {
    for (index, cell) in row.cells.enumerated() {
      guard cell.utf8.count > widths[index] else { continue }
      widths[index] = max(widths[index], CellText.cut(cell, columns: ColumnFit.widest).columns)
    }
  }

  /// The columns that fit, always with the one that the rows are sorted by.
  private func layout(columns available: Int) -> [Column] {
    let sorted = sort.flatMap { sort in catalogue.tableColumns.firstIndex { $0.field == sort.field } }
    var wanted = widths
    // Its heading has an arrow.
    if let sorted { wanted[sorted] = max(wanted[sorted], DisplayWidth.columns(catalogue.tableColumns[sorted].heading) + 1) }
    return ColumnFit.columns(wanted, in: available, needed: sorted).map { index, width in
      Column(index: index, table: catalogue.tableColumns[index], width: width)
    }
  }
}

/// The footer: the state of the list, and what to do next.
extension RecordingTable {
  private func footer(in zone: TimeZone) -> Screen.Footer {
    if let filter = appliedFilter { return footer(of: filter) }
    if let load { return footer(of: load, in: zone) }
    guard let snapshot else { return Screen.Footer("reading the store") }
    switch snapshot.state {
    case nil: return Screen.Footer("not fetched yet", hint: "r fetches it from \(catalogue.name)")
    case .loading: return Screen.Footer("loading page 1")
    case .paging: return Screen.Footer(amount, hint: "scroll down for more")
    case .populated: return footer(of: snapshot.completeness)
    case .empty:
      return Screen.Footer("nothing found for \(query.typed)", hint: "/ searches for something else", style: .warning)
    case .error(let error, cached: _):
      let error = UserFacingError(error)
      let first = error.status == .key ? "chirper auth set · " : ""
      return Screen.Footer(error.problem, hint: first + "r tries again", style: .warning)
    }
  }

  private func footer(of filter: RowFilter) -> Screen.Footer {
    guard let matches = filter.matchCount else { return Screen.Footer("searching for \(filter.text)", hint: "Esc shows all") }
    let found = "\(matches) of \(snapshot?.count ?? 0) rows match \(filter.text)"
    return Screen.Footer(found + (filter.isComplete ? "" : ", still searching"), hint: "Esc shows all")
  }

  private func footer(of completeness: Completeness) -> Screen.Footer {
    switch completeness {
    case .verified: Screen.Footer("\(amount), verified", hint: "r refreshes", style: .good)
    case .complete: Screen.Footer("\(amount), complete", hint: "r refreshes", style: .good)
    case .shifted(let rows, let total):
      Screen.Footer(
        "the list changed while it was fetched: \(rows) of \(total.map(String.init) ?? "?")", hint: "r fetches it again",
        style: .warning)
    case .partial: Screen.Footer(amount, hint: "r refreshes")
    }
  }

  private func footer(of load: LoadProgress, in zone: TimeZone) -> Screen.Footer {
    let stored = (snapshot?.count ?? 0) > 0 ? "\(amount) · " : ""
    switch load {
    case .starting: return Screen.Footer(stored + "connecting to \(catalogue.name)")
    case .requesting(let page, let of):
      return Screen.Footer(stored + "loading page \(page)\(of.map { " of \($0)" } ?? "")")
    case .waiting(let until, .retryAfter), .waiting(let until, .rateLimit):
      return Screen.Footer("rate-limited until \(AgeText.timeOfDay(until, in: zone)) · \(stored)stored rows stay usable")
    case .waiting(let until, .backoff(let error, let attempt)):
      let problem = UserFacingError(error, catalogue: query.catalogue, page: nil).problem
      return Screen.Footer(stored + problem, hint: "attempt \(attempt) at \(AgeText.timeOfDay(until, in: zone))")
    case .waiting(_, .otherProcess): return Screen.Footer(stored + "another chirper process is fetching this list")
    case .startingOver(let pass): return Screen.Footer(stored + "the list changed: fetching it again, pass \(pass)")
    case .verifying: return Screen.Footer(stored + "verifying: fetching every page a second time")
    }
  }
}
