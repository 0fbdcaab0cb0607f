// Parts of remote texts, each found in one pass: a regular expression can take time in proportion to the square of a text.

extension String {
  /// The ASCII digits between one of the prefixes and the end or the suffix; `nil` if anything else is there, or no digit.
  func digits(between prefixes: [String], and suffix: String? = nil) -> String? {
    guard let prefix = prefixes.first(where: hasPrefix) else { return nil }
    let rest = utf8.dropFirst(prefix.utf8.count)
    let digits = rest.prefix { (0x30...0x39).contains($0) }
    let isWhole = suffix.map { rest[digits.endIndex...].starts(with: $0.utf8) } ?? (digits.endIndex == rest.endIndex)
    return digits.isEmpty || !isWhole ? nil : String(digits)
  }

  /// The text without its last words, if these are `bird-seen:no playback-used:no`; the first may directly follow other text.
  func withoutLast(named names: [String]) -> Substring {
    let words = unicodeScalars.split(whereSeparator: \.properties.isWhitespace).suffix(names.count)
    guard words.count == names.count, words.last?.endIndex == unicodeScalars.endIndex,
      let start = words.first?.firstRange(of: "\(names[0]):".unicodeScalars)?.lowerBound,
      zip(words, names).dropFirst().allSatisfy({ $0.starts(with: "\($1):".unicodeScalars) })
    else { return self[...] }
    let rest = unicodeScalars[..<start]
    return Substring(rest.lastIndex { !$0.properties.isWhitespace }.map { rest[...$0] } ?? rest.prefix(0))
  }
}

extension StringProtocol {
  /// Whether it has ASCII digits and nothing else.
  var isDigits: Bool { !isEmpty && utf8.allSatisfy { (0x30...0x39).contains($0) } }
}
