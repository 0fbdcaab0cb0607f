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
    /// The newest snapshot of that query; `nil` until the store was read, which takes no time once
    /// a screen has read it.
    public private(set) var snapshot: ListSnapshot? {
      didSet { if snapshot?.rows != oldValue?.rows { readWindow() } }
    }
    /// The first rows of the list, each with its position and the id of its recording: for
    /// `ForEach`. It begins with at most 200 rows and grows while rows near its end appear, so that
    /// a list of a million rows is never read as a whole. `rows[row]` is the recording of a row.
    public private(set) var window: [RecordingList.Row] = []
    /// Whether the first load of the query has not ended.
    private var isStarting = false

    /// `nil` in a preview.
    @ObservationIgnored private let repository: RecordingRepository?
    @ObservationIgnored private let policy: Pager.ReadPolicy
    @ObservationIgnored private var pager: Pager?
    @ObservationIgnored private var observation: Task<Void, Never>?
    @ObservationIgnored private var loading: Task<Void, Never>?
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
      for task in [observation, loading, reading] { task?.cancel() }
      if let pager { Task { await pager.cancel() } }
    }

    /// The state that the screen shows; `nil` if nothing was fetched and nothing is being
    /// loaded, as before the first search, or with `Pager.ReadPolicy.storeOnly`.
    public var state: ListState? {
      guard let snapshot else { return asked == nil ? nil : .loading }
      return snapshot.state ?? (isStarting ? .loading : nil)
    }

    /// The rows to show, whatever the state.
    public var rows: RecordingList { snapshot?.rows ?? [] }

    /// Whether a load is under way.
    public var isLoading: Bool { isStarting || snapshot?.isLoading ?? false }

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
      let pager = Pager(repository, query: query, policy: policy)
      self.pager = pager
      // No frame without rows between two lists that are stored.
      snapshot = pager.snapshotAtOnce
      isStarting = true
      let snapshots = pager.snapshots
      observation = Task { [weak self] in
        for await snapshot in snapshots {
          guard !Task.isCancelled, let self else { return }
          self.snapshot = snapshot
        }
      }
      loading = Task { [weak self] in
        await pager.start()
        guard !Task.isCancelled, let self else { return }
        showNewest(of: pager)
        isStarting = false
      }
    }

    /// Shows nothing, as before the first search, and cancels what is being loaded.
    public func clear() {
      stop()
      asked = nil
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
        guard let read = try? await rows.window(0..<end), !Task.isCancelled else { return }
        self?.window = read
      }
    }

    /// Loads the next page: for a button, while `show` hides rows.
    public func loadNextPage() {
      guard let pager else { return }
      Task { await pager.loadNextPage() }
    }

    /// Shows the rows that satisfy a search, in the order of `sort`, until the next search.
    /// When it returns, `rows` are those.
    ///
    /// - Parameters:
    ///   - filter: the search; `nil` for all rows.
    ///   - sort: keys, the most important first; without keys the list's own order.
    /// - Throws: `SearchExpressionError`, `StoreError`, and `CancellationError`.
    public func show(where filter: SearchExpression? = nil, sort: [SortKey] = []) async throws {
      guard let pager else { return }
      try await pager.show(where: filter, sort: sort)
      showNewest(of: pager)
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
      for task in [observation, loading, reading] { task?.cancel() }
      if let pager { Task { await pager.cancel() } }
      observation = nil
      loading = nil
      pager = nil
      windowLimit = Self.windowStep
    }
  }
#endif
