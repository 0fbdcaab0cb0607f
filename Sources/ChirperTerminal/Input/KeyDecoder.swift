import ChirperModel

/// Turns the bytes of a terminal into keys and pasted texts, wherever the reads split them.
///
/// Escape alone looks like the start of a sequence until more bytes arrive; call `flush` when none
/// did.
struct KeyDecoder: Sendable {
  /// The bytes that are read again when more arrive.
  private(set) var pending: [UInt8] = []
  /// The position in `pending` at which the next key begins, while it is read.
  private var at = 0
  /// Whether the rest of a sequence that is too long to have a meaning is skipped.
  private var isSkipping = false
  /// The bytes of a paste so far; `nil` outside of a paste.
  private var paste: [UInt8]?

  /// Whether the rest of a sequence or of a paste is missing.
  var isWaiting: Bool { !pending.isEmpty || isSkipping || paste != nil }

  /// The keys that these bytes complete. Each byte is read once, whatever its sequence is and
  /// however the reads split it.
  mutating func feed(_ bytes: some Sequence<UInt8>) -> [Key] {
    pending += bytes
    defer {
      pending.removeFirst(at)
      at = 0
    }
    var keys: [Key] = []
    while true {
      if paste != nil {
        guard let key = endOfPaste() else { return keys }
        keys.append(key)
      } else if isSkipping {
        skip()
        if isSkipping { return keys }
      } else {
        guard let (key, end) = next() else { return keys }
        at = end
        if let key { keys.append(key) }
      }
    }
  }

  /// Ends a pending sequence, because no more bytes arrived in time; a paste may take longer.
  ///
  /// A paste whose end never arrives must not disable the keyboard: Ctrl-C as its last byte is the
  /// key.
  mutating func flush() -> [Key] {
    if paste != nil {
      guard pending.last == Self.controlC else { return [] }
      paste = nil
      pending = []
      return [.control("c")]
    }
    defer { (pending, isSkipping) = ([], false) }
    return pending.first == 0x1B ? [.escape] : []
  }

  /// Moves the bytes that arrived into the paste; returns the paste as a key once its end
  /// is there.
  private mutating func endOfPaste() -> Key? {
    let arrived = pending[at...]
    let end = arrived.firstRange(of: Self.pasteEnd)
    // Without an end, the last bytes may be the first ones of it.
    let through = end?.lowerBound ?? max(at, pending.count - Self.pasteEnd.count + 1)
    let room = max(0, Self.longestPaste - (paste?.count ?? 0))
    paste?.append(contentsOf: pending[at..<through].prefix(room))
    at = end?.upperBound ?? through
    guard end != nil else { return nil }
    defer { paste = nil }
    return .paste(Self.line(of: paste ?? []))
  }

  /// The pasted text as one line: line breaks and tabs are spaces, every other control character is
  /// left out.
  private static func line(of bytes: [UInt8]) -> String {
    var line = String.UnicodeScalarView()
    var previous: Unicode.Scalar?
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      switch scalar {
      case "\n" where previous == "\r": break
      case "\n", "\r", "\t", "\u{85}", "\u{2028}", "\u{2029}": line.append(" ")
      default: if !PlainLine.isControl(scalar) { line.append(scalar) }
      }
      previous = scalar
    }
    // A line copied as a whole has a line break at its end.
    while line.last == " " { line.removeLast() }
    return String(line)
  }

  /// The next key (`nil` for bytes without a meaning) and where it ends; `nil` while it is
  /// incomplete.
  private mutating func next() -> (key: Key?, end: Int)? {
    guard at < pending.count else { return nil }
    let first = pending[at]
    switch first {
    case 0x1B: return escape()
    case 0x0D, 0x0A: return (.enter, at + 1)
    case 0x09: return (.tab, at + 1)
    case 0x7F, 0x08: return (.backspace, at + 1)
    case 0x01...0x1A: return (.control(Character(Unicode.Scalar(first + 0x60))), at + 1)
    case 0x00...0x1F: return (nil, at + 1)
    case 0x20..<0x7F: return (.character(Character(Unicode.Scalar(first))), at + 1)
    default: return scalar(first)
    }
  }

  /// A scalar of several bytes; a byte that cannot start one, and an invalid sequence, is skipped.
  private func scalar(_ first: UInt8) -> (key: Key?, end: Int)? {
    let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
    guard first >= 0xC2, first <= 0xF4 else { return (nil, at + 1) }
    let bytes = pending[at...].prefix(length)
    if let invalid = bytes.dropFirst().firstIndex(where: { $0 & 0xC0 != 0x80 }) {
      return (nil, invalid)
    }
    guard bytes.count == length else { return nil }
    guard let text = String(validating: bytes, as: UTF8.self), let character = text.first else {
      return (nil, bytes.endIndex)
    }
    return (
      text.unicodeScalars.contains { $0.value < 0xA0 } ? nil : .character(character), bytes.endIndex
    )
  }

  private mutating func escape() -> (key: Key?, end: Int)? {
    guard pending.count - at > 1 else { return nil }
    switch pending[at + 1] {
    case UInt8(ascii: "["): return controlSequence()
    case UInt8(ascii: "O"):
      guard pending.count - at > 2 else { return nil }
      return (Self.letters[pending[at + 2]], at + 3)
    case 0x1B: return (.escape, at + 1)
    // Alt with a key means nothing here; the key must not be read without its Alt.
    case 0x20..<0x7F: return (nil, at + 2)
    default: return (.escape, at + 1)
    }
  }

  /// `ESC [ parameters final`; an unknown sequence is skipped as a whole, so that its letters are
  /// not read as keys.
  private mutating func controlSequence() -> (key: Key?, end: Int)? {
    let sequence = pending[at...].prefix(Self.longestSequence)
    guard let end = sequence.dropFirst(2).firstIndex(where: { !Self.parameters.contains($0) })
    else {
      guard sequence.count == Self.longestSequence else { return nil }
      isSkipping = true
      return (nil, sequence.endIndex)
    }
    guard Self.finals.contains(pending[end]) else { return (nil, end) }
    if pending[at...end].elementsEqual(Self.pasteStart) {
      paste = []
      return (nil, end + 1)
    }
    if pending[end] == UInt8(ascii: "~") {
      let first = pending[(at + 2)..<end].prefix { $0 != UInt8(ascii: ";") }
      return (Self.numbers[String(decoding: first, as: UTF8.self)], end + 1)
    }
    return (Self.letters[pending[end]], end + 1)
  }

  /// Steps over the rest of a sequence, as far as it has arrived.
  private mutating func skip() {
    guard let end = pending[at...].firstIndex(where: { !Self.parameters.contains($0) }) else {
      at = pending.count
      return
    }
    at = Self.finals.contains(pending[end]) ? end + 1 : end
    isSkipping = false
  }

  private static let parameters: ClosedRange<UInt8> = 0x20...0x3F
  private static let finals: ClosedRange<UInt8> = 0x40...0x7E
  private static let controlC: UInt8 = 0x03
  /// The longest escape sequence in bytes; no key has a longer one.
  private static let longestSequence = 32
  private static let pasteStart = Array("\u{1B}[200~".utf8)
  private static let pasteEnd = Array("\u{1B}[201~".utf8)
  /// The longest paste in bytes, more than a prompt takes. The rest of a longer paste is
  /// dropped.
  private static let longestPaste = 65_536

  private static let letters: [UInt8: Key] = [
    UInt8(ascii: "A"): .up, UInt8(ascii: "B"): .down, UInt8(ascii: "C"): .right,
    UInt8(ascii: "D"): .left,
    UInt8(ascii: "H"): .home, UInt8(ascii: "F"): .end, UInt8(ascii: "M"): .enter,
  ]

  private static let numbers: [String: Key] = [
    "1": .home, "3": .delete, "4": .end, "5": .pageUp, "6": .pageDown, "7": .home, "8": .end,
  ]
}
