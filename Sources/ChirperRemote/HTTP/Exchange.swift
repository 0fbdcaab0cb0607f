import ChirperModel
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One request on its way: collects the answer, counts its bytes, keeps its time-outs, and ends exactly once.
final class Exchange: Sendable {
  typealias Outcome = Result<HTTPResponse, FetchError>

  private struct State {
    var watch: TransferWatch
    var task: URLSessionDataTask?
    var waiter: CheckedContinuation<Outcome, Never>?
    var head: (status: Int, headers: [String: String])?
    var body: [UInt8] = []
    var outcome: Outcome?
  }

  private let host: String
  private let limits: HTTPLimits
  private let state: Mutex<State>

  init(host: String, limits: HTTPLimits) {
    self.host = host
    self.limits = limits
    state = Mutex(State(watch: TransferWatch(limits: limits, start: .now)))
  }

  /// Starts the task and waits for the end, whichever of answer, failure, time-out and cancellation comes first.
  func outcome(starting makeTask: @escaping @Sendable (Exchange) -> URLSessionDataTask) async -> Outcome {
    // Cancelled when this scope ends.
    async let _ = watch()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let early = state.withLock { state in
          if state.outcome == nil { state.waiter = waiter }
          return state.outcome
        }
        if let early { return waiter.resume(returning: early) }
        Self.starts.async { [self] in
          guard state.withLock({ $0.outcome == nil }) else { return }
          let task = makeTask(self)
          task.resume()
          // Known to `end` only now, so that no task is resumed behind its cancelling.
          let isLate = state.withLock { state in
            if state.outcome == nil { state.task = task }
            return state.outcome != nil
          }
          if isLate { task.cancel() }
        }
      }
    } onCancel: {
      end(.failure(.cancelled))
    }
  }

  /// Only the first head counts, and none that comes before the answer's own (103 Early Hints).
  func headArrived(_ response: URLResponse) {
    guard let response = response as? HTTPURLResponse, response.statusCode >= 200 else { return }
    var headers: [String: String] = [:]
    for (name, value) in response.allHeaderFields {
      if let name = name as? String, let value = value as? String { headers[name] = value }
    }
    let isFirst = state.withLock { state in
      guard state.head == nil else { return false }
      state.head = (response.statusCode, headers)
      let length = headers.first { $0.key.lowercased() == "content-length" }.flatMap { Int($0.value) }
      state.body.reserveCapacity(min(max(0, length ?? 0), limits.bodyBytes))
      state.watch.headArrived(at: .now)
      return true
    }
    guard isFirst else { return }
    let encoding = headers.first { $0.key.lowercased() == "content-encoding" }?.value ?? ""
    for name in encoding.lowercased().split(separator: ",").map({ $0.filter { !$0.isWhitespace } })
    where !Self.knownEncodings.contains(name) {
      end(.failure(.unknownEncoding(name)))
    }
  }

  func bodyArrived(_ data: Data) {
    let isTooLarge = state.withLock { state in
      guard state.outcome == nil else { return false }
      guard state.body.count + data.count <= limits.bodyBytes else { return true }
      state.watch.bodyArrived(data.count, at: .now)
      state.body.append(contentsOf: data)
      return false
    }
    if isTooLarge { end(.failure(.tooLarge(limit: limits.bodyBytes))) }
  }

  /// The answer is whole.
  func finish() {
    let answer = state.withLock { state in
      state.head.map { HTTPResponse(status: $0.status, headers: $0.headers, body: state.body) }
    }
    end(answer.map(Outcome.success) ?? .failure(.unreachable(host: host, detail: "no answer came")))
  }

  func fail(_ error: any Error) {
    let hadHead = state.withLock { $0.head != nil }
    end(.failure(TransportFault.read(error, host: host, afterHead: hadHead)))
  }

  /// The first outcome counts; anything but a whole answer also stops the task, at once.
  private func end(_ outcome: Outcome) {
    let (task, waiter) = state.withLock { state in
      guard state.outcome == nil else { return (nil, nil) as (URLSessionDataTask?, CheckedContinuation<Outcome, Never>?) }
      state.outcome = outcome
      state.body = []
      defer { (state.task, state.waiter) = (nil, nil) }
      return (state.task, state.waiter)
    }
    waiter?.resume(returning: outcome)
    if case .failure = outcome, let task { Self.ends.async { task.cancel() } }
  }

  /// URLSession on Linux does not honour `timeoutIntervalForResource`, and nowhere a minimum rate.
  private func watch() async {
    while let look = state.withLock({ $0.outcome == nil ? $0.watch.nextLook(after: .now) : nil }) {
      do { try await Task.sleep(until: look, clock: .continuous) } catch { return }
      let phase = state.withLock { $0.watch.expired(at: .now) }
      if let phase { end(.failure(.timedOut(host: host, phase: phase))) }
    }
  }

  // Making, resuming and cancelling a task and ending a session wait for a queue that all sessions of the process share
  // on Linux, and a body that inflates faster than it arrives keeps that queue busy. Such waits belong neither on the
  // threads of Swift's tasks nor on the one that delivers the body, and nowhere more than one thread of the pool; an end
  // must not wait behind a start.
  private static let starts = DispatchQueue(label: "chirper.starts")
  static let ends = DispatchQueue(label: "chirper.ends")

  /// What libcurl and Apple's URLSession undo by themselves.
  private static let knownEncodings: Set = ["", "identity", "gzip", "x-gzip", "deflate", "br", "zstd"]
}
