#if Collection

extension SearchExpression {
  /// The search that a typed text means: the recording with that number or address, the scientific
  /// name in a line of BirdNET's lists, or else what the expression finds.
  ///
  /// - Parameter catalogues: the catalogues whose numbers, addresses, ids and tags it may have. If
  ///   two have a tag of one name, it asks about the detail of the first.
  package init(typed text: String, in catalogues: [Catalogue]) throws(SearchExpressionError) {
    let trimmed = TagOperand.trimmed(text)
    let number = catalogues.lazy.compactMap { $0.catalogueNumber(in: trimmed) }.first
    if let found = number.flatMap(Self.number) {
      self = found
    } else {
      try self.init(ScientificName.ofLabel(trimmed) ?? text, in: catalogues)
    }
  }

  /// Reads an expression that may name the catalogues and use their own tags.
  ///
  /// - Parameter furtherTags: tags that it may use besides theirs.
  package init(
    _ text: String, in catalogues: [Catalogue], furtherTags: [String: OwnTag] = [:]
  ) throws(SearchExpressionError) {
    var tags = furtherTags
    for catalogue in catalogues {
      for (name, meaning) in catalogue.searchTags where tags[name] == nil {
        tags[name] =
          switch meaning.asked {
          case .detail(let column): SearchTag(askingAbout: column).map { .detail($0) }
          case .field(let field, let kind): .field(SearchField([field], kind, of: catalogue.id))
          }
      }
    }
    try self.init(text, catalogues: catalogues.map(\.id), tags: tags)
  }
}

#endif
