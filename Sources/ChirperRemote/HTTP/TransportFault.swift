import ChirperModel
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The boundary to URLSession's errors, which print the whole URL and with it the key: only a fixed phrase passes.
enum TransportFault {
  static func read(_ error: any Error, host: String, afterHead: Bool) -> FetchError {
    let error = error as NSError
    guard error.domain == NSURLErrorDomain else { return .unreachable(host: host, detail: "the connection failed") }
    switch URLError.Code(rawValue: error.code) {
    case .cancelled: return .cancelled
    case .notConnectedToInternet, .cannotFindHost, .dnsLookupFailed, .dataNotAllowed, .internationalRoamingOff:
      return .offline(host: host)
    case .timedOut: return .timedOut(host: host, phase: afterHead ? .idle : .connect)
    case .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateHasUnknownRoot,
      .serverCertificateNotYetValid, .clientCertificateRejected, .clientCertificateRequired:
      return .badCertificate(host: host)
    case .secureConnectionFailed: return .unreachable(host: host, detail: "no secure connection came about")
    case .cannotDecodeContentData, .cannotDecodeRawData: return .malformed("its compression is damaged")
    case .cannotConnectToHost: return .unreachable(host: host, detail: "it refuses the connection")
    case _ where afterHead: return afterHeadFault(error)
    case .networkConnectionLost: return .unreachable(host: host, detail: "the connection broke")
    default: return beforeHeadFault(error, host: host)
    }
  }

  // On Linux most of libcurl's results arrive as `.unknown`; its own sentence is all that tells them apart
  // (swift 6.3.1, libcurl 8.5: "SSL certificate problem: self-signed certificate", "SSL: no alternative certificate
  // subject name matches target host name", "Error while processing content unencoding: incorrect header check").

  private static func afterHeadFault(_ error: NSError) -> FetchError {
    let sentence = error.localizedDescription.lowercased()
    return sentence.contains("unencoding") ? .malformed("its compression is damaged") : .truncated
  }

  private static func beforeHeadFault(_ error: NSError, host: String) -> FetchError {
    let sentence = error.localizedDescription.lowercased()
    if sentence.contains("certificate") { return .badCertificate(host: host) }
    if sentence.contains("ssl") || sentence.contains("tls") {
      return .unreachable(host: host, detail: "no secure connection came about")
    }
    return .unreachable(host: host, detail: "it gave no HTTP answer")
  }
}
