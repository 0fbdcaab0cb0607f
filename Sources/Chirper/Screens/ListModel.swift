#if canImport(Observation)
import ChirperModel
import Observation

/// The model of a search screen: a search bar's query, its state, and its rows, for
/// SwiftUI and everything else that observes `@Observable` objects.
///
/// It has one `Pager` at a time. Another query replaces it and cancels its loads; the
/// release of the model cancels them, too.
///
///     let model = ListModel(repository)
///     model.search(query)                       // from the search bar
///     ForEach(model.window) { row in … }        // the rows, by their recordings
///     model.rowAppeared(row)                    // endless scrolling
///     switch model.state { … }                  // the five states; nil: nothing to show yet
@MainActor @Observable public final class ListModel {
  /// The query whose list is shown: that of the last search, or the form of it that is stored or
  /// found something; `nil` before the first search.
  public var query: CatalogueQuery? { snapshot?.query ?? asked }
  /// The query of the last search.
  private var asked: CatalogueQuery?
  /// The error of a typed text that cannot be searched for, until the next search.
  private var refusal: QueryError?
  /// The newest snapshot of that query; `nil` until the store was read, which takes no time once
  /// a screen has read it.
  public private(set) var snapshot: ListSnapshot? {
    didSet { if snapshot?.rows != oldValue?.rows { readWindow() } }
  }
  /// The first rows of the list, each with its position and the id of its recording: for
  /// `ForEach`. It begins with at most 200 rows and grows while rows near its end appear, so that
  /// a list of a million rows is never read as a whole. `rows[row]` is the recording of a row.
  public private(set) var window: [RecordingList.Row] = []
  #if Collection
  /// The search that rows must satisfy to be shown; `nil` for all. Another query keeps it.
  ///
  /// It hides rows and nothing else: `state`, the counts and the loads stay those of the list.
  /// While it hides rows, scrolling loads no page: offer `loadNextPage`.
  public var filter: SearchExpression? { didSet { if filter != oldValue { arrange() } } }
  /// The order of the rows: keys, the most important first; without keys the list's own order.
  /// Another query keeps it.
  public var sort: [SortKey] = [] { didSet { if sort != oldValue { arrange() } } }
  /// The reason why the rows are not those of `filter` and `sort`: a `SearchExpressionError` for a
  /// list that is not stored, or a `StoreError`; `nil` if they are, or soon will be.
  public private(set) var arrangementError: (any Error)?
  #endif
  /// Whether the first load of the query has not ended.
  private var isStarting = false

  /// `nil` in a preview.
  @ObservationIgnored private let repository: RecordingRepository?
  @ObservationIgnored private let policy: Pager.ReadPolicy
  @ObservationIgnored private var pager: Pager?
  @ObservationIgnored private var observation: Task<Void, Never>?
  @ObservationIgnored private var loading: Task<Void, Never>?
  @ObservationIgnored private var arranging: Task<Void, Never>?
  /// Reads a longer window.
  @ObservationIgnored private var reading: Task<Void, Never>?
  /// The number of rows that `window` may have.
  @ObservationIgnored private var windowLimit = ListModel.windowStep
  /// Rows by which the window grows.
  private nonisolated static let windowStep = 200

  /// A model that shows nothing yet.
  ///
  /// - Parameters:
  ///   - repository: the repository, which reads, requests and stores the pages.
  ///   - policy: the loads of each search, and whether stored rows are shown before that.
  public init(_ repository: RecordingRepository, policy: Pager.ReadPolicy = .storeThenNetwork) {
    self.repository = repository
    self.policy = policy
  }

  /// A model for previews and tests, which shows a snapshot and loads nothing.
  public init(previewing snapshot: ListSnapshot) {
    repository = nil
    policy = .storeOnly
    self.snapshot = snapshot
    readWindow()
  }

  deinit {
    for task in [observation, loading, arranging, reading] { task?.cancel() }
    if let pager { Task { await pager.cancel() } }
  }

  /// The state that the screen shows; `nil` if nothing was fetched and nothing is being
  /// loaded, as before the first search, or with `Pager.ReadPolicy.storeOnly`.
  public var state: ListState? {
    if let refusal { return .error(.query(refusal), cached: []) }
    guard let snapshot else { return asked == nil ? nil : .loading }
    return snapshot.state ?? (isStarting ? .loading : nil)
  }

  /// The rows to show, whatever the state.
  public var rows: RecordingList { snapshot?.rows ?? [] }

  /// The progress of the load under way, or the error of the last; its `message` has words for
  /// both, from the first frame.
  public var load: LoadState {
    if let refusal { return .failed(.query(refusal)) }
    let load = snapshot?.load ?? .idle
    return isStarting && load == .idle ? .loading(.starting) : load
  }

  /// Whether a load is under way.
  public var isLoading: Bool { if case .loading = load { true } else { false } }

  /// Searches a catalogue for what a person typed, as `search(_:)` does; shows nothing for a text
  /// with only white space, and the error as the state for one that cannot be a query.
  ///
  /// - Parameters:
  ///   - text: words, or the catalogue's query language.
  ///   - id: a catalogue of chirper's, or one that was given to the repository.
  public func search(_ text: String, in id: CatalogueID) {
    guard let repository else { return }
    do throws(QueryError) {
      search(try repository.query(text, in: id))
    } catch {
      clear()
      if error.reason != .blank { refusal = error }
    }
  }

  /// Shows the stored rows of a different query at once, and loads what the policy asks
  /// for. The loads of the query before are cancelled, and the pages that arrived are
  /// stored. For the query that was searched for last, or whose list is shown, a load that failed
  /// is repeated, and nothing else changes. If nothing is found, the query's alternatives are
  /// asked, then different names of the species that it names, until one finds something; it is
  /// that one's list that is shown, also when the query is searched for again.
  public func search(_ query: CatalogueQuery) {
    guard let repository else { return }
    guard query != asked && query != self.query else {
      if snapshot?.failure != nil { retry() }
      return
    }
    stop()
    asked = query
    refusal = nil
    let pager = Pager(repository, query: query, policy: policy)
    self.pager = pager
    // No frame without rows between two lists that are stored, and none with rows that are hidden.
    snapshot = isWhole ? pager.snapshotAtOnce : nil
    isStarting = true
    #if Collection
    if !isWhole { arrange() }
    #endif
    let snapshots = pager.snapshots
    observation = Task { [weak self] in
      await self?.waitForArrangement()
      for await snapshot in snapshots {
        guard !Task.isCancelled, let self else { return }
        self.snapshot = snapshot
      }
    }
    loading = Task { [weak self] in
      await pager.start()
      await self?.waitForArrangement()
      guard !Task.isCancelled, let self else { return }
      showNewest(of: pager)
      isStarting = false
    }
  }

  /// Shows nothing, as before the first search, and cancels what is being loaded.
  public func clear() {
    stop()
    asked = nil
    refusal = nil
    snapshot = nil
    isStarting = false
  }

  /// Makes `window` longer if the row is one of its last, and loads the next page if it is one
  /// of the last of the list; to be called for every row that appears.
  public func rowAppeared(_ row: RecordingList.Row) { rowAppeared(at: row.position) }

  /// Does what `rowAppeared(_:)` does, for a screen that shows `rows` by their positions.
  ///
  /// - Parameters:
  ///   - position: the position of the row in `rows`, from 0.
  ///   - distance: the distance to the last row, in rows, at which the next page is loaded.
  public func rowAppeared(at position: Int, distance: Int = Pager.distance) {
    pager?.rowAppeared(at: position, distance: distance)
    guard position >= windowLimit - Self.windowStep / 2 else { return }
    // Rows that come later are in the window, too: the last row does not appear again then.
    let hasMore = windowLimit < rows.count
    windowLimit = position + Self.windowStep
    if hasMore { readWindow() }
  }

  /// A short window is read at once, so that the first frame has it; a longer one elsewhere.
  private func readWindow() {
    reading?.cancel()
    let (rows, end) = (rows, min(windowLimit, rows.count))
    guard end > Self.windowStep else {
      return window = rows.prefix(end).enumerated().map { .init(position: $0, id: $1.id) }
    }
    reading = Task { [weak self] in
      guard let read = try? await rows.rows(in: 0..<end), !Task.isCancelled else { return }
      self?.window = read
    }
  }

  /// Loads the next page: for a button, while `show` hides rows.
  public func loadNextPage() {
    guard let pager else { return }
    Task { await pager.loadNextPage() }
  }

  #if Collection
  private var isWhole: Bool { filter == nil && sort.isEmpty }

  private func arrange() {
    guard let pager else { return }
    arranging?.cancel()
    arranging = Task { [weak self, filter, sort] in
      var failure: (any Error)?
      do { try await pager.show(where: filter, sort: sort) } catch { failure = error }
      guard !Task.isCancelled, let self else { return }
      arrangementError = failure
      showNewest(of: pager)
    }
  }
  #else
  private let isWhole = true
  #endif

  /// Waits until the rows are those of `filter` and `sort`, or it is known why they are not.
  private func waitForArrangement() async {
    while let last = arranging {
      await last.value
      if last == arranging { return }
    }
  }

  /// Repeats the load that failed last.
  public func retry() {
    guard let pager else { return }
    Task { await pager.retry() }
  }

  /// Brings the list up to date, and returns when that has ended: for `refreshable`.
  public func refresh() async {
    guard let pager else { return }
    await pager.refresh()
    showNewest(of: pager)
  }

  /// Shows what a call that has ended brought: its snapshot may not have arrived.
  private func showNewest(of pager: Pager) {
    if pager === self.pager { snapshot = pager.snapshotAtOnce ?? snapshot }
  }

  private func stop() {
    for task in [observation, loading, arranging, reading] { task?.cancel() }
    if let pager { Task { await pager.cancel() } }
    #if Collection
    arrangementError = nil
    #endif
    observation = nil
    loading = nil
    arranging = nil
    pager = nil
    windowLimit = Self.windowStep
  }
}
#endif
