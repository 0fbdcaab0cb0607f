extension Catalogue {
  /// The columns of the table as a terminal shows them: columns with a rank by it,
  /// then the rest.
  package var terminalColumns: [TableColumn] {
    tableColumns.sorted { $0.rank ?? .max < $1.rank ?? .max }
  }

  /// A column of the table: the field or detail it shows, its heading, and how it is shown.
  package struct TableColumn: Hashable, Sendable {
    /// The raw field, in the catalogue's own spelling; the name of the detail in a column of
    /// details.
    package let field: String
    /// The detail that is shown if no raw field holds it alone.
    package private(set) var detail: DetailColumn?
    /// The heading that people read.
    package let heading: String
    /// Whether values are aligned right, as numbers are.
    package let alignRight: Bool
    /// The column's rank, from 1, among the columns that a terminal of 80 cells shows;
    /// `nil` for columns that come after them.
    package let rank: Int?
    /// The cells to which it may be cut so that every column with a rank fits; `nil` if it
    /// is not cut for that.
    package let leastWidth: Int?
    /// Whether the table shows the recording's id, as `play` takes it, in place of the field, by
    /// which it is sorted.
    package let showsID: Bool

    /// A column of text, unless `alignRight` is set.
    package init(
      _ field: String, _ heading: String, alignRight: Bool = false, rank: Int? = nil,
      leastWidth: Int? = nil,
      showsID: Bool = false
    ) {
      self.field = field
      self.heading = heading
      self.alignRight = alignRight
      self.rank = rank
      self.leastWidth = leastWidth
      self.showsID = showsID
    }

    /// A column of a detail; of text, unless `alignRight` is set.
    package init(
      _ detail: DetailColumn, _ heading: String, alignRight: Bool = false, rank: Int? = nil,
      leastWidth: Int? = nil
    ) {
      self.init(detail.name, heading, alignRight: alignRight, rank: rank, leastWidth: leastWidth)
      self.detail = detail
    }
  }
}
