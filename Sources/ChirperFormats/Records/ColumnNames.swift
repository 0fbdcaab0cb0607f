import Chirper
import ChirperModel

/// Finds the field that a typed name of a column means.
struct ColumnNames {
  private let fields: [String]
  private let catalogue: Catalogue?
  private let columns: [Catalogue.TableColumn]

  /// - Parameter date: the column of the date that a new or gone row has.
  init(_ fields: [String], in catalogue: Catalogue?, date: Catalogue.TableColumn? = nil) {
    self.fields = fields
    self.catalogue = catalogue
    columns = (catalogue?.tableColumns ?? []) + [date].compactMap(\.self)
  }

  /// The headings of the table, for hints.
  var headings: [String] { columns.isEmpty ? fields : columns.map(\.heading) }

  /// The details that these columns show.
  func details(ofColumns names: [String]) -> [DetailColumn] {
    let columns = catalogue?.tableColumns ?? []
    return names.compactMap { name in columns.first { $0.field == name }?.detail }
  }

  /// Tried in this order: the exact name of a field; then, ignoring case, a heading of the table, a detail that one field
  /// holds, the name of a field.
  func field(_ typed: String) throws(RecordListError) -> String {
    if fields.contains(typed) { return typed }
    let wanted = typed.lowercased()
    if let column = columns.first(where: { $0.heading.lowercased() == wanted }) { return column.field }
    let detail = DetailColumn.allCases.first { $0.name.lowercased() == wanted }
    if let detail, let field = catalogue?.mapping.fields(of: detail).first(where: fields.contains) { return field }
    if let field = fields.first(where: { $0.lowercased() == wanted }) { return field }
    let details = DetailColumn.allCases.filter { catalogue?.mapping.fields(of: $0).isEmpty == false }.map(\.name)
    var seen: Set<String> = []
    let names = (fields + columns.map(\.heading) + details).filter { seen.insert($0.lowercased()).inserted }
    throw .unknownColumn(typed, nearest: NearestNames.to(typed, among: names), known: headings)
  }
}
