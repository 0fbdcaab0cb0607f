import ChirperModel
import ChirperPlatform
import ChirperRemote

/// A catalogue in memory that an app fills itself, for previews and tests. It is paged like a
/// service, and can be slow, fail and change.
///
/// A query finds the titles that contain its text, in any case. Each recording has the fields `id`
/// and `title`; its id is its title, so titles must be unique.
///
///     let catalogue = PreviewCatalogue(titles: (1...100).map { "Robin \($0)" })
///     let repository = try RecordingRepository.inMemory(catalogues: [catalogue])
///     let pager = Pager(repository, query: try catalogue.catalogue.query("robin"))
public final class PreviewCatalogue: PageFetcher {
  /// The catalogue, with pages of 1 to 500 recordings, 20 by default.
  public let catalogue: Catalogue
  private let state: Locked<State>

  private struct State: Sendable {
    var titles: [String]
    var delay: Duration = .zero
    var failure: FetchError?
    var requests: [PageRequest] = []
  }

  /// - Parameters:
  ///   - id: the catalogue's id and name.
  ///   - titles: of the recordings, in the order of the list.
  public init(id: String = "preview", titles: [String]) {
    state = Locked(State(titles: titles))
    var catalogue = Catalogue(id: CatalogueID(rawValue: id), name: id)
    catalogue.pageSizes = 1...500
    catalogue.defaultPageSize = 20
    catalogue.minimumInterval = .zero
    catalogue.fields = ["id", "title"]
    catalogue.details = [.text(\.vernacularName, of: "title")]
    self.catalogue = catalogue
  }

  /// The recordings that are upstream now.
  public var titles: [String] {
    get { state.withLock(\.titles) }
    set { state.withLock { $0.titles = newValue } }
  }

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
    let (titles, failure) = state.withLock { ($0.titles, $0.failure) }
    if let failure { throw failure }
    let size = request.query.pageSize
    let found = titles.filter { $0.lowercased().contains(request.query.identity) }
    let pages = max(1, (found.count + size - 1) / size)
    return RecordingPage(
      number: request.number,
      recordings: found.dropFirst((request.number - 1) * size).prefix(size).map { title in
        Recording(
          id: RecordingID(catalogue: catalogue.id, value: title),
          fields: RecordingFields(["id": title, "title": title]))
      },
      totals: RecordingPage.Totals(recordings: found.count, pages: pages),
      next: request.number < pages ? request.number + 1 : nil)
  }
}
