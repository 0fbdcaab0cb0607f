import Foundation

/// One answer of a catalogue: a page's number, its recordings in order, and the catalogue's
/// facts about the whole list.
public struct RecordingPage: Hashable, Sendable {
  /// The number of the page, from 1: the one that was requested.
  public let number: Int
  /// The recordings of the page, in the catalogue's order.
  public let recordings: [Recording]
  /// The totals of the whole list, on every page of it, in the unit of `records`; `nil` for
  /// a catalogue that sends none. A catalogue that counts only the records ahead is paged
  /// by the ids of records (`PageRequest.Token.after`).
  public let totals: Totals?
  /// The number of the next page, which is `number + 1`; `nil` on the last.
  public let next: Int?
  /// The catalogue's own name for the next page; `nil` if the number is enough, and on the last
  /// page.
  public let nextToken: PageRequest.Token?
  /// Records without a usable id, which could not be read.
  public let skipped: Int
  /// Sounds of its records that are not among `recordings`: those after the first 200 of a record,
  /// or after the first 8 MB of rows. The fields of the record have them all.
  public let leftOut: Int
  /// Records that the page had, readable or not, as the totals count them: an observation with
  /// three sounds is one.
  public let records: Int
  /// The recording before this page's first, if it was requested, which is not one of `recordings`;
  /// a walk compares it with the last one of the page before, which shows a shift that leaves the
  /// totals unchanged.
  public let preceding: Preceding
  /// The number of times that the answer repeated the key; each is replaced by `***`.
  package let redactions: Int
  /// Whether a cache may have answered, so that the page may be older than the request.
  package let isFromCache: Bool
  /// The time at which the page was read from the catalogue, UTC, where something else has answered
  /// in its place, and says so; `nil` for the time of the request.
  package var readAt: Date?
  /// Whether something else has answered that has not read the list to its end: the page may lack
  /// rows, and nobody knows how many the list has.
  package var isOfUnfinishedList: Bool { readAt != nil && totals == nil && next != nil }

  /// The record before a page in the catalogue's list.
  public enum Preceding: Hashable, Sendable {
    /// The record was not requested, or is not readable; also for page 1, which has nothing
    /// before it.
    case unknown
    /// The catalogue's recording at the position before.
    case recording(RecordingID)
    /// The catalogue was asked for the position before and has no recording there: the list has
    /// become shorter than that.
    case nothing
  }

  /// A page. Without `records`, it has as many as `recordings` and `skipped`.
  public init(
    number: Int, recordings: [Recording], totals: Totals?, next: Int?,
    nextToken: PageRequest.Token? = nil,
    skipped: Int = 0,
    leftOut: Int = 0, records: Int? = nil, preceding: Preceding = .unknown, redactions: Int = 0,
    isFromCache: Bool = false
  ) {
    self.number = number
    self.recordings = recordings
    self.totals = totals
    self.next = next
    self.nextToken = next == nil ? nil : nextToken
    self.skipped = skipped
    self.leftOut = leftOut
    self.records = records ?? recordings.count + skipped
    self.preceding = preceding
    self.redactions = redactions
    self.isFromCache = isFromCache
  }

  /// The page with these recordings in place of its own.
  package func with(_ recordings: [Recording]) -> RecordingPage {
    var page = RecordingPage(
      number: number, recordings: recordings, totals: totals, next: next, nextToken: nextToken,
      skipped: skipped, leftOut: leftOut, records: records, preceding: preceding,
      redactions: redactions, isFromCache: isFromCache)
    page.readAt = readAt
    return page
  }

  /// The number of recordings whose id occurred earlier on the page; each id is stored
  /// once.
  package var repeated: Int { recordings.count - Set(recordings.map(\.id)).count }

  /// The first fault that no answer to the request may have, in words; `nil` if the page
  /// can be stored.
  package func fault(answering request: PageRequest) -> String? {
    // A wrong number would have the same page requested again and again.
    if number != request.number { return "page \(number) came in place of page \(request.number)" }
    if let next, next != number + 1 { return "page \(next) is said to follow page \(number)" }
    if let totals,
      [totals.recordings, totals.pages, totals.species ?? 0].contains(where: { $0 < 0 })
    {
      return "a total is negative"
    }
    if skipped < 0 || leftOut < 0 || records < 0 { return "a number of records is negative" }
    if recordings.contains(where: { $0.id.value.isEmpty }) { return "a recording has no id" }
    let catalogue = request.query.catalogue
    return recordings.contains { $0.id.catalogue != catalogue }
      ? "a recording is of another catalogue" : nil
  }
}

extension PageRequest {
  /// A catalogue's own name for a page: an opaque cursor, or the last id of the page before. Only the
  /// catalogue's fetcher reads it; everything else stores it and hands it back.
  public struct Token: RawRepresentable, Hashable, Sendable {
    /// The text that the catalogue's fetcher gave it.
    public let rawValue: String

    /// A token of any text.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// The token of the page after a record, for a catalogue that is paged by id.
    ///
    /// Such a catalogue counts only the records ahead, so its totals shrink from page to page. A
    /// fetcher adds `recordsBefore` to that count and so gives each page the total of the whole list:
    ///
    ///     let before = request.token?.position?.recordsBefore ?? 0
    ///     let total = answer.count + before
    ///     let next = PageToken.after(lastID, recordsBefore: before + answer.records.count)
    ///
    /// - Parameters:
    ///   - lastID: the catalogue's id of the last record before the page.
    ///   - recordsBefore: records on the pages before, as the catalogue's totals count them.
    public static func after(_ lastID: String, recordsBefore: Int) -> Token {
      Token(rawValue: "\(recordsBefore) \(lastID)")
    }

    /// The record that the page is after, and the number of records before the page; `nil` for a
    /// token that `after` did not make, and for more records than any list has.
    public var position: (lastID: String, recordsBefore: Int)? {
      let parts = rawValue.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let count = Int(parts[0]), (0...1_000_000_000).contains(count) else {
        return nil
      }
      return (String(parts[1]), count)
    }
  }
}

/// A request for a page of a query.
public struct PageRequest: Hashable, Sendable {
  /// `query.requestText` is the text to send.
  public let query: CatalogueQuery
  /// The number of the page to request, from 1.
  public let number: Int
  /// The token that the page before named; `nil` for page 1, and for a catalogue paged by number.
  public let token: Token?
  /// Whether the page was read before, so that an answer from the service's own cache would prove
  /// nothing.
  public let isReread: Bool

  /// A request as the repository makes it.
  public init(
    query: CatalogueQuery, number: Int, token: Token? = nil, isReread: Bool = false
  ) {
    self.query = query
    self.number = number
    self.token = token
    self.isReread = isReread
  }
}

extension RecordingPage {
  /// The numbers that a catalogue sends about the whole list.
  public struct Totals: Hashable, Sendable {
    /// Records in the list, of which each can have several recordings.
    public let recordings: Int
    /// Pages of the size of the query.
    public let pages: Int
    /// Distinct species, if the catalogue counts them.
    public let species: Int?
    /// Whether the number is the catalogue's estimate. An estimate is shown to people. A walk
    /// does not compare it with the rows that it reads, and takes the end of the pages for
    /// the end of the list.
    public let isEstimate: Bool

    /// Totals as the catalogue sent them; exact unless `isEstimate` is `true`.
    public init(recordings: Int, pages: Int, species: Int? = nil, isEstimate: Bool = false) {
      self.recordings = recordings
      self.pages = pages
      self.species = species
      self.isEstimate = isEstimate
    }

    /// Totals of a list in pages of that size; an empty list has one.
    package init(recordings: Int, pageSize: Int) {
      self.init(
        recordings: recordings, pages: max(1, (recordings + pageSize - 1) / pageSize))
    }

    /// The totals if they can be compared with the rows read; `nil` for an estimate.
    package var exact: Totals? { isEstimate ? nil : self }
  }
}
