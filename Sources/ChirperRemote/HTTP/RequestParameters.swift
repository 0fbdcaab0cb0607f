#if Collection

import ChirperModel

/// The parameters of a request as one text, so that the store keeps them as sent:
/// `country=PL&year=2020`.
///
/// A value that stands for a name ends with it in brackets, for people: `taxonKey=2480528
/// (Accipiter, genus)`.
struct RequestParameters: Equatable {
  struct Parameter: Equatable {
    let name: String
    let value: String
    /// The name that the value stands for; it is never sent.
    var note: String?

    init(_ name: String, _ value: String, note: String? = nil) {
      self.name = name
      self.value = value
      self.note = note
    }
  }

  var all: [Parameter]
}

extension RequestParameters {
  init(text: String) {
    all = text.split(separator: "&").map { part in
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let value = sides.count > 1 ? sides[1] : ""
      guard value.hasSuffix(")"), let start = value.firstRange(of: " (") else {
        return Parameter(String(sides[0]), Self.unescaped(value))
      }
      return Parameter(
        String(sides[0]), Self.unescaped(value[..<start.lowerBound]),
        note: Self.unescaped(value[start.upperBound...].dropLast()))
    }
  }

  /// `name=value&name=value`, readable: only the separators of the parts are escaped.
  var text: String {
    all.map { parameter in
      let note = parameter.note.map { " (\(Self.escaped($0)))" } ?? ""
      return "\(parameter.name)=\(Self.escaped(parameter.value))\(note)"
    }.joined(separator: "&")
  }

  private static let escapes = [("%", "%25"), ("&", "%26"), ("(", "%28"), (")", "%29")]

  private static func escaped(_ text: String) -> String {
    escapes.reduce(text) { $0.replacing($1.0, with: $1.1) }
  }

  private static func unescaped(_ text: Substring) -> String {
    escapes.reversed().reduce(String(text)) { $0.replacing($1.1, with: $1.0) }
  }
}

/// The parameters by which a catalogue's requests name taxa. `names` must be looked up;
/// `key` replaces them.
struct TaxonParameter: Sendable {
  let key: String
  let names: [String]
  /// The parameter that names the taxonomy of the keys; `nil` for a catalogue that has one.
  var taxonomy: String?

  /// The name that is still to be looked up; `nil` if none is.
  func name(in parameters: RequestParameters) -> RequestParameters.Parameter? {
    parameters.all.first { names.contains($0.name) }
  }

  /// The query with the taxa that an earlier request of the same query was sent with; `nil` if its
  /// name must be looked up.
  func known(_ query: CatalogueQuery, stored: String?) -> LookedUpQuery? {
    let parameters = RequestParameters(text: query.requestText)
    guard let name = name(in: parameters) else {
      return LookedUpQuery(query, lookup: lookup(of: query.typed, in: parameters))
    }
    guard let stored = stored.map({ RequestParameters(text: $0) }),
      let lookup = lookup(of: name.value, in: stored),
      stored.all.filter({ $0.name != key && $0.name != taxonomy })
        == parameters.all.filter({ $0 != name })
    else { return nil }
    return replaced(query, with: lookup, of: stored.all.first { $0.name == taxonomy }?.value)
  }

  /// The query with the taxa of the lookup in place of the name; unchanged where it found none.
  ///
  /// - Parameter taxonomy: the one that the keys are of; `nil` if that is not sent.
  func replaced(
    _ query: CatalogueQuery, with lookup: NameLookup, of taxonomy: String? = nil
  ) -> LookedUpQuery {
    guard !lookup.taxa.isEmpty else { return LookedUpQuery(query, lookup: lookup) }
    var parameters = RequestParameters(text: query.requestText)
    let taxa = lookup.taxa.map { taxon in
      RequestParameters.Parameter(
        key, taxon.key,
        note: [taxon.name, taxon.rank].filter { !$0.isEmpty }.joined(separator: ", "))
    }
    var scope: [RequestParameters.Parameter] = []
    if let name = self.taxonomy, let taxonomy { scope.append(.init(name, taxonomy)) }
    let others = parameters.all.filter {
      !names.contains($0.name) && $0.name != key && $0.name != self.taxonomy
    }
    parameters.all = taxa + scope + others
    return LookedUpQuery(query.requested(as: parameters.text), lookup: lookup)
  }

  private func lookup(of name: String, in parameters: RequestParameters) -> NameLookup? {
    let taxa = parameters.all.filter { $0.name == key }.map { parameter in
      let note = (parameter.note ?? "").split(separator: ", ", maxSplits: 1).map(String.init)
      return NameLookup.Taxon(
        key: parameter.value, name: note.first ?? "", rank: note.count > 1 ? note[1] : "")
    }
    return taxa.isEmpty ? nil : NameLookup(name: name, parameter: key, taxa: taxa)
  }
}

extension RecordingPage {
  /// The only page of a query whose name is that of no taxon: there is nothing to request.
  static func withoutTaxon(_ number: Int) -> RecordingPage {
    RecordingPage(
      number: number, recordings: [], totals: Totals(recordings: 0, pages: 1),
      next: nil)
  }
}

enum TaxonName {
  /// Whether the name is the one that was typed, whatever case and accents. `parrot` is also the
  /// group's name `Parrots`.
  static func isSame(_ typed: String, _ name: String) -> Bool {
    let typed = TextFolding.folded(typed)
    let name = TextFolding.folded(name)
    return typed == name || typed + "s" == name
  }
}

/// The query language of a catalogue that takes parameters: plain words are a name, and some of
/// xeno-canto's tags are translated.
struct ParameterLanguage: Sendable {
  typealias Parameter = RequestParameters.Parameter

  let catalogue: String
  let tags: TagTable
  /// The parameter that plain words become, and the parameters of the tags that hold a
  /// name.
  let words: String
  let names: [String: String]
  /// The parameters that any other tag and its value become.
  let parameters: @Sendable (_ tag: String, _ value: String) throws(QueryError) -> [Parameter]

  /// - Parameter scientific: whether plain words are a scientific name and no other.
  func query(_ cleaned: String, scientific: Bool) throws(QueryError) -> (
    identity: String, requestText: String
  ) {
    var query: TagQuery
    do throws(QueryError) {
      query = try TagQuery(cleaned, tags: tags)
    } catch {
      guard case .unknownTag(let tag, nearest: _) = error.reason, TagTable.all.tags[tag] != nil
      else {
        throw error
      }
      throw QueryError(
        .unsupportedTag(tag, catalogue: catalogue, supported: tags.tags.keys.sorted()))
    }
    try query.check(hasNoNameBesideWords: names.keys.sorted())
    if scientific, !query.words.isEmpty {
      let tag = query.words.contains(" ") ? "sp" : "gen"
      query = query.naming(with: TagQuery.Term(tag: tag, value: query.words, wasQuoted: true))
    }
    var all: [Parameter] = []
    if !query.words.isEmpty { all.append(.init(words, query.words)) }
    if let (tag, name) = try Self.name(in: query), let parameter = names[tag] {
      all.append(.init(parameter, name))
    }
    for term in query.terms where names[term.tag] == nil {
      all += try parameters(term.tag, term.value)
    }
    let identity = [query.normalisedWords, query.normalised].filter { !$0.isEmpty }
    return (identity.joined(separator: " "), RequestParameters(all: all).text)
  }

  /// The one name and its tag: `gen:turdus sp:merula` is `sp:"turdus merula"`. A tag twice is
  /// refused: services take either.
  private static func name(in query: TagQuery) throws(QueryError) -> (tag: String, name: String)? {
    var values: [String: String] = [:]
    for term in query.terms {
      guard values[term.tag] == nil || values[term.tag] == term.value else {
        throw QueryError(
          .badValue(
            tag: term.tag, value: term.value, expected: "one value, and it has another one too"))
      }
      values[term.tag] = term.value
    }
    let given = ["en", "fam", "gen", "sp"].compactMap { tag in
      values[tag].map { (tag: tag, value: $0) }
    }
    guard let last = given.last else { return nil }
    let isSpecies = given.map(\.tag) == ["gen", "sp"]
    guard given.count == 1 || isSpecies else {
      throw QueryError(
        .badValue(
          tag: last.tag, value: last.value, expected: "a name only where no other tag has one"))
    }
    let names = given.map { $0.value.hasPrefix("=") ? String($0.value.dropFirst()) : $0.value }
    let name = names[names.count - 1]
    guard last.tag == "sp", !name.contains(" ") else { return (last.tag, name) }
    guard isSpecies else {
      throw QueryError(
        .badValue(
          tag: "sp", value: name, expected: "genus and species, as in sp:\"turdus merula\""))
    }
    return ("sp", names.joined(separator: " "))
  }

  static let years = "a year, a range 2010-2020, \"<2010\" or \">2010\""

  /// The years of `2020`, `2010-2020`, `<2010` and `>2010`, or the months likewise; `nil` if one is
  /// not within the bounds.
  static func range(_ value: String, in bounds: ClosedRange<Int>) -> ClosedRange<Int>? {
    guard let numbers = TagNumbers(value), numbers.sign == nil || !numbers.isRange,
      let first = Int(exactly: numbers.first), let last = Int(exactly: numbers.last)
    else { return nil }
    let range =
      switch numbers.sign {
      case .below: (bounds.lowerBound, first - 1)
      case .above: (min(first, bounds.upperBound) + 1, bounds.upperBound)
      default: (first, last)
      }
    guard range.0 <= range.1, bounds.contains(range.0), bounds.contains(range.1) else { return nil }
    return range.0...range.1
  }
}

#endif
