/// The effect of a record on the one that is stored under its id.
package enum RecordMerge: Sendable {
  /// The stored record stays.
  case keeps
  /// The fields take the place of the stored ones.
  ///
  /// - Parameter isChange: whether the recording has changed, and not only the form of its record.
  case replaces(RecordingFields, isChange: Bool)
}

extension Catalogue {
  /// The effect of a record on a stored one if either was imported; `nil` if a service sent both.
  ///
  /// What a service sent is never replaced by what was imported, and an import empties no detail: a
  /// record in the same form keeps what the new one does not have, and one in a different form must
  /// have everything. Only what goes with a value that is different now is not kept. Whether a
  /// recording changed is decided by its details, because records have several forms: in place of
  /// details alone, only a detail that both have can have changed. What any other record replaces is
  /// kept as what it was before.
  func merge(_ id: RecordingID, _ stored: RecordingFields, _ new: RecordingFields) -> RecordMerge? {
    let form = stored.importedForm
    let newForm = new.importedForm
    guard form != nil || newForm != nil else { return nil }
    guard form != nil else { return .keeps }
    func details(_ fields: RecordingFields) -> RecordingDetails {
      mapping.details(of: Recording(id: id, fields: fields))
    }
    let missing = imports?.missing ?? []
    let before = details(stored)
    let after = details(new)
    let isContradicted = before.contradicts(after, except: missing)
    guard newForm != nil else { return .replaces(new, isChange: isContradicted) }
    guard form != newForm else {
      let replaced = before.replaced(by: after)
      let fields = new.keeping(stored) { name in
        guard form != .details else {
          return DetailColumn(rawValue: name).map { !replaced.contains($0.parent) } ?? true
        }
        let columns = mapping.details(from: name)
        let own = columns.filter { $0 != .issues }
        return columns.isEmpty
          || !columns.allSatisfy(missing.contains)
            && (own.isEmpty || !own.allSatisfy { replaced.contains($0.parent) })
      }
      return details(fields) == before ? .keeps : .replaces(fields, isChange: true)
    }
    let replaced = before.replaced(by: after, except: missing)
    let isEmptied = DetailColumn.allCases.contains {
      before.has($0) && !after.has($0) && !missing.contains($0) && !replaced.contains($0.parent)
    }
    guard !isEmptied else { return .keeps }
    if form == .details { return .replaces(new, isChange: isContradicted) }
    let isMore = DetailColumn.allCases.contains {
      after.has($0) && !before.has($0) && !$0.isComputed
    }
    return isContradicted || isMore ? .replaces(new, isChange: true) : .keeps
  }
}

extension RecordingFields {
  /// The fields with those of an earlier record that they do not have and that are kept.
  fileprivate func keeping(_ earlier: RecordingFields, where isKept: (String) -> Bool) -> Self {
    let own = Set(self.names)
    let kept = earlier.members.filter { !own.contains($0.name) && isKept($0.name) }
    guard !kept.isEmpty else { return self }
    var bytes = self.bytes
    bytes.removeLast()
    for member in kept {
      bytes += ",\(JSONText.quoted(member.name)):\(member.value.json)".utf8
    }
    return RecordingFields(canonical: bytes + [UInt8(ascii: "}")])
  }
}

extension RecordingDetails {
  fileprivate func has(_ column: DetailColumn) -> Bool {
    switch column.value(of: self) {
    case .none: false
    case .list(let texts): !texts.isEmpty
    default: true
    }
  }

  /// Columns by which a fact is known to be a different one, and those that go with them.
  private static let facts: [(decidedBy: [DetailColumn], others: [DetailColumn])] = [
    (
      [.scientificName],
      [
        .taxonRank, .kingdom, .phylum, .taxonClass, .order, .family, .genus, .specificEpithet,
        .infraspecificEpithet, .vernacularName, .group,
      ]
    ),
    ([.countryCode], [.country]),
    (
      [.decimalLatitude, .decimalLongitude],
      [.coordinateUncertaintyInMeters, .dataGeneralizations]
    ),
    ([.eventDate], [.eventTime]), ([.licenseName], []),
  ]

  /// The columns of the facts that are different in the others, without parts of columns.
  fileprivate func replaced(
    by other: RecordingDetails, except: Set<DetailColumn> = []
  ) -> Set<DetailColumn> {
    let different = Self.facts.filter { fact in
      fact.decidedBy.contains { column in
        !except.contains(column) && has(column) && other.has(column)
          && column.value(of: self) != column.value(of: other)
      }
    }
    return Set(different.flatMap { $0.decidedBy + $0.others })
  }

  /// Whether the others have a different value in a column in which both have one. White space does
  /// not count: an archive has the lines of a text as one.
  fileprivate func contradicts(_ other: RecordingDetails, except: Set<DetailColumn>) -> Bool {
    // A download has the code alone, and the name is one of several of the country.
    let isSameCountry = countryCode != nil && countryCode == other.countryCode
    func words(_ text: String) -> [Substring] { text.split(whereSeparator: \.isWhitespace) }
    return DetailColumn.allCases.contains { column in
      guard !except.contains(column), !column.isComputed,
        column != .country || !isSameCountry,
        let own = column.value(of: self).text(), let others = column.value(of: other).text()
      else { return false }
      return own != others && words(own) != words(others)
    }
  }
}

extension DetailColumn {
  /// Whether no record decides it by a value of its own.
  fileprivate var isComputed: Bool {
    switch self {
    case .acceptedNameUsage, .acceptedVernacularName, .nameAccordingTo, .credit,
      .allowsCommercialUse, .allowsDerivatives:
      true
    default: false
    }
  }
}
