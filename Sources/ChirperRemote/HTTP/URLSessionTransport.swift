import ChirperModel
import CurlOnDemand
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// `HTTPTransport` over URLSession; the session is made at the first request and keeps its connections between pages.
package final class URLSessionTransport: HTTPTransport {
  private let session = Mutex<(URLSession, SessionRouter)?>(nil)

  package init() {}

  deinit {
    guard let (session, _) = session.withLock({ $0 }) else { return }
    Exchange.ends.async { session.invalidateAndCancel() }
  }

  package func get(_ url: URL, headers: [String: String], limits: HTTPLimits) async throws(FetchError) -> HTTPResponse {
    guard !Task.isCancelled else { throw .cancelled }
    guard curl_on_demand_is_there() else {
      throw .unreachable(host: url.host() ?? "", detail: "libcurl is not installed (Debian: libcurl4)")
    }
    var request = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalAndRemoteCacheData)
    // Exchange keeps the time; URLSession's own timer only must not come first.
    request.timeoutInterval = 86_400
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    let ready = request
    return try await Exchange(host: url.host() ?? "", limits: limits).outcome { exchange in
      // Opened here so that the transport outlives the start: a session that was invalidated traps.
      let (session, router) = self.opened()
      let task = session.dataTask(with: ready)
      router.register(exchange, for: task)
      return task
    }.get()
  }

  private func opened() -> (URLSession, SessionRouter) {
    session.withLock { session in
      if let session { return session }
      let configuration = URLSessionConfiguration.ephemeral
      configuration.urlCache = nil
      configuration.httpCookieStorage = nil
      configuration.urlCredentialStorage = nil
      let router = SessionRouter()
      let made = (URLSession(configuration: configuration, delegate: router, delegateQueue: DeliveryQueue()), router)
      session = made
      return made
    }
  }
}

/// Makes the thread that reads the network wait while pieces of a body lie undelivered: URLSession on Linux hands them
/// over without back-pressure, and a fast endless body filled 600 MB before its cancelling got through.
private final class DeliveryQueue: OperationQueue, @unchecked Sendable {  // Safe: its only own state is a semaphore.
  private let places = DispatchSemaphore(value: 64)

  override init() {
    super.init()
    maxConcurrentOperationCount = 1
  }

  override func addOperation(_ block: @escaping @Sendable () -> Void) {
    places.wait()
    super.addOperation { [places] in
      defer { places.signal() }
      block()
    }
  }
}

/// Hands a session's events to the exchange they belong to. Delegates of single tasks would be simpler, but on Linux
/// they are not told of the end.
private final class SessionRouter: NSObject, URLSessionDataDelegate, Sendable {
  private let exchanges = Mutex<[Int: Exchange]>([:])

  func register(_ exchange: Exchange, for task: URLSessionTask) {
    exchanges.withLock { $0[task.taskIdentifier] = exchange }
  }

  private func exchange(of task: URLSessionTask) -> Exchange? {
    exchanges.withLock { $0[task.taskIdentifier] }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    exchange(of: dataTask)?.headArrived(response)
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    exchange(of: dataTask)?.bodyArrived(data)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let exchange = exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }
    // On Linux a redirect without a target ends without its head having been told.
    if let response = task.response { exchange?.headArrived(response) }
    if let error { exchange?.fail(error) } else { exchange?.finish() }
  }

  /// Never followed here: `HTTPClient` judges where a redirect goes.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  /// Certificates are judged by the system. For a 401 with `WWW-Authenticate` no credential is offered; on Linux the
  /// challenge comes after the body, and left to the default the request hangs for ever (swift-corelibs-foundation
  /// issue 5456).
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    #if canImport(FoundationNetworking)
      exchange(of: task)?.finish()
      completionHandler(.cancelAuthenticationChallenge, nil)
    #else
      let isTrust = challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust
      completionHandler(isTrust ? .performDefaultHandling : .rejectProtectionSpace, nil)
    #endif
  }
}
