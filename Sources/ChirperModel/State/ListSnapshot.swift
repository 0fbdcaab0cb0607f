import Foundation

/// One answer about a query: its state, how old and how complete it is, and what the load of more is doing.
///
/// Copying and comparing snapshots takes no time, however long the list is: see `RecordingList`. Making the first one after a
/// change of the store takes up to some milliseconds, to compare the rows that were read last with it.
public struct ListSnapshot: Equatable, Sendable {
  /// The query that it answers.
  public let query: CatalogueQuery
  /// `nil`: not fetched yet.
  public let state: ListState?
  /// `nil` if nothing is stored.
  public let origin: Origin?
  /// Rows in the list.
  public let count: Int
  /// The totals that the catalogue sent last; `nil` if it sends none or was never requested.
  public let totals: Totals?
  /// Pages stored.
  public let pagesStored: Int
  /// How much of the upstream list the store can vouch for.
  public let completeness: Completeness
  /// What the load of the query is doing, in this process.
  public internal(set) var load: LoadState

  /// The rows to show, whatever the state. A screen reloads where they are not equal to those it shows.
  public var rows: RecordingList { state?.currentRecordings ?? [] }

  /// As the repository makes it, and for previews and tests; parameters are described at the properties.
  public init(
    query: CatalogueQuery, state: ListState?, origin: Origin?, count: Int, totals: Totals?, pagesStored: Int,
    completeness: Completeness, load: LoadState = .idle
  ) {
    self.query = query
    self.state = state
    self.origin = origin
    self.count = count
    self.totals = totals
    self.pagesStored = pagesStored
    self.completeness = completeness
    self.load = load
  }

  /// Whether the two differ at most in what the load is doing.
  package func showsSameList(as other: ListSnapshot) -> Bool {
    var other = other
    other.load = load
    return self == other
  }
}

/// Where an answer came from.
public struct Origin: Equatable, Sendable {
  /// The two places where an answer can come from.
  public enum Place: String, Sendable {
    /// Read from the store without a request.
    case store
    /// Written by the load that this answer belongs to.
    case network
  }

  /// Store or network.
  public let place: Place
  /// When the oldest page of the list was fetched, UTC.
  public let oldestFetchedAt: Date
  /// When the newest page of the list was fetched, UTC.
  public let newestFetchedAt: Date

  /// As the repository makes it, and for previews and tests.
  public init(place: Place, oldestFetchedAt: Date, newestFetchedAt: Date) {
    self.place = place
    self.oldestFetchedAt = oldestFetchedAt
    self.newestFetchedAt = newestFetchedAt
  }
}
