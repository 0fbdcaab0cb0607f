// Unsafe memory: pointers of libcurl.

#if os(Linux) || os(Android)
import ChirperModel
import CurlLibrary
import Foundation

/// The transport of requests on this system.
typealias SystemTransport = CurlTransport

/// Requests over libcurl, loaded at the first: no redirect is followed, nothing repeated, errors
/// are typed and free of the URL. A transport has its own connections, kept between requests, and
/// one thread, which ends with it (docs/decisions/0016).
final class CurlTransport: Sendable {
  private let loop = CurlLoop()
  private let proxies: ProxySettings?
  private let authorities: String?

  /// - Parameters:
  ///   - proxies: the proxies; if `nil`, those of the environment at each request.
  ///   - authorities: a file of certificates to trust in place of the system's, for
  ///     tests.
  init(proxies: ProxySettings? = nil, authorities: String? = nil) {
    self.proxies = proxies
    self.authorities = authorities
  }

  deinit { loop.stop() }

  /// - Parameters:
  ///   - body: of a POST; without one it is a GET.
  ///   - received: called with the head, without a body, and then after each piece of the body.
  func answer(
    to url: URL, headers: [String: String], body: [UInt8]? = nil, limits: HTTPLimits,
    received: BodyProgress? = nil
  ) async throws(FetchError) -> CatalogueClient.Response {
    guard !Task.isCancelled else { throw .cancelled }
    let proxy = (proxies ?? .live).proxy(for: url)
    guard
      let request = CurlRequest(url, headers, body: body, proxy: proxy, authorities: authorities)
    else {
      throw FetchError(.addressRefused("it is not an HTTPS address"))
    }
    guard curl_library_load() else {
      throw .unreachable(
        host: request.host, detail: "libcurl is not installed (Debian: libcurl4)")
    }
    let transfer = CurlTransfer(
      request, Exchange(host: request.host, limits: limits, received: received))
    return try await transfer.exchange.outcome {
      loop.add(transfer)
    } stop: { [self] in
      // The transport must outlive its transfers, for their thread ends with it.
      loop.wake()
    }.get()
  }
}

/// A request for libcurl, checked before it gets there.
struct CurlRequest: Sendable {
  let url: String
  let host: String
  let isSecure: Bool
  /// `Name: value`.
  let headers: [String]
  /// The body of a POST; `nil` for a GET.
  let body: [UInt8]?
  let proxy: ProxySettings.Proxy?
  let authorities: String?

  /// A request for a URL; `nil` if the URL is neither HTTPS nor on this machine, or if
  /// its host has characters that hosts cannot have.
  ///
  /// The URL is made of its parts, so that libcurl cannot read a different host in it
  /// than the one that was judged.
  init?(
    _ url: URL, _ headers: [String: String], body: [UInt8]? = nil, proxy: ProxySettings.Proxy?,
    authorities: String?
  ) {
    guard let host = ServiceAddress.host(url), ServiceAddress.isSecure(url), url.user == nil,
      url.password == nil
    else {
      return nil
    }
    let isAddress = host.contains(":")
    guard !host.isEmpty,
      host.utf8.allSatisfy({ Self.hostBytes.contains($0) || isAddress && $0 == UInt8(ascii: ":") }
      ),
      let parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
    else { return nil }
    self.host = host
    isSecure = url.scheme?.lowercased() == "https"
    let port = url.port.map { ":\($0)" } ?? ""
    let path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
    let query = parts.percentEncodedQuery.map { "?\($0)" } ?? ""
    self.url =
      "\(isSecure ? "https" : "http")://\(isAddress ? "[\(host)]" : host)\(port)\(path)\(query)"
    // A value may come from a service (If-Range): none may end its line.
    self.headers = headers.filter { $0.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }.map {
      "\($0): \($1)"
    }
    self.body = body
    self.proxy = proxy
    self.authorities = authorities
  }

  private static let hostBytes = Set("abcdefghijklmnopqrstuvwxyz0123456789-._".utf8)
}

/// One request and its handle; everything but `exchange` belongs to the thread of the loop.
private final class CurlTransfer: @unchecked Sendable {  // Safe: used by one thread.
  let exchange: Exchange
  private let request: CurlRequest
  private var head: HeadReader
  private var headers: UnsafeMutableRawPointer?

  init(_ request: CurlRequest, _ exchange: Exchange) {
    self.request = request
    self.exchange = exchange
    head = HeadReader(limit: exchange.limits.headBytes)
  }

  // The loop keeps a transfer until its handle is gone.
  deinit { curl_library_headers_free(headers) }

  /// Ends the exchange: the request cannot be sent, for that reason.
  func fail(_ detail: String) {
    exchange.fail(.unreachable(host: exchange.host, detail: detail))
  }

  /// Sets every option. Returns whether libcurl took the options that matter for safety.
  func prepare(_ easy: UnsafeMutableRawPointer) -> Bool {
    func set(_ option: Int, _ value: Int) -> Bool {
      curl_library_set_long(easy, Int32(option), value) == 0
    }
    func set(_ option: Int, _ text: String) -> Bool {
      curl_library_set_pointer(easy, Int32(option), text) == 0
    }
    func set(_ option: Int, _ pointer: UnsafeRawPointer?) -> Bool {
      curl_library_set_pointer(easy, Int32(option), pointer) == 0
    }
    let own = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
    for header in request.headers {
      guard let longer = curl_library_headers_append(headers, header) else { return false }
      headers = longer
    }
    if let body = request.body {
      // Without this line libcurl would wait for a second with a long body, in case the server
      // refuses it.
      guard let longer = curl_library_headers_append(headers, "Expect:") else { return false }
      headers = longer
      // The length first: libcurl copies so many bytes.
      guard set(CURL_OPTION_POST_FIELD_SIZE, body.count),
        body.isEmpty
          ? set(CURL_OPTION_COPY_POST_FIELDS, "")
          : body.withUnsafeBytes({ set(CURL_OPTION_COPY_POST_FIELDS, $0.baseAddress) })
      else { return false }
    }
    if let authorities = request.authorities, !set(CURL_OPTION_CA_FILE, authorities) {
      return false
    }
    // These may be unknown to an old libcurl, or to one without HTTP/2.
    _ = set(CURL_OPTION_HTTP_VERSION, CURL_HTTP_VERSION_2_OVER_TLS)
    _ = set(CURL_OPTION_BUFFER_SIZE, 128 << 10)
    // Not to wait for a name that is still being looked up when its transfer is cancelled.
    _ = set(CURL_OPTION_QUICK_EXIT, 1)
    _ = set(CURL_OPTION_DISALLOW_USER, 1)
    return set(CURL_OPTION_URL, request.url)
      && set(CURL_OPTION_PROTOCOLS, request.isSecure ? CURL_PROTOCOL_HTTPS : CURL_PROTOCOL_HTTP)
      && set(CURL_OPTION_FOLLOW_LOCATION, 0) && set(CURL_OPTION_PATH_AS_IS, 1)
      // An empty text is "none"; without it libcurl would read the environment.
      && set(CURL_OPTION_PROXY, request.proxy?.setting ?? "") && set(CURL_OPTION_NO_PROXY, "")
      && set(CURL_OPTION_SUPPRESS_CONNECT_HEADERS, 1) && set(CURL_OPTION_VERIFY_PEER, 1)
      && set(CURL_OPTION_VERIFY_HOST, 2)
      && set(CURL_OPTION_SSL_VERSION, CURL_SSL_VERSION_TLS_1_2)
      && set(CURL_OPTION_HTTP09_ALLOWED, 0)
      && set(CURL_OPTION_NO_SIGNAL, 1)
      && set(
        CURL_OPTION_CONNECT_TIMEOUT_MS, max(1, Int(exchange.limits.connect / .milliseconds(1))))
      // Everything this libcurl can undo; a header of the request's own still decides.
      && set(CURL_OPTION_ACCEPT_ENCODING, "")
      && set(CURL_OPTION_HEADERS, UnsafeRawPointer(headers))
      && set(CURL_OPTION_HEADER_DATA, own) && set(CURL_OPTION_WRITE_DATA, own)
      && curl_library_set_receiver(easy, Int32(CURL_OPTION_HEADER_FUNCTION), Self.takeHeadLine)
        == 0
      && curl_library_set_receiver(easy, Int32(CURL_OPTION_WRITE_FUNCTION), Self.takeBody) == 0
  }

  /// The transfer ended, well or not; its handle is still its own.
  func finish(_ easy: UnsafeMutableRawPointer, _ result: Int32) {
    guard Int(result) != CURL_RESULT_OK else { return exchange.finish() }
    let failure = CurlFailure(
      result: Int(result), errno: Int32(curl_library_get_long(easy, Int32(CURL_INFO_ERRNO))),
      proxyStatus: curl_library_get_long(easy, Int32(CURL_INFO_PROXY_STATUS)),
      hasHead: exchange.hasHead)
    exchange.fail(
      failure.error(host: request.host, proxy: request.proxy?.name, limits: exchange.limits))
  }

  private static let takeHeadLine: curl_library_receiver = { bytes, size, count, data in
    guard let bytes, let data else { return 0 }
    let transfer = Unmanaged<CurlTransfer>.fromOpaque(data).takeUnretainedValue()
    let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return transfer.headLineArrived(line) ? line.count : 0
  }

  private static let takeBody: curl_library_receiver = { bytes, size, count, data in
    guard let bytes, let data else { return 0 }
    let transfer = Unmanaged<CurlTransfer>.fromOpaque(data).takeUnretainedValue()
    let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return transfer.exchange.bodyArrived(piece) ? piece.count : 0
  }

  private func headLineArrived(_ line: UnsafeRawBufferPointer) -> Bool {
    switch head.read(line) {
    case .unfinished: return !exchange.isOver
    case .complete(let status, let headers):
      return exchange.headArrived(
        status: status, headers: headers, endIsMarked: head.majorVersion >= 2)
    case .tooLarge:
      exchange.fail(FetchError(.tooLarge(limit: exchange.limits.headBytes)))
      return false
    }
  }
}

/// The thread that does the work of one transport: libcurl's connections, and every transfer over
/// them.
private final class CurlLoop: Sendable {
  private typealias Handle = UnsafeMutableRawPointer

  private struct State {
    /// The address of libcurl's set of transfers, while the thread runs.
    var multi: UInt?
    var arriving: [CurlTransfer] = []
    var isStopped = false
  }

  private let state = Locked(State())
  private static let noMemory = "there is not enough memory"

  func add(_ transfer: CurlTransfer) {
    let isTaken = state.withLock { state in
      if state.multi == nil {
        // At most eight connections.
        guard let multi = curl_library_multi_init(8) else { return false }
        let address = UInt(bitPattern: multi)
        state.multi = address
        Thread.detachNewThread { [self] in run(address) }
      }
      state.arriving.append(transfer)
      return true
    }
    if isTaken {
      wake()
    } else {
      transfer.fail(Self.noMemory)
    }
  }

  /// Has the thread look again at its work.
  func wake() {
    state.withLock { state in
      if let multi = state.multi { _ = curl_library_multi_wake(Handle(bitPattern: multi)) }
    }
  }

  func stop() {
    state.withLock { $0.isStopped = true }
    wake()
  }

  private func run(_ address: UInt) {
    guard let multi = Handle(bitPattern: address) else { return }
    // The app's handlers belong to its own threads, and some TLS libraries raise SIGPIPE where a
    // connection is lost.
    var every = sigset_t()
    sigfillset(&every)
    pthread_sigmask(SIG_BLOCK, &every, nil)
    func remove(_ easy: Handle) {
      _ = curl_library_multi_remove(multi, easy)
      curl_library_easy_cleanup(easy)
    }
    var active: [Handle: CurlTransfer] = [:]
    while let arriving = next() {
      for transfer in arriving where !transfer.exchange.isOver {
        if let easy = Self.start(transfer, multi) { active[easy] = transfer }
      }
      if curl_library_multi_perform(multi) == 0 {
        var result: Int32 = 0
        while let easy = curl_library_multi_next_ended(multi, &result) {
          active[easy]?.finish(easy, result)
        }
      } else {
        for transfer in active.values {
          transfer.fail(Self.noMemory)
        }
      }
      // What ended, was cancelled or timed out.
      for (easy, transfer) in active where transfer.exchange.isOver {
        remove(easy)
        active[easy] = nil
      }
      // An upper bound: libcurl keeps its own timers, and is woken for everything else.
      if curl_library_multi_poll(multi, 60_000) != 0 { usleep(10_000) }
    }
    active.keys.forEach(remove)
    curl_library_multi_cleanup(multi)
  }

  /// The transfers that have come since the last call; `nil` once the transport has been
  /// stopped.
  private func next() -> [CurlTransfer]? {
    state.withLock { state in
      defer { state.arriving = [] }
      if state.isStopped { state.multi = nil }
      return state.isStopped ? nil : state.arriving
    }
  }

  private static func start(_ transfer: CurlTransfer, _ multi: Handle) -> Handle? {
    guard let easy = curl_library_easy_init() else {
      transfer.fail(Self.noMemory)
      return nil
    }
    if transfer.prepare(easy), curl_library_multi_add(multi, easy) == 0 { return easy }
    transfer.fail("libcurl does not take the request")
    curl_library_easy_cleanup(easy)
    return nil
  }
}

/// The error with which libcurl ended a transfer.
struct CurlFailure: Equatable {
  /// A `CURLcode`.
  let result: Int
  /// The system's error for a connection that was not made; else 0.
  var errno: Int32 = 0
  /// The status of a proxy's answer to CONNECT; 0 if none was asked or it did not answer.
  var proxyStatus = 0
  var hasHead = false

  /// - Parameter proxy: its host and port, if the request went through one.
  func error(host: String, proxy: String?, limits: HTTPLimits) -> FetchError {
    func unreachable(_ detail: String) -> FetchError {
      .unreachable(host: host, detail: detail)
    }
    if let proxy {
      if proxyStatus == 407 { return FetchError(.proxyRefused(proxy: proxy)) }
      if proxyStatus >= 300 {
        return unreachable("the proxy \(proxy) answers with status \(proxyStatus)")
      }
    }
    switch result {
    case CURL_RESULT_PROXY_NOT_RESOLVED:
      return unreachable("the proxy \(proxy ?? "") did not resolve")
    case CURL_RESULT_PROXY:
      return unreachable("the proxy \(proxy ?? "") does not connect to it")
    case CURL_RESULT_HOST_NOT_RESOLVED: return .offline(host: host)
    case CURL_RESULT_NOT_CONNECTED where errno == ENETUNREACH || errno == ENETDOWN:
      return .offline(host: host)
    case CURL_RESULT_NOT_CONNECTED:
      let who = proxy.map { "the proxy \($0)" } ?? "it"
      let what =
        errno == EHOSTUNREACH ? "no route leads to \(who)" : "\(who) refuses the connection"
      return unreachable(what)
    // The only time that libcurl keeps is that of the connection.
    case CURL_RESULT_TIMED_OUT: return FetchError(.timedOut(host: host, phase: .connect))
    case CURL_RESULT_PEER_NOT_VERIFIED, CURL_RESULT_BAD_CERTIFICATE, CURL_RESULT_BAD_ISSUER,
      CURL_RESULT_BAD_STATUS:
      return FetchError(.badCertificate(host: host))
    case CURL_RESULT_NO_AUTHORITIES:
      return unreachable("the system's list of trusted certificates cannot be read")
    case CURL_RESULT_BAD_ENCODING: return .malformed("its compression is damaged")
    case CURL_RESULT_TOO_MANY_BYTES: return FetchError(.tooLarge(limit: limits.bodyBytes))
    case _ where hasHead: return FetchError(.truncated)
    case CURL_RESULT_SSL_CONNECT:
      return unreachable("no secure connection came about")
    // One line that is longer than libcurl takes.
    case CURL_RESULT_OUT_OF_MEMORY, CURL_RESULT_TOO_LARGE:
      return FetchError(.tooLarge(limit: limits.headBytes))
    case CURL_RESULT_SEND_FAILED, CURL_RESULT_RECEIVE_FAILED:
      return unreachable("the connection broke")
    case CURL_RESULT_BAD_URL: return FetchError(.addressRefused("it is not a URL"))
    case CURL_RESULT_UNSUPPORTED_PROTOCOL, CURL_RESULT_WEIRD_REPLY, CURL_RESULT_BAD_HEADER,
      CURL_RESULT_GOT_NOTHING,
      CURL_RESULT_HTTP2, CURL_RESULT_HTTP2_STREAM:
      return unreachable("it gave no HTTP answer")
    default: return unreachable("the connection failed")
    }
  }
}
#endif
