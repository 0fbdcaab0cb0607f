import ChirperFormats
import ChirperModel
import Foundation

/// The stored queries as rows.
extension QueryList {
  func drawn(size: TerminalSize, height: Int, now: Date) -> Screen.DrawnRows {
    let inSight = selection.inSight(count: queries.count, height: height)
    let columns = layout(size.columns)
    let rows = inSight.map { line(at: $0, columns: columns, size: size, now: now) }
    return Screen.DrawnRows(
      title: "chirper · stored queries",
      headings: Line(
        "  " + joined(["query", "catalogue", "rows", "state", "age"], columns), columns: size.columns, style: .faint),
      rows: rows, selected: inSight.isEmpty ? nil : selection.selected - inSight.lowerBound, footer: footer)
  }

  private var footer: Screen.Footer {
    guard isRead else { return Screen.Footer(text: "reading the store") }
    guard !queries.isEmpty else { return Screen.Footer(text: "nothing is stored yet · / searches") }
    return Screen.Footer(text: "\(Plural.words(queries.count, "stored query")) · Enter opens")
  }

  private func line(at position: Int, columns: [Int], size: TerminalSize, now: Date) -> Line {
    let stored = queries[position]
    let isSelected = position == selection.selected
    let cells = [
      stored.query.typed, stored.query.catalogue.rawValue, String(stored.count), stored.completeness.word,
      AgeText.ago(stored.oldestFetchedAt, now: now),
    ]
    let text = (isSelected ? "> " : "  ") + joined(cells, columns)
    return Line(
      Line.Span(text: CellText.fitted(text, columns: size.columns), style: isSelected ? .selected : .plain))
  }

  /// The query gets what the others leave.
  private func layout(_ available: Int) -> [Int] {
    let others = [10, 7, 8, 14]
    let room = available - 2
    let kept = (0...others.count).last { room - others.prefix($0).reduce(0) { $0 + $1 + 2 } >= 16 } ?? 0
    let taken = others.prefix(kept)
    return [max(1, min(60, room - taken.reduce(0) { $0 + $1 + 2 }))] + taken
  }

  private func joined(_ cells: [String], _ columns: [Int]) -> String {
    zip(cells, columns).enumerated().map { index, cell in
      CellText.fitted(cell.0, columns: cell.1, alignRight: index == 2)
    }.joined(separator: "  ")
  }
}
