#if Collection

import ChirperModel
import ChirperStore

/// One key of an order of rows: the column by whose values they are ordered.
///
/// Numbers, lengths (`9:15`, `1:02:07`), dates, qualities and catalogue numbers are compared by
/// value, text without regard to case and accents. Rows without a readable value come last in any
/// case.
public struct SortKey: Hashable, Codable, Sendable {
  /// The column by whose values rows are ordered. In `Export`, `field` with the name of any column
  /// is that column.
  package let column: RecordingColumn
  /// Whether the greatest value comes first.
  public let descending: Bool

  /// An order by a detail, or by a part of one: `SortKey(\.mediaDuration, descending: true)`,
  /// `SortKey(\.eventDate?.month)`. A place is ordered by its latitude, a licence by its name. A
  /// property that is not in tables, such as `preview`, ends the program.
  public init(_ detail: PartialKeyPath<RecordingDetails>, descending: Bool = false) {
    guard let column = DetailColumn.columns(of: detail).first else {
      preconditionFailure("rows are not ordered by \(detail)")
    }
    self.init(.detail(column), descending: descending)
  }

  /// An order by a raw field of the catalogue, by its name; a row without the field comes last.
  public init(field: String, descending: Bool = false) {
    self.init(.field(field), descending: descending)
  }

  /// An order by that column.
  package init(_ column: RecordingColumn, descending: Bool = false) {
    self.column = column
    self.descending = descending
  }

  /// A key as it is typed: `date`, or `-date` for the greatest value first.
  package init(typed: String) {
    let isDescending = typed.hasPrefix("-")
    self.init(.field(isDescending ? String(typed.dropFirst()) : typed), descending: isDescending)
  }

  /// The name of the column as people type it.
  package var name: String { if case .field(let name) = column { name } else { column.name } }
}

extension SortKey {
  /// A value as it sorts: numbers, then text, then nothing.
  enum Value: Equatable {
    case number(Double)
    case text(String)
    case nothing
  }

  /// The key for the rows of some catalogues: in each the detail that a field holds, if it orders
  /// them better than the text does.
  struct Resolved {
    private let column: RecordingColumn
    private let columns: [CatalogueID: RecordingColumn]
    /// The contents that must be read of the rows.
    let contents: RowContents

    /// - Parameter catalogues: the catalogues of the rows.
    init(_ key: SortKey, in catalogues: [Catalogue]) {
      column = key.column
      columns = Dictionary(
        catalogues.map { ($0.id, Self.ordering(key.column, in: $0)) }
      ) { first, _ in first }
      contents = columns.isEmpty ? column.contents : columns.values.contents
    }

    private static func ordering(
      _ column: RecordingColumn, in catalogue: Catalogue
    ) -> RecordingColumn {
      switch column {
      case .id where catalogue.sendsIDs: return .detail(.catalogNumber)
      case .id:
        return catalogue.tableColumns.first(where: \.showsID).map {
          ordering(.field($0.field), in: catalogue)
        } ?? column
      case .field(let name):
        if let detail = catalogue.tableColumns.first(where: { $0.field == name })?.detail {
          return .detail(detail)
        }
        guard let held = catalogue.mapping.detail(ofField: name),
          held.isOrderedByNumber || held == .vernacularName
        else { return column }
        return .detail(held)
      default: return column
      }
    }

    /// The columns of the details that have its values.
    fileprivate var details: Set<DetailColumn> {
      let details = (columns.values + [column]).details
      return details.contains(.vernacularName) ? details.union(RecordedNames.columns) : details
    }

    /// The columns of the search index that `value` follows from; `nil` if the index has none.
    var indexed: [DetailColumn]? {
      guard case .detail(let detail)? = columns.first?.value,
        columns.values.allSatisfy({ $0 == .detail(detail) }), detail.isOrderedByIndex
      else { return nil }
      return detail == .vernacularName ? [detail, .scientificName] : [detail]
    }

    /// A value that cannot be read (`no score`, `0000-00-00`) counts as none.
    func value(of row: RecordingRow) -> Value {
      switch columns[row.recording.id.catalogue] ?? column {
      // Most catalogues have numbers.
      case .id: Value(RecordingFields.Value(json: JSONText.quoted(row.recording.id.value)))
      case .field(let name): Value(row.recording[name])
      case .detail(.vernacularName): Value(.init(row.details.nameForPeople))
      case .detail(let column): Value(column, of: row.details)
      case let column: Value(row.value(of: column))
      }
    }
  }
}

extension [SortKey.Resolved] {
  /// The columns of the details that have the values of the keys.
  var details: Set<DetailColumn> { Set(flatMap(\.details)) }

  /// The rows, in the order of the first text of the index, that decide about a window.
  func limit(of window: Range<Int>, by sort: [SortKey]) -> Int {
    sort.first?.descending == false && first?.indexed?.count == 1 ? window.upperBound : .max
  }
}

extension SortKey.Value {
  init(_ field: RecordingFields.Value?) {
    let text = field?.text ?? ""
    let number = Double(text).flatMap { $0.isFinite ? $0 : nil } ?? Self.length(text)
    self = number.map { .number($0) } ?? (text.isEmpty ? .nothing : .text(TextFolding.folded(text)))
  }

  /// The value at a position of those of the index.
  init(_ values: IndexedValues, at position: Int) {
    switch values {
    case .numbers(let numbers):
      self = numbers[position].isNaN ? .nothing : .number(numbers[position])
    case .texts(let texts, let positions):
      self = positions[position] < 0 ? .nothing : .text(texts[Int(positions[position])])
    }
  }

  init(_ column: DetailColumn, of details: RecordingDetails) {
    if column.isOrderedByNumber {
      self = column.number(of: details).map { .number($0) } ?? .nothing
    } else {
      self.init(column.value(of: details))
    }
  }

  fileprivate init(_ value: DetailColumn.Value) {
    let text = value.text(separator: ", ") ?? ""
    self =
      value.number.map { .number($0) }
      ?? (text.isEmpty ? .nothing : .text(TextFolding.folded(text)))
  }

  /// Minutes and seconds, or hours before them, as seconds; for fields that no detail holds.
  private static func length(_ text: String) -> Double? {
    let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count) else { return nil }
    return parts.reduce(0 as Double?) { seconds, part in
      guard let seconds, (1...5).contains(part.count), part.allSatisfy(\.isDigit) else {
        return nil
      }
      return seconds * 60 + part.reduce(0) { $0 * 10 + Double($1 - 0x30) }
    }
  }
}

#endif
