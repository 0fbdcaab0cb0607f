import Chirper
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
  ///
  /// - Parameter others: words that are known besides the columns, which an error can suggest.
  package func column(
    _ typed: String, orOneOf others: [String] = []
  ) throws(UserFacingError) -> Column {
    let wanted = typed.lowercased()
    if let found = exact.first(where: { $0.name == typed }) { return found.column }
    for group in groups {
      let found = group.first { $0.name == typed } ?? group.first { $0.name.lowercased() == wanted }
      if let found { return found.column }
    }
    var seen: Set<String> = []
    let all = (others + (exact + groups.joined()).map(\.name)).filter {
      seen.insert($0.lowercased()).inserted
    }
    // A part of a standard name may be all that is known of it: `duration`, `latitude`.
    let longer = wanted.count < 4 ? [] : all.filter { $0.lowercased().hasSuffix(wanted) }
    let nearest = longer.isEmpty ? NearestNames.to(typed, among: all) : longer
    let hint = WordList.meant(nearest) ?? columnsHint
    throw UserFacingError(
      .usage, kind: "unknown-column", problem: "Unknown column \(typed.inQuotes)", hint: hint)
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

extension ColumnNames<RecordingColumn> {
  /// The columns of recordings: by name; by a heading of a table; and the raw fields, as `raw.NAME`
  /// or, if that is the name of no column, by their own names.
  ///
  /// - Parameters:
  ///   - catalogue: of all the recordings; `nil` if there may be several.
  ///   - date: the column of the date that a new or gone row has.
  init(fields: [String], in catalogue: Catalogue?, date: RecordingColumn? = nil) {
    let columns = RecordingColumn.all + [.audioFile] + [date].compactMap(\.self)
    let own = columns.map { (name: $0.name, column: $0) }
    let headings = columns.map { (name: $0.heading, column: $0) }
    let table = (catalogue?.tableColumns ?? []).map { shown in
      (name: shown.heading, column: own.first { $0.name == shown.field }?.column ?? shown.column)
    }
    let raw = fields.map { (name: $0, column: RecordingColumn.field($0)) }
    // The fields of one catalogue are known better than the headings of all.
    self.init(
      groups: [table, own, headings, raw, raw.map { ("raw.\($0.name)", $0.column) }],
      exact: catalogue == nil ? own : own + raw, known: (table.isEmpty ? own : table).map(\.name))
  }
}

extension Array where Element: Hashable {
  /// Each element once, at its first position.
  package var uniqued: [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}
