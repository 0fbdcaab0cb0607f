#if Collection

/// Expressions that are made of values, without a text.
extension SearchExpression {
  /// An expression of one term, which asks for any of the conditions.
  ///
  /// - Parameter values: the conditions as they are typed after the tag.
  package init(
    _ tag: SearchTag?, _ values: [String], _ conditions: [SearchCondition], isNegated: Bool = false
  ) {
    self.init(terms: [
      SearchTerm(
        position: 1, isNegated: isNegated, tag: tag, values: values,
        condition: conditions.count == 1 ? conditions[0] : .anyOf(conditions))
    ])
  }

  /// Finds everything: `source:any`.
  package static let everything = SearchExpression(.source, ["any"], [.known(.source, true)])

  /// Finds recordings of those catalogues, at least one.
  package static func sources(_ ids: [CatalogueID], isNegated: Bool = false) -> SearchExpression {
    SearchExpression(
      .source, ids.map(\.rawValue), ids.map(SearchCondition.source), isNegated: isNegated)
  }

  /// Finds the recordings with that catalogue number; `nil` for a text that is not a number.
  package static func number(_ number: String) -> SearchExpression? {
    SearchNumbers(serial: number).map {
      SearchExpression(.nr, [number], [.number(.catalogNumber, $0)])
    }
  }

  /// Finds recordings of those lists; `nil` if no list is given.
  package static func lists(_ queries: [CatalogueQuery]) -> SearchExpression? {
    let names = queries.map(ListName.query)
    return names.isEmpty
      ? nil : SearchExpression(.list, names.map(\.text), names.map(SearchCondition.list))
  }

  /// Finds recordings with the words of a text after each other; `nil` for a text without words.
  static func words(_ text: String) -> SearchExpression? {
    let words = FoldedText.words(of: text)
    return words.isEmpty ? nil : SearchExpression(nil, [text], [.words(words)])
  }

  /// An expression that asks for recordings that satisfy this one and each of those.
  package func and(_ parts: [SearchExpression?]) -> SearchExpression {
    Self.all([self] + parts) ?? self
  }

  /// An expression that asks for recordings that satisfy each of those; `nil` if every part is.
  package static func all(_ parts: [SearchExpression?]) -> SearchExpression? {
    var all: SearchExpression?
    for case let part? in parts { all = all?.and(part) ?? part }
    return all
  }

  /// Searches that show the language, each with what it finds.
  package static let examples: [(search: String, finds: String)] = [
    ("thrush", "names, places, recordists"), ("q:A", "quality"), ("month:5", "May"),
    ("type:song", "song, call …"), ("cnt:norway", "country"), ("-type:call", "no calls"),
  ]
}

#endif
