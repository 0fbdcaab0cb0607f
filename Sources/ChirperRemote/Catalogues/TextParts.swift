// Parts of remote texts, each found in one pass: a regular expression can take time in proportion
// to the square of a text.

import ChirperModel

extension String {
  /// The ASCII digits between one of the prefixes and the end or the suffix; `nil` if anything else
  /// is there, or no digit.
  func digits(between prefixes: [String], and suffix: String? = nil) -> String? {
    guard let prefix = prefixes.first(where: hasPrefix) else { return nil }
    let rest = utf8.dropFirst(prefix.utf8.count)
    let digits = rest.prefix { $0.isDigit }
    let isWhole =
      suffix.map { rest[digits.endIndex...].starts(with: $0.utf8) }
      ?? (digits.endIndex == rest.endIndex)
    return digits.isEmpty || !isWhole ? nil : String(digits)
  }

  /// The text after the host and a slash in the address of a page on one of these hosts:
  /// `535692` of `https://xeno-canto.org/535692`; `nil` if it is not such an address. The
  /// scheme may be missing.
  func page(on hosts: Set<String>) -> Substring? {
    let schemes = ["https://", "http://", "//"]
    let rest = dropFirst(schemes.first { lowercased().hasPrefix($0) }?.count ?? 0)
    guard let slash = rest.firstIndex(of: "/"), hosts.contains(rest[..<slash].lowercased()) else {
      return nil
    }
    return rest[slash...].dropFirst()
  }

  /// The text without its last words, if these are `bird-seen:no playback-used:no`; the first may
  /// directly follow other text.
  func withoutLast(named names: [String]) -> Substring {
    let words = unicodeScalars.split(whereSeparator: \.properties.isWhitespace).suffix(names.count)
    guard words.count == names.count, words.last?.endIndex == unicodeScalars.endIndex,
      let start = words.first?.firstRange(of: "\(names[0]):".unicodeScalars)?.lowerBound,
      zip(words, names).dropFirst().allSatisfy({ $0.starts(with: "\($1):".unicodeScalars) })
    else { return self[...] }
    let rest = unicodeScalars[..<start]
    return Substring(
      rest.lastIndex { !$0.properties.isWhitespace }.map { rest[...$0] } ?? rest.prefix(0))
  }
}

extension StringProtocol {
  /// The ASCII digits that the text begins with, if the address of a page ends after them;
  /// `nil` if it does not, or if the text begins otherwise.
  var numberOfPage: String? { digits(before: "/?#") }

  /// The number that the address of a page ends with, which may have a name after it:
  /// `12716` of `12716-Turdus-merula`; `nil` if it does not begin with a number.
  var numberBeforeName: String? { digits(before: "-/?#") }

  /// The ASCII digits that the text begins with; `nil` if it has none, or if something follows that
  /// is not one of the signs.
  private func digits(before signs: String) -> String? {
    let digits = prefix { $0.isASCII && $0.isNumber }
    let next = self[digits.endIndex...].first
    guard !digits.isEmpty, next.map({ signs.contains($0) }) ?? true else { return nil }
    return String(digits)
  }

  /// Whether it has ASCII digits and nothing else.
  var isDigits: Bool { !isEmpty && utf8.allSatisfy { $0.isDigit } }
}
