#if Collection

import ChirperModel

extension CatalogueID {
  /// The Macaulay Library of the Cornell Lab of Ornithology.
  public static let macaulay = CatalogueID(rawValue: "macaulay")
}

/// The Macaulay Library: its terms allow no requests by programs, so that the CSV files that people
/// export from its site are the only way to its metadata. They have no address of a sound and no
/// licence: all rights are reserved.
enum Macaulay {
  static let catalogue: Catalogue = {
    var catalogue = Catalogue(importedOnly: .macaulay, name: "Macaulay Library")
    catalogue.fields = fields
    catalogue.tableColumns = tableColumns
    catalogue.mapping = MacaulayDetails.mapping
    var rules = ImportRules(
      number, advice: "On the site of the Macaulay Library, choose Audio and export again.",
      recordings: recordings)
    rules.isTable = true
    catalogue.imports = rules
    catalogue.idAliases = { typed in [digits(typed) ?? typed] }
    return catalogue
  }()

  static let number = "ML Catalog Number"

  /// The address of a recording's page.
  static func page(_ number: String) -> String { "https://macaulaylibrary.org/asset/\(number)" }

  /// The number in a text: `ML123456`, or the address of a page.
  private static func digits(_ typed: String) -> String? {
    let text = typed.lowercased()
    let number =
      text.hasPrefix("ml")
      ? text.dropFirst(2)
      : typed.page(on: ["macaulaylibrary.org", "www.macaulaylibrary.org"]).flatMap {
        $0.hasPrefix("asset/") ? $0.dropFirst("asset/".count).prefix { $0.isNumber } : nil
      }
    return number.flatMap { !$0.isEmpty && String($0).isDigits ? String($0) : nil }
  }

  @Sendable private static func recordings(_ row: ArchiveRow) -> ImportedRow {
    let number = row.key.uppercased().hasPrefix("ML") ? String(row.key.dropFirst(2)) : row.key
    // The others are photos and videos.
    guard row.record["Format"]?.text.lowercased() == "audio" else { return .silent }
    guard number.isDigits, number.utf8.count <= 18 else {
      return .unreadable(line: row.line, reason: "its id is not a number: \(row.key)")
    }
    let recording = Recording(
      id: RecordingID(catalogue: .macaulay, value: number),
      fields: RecordingFields(importedAs: .table, membersOf: [row.record]))
    return .recordings([recording], line: row.line)
  }

  /// The headings in their order; older files lack some.
  private static let fields = [
    number, "Format", "Common Name", "Scientific Name", "Background Species", "Recordist", "Date",
    "Year", "Month", "Day", "Time", "Country", "Country-State-County", "State", "County",
    "Locality",
    "Latitude", "Longitude", "Age/Sex", "Behaviors", "Playback", "Captive", "Collected",
    "Specimen ID", "Home Archive Catalog Number", "Recorder", "Microphone", "Accessory",
    "Partner Institution", "eBird Checklist ID", "Unconfirmed", "Air Temp(°C)", "Water Temp(°C)",
    "Media notes", "Observation Details", "Parent Species", "eBird Species Code",
    "Taxon Category", "Taxonomic Sort", "Recordist 2", "Average Community Rating",
    "Number of Ratings", "Asset Tags", "Original Image Height", "Original Image Width",
  ]

  private static let tableColumns: [Catalogue.TableColumn] = [
    .init(.catalogNumber, "Number", rank: 1), .init(.vernacularName, "English name"),
    .init(.scientificName, "Species", rank: 2, leastWidth: 16),
    .init(.country, "Country", rank: 4, leastWidth: 8),
    .init(.behavior, "Type", rank: 3, leastWidth: 8), .init(.eventDate, "Date", rank: 5),
    .init(.recordedBy, "Recordist", rank: 6, leastWidth: 8), .init(.locality, "Place"),
  ]
}

#endif
