import Chirper
import ChirperFormats
import ChirperModel
import Foundation

/// The stored queries, to choose one from.
struct StoredQueryPane: Sendable {
  var queries: [StoredQuery] = []
  /// Whether the store was read; before that an empty list means nothing.
  var isRead = false
  var cursor = Cursor()

  var selected: StoredQuery? {
    queries.indices.contains(cursor.selected) ? queries[cursor.selected] : nil
  }

  func render(size: TerminalSize, height: Int, now: Date) -> Screen.RenderedList {
    let widths = columnWidths(size.columns)
    let headings = "  " + joined(["query", "catalogue", "rows", "state", "age"], widths)
    return Screen.RenderedList(
      title: "chirper · stored queries",
      headings: Line(headings, columns: size.columns, style: .faint),
      rows: cursor.rows(of: queries.count, height: height, columns: size.columns) { row, sign in
        "\(sign) " + joined(cells(of: queries[row], now: now), widths)
      },
      footer: footer)
  }

  private var footer: Screen.Footer {
    guard isRead else { return Screen.Footer("reading the store") }
    guard !queries.isEmpty else {
      return Screen.Footer("nothing is stored yet", hint: "/ searches")
    }
    return Screen.Footer(Plural.words(queries.count, "stored query"), hint: "Enter opens")
  }

  private func cells(of stored: StoredQuery, now: Date) -> [String] {
    [
      stored.query.typed, stored.query.catalogue.rawValue, String(stored.count),
      stored.completeness.word, AgeText.ago(stored.oldestFetchedAt, now: now),
    ]
  }

  /// The width of each column that fits. The query gets the rest of the width.
  private func columnWidths(_ available: Int) -> [Int] {
    let others = [10, 7, 8, 14]
    let room = available - 2
    let fitting =
      (0...others.count).last { room - others.prefix($0).reduce(0) { $0 + $1 + 2 } >= 16 } ?? 0
    let shown = others.prefix(fitting)
    return [max(1, min(60, room - shown.reduce(0) { $0 + $1 + 2 }))] + shown
  }

  private func joined(_ cells: [String], _ widths: [Int]) -> String {
    zip(cells, widths).enumerated().map { index, cell in
      CellText.fitted(cell.0, columns: cell.1, alignRight: index == 2)
    }.joined(separator: "  ")
  }
}
