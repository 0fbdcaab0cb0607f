import Chirper
import ChirperFormats
import ChirperModel
import Foundation
import NIOCore
import NIOHTTP1

/// The answer to a request.
struct Answer: Sendable {
  enum Body: Sendable {
    case bytes([UInt8])
    /// A part of a downloaded audio file.
    case file(DownloadedAudioFile, Range<Int>)
    /// The pieces that a function sends, one by one. Each waits until the client has taken
    /// the one before.
    case stream(@Sendable (_ send: (ByteBuffer) async throws -> Void) async throws -> Void)
  }

  var status = HTTPResponseStatus.ok
  var type = "application/json; charset=utf-8"
  var body = Body.bytes([])
  /// The headers besides those of every answer.
  var headers: [(name: String, value: String)] = []
  /// The header `Cache-Control`.
  var caching = "no-store"

  /// The seconds after which a client may ask again for an answer that is not available
  /// now.
  static let retryAfter = 5

  static func json(_ text: String, _ status: HTTPResponseStatus = .ok) -> Answer {
    Answer(status: status, body: .bytes(Array(text.utf8)))
  }

  static func json(_ object: JSONObject, _ status: HTTPResponseStatus = .ok) -> Answer {
    json(object.text, status)
  }

  /// An error in the form that the command has with `--json`.
  static func error(_ status: HTTPResponseStatus, kind: String, problem: String, hint: String)
    -> Answer
  {
    let error = UserFacingError(
      status == .unauthorized ? .key : .failed, kind: kind, problem: problem, hint: hint)
    return json(["error": error.served], status)
  }

  /// The answer to a request that failed; of a search it says at which character, from 1, it cannot
  /// be read.
  static func of(_ thrown: any Error) -> Answer {
    let error = UserFacingError.of(thrown)
    let status: HTTPResponseStatus =
      switch error.status {
      case .usage: .badRequest
      case .notFetched: .notFound
      case .tryLater: .serviceUnavailable
      // A newer program has migrated the database, which this one can serve again only after an
      // update.
      case .damaged where error.kind == "newer-database": .serviceUnavailable
      default: .internalServerError
      }
    var object = error.served
    object.add(known: ["at": (thrown as? SearchExpressionError)?.position])
    let answer = Answer.json(["error": object], status)
    return status == .serviceUnavailable ? answer.with(("Retry-After", "\(retryAfter)")) : answer
  }

  /// The answer with further headers.
  func with(_ headers: (name: String, value: String)...) -> Answer {
    var answer = self
    answer.headers += headers
    return answer
  }

  /// The header that names the file that an answer is kept as: in letters that every program reads,
  /// and as it is.
  static func disposition(_ name: String) -> (name: String, value: String) {
    let plain = String(name.map { $0.isASCII && $0 != "\"" && $0 != "\\" ? $0 : "_" })
    return (
      "Content-Disposition",
      "attachment; filename=\"\(plain)\"; filename*=UTF-8''\(percentEncoded(name))"
    )
  }

  /// The text as a part of an address.
  static func percentEncoded(_ text: String) -> String {
    let kept = CharacterSet.alphanumerics.intersection(.init(charactersIn: "!"..."~"))
    return text.addingPercentEncoding(withAllowedCharacters: kept) ?? ""
  }

  static func text(_ status: HTTPResponseStatus, _ text: String) -> Answer {
    Answer(status: status, type: "text/plain; charset=utf-8", body: .bytes(Array("\(text)\n".utf8)))
  }

  /// The error of xeno-canto's API.
  static func clientError(_ message: String, status: HTTPResponseStatus = .badRequest) -> Answer {
    json(["error": "client_error", "message": message], status)
  }

  /// Bytes of the body; `nil` if that is not known before it is sent.
  var length: Int? {
    switch body {
    case .bytes(let bytes): bytes.count
    case .file(_, let range): range.count
    case .stream: nil
    }
  }

  /// The answer, with a compressed body if the client takes one and compression pays.
  func compressed(for request: Request) -> Answer {
    let accepted = request.headers[canonicalForm: "accept-encoding"]
    guard case .bytes(let bytes) = body, bytes.count > 1_000,
      accepted.contains(where: {
        $0.split(separator: ";").first?.lowercased() == "gzip" && !$0.hasSuffix("q=0")
      }),
      let small = try? DeflateStream(.gzip).compress(bytes, isEnd: true)
    else { return self }
    var answer = self
    answer.body = .bytes(small)
    return answer.with(("Content-Encoding", "gzip"), ("Vary", "Accept-Encoding"))
  }

  /// The headers of every answer, then its own: the rights of a page made from it, and that nobody
  /// keeps it unless it says so.
  var allHeaders: NIOHTTP1.HTTPHeaders {
    let length = status.mayHaveResponseBody ? length : nil
    var all = NIOHTTP1.HTTPHeaders(
      [
        ("Content-Type", type), ("Cache-Control", caching),
        (
          "Content-Security-Policy",
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; "
            + "connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
            + "require-trusted-types-for 'script'; trusted-types chirper"
        ),
        ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
      ] + (length.map { [("Content-Length", "\($0)")] } ?? []))
    for (name, value) in headers { all.add(name: name, value: value) }
    return all
  }
}

extension UserFacingError {
  /// The error as the server answers it. One of the library has no path. Nobody types a command
  /// here, so the advice is the library's, except for a key and other settings, which are set by
  /// commands.
  var served: JSONObject {
    guard let text = presentation else { return json }
    var object: JSONObject = ["code": Int(status.rawValue), "kind": kind, "message": text.message]
    object.add(known: ["detail": text.detail])
    let isSetting = [.key, .configuration].contains(status)
    object.add("hint", isSetting ? hint : text.suggestion ?? hint)
    return object
  }
}
