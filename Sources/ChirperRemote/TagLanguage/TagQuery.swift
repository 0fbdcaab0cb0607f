import ChirperModel

/// A typed text in the language of tags: `gen:larus q:">C" en:"common gull"`, or plain words without any tag.
struct TagQuery: Equatable {
  struct Term: Equatable {
    /// In lower case.
    let tag: String
    /// Without its quotes and escapes, spelled as typed.
    let value: String
    let wasQuoted: Bool

    /// As it is sent; with quotes where they were typed or where the value needs them.
    var sent: String { TagScanner.spelled(tag, value, quoted: wasQuoted) }

    /// In lower case, with quotes only where they are needed.
    var normalised: String { TagScanner.spelled(tag, value.lowercased(), quoted: wasQuoted && value.contains(",")) }
  }

  private(set) var terms: [Term]
  /// Plain words, without quotes and backslashes: no name holds one, and how the service would take them is unknown.
  let words: String

  /// Reads text that `CatalogueQuery.cleaned` made, checking tags and values; plain words next to tags are refused.
  init(_ text: String, tags table: TagTable) throws(QueryError) {
    var scanner = TagScanner(text)
    var terms: [Term] = []
    var words: [(text: String, tagBefore: Int)] = []
    while scanner.skipSpaces() {
      if let tag = scanner.tag() {
        let (value, wasQuoted) = try scanner.value(of: tag)
        try table.check(tag, value)
        if !wasQuoted, value.contains(","), !table.takesCommas(tag) {
          throw .badValue(
            tag: tag, value: value,
            expected: "one value, in double quotes if the comma is part of it; several are for chirper search")
        }
        // Ranges and lists of numbers are documented without quotes.
        let isText = !table.isNumeric(tag) && !table.takesCommas(tag)
        terms.append(Term(tag: tag, value: value, wasQuoted: wasQuoted && isText))
      } else {
        words.append((String(scanner.words().unicodeScalars.filter { $0 != "\"" && $0 != "\\" }), terms.count - 1))
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

  /// The plain words as a scientific name: of a genus if there is one word, of a species if there are two, of a subspecies if
  /// there are three.
  var asScientificName: TagQuery {
    let parts = words.split(separator: " ").map(String.init)
    var query = self
    query.terms =
      switch parts.count {
      case 1: [Term(tag: "gen", value: words, wasQuoted: words.contains(","))]
      case 3:
        [
          Term(tag: "sp", value: parts[..<2].joined(separator: " "), wasQuoted: true),
          Term(tag: "ssp", value: parts[2], wasQuoted: false),
        ]
      default: [Term(tag: "sp", value: words, wasQuoted: true)]
      }
    return query
  }

  /// The query with what `body` makes of each value of the tag in its place.
  func replacingValues(of tag: String, _ body: (String) -> String) -> TagQuery {
    var query = self
    query.terms = terms.map { $0.tag == tag ? Term(tag: tag, value: body($0.value), wasQuoted: $0.wasQuoted) : $0 }
    return query
  }

  /// The identity of tagged text: `q:a cnt:poland` and `cnt:"Poland"  q:A` are one query.
  var normalised: String {
    Set(terms.map(\.normalised)).sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }.joined(separator: " ")
  }

  /// The identity of plain words. Words with a colon were quoted when typed, and must be when the identity is read again.
  var normalisedWords: String {
    let text = words.lowercased()
    return text.contains(":") ? "\"\(text)\"" : text
  }

  var sent: String { terms.map(\.sent).joined(separator: " ") }

  /// Words become an English name, or, where one is there already, the rest of the value they follow.
  private static func suggestion(_ terms: [Term], _ words: [(text: String, tagBefore: Int)], _ plain: String) -> String {
    guard terms.contains(where: { $0.tag == "en" }) else {
      return ([Term(tag: "en", value: plain, wasQuoted: true)] + terms).map(\.sent).joined(separator: " ")
    }
    let joined = terms.indices.map { index in
      let tail = words.filter { max($0.tagBefore, 0) == index }.map(\.text)
      return Term(
        tag: terms[index].tag, value: ([terms[index].value] + tail).joined(separator: " "),
        wasQuoted: terms[index].wasQuoted || !tail.isEmpty)
    }
    return joined.map(\.sent).joined(separator: " ")
  }
}
