/// Finds folded text (`TextFolding`) in the texts of a recording, without a copy of those that are ASCII, as most are.
///
/// It pays because a search by bare words reads every text of each recording that the index does not decide.
package enum FoldedText {
  /// Calls `body` with bytes that are equal to the folded text but for the case of ASCII letters, which the functions below
  /// ignore. The bytes are valid only inside of `body`.
  package static func with<Result>(_ text: String, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    var text = text
    return text.withUTF8 { bytes in
      if bytes.reduce(0, |) < 0x80 { return body(bytes) }
      return TextFolding.folded(bytes).withUnsafeBufferPointer(body)
    }
  }

  /// Whether the text begins with the needle, which is folded.
  static func begins(_ bytes: UnsafeBufferPointer<UInt8>, with needle: [UInt8]) -> Bool {
    holds(bytes, at: 0, needle)
  }

  /// Whether the needle, which is folded, is anywhere in the text.
  package static func contains(_ bytes: UnsafeBufferPointer<UInt8>, _ needle: [UInt8]) -> Bool {
    contains(bytes, needle) { _ in true }
  }

  /// Whether the words follow each other in the text, with anything but letters and digits between them; the last one may be
  /// the beginning of a longer word.
  static func contains(_ bytes: UnsafeBufferPointer<UInt8>, words: [[UInt8]]) -> Bool {
    guard let word = words.first else { return true }
    return contains(bytes, word) { isWordStart(bytes, $0) && holds(bytes, at: $0, words: words) }
  }

  /// Whether the needle is in the text, at an index for which `isMatch` is true.
  @inline(__always)
  private static func contains(
    _ bytes: UnsafeBufferPointer<UInt8>, _ needle: [UInt8], where isMatch: (Int) -> Bool
  ) -> Bool {
    guard let first = needle.first else { return true }
    let upper = (0x61...0x7A).contains(first) ? first & ~0x20 : first
    var at = 0
    while true {
      at = ByteScan.first(first, or: upper, in: bytes, from: at)
      guard bytes.count - at >= needle.count else { return false }
      if holds(bytes, at: at, needle), isMatch(at) { return true }
      at += 1
    }
  }

  private static func holds(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int, words: [[UInt8]]) -> Bool {
    var at = start
    for (index, word) in words.enumerated() {
      guard holds(bytes, at: at, word) else { return false }
      at += word.count
      guard index + 1 < words.count else { return true }
      let end = at
      while at < bytes.count, case let next = decoded(bytes, at), !isPartOfWord(next.scalar) { at += next.length }
      guard at > end, at < bytes.count else { return false }
    }
    return true
  }

  @inline(__always)
  private static func holds(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int, _ needle: [UInt8]) -> Bool {
    guard bytes.count - start >= needle.count else { return false }
    for index in needle.indices where lower(bytes[start + index]) != needle[index] { return false }
    return true
  }

  @inline(__always)
  private static func lower(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

  private static func isWordStart(_ bytes: UnsafeBufferPointer<UInt8>, _ at: Int) -> Bool {
    var start = at - 1
    // Bytes of the form 10…… are not the first of their scalar.
    while start > 0, bytes[start] & 0xC0 == 0x80 { start -= 1 }
    return start < 0 || !isPartOfWord(decoded(bytes, start).scalar)
  }

  /// The scalar that begins at that byte, and its length; the bytes of a `String` are valid UTF-8.
  private static func decoded(_ bytes: UnsafeBufferPointer<UInt8>, _ at: Int) -> (scalar: Unicode.Scalar, length: Int) {
    let first = bytes[at]
    if first < 0x80 { return (Unicode.Scalar(first), 1) }
    let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    var value = UInt32(first) & (0x7F >> UInt32(length))
    for next in bytes[at..<min(at + length, bytes.count)].dropFirst() { value = value << 6 | UInt32(next & 0x3F) }
    return (Unicode.Scalar(value) ?? "\u{FFFD}", length)
  }

  /// Whether words are made of the scalar: letters, digits and other numbers, the spacing marks of Indic scripts, and private
  /// characters. Nonspacing marks are not in folded text.
  package static func isPartOfWord(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.value < 0x80 {
      return switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9": true
      default: false
      }
    }
    return switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber, .letterNumber,
      .otherNumber, .spacingMark, .privateUse:
      true
    default: false
    }
  }

  /// The words of a text, folded.
  static func words(of text: String) -> [[UInt8]] {
    var words: [[UInt8]] = []
    TextFolding.folded(text.utf8).withUnsafeBufferPointer { folded in
      forEachWord(of: folded) { words.append(Array(folded[$0])) }
    }
    return words
  }

  /// Calls `body` with the place of each word of a folded text.
  package static func forEachWord(of bytes: UnsafeBufferPointer<UInt8>, _ body: (Range<Int>) -> Void) {
    var at = 0
    var start: Int?
    while at < bytes.count {
      let (isPart, length): (Bool, Int)
      if bytes[at] < 0x80 {
        (isPart, length) = (isPartOfWord(Unicode.Scalar(bytes[at])), 1)
      } else {
        let next = decoded(bytes, at)
        (isPart, length) = (isPartOfWord(next.scalar), next.length)
      }
      if isPart {
        if start == nil { start = at }
      } else if let begin = start {
        body(begin..<at)
        start = nil
      }
      at += length
    }
    if let start { body(start..<bytes.count) }
  }
}

extension SearchText {
  /// Whether a folded text satisfies the condition. ASCII letters may be in either case.
  package func matches(folded bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    switch kind {
    case .prefix: FoldedText.begins(bytes, with: folded)
    case .part: FoldedText.contains(bytes, folded)
    case .whole: bytes.count == folded.count && FoldedText.begins(bytes, with: folded)
    }
  }

  /// Whether the text begins a folded scientific name; as a whole it is the name, or genus and species without the subspecies.
  package func matches(foldedScientificName bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard kind == .whole else { return matches(folded: bytes) }
    guard FoldedText.begins(bytes, with: folded) else { return false }
    let space = UInt8(ascii: " ")
    return bytes.count == folded.count || bytes[folded.count] == space && folded.contains(space)
  }
}
