import Foundation

/// The facts about one query that the store holds, without its rows.
public struct StoredQuery: Hashable, Sendable, Identifiable {
  /// The query, with the text that was sent for it.
  public let query: CatalogueQuery
  /// Rows in the list.
  public let count: Int
  /// Pages of the list in the store.
  public let pagesStored: Int
  /// The totals that the catalogue sent last; `nil` if it sends none.
  public let totals: RecordingPage.Totals?
  /// The next page to fetch; `nil` once the end was reached.
  public let next: Int?
  /// The part of the upstream list that the store can vouch for.
  public let completeness: Completeness
  /// The time at which the oldest of its pages was fetched, UTC.
  public let oldestFetchedAt: Date
  /// The time at which the newest of its pages was fetched, UTC.
  public let newestFetchedAt: Date
  /// Records of its pages that could not be read.
  package let skipped: Int
  /// The time at which an incremental sync last confirmed the list, UTC; `nil` if none has
  /// since the last walk was closed.
  public let checkedAt: Date?
  /// The time at which the walk that was closed last read its first page, UTC; `nil` if no
  /// walk has reached the end of the list.
  public let walkedAt: Date?
  /// Records of its pages, as the catalogue's total counts them: fewer than the rows if a record
  /// has several recordings.
  package let records: Int
  /// Whether it is the list of a query that never found anything. It is in no list of lists, and is
  /// removed 30 days after it was fetched last.
  package let isMiss: Bool
  /// The facts about a list that is `shifted` because a walk found less than half of it;
  /// `nil` for every other list.
  public let fall: Fall?
  /// The recordings that left a `complete` list while as many entered it, which no total shows. The
  /// next walk confirms that they left.
  public let unconfirmedDepartures: Int
  /// Rows of the list that the open walk has not found on the pages it has read.
  package let carried: Int

  /// The facts about the file that its rows were imported from; `nil` for a list that was fetched.
  package let imported: ImportClaim?

  /// The query.
  public var id: CatalogueQuery { query }

  /// Without `records`, there are as many as rows.
  package init(
    query: CatalogueQuery, count: Int, pagesStored: Int, totals: RecordingPage.Totals? = nil,
    next: Int? = nil,
    completeness: Completeness,
    oldestFetchedAt: Date, newestFetchedAt: Date, skipped: Int = 0, checkedAt: Date? = nil,
    walkedAt: Date? = nil, records: Int? = nil, isMiss: Bool = false,
    fall: Fall? = nil, unconfirmedDepartures: Int = 0, carried: Int = 0,
    imported: ImportClaim? = nil
  ) {
    self.query = query
    self.count = count
    self.pagesStored = pagesStored
    self.totals = totals
    self.next = next
    self.completeness = completeness
    self.oldestFetchedAt = oldestFetchedAt
    self.newestFetchedAt = newestFetchedAt
    self.skipped = skipped
    self.checkedAt = checkedAt
    self.walkedAt = walkedAt
    self.records = records ?? count
    self.isMiss = isMiss
    self.fall = fall
    self.unconfirmedDepartures = unconfirmedDepartures
    self.carried = carried
    self.imported = imported
  }
}
