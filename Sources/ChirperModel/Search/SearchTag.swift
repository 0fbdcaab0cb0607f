/// A tag of the search language: those of xeno-canto that details answer (https://xeno-canto.org/help/search), and our own.
package enum SearchTag: String, CaseIterable, Hashable, Sendable {
  case gen, sp, ssp, en, grp, cnt, loc, rec, type, sex, stage, q, len, lic, year, month, since, nr, lat, lon, box, alt, also
  case rmk, method
  case list = "in"
  case text, source, audio, new, gone

  /// What a value must look like, after "It accepts", where not every text will do.
  private var expected: String {
    switch self {
    case .q: TagValueForm.quality.expected
    case .len: TagValueForm.number.expected + ", in seconds"
    case .year, .lat, .lon, .alt: TagValueForm.number.expected
    case .month: TagValueForm.month.expected
    case .since: TagValueForm.since.expected
    case .nr: TagValueForm.serial.expected
    case .box: TagValueForm.box.expected
    case .audio, .gone: "yes or no"
    case .new: "an age such as 12h, 7d or 2w"
    case .gen, .sp, .ssp, .en, .grp, .cnt, .loc, .rec, .type, .sex, .stage, .lic, .also, .rmk, .method, .list, .text,
      .source:
      "text"
    }
  }

  /// What the value asks for.
  ///
  /// - Parameter catalogues: the catalogues that `source:` can name.
  package func condition(_ value: String, catalogues: [CatalogueID]) throws(SearchExpressionError.Reason) -> SearchCondition {
    switch self {
    case .gen: return .text(.genus, try text(value, .prefix))
    case .sp: return .species(try text(value, .prefix))
    case .ssp: return .text(.infraspecificEpithet, try text(value, .prefix))
    case .en: return .text(.vernacularName, try text(value, .part))
    case .grp: return .text(.group, try group(value))
    case .cnt: return .text(.country, try text(value, .prefix))
    case .loc: return .text(.locality, try text(value, .part))
    case .rec: return .text(.recordedBy, try text(value, .part))
    case .rmk: return .text(.occurrenceRemarks, try text(value, .part))
    case .also: return .text(.associatedTaxa, try text(value, .part))
    case .type: return .text(.behavior, try term(value, SearchVocabulary.soundTypes))
    case .sex: return .text(.sex, try term(value, SearchVocabulary.sexes))
    case .stage: return .text(.lifeStage, try term(value, SearchVocabulary.lifeStages))
    case .method: return .text(.samplingProtocol, try term(value, SearchVocabulary.methods))
    case .q:
      guard let quality = SearchQuality(value) else { throw badValue(value) }
      return .quality(quality)
    case .len:
      guard let least = TagNumbers(value)?.first, least >= 0 else { throw badValue(value) }
      return .number(.mediaDuration, try numbers(value) { ($0 * 0.99)...($0 * 1.01) })
    case .year: return .number(.year, try numbers(value))
    case .month: return .number(.month, try months(value))
    case .nr: return .number(.catalogNumber, try serial(value))
    case .lat: return .number(.decimalLatitude, try numbers(value) { ($0 - 1)...($0 + 1) })
    case .lon: return .number(.decimalLongitude, try numbers(value) { ($0 - 1)...($0 + 1) })
    case .alt: return .number(.minimumElevationInMeters, try numbers(value))
    case .lic: return .licence(try licence(value))
    case .since:
      guard let day = SearchDay(value) else { throw badValue(value) }
      return .uploaded(day)
    case .box:
      guard let box = SearchBox(value) else { throw badValue(value) }
      return .box(box)
    case .list: return .list(value)
    case .text: return .anyText(try text(value, .part))
    case .source:
      let wanted = value.lowercased()
      guard let catalogue = catalogues.first(where: { $0.rawValue == wanted }) else {
        let names = catalogues.map(\.rawValue)
        throw .badValue(
          tag: rawValue, value: value, expected: "one of \(names.joined(separator: ", "))",
          nearest: NearestNames.to(wanted, among: names), isOpen: false)
      }
      return .source(catalogue)
    case .audio: return .audio(try yesOrNo(value))
    case .gone: return .gone(try yesOrNo(value))
    case .new:
      guard let age = Duration(age: value) else { throw badValue(value) }
      return .firstSeen(age)
    }
  }

  private func badValue(_ value: String, nearest: [String] = [], isOpen: Bool = false) -> SearchExpressionError.Reason {
    .badValue(tag: rawValue, value: value, expected: expected, nearest: nearest, isOpen: isOpen)
  }

  private func text(
    _ value: String, _ kind: SearchText.Kind
  ) throws(SearchExpressionError.Reason) -> SearchText {
    guard let text = SearchText(value: value, kind) else { throw .nothingToFind(value) }
    return text
  }

  /// A text that is the detail, or one of its parts, as a whole. Services add to their vocabularies and have free text next to
  /// them, so only what looks like a slip is refused; with `=` nothing is.
  private func term(
    _ value: String, _ vocabulary: [String]
  ) throws(SearchExpressionError.Reason) -> SearchText {
    let text = try text(value, .whole)
    guard TagOperand(value).sign != .exactly, !vocabulary.contains(value.lowercased()) else { return text }
    let nearest = NearestNames.to(value, among: vocabulary)
    guard nearest.isEmpty else { throw badValue(value, nearest: nearest, isOpen: true) }
    return text
  }

  private func group(_ value: String) throws(SearchExpressionError.Reason) -> SearchText {
    try text(SearchVocabulary.groups[value] ?? value, .prefix)
  }

  /// - Parameter around: the range that a number alone means; the number itself without.
  private func numbers(
    _ value: String, around: (Double) -> ClosedRange<Double> = { $0...$0 }
  ) throws(SearchExpressionError.Reason) -> SearchNumbers {
    guard let numbers = TagNumbers(value), numbers.sign == nil || !numbers.isRange else { throw badValue(value) }
    switch numbers.sign {
    case .below: return .below(numbers.first)
    case .above: return .above(numbers.first)
    case .exactly: return .within(numbers.first...numbers.first)
    case nil:
      guard numbers.isRange else { return .within(around(numbers.first)) }
      guard numbers.first <= numbers.last else { throw badValue(value) }
      return .within(numbers.first...numbers.last)
    }
  }

  private func months(_ value: String) throws(SearchExpressionError.Reason) -> SearchNumbers {
    guard TagValueForm.month.accepts(value), let numbers = TagNumbers(value) else { throw badValue(value) }
    if numbers.first > numbers.last, numbers.sign == nil { return .around(from: numbers.first, through: numbers.last) }
    return try self.numbers(value)
  }

  private func serial(_ value: String) throws(SearchExpressionError.Reason) -> SearchNumbers {
    // A number as it is cited, `XC363793`, is its digits here.
    let letters = value.prefix { $0.isASCII && $0.isLetter }
    let digits = String(value.dropFirst(letters.count))
    guard TagValueForm.serial.accepts(digits), letters.isEmpty || TagNumbers(digits)?.isRange == false else {
      throw badValue(value)
    }
    return try numbers(digits)
  }

  private func licence(_ value: String) throws(SearchExpressionError.Reason) -> SearchLicence {
    let isExact = TagOperand(value).sign == .exactly
    if let licence = SearchLicence(isExact ? TagOperand(value).text : value) { return licence }
    let nearest = isExact ? [] : NearestNames.to(value, among: SearchVocabulary.licences)
    guard nearest.isEmpty else { throw badValue(value, nearest: nearest, isOpen: true) }
    return .named(try text(value, .prefix))
  }

  private func yesOrNo(_ value: String) throws(SearchExpressionError.Reason) -> Bool {
    switch value.lowercased() {
    case "yes": return true
    case "no": return false
    default: throw badValue(value)
    }
  }
}

/// The values that xeno-canto documents (https://xeno-canto.org/help/search), with those that it added since.
package enum SearchVocabulary {
  package static let soundTypes = [
    "aberrant", "advertisement call", "agonistic call", "alarm call", "begging call", "call", "calling song", "courtship song",
    "dawn song", "defensive call", "distress call", "disturbance song", "drumming", "duet", "echolocation", "feeding buzz",
    "female song", "flight call", "flight song", "imitation", "mating call", "mechanical sound", "nocturnal flight call",
    "release call", "rivalry song", "searching song", "social call", "song", "subsong", "territorial call",
  ]
  package static let sexes = ["female", "male"]
  package static let lifeStages = ["adult", "juvenile", "nestling", "nymph", "subadult"]
  package static let methods = [
    "emerging from roost", "field recording", "fluorescent light tag", "hand-release", "in enclosure", "in net", "in the hand",
    "roosting", "roped", "studio recording",
  ]
  /// Codes of Creative Commons, without "CC"; `PD` is the public domain.
  package static let licences = ["BY", "BY-NC", "BY-NC-ND", "BY-NC-SA", "BY-ND", "BY-SA", "PD"]
  package static let groups = [
    "0": "soundscape", "1": "birds", "2": "grasshoppers", "3": "bats", "4": "frogs", "5": "land mammals",
  ]
}

extension SearchLicence {
  /// Reads `BY-NC-SA`, `CC BY-NC-SA`, `CC BY-NC-SA 4.0`, `CC-BY-4.0`, `PD` and `CC0`; `nil` for every other text.
  package init?(_ value: String) {
    var parts = value.uppercased().split { $0 == " " || $0 == "-" }[...]
    if parts.first == "CC" { parts.removeFirst() }
    let version = parts.last.flatMap { $0.wholeMatch(of: /[0-9]\.[0-9]/) != nil ? String($0) : nil }
    if version != nil { parts.removeLast() }
    let code = parts.joined(separator: "-")
    if code == "PD" && version == nil || code == "CC0" {
      self = .publicDomain
      return
    }
    guard code != "PD", SearchVocabulary.licences.contains(code) else { return nil }
    self = .creativeCommons(code: code, version: version)
  }
}

extension SearchDay {
  /// Reads `3` and `2026-03-31`; `nil` for every other text.
  package init?(_ value: String) {
    guard TagValueForm.since.accepts(value) else { return nil }
    if let days = Int(value) {
      self = .daysAgo(days)
    } else if let date = PartialDate(value), date.day != nil {
      self = .date(date)
    } else {
      return nil
    }
  }
}

extension TagValueForm {
  /// Whether the value, without quotes, has this form.
  package func accepts(_ value: String) -> Bool {
    switch self {
    case .number: return TagNumbers(value) != nil
    case .month:
      guard let numbers = TagNumbers(value) else { return false }
      return [numbers.first, numbers.last].allSatisfy { (1...12).contains($0) && $0 == $0.rounded() }
    case .quality: return SearchQuality(value) != nil
    case .since:
      let parts = value.split(separator: "-", omittingEmptySubsequences: false).map(\.utf8)
      guard parts.allSatisfy({ $0.allSatisfy { (0x30...0x39).contains($0) } }) else { return false }
      return parts.count == 1 ? (1...5).contains(parts[0].count) : parts.map(\.count) == [4, 2, 2]
    case .box: return TagNumbers.list(value)?.count == 4
    case .serial:
      guard let first = value.utf8.first, (0x30...0x39).contains(first), TagNumbers(value) != nil else { return false }
      return !value.contains(".") && !value.contains("--")
    }
  }
}

extension Duration {
  /// Reads an age as it is typed: `30m`, `12h`, `7d`, `2w`, also in seconds (`90s`); at most 100,000 of a unit. `nil` for every
  /// other text.
  package init?(age text: String) {
    let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]
    guard let last = text.last, let unit = units[last], let count = Int64(text.dropLast()), (0...100_000).contains(count)
    else { return nil }
    self = .seconds(count * unit)
  }
}
