import ChirperModel
import ChirperPlatform
import ChirperRemote

/// A `ModelCatalogue` that answers a request only while its gate is open, so that a test can look at a load under way.
public final class GatedCatalogue: PageFetcher {
  public let model: ModelCatalogue
  private let state = Locked((isOpen: true, obeysCancellation: true, requests: 0))

  public init(_ model: ModelCatalogue) {
    self.model = model
  }

  public var catalogue: Catalogue { model.catalogue }

  /// Requests that came to the gate.
  public var requests: Int { state.withLock(\.requests) }

  public func open() { state.withLock { $0.isOpen = true } }

  /// - Parameter evenIfCancelled: whether a request that is cancelled waits, too.
  public func close(evenIfCancelled: Bool = false) {
    state.withLock { ($0.isOpen, $0.obeysCancellation) = (false, !evenIfCancelled) }
  }

  public func page(_ request: PageRequest) async throws(FetchError) -> RecordingPage {
    state.withLock { $0.requests += 1 }
    while !state.withLock(\.isOpen) {
      if Task.isCancelled, state.withLock(\.obeysCancellation) { throw .cancelled }
      try? await Task.sleep(for: .milliseconds(1))
    }
    return try await model.page(request)
  }
}
