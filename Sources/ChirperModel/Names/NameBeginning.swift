#if Collection

/// The beginning of a name that is being typed.
package struct NameBeginning: Sendable {
  /// The text as it was typed.
  package let text: String
  private let folded: String

  init(_ text: String) { (self.text, folded) = (text, Self.folded(text)) }

  /// Whether the name begins with the text and goes on, whatever the case and accents of both;
  /// hyphens are spaces, and both kinds of apostrophe are one.
  package func isBeginning(of name: String) -> Bool {
    let name = Self.folded(name)
    return name.count > folded.count && name.hasPrefix(folded)
  }

  /// The name that begins with the text, which stays as it was typed; the rest is in small letters
  /// if the text is. It is `nil` if the name is spelled differently, as ß is for ss.
  func completed(to name: String) -> String? {
    let rest = name.dropFirst(text.count)
    let isUpper = text.contains(where: \.isUppercase)
    let completed = text + (isUpper ? String(rest) : rest.lowercased())
    return isBeginning(of: name) && Self.folded(completed) == Self.folded(name) ? completed : nil
  }

  private static func folded(_ name: String) -> String {
    String(
      TextFolding.folded(name).map { letter -> Character in
        switch letter {
        case "-": " "
        case "\u{2019}": "'"
        default: letter
        }
      })
  }
}

/// A search or query whose end may be the beginning of a name.
package struct TypedBeginning: Sendable {
  package let name: NameBeginning
  /// The tag of the name, `sp` or `en`; `nil` for plain words.
  package let tag: String?
  private let before: String

  /// What may be a name at the end of the text: the value of `sp:` or `en:`, or plain words that
  /// follow each other, as many as possible first. A beginning has three letters, or one that is not
  /// in ASCII.
  package static func all(in text: String) -> [TypedBeginning] {
    var scanner = TagScanner(text)
    let text = { String(String.UnicodeScalarView(scanner.scalars[$0])) }
    let count = scanner.scalars.count
    var words: [Int] = []
    while scanner.skipSpaces() {
      let start = scanner.at
      guard let tag = scanner.tag() else {
        let isPlain = !["-", "=", "\""].contains(where: scanner.isNext)
        _ = scanner.words()
        words = isPlain ? words + [start] : []
        continue
      }
      words = []
      let isQuoted = scanner.isNext("\"")
      let value = scanner.at + (isQuoted ? 1 : 0)
      let isRead = (try? scanner.value(of: tag)) != nil
      let known = TagNames.otherNames[tag] ?? tag
      if scanner.isAtEnd, !(isQuoted && isRead), known == "sp" || known == "en" {
        return [
          TypedBeginning(
            name: NameBeginning(text(value..<count)), tag: known, before: text(0..<start))
        ].filter(\.isLongEnough)
      }
    }
    return words.suffix(SearchExpression.longestName)
      .map {
        TypedBeginning(name: NameBeginning(text($0..<count)), tag: nil, before: text(0..<$0))
      }
      .filter(\.isLongEnough)
  }

  private var isLongEnough: Bool {
    let letters = TextFolding.foldedLetters(name.text)
    return letters.count > 2 || !letters.isEmpty && !letters.utf8.allSatisfy { $0 < 0x80 }
  }

  /// The text with a name at its end; `nil` if the name does not begin so, or has a sign that means
  /// something in a search, or to a terminal.
  package func completed(to name: String) -> String? {
    guard let name = self.name.completed(to: name),
      name.split(separator: " ").allSatisfy({ $0.first?.isLetter == true }),
      name.allSatisfy({ $0.isLetter || $0.isNumber || " -'\u{2019}.,()/".contains($0) })
    else { return nil }
    return before + (tag.map { TagScanner.spelled($0, name) } ?? name)
  }
}

#endif
