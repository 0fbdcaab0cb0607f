#if Collection

extension SearchMatcher {
  /// The rank of a recording that satisfies the search; the last without bare words.
  package func rank(of details: RecordingDetails) -> WordRank {
    if isNumbered(details) { return .number }
    return terms.bareWords.map { rank($0.condition, details) ?? .remarks }.max() ?? .remarks
  }

  /// `nil` if the recording does not satisfy the condition.
  private func rank(_ condition: SearchCondition, _ details: RecordingDetails) -> WordRank? {
    switch condition {
    case .words(let words): return details.texts(with: words).first?.column.wordRank
    case .anyOf(let conditions): return conditions.compactMap { rank($0, details) }.min()
    case .allOf(let conditions):
      let ranks = conditions.map { rank($0, details) }
      return ranks.contains(nil) ? nil : ranks.compactMap(\.self).max()
    default:
      let isSatisfied = matches(
        condition, details, SearchContext(catalogue: CatalogueID(rawValue: "")))
      return isSatisfied ? .names : nil
    }
  }
}

extension SearchExpression {
  /// Whether it has bare words, by which recordings rank.
  package var hasBareWords: Bool { !terms.bareWords.isEmpty }
}

extension RecordingDetails {
  private static let columnsByRank = DetailColumn.allCases.filter(\.isSearched).sorted {
    ($0.wordRank ?? .remarks) < ($1.wordRank ?? .remarks)
  }

  /// The columns with those words after each other, the best rank first, and of each the text that
  /// has them.
  func texts(with words: [[UInt8]]) -> [(column: DetailColumn, text: String)] {
    Self.columnsByRank.compactMap { column in
      let text = column.value(of: self).texts.first {
        FoldedText.contains(TextFolding.folded($0.utf8).span, words: words)
      }
      return text.map { (column, $0) }
    }
  }
}

extension [SearchTerm] {
  /// The terms without a tag that recordings must satisfy.
  package var bareWords: [SearchTerm] { filter { $0.isWords && !$0.isNegated } }
}

#endif
