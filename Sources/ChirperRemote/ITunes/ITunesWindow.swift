import ChirperModel

/// The rows to ask for so that a page comes with the row before it (docs/decisions/0005).
struct ITunesWindow: Equatable {
  let offset: Int
  let limit: Int
  /// Whether the first row belongs to the page before.
  let overlaps: Bool

  init(page number: Int, size: Int) {
    let size = min(size, ITunes.largestLimit)
    // Far beyond any list, and far from overflow.
    let before = (min(max(number, 1), 1_000_000_000) - 1) * size
    overlaps = before > 0 && size < ITunes.largestLimit
    offset = overlaps ? before - 1 : before
    limit = overlaps ? size + 1 : size
  }

  /// The page out of the rows that came; `nil` stands for one without a usable id.
  ///
  /// The service gives neither totals nor a next link: fewer rows than asked for are the end. More than asked for were
  /// never seen; they would come again with the next page.
  func page(_ number: Int, rows: [Recording?]) -> RecordingPage {
    let own = rows.prefix(limit).dropFirst(overlaps ? 1 : 0)
    let recordings = own.compactMap { $0 }
    return RecordingPage(
      number: number, recordings: recordings, totals: nil, next: rows.count < limit ? nil : number + 1,
      skipped: own.count - recordings.count, preceding: preceding(in: rows))
  }

  private func preceding(in rows: [Recording?]) -> RecordingPage.Preceding {
    guard overlaps else { return .unknown }
    guard let first = rows.first else { return .nothing }
    return first.map { .recording($0.id) } ?? .unknown
  }
}
