#if canImport(Darwin)
import ChirperModel
import Foundation

/// The transport of requests on this system.
typealias SystemTransport = URLSessionTransport

/// A transport like `CurlTransport`, over URLSession. Its sessions are made at the first
/// request and keep their connections between requests.
final class URLSessionTransport: Sendable {
  private struct Session {
    let session: URLSession
    let router: SessionRouter

    init(usesProxies: Bool) {
      let configuration = URLSessionConfiguration.ephemeral
      configuration.urlCache = nil
      configuration.httpCookieStorage = nil
      configuration.urlCredentialStorage = nil
      configuration.tlsMinimumSupportedProtocolVersion = .TLSv12
      if !usesProxies { configuration.connectionProxyDictionary = [:] }
      router = SessionRouter()
      session = URLSession(configuration: configuration, delegate: router, delegateQueue: nil)
    }
  }

  /// One for this machine, where no proxy may see a request, and one for the rest.
  private let sessions = Locked<[Bool: Session]>([:])

  deinit {
    // A session keeps its delegate until it is invalidated.
    sessions.withLock { for session in $0.values { session.session.invalidateAndCancel() } }
  }

  /// - Parameters:
  ///   - body: of a POST; without one it is a GET.
  ///   - received: called with the head, without a body, and then after each piece of the body.
  func answer(
    to url: URL, headers: [String: String], body: [UInt8]? = nil, limits: HTTPLimits,
    received: BodyProgress? = nil
  ) async throws(FetchError) -> CatalogueClient.Response {
    guard !Task.isCancelled else { throw .cancelled }
    guard let host = ServiceAddress.host(url), !host.isEmpty, ServiceAddress.isSecure(url) else {
      throw FetchError(.addressRefused("it is not an HTTPS address"))
    }
    var request = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalAndRemoteCacheData)
    // Exchange keeps the time; URLSession's own timer only must not come first.
    request.timeoutInterval = 86_400
    if let body { (request.httpMethod, request.httpBody) = ("POST", Data(body)) }
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    let exchange = Exchange(host: host, limits: limits, received: received)
    let task = start(request, exchange, isLocal: Loopback.contains(host))
    let outcome = await exchange.outcome {
      task.resume()
    } stop: { [self] in
      // The transport must outlive its tasks, for its end cancels them.
      withExtendedLifetime(self) { task.cancel() }
    }
    // Also where it was over before it began: a task that never ends is never forgotten.
    if case .failure = outcome { task.cancel() }
    return try outcome.get()
  }

  private func start(_ request: URLRequest, _ exchange: Exchange, isLocal: Bool)
    -> URLSessionDataTask
  {
    sessions.withLock { sessions in
      let session = sessions[isLocal] ?? Session(usesProxies: !isLocal)
      sessions[isLocal] = session
      let task = session.session.dataTask(with: request)
      session.router.register(exchange, for: task)
      return task
    }
  }
}

/// Hands a session's events to the exchange they belong to.
private final class SessionRouter: NSObject, URLSessionDataDelegate, Sendable {
  private let exchanges = Locked<[Int: Exchange]>([:])

  func register(_ exchange: Exchange, for task: URLSessionTask) {
    exchanges.withLock { $0[task.taskIdentifier] = exchange }
  }

  private func exchange(of task: URLSessionTask) -> Exchange? {
    exchanges.withLock { $0[task.taskIdentifier] }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    take(response, for: exchange(of: dataTask))
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    exchange(of: dataTask)?.bodyArrived(data)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    guard let exchange = exchanges.withLock({ $0.removeValue(forKey: task.taskIdentifier) })
    else { return }
    // A redirect ends without its head having been delivered.
    if let response = task.response { take(response, for: exchange) }
    guard let error else { return exchange.finish() }
    exchange.fail(URLSessionFailure.read(error, host: exchange.host, hasHead: exchange.hasHead))
  }

  /// Never followed here: `CatalogueClient` judges where a redirect leads.
  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  /// Certificates are judged by the system. No service and no proxy is offered a name and
  /// password.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let space = challenge.protectionSpace
    if space.isProxy() {
      exchange(of: task)?.fail(
        FetchError(.proxyRefused(proxy: "\(space.host):\(space.port)")))
      return completionHandler(.cancelAuthenticationChallenge, nil)
    }
    let isTrust = space.authenticationMethod == NSURLAuthenticationMethodServerTrust
    completionHandler(isTrust ? .performDefaultHandling : .rejectProtectionSpace, nil)
  }

  private func take(_ response: URLResponse, for exchange: Exchange?) {
    guard let response = response as? HTTPURLResponse else { return }
    var headers = HTTPHeaders()
    for (name, value) in response.allHeaderFields {
      if let name = name as? String, let value = value as? String {
        headers.append(value, to: name)
      }
    }
    exchange?.headArrived(status: response.statusCode, headers: headers)
  }
}

/// The boundary to URLSession's errors, which print the whole URL and with it the key: only a
/// fixed phrase passes.
enum URLSessionFailure {
  static func read(_ error: any Error, host: String, hasHead: Bool) -> FetchError {
    func unreachable(_ detail: String) -> FetchError {
      .unreachable(host: host, detail: detail)
    }
    let error = error as NSError
    guard error.domain == NSURLErrorDomain else {
      return unreachable("the connection failed")
    }
    switch URLError.Code(rawValue: error.code) {
    case .cancelled: return .cancelled
    case .notConnectedToInternet, .cannotFindHost, .dnsLookupFailed, .dataNotAllowed,
      .internationalRoamingOff:
      return .offline(host: host)
    case .timedOut: return FetchError(.timedOut(host: host, phase: hasHead ? .idle : .connect))
    case .serverCertificateUntrusted, .serverCertificateHasBadDate,
      .serverCertificateHasUnknownRoot,
      .serverCertificateNotYetValid, .clientCertificateRejected, .clientCertificateRequired:
      return FetchError(.badCertificate(host: host))
    case .secureConnectionFailed:
      return unreachable("no secure connection came about")
    case .cannotDecodeContentData, .cannotDecodeRawData:
      return .malformed("its compression is damaged")
    case .cannotConnectToHost:
      return unreachable("it refuses the connection")
    case _ where hasHead: return FetchError(.truncated)
    case .networkConnectionLost: return unreachable("the connection broke")
    default: return unreachable("it gave no HTTP answer")
    }
  }
}
#endif
