#if Collection

/// A text of a recording with a bare word of a search.
package struct FoundText: Hashable, Sendable {
  let column: DetailColumn
  /// The text in one line: whole if it is short, otherwise at most `longest` scalars around the
  /// word.
  let text: String

  /// The length of the longest text, in Unicode scalars.
  static let longest = 120
  /// A text of at most this many bytes is shown whole.
  private static let shortest = 60
  /// A longer text is shown from its beginning, in bytes: looking for the word takes several
  /// readings.
  private static let longestSearched = 65_536

  /// The part of a text that begins with the first position of the words.
  fileprivate static func part(of text: String, _ words: [[UInt8]]) -> String {
    let isSearched = text.utf8.count > shortest && text.utf8.count <= longestSearched
    let parts = (isSearched ? text : String(text.unicodeScalars.prefix(4 * longest)))
      .split(whereSeparator: \.isWhitespace)
    var start = 0
    if isSearched {
      func has(_ range: Range<Int>) -> Bool {
        let part = parts[range].joined(separator: " ")
        return FoldedText.contains(TextFolding.folded(part.utf8).span, words: words)
      }
      let end = (0..<parts.count).firstPosition { has(0..<$0) }
      start = max(0, (0..<end).firstPosition { !has($0..<end) } - 1)
    }
    let shown = (start > 0 ? "… " : "") + parts[start...].joined(separator: " ")
    let scalars = shown.unicodeScalars
    guard scalars.count > longest else { return shown }
    return String(String.UnicodeScalarView(scalars.prefix(longest - 1))) + "…"
  }
}

extension SearchExpression {
  /// The columns of a recording that have its bare words: for each word the columns with it, the
  /// best rank first, and of each the text from the word on.
  package func foundTexts(in details: RecordingDetails) -> [[FoundText]] {
    terms.bareWords.flatMap { Self.foundTexts($0.condition, details) ?? [] }
  }

  /// `nil` if the recording does not have the words of the condition.
  private static func foundTexts(
    _ condition: SearchCondition, _ details: RecordingDetails
  ) -> [[FoundText]]? {
    switch condition {
    case .words(let words):
      let texts = details.texts(with: words)
      return texts.isEmpty
        ? nil
        : [texts.map { FoundText(column: $0.column, text: FoundText.part(of: $0.text, words)) }]
    case .anyOf(let conditions):
      return conditions.compactMap { foundTexts($0, details) }.min { worst($0) < worst($1) }
    case .allOf(let conditions):
      let texts = conditions.map { foundTexts($0, details) }
      return texts.contains { $0 == nil } ? nil : texts.flatMap { $0 ?? [] }
    default: return nil
    }
  }

  private static func worst(_ texts: [[FoundText]]) -> WordRank {
    texts.compactMap { $0.first?.column.wordRank }.max() ?? .number
  }
}

extension [[FoundText]] {
  /// A note of the columns that have the words, if no shown column has them:
  /// `in background: Turdus merula`. `nil` if shown columns have all words.
  package func note(besides shown: Set<DetailColumn>) -> String? {
    var texts: [(column: DetailColumn, texts: [String])] = []
    for found in hidden(besides: shown) {
      if let index = texts.firstIndex(where: { $0.column == found.column }) {
        // The words can be in the same text.
        let isKnown = texts[index].texts.contains { $0.contains(found.text) }
        if !isKnown { texts[index].texts.append(found.text) }
      } else {
        texts.append((found.column, [found.text]))
      }
    }
    let notes = texts.map { column, texts in
      "in \(column.heading.lowercased()): \(texts.joined(separator: ", "))"
    }
    return notes.isEmpty ? nil : notes.joined(separator: "; ")
  }

  /// The best text of each word that no shown column has.
  fileprivate func hidden(besides shown: Set<DetailColumn>) -> [FoundText] {
    compactMap { texts in texts.contains { shown.contains($0.column) } ? nil : texts.first }
  }
}

extension Collection<[[FoundText]]> {
  /// The column with names of species that more than half of the rows would have a note of; `nil`
  /// if no such column exists. Showing the column saves the notes.
  package func hiddenNames(besides shown: Set<DetailColumn>) -> DetailColumn? {
    let columns = compactMap { row in
      row.hidden(besides: shown).first { $0.column.wordRank == .names }?.column
    }
    guard let column = columns.first else { return nil }
    return 2 * columns.count { $0 == column } > count ? column : nil
  }
}

extension [[FoundText]] {
  /// An object for each word, with its text in each column.
  package var columnValue: DetailColumn.Value {
    let words = map { texts in
      let members = texts.map { "\(JSONText.quoted($0.column.name)):\(JSONText.quoted($0.text))" }
      return "{\(members.joined(separator: ","))}"
    }
    return .field(RecordingFields.Value(json: "[\(words.joined(separator: ","))]"))
  }
}

#endif
