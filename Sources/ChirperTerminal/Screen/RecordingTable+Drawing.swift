import ChirperFormats
import ChirperModel
import Foundation

/// Title, headings and the rows in sight.
extension RecordingTable {
  func drawn(columns: Int, height: Int, playback: Playback, now: Date, timeZone: TimeZone) -> Screen.DrawnRows {
    let layout = layout(columns: max(1, columns - Self.margin))
    let inSight = selection.inSight(count: count, height: height)
    let rows = inSight.map { line(at: $0, layout: layout, columns: columns, playback: playback) }
    return Screen.DrawnRows(
      title: title(at: now), headings: headings(layout, columns: columns), rows: rows,
      selected: inSight.isEmpty ? nil : selection.selected - inSight.lowerBound,
      footer: footer(at: now, in: timeZone))
  }

  private func line(at position: Int, layout: [Column], columns: Int, playback: Playback) -> Line {
    let isSelected = position == selection.selected
    guard let row = window[position] else { return Line(isSelected ? ">" : "", columns: columns) }
    let mark =
      switch playback {
      case .playing(row.recording.id): "♪"
      case .fetching(row.recording.id, received: _, total: _): "↓"
      default: " "
      }
    let cells = layout.map {
      CellText.fitted(row.cells[$0.index], columns: $0.columns, alignRight: $0.table.alignRight)
    }
    let text = (isSelected ? ">" : " ") + mark + " " + cells.joined(separator: String(repeating: " ", count: ColumnFit.gap))
    return Line(
      Line.Span(text: CellText.fitted(text, columns: columns), style: isSelected ? .selected : .plain))
  }

  private func headings(_ layout: [Column], columns: Int) -> Line {
    let cells = layout.map { column in
      let arrow = sort?.field == column.table.field ? (sort?.descending == true ? "↓" : "↑") : ""
      return CellText.fitted(
        arrow + column.table.heading, columns: column.columns, alignRight: column.table.alignRight)
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
  var amount: String {
    let stored = snapshot?.count ?? 0
    return snapshot?.totals.map { "\(stored) of \($0.recordings)" } ?? Plural.words(stored, "row")
  }

  /// The marks before a row: selected, playing.
  private static let margin = 3
}
