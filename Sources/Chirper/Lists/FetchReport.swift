import ChirperModel
import ChirperStore
import Foundation

/// The result of a fetch or sync.
///
/// New and gone recordings are the difference between the list at the start of the run and
/// at its end. A recording that one pass did not find and the next one found is neither.
public struct FetchReport: Hashable, Sendable {
  /// Recordings that entered the list.
  public var new = 0
  /// The new recordings that the list had before, and that an earlier run reported as
  /// gone. A walk misses a recording that moves upstream while it reads, and the next one finds it.
  package var foundAgain = 0
  /// Recordings of the list whose fields changed. One that enters the list and then changes, or
  /// changes again while the run reads the list, counts once, if it is among the first `idLimit`.
  public var changed = 0
  /// Recordings that left the list.
  public var gone = 0
  /// The ids of recordings that entered the list, the first `idLimit`.
  package private(set) var newIDs: [String] = []
  /// The ids of new recordings that were found again, the first `idLimit`.
  package private(set) var foundAgainIDs: [String] = []
  /// The ids of recordings that changed, the first `idLimit`.
  package private(set) var changedIDs: [String] = []
  /// The ids of recordings that left the list, the first `idLimit`.
  package private(set) var goneIDs: [String] = []
  /// Pages that were fetched and stored.
  public var pagesFetched = 0
  /// Requests made, including failed and repeated ones.
  public var requests = 0
  /// Records of the fetched pages that could not be read.
  package var skipped = 0
  /// Sounds of the records of those pages that are not recordings, because a record has at most 200
  /// and at most 8 MB of rows (`RecordingPage.leftOut`).
  package var leftOut = 0
  /// Recordings that came with an id that occurred earlier on the page; each id is stored
  /// once.
  package var repeated = 0
  /// The number of times that the catalogue repeated the key in its answers; `***` is
  /// stored in its place.
  package var redactions = 0
  /// The taxon found for the query's name; `nil` for a catalogue that takes names as they
  /// are typed.
  package var lookup: NameLookup?
  /// Pages that could not be fetched in any attempt. The rest are stored.
  public var failedPages: [FailedPage] = []
  /// Whether the list was updated without a walk.
  public var isIncremental = false
  /// Pages, besides the first, that an incremental sync read again and found as they are stored.
  package var recheckedPages: [Int] = []
  /// The error that ended the run before its goal. A page that could not be fetched is in
  /// `failedPages` and does not end the run.
  public var failure: LoadError?
  /// Whether a different process was fetching the query, and this run used its result.
  package var joined = false
  /// The facts about the query that is stored now; `nil` if nothing is.
  public var stored: StoredQuery?

  /// A page that could not be fetched.
  public struct FailedPage: Hashable, Sendable {
    /// The number of the page, from 1.
    public let number: Int
    /// The error of the last attempt.
    public let error: FetchError
  }

  /// The most ids of a kind that are collected. The first fetch of a large catalogue would
  /// fill the memory with them.
  package static let idLimit = 1000

  /// Whether the catalogue answered that it has no such recording, now and before.
  public var foundNothing: Bool { failure == nil && failedPages.isEmpty && stored?.isMiss == true }

  /// Counts the rows that entered the list with a page, and the recordings that changed.
  ///
  /// - Parameter changes: the changes of the list by the run so far.
  mutating func note(
    entered rows: [MovedRow], changedIDs: [String], in changes: inout RunChanges
  ) {
    let (new, foundAgain, back) = changes.note(entered: rows)
    add(newIDs: new, foundAgainIDs: foundAgain, changedIDs: changedIDs)
    gone -= back.count
    remove(back, from: \.goneIDs)
  }

  /// Counts the rows that the closing of a walk removed.
  mutating func note(removed rows: [MovedRow], in changes: inout RunChanges) {
    let (gone, withdrawn, foundAgain) = changes.note(removed: rows)
    add(goneIDs: gone)
    new -= withdrawn.count
    remove(withdrawn, from: \.newIDs)
    self.foundAgain -= foundAgain.count
    remove(foundAgain, from: \.foundAgainIDs)
  }

  mutating func add(
    newIDs: [String] = [], foundAgainIDs: [String] = [], changedIDs: [String] = [],
    goneIDs: [String] = []
  ) {
    let counted = changedIDs.isEmpty ? [] : Set(self.newIDs + self.changedIDs)
    let changedIDs = changedIDs.filter { !counted.contains($0) }
    new += newIDs.count
    foundAgain += foundAgainIDs.count
    changed += changedIDs.count
    gone += goneIDs.count
    self.newIDs += newIDs.prefix(Self.idLimit - self.newIDs.count)
    self.foundAgainIDs += foundAgainIDs.prefix(Self.idLimit - self.foundAgainIDs.count)
    self.changedIDs += changedIDs.prefix(Self.idLimit - self.changedIDs.count)
    self.goneIDs += goneIDs.prefix(Self.idLimit - self.goneIDs.count)
    let before = self.changedIDs.count
    remove(goneIDs, from: \.changedIDs)
    changed -= before - self.changedIDs.count
  }

  /// Takes ids out of a list: of recordings that left after they entered, or that came back.
  private mutating func remove(_ ids: [String], from list: WritableKeyPath<Self, [String]>) {
    guard !ids.isEmpty else { return }
    let removed = Set(ids)
    self[keyPath: list].removeAll { removed.contains($0) }
  }
}

/// An event of a fetch, for a progress line.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum FetchEvent: Sendable {
  /// The facts that the store holds, before any request.
  case stored(StoredQuery?)
  /// The taxon found for the query's name, before the first page is requested.
  case lookedUp(NameLookup)
  /// The query that is asked because nothing was found: the next of
  /// `CatalogueQuery.alternatives`, or one with a different name of the species.
  case asking(CatalogueQuery)
  /// The page is about to be requested; `of`: the number of pages, if the catalogue said it.
  case requesting(page: Int, of: Int?)
  /// A page was stored, with the facts about the query that is stored now.
  case page(number: Int, StoredQuery)
  /// The walk was closed after its last page, with its claim and the number of recordings
  /// that left the list.
  case closed(StoredQuery.Completeness, gone: Int)
  /// A wait without a request, its length and its reason.
  case waiting(Duration, LoadState.WaitReason)
  /// Upstream changed during the walk: its pages are fetched again, in this pass.
  case startingOver(pass: Int)
  /// The list is complete and is read a second time to verify it.
  case verifying
  /// The page could not be fetched; other pages may be.
  case failed(page: Int, FetchError)
}
