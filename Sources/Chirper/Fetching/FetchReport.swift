import ChirperModel
import Foundation

/// What a fetch or sync did.
///
/// What is new and gone is the difference between the list at the start of the run and at its end:
/// a recording that one pass did not find and the next one found is neither.
public struct FetchReport: Hashable, Codable, Sendable {
  /// Recordings that entered the list.
  public var new = 0
  /// Recordings of the list whose fields changed. One that enters the list and then changes, or changes again while the run reads
  /// the list, counts once, if it is among the first `idLimit`.
  public var changed = 0
  /// Recordings that left the list.
  public var gone = 0
  /// The ids of those that entered the list, the first `idLimit`.
  public private(set) var newIDs: [String] = []
  /// The ids of those that changed, the first `idLimit`.
  public private(set) var changedIDs: [String] = []
  /// The ids of those that left the list, the first `idLimit`.
  public private(set) var goneIDs: [String] = []
  /// Pages that were fetched and stored.
  public var pagesFetched = 0
  /// Requests made, including failed and repeated ones.
  public var requests = 0
  /// Records of those pages that could not be read.
  public var skipped = 0
  /// Sounds of the records of those pages that are not recordings, because a record has at most 200
  /// and at most 8 MB of rows (`RecordingPage.leftOut`).
  public var leftOut = 0
  /// Recordings that came with the id of another one of the same page; each id is stored once.
  public var repeated = 0
  /// How often the catalogue repeated the key in its answers; `***` is stored in its place.
  public var redactions = 0
  /// What the query's name was found to be; `nil` for a catalogue that takes names as they are typed.
  public var lookup: NameLookup?
  /// What became of a list whose catalogue has replaced its taxonomy; `nil` for every other list,
  /// and for one that was asked about before.
  public internal(set) var move: TaxonomyMove?
  /// Pages that could not be fetched in any attempt; the others are stored.
  public var failedPages: [FailedPage] = []
  /// Whether the list was updated without a walk.
  public var isIncremental = false
  /// Pages, besides the first, that an incremental sync read again and found as they are stored.
  public var recheckedPages: [Int] = []
  /// What ended the run before its goal; a page that could not be fetched is in `failedPages` and ends no run.
  public var failure: LoadError?
  /// Another process was fetching the same query, and this run used its result.
  public var joined = false
  /// What is stored now; `nil` if nothing is.
  public var stored: StoredQuery?

  /// A page that could not be fetched.
  public struct FailedPage: Hashable, Codable, Sendable {
    /// The number of the page, from 1.
    public let number: Int
    /// What the last attempt failed with.
    public let error: FetchError

    /// A page that could not be fetched.
    public init(number: Int, error: FetchError) {
      (self.number, self.error) = (number, error)
    }
  }

  /// A report of nothing, to be filled for previews and tests; the repository makes those of fetches.
  public init() {}

  init(new: Int = 0, failure: LoadError?) {
    (self.new, self.failure) = (new, failure)
  }

  /// No more ids of a kind are collected: the first fetch of a large catalogue would fill the memory with them.
  public static let idLimit = 1000

  /// Whether the catalogue answered that it has no such recording, now and before.
  public var foundNothing: Bool { failure == nil && failedPages.isEmpty && stored?.isMiss == true }

  mutating func add(newIDs: [String] = [], changedIDs: [String] = [], goneIDs: [String] = []) {
    let counted = Set(self.newIDs + self.changedIDs)
    let changedIDs = changedIDs.filter { !counted.contains($0) }
    new += newIDs.count
    changed += changedIDs.count
    gone += goneIDs.count
    self.newIDs += newIDs.prefix(Self.idLimit - self.newIDs.count)
    self.changedIDs += changedIDs.prefix(Self.idLimit - self.changedIDs.count)
    self.goneIDs += goneIDs.prefix(Self.idLimit - self.goneIDs.count)
    remove(changedIDs: Set(goneIDs))
  }

  /// Takes back what was counted: recordings that left the list after they entered it, and those
  /// that came back.
  mutating func remove(newIDs: [String] = [], goneIDs: [String] = []) {
    new -= newIDs.count
    gone -= goneIDs.count
    for (ids, list) in [(newIDs, \Self.newIDs), (goneIDs, \Self.goneIDs)] where !ids.isEmpty {
      let removed = Set(ids)
      self[keyPath: list].removeAll { removed.contains($0) }
    }
  }

  private mutating func remove(changedIDs: Set<String>) {
    guard !changedIDs.isEmpty, !self.changedIDs.isEmpty else { return }
    let before = self.changedIDs.count
    self.changedIDs.removeAll { changedIDs.contains($0) }
    changed -= before - self.changedIDs.count
  }
}

/// What happens during a fetch, for a progress line.
#if hasAttribute(nonexhaustive)
  @nonexhaustive
#endif
public enum FetchEvent: Sendable {
  /// What the store holds, before any request.
  case stored(StoredQuery?)
  /// What the catalogue knows the query's name as, before the first page is requested.
  case lookedUp(NameLookup)
  /// Nothing was found, so the same words are asked as this query: `CatalogueQuery.alternatives`.
  case asking(CatalogueQuery)
  /// The page is about to be requested; `of`: the number of pages, if the catalogue said it.
  case requesting(page: Int, of: Int?)
  /// A page was stored, and what is stored now.
  case page(number: Int, StoredQuery)
  /// The walk was closed after its last page: what it claims, and how many recordings left the list.
  case closed(Completeness, gone: Int)
  /// No request is made for that long, for that reason.
  case waiting(Duration, WaitReason)
  /// Upstream changed during the walk: its pages are fetched again, in this pass.
  case startingOver(pass: Int)
  /// The list is complete and is read a second time to verify it.
  case verifying
  /// The page could not be fetched; others may be.
  case failed(page: Int, FetchError)
}
