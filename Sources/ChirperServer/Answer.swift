import ChirperFormats
import Foundation
import NIOHTTP1

/// What a request is answered with.
struct Answer: Sendable {
  enum Body: Sendable {
    case bytes([UInt8])
    /// A part of a file.
    case file(URL, Range<Int>)
  }

  var status = HTTPResponseStatus.ok
  var type = "application/json; charset=utf-8"
  var body = Body.bytes([])
  /// Besides those of every answer.
  var headers: [(name: String, value: String)] = []

  static func text(_ status: HTTPResponseStatus, _ text: String) -> Answer {
    Answer(status: status, type: "text/plain; charset=utf-8", body: .bytes(Array("\(text)\n".utf8)))
  }

  /// The error of xeno-canto's API.
  static func clientError(_ message: String) -> Answer {
    let object: JSONObject = ["error": "client_error", "message": message]
    return Answer(status: .badRequest, body: .bytes(Array(object.text.utf8)))
  }

  var length: Int {
    switch body {
    case .bytes(let bytes): bytes.count
    case .file(_, let range): range.count
    }
  }

  /// With a compressed body if the client takes one and it is worth it.
  func compressed(for request: Request) -> Answer {
    let accepted = request.headers[canonicalForm: "accept-encoding"]
    guard case .bytes(let bytes) = body, bytes.count > 1_000,
      accepted.contains(where: { $0.split(separator: ";").first?.lowercased() == "gzip" && !$0.hasSuffix("q=0") }),
      let small = try? DeflateStream(.gzip).whole(bytes)
    else { return self }
    var answer = self
    answer.body = .bytes(small)
    answer.headers += [("Content-Encoding", "gzip"), ("Vary", "Accept-Encoding")]
    return answer
  }

  /// The headers of every answer: what a page may do that was made from it, and that nobody keeps it.
  static func headers(type: String, length: Int) -> HTTPHeaders {
    HTTPHeaders([
      ("Content-Type", type), ("Content-Length", "\(length)"), ("Cache-Control", "no-store"),
      (
        "Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; "
          + "connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
          + "require-trusted-types-for 'script'; trusted-types chirper"
      ),
      ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Opener-Policy", "same-origin"),
      ("Cross-Origin-Resource-Policy", "same-origin"),
    ])
  }
}
