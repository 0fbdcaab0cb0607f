import Chirper
import ChirperModel
import Foundation

/// The rows of one list that are to be written.
package struct ListSelection: Sendable {
  let stored: StoredQuery
  /// The repository's; `nil` if it does not have it.
  let catalogue: Catalogue?
  let part: ListPart
  let reader: ListReader
  let fieldNames: [String]
  /// The rows to write, by position in the reader.
  let range: Range<Int>
  /// Rows of the list before the first of them.
  let offset: Int
  private(set) var expression: SearchExpression?
  private let searchedCount: Int
  private let matchedCount: Int
  /// Which rows were chosen apart from the search, and what was left out.
  package private(set) var choice = ExportFilter()
  let names: ColumnNames<String>
  /// The field of the first sort key; its column stays in a table whatever the width.
  private(set) var sortedField: String?
  /// Other lists that the same text is stored as.
  private var others: [String] = []

  /// The rows of a stored list, as the user chose them.
  ///
  /// - Parameters:
  ///   - others: other lists that the same text is stored as, in words.
  ///   - part: its rows, those that are new, or what left it; the last two have a column with the date.
  ///   - expression: a search that finds the rows.
  ///   - choice: which of these rows are written.
  /// - Throws: `UserFacingError` for an unknown column or catalogue, `SearchExpressionError` for a list that is not stored,
  ///   `StoreError` if the store cannot be read.
  package init(
    _ repository: RecordingRepository, _ stored: StoredQuery, others: [String], part: ListPart = .rows,
    where expression: SearchExpression? = nil, sort: [ListSort], choice: ExportFilter = ExportFilter(), offset: Int = 0,
    limit: Int? = nil
  ) throws {
    self.stored = stored
    self.others = others
    self.part = part
    self.expression = expression
    self.choice = choice
    let fieldNames = try repository.fieldNames(of: stored.query.catalogue) + [part.dateField].compactMap(\.self)
    self.fieldNames = fieldNames
    catalogue = repository.catalogue(stored.query.catalogue)
    let names = ColumnNames(fields: fieldNames, in: catalogue, date: part.dateColumn)
    self.names = names
    let sort = try sort.map { key throws(UserFacingError) in
      ListSort(field: try names.column(key.field), descending: key.descending)
    }
    sortedField = sort.first?.field
    func window(_ count: Int) -> Range<Int> {
      let start = min(max(0, offset), count)
      return start..<(start + min(max(0, limit ?? .max), count - start))
    }
    // Without sorting and searching, the rows of the window can be read without the others.
    if sort.isEmpty, expression == nil, part == .rows, choice.isEverything {
      let window = window(stored.count)
      reader = try repository.reader(of: stored.query, window: window)
      (range, self.offset) = (0..<reader.count, window.lowerBound)
      (searchedCount, matchedCount) = (stored.count, stored.count)
    } else {
      var reader = try repository.reader(of: stored.query, part: part, sort: sort)
      reader = try self.choice.newRows(of: reader)
      searchedCount = reader.count
      if let expression {
        // Without its catalogue nothing is known about a field.
        guard catalogue != nil else { throw UserFacingError.unknownCatalogue(stored.query.catalogue) }
        let matcher = try StoredMatcher(expression, in: repository, list: stored.query)
        reader = reader.subset(at: try reader.positions(matching: matcher))
      }
      matchedCount = reader.count
      reader = try self.choice.allowedRows(of: reader, in: catalogue)
      self.reader = reader
      range = window(reader.count)
      self.offset = range.lowerBound
    }
  }

  /// The rows that a reader has.
  package init(_ repository: RecordingRepository, _ stored: StoredQuery, rows: ListReader) throws {
    self.stored = stored
    catalogue = repository.catalogue(stored.query.catalogue)
    fieldNames = try repository.fieldNames(of: stored.query.catalogue)
    reader = rows
    (part, range, offset, searchedCount, matchedCount) = (.rows, 0..<rows.count, 0, rows.count, rows.count)
    names = ColumnNames(fields: fieldNames, in: catalogue)
  }

  /// Notes about the rows: what a search found, where the list comes from, what else is stored.
  package func notes(now: Date) -> [String] {
    let matches = expression.map { "\(matchedCount) of \(searchedCount) rows satisfy \($0.description.inQuotes)" }
    let changes = part.words.map { words in
      "\(searchedCount == 0 ? "no \(part.noun)" : Plural.words(searchedCount, part.noun)) \(words)"
    }
    let also = others.isEmpty ? nil : "also stored: \(others.joined(separator: ", "))"
    let notes = [changes, matches, stored.origin(in: catalogue, now: now), also].compactMap(\.self)
    return notes + (expression?.countryReadings ?? [])
  }

  /// Rows that are written.
  package var count: Int { range.count }

  /// The members of the JSON format apart from the recordings.
  var head: JSONObject {
    var head: JSONObject = [:]
    stored.query.addMembers(to: &head, in: catalogue)
    head.add("origin", Origin.Place.store.rawValue)
    stored.addMembers(to: &head)
    if !others.isEmpty { head.add("alsoStored", others) }
    switch part {
    case .rows: break
    case .new(let since): head.add("newSince", since)
    case .changed(let since): head.add("changedSince", since)
    case .gone: head.add("gone", true)
    }
    if let expression { head.add("where", expression.description) }
    if expression != nil || part != .rows { head.add("matched", matchedCount) }
    choice.addMembers(to: &head)
    head.add("offset", offset)
    head.add("returned", range.count)
    return head
  }
}

extension ListPart {
  var dateColumn: Catalogue.TableColumn? { dateField.map { .init($0, heading) } }

  /// What is in it: what left a list is no row of it.
  var noun: String { self == .gone ? "recording" : "row" }

  private var heading: String {
    switch self {
    case .rows, .new: "Entered"
    case .changed: "Changed"
    case .gone: "Gone"
    }
  }

  /// What happened to what is in it; `nil` for the whole list.
  var words: String? {
    switch self {
    case .rows: nil
    case .new(let since): "entered the list since \(since.formatted(.iso8601))"
    case .changed(let since): "changed since \(since.formatted(.iso8601))"
    case .gone: "left the list upstream"
    }
  }
}
