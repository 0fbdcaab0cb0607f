import ChirperModel
import Foundation

/// Finds the columns that typed names mean: the one parser of `a,b,c`.
package struct ColumnNames<Column: Equatable> {
  /// Names and what they mean; a group is searched for the exact name, then for the name in any case.
  struct Group {
    let names: [(name: String, column: Column)]
    var isExact = false
  }

  /// Searched one after the other.
  private let groups: [Group]
  /// The names that an error lists.
  private let known: [String]

  init(_ groups: [Group], known: [String]) {
    self.groups = groups
    self.known = known
  }

  /// Columns that have one name each.
  init(_ names: [(String, Column)]) {
    self.init([Group(names: names)], known: names.map(\.0))
  }

  /// The column that a typed name means.
  package func column(_ typed: String) throws(RowTableError) -> Column {
    let wanted = typed.lowercased()
    for group in groups {
      if let found = group.names.first(where: { $0.name == typed }) { return found.column }
      if !group.isExact, let found = group.names.first(where: { $0.name.lowercased() == wanted }) { return found.column }
    }
    var seen: Set<String> = []
    let all = groups.flatMap { $0.names.map(\.name) }.filter { seen.insert($0.lowercased()).inserted }
    // A part of a standard name may be all that is known of it: `duration`, `latitude`.
    let longer = wanted.count < 4 ? [] : all.filter { $0.lowercased().hasSuffix(wanted) }
    throw .unknownColumn(typed, nearest: longer.isEmpty ? NearestNames.to(typed, among: all) : longer, known: known)
  }

  /// The columns named in `a,b,c`; `nil` if nothing is typed.
  package func columns(_ list: String?) throws(RowTableError) -> [Column]? {
    guard let list else { return nil }
    let typed = list.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    var columns: [Column] = []
    for name in typed where !name.isEmpty {
      let column = try column(name)
      guard !columns.contains(column) else { throw .columnTwice(name) }
      columns.append(column)
    }
    guard !columns.isEmpty else { throw .noColumn(known: known) }
    return columns
  }
}

extension ColumnNames: Sendable where Column: Sendable {}
extension ColumnNames.Group: Sendable where Column: Sendable {}

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
    self.init(
      [Group(names: own, isExact: true), Group(names: table), Group(names: details), Group(names: own)],
      known: table.isEmpty ? fields : table.map(\.name))
  }
}
