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
  /// What a service sent is never replaced by what was imported, and an import empties no detail: of
  /// a record in the same form, what the new one does not decide is kept, and in a different form it
  /// must decide everything. Whether a recording changed is decided by its details, because records
  /// have several forms. A record as its service sends it, in place of details alone, loses nothing
  /// of them: only a detail that both have can have changed. What any other record replaces is kept
  /// as what it was before.
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
    if form == newForm {
      let fieldsMissing = Set(missing.flatMap { mapping.fields(of: $0) })
      let fields = new.keeping(stored) { name in
        let columns =
          form == .details
          ? [DetailColumn(rawValue: name)].compactMap(\.self) : mapping.details(from: name)
        return !fieldsMissing.contains(name)
          && !columns.contains { after.decides($0, insteadOf: before) }
      }
      return details(fields) == before ? .keeps : .replaces(fields, isChange: true)
    }
    let isEmptied = DetailColumn.allCases.contains {
      !missing.contains($0) && before.has($0) && !after.decides($0, insteadOf: before)
    }
    let isMore = DetailColumn.allCases.contains {
      !$0.isComputed && after.has($0) && !before.has($0)
    }
    guard !isEmptied, isContradicted || isMore else { return .keeps }
    let isComplete = form == .details && newForm == .record
    return .replaces(new, isChange: isContradicted || !isComplete)
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

  /// Whether an earlier value in the column is not kept: these details have one, or have the column
  /// that it is a part of. A code decides the country, and a different scientific name all names.
  fileprivate func decides(_ column: DetailColumn, insteadOf earlier: RecordingDetails) -> Bool {
    if has(column) || has(column.parent) { return true }
    if column == .country { return countryCode != nil }
    return Self.names.contains(column) && scientificName != nil
      && scientificName != earlier.scientificName
  }

  private static let names: Set<DetailColumn> = [
    .taxonRank, .kingdom, .phylum, .taxonClass, .order, .family, .genus, .specificEpithet,
    .infraspecificEpithet, .vernacularName, .group,
  ]

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
