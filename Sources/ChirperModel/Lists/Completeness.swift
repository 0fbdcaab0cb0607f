extension StoredQuery {
  /// The part of the upstream list that the store can vouch for.
  public enum Completeness: Hashable, Sendable {
    /// The latest walk has read `pages` of `of` pages without reaching the end; `of` is `nil`
    /// if it is unknown.
    case partial(pages: Int, of: Int?)
    /// The end was reached, every total of the walk was the same, and the distinct rows are as many
    /// as that total; where the catalogue gives no total, or an estimate, the last page ended a walk
    /// that saw no shift.
    case complete
    /// Complete, and a second pass over all pages found the same ids in the same order with the same
    /// fields, apart from fields that the catalogue changes without meaning.
    case verified
    /// The end was reached but the counts disagree, because upstream moved, or because its
    /// total is wrong. `rows` counts in the unit of the total.
    case shifted(rows: Int, total: Int?)
    /// The rows are those of a file that was imported, from its first row to its last. The
    /// catalogue was not asked for them.
    case imported

    /// The promise of each word, in a line.
    package static let meanings = [
      ("partial", "the pages stored so far; fetch --all reads the rest"),
      ("complete", "every page was read, and the rows are as many as the catalogue counts"),
      ("verified", "complete, and a second reading found the same rows"),
      (
        "shifted", "it changed while it was read, or not all could be read; sync reads it again"
      ),
      ("imported", "the rows of a file, such as a download of GBIF; import reads a newer one"),
    ]

    /// The word in tables and JSON.
    public var word: String {
      switch self {
      case .partial: "partial"
      case .complete: "complete"
      case .verified: "verified"
      case .shifted: "shifted"
      case .imported: "imported"
      }
    }
  }
}
