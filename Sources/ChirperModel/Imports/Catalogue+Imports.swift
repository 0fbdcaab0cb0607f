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
  /// What a service sent is never replaced by what was imported, and an import empties no detail.
  /// Whether a recording changed is decided by its details, because records have several forms. A
  /// record as its service sends it, in place of details alone, loses nothing of them: only a detail
  /// that both have can have changed. What any other record replaces is kept as what it was before.
  func merge(_ id: RecordingID, _ stored: RecordingFields, _ new: RecordingFields) -> RecordMerge? {
    let form = stored.importedForm
    let newForm = new.importedForm
    guard form != nil || newForm != nil else { return nil }
    guard form != nil else { return .keeps }
    func details(_ fields: RecordingFields) -> RecordingDetails {
      mapping.details(of: Recording(id: id, fields: fields))
    }
    let before = details(stored)
    guard newForm != nil else {
      return .replaces(new, isChange: before.contradicts(details(new), except: missingInImports))
    }
    let fields = form == newForm ? new.keeping(stored, except: fieldsMissingInImports) : new
    let after = details(fields)
    let isEmptied = DetailColumn.allCases.contains {
      !missingInImports.contains($0) && $0.value(of: before) != .none
        && $0.value(of: after) == .none
    }
    guard after != before, !isEmptied else { return .keeps }
    let isComplete = form == .details && newForm == .record
    let isChange = !isComplete || before.contradicts(after, except: missingInImports)
    return .replaces(fields, isChange: isChange)
  }

  private var missingInImports: Set<DetailColumn> { imports?.missing ?? [] }

  private var fieldsMissingInImports: Set<String> {
    Set(missingInImports.flatMap { mapping.fields(of: $0) })
  }
}

extension RecordingFields {
  /// The fields with those of an earlier record that they do not have, but for the ones named.
  fileprivate func keeping(_ earlier: RecordingFields, except names: Set<String>) -> Self {
    let own = Set(self.names)
    let kept = earlier.members.filter { !own.contains($0.name) && !names.contains($0.name) }
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
  /// Whether the others have a different value in a column in which both have one. White space does
  /// not count: an archive has the lines of a text as one.
  fileprivate func contradicts(_ other: RecordingDetails, except: Set<DetailColumn>) -> Bool {
    let computed: Set<DetailColumn> = [
      .acceptedNameUsage, .acceptedVernacularName, .nameAccordingTo, .credit,
      .allowsCommercialUse, .allowsDerivatives,
    ]
    // A download has the code alone, and the name is one of several of the country.
    let isSameCountry = countryCode != nil && countryCode == other.countryCode
    func words(_ text: String) -> [Substring] { text.split(whereSeparator: \.isWhitespace) }
    return DetailColumn.allCases.contains { column in
      guard !except.contains(column), !computed.contains(column),
        column != .country || !isSameCountry,
        let own = column.value(of: self).text(), let others = column.value(of: other).text()
      else { return false }
      return own != others && words(own) != words(others)
    }
  }
}
