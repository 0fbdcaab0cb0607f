#if canImport(Observation)
  import ChirperModel
  import Observation

  /// The model of a search screen: a search bar's query, its state, and its rows, for SwiftUI and everything else that
  /// observes `@Observable` objects.
  ///
  /// It has one `Pager` at a time. Another query replaces it and cancels its loads; the release of the model cancels them, too.
  ///
  ///     let model = ListModel(repository)
  ///     model.search(query)                       // from the search bar
  ///     model.rowAppeared(at: position)           // endless scrolling
  ///     switch model.state { … }                  // the five states; nil: nothing to show yet
  @MainActor @Observable public final class ListModel {
    /// The query that is shown; `nil` before the first.
    public private(set) var query: CatalogueQuery?
    /// The newest snapshot of that query; `nil` until the store was read.
    public private(set) var snapshot: ListSnapshot?

    @ObservationIgnored private let repository: RecordingRepository
    @ObservationIgnored private let policy: ReadPolicy
    @ObservationIgnored private var pager: Pager?
    @ObservationIgnored private var observation: Task<Void, Never>?
    @ObservationIgnored private var loading: Task<Void, Never>?
    @ObservationIgnored private var loadingNextPage: Task<Void, Never>?
    /// Of the rows that appeared while a page was being loaded, the last.
    @ObservationIgnored private var waitingPosition: Int?

    /// How many rows before the last one the next page is loaded.
    public static let distance = 20

    /// A model that shows nothing yet.
    ///
    /// - Parameters:
    ///   - repository: which reads, requests and stores the pages.
    ///   - policy: what each search loads, and whether stored rows are shown before that.
    public init(_ repository: RecordingRepository, policy: ReadPolicy = .storeThenNetwork) {
      self.repository = repository
      self.policy = policy
    }

    deinit {
      for task in [observation, loading, loadingNextPage] { task?.cancel() }
    }

    /// What the screen shows; `nil` if nothing is stored and nothing is being loaded.
    public var state: ListState? { snapshot?.state }

    /// The rows, whatever the state.
    public var rows: RecordingList { snapshot?.rows ?? [] }

    /// Shows the stored rows of another query at once, and loads what the policy asks for. The loads of the query before are
    /// cancelled; what arrived of them is stored. The query that is shown already changes nothing. If nothing is found, the
    /// query's first alternative is shown in its place.
    public func search(_ query: CatalogueQuery) {
      guard query != self.query else { return }
      stop()
      self.query = query
      snapshot = nil
      let pager = Pager(repository, query: query, policy: policy)
      self.pager = pager
      let snapshots = pager.snapshots
      observation = Task { [weak self] in
        for await snapshot in snapshots {
          guard !Task.isCancelled else { return }
          self?.snapshot = snapshot
        }
      }
      loading = Task { [weak self] in
        guard let report = await pager.start(), report.foundNothing, !Task.isCancelled else { return }
        if let other = query.alternatives.first { self?.search(other) }
      }
    }

    /// Shows nothing, as before the first search, and cancels what is being loaded.
    public func clear() {
      stop()
      query = nil
      snapshot = nil
    }

    /// Loads the next page if the row is one of the last and there are more upstream; to be called for every row that
    /// appears. A failed load is not repeated: see `retry`.
    public func rowAppeared(at position: Int) {
      guard case .paging(let rows, next: _) = state, position >= rows.count - Self.distance else { return }
      if loadingNextPage == nil { loadNextPage() } else { waitingPosition = max(position, waitingPosition ?? 0) }
    }

    private func loadNextPage() {
      guard let pager else { return }
      loadingNextPage = Task { [weak self] in
        let report = await pager.loadNextPage()
        guard !Task.isCancelled, let self else { return }
        let position = waitingPosition
        (loadingNextPage, waitingPosition) = (nil, nil)
        // Rows that appeared meanwhile do not appear again, so a short page would be the last one.
        guard let position, let report, let stored = report.stored, report.failure == nil, report.failedPages.isEmpty,
          stored.next != nil, position >= stored.count - Self.distance
        else { return }
        loadNextPage()
      }
    }

    /// Repeats the load that failed last.
    public func retry() {
      guard let pager else { return }
      loading?.cancel()
      loading = Task { _ = await pager.retry() }
    }

    /// Brings the list up to date, and returns when that has ended: for `refreshable`.
    public func refresh() async {
      await pager?.refresh()
    }

    /// A load stops when every task that waits for it was cancelled.
    private func stop() {
      for task in [observation, loading, loadingNextPage] { task?.cancel() }
      (observation, loading, loadingNextPage, waitingPosition, pager) = (nil, nil, nil, nil, nil)
    }
  }
#endif
