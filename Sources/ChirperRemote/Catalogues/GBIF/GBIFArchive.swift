#if Collection

import ChirperModel

/// The rows of a download: a Darwin Core archive of GBIF's interpretation of records
/// (https://techdocs.gbif.org/en/data-use/download-formats).
enum GBIFArchive {
  static let rules: ImportRules = {
    var rules = ImportRules(
      "http://rs.gbif.org/terms/1.0/gbifID",
      advice: "Ask GBIF for the download as a Darwin Core archive, with the filter Media type: "
        + "Audio.", recordings: recordings)
    rules.names = names
    rules.lists = ["issues"]
    rules.missing = missing
    return rules
  }()

  /// A download has the names of one taxonomy, no technical data of sounds, and the lines of a
  /// text as one.
  private static let missing: Set<DetailColumn> = [
    .quality, .sampleRate, .scientificName, .taxonRank, .kingdom, .phylum, .taxonClass, .group,
    .order, .family, .genus, .specificEpithet, .infraspecificEpithet, .issues,
  ]

  /// The names of the service; the id and the media are not taken from columns.
  private static let names: [String: String?] = [
    "issue": "issues", "key": nil, GBIFSound.field: nil,
  ]

  @Sendable private static func recordings(_ row: ArchiveRow) -> ImportedRow {
    guard row.key.isDigits, row.key.utf8.count <= 18, row.key.utf8.first != 0x30 else {
      return .unreadable(line: row.line, reason: "its id is not a number of GBIF: \(row.key)")
    }
    return recordings(
      of: row, RecordingID(catalogue: .gbif, value: row.key),
      [RecordingFields(canonical: "{\"key\":\"\(row.key)\"}"), row.record], row.media)
  }

  /// The recordings of a row, one for each sound.
  ///
  /// - Parameters:
  ///   - objects: that have the members of the record.
  ///   - media: the items of the row's media.
  static func recordings(
    of row: ArchiveRow, _ id: RecordingID, _ objects: [RecordingFields],
    _ media: [RecordingFields]
  ) -> ImportedRow {
    var field = Array("{\"\(GBIFSound.field)\":[".utf8)
    for (index, item) in media.enumerated() {
      if index > 0 { field += ",".utf8 }
      field += item.bytes
    }
    field += "]}".utf8
    // First, because the sounds are read from the record in a moment.
    let members = [RecordingFields(canonical: field)] + objects
    let record = Recording(
      id: id, fields: RecordingFields(importedAs: .archive, membersOf: members))
    let (rows, leftOut) = GBIFSound.rows(of: [record], in: GBIFSound.field)
    // A record without a sound is a row alone.
    return rows.count == 1 && rows[0].id == record.id
      ? .silent : .recordings(rows, line: row.line, leftOut: leftOut)
  }

  /// The name that GBIF's service sends for a country, where it differs from the first of
  /// `Countries`; a download has the code alone.
  static func country(_ code: String) -> String? {
    countries[code] ?? Countries.withCode(code)?.names[0]
  }

  private static let countries = [
    "AX": "Åland Islands", "BL": "Saint Barthélemy", "BN": "Brunei Darussalam",
    "BO": "Bolivia, Plurinational State of", "CC": "Cocos (Keeling) Islands",
    "CD": "Congo, Democratic Republic of the", "CG": "Congo, Republic of the",
    "CI": "Côte d'Ivoire", "CV": "Cabo Verde", "CW": "Curaçao",
    "FK": "Falkland Islands (Malvinas)", "FM": "Micronesia, Federated States of",
    "GB": "United Kingdom of Great Britain and Northern Ireland",
    "IR": "Iran, Islamic Republic of", "KP": "Korea, Democratic People's Republic of",
    "KR": "Korea, Republic of", "LA": "Lao People's Democratic Republic",
    "MD": "Moldova, Republic of", "MF": "Saint Martin (French part)", "PN": "Pitcairn",
    "PS": "Palestine, State of", "RE": "Réunion", "RU": "Russian Federation",
    "SH": "Saint Helena, Ascension and Tristan da Cunha", "SX": "Sint Maarten (Dutch part)",
    "SY": "Syrian Arab Republic", "TR": "Türkiye", "TZ": "Tanzania, United Republic of",
    "US": "United States of America", "VA": "Holy See",
    "VE": "Venezuela, Bolivarian Republic of", "VG": "Virgin Islands, British",
    "VI": "Virgin Islands, U.S.", "VN": "Viet Nam",
  ]
}

#endif
