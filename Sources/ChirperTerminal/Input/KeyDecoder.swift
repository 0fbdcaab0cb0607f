import ChirperModel

/// Turns the bytes of a terminal into keys and pasted texts, wherever the reads split them.
///
/// Escape alone looks like the start of a sequence until more bytes arrive; call `flush` when none did.
struct KeyDecoder: Sendable {
  private var pending: [UInt8] = []
  /// The bytes of a paste so far; `nil` outside of a paste.
  private var paste: [UInt8]?
  /// Whether a pause came within the paste.
  private var isPasteHalted = false

  init() {}

  /// Whether the rest of a sequence or of a paste is missing.
  var isWaiting: Bool { !pending.isEmpty || paste != nil }

  mutating func feed(_ bytes: some Sequence<UInt8>) -> [Key] {
    let bytes = Array(bytes)
    // A paste whose end never arrives must not disable the keyboard: Ctrl-C alone, after a pause, is the key.
    if paste != nil, isPasteHalted, bytes == [0x03] { (paste, pending) = (nil, []) }
    isPasteHalted = false
    pending += bytes
    var keys: [Key] = []
    while true {
      if paste != nil {
        guard let key = endOfPaste() else { return keys }
        keys.append(key)
      } else {
        guard let (key, length) = next() else { return keys }
        pending.removeFirst(length)
        if let key { keys.append(key) }
      }
    }
  }

  /// Ends a pending sequence, because no more bytes arrived in time; a paste may take longer.
  mutating func flush() -> [Key] {
    guard paste == nil else {
      isPasteHalted = true
      return []
    }
    defer { pending = [] }
    return pending.first == 0x1B ? [.escape] : []
  }

  /// Moves what arrived into the paste; the paste as a key once its end is there.
  private mutating func endOfPaste() -> Key? {
    let end = pending.firstRange(of: Self.pasteEnd)
    // Without an end, the last bytes may be the first ones of it.
    let count = end?.lowerBound ?? max(0, pending.count - Self.pasteEnd.count + 1)
    let room = max(0, Self.longestPaste - (paste?.count ?? 0))
    paste?.append(contentsOf: pending.prefix(min(count, room)))
    pending.removeFirst(end?.upperBound ?? count)
    guard end != nil else { return nil }
    defer { paste = nil }
    return .paste(Self.line(of: paste ?? []))
  }

  /// The pasted text as one line: line breaks and tabs are spaces, every other control character is left out.
  private static func line(of bytes: [UInt8]) -> String {
    var line = String.UnicodeScalarView()
    var previous: Unicode.Scalar?
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      switch scalar {
      case "\n" where previous == "\r": break
      case "\n", "\r", "\t", "\u{85}", "\u{2028}", "\u{2029}": line.append(" ")
      default: if !JSONText.isControl(scalar) { line.append(scalar) }
      }
      previous = scalar
    }
    // A line copied as a whole has a line break at its end.
    while line.last == " " { line.removeLast() }
    return String(line)
  }

  /// The first key (`nil` for bytes without a meaning) and its number of bytes; `nil` while it is incomplete.
  private mutating func next() -> (Key?, Int)? {
    guard let first = pending.first else { return nil }
    switch first {
    case 0x1B: return escape()
    case 0x0D, 0x0A: return (.enter, 1)
    case 0x09: return (.tab, 1)
    case 0x7F, 0x08: return (.backspace, 1)
    case 0x01...0x1A: return (.control(Character(Unicode.Scalar(first + 0x60))), 1)
    case 0x00...0x1F: return (nil, 1)
    case 0x20..<0x7F: return (.character(Character(Unicode.Scalar(first))), 1)
    default: return scalar(first)
    }
  }

  /// A scalar of several bytes; a byte that cannot start one, and an invalid sequence, is skipped.
  private func scalar(_ first: UInt8) -> (Key?, Int)? {
    let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
    guard first >= 0xC2, first <= 0xF4 else { return (nil, 1) }
    let bytes = pending.prefix(length)
    if let invalid = bytes.dropFirst().firstIndex(where: { $0 & 0xC0 != 0x80 }) { return (nil, invalid) }
    guard bytes.count == length else { return nil }
    guard let text = String(validating: bytes, as: UTF8.self), let character = text.first else { return (nil, length) }
    return (text.unicodeScalars.contains { $0.value < 0xA0 } ? nil : .character(character), length)
  }

  private mutating func escape() -> (Key?, Int)? {
    guard pending.count > 1 else { return nil }
    switch pending[1] {
    case UInt8(ascii: "["): return controlSequence()
    case UInt8(ascii: "O"):
      guard pending.count > 2 else { return nil }
      return (Self.letters[pending[2]], 3)
    case 0x1B: return (.escape, 1)
    // Alt with a key means nothing here; the key must not be read without its Alt.
    case 0x20..<0x7F: return (nil, 2)
    default: return (.escape, 1)
    }
  }

  /// `ESC [ parameters final`; an unknown sequence is skipped as a whole, so that its letters are not read as keys.
  private mutating func controlSequence() -> (Key?, Int)? {
    guard let end = pending.dropFirst(2).firstIndex(where: { !(0x20...0x3F).contains($0) }) else {
      return pending.count > Self.longestSequence ? (nil, pending.count) : nil
    }
    let length = end + 1
    guard (0x40...0x7E).contains(pending[end]) else { return (nil, end) }
    let first = pending[2..<end].prefix { $0 != UInt8(ascii: ";") }
    if pending[..<length].elementsEqual(Self.pasteStart) {
      paste = []
      return (nil, length)
    }
    if pending[end] == UInt8(ascii: "~") {
      return (Self.numbers[String(decoding: first, as: UTF8.self)], length)
    }
    return (Self.letters[pending[end]], length)
  }

  private static let longestSequence = 32
  private static let pasteStart = Array("\u{1B}[200~".utf8)
  private static let pasteEnd = Array("\u{1B}[201~".utf8)
  /// In bytes; more than a prompt takes. The rest of a longer paste is dropped.
  private static let longestPaste = 65_536

  private static let letters: [UInt8: Key] = [
    UInt8(ascii: "A"): .up, UInt8(ascii: "B"): .down, UInt8(ascii: "C"): .right, UInt8(ascii: "D"): .left,
    UInt8(ascii: "H"): .home, UInt8(ascii: "F"): .end, UInt8(ascii: "M"): .enter,
  ]

  private static let numbers: [String: Key] = [
    "1": .home, "3": .delete, "4": .end, "5": .pageUp, "6": .pageDown, "7": .home, "8": .end,
  ]
}
