/// A tag of a catalogue's queries that asks about a field as it was sent, because no detail has the
/// value.
package struct FieldTag: Hashable, Sendable {
  /// The kind of value that the tag compares with.
  package enum Kind: Hashable, Sendable {
    /// The field contains the text, or is the text after `=`.
    case text
    /// The field is one of these words, in lower case.
    case oneOf([String])
    /// The field is a number.
    case number
    /// A part of the field between commas contains the text; not the parts that are these words, in
    /// lower case.
    case part(besides: Set<String>)
    /// An older name of a search tag, whose value has this sign.
    case comparison(tag: String, sign: TagOperand.Sign)
    /// A tag for which records have no field.
    case unknown
  }

  /// The names of the field; the names in older records come last.
  let fields: [String]
  let kind: Kind

  package init(_ fields: [String] = [], _ kind: Kind) {
    self.fields = fields
    self.kind = kind
  }
}

/// The terms of a search that ask about fields as they were sent, taken out of its text.
package struct FieldSearch: Sendable {
  /// The other terms, at their columns.
  package private(set) var rest = ""
  /// A tag that no record can answer.
  package private(set) var unknownTag: String?
  private var terms: [Term] = []

  /// Whether nothing asks about a field.
  package var isEmpty: Bool { terms.isEmpty }

  private struct Term: Sendable {
    let tag: FieldTag
    let isNegated: Bool
    let tests: [Test]
  }

  private enum Test: Sendable {
    case text(SearchText)
    case number(SearchNumbers)
    case known(Bool)
  }

  /// Takes the terms with these tags out of the text. Other terms that cannot be read are left in
  /// `rest`, whose reader says why.
  package init(_ text: String, tags: [String: FieldTag]) throws(SearchExpressionError) {
    var scanner = TagScanner(text)
    var rest = String.UnicodeScalarView()
    var comparisons = ""
    while scanner.skipSpaces() {
      let start = scanner.at
      let isNegated = scanner.skip("-")
      let name = scanner.tag()
      let isQuoted = scanner.isNext("\"")
      let values: [String]?
      if let name {
        do throws(QueryError) {
          values = try scanner.values(of: name)
        } catch {
          if tags[name] != nil { throw SearchExpressionError(.init(error), at: start + 1) }
          values = nil
        }
      } else {
        let word = isQuoted ? try? scanner.quoted() : scanner.run()
        values = word.map { [$0] }
        // Such as `id?:`, which is not spelled like a tag.
        if !isQuoted, let word, let colon = word.firstIndex(of: ":"),
          case let name = word[..<colon].lowercased(), tags[name]?.kind == .unknown
        {
          unknownTag = unknownTag ?? name
        }
      }
      rest.append(contentsOf: repeatElement(" ", count: max(0, start - rest.count)))
      guard let values else {
        rest.append(contentsOf: scanner.scalars[start...])
        break
      }
      guard let name, let tag = tags[name] else {
        rest.append(contentsOf: scanner.scalars[start..<scanner.at])
        continue
      }
      switch tag.kind {
      case .unknown: unknownTag = unknownTag ?? name
      case .comparison(let stem, let sign):
        for value in values {
          let spelled = TagScanner.spelled(stem, String(sign.rawValue) + value)
          comparisons += " \(isNegated ? "-" : "")\(spelled)"
        }
      default:
        var tests: [Test] = []
        for value in values.map(TagOperand.trimmed) {
          do throws(SearchExpressionError.Reason) {
            tests.append(try Self.test(tag.kind, name, value))
          } catch {
            throw SearchExpressionError(error, at: start + 1)
          }
        }
        terms.append(Term(tag: tag, isNegated: isNegated, tests: tests))
      }
    }
    self.rest = String(rest) + comparisons
  }

  private static func test(
    _ kind: FieldTag.Kind, _ name: String, _ value: String
  ) throws(SearchExpressionError.Reason) -> Test {
    if let isKnown = ["any": true, "none": false][TextFolding.folded(value)] {
      return .known(isKnown)
    }
    func refusal(_ form: TagValueForm) -> SearchExpressionError.Reason {
      .badValue(tag: name, value: value, expected: form.expected, nearest: [], isOpen: false)
    }
    switch kind {
    case .number:
      guard let numbers = SearchNumbers(value) else { throw refusal(.number) }
      return .number(numbers)
    case .oneOf(let words):
      let operand = TagOperand(value)
      let word = TextFolding.folded(operand.sign == .exactly ? operand.text : value)
      guard words.contains(word), let text = SearchText(word, .whole) else {
        throw refusal(.oneOf(words))
      }
      return .text(text)
    case .text, .part, .comparison, .unknown:
      guard let text = SearchText(value: value, .part) else { throw .nothingToFind(value) }
      return .text(text)
    }
  }

  /// Whether the recording satisfies every term. A field without a value satisfies only
  /// `none`, and negated terms.
  package func matches(_ recording: Recording) -> Bool {
    terms.allSatisfy { term in
      let value = term.tag.fields.lazy.compactMap { recording.text($0) }.first { !$0.isEmpty }
      let texts = value.map { Self.texts(of: $0, term.tag.kind) } ?? []
      return term.tests.contains { Self.matches($0, texts) } != term.isNegated
    }
  }

  private static func texts(of value: String, _ kind: FieldTag.Kind) -> [String] {
    guard case .part(let words) = kind else { return [value] }
    return value.split(separator: ",").map { TagOperand.trimmed(String($0)) }.filter {
      !$0.isEmpty && !words.contains(TextFolding.folded($0))
    }
  }

  private static func matches(_ test: Test, _ texts: [String]) -> Bool {
    switch test {
    case .text(let text): texts.contains { text.matches($0) }
    case .number(let numbers):
      texts.contains {
        TagNumbers($0).map { $0.sign == nil && !$0.isRange && numbers.contains($0.first) } ?? false
      }
    case .known(let isKnown): texts.isEmpty != isKnown
    }
  }
}
