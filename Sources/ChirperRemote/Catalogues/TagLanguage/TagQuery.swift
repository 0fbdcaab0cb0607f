import ChirperModel

/// A typed text in the language of tags: `gen:larus q:">C" en:"common gull"`, or plain words
/// without any tag.
struct TagQuery: Equatable {
  struct Term: Equatable {
    /// The tag in lower case.
    let tag: String
    /// The value without its quotes and escapes, spelled as typed.
    let value: String
    let wasQuoted: Bool

    /// The term as it is sent, with quotes if they were typed or if the value needs them.
    var requestText: String { TagScanner.spelled(tag, value, quoted: wasQuoted) }

    /// The term in lower case, with quotes only if they are needed.
    var normalised: String {
      TagScanner.spelled(tag, value.lowercased(), quoted: wasQuoted && value.contains(","))
    }
  }

  private(set) var terms: [Term]
  /// Plain words, without quotes and backslashes: no name holds one, and how the service would take
  /// them is unknown.
  private(set) var words: String
  /// The query to type if a tag has a name already: the plain words with a tag.
  private let suggestion: String

  /// Reads text that `CatalogueQuery.cleaned` made, checking tags and values.
  init(_ text: String, tags table: TagTable) throws(QueryError) {
    var scanner = TagScanner(text)
    var terms: [Term] = []
    var words: [(text: String, tagBefore: Int)] = []
    while scanner.skipSpaces() {
      let exact = scanner.exactTag()
      if let tag = exact ?? scanner.tag() {
        let (value, wasQuoted) = try scanner.value(of: tag)
        try table.check(tag, value, isForced: exact != nil)
        if !wasQuoted, value.contains(","), !table.takesCommas(tag) {
          throw QueryError(
            .badValue(
              tag: tag, value: value,
              expected:
                "one value, in double quotes if the comma is part of it; several are for chirper search"
            ))
        }
        // Ranges and lists of numbers are documented without quotes.
        let isText = !table.knows(tag) || !table.isNumeric(tag) && !table.takesCommas(tag)
        terms.append(Term(tag: tag, value: value, wasQuoted: wasQuoted && isText))
      } else {
        words.append(
          (
            String(scanner.words().unicodeScalars.filter { $0 != "\"" && $0 != "\\" }),
            terms.count - 1
          ))
      }
    }
    let plain = words.map(\.text).joined(separator: " ").split(separator: " ").joined(
      separator: " ")
    suggestion =
      terms.isEmpty || plain.isEmpty ? "" : Self.suggestion(terms, words, plain)
    guard !terms.isEmpty || !plain.isEmpty else { throw QueryError(.blank) }
    self.terms = terms
    self.words = plain
  }

  /// Throws if the query has plain words besides one of these tags, which have a name too.
  func check(hasNoNameBesideWords tags: [String]) throws(QueryError) {
    guard !words.isEmpty, terms.contains(where: { tags.contains($0.tag) }) else { return }
    throw QueryError(.mixed(words: words, suggestion: suggestion))
  }

  /// The query with its plain words as a name with a tag, before the other tags.
  func naming(scientific: Bool) throws(QueryError) -> TagQuery {
    guard !words.isEmpty else { return self }
    try check(hasNoNameBesideWords: scientific ? ["gen", "sp", "ssp"] : ["en"])
    return scientific
      ? asScientificName : naming(with: Term(tag: "en", value: words, wasQuoted: true))
  }

  /// The query with this term in the place of its plain words.
  func naming(with term: Term) -> TagQuery {
    var query = self
    query.terms.insert(term, at: 0)
    query.words = ""
    return query
  }

  /// The plain words as a scientific name: of a genus if there is one word, of a species if there
  /// are two, of a subspecies if there are three.
  private var asScientificName: TagQuery {
    let parts = words.split(separator: " ").map(String.init)
    switch parts.count {
    case 1:
      return naming(with: Term(tag: "gen", value: words, wasQuoted: words.contains(",")))
    case 3:
      let species = parts[..<2].joined(separator: " ")
      return naming(with: Term(tag: "ssp", value: parts[2], wasQuoted: false))
        .naming(with: Term(tag: "sp", value: species, wasQuoted: true))
    default: return naming(with: Term(tag: "sp", value: words, wasQuoted: true))
    }
  }

  /// The query with the result of `body` in place of each value of the tag.
  func replacingValues(of tag: String, _ body: (String) -> String) -> TagQuery {
    var query = self
    query.terms = terms.map {
      $0.tag == tag ? Term(tag: tag, value: body($0.value), wasQuoted: $0.wasQuoted) : $0
    }
    return query
  }

  /// The identity of tagged text: `q:a cnt:poland` and `cnt:"Poland"  q:A` are one query.
  var normalised: String {
    Set(terms.map(\.normalised)).sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
      .joined(separator: " ")
  }

  /// The identity of plain words. Words with a colon were quoted when typed, and must be when the
  /// identity is read again.
  var normalisedWords: String {
    let text = words.lowercased()
    return text.contains(":") ? "\"\(text)\"" : text
  }

  var requestText: String { terms.map(\.requestText).joined(separator: " ") }

  /// Words become an English name, or, where one is there already, the rest of the value they
  /// follow.
  private static func suggestion(
    _ terms: [Term], _ words: [(text: String, tagBefore: Int)], _ plain: String
  ) -> String {
    guard terms.contains(where: { $0.tag == "en" }) else {
      return ([Term(tag: "en", value: plain, wasQuoted: true)] + terms).map(\.requestText).joined(
        separator: " ")
    }
    let joined = terms.indices.map { index in
      let tail = words.filter { max($0.tagBefore, 0) == index }.map(\.text)
      return Term(
        tag: terms[index].tag, value: ([terms[index].value] + tail).joined(separator: " "),
        wasQuoted: terms[index].wasQuoted || !tail.isEmpty)
    }
    return joined.map(\.requestText).joined(separator: " ")
  }
}
