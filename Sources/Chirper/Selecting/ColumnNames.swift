#if Collection

import ChirperModel

/// Finds the columns of recordings that typed names mean.
package struct ColumnNames: Sendable {
  private typealias Group = [(name: String, column: RecordingColumn)]

  /// Searched one after the other, for the exact name and then for the name in any case.
  private let groups: [Group]
  /// Searched before them, for the exact name alone.
  private let exact: Group
  /// The names that an error lists.
  private let known: [String]

  /// The columns of recordings: by name; by a heading of a table; and the raw fields, as `raw.NAME`
  /// or, if that is the name of no column, by their own names.
  ///
  /// - Parameters:
  ///   - catalogue: of all the recordings; `nil` if there may be several.
  ///   - others: catalogues whose headings of details are known too.
  ///   - date: the column of the date that a new or gone row has.
  init(
    fields: [String], in catalogue: Catalogue?, besides others: [Catalogue] = [],
    date: RecordingColumn? = nil
  ) {
    let columns = RecordingColumn.all + [.audioFile] + [date].compactMap(\.self)
    let own = columns.map { (name: $0.name, column: $0) }
    let headings = columns.map { (name: $0.heading, column: $0) }
    let table = (catalogue?.tableColumns ?? []).map { shown in
      (name: shown.heading, column: own.first { $0.name == shown.field }?.column ?? shown.column)
    }
    let shared: Group = others.flatMap(\.tableColumns).compactMap { shown in
      own.first { $0.name == shown.field }.map { (name: shown.heading, column: $0.column) }
    }
    let raw = fields.map { (name: $0, column: RecordingColumn.field($0)) }
    // The fields of one catalogue are known better than the headings of all.
    groups = [table, own, headings, raw, raw.map { ("raw.\($0.name)", $0.column) }, shared]
    exact = catalogue == nil ? own : own + raw
    known = (table.isEmpty ? own : table).map(\.name)
  }

  /// A sentence with the names of the columns.
  package var hint: String { "Columns: \(known.joined(separator: ", "))." }

  /// The column that a typed name means.
  ///
  /// - Parameter others: words that are known besides the columns, which an error can suggest.
  package func column(
    _ typed: String, orOneOf others: [String] = []
  ) throws(SelectionError) -> RecordingColumn {
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
    throw .unknownColumn(typed, hint: WordList.meant(nearest) ?? hint)
  }
}

#endif
