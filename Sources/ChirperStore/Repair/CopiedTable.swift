/// The tables that a repair copies: every one with data of its own. Those of the search index are computed from these, and written
/// by the next search.
///
/// Their columns are those of the schema, in its order. A file that has not run every migration has fewer at their end, which
/// SQLite reads as NULL.
enum CopiedTable: String, CaseIterable {
  case catalogue, field, recording, query, page, entry, departure, arrival

  /// Reads every row.
  var select: String { "SELECT * FROM \(rawValue)" }
}
