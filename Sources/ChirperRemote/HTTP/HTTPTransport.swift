import ChirperModel
import Foundation

/// One GET over the network: no redirect followed, nothing retried, failures typed and free of the URL.
package protocol HTTPTransport: Sendable {
  func get(_ url: URL, headers: [String: String], limits: HTTPLimits) async throws(FetchError) -> HTTPResponse
}

/// What came back, whatever the status.
package struct HTTPResponse: Hashable, Sendable {
  package let status: Int
  private let headers: [String: String]
  /// After decompression.
  package let body: [UInt8]

  package init(status: Int, headers: [String: String], body: [UInt8]) {
    self.status = status
    self.headers = Dictionary(headers.map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: { first, _ in first })
    self.body = body
  }

  /// The header of that name, in whatever case it was sent.
  package func header(_ name: String) -> String? { headers[name.lowercased()] }

  /// Whether the body's length was announced, so that its end is known to be its end.
  var isFramed: Bool { header("Content-Length") != nil || header("Transfer-Encoding") != nil }

  /// The first byte of the body that is neither white space nor of a byte order mark.
  private var firstByte: UInt8? {
    body.first { ![0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }
  }

  /// Whether a web page came instead of data. A JSON object sent as `text/html` is none: that is what PHP says of
  /// whatever it serves until it is told otherwise.
  package var isWebPage: Bool {
    if firstByte == UInt8(ascii: "<") { return true }
    let isHTML = header("Content-Type")?.lowercased().hasPrefix("text/html") ?? false
    return isHTML && firstByte != UInt8(ascii: "{")
  }
}
