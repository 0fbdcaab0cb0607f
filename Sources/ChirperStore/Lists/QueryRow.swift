import ChirperModel
import Foundation
import GRDB

/// A row of the table `query`.
struct QueryRow {
  let queryID: Int64
  let catalogueID: Int64
  let query: CatalogueQuery
  let walk: Int
  let isOpen: Bool
  let isChanged: Bool
  let isShifted: Bool
  let completeness: StoredCompleteness?
  let checkedAt: Date?
  let walkedAt: Date?

  /// The result of the last closed walk, as the column has it.
  enum StoredCompleteness: String {
    case complete, verified, shifted
  }

  /// Whether the last closed walk found the whole list.
  var isComplete: Bool { completeness == .complete || completeness == .verified }

  static let select = """
    SELECT query_id, catalogue_id, catalogue.name, text, page_size, typed, sent, walk, walk_open, walk_changed,
      walk_shifted, completeness, checked_at, walked_at
    FROM query JOIN catalogue USING (catalogue_id)
    """

  /// Fails for a page size that the schema forbids, because page counts divide by it.
  init(_ row: SQLRow) throws {
    guard row.count(4) > 0 else { throw RecordingStore.damaged("a stored query has no page size") }
    queryID = row.int64(0)
    catalogueID = row.int64(1)
    query = CatalogueQuery(
      catalogue: CatalogueID(rawValue: row.text(2)), identity: row.text(3), pageSize: row.count(4),
      typed: row.text(5),
      requestText: row.text(6))
    walk = row.count(7)
    isOpen = row.flag(8)
    isChanged = row.flag(9)
    isShifted = row.flag(10)
    completeness = row.optionalText(11).flatMap(StoredCompleteness.init)
    checkedAt = row.optionalDate(12)
    walkedAt = row.optionalDate(13)
  }
}
