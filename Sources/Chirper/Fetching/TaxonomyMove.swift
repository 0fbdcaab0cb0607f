import ChirperModel

/// The result for a list whose catalogue has replaced the taxonomy that the list was looked
/// up in.
package struct TaxonomyMove: Hashable, Codable, Sendable {
  /// The result: the list moved, or a reason why it stays.
  #if hasAttribute(nonexhaustive)
    @nonexhaustive
  #endif
  package enum Result: Hashable, Codable, Sendable {
    /// The list is requested by its taxon in the newer taxonomy from now on.
    case moved
    /// Some recordings of the list are not there.
    case recordingsMissing
    /// The taxon has a different name there.
    case renamed
    /// The newer taxonomy does not have such a taxon, or only one of a different rank.
    case taxonMissing
    /// The catalogue did not answer, or changed meanwhile; the next fetch or sync asks again.
    case undecided
  }

  /// The result for the list.
  package let result: Result
  /// The taxa of the newer taxonomy, or the nearest one.
  package let taxa: [NameLookup.Taxon]
  /// Rows of the list.
  package let rows: Int
  /// Records that the catalogue counts with the newer taxa; `nil` if it was not asked.
  package let newerRecords: Int?
  /// Records of the list, as the catalogue counts them.
  package let records: Int
  /// Rows of the list that were not found.
  package let missing: Int
  /// The ids of the first of them.
  package let missingIDs: [String]

  /// The most ids of `missingIDs`.
  package static let idLimit = 10

  init(
    _ result: Result, of stored: StoredQuery, taxa: [NameLookup.Taxon] = [],
    newerRecords: Int? = nil, missing: [String] = []
  ) {
    (self.result, self.taxa) = (result, taxa)
    (rows, records) = (stored.count, stored.records)
    self.newerRecords = newerRecords
    self.missing = missing.count
    missingIDs = Array(missing.prefix(Self.idLimit))
  }
}
