/// A table that a repair copies, with the columns in the schema's order.
struct CopiedTable {
  let name: String
  let columns: [String]
  /// Reads every row, with the columns in that order.
  let select: String
  /// Inserts a row with a value for each of the columns.
  let insert: String

  private init(name: String, columns: [String]) {
    self.name = name
    self.columns = columns
    let list = columns.joined(separator: ", ")
    select = "SELECT \(list) FROM \(name)"
    insert = "INSERT INTO \(name) (\(list)) VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))"
  }

  static let catalogue = CopiedTable(
    name: "catalogue", columns: ["catalogue_id", "name", "last_request_at", "paused_until"])
  static let field = CopiedTable(name: "field", columns: ["field_id", "catalogue_id", "name"])
  static let recording = CopiedTable(
    name: "recording", columns: ["recording_id", "catalogue_id", "id", "fields", "stored_at", "changed_at"])
  static let query = CopiedTable(
    name: "query",
    columns: [
      "query_id", "catalogue_id", "text", "page_size", "typed", "sent", "walk", "walk_open", "walk_changed", "walk_shifted",
      "completeness", "checked_at", "walked_at",
    ])
  static let page = CopiedTable(
    name: "page",
    columns: [
      "query_id", "number", "walk", "fetched_at", "total", "total_pages", "total_species", "next", "next_token", "preceding",
      "skipped", "records", "row_count", "carried_count",
    ])
  static let entry = CopiedTable(name: "entry", columns: ["query_id", "page", "position", "recording_id", "carried"])
  static let departure = CopiedTable(name: "departure", columns: ["recording_id", "query_id", "gone_at"])
  static let arrival = CopiedTable(name: "arrival", columns: ["recording_id", "query_id", "entered_at"])

  /// Every table with data of its own. Those of the search index are computed from these, and written by the next search.
  static let all = [catalogue, field, recording, query, page, entry, departure, arrival]
}
