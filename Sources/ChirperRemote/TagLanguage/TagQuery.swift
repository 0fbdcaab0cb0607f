import ChirperModel

/// A typed text in the language of tags: `gen:larus q:">C" en:"common gull"`, or plain words without any tag.
struct TagQuery: Equatable {
  /// One `tag:value`.
  struct Term: Equatable {
    /// In lower case.
    let tag: String
    /// Without its quotes and escapes, spelled as typed.
    let value: String
    let wasQuoted: Bool

    /// As it is sent; with quotes where they were typed or where the value needs them.
    var sent: String { spelled(value, quoted: wasQuoted) }

    /// In lower case, with quotes only where they are needed.
    var normalised: String { spelled(value.lowercased(), quoted: false) }

    private func spelled(_ value: String, quoted: Bool) -> String {
      let needed = value.unicodeScalars.contains { " \"\\<>=".unicodeScalars.contains($0) }
      guard quoted || needed else { return "\(tag):\(value)" }
      // On scalars: a quote with a combining mark behind it is one Character and would slip through.
      var escaped = String.UnicodeScalarView()
      for scalar in value.unicodeScalars {
        if scalar == "\"" || scalar == "\\" { escaped.append("\\") }
        escaped.append(scalar)
      }
      return "\(tag):\"\(String(escaped))\""
    }
  }

  let terms: [Term]
  /// Plain words, without quotes and backslashes: no name holds one, and how the service would take them is unknown.
  let words: String

  /// Reads text that `SearchQuery.cleaned` made, checking tags and values; plain words beside tags are refused.
  init(_ text: String, tags table: TagTable) throws(QueryError) {
    var scanner = Scanner(text)
    var terms: [Term] = []
    var words: [(text: String, behind: Int)] = []
    while scanner.skipSpaces() {
      if let tag = scanner.tag() {
        let (value, wasQuoted) = try scanner.value(of: tag)
        try table.check(tag, value)
        // Ranges of numbers are documented without quotes.
        terms.append(Term(tag: tag, value: value, wasQuoted: wasQuoted && !table.isNumeric(tag)))
      } else {
        words.append((scanner.word(), terms.count - 1))
      }
    }
    let plain = words.map(\.text).joined(separator: " ").split(separator: " ").joined(separator: " ")
    if !terms.isEmpty, !plain.isEmpty {
      throw .mixed(words: plain, suggestion: Self.suggestion(terms, words, plain))
    }
    guard !terms.isEmpty || !plain.isEmpty else { throw .blank }
    self.terms = terms
    self.words = plain
  }

  /// The identity of tagged text: `q:a cnt:poland` and `cnt:"Poland"  q:A` are one query.
  var normalised: String {
    Set(terms.map(\.normalised)).sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }.joined(separator: " ")
  }

  var sent: String { terms.map(\.sent).joined(separator: " ") }

  /// Words become an English name, or, where one is there already, the rest of the value they follow.
  private static func suggestion(_ terms: [Term], _ words: [(text: String, behind: Int)], _ plain: String) -> String {
    guard terms.contains(where: { $0.tag == "en" }) else {
      return ([Term(tag: "en", value: plain, wasQuoted: true)] + terms).map(\.sent).joined(separator: " ")
    }
    let joined = terms.indices.map { index in
      let tail = words.filter { max($0.behind, 0) == index }.map(\.text)
      return Term(
        tag: terms[index].tag, value: ([terms[index].value] + tail).joined(separator: " "),
        wasQuoted: terms[index].wasQuoted || !tail.isEmpty)
    }
    return joined.map(\.sent).joined(separator: " ")
  }
}

/// Walks query text by scalars.
private struct Scanner {
  private let scalars: [Unicode.Scalar]
  private var at = 0

  init(_ text: String) {
    scalars = Array(text.unicodeScalars)
  }

  /// Whether anything is left.
  mutating func skipSpaces() -> Bool {
    while at < scalars.count, scalars[at] == " " { at += 1 }
    return at < scalars.count
  }

  /// Steps over a tag and its colon; `nil` where no tag begins here.
  mutating func tag() -> String? {
    var end = at
    while end < scalars.count, scalars[end].isASCII,
      scalars[end].properties.isAlphabetic || end > at && (scalars[end] == "_" || scalars[end] == "-")
    {
      end += 1
    }
    guard end > at, end < scalars.count, scalars[end] == ":" else { return nil }
    defer { at = end + 1 }
    return text(at..<end).lowercased()
  }

  mutating func value(of tag: String) throws(QueryError) -> (String, wasQuoted: Bool) {
    guard at < scalars.count, scalars[at] != " " else { throw .missingValue(tag: tag) }
    guard scalars[at] == "\"" else {
      let start = at
      while at < scalars.count, scalars[at] != " " { at += 1 }
      let value = text(start..<at)
      guard !value.unicodeScalars.contains("\"") else { throw misquoted(tag, value) }
      return (value, false)
    }
    at += 1
    var value = String.UnicodeScalarView()
    while at < scalars.count, scalars[at] != "\"" {
      if scalars[at] == "\\", at + 1 < scalars.count, scalars[at + 1] == "\"" || scalars[at + 1] == "\\" { at += 1 }
      value.append(scalars[at])
      at += 1
    }
    guard at < scalars.count else { throw .unclosedQuote }
    at += 1
    guard at == scalars.count || scalars[at] == " " else { throw misquoted(tag, String(value)) }
    return (String(value), true)
  }

  /// A plain word, or all between two quotes; without its quotes and backslashes.
  mutating func word() -> String {
    let start = at
    let closing = scalars[at] == "\"" ? scalars[(at + 1)...].firstIndex(of: "\"") : nil
    if let closing { at = closing + 1 }
    while at < scalars.count, scalars[at] != " " { at += 1 }
    return String(String.UnicodeScalarView(scalars[start..<at].filter { $0 != "\"" && $0 != "\\" }))
  }

  private func misquoted(_ tag: String, _ value: String) -> QueryError {
    .badValue(tag: tag, value: value, expected: "quotes around all of it or none")
  }

  private func text(_ range: Range<Int>) -> String {
    String(String.UnicodeScalarView(scalars[range]))
  }
}

/// A term's value taken apart: `>3`, `=common quail`, `10-15`, `song`.
struct TagOperand {
  /// `<`, `>` or `=`.
  let sign: Character?
  /// What follows the sign, in lower case.
  let text: String

  init(_ value: String) {
    let value = value.lowercased()
    sign = value.first.flatMap { "<>=".contains($0) ? $0 : nil }
    text = sign == nil ? value : String(value.dropFirst())
  }

  /// Whether the field begins with the text, or is the text where that is asked for.
  func begins(_ field: String) -> Bool { sign == "=" ? field.lowercased() == text : field.lowercased().hasPrefix(text) }

  /// Whether the field contains the text, or is the text where that is asked for.
  func isIn(_ field: String) -> Bool { sign == "=" ? field.lowercased() == text : field.lowercased().contains(text) }

  /// Whether the number is the one asked for, within the range, or beyond it on the side of the sign.
  func covers(_ number: Double) -> Bool {
    let ends = text.split(separator: "-").compactMap { Double($0) }
    guard let low = ends.first, let high = ends.last else { return false }
    return switch sign {
    case "<": number < low
    case ">": number > low
    default: (low...max(low, high)).contains(number)
    }
  }

  /// Whether the rating is the one asked for; `>c` is better than C, so A or B.
  func covers(_ quality: Quality) -> Bool {
    guard let wanted = Quality(rawValue: text.uppercased()) else { return false }
    return switch sign {
    case "<": quality < wanted
    case ">": quality > wanted
    default: quality == wanted
    }
  }
}
