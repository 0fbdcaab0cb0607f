import Chirper
import ChirperModel

/// A catalogue for tests that answers only while its gate is open, so that a test can look
/// at a screen while a page is being loaded. The catalogue within it, such as a
/// `PreviewCatalogue`, does the rest.
///
///     let gate = GatedCatalogue(PreviewCatalogue(titles: ["Robin"]))
///     gate.close()
public final class GatedCatalogue: PageFetcher {
  private let pages: any PageFetcher
  private let state = Locked((isOpen: true, obeysCancellation: true, requests: 0))

  /// A gate, which is open, in front of a catalogue.
  public init(_ pages: any PageFetcher) {
    self.pages = pages
  }

  /// The description of the catalogue within the gate.
  public var catalogue: Catalogue { pages.catalogue }

  /// The shortest time between two requests to the catalogue within the gate.
  public var minimumInterval: Duration { pages.minimumInterval }

  /// Requests that came to the gate, answered or not.
  public var requests: Int { state.withLock(\.requests) }

  /// Waits until `count` requests have come to the gate since it was made.
  ///
  /// - Throws: `CancellationError` if the task is cancelled. Give the test a time limit.
  public func requested(_ count: Int) async throws {
    while requests < count { try await Task.sleep(for: .milliseconds(1)) }
  }

  /// Lets every request through, also those that wait.
  public func open() { state.withLock { $0.isOpen = true } }

  /// Lets no request through until `open` is called.
  ///
  /// - Parameter evenIfCancelled: whether a request that is cancelled goes on waiting, as a service
  ///   that answers late does.
  public func close(evenIfCancelled: Bool = false) {
    state.withLock { ($0.isOpen, $0.obeysCancellation) = (false, !evenIfCancelled) }
  }

  /// The page, once the gate is open.
  public func page(_ request: PageRequest) async throws(FetchError) -> RecordingPage {
    state.withLock { $0.requests += 1 }
    while !state.withLock(\.isOpen) {
      if Task.isCancelled, state.withLock(\.obeysCancellation) { throw .cancelled }
      try? await Task.sleep(for: .milliseconds(1))
    }
    return try await pages.page(request)
  }
}

extension GatedCatalogue: NameFetcher {
  package func knownNames(of query: CatalogueQuery, stored: String?) -> LookedUpQuery? {
    pages.knownNames(of: query, stored: stored)
  }

  package func lookUpNames(of query: CatalogueQuery) async throws(FetchError) -> LookedUpQuery {
    try await pages.lookUpNames(of: query)
  }
}
