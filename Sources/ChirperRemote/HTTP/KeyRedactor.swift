import ChirperModel
import Foundation

/// Replaces the key by `***` in what a service sent and in what is reported about it.
///
/// The key is found in any case and with any of its characters spelled raw, percent-encoded (more than once, too), as a
/// JSON escape (`\u0061`) or as an HTML entity (`&#97;`). JSON stays JSON.
struct KeyRedactor: Sendable {
  /// In lower case.
  private let key: [UInt8]
  /// Whether a byte may begin the key.
  private let isStart: [Bool]

  /// Shorter keys are left alone: as parts of words they would be replaced in every text. xeno-canto's have 40 characters.
  static let shortestKey = 8

  /// `nil` for a key that is too short to be a secret, as the published `demo` is.
  init?(_ key: APIKey) {
    guard key.secret.utf8.count >= Self.shortestKey else { return nil }
    self.key = key.secret.utf8.map(Self.folded)
    let starts = [self.key[0], UInt8(ascii: "%"), UInt8(ascii: "\\"), UInt8(ascii: "&")]
    isStart = (0...255).map { starts.contains(Self.folded($0)) }
  }

  func redacted(_ text: String) -> String {
    let (bytes, count) = redacted(Array(text.utf8))
    return count == 0 ? text : String(decoding: bytes, as: UTF8.self)
  }

  /// The answer without the key, and how often it was in it.
  ///
  /// - Parameter keepingBody: for audio, whose bytes are no text.
  func redacted(_ response: HTTPResponse, keepingBody: Bool = false) -> HTTPResponse {
    let (body, count) = keepingBody ? (response.body, 0) : redacted(response.body)
    return HTTPResponse(
      status: response.status, headers: response.headers.mapTexts(redacted), body: body, redactions: count,
      endIsMarked: response.endIsMarked)
  }

  func redacted(_ error: FetchError) -> FetchError {
    switch error {
    case .offline(let host): .offline(host: redacted(host))
    case .unreachable(let host, let detail): .unreachable(host: redacted(host), detail: redacted(detail))
    case .timedOut(let host, let phase): .timedOut(host: redacted(host), phase: phase)
    case .refused(let status, let message): .refused(status: status, message: message.map(redacted))
    case .keyRefused(let status, let message): .keyRefused(status: status, message: message.map(redacted))
    case .malformed(let detail): .malformed(redacted(detail))
    case .unknownEncoding(let name): .unknownEncoding(redacted(name))
    case .addressRefused(let why): .addressRefused(redacted(why))
    case .redirectRefused(let why): .redirectRefused(redacted(why))
    case .badCertificate(let host): .badCertificate(host: redacted(host))
    case .proxyRefused(let proxy): .proxyRefused(proxy: redacted(proxy))
    case .truncated, .rateLimited, .serverBusy, .tooDeep, .unknownCatalogue, .keyMissing, .webPage, .tooLarge, .cancelled: error
    }
  }

  func redacted(_ bytes: [UInt8]) -> (bytes: [UInt8], count: Int) {
    var out: [UInt8] = []
    var count = 0
    bytes.withUnsafeBufferPointer { bytes in
      isStart.withUnsafeBufferPointer { isStart in
        var (at, copied) = (0, 0)
        while at < bytes.count {
          guard isStart[Int(bytes[at])], let end = end(of: bytes, from: at) else {
            at += 1
            continue
          }
          out.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[copied..<at]))
          // A backslash before it would now escape the first star, and JSON knows no such escape.
          if bytes[at] != UInt8(ascii: "\\"), Self.isEscaped(bytes, at) { out.append(UInt8(ascii: "\\")) }
          out.append(contentsOf: "***".utf8)
          count += 1
          (at, copied) = (end, end)
        }
        if count > 0 { out.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[copied...])) }
      }
    }
    return count == 0 ? (bytes, 0) : (out, count)
  }

  /// Where the key ends that begins at `start`; `nil` where none begins there.
  private func end(of bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    var at = start
    for wanted in key {
      guard at < bytes.count else { return nil }
      let (byte, next) = Self.character(bytes, at)
      guard Self.folded(byte) == wanted else { return nil }
      at = next
    }
    return at
  }

  /// The character that is spelled at `start`, and where its spelling ends.
  private static func character(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int) -> (byte: UInt8, end: Int) {
    var at = start + 1
    switch bytes[start] {
    case UInt8(ascii: "%"):
      while hex(bytes, at, digits: 2) == 0x25, hex(bytes, at + 2, digits: 2) != nil { at += 2 }
      if let byte = hex(bytes, at, digits: 2) { return (UInt8(byte), at + 2) }
    case UInt8(ascii: "\\"):
      while at < bytes.count, bytes[at] == UInt8(ascii: "\\") { at += 1 }
      if at < bytes.count, bytes[at] == UInt8(ascii: "/") { return (bytes[at], at + 1) }
      if at < bytes.count, bytes[at] == UInt8(ascii: "u"), let unit = hex(bytes, at + 1, digits: 4), unit < 0x80 {
        return (UInt8(unit), at + 5)
      }
    case UInt8(ascii: "&"):
      if let entity = entity(bytes, at) { return entity }
    default: break
    }
    return (bytes[start], start + 1)
  }

  /// The character of `#97;` or `#x61;`.
  private static func entity(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int) -> (byte: UInt8, end: Int)? {
    guard start + 1 < bytes.count, bytes[start] == UInt8(ascii: "#") else { return nil }
    let isHex = bytes[start + 1] | 0x20 == UInt8(ascii: "x")
    var at = start + (isHex ? 2 : 1)
    var value = 0
    while let digit = hex(bytes, at, digits: 1), isHex || digit < 10, value < 0x80 {
      value = value * (isHex ? 16 : 10) + digit
      at += 1
    }
    guard at < bytes.count, bytes[at] == UInt8(ascii: ";"), value < 0x80 else { return nil }
    return (UInt8(value), at + 1)
  }

  private static func hex(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, digits: Int) -> Int? {
    guard start + digits <= bytes.count else { return nil }
    var value = 0
    for byte in bytes[start..<(start + digits)] {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | Int(byte - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | Int(byte - UInt8(ascii: "a") + 10)
      case UInt8(ascii: "A")...UInt8(ascii: "F"): value = value << 4 | Int(byte - UInt8(ascii: "A") + 10)
      default: return nil
      }
    }
    return value
  }

  /// Whether an odd number of backslashes comes before the byte.
  private static func isEscaped(_ bytes: UnsafeBufferPointer<UInt8>, _ at: Int) -> Bool {
    var start = at
    while start > 0, bytes[start - 1] == UInt8(ascii: "\\") { start -= 1 }
    return (at - start) % 2 == 1
  }

  private static func folded(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
