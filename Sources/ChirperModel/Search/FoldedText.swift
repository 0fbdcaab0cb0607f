#if Collection

/// Finds folded text (`TextFolding`) in folded texts, in place, because terms of the search index
/// are searched where they are stored.
package enum FoldedText {
  /// Whether the needle, which is folded, is anywhere in the text.
  package static func contains(_ bytes: Span<UInt8>, _ needle: [UInt8]) -> Bool {
    guard let first = needle.first else { return true }
    var at = 0
    while true {
      while at < bytes.count, bytes[at] != first { at += 1 }
      guard bytes.count - at >= needle.count else { return false }
      if holds(bytes, at: at, needle) { return true }
      at += 1
    }
  }

  /// Whether the words follow each other in the text, with no letters and digits between them; the
  /// last may be unfinished. A word may leave out hyphens and apostrophes of the text: `blyths` is
  /// in `blyth's`.
  package static func contains(_ bytes: Span<UInt8>, words: [[UInt8]]) -> Bool {
    guard let first = words.first?.first else { return true }
    for start in bytes.indices where bytes[start] == first && isWordStart(bytes, start) {
      if holds(bytes, at: start, words: words[...]) { return true }
    }
    return false
  }

  /// The most words of a text that a word can be all together: `redandwhite` for `red-and-white`.
  static let joinedAtMost = 4

  private static func holds(
    _ bytes: Span<UInt8>, at start: Int, words: ArraySlice<[UInt8]>
  ) -> Bool {
    guard let word = words.first, let end = end(of: word, in: bytes, from: start) else {
      return false
    }
    guard words.count > 1 else { return true }
    var at = end
    while at < bytes.count, case let next = scalar(bytes, at), !isPartOfWord(next.scalar) {
      at += next.length
    }
    return at > end && at < bytes.count && holds(bytes, at: at, words: words.dropFirst())
  }

  /// The end of the word that begins at `start`, which may have hyphens and apostrophes
  /// that `word` lacks; `nil` if the word does not begin there.
  private static func end(of word: [UInt8], in bytes: Span<UInt8>, from start: Int) -> Int? {
    var at = start
    var joints = 0
    for byte in word {
      if let length = lengthOfJoint(bytes, at) {
        joints += 1
        guard joints < joinedAtMost else { return nil }
        at += length
      }
      guard at < bytes.count, bytes[at] == byte else { return nil }
      at += 1
    }
    return at
  }

  /// The hyphens and apostrophes that words may leave out, in UTF-8: - ' ‐ ‑ ’ ‘.
  private static func lengthOfJoint(_ bytes: Span<UInt8>, _ at: Int) -> Int? {
    guard at > 0, at < bytes.count, let length = lengthOfSign(bytes, at),
      at + length < bytes.count, isLetter(bytes, before: at), isLetter(bytes, from: at + length)
    else { return nil }
    return length
  }

  private static func lengthOfSign(_ bytes: Span<UInt8>, _ at: Int) -> Int? {
    if bytes[at] == UInt8(ascii: "-") || bytes[at] == UInt8(ascii: "'") { return 1 }
    guard at + 2 < bytes.count, bytes[at] == 0xE2, bytes[at + 1] == 0x80,
      [0x90, 0x91, 0x98, 0x99].contains(bytes[at + 2])
    else { return nil }
    return 3
  }

  private static func isLetter(_ bytes: Span<UInt8>, from at: Int) -> Bool {
    let scalar = scalar(bytes, at).scalar
    return isPartOfWord(scalar) && !("0"..."9").contains(scalar)
  }

  private static func isLetter(_ bytes: Span<UInt8>, before at: Int) -> Bool {
    var start = at - 1
    while start > 0, bytes[start] & 0xC0 == 0x80 { start -= 1 }
    return isLetter(bytes, from: start)
  }

  private static func hasJoint(_ bytes: Span<UInt8>) -> Bool {
    for index in bytes.indices where lengthOfJoint(bytes, index) != nil { return true }
    return false
  }

  /// Calls `body` with each word that several words of a folded text are together, without the
  /// hyphens and apostrophes between them.
  package static func forEachJoinedWord(of text: [UInt8], _ body: (ArraySlice<UInt8>) -> Void) {
    let bytes = text.span
    guard hasJoint(bytes) else { return }
    /// The words before that are joined to the next one.
    var joined: [[UInt8]] = []
    var end = -1
    forEachWord(of: text) { range in
      let isJoined = end >= 0 && lengthOfJoint(bytes, end) == range.lowerBound - end
      if !isJoined { joined = [] }
      joined.append(Array(text[range]))
      if joined.count > joinedAtMost { joined.removeFirst() }
      for first in joined.indices.dropLast() { body(ArraySlice(joined[first...].joined())) }
      end = range.upperBound
    }
  }

  /// Whether the needle, which is folded, is in the text there.
  @inline(__always)
  package static func holds(_ bytes: Span<UInt8>, at start: Int = 0, _ needle: [UInt8]) -> Bool {
    guard bytes.count - start >= needle.count else { return false }
    for index in needle.indices where bytes[start + index] != needle[index] { return false }
    return true
  }

  private static func isWordStart(_ bytes: Span<UInt8>, _ at: Int) -> Bool {
    var start = at - 1
    // Bytes of the form 10…… are not the first of their scalar.
    while start > 0, bytes[start] & 0xC0 == 0x80 { start -= 1 }
    return start < 0 || !isPartOfWord(scalar(bytes, start).scalar)
  }

  private static func scalar(_ bytes: Span<UInt8>, _ at: Int) -> (
    scalar: Unicode.Scalar, length: Int
  ) {
    ByteScan.scalar(bytes, at) ?? ("\u{FFFD}", 1)
  }

  /// Whether words are made of the scalar: letters, digits and other numbers, the spacing marks of
  /// Indic scripts, and private characters. Nonspacing marks are not in folded text.
  static func isPartOfWord(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.value < 0x80 {
      return switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9": true
      default: false
      }
    }
    return switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .decimalNumber, .letterNumber,
      .otherNumber, .spacingMark, .privateUse:
      true
    default: false
    }
  }

  static func words(of text: String) -> [[UInt8]] {
    var words: [[UInt8]] = []
    let folded = TextFolding.folded(text.utf8)
    forEachWord(of: folded) { words.append(Array(folded[$0])) }
    return words
  }

  /// Calls `body` with the position of each word of a folded text.
  package static func forEachWord(of text: [UInt8], _ body: (Range<Int>) -> Void) {
    let bytes = text.span
    var at = 0
    var start: Int?
    while at < bytes.count {
      let byte = bytes[at]
      let next = byte < 0x80 ? (scalar: Unicode.Scalar(byte), length: 1) : scalar(bytes, at)
      if isPartOfWord(next.scalar) {
        start = start ?? at
      } else if let begin = start {
        body(begin..<at)
        start = nil
      }
      at += next.length
    }
    if let start { body(start..<bytes.count) }
  }
}

extension SearchText {
  /// Whether a folded text satisfies the condition.
  package func matches(folded bytes: Span<UInt8>) -> Bool {
    switch kind {
    case .prefix: FoldedText.holds(bytes, folded)
    case .part: FoldedText.contains(bytes, folded)
    case .whole: bytes.count == folded.count && FoldedText.holds(bytes, folded)
    }
  }

  /// Whether the text begins a folded scientific name; as a whole it is the name, or genus and
  /// species without the subspecies.
  package func matches(foldedScientificName bytes: Span<UInt8>) -> Bool {
    guard kind == .whole else { return matches(folded: bytes) }
    guard FoldedText.holds(bytes, folded) else { return false }
    let space = UInt8(ascii: " ")
    return bytes.count == folded.count || bytes[folded.count] == space && folded.contains(space)
  }
}

#endif
