import Foundation

/// What a search knows of a recording besides its details.
package struct SearchContext: Sendable {
  /// The parts that an expression may need (`SearchExpression.neededContext`).
  package struct Parts: OptionSet, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) {
      self.rawValue = rawValue
    }
    package static let catalogue = Parts(rawValue: 1)
    package static let lists = Parts(rawValue: 2)
    package static let audio = Parts(rawValue: 4)
    package static let firstSeen = Parts(rawValue: 8)
  }

  package var catalogue: CatalogueID
  /// The lists that it is in, by the store's own numbers.
  package var lists: [Int64]
  /// The lists that it was in until its catalogue removed it from them.
  package var leftLists: [Int64]
  package var isAudioKept: Bool
  /// When it was first stored, by whatever query; UTC.
  package var firstSeenAt: Date?

  package init(
    catalogue: CatalogueID, lists: [Int64] = [], leftLists: [Int64] = [], isAudioKept: Bool = false, firstSeenAt: Date? = nil
  ) {
    self.catalogue = catalogue
    self.lists = lists
    self.leftLists = leftLists
    self.isAudioKept = isAudioKept
    self.firstSeenAt = firstSeenAt
  }
}

/// Decides which recordings a search finds: exactly those for which `matches` is true, whatever an index says.
///
/// Everything that does not depend on the recording is done once, when the matcher is made. Conditions are tried in the order
/// of their cost, all bare words in one pass over the texts.
package struct SearchMatcher: Sendable {
  /// The terms that are not bare words; those that are compared quickest come first.
  package let checks: [(isNegated: Bool, check: Check)]
  /// The terms of bare words, folded, each as words that follow each other.
  package let words: [(isNegated: Bool, words: [[UInt8]])]

  /// A condition with what the search as a whole gives it.
  package enum Check: Sendable {
    /// What `SearchCondition.matches` decides.
    case details(SearchCondition)
    case uploaded(from: PartialDate)
    /// In one of these lists, by the store's own numbers.
    case inList(Set<Int64>)
    case leftList(Set<Int64>)
    case source(CatalogueID)
    case audio(Bool)
    case firstSeen(from: Date)
    case gone(Bool)

    /// What is compared quickest comes first.
    fileprivate var cost: Int {
      switch self {
      case .source, .audio, .gone, .firstSeen, .uploaded: 0
      case .details(.number), .details(.quality), .details(.box), .details(.licence): 1
      case .inList, .leftList: 2
      case .details: 3
      }
    }
  }

  /// - Parameters:
  ///   - now: when the search is made, for `since:` and `new:`.
  ///   - lists: the numbers of the lists that each of `SearchExpression.listNames` means; a name may mean several.
  ///   - storedNames: the names of all lists, for the error.
  /// - Throws: `.unknownList` where a name means no list.
  package init(
    _ expression: SearchExpression, now: Date, lists: [String: Set<Int64>] = [:], storedNames: [String] = []
  ) throws(SearchExpressionError) {
    let asksForGone = expression.terms.contains { $0.condition == .gone(!$0.isNegated) }
    var checks: [(isNegated: Bool, check: Check)] = []
    var words: [(isNegated: Bool, words: [[UInt8]])] = []
    for term in expression.terms {
      let check: Check
      switch term.condition {
      case .words(let wanted):
        words.append((term.isNegated, wanted.words))
        continue
      case .anyText, .text, .species, .number, .quality, .licence, .box: check = .details(term.condition)
      case .uploaded(.date(let date)): check = .uploaded(from: date)
      case .uploaded(.daysAgo(let days)):
        check = .uploaded(from: PartialDate(utcDayOf: now.addingTimeInterval(-Double(days) * 86_400)))
      case .list(let name):
        guard let numbers = lists[name], !numbers.isEmpty else {
          throw SearchExpressionError(
            .unknownList(name, nearest: NearestNames.to(name, among: storedNames)), at: term.position)
        }
        check = asksForGone ? .leftList(numbers) : .inList(numbers)
      case .source(let catalogue): check = .source(catalogue)
      case .audio(let isKept): check = .audio(isKept)
      case .firstSeen(let age): check = .firstSeen(from: now.addingTimeInterval(-Double(age.components.seconds)))
      case .gone(let isGone): check = .gone(isGone)
      }
      checks.append((term.isNegated, check))
    }
    self.checks = checks.sorted { $0.check.cost < $1.check.cost }
    self.words = words
  }

  /// Whether the recording satisfies every term. Of the context only `SearchExpression.neededContext` is read.
  package func matches(_ details: RecordingDetails, _ context: SearchContext) -> Bool {
    for (isNegated, check) in checks where matches(check, details, context) == isNegated { return false }
    return words.isEmpty || hasWords(details)
  }

  private func matches(_ check: Check, _ details: RecordingDetails, _ context: SearchContext) -> Bool {
    switch check {
    case .details(let condition): condition.matches(details) ?? false
    case .uploaded(let day): details.uploaded.map { $0 >= day } ?? false
    case .inList(let numbers): context.lists.contains(where: numbers.contains)
    case .leftList(let numbers): context.leftLists.contains(where: numbers.contains)
    case .source(let catalogue): context.catalogue == catalogue
    case .audio(let isKept): context.isAudioKept == isKept
    case .firstSeen(let moment): context.firstSeenAt.map { $0 >= moment } ?? false
    case .gone(let isGone): context.leftLists.isEmpty != isGone
    }
  }

  /// Each text is folded once for all words.
  private func hasWords(_ details: RecordingDetails) -> Bool {
    // One bit for each term of which the words were found; there are at most `SearchExpression.termLimit`.
    var found: UInt128 = 0
    var (missing, isRefused) = (words.count { !$0.isNegated }, false)
    let hasNegated = missing < words.count
    details.forEachSearchedText { text in
      FoldedText.with(text) { bytes in
        for (index, term) in words.enumerated() where found & (1 << index) == 0 {
          guard FoldedText.contains(bytes, words: term.words) else { continue }
          found |= 1 << index
          if term.isNegated { isRefused = true } else { missing -= 1 }
        }
      }
      return !isRefused && (missing > 0 || hasNegated)
    }
    return !isRefused && missing == 0
  }
}

extension PartialDate {
  /// The day in UTC; the first or the last day that a `PartialDate` can be where it is beyond.
  package init(utcDayOf date: Date) {
    // Days to a civil date: http://howardhinnant.github.io/date_algorithms.html#civil_from_days. Year 1 to 9999.
    let days = min(max((date.timeIntervalSince1970 / 86_400).rounded(.down), -719_162), 2_932_896)
    let shifted = Int(days) + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    // From March.
    let monthOfYear = (5 * dayOfYear + 2) / 153
    self.init(
      known: yearOfEra + era * 400 + (monthOfYear < 10 ? 0 : 1), monthOfYear < 10 ? monthOfYear + 3 : monthOfYear - 9,
      dayOfYear - (153 * monthOfYear + 2) / 5 + 1)
  }
}
