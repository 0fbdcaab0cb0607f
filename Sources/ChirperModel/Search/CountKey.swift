#if Collection

/// A key that recordings are counted by: a detail, a part or a range of it, the catalogue, or the
/// species, which is that of the list of birds if its names decide that.
package struct CountKey: Hashable, Sendable {
  /// The name that people type: `species`.
  package let name: String
  /// The detail; `nil` for the catalogue.
  package let column: DetailColumn?

  /// Every key, in the order of the columns.
  package static let all =
    [species]
    + DetailColumn.allCases.compactMap { column in
      column.countName.map { CountKey(name: $0, column: column) }
    }
    + [CountKey(name: "catalogue", column: nil)]

  /// Reads the name of a key, or two names with a comma between them; `nil` for any other text.
  package static func list(_ typed: String) -> [CountKey]? {
    let names = typed.split(separator: ",").map { TagOperand.trimmed(String($0)).lowercased() }
    let keys = names.compactMap { name in all.first { $0.name.lowercased() == name } }
    return (1...2).contains(keys.count) && keys.count == names.count
      && Set(keys).count == keys.count ? keys : nil
  }

  /// The English name, which people cannot type as a key.
  package static let englishName = CountKey(name: "vernacularName", column: .vernacularName)
  /// The species, of birds under any of its names.
  package static let species = CountKey(name: "species", column: .scientificName)
  /// The species as they are named.
  package static let scientificName = CountKey(name: "scientificName", column: .scientificName)

  /// The key of a detail that an app counts by; `nil` if recordings are not counted by it.
  package static func counting(by detail: PartialKeyPath<RecordingDetails>) -> CountKey? {
    switch detail {
    case \.acceptedNameUsage: species
    case \.vernacularName: englishName
    // Countries are counted by their codes, and named.
    case \.country: all.last { $0.column == .countryCode }
    case \.annotations: all.last { $0.column == .annotatedTaxa }
    default: all.last { [$0.column] == DetailColumn.columns(of: detail) }
    }
  }

  /// The recordings that count together: those with the same number, or with the same text without
  /// case and accents.
  package enum Group: Hashable, Comparable, Sendable {
    case number(Int)
    case text(String)
  }

  /// The detail whose numbers are grouped, which the search index has; `nil` if texts are.
  package var numbers: DetailColumn? {
    column.flatMap { $0.parent.indexColumn == nil ? nil : $0.parent }
  }

  /// Whether it is a part of the year or of the day. What people record depends on it so
  /// much that a count alone says little.
  package var isSeason: Bool { [.month, .eventDate, .eventTime].contains(column) }

  /// Every group there is, if they are numbers of a fixed range.
  package var range: ClosedRange<Int>? {
    switch column {
    case .month: 1...12
    case .eventDate: 1...53
    case .eventTime: 0...23
    case .quality: 1...5
    case .mediaDuration: 0...Self.lengths.count - 1
    default: nil
    }
  }

  /// The group of a number that `numbers` has; `nil` if it is in none, and for a number that no
  /// recording has.
  package func group(of number: Double) -> Int? {
    if column == .mediaDuration { return Self.lengths.lastIndex { $0.from <= number } }
    guard let number = Int(exactly: number) else { return nil }
    let month = number >> 5 & 0xF
    let day = number & 0x1F
    let group =
      switch column {
      case .year: number >> 9
      case .month: month
      case .eventDate: day > 0 && (1...12).contains(month) ? Self.week(month: month, day: day) : 0
      case .eventTime: number / 60
      default: number
      }
    return range?.contains(group) ?? true ? group : nil
  }

  /// The group of a folded text: of a name the species, without subspecies; the name of a genus or a
  /// hybrid as it is.
  package func group(of text: [UInt8]) -> String {
    let name = String(decoding: text, as: UTF8.self)
    // Most names are two words of letters.
    let isShort = text.count(where: { $0 == UInt8(ascii: " ") }) < 2
    guard column == .scientificName, !isShort else { return name }
    return Binomial(name)?.description ?? name
  }

  /// The groups of a recording, each once; several only of a detail with several texts.
  package func groups(of details: RecordingDetails, in catalogue: CatalogueID) -> [Group] {
    if let numbers {
      return numbers.number(of: details).flatMap(group(of:)).map { [.number($0)] } ?? []
    }
    var groups: [Group] = []
    for text in texts(of: details, in: catalogue) {
      let group = Group.text(group(of: TextFolding.folded(text.utf8)))
      if !groups.contains(group) { groups.append(group) }
    }
    return groups
  }

  /// A group as people read it, if it is a number.
  package func value(of number: Int) -> DetailColumn.Value {
    switch column {
    case .quality:
      RecordingDetails.Quality.allCases.first { $0.rank == number }.map { .rating($0) } ?? .none
    case .mediaDuration: .text(Self.lengths[number].name)
    default: .integer(number)
    }
  }

  /// The text of a group as that recording, which is in it, spells it.
  package func text(of group: String, in details: RecordingDetails, _ catalogue: CatalogueID)
    -> String?
  {
    let text = texts(of: details, in: catalogue).first {
      self.group(of: TextFolding.folded($0.utf8)) == group
    }
    return switch column {
    case .scientificName: text.map { Binomial($0)?.spelled ?? $0 }
    case .countryCode: text.map { Countries.withCode($0)?.names[0] ?? $0 }
    default: text
    }
  }

  /// The text of a group in the default spelling; `nil` if it has none.
  package func defaultText(of group: String) -> String? {
    column?.defaultSpelling(of: Array(group.utf8)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Whether there is a tag for its values.
  package var isSearchable: Bool { column != .eventDate }

  /// The terms that find the recordings with that value, as they can be typed.
  package func terms(for value: DetailColumn.Value) -> String {
    let text = value.text() ?? ""
    guard let column else { return "source:\(text)" }
    if column == .mediaDuration, let index = Self.lengths.firstIndex(where: { $0.name == text }) {
      let above = index == 0 ? "" : "-len:<\(DecimalText.text(Self.lengths[index].from)) "
      let isLast = index + 1 == Self.lengths.count
      return above + (isLast ? "len:any" : "len:<\(DecimalText.text(Self.lengths[index + 1].from))")
    }
    if column == .countryCode, Countries.named(text) != nil {
      return "cnt:\(TagScanner.quoting(text))"
    }
    let tag = SearchTag(askingAbout: fallback ?? column)
    // The bar of a bird has all of its names.
    let isBird = self == Self.species && NameTable.species(named: text) != nil
    let sign = isBird ? "" : "="
    return "\(tag?.rawValue ?? ""):\(numbers == nil ? TagScanner.quoting(sign + text) : text)"
  }

  private func texts(of details: RecordingDetails, in catalogue: CatalogueID) -> [String] {
    guard let column else { return [catalogue.rawValue] }
    let texts = column.value(of: details).texts
    return texts.isEmpty ? fallback?.value(of: details).texts ?? [] : texts
  }

  /// The column whose texts count where a recording has no value of `column`: countries without a
  /// code count by the name that was sent.
  package var fallback: DetailColumn? { column == .countryCode ? .country : nil }

  /// The seven days from 1 January on are week 1 in each year, so that years can be compared; 29
  /// February is in the week of 1 March.
  private static func week(month: Int, day: Int) -> Int {
    let before = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334][month - 1]
    return (before + day - 1) / 7 + 1
  }

  /// Ranges of lengths, by their first second.
  private static let lengths: [(from: Double, name: String)] = [
    (0, "under 10 s"), (10, "10 to 30 s"), (30, "30 to 60 s"), (60, "1 to 3 min"),
    (180, "3 to 10 min"), (600, "10 min or more"),
  ]
}

#endif
