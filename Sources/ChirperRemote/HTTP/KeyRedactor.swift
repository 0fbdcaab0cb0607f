import ChirperModel
import Foundation

/// Replaces the key by `***` in answers of a service and in reports about them.
///
/// **What is promised.** The key is found in any case, and with each of its characters
/// spelled as
/// - the character itself, or its full-width form;
/// - a percent-encoded byte, a JSON escape (`\u0061`) or an HTML entity by number (`&#97;`,
///   `&#x61`), with or without the semicolon;
/// - one of these spellings whose `%`, `\` or `&` is itself spelled in one of these ways,
///   any number of times: `%2561`, `&amp;amp;#97;`, `\u0026#97;`.
///
/// Characters that texts do not show, which are control and format characters and selectors
/// of variants, do not hide it between the letters, in any of these spellings, so a body in
/// UTF-16 does not either. A key that is encoded in a different way, with the digits of an
/// escape escaped too, encrypted or cut into several fields is not recognised. JSON stays
/// JSON.
struct KeyRedactor: Sendable {
  /// The scalars of the key in lower case.
  private let key: [UInt32]

  /// A redactor for a key; `nil` for a key that is too short to be a secret, as the
  /// published `demo` is.
  init?(_ key: APIKey) {
    // As parts of words, shorter keys would be replaced in every text. xeno-canto's have 40
    // characters.
    guard key.secret.utf8.count >= 8 else { return nil }
    self.key = key.secret.unicodeScalars.map { Self.folded($0.value) }
  }

  func redacted(_ text: String) -> String {
    let (bytes, count) = redacted(Array(text.utf8))
    return count == 0 ? text : String(decoding: bytes, as: UTF8.self)
  }

  /// The answer without the key, and the number of times that it had the key.
  ///
  /// - Parameter keepingBody: for audio, whose bytes are not text.
  func redacted(_ response: CatalogueClient.Response, keepingBody: Bool = false)
    -> CatalogueClient.Response
  {
    let (body, count) = keepingBody ? (response.body, 0) : redacted(response.body)
    return CatalogueClient.Response(
      status: response.status, headers: response.headers.mapTexts(redacted), body: body,
      redactions: count,
      endIsMarked: response.endIsMarked)
  }

  func redacted(_ error: FetchError) -> FetchError { FetchError(redacted(error.reason)) }

  private func redacted(_ reason: FetchError.Reason) -> FetchError.Reason {
    switch reason {
    case .offline(let host): .offline(host: redacted(host))
    case .unreachable(let host, let detail):
      .unreachable(host: redacted(host), detail: redacted(detail))
    case .timedOut(let host, let phase): .timedOut(host: redacted(host), phase: phase)
    case .refused(let status, let message): .refused(status: status, message: message.map(redacted))
    case .keyRefused(let status, let message):
      .keyRefused(status: status, message: message.map(redacted))
    case .listNotThere(let message): .listNotThere(message.map(redacted))
    case .malformed(let detail): .malformed(redacted(detail))
    case .failed(let sentence): .failed(redacted(sentence))
    case .unknownEncoding(let name): .unknownEncoding(redacted(name))
    case .addressRefused(let why): .addressRefused(redacted(why))
    case .redirectRefused(let why): .redirectRefused(redacted(why))
    case .badCertificate(let host): .badCertificate(host: redacted(host))
    case .proxyRefused(let proxy): .proxyRefused(proxy: redacted(proxy))
    case .truncated, .rateLimited, .serverBusy, .tooDeep, .unknownTag, .endless, .listUnfinished,
      .notChirper, .serverIsOlder, .unknownCatalogue, .keyMissing, .tokenRefused, .webPage,
      .tooLarge, .notKept, .cancelled:
      reason
    }
  }

  func redacted(_ bytes: [UInt8]) -> (bytes: [UInt8], count: Int) {
    var out: [UInt8] = []
    var count = 0
    var at = 0
    var copied = 0
    while at < bytes.count {
      guard let end = end(of: bytes, from: at) else {
        // Backslashes in a row are one spelling, which was tried from the first of them.
        let isBackslash = bytes[at] == UInt8(ascii: "\\")
        repeat { at += 1 } while isBackslash && at < bytes.count && bytes[at] == UInt8(ascii: "\\")
        continue
      }
      out += bytes[copied..<at]
      // A backslash before it would now escape the first star, and JSON knows no such escape.
      if bytes[at] != UInt8(ascii: "\\"), Self.isEscaped(bytes, at) {
        out += "\\".utf8
      }
      out += "***".utf8
      count += 1
      at = end
      copied = end
    }
    if count > 0 { out += bytes[copied...] }
    return count == 0 ? (bytes, 0) : (out, count)
  }

  /// The end of the key that begins at `start`; `nil` if the key does not begin there.
  private func end(of bytes: [UInt8], from start: Int) -> Int? {
    var at = start
    for (index, wanted) in key.enumerated() {
      var scalar: UInt32
      repeat {
        guard at < bytes.count else { return nil }
        (scalar, at) = Self.scalar(bytes, at)
      } while index > 0 && Self.isIgnored(scalar)
      guard Self.folded(scalar) == wanted else { return nil }
    }
    return at
  }

  /// The scalar that is spelled at `start`, and where its spelling ends. Bytes that are not UTF-8
  /// count as themselves.
  private static func scalar(_ bytes: [UInt8], _ start: Int) -> (value: UInt32, end: Int) {
    let first = unit(bytes, start)
    // JSON spells a scalar beyond the first 65,536 by two escapes.
    if !first.isByte, (0xD800..<0xDC00).contains(first.value), first.end < bytes.count,
      case let low = unit(bytes, first.end),
      !low.isByte, (0xDC00..<0xE000).contains(low.value)
    {
      return (0x10000 + (first.value & 0x3FF) << 10 | low.value & 0x3FF, low.end)
    }
    guard first.isByte, first.value >= 0xC2 else { return (first.value, first.end) }
    let length = first.value >= 0xF0 ? 4 : first.value >= 0xE0 ? 3 : 2
    var value = first.value & (0xFF >> UInt32(length + 1))
    var at = first.end
    for _ in 1..<length {
      guard at < bytes.count, case let next = unit(bytes, at), next.isByte,
        next.value & 0xC0 == 0x80
      else {
        return (first.value, first.end)
      }
      value = value << 6 | next.value & 0x3F
      at = next.end
    }
    return (value, at)
  }

  /// The byte or the scalar that is spelled at `start`. The result of a spelling may begin
  /// the next spelling.
  private static func unit(_ bytes: [UInt8], _ start: Int) -> (
    value: UInt32, isByte: Bool, end: Int
  ) {
    var value = UInt32(bytes[start])
    var isByte = true
    var at = start + 1
    while true {
      switch value {
      case UInt32(UInt8(ascii: "%")):
        guard let byte = ByteScan.hex(bytes, at, digits: 2) else { return (value, isByte, at) }
        value = byte
        isByte = true
        at += 2
      case UInt32(UInt8(ascii: "\\")):
        while at < bytes.count, bytes[at] == UInt8(ascii: "\\") { at += 1 }
        guard at < bytes.count else { return (value, isByte, at) }
        switch bytes[at] {
        case UInt8(ascii: "/"): return (UInt32(bytes[at]), false, at + 1)
        case let letter where JSONText.controls[letter] != nil: return (0x09, false, at + 1)
        case UInt8(ascii: "u"):
          guard let unit = ByteScan.hex(bytes, at + 1, digits: 4) else {
            return (value, isByte, at)
          }
          value = unit
          isByte = false
          at += 5
        default: return (value, isByte, at)
        }
      case UInt32(UInt8(ascii: "&")):
        guard let entity = entity(bytes, at) else { return (value, isByte, at) }
        value = entity.value
        isByte = false
        at = entity.end
      default: return (value, isByte, at)
      }
    }
  }

  /// The character of `#97;`, `#x61` and `amp;`, which follow an `&`.
  private static func entity(_ bytes: [UInt8], _ start: Int) -> (value: UInt32, end: Int)? {
    func end(_ at: Int) -> Int { at < bytes.count && bytes[at] == UInt8(ascii: ";") ? at + 1 : at }
    if start + 3 <= bytes.count,
      bytes[start..<(start + 3)].elementsEqual("amp".utf8, by: { $0 | 0x20 == $1 })
    {
      return (UInt32(UInt8(ascii: "&")), end(start + 3))
    }
    guard start + 1 < bytes.count, bytes[start] == UInt8(ascii: "#") else { return nil }
    let isHex = bytes[start + 1] | 0x20 == UInt8(ascii: "x")
    let first = start + (isHex ? 2 : 1)
    var at = first
    var value: UInt32 = 0
    while let digit = ByteScan.hex(bytes, at, digits: 1), isHex || digit < 10 {
      value = min(value * (isHex ? 16 : 10) + digit, 0x11_0000)
      at += 1
    }
    return at > first && value < 0x11_0000 ? (value, end(at)) : nil
  }

  /// Whether an odd number of backslashes comes before the byte.
  private static func isEscaped(_ bytes: [UInt8], _ at: Int) -> Bool {
    var start = at
    while start > 0, bytes[start - 1] == UInt8(ascii: "\\") { start -= 1 }
    return (at - start) % 2 == 1
  }

  /// The lower case of a letter in ASCII, of its usual or its full-width form.
  private static func folded(_ scalar: UInt32) -> UInt32 {
    let scalar = (0xFF01...0xFF5E).contains(scalar) ? scalar - 0xFEE0 : scalar
    return (0x41...0x5A).contains(scalar) ? scalar | 0x20 : scalar
  }

  /// Characters that no text shows.
  private static func isIgnored(_ scalar: UInt32) -> Bool {
    if scalar < 0x80 { return scalar < 0x20 || scalar == 0x7F }
    guard let properties = Unicode.Scalar(scalar)?.properties else { return false }
    return properties.isDefaultIgnorableCodePoint
      || [.control, .format].contains(properties.generalCategory)
  }
}
