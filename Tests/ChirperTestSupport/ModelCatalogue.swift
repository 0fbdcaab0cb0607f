import ChirperModel
import ChirperRemote

/// A catalogue in memory, paged like a real one, whose list may change and whose answers may fail between any two requests.
public final class ModelCatalogue: PageFetcher {
  /// How it counts: pages with totals as xeno-canto, or rows by offset without totals as iTunes.
  public enum Kind: Sendable, CaseIterable {
    case pagesWithTotals, offsetsWithoutTotals
  }

  /// One row upstream; an edit changes its text and not its id.
  public struct Row: Hashable, Sendable {
    public let id: String
    public var text: String

    public init(_ id: String, text: String = "") {
      self.id = id
      self.text = text
    }
  }

  public struct Upstream: Sendable {
    public var rows: [Row]
    /// Every list there was since the history was last cleared, as ids.
    public var history: [[String]]
    /// The page numbers requested, including those that failed.
    public var requests: [Int] = []
  }

  public let catalogue: Catalogue
  public let kind: Kind
  public let minimumInterval: Duration = .zero
  private let upstream: Locked<Upstream>
  private let beforeAnswer: Locked<@Sendable (_ upstream: inout Upstream, _ page: Int) -> FetchError?>

  public init(_ name: String = "model", kind: Kind = .pagesWithTotals, rows: [String] = []) {
    self.kind = kind
    catalogue = Catalogue(
      id: CatalogueID(rawValue: name), name: name, pageSizes: 1...500, defaultPageSize: 3, minimumInterval: .zero,
      fields: ["id", "text"], tableColumns: [.init("id", "Id")],
      mapping: Catalogue.DetailsMapping(fields: [.vernacularName: ["text"]]) { recording in
        var details = RecordingDetails()
        details.vernacularName = recording.text("text")
        return details
      },
      audio: .none
    ) { (text, _) throws(QueryError) in (text.lowercased(), text) }
    let rows = rows.map { Row($0) }
    upstream = Locked(Upstream(rows: rows, history: [rows.map(\.id)]))
    beforeAnswer = Locked { _, _ in nil }
  }

  /// What is upstream now, and what was requested.
  public var now: Upstream {
    upstream.withLock { $0 }
  }

  public var ids: [String] { now.rows.map(\.id) }

  /// Changes the list.
  public func change(_ body: (inout [Row]) -> Void) {
    upstream.withLock { upstream in
      body(&upstream.rows)
      upstream.history.append(upstream.rows.map(\.id))
    }
  }

  /// Clears the requests and the history, except for the current list.
  public func clearHistory() {
    upstream.withLock { $0 = Upstream(rows: $0.rows, history: [$0.rows.map(\.id)]) }
  }

  /// Sets what runs before each answer; it may change what is upstream, and an error that it returns is the answer.
  public func beforeEachAnswer(_ body: @escaping @Sendable (_ upstream: inout Upstream, _ page: Int) -> FetchError?) {
    beforeAnswer.withLock { $0 = body }
  }

  public func query(_ text: String, pageSize: Int) -> SearchQuery {
    SearchQuery(catalogue: catalogue.id, text: text, pageSize: pageSize, typed: text, sent: text)
  }

  public func page(_ request: PageRequest) async throws(FetchError) -> RecordingPage {
    let (number, query) = (request.number, request.query)
    let before = beforeAnswer.withLock { $0 }
    let (rows, failure) = upstream.withLock { upstream in
      upstream.requests.append(number)
      let failure = before(&upstream, number)
      let ids = upstream.rows.map(\.id)
      if upstream.history.last != ids { upstream.history.append(ids) }
      return (upstream.rows, failure)
    }
    if let failure { throw failure }
    let start = (number - 1) * query.pageSize
    let window = Array(rows.dropFirst(start).prefix(query.pageSize))
    let recordings = try window.map(recording)
    switch kind {
    case .pagesWithTotals:
      let pages = max(1, (rows.count + query.pageSize - 1) / query.pageSize)
      return RecordingPage(
        number: number, recordings: recordings, totals: Totals(recordings: rows.count, pages: pages),
        next: number < pages && !recordings.isEmpty ? number + 1 : nil)
    case .offsetsWithoutTotals:
      let preceding: RecordingPage.Preceding =
        number == 1
        ? .unknown
        : start <= rows.count ? .recording(RecordingID(catalogue: catalogue.id, value: rows[start - 1].id)) : .nothing
      return RecordingPage(
        number: number, recordings: recordings, totals: nil,
        next: window.count == query.pageSize ? number + 1 : nil,
        preceding: preceding)
    }
  }

  private func recording(_ row: Row) throws(FetchError) -> Recording {
    do {
      let fields = try RecordingFields(json: #"{"id":"\#(row.id)","text":"\#(row.text)"}"#)
      return Recording(id: RecordingID(catalogue: catalogue.id, value: row.id), fields: fields)
    } catch {
      throw .malformed("\(error)")
    }
  }
}
