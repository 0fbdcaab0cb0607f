import ChirperModel
import ChirperRemote

/// A catalogue in memory, paged like a real one, whose list may change and whose answers may fail
/// between any two requests.
public final class ModelCatalogue: PageFetcher {
  /// How it counts and pages.
  public enum Kind: Sendable, CaseIterable {
    /// Pages with totals, as xeno-canto.
    case pagesWithTotals
    /// Rows by offset without totals, as iTunes.
    case offsetsWithoutTotals
    /// Pages that begin after the last id, with totals that count only what is ahead, as
    /// iNaturalist. The list is in the order of the ids, and some records give two rows.
    case cursors
    /// Pages as of `pagesWithTotals`, in the order of xeno-canto, and a list of what was uploaded
    /// since a day.
    case uploads
    /// Pages as of `pagesWithTotals`, with an index that has one record twice, as GBIF's sometimes
    /// has.
    case duplicates
    /// Pages as of `cursors`, the highest number first, and lists of what was updated since a time
    /// and of the ids alone. A record's number is the time of its creation; some edits give it
    /// another row, or take it.
    case updates
    /// Pages as of `pagesWithTotals`, of the first `depth` records only, as GBIF's first 100,000.
    case capped
  }

  /// With `capped`: records that can be requested.
  public static let depth = 8

  /// One row upstream; an edit changes its text and not its id.
  public struct Row: Hashable, Sendable {
    public let id: String
    public var text: String
    /// With `uploads`: rows of a group are next to each other, the best first, then the one with
    /// the highest number as its id.
    public var group: String
    public var quality: Int
    /// With `uploads`: a day, counted from any day. With `updates`: when the record was last
    /// updated, as `Upstream.day` counts.
    public var uploaded: Int

    public init(
      _ id: String, text: String = "", group: String = "", quality: Int = 0, uploaded: Int = 0
    ) {
      self.id = id
      self.text = text
      self.group = group
      self.quality = quality
      self.uploaded = uploaded
    }

    fileprivate var number: Int { Int(id) ?? 0 }
    fileprivate var position: (String, Int, Int) { (group, quality, -number) }
  }

  /// What is wrong with an answer.
  public enum Fault: Sendable {
    /// It is that of an empty list.
    case empty
    /// It names a page that follows, whatever there is: each announces one page more, some rows
    /// come again, others are made up.
    case endless
  }

  public struct Upstream: Sendable {
    /// One for each record of the service.
    public var rows: [Row]
    /// Every list there was since the history was last cleared, as ids.
    public fileprivate(set) var history: [[String]] = []
    /// The same as ids and texts.
    public fileprivate(set) var contents: [[String]] = []
    /// What is wrong with the next answer.
    public var fault: Fault?
    /// The page numbers requested, including those that failed.
    public var requests: [Int] = []
    /// With `cursors` and `updates`: the total that an answer said last, not made of what is left,
    /// and how many requests there were until then.
    public fileprivate(set) var said: (total: Int, requests: Int)?
    /// The time by the service's clock, as `Row.uploaded` counts.
    public var day = 0

    fileprivate mutating func settle(_ kind: Kind) {
      if kind == .cursors { rows.sort { $0.id < $1.id } }
      if kind == .uploads { rows.sort { $0.position < $1.position } }
      if kind == .updates { rows.sort { $0.number > $1.number } }
      let content = ModelCatalogue.contents(of: rows, kind)
      guard contents.last != content else { return }
      contents.append(content)
      history.append(ModelCatalogue.ids(of: rows, kind))
    }
  }

  public let catalogue: Catalogue
  public let kind: Kind
  private let upstream: Locked<Upstream>
  private let beforeAnswer:
    Locked<@Sendable (_ upstream: inout Upstream, _ page: Int) -> FetchError?>

  public convenience init(
    _ name: String = "model", kind: Kind = .pagesWithTotals, rows: [String] = []
  ) {
    self.init(name, kind: kind, records: rows.map { Row($0) })
  }

  public init(_ name: String, kind: Kind, records: [Row]) {
    self.kind = kind
    var catalogue = Catalogue(id: CatalogueID(rawValue: name), name: name)
    catalogue.pageSizes = 1...500
    catalogue.defaultPageSize = 3
    catalogue.minimumInterval = .zero
    catalogue.depth =
      kind == .capped ? Catalogue.Depth(records: Self.depth, narrowing: "none") : nil
    catalogue.fields = ["id", "text"]
    catalogue.details = [.text(\.vernacularName, of: "text")]
    catalogue.sync = Self.sync(kind)
    self.catalogue = catalogue
    var start = Upstream(rows: records)
    start.day = records.map(\.uploaded).max() ?? 0
    start.settle(kind)
    upstream = Locked(start)
    beforeAnswer = Locked { _, _ in nil }
  }

  /// What is upstream now, and what was requested.
  public var now: Upstream {
    upstream.withLock { $0 }
  }

  /// The ids of the list, in its order.
  public var ids: [String] { Self.ids(of: now.rows, kind) }

  /// The texts of the list's rows.
  public var texts: [String] {
    now.rows.flatMap { row in Self.recordingIDs(of: row, kind).map { _ in row.text } }
  }

  private static func ids(of rows: [Row], _ kind: Kind) -> [String] {
    rows.flatMap { recordingIDs(of: $0, kind) }
  }

  private static func contents(of rows: [Row], _ kind: Kind) -> [String] {
    rows.flatMap { row in recordingIDs(of: row, kind).map { "\($0) \(row.text)" } }
  }

  /// With cursors, about half of the records give two rows.
  private static func recordingIDs(of row: Row, _ kind: Kind) -> [String] {
    switch kind {
    case .cursors where (row.id.utf8.last ?? 0) % 2 == 0: [row.id, row.id + "-2"]
    case .updates where (row.number + row.text.count / 2) % 3 == 0: [row.id, row.id + "-2"]
    default: [row.id]
    }
  }

  /// Changes the list.
  public func change(_ body: (inout [Row]) -> Void) {
    upstream.withLock { upstream in
      body(&upstream.rows)
      upstream.settle(kind)
    }
  }

  /// Clears the requests and the history, except for the current list.
  public func clearHistory() {
    upstream.withLock { upstream in
      (upstream.history, upstream.contents, upstream.requests) = ([], [], [])
      upstream.settle(kind)
    }
  }

  /// Sets what runs before each answer; it may change what is upstream, and an error that it
  /// returns is the answer.
  public func beforeEachAnswer(
    _ body: @escaping @Sendable (_ upstream: inout Upstream, _ page: Int) -> FetchError?
  ) {
    beforeAnswer.withLock { $0 = body }
  }

  public func query(_ text: String, pageSize: Int) -> CatalogueQuery {
    CatalogueQuery(
      catalogue: catalogue.id, identity: text, pageSize: pageSize, typed: text, requestText: text)
  }

  public func page(_ request: PageRequest) async throws(FetchError) -> RecordingPage {
    let before = beforeAnswer.withLock { $0 }
    let (rows, fault, failure) = upstream.withLock { upstream in
      upstream.requests.append(request.number)
      upstream.fault = nil
      let failure = before(&upstream, request.number)
      upstream.settle(kind)
      return (upstream.rows, upstream.fault, failure)
    }
    if let failure { throw failure }
    let page = try page(request, of: fault == .empty ? [] : rows)
    return fault == .endless ? try endless(page, of: rows, size: request.query.pageSize) : page
  }

  private func endless(_ page: RecordingPage, of rows: [Row], size: Int) throws(FetchError)
    -> RecordingPage
  {
    let number = page.number
    var recordings = page.recordings
    var token = page.nextToken
    if rows.isEmpty || number % 2 == 0, kind != .offsetsWithoutTotals {
      recordings = try self.recordings([Row("\(9_000_000 + number)")])
      // A cursor that goes back.
      token = token.map { _ in
        PageRequest.Token.after("\(9_000_000 + number)", recordsBefore: number * size)
      }
    } else if recordings.isEmpty {
      recordings = try self.recordings(rows.isEmpty ? [Row("9000000")] : Array(rows.prefix(size)))
    }
    return RecordingPage(
      number: number, recordings: recordings,
      // No total that a list of the model ever has, so that made up rows never make a list
      // complete.
      totals: page.totals.map {
        RecordingPage.Totals(recordings: 1000 + number, pages: $0.pages + number)
      },
      next: number + 1,
      nextToken: token
        ?? (kind == .cursors || kind == .updates
          ? PageRequest.Token.after("9", recordsBefore: 0) : nil),
      preceding: page.preceding)
  }

  private func page(_ request: PageRequest, of all: [Row]) throws(FetchError) -> RecordingPage {
    let (number, query) = (request.number, request.query)
    if kind == .cursors || kind == .updates { return try pageAfterCursor(request, of: all) }
    let since = query.requestText.split(separator: " ").last.flatMap {
      $0.hasPrefix("since:") ? $0.dropFirst(6) : nil
    }
    let rows = all.filter { Self.day($0.uploaded) >= since ?? "" }
    let start = (number - 1) * query.pageSize
    if kind == .capped, start + query.pageSize > Self.depth {
      throw FetchError(.tooDeep(total: nil, limit: Self.depth))
    }
    let window = Array(rows.dropFirst(start).prefix(query.pageSize))
    let recordings = try recordings(window)
    switch kind {
    case .pagesWithTotals, .uploads, .duplicates, .capped, .cursors, .updates:
      let pages = max(1, (rows.count + query.pageSize - 1) / query.pageSize)
      return RecordingPage(
        number: number, recordings: recordings,
        totals: RecordingPage.Totals(recordings: rows.count, pages: pages),
        next: number < pages && !recordings.isEmpty ? number + 1 : nil)
    case .offsetsWithoutTotals:
      let preceding: RecordingPage.Preceding =
        number == 1
        ? .unknown
        : start <= rows.count
          ? .recording(RecordingID(catalogue: catalogue.id, value: rows[start - 1].id)) : .nothing
      return RecordingPage(
        number: number, recordings: recordings, totals: nil,
        next: window.count == query.pageSize ? number + 1 : nil,
        preceding: preceding)
    }
  }

  private static func uploadFields(of row: Row) -> String {
    #","group":"\#(row.group)","quality":\#(row.quality),"uploaded":"\#(day(row.uploaded))""#
  }

  /// In the form of xeno-canto's; every month has 28 days.
  private static func day(_ number: Int) -> String {
    "\(2020 + number / 336)-\(10 + number / 28 % 12)-\(10 + number % 28)"
  }

  private static func sync(_ kind: Kind) -> Catalogue.Sync? {
    switch kind {
    case .uploads:
      .uploads(
        uploaded: { $0.text("uploaded") }, narrowed: { "\($0) since:\($1)" },
        position: { recording in
          guard let group = recording.text("group"),
            let quality = recording["quality"].flatMap({ Int($0.json) }),
            let number = Int(recording.id.value)
          else { return nil }
          return (group: group, rank: [quality, -number])
        })
    case .updates:
      .updates(
        created: { $0.text("created") }, narrowed: { "\($0) updated:\($1)" },
        idsOnly: { "\($0) ids" }, record: { Int64($0.value.prefix { $0 != "-" }) })
    default: nil
    }
  }

  private func pageAfterCursor(_ request: PageRequest, of rows: [Row]) throws(FetchError)
    -> RecordingPage
  {
    let cursor = request.token?.position
    guard request.number == 1 || cursor != nil else {
      throw .refused(status: 400, message: "a page without a cursor")
    }
    let asked = request.query.requestText.split(separator: " ").last ?? ""
    let since = asked.hasPrefix("updated:") ? Int(asked.dropFirst(8)) ?? 0 : 0
    let ahead = rows.filter { row in
      guard kind == .updates else { return row.id > cursor?.lastID ?? "" }
      return row.number < cursor.flatMap { Int($0.lastID) } ?? .max && row.uploaded >= since
    }
    if cursor == nil, since == 0 {
      upstream.withLock { $0.said = (ahead.count, $0.requests.count) }
    }
    let window = ahead.prefix(request.query.pageSize)
    let before = cursor?.recordsBefore ?? 0
    let total = ahead.count + before
    let isLast = window.count == ahead.count
    return RecordingPage(
      number: request.number,
      recordings: try recordings(Array(window), hasOnlyIDs: asked == "ids"),
      totals: RecordingPage.Totals(
        recordings: total,
        pages: max(1, (total + request.query.pageSize - 1) / request.query.pageSize)),
      next: isLast ? nil : request.number + 1,
      nextToken: window.last.map {
        PageRequest.Token.after($0.id, recordsBefore: before + window.count)
      },
      records: window.count)
  }

  private func recordings(_ rows: [Row], hasOnlyIDs: Bool = false) throws(FetchError) -> [Recording]
  {
    var recordings: [Recording] = []
    for row in rows {
      if hasOnlyIDs {
        recordings.append(try recording(row.id, Row(row.id)))
        continue
      }
      for id in Self.recordingIDs(of: row, kind) { recordings.append(try recording(id, row)) }
    }
    return recordings
  }

  private func recording(_ id: String, _ row: Row) throws(FetchError) -> Recording {
    do {
      let more =
        kind == .uploads
        ? Self.uploadFields(of: row) : kind == .updates ? #","created":"\#(row.id)""# : ""
      let fields = try RecordingFields(json: #"{"id":"\#(id)","text":"\#(row.text)"\#(more)}"#)
      return Recording(id: RecordingID(catalogue: catalogue.id, value: id), fields: fields)
    } catch {
      throw .malformed("\(error)")
    }
  }
}
