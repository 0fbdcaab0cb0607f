import ChirperModel
import Foundation

/// Finds the columns that typed names mean: the one parser of `a,b,c`.
package struct ColumnNames<Column: Equatable> {
  typealias Group = [(name: String, column: Column)]

  /// Searched one after the other, for the exact name and then for the name in any case.
  let groups: [Group]
  /// Searched before them, for the exact name alone.
  var exact: Group = []
  /// The names that an error lists.
  let known: [String]

  private var columnsHint: String { "Columns: \(known.joined(separator: ", "))." }

  /// The column that a typed name means.
  package func column(_ typed: String) throws(UserFacingError) -> Column {
    let wanted = typed.lowercased()
    if let found = exact.first(where: { $0.name == typed }) { return found.column }
    for group in groups {
      let found = group.first { $0.name == typed } ?? group.first { $0.name.lowercased() == wanted }
      if let found { return found.column }
    }
    var seen: Set<String> = []
    let all = (exact + groups.joined()).map(\.name).filter { seen.insert($0.lowercased()).inserted }
    // A part of a standard name may be all that is known of it: `duration`, `latitude`.
    let longer = wanted.count < 4 ? [] : all.filter { $0.lowercased().hasSuffix(wanted) }
    let nearest = longer.isEmpty ? NearestNames.to(typed, among: all) : longer
    let hint = nearest.isEmpty ? columnsHint : "Did you mean \(UserFacingError.orList(nearest))?"
    throw UserFacingError(.usage, "unknown-column", "Unknown column \(typed.inQuotes)", hint: hint)
  }

  /// The columns named in `a,b,c`; `nil` if nothing is typed.
  package func columns(_ list: String?) throws(UserFacingError) -> [Column]? {
    guard let list else { return nil }
    let typed = list.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    var columns: [Column] = []
    for name in typed where !name.isEmpty {
      let column = try column(name)
      guard !columns.contains(column) else {
        throw .usage("--columns has \(name.inQuotes) twice", hint: "Name each column once.")
      }
      columns.append(column)
    }
    guard !columns.isEmpty else { throw .usage("--columns needs a column", hint: columnsHint) }
    return columns
  }
}

extension ColumnNames: Sendable where Column: Sendable {}

extension ColumnNames<String> {
  /// The raw fields of a list: by their own names, and in any case by the headings of its table and by a detail that one
  /// field holds.
  ///
  /// - Parameter date: the column of the date that a new or gone row has.
  init(fields: [String], in catalogue: Catalogue?, date: Catalogue.TableColumn? = nil) {
    let own = fields.map { (name: $0, column: $0) }
    let table = ((catalogue?.tableColumns ?? []) + [date].compactMap(\.self)).map { (name: $0.heading, column: $0.field) }
    let details = DetailColumn.allCases.compactMap { detail in
      catalogue?.mapping.fields(of: detail).first(where: fields.contains).map { (name: detail.name, column: $0) }
    }
    self.init(groups: [table, details, own], exact: own, known: table.isEmpty ? fields : table.map(\.name))
  }
}
