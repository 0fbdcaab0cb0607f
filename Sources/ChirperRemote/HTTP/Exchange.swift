import ChirperModel
import Foundation

/// The head of an answer, without a body, and how many bytes of the body have arrived.
typealias BodyProgress = @Sendable (_ head: CatalogueClient.Response, _ count: Int) -> Void

/// One request of any transport: collects the answer, counts its bytes, keeps its time-outs, and
/// ends exactly once.
final class Exchange: Sendable {
  typealias Outcome = Result<CatalogueClient.Response, FetchError>

  private struct State {
    var watch: TransferWatch
    var waiter: CheckedContinuation<Outcome, Never>?
    var stop: (@Sendable () -> Void)?
    /// The answer without its body.
    var head: CatalogueClient.Response?
    var body: [UInt8] = []
    var outcome: Outcome?
  }

  let host: String
  let limits: HTTPLimits
  private let received: BodyProgress?
  private let state: Locked<State>

  /// - Parameter received: called with the head, without a body, and then after each piece of the
  ///   body; it must return soon.
  init(host: String, limits: HTTPLimits, received: BodyProgress? = nil) {
    self.host = host
    self.limits = limits
    self.received = received
    state = Locked(State(watch: TransferWatch(limits: limits, start: .now)))
  }

  /// Starts the transfer and waits for the end, whichever of answer, failure, time-out and
  /// cancellation comes first.
  ///
  /// - Parameters:
  ///   - start: not called where the exchange ended before.
  ///   - stop: called once, on any thread, where the exchange ends before its transfer does.
  func outcome(start: @Sendable () -> Void, stop: @escaping @Sendable () -> Void) async -> Outcome {
    // Cancelled when this scope ends. It does not run where the transfer runs, so a blocked
    // transfer still times out.
    async let _ = watch()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let early = state.withLock { state in
          if state.outcome == nil { (state.waiter, state.stop) = (waiter, stop) }
          return state.outcome
        }
        if let early { waiter.resume(returning: early) } else { start() }
      }
    } onCancel: {
      end(.failure(.cancelled))
    }
  }

  var isOver: Bool { state.withLock { $0.outcome != nil } }

  var hasHead: Bool { state.withLock { $0.head != nil } }

  /// Takes the head of the answer. Only the first head counts, and no hint before it (103
  /// Early Hints).
  ///
  /// - Returns: Whether the transfer should continue.
  @discardableResult
  func headArrived(status: Int, headers: HTTPHeaders, endIsMarked: Bool = false) -> Bool {
    guard status >= 200 else { return !isOver }
    let length = headers["Content-Length"].flatMap { Int($0) }
    let head = CatalogueClient.Response(
      status: status, headers: headers, body: [], endIsMarked: endIsMarked)
    let isFirst = state.withLock { state in
      guard state.head == nil, state.outcome == nil else { return false }
      state.head = head
      state.body.reserveCapacity(min(max(0, length ?? 0), limits.bodyBytes, Self.largestReserve))
      state.watch.headArrived(at: .now)
      return true
    }
    guard isFirst else { return !isOver }
    received?(head, 0)
    if let encoding = Self.unknownEncoding(headers) {
      end(.failure(FetchError(.unknownEncoding(encoding))))
    } else if let length, length > limits.bodyBytes, status != 304 {
      end(.failure(FetchError(.tooLarge(limit: limits.bodyBytes))))
    }
    return !isOver
  }

  /// Returns whether the transfer should continue.
  @discardableResult
  func bodyArrived(_ bytes: some Collection<UInt8>) -> Bool {
    let (isTaken, count, head) = state.withLock { state in
      guard state.outcome == nil, state.body.count + bytes.count <= limits.bodyBytes else {
        return (false, 0, state.head)
      }
      state.watch.bodyArrived(bytes.count, at: .now)
      state.body.append(contentsOf: bytes)
      return (true, state.body.count, state.head)
    }
    if !isTaken {
      // This has no effect if the exchange is over.
      end(.failure(FetchError(.tooLarge(limit: limits.bodyBytes))))
    } else if let head {
      received?(head, count)
    }
    return isTaken
  }

  /// The transfer ended well: the answer is whole, if a head came at all.
  func finish() {
    let answer = state.withLock { state in
      state.head.map {
        CatalogueClient.Response(
          status: $0.status, headers: $0.headers, body: state.body, endIsMarked: $0.endIsMarked)
      }
    }
    end(
      answer.map(Outcome.success)
        ?? .failure(.unreachable(host: host, detail: "it gave no HTTP answer")))
  }

  func fail(_ error: FetchError) {
    end(.failure(error))
  }

  /// The first outcome counts; anything but a whole answer also stops the transfer.
  private func end(_ outcome: Outcome) {
    let (waiter, stop) = state.withLock { state in
      guard state.outcome == nil else {
        return (nil, nil) as (CheckedContinuation<Outcome, Never>?, (@Sendable () -> Void)?)
      }
      state.outcome = outcome
      state.body = []
      defer { (state.waiter, state.stop) = (nil, nil) }
      return (state.waiter, state.stop)
    }
    // The waiter first: stopping may take a moment.
    waiter?.resume(returning: outcome)
    if case .failure = outcome { stop?() }
  }

  private func watch() async {
    while let look = state.withLock({ $0.outcome == nil ? $0.watch.nextLook(after: .now) : nil }) {
      do { try await Task.sleep(until: look, clock: .continuous) } catch { return }
      let phase = state.withLock { $0.watch.expired(at: .now) }
      if let phase { end(.failure(FetchError(.timedOut(host: host, phase: phase)))) }
    }
  }

  private static func unknownEncoding(_ headers: HTTPHeaders) -> String? {
    let names = headers.all("Content-Encoding").flatMap { $0.lowercased().split(separator: ",") }
    return names.map { $0.filter { !$0.isWhitespace } }.first { !knownEncodings.contains($0) }
  }

  /// The encodings that libcurl and Apple's URLSession decompress by themselves.
  private static let knownEncodings: Set = [
    "", "identity", "gzip", "x-gzip", "deflate", "br", "zstd",
  ]

  /// A length that is announced is not yet sent, so no more than this is set aside for it.
  private static let largestReserve = 4 << 20
}
