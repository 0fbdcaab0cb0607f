#if Collection

import Foundation

/// The facts about a recording that a search needs besides its details.
package struct SearchContext: Sendable {
  var catalogue: CatalogueID
  /// The fields as sent, for tags that ask about fields.
  package var fields: RecordingFields?
  /// The lists that it is in, by the store's own numbers.
  package var lists: [Int64] = []
  /// The lists that it was in until its catalogue removed it from them.
  package var leftLists: [Int64] = []
  package var isAudioDownloaded = false
  /// The time at which it entered each of its lists that had been read before; UTC.
  package var entered: [Int64: Date] = [:]
  /// The time of its last change, UTC; `nil` if it never changed.
  package var changedAt: Date?

  package init(catalogue: CatalogueID) { self.catalogue = catalogue }
}

/// Decides which recordings a search finds: exactly those for which `matches` is true, whatever an
/// index says.
package struct SearchMatcher: Sendable {
  package let terms: [SearchTerm]
  /// The time of the search, for `since:`, `new:` and `changed:`.
  package let now: Date
  /// Whether recordings that are in no list any more are left out, once they satisfy every term.
  /// `matches` does not ask.
  package let leavesOutUnlisted: Bool
  /// The catalogue numbers among the plain words.
  package let numbers: [SearchCondition]
  /// Whether `in:` asks for recordings that are in the list, that left it (`gone:yes`), or
  /// for both (`gone:any`).
  package let membership: Membership
  /// The lists of each name, by the store's own numbers.
  package let lists: [ListName: Set<Int64>]
  /// The lists of which `new:` asks; `nil` for all.
  package let newIn: Set<Int64>?

  /// The rows of a list, the recordings that left it, or both.
  package enum Membership: Sendable {
    case present, left, either
  }

  /// - Parameters:
  ///   - lists: the numbers of the lists that each of `SearchExpression.listNames` means; a
  ///     name may mean several.
  ///   - leavesOutUnlisted: whether everything stored is searched without recordings that
  ///     are in no list any more. An expression that asks for them finds them all the same.
  ///   - searched: the lists that are searched; `new:` asks about them, or else about the
  ///     lists that `in:` names.
  ///   - storedNames: the names of all lists, for the error.
  /// - Throws: `.unknownList` if a name means no list.
  package init(
    _ expression: SearchExpression, now: Date, lists: [ListName: Set<Int64>] = [:],
    searched: Set<Int64>? = nil,
    leavesOutUnlisted: Bool = false, storedNames: [String] = []
  ) throws(SearchExpressionError) {
    terms = expression.terms
    self.now = now
    self.lists = lists
    numbers = expression.wordNumbers
    let named = terms.filter { !$0.isNegated }.flatMap(\.condition.parts).compactMap { part in
      if case .list(let name) = part { lists[name] } else { nil }
    }
    newIn = searched ?? (named.isEmpty ? nil : Set(named.joined()))
    self.leavesOutUnlisted = leavesOutUnlisted && !expression.findsUnlisted
    membership =
      if terms.contains(where: { term in
        term.condition.parts.allSatisfy { $0 == .gone(!term.isNegated) }
      }) {
        .left
      } else {
        terms.contains { !$0.isNegated && $0.condition.parts.contains(.goneOrNot) }
          ? .either : .present
      }
    for term in terms {
      for case .list(let name) in term.condition.parts where lists[name, default: []].isEmpty {
        let others = storedNames.filter { $0 != name.text }
        throw SearchExpressionError(
          .unknownList(name.text, nearest: NearestNames.to(name.text, among: others)),
          at: term.position)
      }
    }
  }

  /// The columns of the details that it looks at.
  package var columns: Set<DetailColumn> {
    Set((terms.map(\.condition) + numbers).flatMap(\.columns))
  }

  /// Whether the recording satisfies every term. Lists, the last change and audio are read only if
  /// `asksForLists` and `asksForAudio` say so.
  package func matches(_ details: RecordingDetails, _ context: SearchContext) -> Bool {
    terms.allSatisfy { matches($0.condition, details, context) != $0.isNegated }
  }

  /// Whether plain words have the recording's catalogue number. Such a recording comes
  /// first, and is found also if it is in no list.
  package func isNumbered(_ details: RecordingDetails) -> Bool {
    guard !numbers.isEmpty else { return false }
    let context = SearchContext(catalogue: CatalogueID(rawValue: ""))
    return numbers.contains { matches($0, details, context) }
  }

  /// A detail that is missing satisfies no condition.
  func matches(
    _ condition: SearchCondition, _ details: RecordingDetails, _ context: SearchContext
  ) -> Bool {
    switch condition {
    case .words(let words):
      details.hasSearchedText {
        FoldedText.contains(TextFolding.folded($0.utf8).span, words: words)
      }
    case .anyText(let text): details.hasSearchedText { text.matches($0) }
    case .text(let column, let text): column.value(of: details).texts.contains { text.matches($0) }
    case .oneOf(let column, let texts):
      column.value(of: details).texts.contains { texts.contains(TextFolding.folded($0.utf8)) }
    case .species(let text):
      text.matches(details.specificEpithet) || text.matches(scientificName: details.scientificName)
    case .family(let text): text.matches(RecordedNames(details).family)
    case .number(.eventDate, .within(let packed)):
      details.eventInterval?.overlaps(packed)
        ?? details.eventDate.map { SearchNumbers.within(packed).contains($0.packedDays) } ?? false
    case .number(let column, let numbers): column.number(of: details).map(numbers.contains) ?? false
    case .quality(let ratings): details.quality.map(ratings.contains) ?? false
    case .licence(let licence):
      details.licence.map { licence.contains(name: $0.name, address: $0.address) } ?? false
    case .box(let box):
      details.coordinate.map { box.contains(latitude: $0.latitude, longitude: $0.longitude) }
        ?? false
    case .near(let circle):
      details.coordinate.map { circle.contains(latitude: $0.latitude, longitude: $0.longitude) }
        ?? false
    case .uploaded(let day): details.available.map { $0 >= day.date(at: now) } ?? false
    case .list(let name):
      switch membership {
      case .present: !lists[name, default: []].isDisjoint(with: context.lists)
      case .left: !lists[name, default: []].isDisjoint(with: context.leftLists)
      case .either: !lists[name, default: []].isDisjoint(with: context.lists + context.leftLists)
      }
    case .source(let catalogue): context.catalogue == catalogue
    case .audio(let isDownloaded): context.isAudioDownloaded == isDownloaded
    case .entered(let age):
      entered(context).contains { $0.milliseconds >= milliseconds(before: age) }
    case .changed(let age):
      context.changedAt.map { $0.milliseconds >= milliseconds(before: age) } ?? false
    case .goneOrNot: true
    case .gone(let isGone): context.leftLists.isEmpty != isGone
    case .known(.list, let isKnown): context.lists.isEmpty != isKnown
    case .known(.new, let isKnown): entered(context).isEmpty != isKnown
    case .known(.changed, let isKnown): (context.changedAt != nil) == isKnown
    case .known(.source, let isKnown): isKnown
    case .known(.area, let isKnown):
      (details.countryCode.flatMap(Countries.withCode)?.area != nil) == isKnown
    case .known(.fam, let isKnown): (RecordedNames(details).family != nil) == isKnown
    case .known(let tag, let isKnown): tag.columns.contains { $0.isKnown(in: details) } == isKnown
    case .field(let field, let text): field.texts(of: context).contains { text.matches($0) }
    case .fieldNumber(let field, let numbers): field.isAmong(numbers, in: context)
    case .fieldKnown(let field, let isKnown):
      context.catalogue == field.catalogue && field.isKnown(in: context) == isKnown
    case .anyOf(let conditions): conditions.contains { matches($0, details, context) }
    case .allOf(let conditions): conditions.allSatisfy { matches($0, details, context) }
    }
  }

  private func entered(_ context: SearchContext) -> [Date] {
    context.entered.filter { newIn?.contains($0.key) ?? true }.map(\.value)
  }

  /// The time `age` ago, in milliseconds since 1970. An index must use this very number.
  package func milliseconds(before age: Duration) -> Int64 {
    (now - age / .seconds(1)).milliseconds
  }
}

extension DetailColumn.Value {
  var texts: [String] {
    switch self {
    case .text(let text): [text]
    case .list(let texts): texts
    default: []
    }
  }
}

extension DetailColumn {
  /// Whether it has a value; a detail that is compared as a number must have a number.
  fileprivate func isKnown(in details: RecordingDetails) -> Bool {
    if self == .eventDate, details.eventInterval != nil { return true }
    return isOrderedByNumber ? number(of: details) != nil : value(of: details).text() != nil
  }
}

extension RecordingDetails {
  private static let searched = DetailColumn.allCases.filter(\.isSearched)

  /// Whether one of the texts that bare words are searched in satisfies the condition.
  fileprivate func hasSearchedText(_ isMatch: (String) -> Bool) -> Bool {
    Self.searched.contains { $0.value(of: self).texts.contains(where: isMatch) }
  }
}

extension PartialDate {
  /// The day in UTC; the first or the last day of `PartialDate` if it is beyond them.
  init(utcDayOf date: Date) {
    // Days to a civil date: http://howardhinnant.github.io/date_algorithms.html#civil_from_days.
    // Year 1 to 9999.
    let days = min(max((date.timeIntervalSince1970 / 86_400).rounded(.down), -719_162), 2_932_896)
    let shifted = Int(days) + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    // From March.
    let monthOfYear = (5 * dayOfYear + 2) / 153
    self.init(
      known: yearOfEra + era * 400 + (monthOfYear < 10 ? 0 : 1),
      monthOfYear < 10 ? monthOfYear + 3 : monthOfYear - 9,
      dayOfYear - (153 * monthOfYear + 2) / 5 + 1)
  }
}

#endif
