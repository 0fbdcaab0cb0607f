#if Collection

import Foundation

/// The condition of one term of a search, as the store's index and `SearchMatcher` need it.
package enum SearchCondition: Hashable, Sendable {
  /// Folded bare words that follow each other in a searched column, at least one; only the last may
  /// begin a longer one.
  case words([[UInt8]])
  /// The text in any of the columns that `words` searches, within words too.
  case anyText(SearchText)
  case text(DetailColumn, SearchText)
  /// The column as a whole is one of these texts, which are folded.
  case oneOf(DetailColumn, Set<[UInt8]>)
  /// The specific epithet, or the beginning of the scientific name.
  case species(SearchText)
  /// The family (`RecordedNames.family`).
  case family(SearchText)
  /// A range of the number of a column (`DetailColumn.number(of:)`).
  case number(DetailColumn, SearchNumbers)
  /// One of these ratings.
  case quality(Set<RecordingDetails.Quality>)
  case licence(SearchLicence)
  /// Added to the catalogue on that day or later.
  case uploaded(SearchDay)
  case box(SearchBox)
  case near(SearchCircle)
  /// Membership in a list.
  case list(ListName)
  case source(CatalogueID)
  /// Whether the audio is a file on this machine.
  case audio(Bool)
  /// The recording entered a list within the duration before now, after the list was first
  /// read.
  case entered(Duration)
  /// The recording changed within the duration before now.
  case changed(Duration)
  /// Whether the recording left a list.
  case gone(Bool)
  /// Every recording, whether it left a list or not.
  case goneOrNot
  /// Whether the detail that the tag asks about has a value.
  case known(SearchTag, Bool)
  /// A field of a catalogue's recordings contains the text.
  case field(SearchField, SearchText)
  /// A number or date of a field of a catalogue's recordings is in the range.
  case fieldNumber(SearchField, SearchNumbers)
  /// Whether a recording of the catalogue has the field.
  case fieldKnown(SearchField, Bool)
  /// One of the conditions or more, which are of one tag or between the commas of plain
  /// words.
  case anyOf([SearchCondition])
  /// All of the conditions, which are the plain words between two commas.
  case allOf([SearchCondition])

  /// The conditions that it is made of.
  package var parts: [SearchCondition] {
    if case .anyOf(let parts) = self { parts } else { [self] }
  }

  /// The columns of the details that decide about it.
  var columns: [DetailColumn] {
    switch self {
    case .words, .anyText: SearchTag.text.columns
    case .text(let column, _), .oneOf(let column, _), .number(let column, _): [column]
    case .species: [.scientificName, .specificEpithet]
    case .family, .known(.fam, _): RecordedNames.columns
    case .quality: [.quality]
    case .licence: [.licenseName]
    case .uploaded: [.available]
    case .box, .near: [.decimalLatitude]
    case .known(let tag, _): tag.columns
    case .anyOf(let conditions), .allOf(let conditions): conditions.flatMap(\.columns)
    case .list, .source, .audio, .entered, .changed, .gone, .goneOrNot, .field, .fieldNumber,
      .fieldKnown:
      []
    }
  }

  /// Whether it asks for one catalogue number.
  var isOneNumber: Bool {
    switch self {
    case .number(.catalogNumber, .within(let range)): range.lowerBound == range.upperBound
    case .text(.catalogNumber, let text): text.kind == .whole
    default: false
    }
  }
}

/// A field that a catalogue's own tag asks about.
package struct SearchField: Hashable, Sendable {
  /// The way in which its values are compared.
  package enum Kind: Hashable, Sendable {
    case text
    case number
    case date
    /// The text is one of these words, in lower case.
    case oneOf([String])
    /// The texts between commas, but not these words, in lower case.
    case parts(besides: Set<String>)

    /// The values that may be typed, after "It accepts".
    fileprivate var expected: String {
      switch self {
      case .number: TagValueForm.number.expected
      case .date: SearchNumbers.expectedDates
      case .oneOf(let words): TagValueForm.oneOf(words).expected
      case .text, .parts: TagValueForm.text.expected
      }
    }
  }

  package let catalogue: CatalogueID
  let kind: Kind
  /// The names that lead to it, from outside to inside; those in older records come last.
  private let paths: [[String]]

  init(_ fields: [String], _ kind: Kind, of catalogue: CatalogueID) {
    self.catalogue = catalogue
    self.kind = kind
    paths = fields.map {
      $0.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }
  }

  /// Whether its values have an order.
  var isOrdered: Bool { kind == .number || kind == .date }

  /// The texts of the field; none of a recording of a different catalogue.
  func texts(of context: SearchContext) -> [String] {
    values(of: context) { value in
      guard case .parts(let words) = kind else {
        return value.texts + (value.isBoolean ? [value.isTrue ? "true" : "false"] : [])
      }
      return value.commaList.filter { !words.contains(TextFolding.folded($0)) }
    }
  }

  /// The numbers of the field, or the days that its dates may be (`PartialDate.packed`).
  private func numbers(of context: SearchContext) -> [ClosedRange<Double>] {
    values(of: context) { value in
      var numbers: [ClosedRange<Double>] = []
      func add(_ value: RawValue) {
        if kind == .date {
          value.date.map { numbers.append($0.packedDays) }
        } else {
          value.decimal.map { numbers.append($0...$0) }
        }
      }
      add(value)
      value.forEachItem(add)
      return numbers
    }
  }

  private func values<Value>(
    of context: SearchContext, _ read: (RawValue) -> [Value]
  ) -> [Value] {
    guard context.catalogue == catalogue, let fields = context.fields else { return [] }
    for path in paths {
      if let found = fields.value(at: path, read), !found.isEmpty { return found }
    }
    return []
  }

  /// Whether the recording has a value of the field's kind.
  func isKnown(in context: SearchContext) -> Bool {
    !(isOrdered ? numbers(of: context).isEmpty : texts(of: context).isEmpty)
  }

  /// Whether a number of the field, or every day that one of its dates may be, is among these.
  func isAmong(_ wanted: SearchNumbers, in context: SearchContext) -> Bool {
    numbers(of: context).contains(where: wanted.contains)
  }

  /// The condition that the field has one of the values of the tag.
  func condition(
    _ values: [String], of tag: String
  ) throws(SearchExpressionError.Reason) -> SearchCondition {
    var any: [SearchCondition] = []
    for value in values {
      if let isKnown = ["any": true, "none": false][TextFolding.folded(value)] {
        any.append(.fieldKnown(self, isKnown))
      } else if let condition = condition(value) {
        any.append(condition)
      } else if kind == .text {
        throw .nothingToFind(value)
      } else {
        throw .badValue(
          tag: tag, value: value, expected: kind.expected, nearest: [], isOpen: false)
      }
    }
    return any.count == 1 ? any[0] : .anyOf(any)
  }

  private func condition(_ value: String) -> SearchCondition? {
    switch kind {
    case .number: SearchNumbers(value).map { .fieldNumber(self, $0) }
    case .date: SearchNumbers(dates: value).map { .fieldNumber(self, $0) }
    case .oneOf(let words):
      SearchText(value: value, .whole).flatMap {
        words.map { Array($0.utf8) }.contains($0.folded) ? .field(self, $0) : nil
      }
    case .text, .parts: SearchText(value: value, .part).map { .field(self, $0) }
    }
  }
}

/// The meaning of a tag that is read: of one of chirper's, or of a catalogue's own.
package enum OwnTag: Hashable, Sendable {
  case detail(SearchTag)
  /// One of chirper's whose value has this sign.
  case compared(SearchTag, TagOperand.Sign)
  case field(SearchField)
}

/// The list that a search asks about, or whose rows a `Selection` chooses.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum ListName: Hashable, Codable, Sendable {
  /// A text as it was typed, which may name several lists.
  case typed(String)
  /// The list of that query.
  case query(CatalogueQuery)

  /// The text as it can be typed.
  package var text: String {
    switch self {
    case .typed(let text): text
    case .query(let query): "\(query.catalogue):\(query.typed)"
    }
  }
}

/// A text to find in a detail.
package struct SearchText: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// The detail begins with the text.
    case prefix
    /// The text is anywhere in the detail.
    case part
    /// The detail is the text.
    case whole
  }

  package let kind: Kind
  /// Folded (`TextFolding`), in UTF-8; not empty.
  package let folded: [UInt8]

  /// A text to find; `nil` if folding leaves nothing, because the text is empty or has
  /// combining marks alone.
  package init?(_ text: String, _ kind: Kind) {
    self.kind = kind
    folded = TextFolding.folded(text.utf8)
    if folded.isEmpty { return nil }
  }

  /// The text of a tag's value, without white space around it: all of the detail if it begins with
  /// `=`, else as `kind` says.
  package init?(value: String, _ kind: Kind) {
    let operand = TagOperand(value)
    let isWhole = operand.sign == .exactly
    // Text has no order, so `<` and `>` are part of it.
    self.init(TagOperand.trimmed(isWhole ? operand.text : value), isWhole ? .whole : kind)
  }

  package func matches(_ text: String?) -> Bool {
    guard let folded = text.map({ TextFolding.folded($0.utf8) }) else { return false }
    return matches(folded: folded.span)
  }

  /// Whether the text begins a scientific name; as a whole it is the name, or genus and species
  /// without the subspecies.
  func matches(scientificName name: String?) -> Bool {
    guard let folded = name.map({ TextFolding.folded($0.utf8) }) else { return false }
    return matches(foldedScientificName: folded.span)
  }
}

/// The numbers that satisfy a condition. An index must use these very bounds.
package enum SearchNumbers: Hashable, Sendable {
  case below(Double)
  case above(Double)
  case within(ClosedRange<Double>)
  /// The numbers from the first to the end of the cycle and from its beginning to the
  /// second, such as months from November to February.
  case around(from: Double, through: Double)

  /// Reads `10`, `10-15`, `<30`, `>120` and `=19.8`; `nil` for every other text.
  ///
  /// - Parameter around: the range that a number alone means; the number itself without.
  init?(_ value: String, around: (Double) -> ClosedRange<Double> = { $0...$0 }) {
    guard let numbers = TagNumbers(value), numbers.first <= numbers.last,
      numbers.sign == nil || !numbers.isRange
    else { return nil }
    switch numbers.sign {
    case .below: self = .below(numbers.first)
    case .above: self = .above(numbers.first)
    case .exactly: self = .within(numbers.first...numbers.first)
    case nil: self = .within(numbers.isRange ? numbers.first...numbers.last : around(numbers.first))
    }
  }

  /// Reads months, by number or by name, of which three letters are enough; a range may go past the
  /// end of the year.
  init?(months typed: String) {
    let value = TextFolding.folded(typed).split(separator: "-", omittingEmptySubsequences: false)
      .map { part in
        let month = part.count < 3 ? nil : SearchVocabulary.months.firstIndex { $0.hasPrefix(part) }
        return month.map { "\($0 + 1)" } ?? String(part)
      }.joined(separator: "-")
    guard TagValueForm.month.accepts(value), let numbers = TagNumbers(value) else { return nil }
    if numbers.first > numbers.last, numbers.sign == nil {
      self = .around(from: numbers.first, through: numbers.last)
    } else {
      self.init(value)
    }
  }

  /// Reads hours of the day, as minutes; a range may go past midnight.
  init?(hours value: String) {
    guard let numbers = TagNumbers(value), numbers.sign == nil || !numbers.isRange,
      [numbers.first, numbers.last].allSatisfy({ (0...23).contains($0) && $0 == $0.rounded() })
    else { return nil }
    let from = numbers.first * 60
    let through = numbers.last * 60 + 59
    switch numbers.sign {
    case .below: self = .below(from)
    case .above: self = .above(through)
    default: self = from > through ? .around(from: from, through: through) : .within(from...through)
    }
  }

  /// The dates that may be typed, after "It accepts".
  static let expectedDates = "2019, 2019-05, 2019-05-01, 2018-2020, <2019 or >2019"

  /// Reads a year, month or day: `2019`, `2019-05`, `2019-05-01`, also after `<` or `>`, and two of
  /// them, such as `2018-2020` and `2019-05-2019-07`: the days by `PartialDate.packed`.
  init?(dates value: String) {
    let operand = TagOperand(value)
    let parts = operand.text.split(separator: "-", omittingEmptySubsequences: false)
    let half = parts.count / 2
    let isRange = parts.count == 2 * half && parts[half].utf8.count == 4
    let texts = isRange ? [parts[..<half], parts[half...]] : [parts[...]]
    let dates = texts.compactMap { PartialDate($0.joined(separator: "-")) }
    guard dates.map(\.description) == texts.map({ $0.joined(separator: "-") }),
      let first = dates.first?.packedDays, let last = dates.last?.packedDays,
      first.lowerBound <= last.upperBound, operand.sign == nil || !isRange
    else { return nil }
    switch operand.sign {
    case .below: self = .within(-.infinity...first.lowerBound.nextDown)
    case .above: self = .within(last.upperBound.nextUp...(.infinity))
    case .exactly, nil: self = .within(first.lowerBound...last.upperBound)
    }
  }

  /// Reads catalogue numbers, of which one as it is cited, `XC363793`, is its digits.
  init?(serial value: String) {
    let operand = TagOperand(value)
    let digits = String(operand.text.drop { $0.isASCII && $0.isLetter })
    guard TagValueForm.serial.accepts(digits), digits == operand.text || !digits.contains("-")
    else { return nil }
    self.init((operand.sign.map { String($0.rawValue) } ?? "") + digits)
  }

  /// Whether it contains both ends of a range.
  package func contains(_ range: ClosedRange<Double>) -> Bool {
    contains(range.lowerBound) && contains(range.upperBound)
  }

  package func contains(_ number: Double) -> Bool {
    switch self {
    case .below(let limit): number < limit
    case .above(let limit): number > limit
    case .within(let range): range.contains(number)
    case .around(let from, let through): number >= from || number <= through
    }
  }
}

/// The licences that satisfy a condition.
package enum SearchLicence: Hashable, Sendable {
  /// A licence of Creative Commons by its code in upper case (`BY-NC-SA`); any version and port if
  /// none is given, and with a version only the one with that port, or without.
  case creativeCommons(code: String, version: String?, port: String?)
  case publicDomain
  /// The licences whose names have the text.
  case named(SearchText)

  /// Whether it contains the licence with that name and address.
  package func contains(name: String, address: String?) -> Bool {
    switch self {
    case .creativeCommons(let code, let version, let port):
      // Texts that only look like the name have no such address.
      guard address?.hasPrefix("https://creativecommons.org/licenses/") == true,
        RecordingDetails.Licence(creativeCommons: address ?? "") != nil
      else {
        let codes = [name, address ?? ""].map(RecordingDetails.Licence.codeWithoutVersion)
        return version == nil && codes.contains(code.lowercased())
      }
      let parts = name.split(separator: " ").dropFirst().map(String.init)
      guard let version else { return parts.first == code }
      return parts == [code, version] + [port].compactMap(\.self)
    case .publicDomain:
      return address?.hasPrefix("https://creativecommons.org/publicdomain/") == true
    case .named(let text): return text.matches(name)
    }
  }
}

/// A day in UTC: a date, or some days before the search.
package enum SearchDay: Hashable, Sendable {
  case date(PartialDate)
  case daysAgo(Int)

  /// Reads `3` and `2026-03-31`; `nil` for every other text.
  init?(_ value: String) {
    guard TagValueForm.since.accepts(value) else { return nil }
    if let days = Int(value) {
      self = .daysAgo(days)
    } else if let date = PartialDate(value), date.day != nil {
      self = .date(date)
    } else {
      return nil
    }
  }

  /// The day that it is in a search made at that time.
  package func date(at now: Date) -> PartialDate {
    switch self {
    case .date(let date): date
    case .daysAgo(let days): PartialDate(utcDayOf: now.addingTimeInterval(-Double(days) * 86_400))
    }
  }
}

/// An area between two latitudes and two longitudes, in degrees.
package struct SearchBox: Hashable, Sendable {
  let south: Double
  package let west: Double
  let north: Double
  /// The eastern edge; below `west` if the area crosses the 180th meridian.
  package let east: Double

  /// Reads `south,west,north,east`; `nil` if these are not two latitudes, the lower first, and two
  /// longitudes.
  package init?(_ value: String) {
    guard let numbers = TagNumbers.list(value), numbers.count == 4 else { return nil }
    south = numbers[0]
    west = numbers[1]
    north = numbers[2]
    east = numbers[3]
    guard RecordingDetails.Coordinate(latitude: south, longitude: west) != nil,
      RecordingDetails.Coordinate(latitude: north, longitude: east) != nil, south <= north
    else { return nil }
  }

  /// Whether it contains the coordinate; either number may be `nan`.
  package func contains(latitude: Double, longitude: Double) -> Bool {
    guard (south...north).contains(latitude) else { return false }
    return west <= east ? (west...east).contains(longitude) : longitude >= west || longitude <= east
  }
}

/// The places within a distance of a point.
package struct SearchCircle: Hashable, Sendable {
  /// Degrees.
  let latitude: Double
  let longitude: Double
  let kilometres: Double

  /// Reads `latitude,longitude,kilometres`; `nil` for every other text.
  init?(_ value: String) {
    guard let numbers = TagNumbers.list(value), numbers.count == 3, numbers[2] >= 0,
      RecordingDetails.Coordinate(latitude: numbers[0], longitude: numbers[1]) != nil
    else { return nil }
    latitude = numbers[0]
    longitude = numbers[1]
    kilometres = numbers[2]
  }

  /// The Earth as a sphere of its mean radius, by which distances are at most 0.6 % wrong.
  private static let earthRadius = 6371.0088

  /// Whether the coordinate is within the distance; either number may be `nan`.
  package func contains(latitude: Double, longitude: Double) -> Bool {
    let radians = Double.pi / 180
    let across = sin((latitude - self.latitude) * radians / 2)
    let along = sin((longitude - self.longitude) * radians / 2)
    // The haversine, which is exact for short distances too.
    let half =
      across * across
      + cos(self.latitude * radians) * cos(latitude * radians) * along * along
    guard !half.isNaN else { return false }
    return 2 * Self.earthRadius * asin(min(1, half.squareRoot())) <= kilometres
  }
}

#endif
