import ChirperModel
import Foundation
import Testing

@testable import ChirperRemote

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite struct `Retry-After` {
  /// Sun, 06 Nov 1994 08:49:37 GMT
  private let now = Date(timeIntervalSince1970: 784_111_777)

  @Test(arguments: [
    ("0", 0 as Int?), ("120", 120), (" 7 ", 7), ("86400", 86_400), ("86401", 86_400), ("99999999999999999999999", 86_400),
    ("Sun, 06 Nov 1994 08:50:37 GMT", 60), ("Sun, 06 Nov 1994 08:49:37 GMT", 0), ("Sat, 05 Nov 1994 08:49:37 GMT", 0),
    ("Wed, 01 Mar 2000 00:00:00 GMT", 86_400), ("Fri, 31 Dec 9999 23:59:60 GMT", 86_400),
    ("", nil), ("-1", nil), ("1.5", nil), ("soon", nil), ("٣", nil), ("Sun, 06 Nov 1994 08:49:37 CET", nil),
    ("Sun, 99 Nov 1994 08:49:37 GMT", nil), ("Sun, 06 Foo 1994 08:49:37 GMT", nil), ("Sun, 06 Nov 1994 25:00:00 GMT", nil),
    ("Sun, 06 Nov 99999999999999999999 08:49:37 GMT", nil),
  ]) func `is read in both forms and held to a day`(_ header: String, _ seconds: Int?) {
    #expect(RetryAfter.parse(header, now: now) == seconds.map { .seconds($0) })
  }

  @Test func `knows leap days`() {
    let now = Date(timeIntervalSince1970: 951_782_400)  // 2000-02-29
    #expect(RetryAfter.parse("Tue, 29 Feb 2000 00:01:00 GMT", now: now) == .seconds(60))
    #expect(RetryAfter.parse("Wed, 01 Mar 2000 00:00:00 GMT", now: now) == .seconds(86_400))
  }
}

@Suite struct `Errors of URLSession` {
  private func read(_ code: URLError.Code, _ sentence: String = "", afterHead: Bool = false) -> FetchError {
    let error = NSError(
      domain: NSURLErrorDomain, code: code.rawValue,
      userInfo: [
        NSLocalizedDescriptionKey: sentence, "NSErrorFailingURLStringKey": "https://xeno-canto.org/?key=sesame-key",
      ])
    return TransportFault.read(error, host: "h", afterHead: afterHead)
  }

  @Test func `are told apart`() {
    #expect(read(.cannotFindHost) == .offline(host: "h"))
    #expect(read(.notConnectedToInternet) == .offline(host: "h"))
    #expect(read(.timedOut) == .timedOut(host: "h", phase: .connect))
    #expect(read(.networkConnectionLost) == .unreachable(host: "h", detail: "the connection broke"))
    #expect(read(.networkConnectionLost, afterHead: true) == .truncated)
    #expect(read(.serverCertificateUntrusted) == .badCertificate(host: "h"))
    #expect(read(.unknown, "SSL certificate problem: self-signed certificate") == .badCertificate(host: "h"))
    #expect(
      read(.unknown, "SSL: no alternative certificate subject name matches target host name") == .badCertificate(host: "h"))
    #expect(read(.unknown, "OpenSSL SSL_connect: reset") == .unreachable(host: "h", detail: "no secure connection came about"))
    #expect(read(.cancelled) == .cancelled)
  }

  @Test func `leave the URL behind`() {
    for code in [URLError.Code.unknown, .badURL, .timedOut, .cannotConnectToHost, .unsupportedURL, .badServerResponse] {
      for afterHead in [false, true] {
        #expect(!"\(read(code, "https://xeno-canto.org/?key=sesame-key", afterHead: afterHead))".contains("sesame-key"))
      }
    }
    let other = NSError(domain: "x", code: 1, userInfo: [NSLocalizedDescriptionKey: "key=sesame-key"])
    #expect(TransportFault.read(other, host: "h", afterHead: false) == .unreachable(host: "h", detail: "the connection failed"))
  }
}

@Suite struct `The clock of a request` {
  private let start = ContinuousClock.now
  private var watch: TransferWatch { TransferWatch(limits: HTTPLimits(), start: start) }

  @Test func `waits for the head`() {
    var watch = watch
    #expect(watch.nextLook(after: start) == start + .seconds(15))
    #expect(watch.nextLook(after: start + .seconds(25)) == start + .seconds(30))
    #expect(watch.expired(at: start + .seconds(29)) == nil)
    #expect(watch.expired(at: start + .seconds(30)) == .firstByte)
  }

  @Test func `waits for the next piece`() {
    var watch = watch
    watch.headArrived(at: start + .seconds(5))
    #expect(watch.nextLook(after: start + .seconds(15)) == start + .seconds(20))
    watch.bodyArrived(100_000, at: start + .seconds(10))
    #expect(watch.expired(at: start + .seconds(20)) == nil)
    #expect(watch.expired(at: start + .seconds(30)) == .idle)
  }

  @Test func `lets a slow body pass and stops one that is too slow`() {
    for (rate, phase) in [(256, nil as FetchError.TimeoutPhase?), (255, .idle)] {
      var watch = watch
      watch.headArrived(at: start)
      for second in 1...15 { watch.bodyArrived(rate, at: start + .seconds(second)) }
      #expect(watch.expired(at: start + .seconds(15)) == phase)
    }
  }

  @Test func `ends at the whole time whatever comes`() {
    var watch = watch
    watch.headArrived(at: start)
    for second in stride(from: 15, through: 165, by: 15) {
      watch.bodyArrived(1_000_000, at: start + .seconds(second))
      #expect(watch.expired(at: start + .seconds(second)) == nil)
    }
    watch.bodyArrived(1_000_000, at: start + .seconds(179))
    #expect(watch.nextLook(after: start + .seconds(179)) == start + .seconds(180))
    #expect(watch.expired(at: start + .seconds(180)) == .whole)
  }
}
