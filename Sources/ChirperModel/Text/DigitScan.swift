/// Reads a date or a time from its beginning to its end, without making a text of each part.
struct DigitScan {
  private let text: UnsafeBufferPointer<UInt8>
  private var at = 0

  init(_ text: UnsafeBufferPointer<UInt8>) {
    self.text = text
  }

  var isAtEnd: Bool { at == text.count }

  /// Steps over the ASCII character if it is the next.
  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard at < text.count, UInt32(text[at]) == character.value else { return false }
    at += 1
    return true
  }

  /// Steps over the number that is next; `nil` unless it has as many digits as asked for.
  mutating func number(digits: ClosedRange<Int>) -> Int? {
    var number = 0
    var count = 0
    while at < text.count, case let byte = text[at], (0x30...0x39).contains(byte) {
      guard count < digits.upperBound else { return nil }
      number = number * 10 + Int(byte - 0x30)
      count += 1
      at += 1
    }
    return digits.contains(count) ? number : nil
  }
}
