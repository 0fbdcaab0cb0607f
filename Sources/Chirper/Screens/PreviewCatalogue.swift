import ChirperModel
import ChirperRemote

/// A catalogue in memory that an app fills itself, for previews and tests. It is paged like a
/// service, and can be slow, fail and change.
///
/// A query finds the titles that contain its text, in any case. Each recording has the fields `id`
/// and `title`, and those that it was given; its id is its title, so titles must be unique.
///
///     let catalogue = PreviewCatalogue(titles: (1...100).map { "Robin \($0)" })
///     let repository = try RecordingRepository.inMemory(catalogues: [catalogue])
///     let pager = Pager(repository, query: try catalogue.catalogue.query("robin"))
public final class PreviewCatalogue: PageFetcher {
  /// The catalogue, with pages of 1 to 500 recordings, 20 by default.
  public let catalogue: Catalogue
  private let state: Locked<State>

  private struct State: Sendable {
    var rows: [[String: String]]
    var delay: Duration = .zero
    var failure: FetchError?
    var requests: [PageRequest] = []
  }

  /// - Parameters:
  ///   - id: the catalogue's id and name.
  ///   - titles: of the recordings, in the order of the list.
  public convenience init(id: String = "preview", titles: [String]) {
    self.init(id: id, rows: titles.map { ["title": $0] })
  }

  /// A catalogue whose recordings have further fields, so that they can be filtered by a tag and
  /// sorted.
  ///
  ///     PreviewCatalogue(
  ///       rows: [["title": "Robin 1", "country": "Poland"]],
  ///       details: [.text(\.country, of: "country")])
  ///
  /// - Parameters:
  ///   - id: the catalogue's id and name.
  ///   - rows: the fields of the recordings, in the order of the list; each has a `title`.
  ///   - details: where details are in the fields.
  public init(id: String = "preview", rows: [[String: String]], details: [Catalogue.Detail] = []) {
    state = Locked(State(rows: rows))
    var catalogue = Catalogue(id: CatalogueID(rawValue: id), name: id)
    catalogue.pageSizes = 1...500
    catalogue.defaultPageSize = 20
    catalogue.minimumInterval = .zero
    let further = Set(rows.flatMap(\.keys)).subtracting(["id", "title"])
    catalogue.fields = ["id", "title"] + further.sorted()
    catalogue.details = [.text(\.vernacularName, of: "title")] + details
    self.catalogue = catalogue
  }

  /// The titles of the recordings that are upstream now; one that is new has no further fields.
  public var titles: [String] {
    get { state.withLock { $0.rows.map(Self.title) } }
    set {
      state.withLock { state in
        let rows = Dictionary(state.rows.map { (Self.title($0), $0) }) { first, _ in first }
        state.rows = newValue.map { rows[$0] ?? ["title": $0] }
      }
    }
  }

  private static func title(_ row: [String: String]) -> String { row["title"] ?? "" }

  /// The time that each answer takes.
  public var delay: Duration {
    get { state.withLock(\.delay) }
    set { state.withLock { $0.delay = newValue } }
  }

  /// The error of every request; `nil` if none fails. The repository repeats a request
  /// after a transient error.
  public var failure: FetchError? {
    get { state.withLock(\.failure) }
    set { state.withLock { $0.failure = newValue } }
  }

  /// Every request so far, including the failed ones.
  public var requests: [PageRequest] { state.withLock(\.requests) }

  /// The page, after the delay.
  public func page(_ request: PageRequest) async throws(FetchError) -> RecordingPage {
    let delay = state.withLock { state in
      state.requests.append(request)
      return state.delay
    }
    do { try await Task.sleep(for: delay) } catch { throw .cancelled }
    let (rows, failure) = state.withLock { ($0.rows, $0.failure) }
    if let failure { throw failure }
    let size = request.query.pageSize
    let found = rows.filter { Self.title($0).lowercased().contains(request.query.identity) }
    let totals = RecordingPage.Totals(recordings: found.count, pageSize: size)
    return RecordingPage(
      number: request.number,
      recordings: found.dropFirst((request.number - 1) * size).prefix(size).map { row in
        let title = Self.title(row)
        return Recording(
          id: RecordingID(catalogue: catalogue.id, value: title),
          fields: RecordingFields(texts: [("id", title)] + row.sorted { $0.key < $1.key }))
      },
      totals: totals, next: request.number < totals.pages ? request.number + 1 : nil)
  }
}
