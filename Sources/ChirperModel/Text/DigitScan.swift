extension UInt8 {
  /// Whether it is the ASCII code of a decimal digit.
  package var isDigit: Bool { (0x30...0x39).contains(self) }
  /// Whether it is the ASCII code of a letter in small letters.
  package var isSmallLetter: Bool { (0x61...0x7A).contains(self) }
  /// Whether it is the ASCII code of a letter.
  package var isLetter: Bool { (self | 0x20).isSmallLetter }
}

extension Collection<UInt8> where SubSequence == Self {
  /// The number in ASCII digits that the bytes begin with, after one of those signs or none, with a
  /// point between digits or none, and the bytes after it; `nil` if they begin differently.
  func leadingDecimal(signs: String) -> (number: Self, rest: Self)? {
    var rest = self
    func skipDigits() -> Bool {
      let count = rest.count
      rest = rest.drop(while: \.isDigit)
      return rest.count < count
    }
    if let sign = rest.first, signs.utf8.contains(sign) { rest.removeFirst() }
    guard skipDigits() else { return nil }
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      guard skipDigits() else { return nil }
    }
    return (self[..<rest.startIndex], rest)
  }
}

/// Reads a date or a time from its beginning to its end, without making a text of each part.
struct DigitScan<Text: Collection<UInt8>> where Text.SubSequence == Text {
  private var rest: Text

  init(_ text: Text) {
    rest = text
  }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard let byte = rest.first, UInt32(byte) == character.value else { return false }
    rest.removeFirst()
    return true
  }

  /// Steps over the number that is next; `nil` unless it has as many digits as asked for.
  mutating func number(digits: ClosedRange<Int>) -> Int? {
    var number = 0
    var count = 0
    while let byte = rest.first, byte.isDigit {
      guard count < digits.upperBound else { return nil }
      number = number * 10 + Int(byte - 0x30)
      count += 1
      rest.removeFirst()
    }
    return digits.contains(count) ? number : nil
  }
}
