#if Collection

/// A search of everything stored, words and tags that a recording must satisfy:
/// `robin q:A -type:call in:"my list"`.
///
/// It is made of terms, and a recording is found if it satisfies all of them. `SearchMatcher`
/// decides that for one recording. Two expressions are equal if their terms are, wherever these are
/// in the text.
public struct SearchExpression: Hashable, Sendable, CustomStringConvertible {
  /// The terms in the order typed. A text that was read has at least one and at most
  /// `termLimit`; what is added to it does not count.
  package let terms: [SearchTerm]

  /// Reads an expression.
  ///
  /// - Parameters:
  ///   - catalogues: the catalogues that `source:` can name.
  ///   - tags: the further tags of catalogues, by their names.
  /// - Throws: `SearchExpressionError` for text that is empty, too long or not in the language.
  package init(
    _ text: String, catalogues: [CatalogueID], tags: [String: OwnTag] = [:]
  ) throws(SearchExpressionError) {
    // The comma of a name with its author is not one between alternatives.
    let asked = ScientificName.withoutAuthor(TagOperand.trimmed(text)) ?? text
    terms = try SearchExpressionReader(asked, catalogues: catalogues, tags: tags).terms()
  }

  /// An expression of terms that were read before.
  package init(terms: [SearchTerm]) {
    self.terms = terms
  }

  /// An expression that asks for recordings that satisfy both expressions.
  package func and(_ other: SearchExpression) -> SearchExpression {
    SearchExpression(terms: terms + other.terms)
  }

  /// Throws if an expression of several texts has more than `termLimit` terms.
  package func checkCount() throws(SearchExpressionError) {
    guard terms.count <= Self.termLimit else {
      throw SearchExpressionError(.tooManyTerms(limit: Self.termLimit), at: 1)
    }
  }

  /// Throws if the text ends with the beginning of a word that a tag knows, `type:so`. While
  /// somebody types, that is not a search yet.
  package func checkIsFinished() throws(SearchExpressionError) {
    try terms.last?.checkIsFinished()
  }

  /// The expression with its bare words as one name: a part of the English name, the beginning of the
  /// scientific one, or the family.
  package var takingWordsAsName: SearchExpression {
    let words = terms.bareWords
    let name = words.flatMap(\.values).joined(separator: " ")
    guard let position = words.first?.position, let part = SearchText(name, .part),
      let start = SearchText(name, .prefix), let whole = SearchText(name, .whole)
    else { return self }
    let term = SearchTerm(
      position: position, tag: nil, values: [name],
      condition: .anyOf([.text(.vernacularName, part), .species(start), .family(whole)]))
    return SearchExpression(terms: [term] + terms.filter { !$0.isWords || $0.isNegated })
  }

  /// The number of Unicode scalars that a search may have.
  static let lengthLimit = 4096
  private static let severalValues =
    "For any of several values put commas between them, as in type:song,call"

  /// The operators that join conditions in other languages, each with the way to do it
  /// here.
  static let operators = [
    "OR": severalValues, "|": severalValues,
    "AND": "Leave it out, because every term must be satisfied",
    "NOT": "Put - directly before what to leave out, as in -type:call",
  ]
  /// The most terms of an expression.
  static let termLimit = 100

  /// The expression as it can be typed; reading it gives an equal one.
  public var description: String { terms.map(\.description).joined(separator: " ") }

  /// The countries that are not typed by their English names, each with the name it was
  /// taken for: `cnt:UK is taken as United Kingdom`.
  package var countryReadings: [String] {
    terms.filter { $0.tag == .cnt }.flatMap(\.values).compactMap { value in
      guard let name = Countries.named(value)?.names[0],
        TextFolding.folded(name) != TextFolding.folded(value)
      else { return nil }
      return "\(TagScanner.spelled("cnt", value)) is taken as \(name)"
    }
  }

  /// The terms that may be meant in place of the first with a misspelled country or family; empty if
  /// none is misspelled.
  package var corrections: [String] {
    terms.lazy.compactMap { $0.tag?.terms(near: $0.values, isNegated: $0.isNegated) }
      .first { !$0.isEmpty } ?? []
  }

  /// The names of the lists that it asks about, each once.
  package var listNames: [ListName] {
    var names: [ListName] = []
    for case .list(let name) in terms.flatMap(\.condition.parts) where !names.contains(name) {
      names.append(name)
    }
    return names
  }

  /// The catalogue numbers among its plain words. Their recordings are found before others,
  /// and also if they are in no list.
  var wordNumbers: [SearchCondition] {
    terms.bareWords.flatMap(\.condition.parts).filter(\.isOneNumber)
  }

  /// Whether `SearchMatcher` must be given the lists of a recording, or its last change.
  package var asksForLists: Bool {
    terms.contains { [.list, .gone, .new, .changed].contains($0.tag) }
  }

  /// Whether it asks for recordings that are in no list any more, or for one by its number. Any
  /// other search of everything stored leaves out those that are in no list.
  var findsUnlisted: Bool { terms.contains(where: \.findsUnlisted) }

  /// Whether `SearchMatcher` must be given which audio is downloaded.
  package var asksForAudio: Bool { terms.contains { $0.tag == .audio } }
}

/// One term of a search expression: a condition, or the negation of one.
package struct SearchTerm: Sendable, CustomStringConvertible {
  /// The position at which the term begins in the text, in characters from 1.
  let position: Int
  /// Whether the recordings are found that do *not* satisfy the condition, those without the detail
  /// included.
  package internal(set) var isNegated = false
  /// The tag of the term; `nil` for bare words, and for a tag that asks about a field.
  package let tag: SearchTag?
  /// The name of a catalogue's own tag that asks about a field.
  private(set) var fieldTag: String?
  /// The values, at least one, as typed, without quotes and escapes. Values of a tag have
  /// no white space around them.
  let values: [String]
  /// The plain words between commas, any of which a recording must have; empty if the term
  /// has no comma.
  private(set) var alternatives: [[String]] = []
  package private(set) var condition: SearchCondition

  /// Whether it has bare words, and no tag.
  package var isWords: Bool { tag == nil && fieldTag == nil }

  /// The term as it can be typed.
  package var description: String {
    func spelled(_ value: String) -> String {
      let isPlain =
        isWords
        ? !value.isEmpty && value.unicodeScalars.allSatisfy(FoldedText.isPartOfWord)
          && SearchExpression.operators[value] == nil
        : !TagScanner.needsQuotes(value) && (tag?.takesCommas == true || !value.contains(","))
      return isPlain ? value : TagScanner.quoting(value)
    }
    let texts = values.map(spelled).joined(separator: ",")
    let words = alternatives.map { $0.map(spelled).joined(separator: " ") }.joined(separator: ", ")
    let name = (tag?.rawValue ?? fieldTag).map { "\($0):" } ?? ""
    return (isNegated ? "-" : "") + (words.isEmpty ? name + texts : words)
  }

  /// Whether it asks for recordings that are in no list any more, or for one by its number.
  fileprivate var findsUnlisted: Bool {
    switch (tag, isNegated) {
    case (.gone, false): condition.parts.contains { $0 == .gone(true) || $0 == .goneOrNot }
    case (.gone, true): condition.parts.allSatisfy { $0 == .gone(false) }
    case (.list, false): condition.parts.contains(.known(.list, false))
    case (.list, true): condition.parts.contains(.known(.list, true))
    case (.nr, false): condition.parts.allSatisfy(\.isOneNumber)
    default: false
    }
  }

  /// Makes digits alone the number of a recording, too.
  fileprivate mutating func takeNumber() {
    guard isWords, !isNegated, values.count == 1, values[0].utf8.allSatisfy(\.isDigit),
      let number = SearchNumbers(serial: values[0])
    else { return }
    condition = .anyOf([condition, .number(.catalogNumber, number)])
  }

  /// The column of the species in it that are not the recording's own: in the background, and marked
  /// by somebody.
  var columnOfOtherSpecies: DetailColumn? {
    tag == .also || tag == .annotatedSpecies ? tag?.columns.first : nil
  }

  /// Lets recordings that satisfy one of those conditions satisfy the term too; its text stays.
  mutating func widen(_ further: [SearchCondition]) {
    condition = .anyOf(condition.parts + further)
  }

  /// Throws if the last value is the beginning of a word of the tag's vocabulary, and not a word
  /// itself.
  fileprivate func checkIsFinished() throws(SearchExpressionError) {
    guard let tag, let value = values.last else { return }
    let folded = TextFolding.folded(value)
    let words = tag.vocabulary.filter { $0.hasPrefix(folded) }
    guard !words.isEmpty, !words.contains(folded) else { return }
    throw SearchExpressionError(
      .badValue(
        tag: tag.rawValue, value: value, expected: "text", nearest: words, isOpen: true),
      at: position)
  }
}

/// Terms are equal if they are typed in the same way, wherever they are in the text.
extension SearchTerm: Hashable {
  package static func == (left: Self, right: Self) -> Bool { left.description == right.description }

  package func hash(into hasher: inout Hasher) { hasher.combine(description) }
}

/// The reason why a text is not a search expression, and its position.
public struct SearchExpressionError: Error, Hashable, Sendable {
  /// The position at which the problem begins, in characters from 1.
  public let position: Int
  /// The problem.
  package let reason: Reason

  /// An error at that column, from 1.
  package init(_ reason: Reason, at position: Int) {
    self.reason = reason
    self.position = position
  }

  /// The kinds of problems.
  package enum Reason: Error, Hashable, Sendable {
    /// The text has no term.
    case empty
    /// The text has `count` Unicode scalars, more than `limit`.
    case tooLong(count: Int, limit: Int)
    /// The text has more terms than `limit`.
    case tooManyTerms(limit: Int)
    /// A control or bidi character, by its scalar value.
    case controlCharacter(UInt32)
    /// A tag that the language does not have, and the nearest that it has.
    case unknownTag(String, nearest: [String])
    /// A tag with nothing after its colon.
    case missingValue(tag: String)
    /// A value that the tag does not take; values that it takes, and a description. An open tag
    /// takes any text after `=`.
    case badValue(tag: String, value: String, expected: String, nearest: [String], isOpen: Bool)
    /// A term without a letter or digit to look for.
    case nothingToFind(String)
    /// A quotation mark without its second one.
    case unclosedQuote
    /// A quotation mark within a value, or text directly after a closing one.
    case misplacedQuote
    /// A `-` with nothing directly after it.
    case emptyNegation
    /// A word that joins conditions in other languages, and the text to type in its place.
    case operatorWord(String, instead: String)
    /// A list that is not stored, and the nearest names that are.
    case unknownList(String, nearest: [String])
  }
}

private struct SearchExpressionReader {
  private let text: String
  private let catalogues: [CatalogueID]
  private let tags: [String: OwnTag]
  /// The tags of catalogues that can be typed as `khz>60`.
  private let ordered: Set<String>
  private var scanner: TagScanner

  init(_ text: String, catalogues: [CatalogueID], tags: [String: OwnTag]) {
    self.text = text
    self.catalogues = catalogues
    self.tags = tags
    ordered = Set(
      tags.filter { if case .field(let field) = $0.value { field.isOrdered } else { true } }.keys)
    // Longer text is refused before it is scanned.
    scanner = TagScanner(String(text.unicodeScalars.prefix(SearchExpression.lengthLimit)))
  }

  consuming func terms() throws(SearchExpressionError) -> [SearchTerm] {
    let count = text.unicodeScalars.count
    guard count <= SearchExpression.lengthLimit else {
      throw SearchExpressionError(
        .tooLong(count: count, limit: SearchExpression.lengthLimit), at: 1)
    }
    let columns =
      text.enumerated().flatMap {
        repeatElement($0.offset + 1, count: $0.element.unicodeScalars.count)
      } + [text.count + 1]
    let control = scanner.scalars.firstIndex {
      PlainLine.isControl($0) && !$0.properties.isWhitespace
    }
    if let control {
      throw SearchExpressionError(
        .controlCharacter(scanner.scalars[control].value), at: columns[control])
    }
    var terms: [SearchTerm] = []
    while scanner.skipSpaces() {
      let position = columns[scanner.at]
      guard terms.count < SearchExpression.termLimit else {
        throw SearchExpressionError(.tooManyTerms(limit: SearchExpression.termLimit), at: position)
      }
      do throws(SearchExpressionError.Reason) {
        terms.append(try term(at: position))
      } catch {
        throw SearchExpressionError(error, at: position)
      }
    }
    guard !terms.isEmpty else { throw SearchExpressionError(.empty, at: 1) }
    if terms.count == 1 { terms[0].takeNumber() }
    return terms
  }

  private mutating func term(at position: Int) throws(SearchExpressionError.Reason) -> SearchTerm {
    let isNegated = scanner.skip("-")
    guard !scanner.isAtBreak else { throw .emptyNegation }
    guard let name = scanner.tag() ?? scanner.comparedTag(own: ordered) else {
      return try words(at: position, isNegated: isNegated)
    }
    guard let meaning = SearchTag(rawValue: name).map({ .detail($0) }) ?? tags[name] else {
      // What comes after an unknown tag only matters for a better suggestion.
      let value = (try? scanner.value(of: name).text) ?? ""
      let known = SearchTag.allCases.map(\.rawValue) + tags.keys.sorted()
      throw .unknownTag(name, nearest: TagNames.nearest(to: name, value: value, among: known))
    }
    let values = try read { scanner throws(QueryError) in
      if case .detail(let tag) = meaning, tag.takesCommas {
        [try scanner.value(of: name).text]
      } else {
        try scanner.values(of: name)
      }
    }.map(TagOperand.trimmed)
    for value in values where TagOperand.trimmed(TagOperand(value).text).isEmpty {
      throw .missingValue(tag: name)
    }
    switch meaning {
    case .detail(let tag):
      return SearchTerm(
        position: position, isNegated: isNegated, tag: tag, values: values,
        condition: try tag.condition(values, catalogues: catalogues))
    case .compared(let tag, let sign):
      let compared = values.map { String(sign.rawValue) + $0 }
      return SearchTerm(
        position: position, isNegated: isNegated, tag: tag, values: compared,
        condition: try tag.condition(compared, catalogues: catalogues))
    case .field(let field):
      return SearchTerm(
        position: position, isNegated: isNegated, tag: nil, fieldTag: name, values: values,
        condition: try field.condition(values, of: name))
    }
  }

  /// One plain word or text in quotes; with a comma among those that follow, all of them.
  private mutating func words(
    at position: Int, isNegated: Bool
  ) throws(SearchExpressionError.Reason) -> SearchTerm {
    let first = try read { scanner throws(QueryError) in try Self.word(&scanner) }
    let condition = try Self.condition(first)
    var alternatives = [[first]]
    var next = scanner
    var end = scanner
    while next.skipSpaces() {
      if next.skip(",") {
        if alternatives.last?.isEmpty == false { alternatives.append([]) }
        end = next
        continue
      }
      // The sign is of the first word alone.
      if isNegated, alternatives.count == 1 { break }
      var tag = next
      guard !next.isNext("-"), tag.tag() == nil, tag.comparedTag(own: ordered) == nil,
        let word = try? Self.word(&next),
        (try? Self.condition(word)) != nil
      else { break }
      alternatives[alternatives.count - 1].append(word)
      if alternatives.count > 1 { end = next }
    }
    if alternatives.last?.isEmpty == true { alternatives.removeLast() }
    guard alternatives.count > 1 else {
      // After a comma that nothing follows, if there is one.
      if alternatives[0].count == 1 { scanner = end }
      return SearchTerm(
        position: position, isNegated: isNegated, tag: nil, values: [first.text],
        condition: condition)
    }
    scanner = end
    return SearchTerm(
      position: position, isNegated: isNegated, tag: nil,
      values: alternatives.flatMap { $0.map(\.text) },
      alternatives: alternatives.map { $0.map(\.text) },
      condition: .anyOf(try Self.conditions(alternatives)))
  }

  /// The conditions of alternatives: that all words of each match.
  private static func conditions(
    _ alternatives: [[Word]]
  ) throws(SearchExpressionError.Reason) -> [SearchCondition] {
    var any: [SearchCondition] = []
    for words in alternatives {
      var all: [SearchCondition] = []
      for word in words { all.append(try condition(word)) }
      any += all.count == 1 ? all[0].parts : [.allOf(all)]
    }
    return any
  }

  private struct Word {
    let text: String
    let isQuoted: Bool
  }

  /// Steps over a word, or a text in quotes, up to white space or a comma. A comma between two
  /// digits is part of a number.
  private static func word(_ scanner: inout TagScanner) throws(QueryError) -> Word {
    if scanner.isNext("\"") { return Word(text: try scanner.quoted(before: ","), isQuoted: true) }
    while scanner.skip(",") {}
    let isDigit = { (scalar: Unicode.Scalar?) in scalar.map { ("0"..."9").contains($0) } ?? false }
    var text = scanner.run(before: ",")
    while scanner.isNext(","), isDigit(text.unicodeScalars.last),
      scanner.at + 1 < scanner.scalars.count, isDigit(scanner.scalars[scanner.at + 1]),
      scanner.skip(",")
    {
      text += "," + scanner.run(before: ",")
    }
    return Word(text: text.isEmpty ? "," : text, isQuoted: false)
  }

  private static func condition(_ word: Word) throws(SearchExpressionError.Reason)
    -> SearchCondition
  {
    let value = word.text
    if !word.isQuoted, let instead = SearchExpression.operators[value] {
      throw .operatorWord(value, instead: instead)
    }
    let words = FoldedText.words(of: value)
    guard !words.isEmpty else { throw .nothingToFind(value) }
    // A number as people cite it: XC363793.
    guard value.first?.isLetter == true, value.canBeCatalogueNumber,
      let number = SearchText(value, .whole)
    else { return .words(words) }
    return .anyOf([.words(words), .text(.catalogNumber, number)])
  }

  private mutating func read<Text>(
    _ body: (inout TagScanner) throws(QueryError) -> Text
  ) throws(SearchExpressionError.Reason) -> Text {
    do throws(QueryError) {
      return try body(&scanner)
    } catch {
      throw SearchExpressionError.Reason(error)
    }
  }
}

extension SearchExpressionError.Reason {
  /// The reason why a tag's value cannot be read.
  init(_ error: QueryError) {
    self =
      switch error.reason {
      case .missingValue(let tag): .missingValue(tag: tag)
      case .unclosedQuote: .unclosedQuote
      default: .misplacedQuote
      }
  }
}

#endif
