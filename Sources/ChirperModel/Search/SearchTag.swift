#if Collection

/// A tag of the search language: a tag of xeno-canto that details answer
/// (https://xeno-canto.org/help/search), or our own.
package enum SearchTag: String, CaseIterable, Hashable, Sendable {
  case gen, sp, ssp, fam, en, grp, cnt, area, loc, rec, type, sex, stage, q, len, lic, date, year,
    month, hour, since, nr, lat, lon, box, near, alt
  case also, rmk, method, uncertain, obscured, issue
  case ann
  case annotatedSpecies = "ann_sp"
  case annotatedType = "ann_type"
  case annotatedSex = "ann_sex"
  case annotatedStage = "ann_stage"
  case annotatedBy = "ann_by"
  case list = "in"
  case text, source, audio, new, changed, gone

  /// The meaning of its value, in a few words.
  package var finds: String { declaration.finds }

  /// The details that it asks about, one of which has a value in a recording with `any`;
  /// empty if it does not ask about a detail.
  package var columns: [DetailColumn] { declaration.columns }

  private var declaration: (finds: String, columns: [DetailColumn]) {
    switch self {
    case .gen: ("genus", [.genus])
    case .sp: ("scientific name", [.specificEpithet])
    case .ssp: ("subspecies", [.infraspecificEpithet])
    case .fam: ("family", [.family])
    case .en: ("English name", [.vernacularName])
    case .grp: ("group: birds, frogs, bats", [.group])
    case .cnt: ("country", [.country, .countryCode])
    case .area: ("continent", [.countryCode])
    case .loc: ("place", [.locality])
    case .rec: ("recordist", [.recordedBy])
    case .type: ("sound: song, call", [.behavior])
    case .sex: ("sex: female, male", [.sex])
    case .stage: ("stage: adult, juvenile", [.lifeStage])
    case .q: ("quality, A to E", [.quality])
    case .len: ("length in seconds", [.mediaDuration])
    case .lic: ("licence", [.licenseName])
    case .date: ("date: 2024-05-17", [.eventDate])
    case .year: ("year", [.year])
    case .month: ("month", [.month])
    case .hour: ("hour of the day", [.eventTime])
    case .since: ("in the catalogue since a day", [.available])
    case .nr: ("number", [.catalogNumber])
    case .lat: ("latitude", [.decimalLatitude])
    case .lon: ("longitude", [.decimalLongitude])
    case .box: ("south,west,north,east", [.decimalLatitude])
    case .near: ("latitude,longitude,km", [.decimalLatitude])
    case .alt: ("elevation in metres", [.minimumElevationInMeters])
    case .also: ("species in the background", [.associatedTaxa])
    case .rmk: ("remarks", [.occurrenceRemarks])
    case .method: ("method of recording", [.samplingProtocol])
    case .uncertain: ("uncertainty of the place", [.coordinateUncertaintyInMeters])
    case .obscured: ("place made vague: yes, no", [.dataGeneralizations, .informationWithheld])
    case .issue: ("doubt of the catalogue", [.issues])
    case .ann: ("annotated: yes, no", [.annotations])
    case .annotatedSpecies: ("annotated species", [.annotatedTaxa])
    case .annotatedType: ("annotated sound", [.annotatedBehavior])
    case .annotatedSex: ("annotated sex", [.annotatedSex])
    case .annotatedStage: ("annotated stage", [.annotatedLifeStage])
    case .annotatedBy: ("annotator", [.annotatedBy])
    case .list: ("list", [])
    case .text: ("any text, also within words", DetailColumn.allCases.filter(\.isSearched))
    case .source: ("catalogue", [])
    case .audio: ("sound is here: yes, no", [])
    case .new: ("new in a list within: 7d", [])
    case .changed: ("changed within: 7d", [])
    case .gone: ("left a list: yes, no, any", [])
    }
  }

  /// The tag that asks about a detail; `nil` if no tag does.
  package init?(askingAbout column: DetailColumn) {
    let asking = Self.allCases.first { tag in
      switch column {
      case .scientificName: tag == .sp
      case .country: tag == .cnt
      default: tag != .area && tag.columns == [column]
      }
    }
    guard let asking else { return nil }
    self = asking
  }

  /// Whether a value has commas, so that there is only one.
  package var takesCommas: Bool { self == .box || self == .near }

  /// The words that its values usually are; empty for tags that take any text.
  var vocabulary: [String] {
    switch self {
    case .type, .annotatedType: SearchVocabulary.soundTypes
    case .sex, .annotatedSex: SearchVocabulary.sexes
    case .stage, .annotatedStage: SearchVocabulary.lifeStages
    case .method: SearchVocabulary.methods
    case .issue: RecordingDetails.Issue.allCases.map(\.rawValue)
    default: []
    }
  }

  /// The condition that any of the values is met.
  ///
  /// - Parameter catalogues: the catalogues that `source:` can name.
  func condition(_ values: [String], catalogues: [CatalogueID]) throws(SearchExpressionError
    .Reason) -> SearchCondition
  {
    var all: [SearchCondition] = []
    for value in values { all.append(try condition(value, catalogues: catalogues)) }
    return all.count == 1 ? all[0] : .anyOf(all)
  }

  /// The condition for one value.
  ///
  /// - Parameter catalogues: the catalogues that `source:` can name.
  private func condition(_ value: String, catalogues: [CatalogueID]) throws(SearchExpressionError
    .Reason) -> SearchCondition
  {
    if let isKnown = ["any": true, "none": false][TextFolding.folded(value)] {
      if self == .gone, isKnown { return .goneOrNot }
      return self == .audio
        ? .audio(isKnown) : self == .gone ? .gone(isKnown) : .known(self, isKnown)
    }
    switch self {
    case .sp: return .species(try text(ScientificName.withoutAuthor(value) ?? value, .prefix))
    case .gen, .ssp: return .text(columns[0], try text(value, .prefix))
    case .fam: return .family(try text(value, .prefix))
    case .cnt:
      guard let country = Countries.named(value) else {
        return .text(.country, try text(value, .prefix))
      }
      return .oneOf(.countryCode, [country.foldedCode])
    case .area:
      let area = try read(value, TagValueForm.oneOf(Countries.areas).expected) { value in
        Countries.areas.first { $0 == TextFolding.folded(value) }
      }
      return .oneOf(
        .countryCode, Set(Countries.all.filter { $0.area == area }.map(\.foldedCode)))
    case .grp: return .text(.group, try text(SearchVocabulary.groups[value] ?? value, .prefix))
    case .en, .loc, .rec, .rmk, .also, .annotatedSpecies, .annotatedBy:
      return .text(columns[0], try text(value, .part))
    // Older versions of xeno-canto, and other catalogues, have sexes and stages among the sound
    // types.
    case .type where SearchVocabulary.sexes.contains(TextFolding.folded(value)):
      return .anyOf([
        .text(.behavior, try text(value, .whole)), .text(.sex, try text(value, .whole)),
      ])
    case .type where SearchVocabulary.lifeStages.contains(TextFolding.folded(value)):
      return .anyOf([
        .text(.behavior, try text(value, .whole)), .text(.lifeStage, try text(value, .whole)),
      ])
    case .type, .sex, .stage, .method, .annotatedType, .annotatedSex, .annotatedStage:
      return .text(columns[0], try term(value))
    case .q:
      return .quality(
        try read(value, TagValueForm.quality.expected, RecordingDetails.Quality.searched))
    case .len, .date, .year, .month, .hour, .nr, .lat, .lon, .alt, .uncertain:
      return .number(columns[0], try numbers(value))
    case .issue:
      let issue = try read(value, TagValueForm.oneOf(vocabulary).expected) { value in
        RecordingDetails.Issue(rawValue: TextFolding.folded(value))
      }
      return .oneOf(.issues, [Array(issue.rawValue.utf8)])
    case .obscured, .ann: return .known(self, try read(value, "yes or no", Self.isYes))
    case .lic: return .licence(try licence(value))
    case .since: return .uploaded(try read(value, TagValueForm.since.expected, SearchDay.init))
    case .box: return .box(try read(value, TagValueForm.box.expected, SearchBox.init))
    case .near:
      let expected = "latitude,longitude,kilometres, without spaces"
      return .near(try read(value, expected, SearchCircle.init))
    case .list: return .list(.typed(value))
    case .text: return .anyText(try text(value, .part))
    case .source:
      let wanted = TextFolding.folded(value)
      let names = catalogues.map(\.rawValue)
      let nearest = NearestNames.to(wanted, among: names)
      return .source(
        try read(value, "one of \(names.joined(separator: ", "))", nearest: nearest) { _ in
          catalogues.first { $0.rawValue == wanted }
        })
    case .audio: return .audio(try read(value, "yes or no", Self.isYes))
    case .gone: return .gone(try read(value, "yes, no or any", Self.isYes))
    case .new: return .entered(try age(value))
    case .changed: return .changed(try age(value))
    }
  }

  /// The numbers that a value means, of a tag about a number.
  private func numbers(_ value: String) throws(SearchExpressionError.Reason) -> SearchNumbers {
    let number = TagValueForm.number.expected
    return switch self {
    case .len:
      try read(value, number + ", in seconds") { value in
        TagNumbers(value).flatMap {
          $0.first >= 0 ? SearchNumbers(value) { ($0 * 0.99)...($0 * 1.01) } : nil
        }
      }
    case .date: try read(value, SearchNumbers.expectedDates, SearchNumbers.init(dates:))
    case .month:
      try read(value, "\(TagValueForm.month.expected), or its name", SearchNumbers.init(months:))
    case .hour:
      try read(value, "an hour from 0 to 23, or a range such as 5-8", SearchNumbers.init(hours:))
    case .nr: try read(value, number, SearchNumbers.init(serial:))
    case .lat, .lon: try read(value, number) { SearchNumbers($0) { ($0 - 1)...($0 + 1) } }
    case .uncertain: try read(value, number + ", in metres") { SearchNumbers($0) }
    default: try read(value, number) { SearchNumbers($0) }
    }
  }

  /// Returns the result of `reader` for the value; throws if it is `nil`.
  ///
  /// - Parameter expected: the values that the tag accepts, after "It accepts".
  private func read<Value>(
    _ value: String, _ expected: String, nearest: [String] = [], isOpen: Bool = false,
    _ reader: (String) -> Value?
  ) throws(SearchExpressionError.Reason) -> Value {
    if let read = reader(value) { return read }
    throw .badValue(
      tag: rawValue, value: value, expected: expected, nearest: nearest, isOpen: isOpen)
  }

  private func age(_ value: String) throws(SearchExpressionError.Reason) -> Duration {
    try read(value, "an age such as 12h, 7d or 2w", { Age(rawValue: $0)?.duration })
  }

  private func text(_ value: String, _ kind: SearchText.Kind) throws(SearchExpressionError.Reason)
    -> SearchText
  {
    guard let text = SearchText(value: value, kind) else { throw .nothingToFind(value) }
    return text
  }

  /// A detail, or a part of one, as a whole. Vocabularies grow and have free text, so only
  /// a text that looks like a slip is refused.
  private func term(_ value: String) throws(SearchExpressionError.Reason) -> SearchText {
    let text = try text(value, .whole)
    guard TagOperand(value).sign != .exactly, !vocabulary.contains(TextFolding.folded(value)) else {
      return text
    }
    let nearest = NearestNames.to(value, among: vocabulary)
    return try read(value, "text", nearest: nearest, isOpen: true) { _ in
      nearest.isEmpty ? text : nil
    }
  }

  private func licence(_ value: String) throws(SearchExpressionError.Reason) -> SearchLicence {
    let isExact = TagOperand(value).sign == .exactly
    if let licence = SearchLicence(isExact ? TagOperand(value).text : value) { return licence }
    let nearest = isExact ? [] : NearestNames.to(value, among: SearchVocabulary.licences)
    let name = try text(value, .prefix)
    return try read(value, "text", nearest: nearest, isOpen: true) { _ in
      nearest.isEmpty ? .named(name) : nil
    }
  }

  private static func isYes(_ value: String) -> Bool? {
    ["yes": true, "no": false][TextFolding.folded(value)]
  }
}

// MARK: Corrections

extension SearchTag {
  /// The text with spellings that may be meant in place of the first country or family that is
  /// misspelled; empty if none is.
  package static func corrections(of text: String) -> [String] {
    var scanner = TagScanner(text)
    while scanner.skipSpaces() {
      let start = scanner.at
      let isNegated = scanner.skip("-")
      guard let tag = scanner.tag() else {
        _ = scanner.words()
        continue
      }
      guard let values = try? scanner.values(of: tag) else {
        _ = scanner.run()
        continue
      }
      let meant = SearchTag(rawValue: tag)?.terms(near: values, isNegated: isNegated) ?? []
      guard !meant.isEmpty else { continue }
      let scalars = scanner.scalars
      let before = String(String.UnicodeScalarView(scalars[..<start]))
      let after = String(String.UnicodeScalarView(scalars[scanner.at...]))
      return meant.map { before + $0 + after }
    }
    return []
  }

  /// The terms that may be meant by those values: each has a country or family in place of the first
  /// value that is a misspelled one. Empty if none is.
  func terms(near values: [String], isNegated: Bool) -> [String] {
    guard let index = values.firstIndex(where: { !names(near: $0).isEmpty }) else { return [] }
    return names(near: values[index]).map { name in
      var meant = values
      meant[index] = name
      let spelled = meant.map { value in
        TagScanner.needsQuotes(value) || value.contains(",") ? TagScanner.quoting(value) : value
      }
      return "\(isNegated ? "-" : "")\(rawValue):\(spelled.joined(separator: ","))"
    }
  }

  /// The countries or families that are spelled nearly as the value; empty if it is the beginning of
  /// one.
  private func names(near value: String) -> [String] {
    switch self {
    case .cnt: Countries.names(near: value)
    case .fam: NameTable.families(near: value)
    default: []
    }
  }
}

/// The values that xeno-canto documents (https://xeno-canto.org/help/search), with those that it
/// added since.
package enum SearchVocabulary {
  static let months = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
  ]
  package static let soundTypes = [
    "aberrant", "advertisement call", "agonistic call", "alarm call", "begging call", "call",
    "calling song", "courtship song",
    "dawn song", "defensive call", "distress call", "disturbance song", "drumming", "duet",
    "echolocation", "feeding buzz",
    "female song", "flight call", "flight song", "imitation", "mating call", "mechanical sound",
    "nocturnal flight call",
    "release call", "rivalry song", "searching song", "social call", "song", "subsong",
    "territorial call",
  ]
  package static let sexes = ["female", "male"]
  package static let lifeStages = ["adult", "juvenile", "nestling", "nymph", "subadult"]
  static let methods = [
    "emerging from roost", "field recording", "fluorescent light tag", "hand-release",
    "in enclosure", "in net", "in the hand",
    "roosting", "roped", "studio recording",
  ]
  /// Codes of Creative Commons, without "CC"; `PD` is the public domain.
  static let licences = ["BY", "BY-NC", "BY-NC-ND", "BY-NC-SA", "BY-ND", "BY-SA", "PD"]
  static let groups = [
    "0": "soundscape", "1": "birds", "2": "grasshoppers", "3": "bats", "4": "frogs",
    "5": "land mammals",
  ]
}

extension SearchLicence {
  /// Reads `BY-NC-SA`, `CC BY-NC-SA 4.0`, `CC-BY-4.0`, `BY-SA 3.0 NL`, `PD` and `CC0`; `nil` for
  /// every other text.
  init?(_ value: String) {
    let text = value.uppercased()
    if text == "PD" || text == "CC0" || text == "CC CC0" {
      self = .publicDomain
      return
    }
    var parts = text.split(omittingEmptySubsequences: false) { $0 == " " || $0 == "-" }
      .map(String.init)[...]
    if parts.first == "CC" { parts.removeFirst() }
    let isVersion = { (part: String) in
      part.count == 3 && part.contains(".") && TagNumbers(part) != nil
    }
    let code = parts.prefix { !isVersion($0) }
    let further = parts.dropFirst(code.count)
    let name = code.joined(separator: "-")
    guard further.count <= 2, name != "PD", SearchVocabulary.licences.contains(name) else {
      return nil
    }
    self = .creativeCommons(
      code: name, version: further.first, port: further.count == 2 ? further.last : nil)
  }
}

#endif
