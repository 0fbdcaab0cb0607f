import ChirperModel
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
    session.withLock { $0?.0.invalidateAndCancel() }
  }

  package func get(_ url: URL, headers: [String: String], limits: HTTPLimits) async throws(FetchError) -> HTTPResponse {
    guard !Task.isCancelled else { throw .cancelled }
    let (session, router) = opened()
    var request = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalAndRemoteCacheData)
    // Exchange keeps the time; URLSession's own timer only must not come first.
    request.timeoutInterval = 86_400
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    let ready = request
    return try await Exchange(host: url.host() ?? "", limits: limits).outcome { exchange in
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
      let made = (URLSession(configuration: configuration, delegate: router, delegateQueue: nil), router)
      session = made
      return made
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
    if let response = response as? HTTPURLResponse {
      var headers: [String: String] = [:]
      for (name, value) in response.allHeaderFields {
        if let name = name as? String, let value = value as? String { headers[name] = value }
      }
      exchange(of: dataTask)?.headArrived(status: response.statusCode, headers: headers)
    }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    exchange(of: dataTask)?.bodyArrived(data)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let exchange = exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }
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
