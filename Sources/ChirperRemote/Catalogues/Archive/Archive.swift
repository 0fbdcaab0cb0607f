#if Collection

import ChirperModel

extension CatalogueID {
  /// Darwin Core archives of occurrences with sounds, whoever published them.
  public static let darwinCoreArchive = CatalogueID(rawValue: "archive")
}

/// Darwin Core archives that no other catalogue takes. Their rows have the names that GBIF's service
/// uses, because both are the terms of Darwin Core.
enum Archive {
  static let catalogue: Catalogue = {
    var catalogue = Catalogue(importedOnly: .darwinCoreArchive, name: "Darwin Core archives")
    catalogue.tableColumns = tableColumns
    catalogue.mapping = GBIFDetails.mapping
    var rules = ImportRules(
      "http://rs.tdwg.org/dwc/terms/Occurrence",
      advice: "Ask its publisher for an archive with a table of media that has sounds.",
      recordings: recordings)
    rules.names = GBIFArchive.rules.names
    rules.lists = GBIFArchive.rules.lists
    rules.names["minimumElevationInMeters"] = "elevation"
    catalogue.imports = rules
    return catalogue
  }()

  /// The id is a hash: keys are unique in an archive alone, and of any form.
  @Sendable private static func recordings(_ row: ArchiveRow) -> ImportedRow {
    let id = String(hexadecimal: StableHash.fnv1a("\(row.dataset)\n\(row.key)"), digits: 16)
    func text(_ name: String) -> String? { row.record[name]?.text }
    var objects = [row.record]
    // A record without a name has the parts of one.
    let parts = [text("genus"), text("specificEpithet"), text("infraspecificEpithet")]
    let name = text("scientificName") ?? parts.compactMap(\.self).joined(separator: " ")
    if let name = ScientificName(name), let species = name.species, text("species") == nil {
      objects.append(RecordingFields(["species": species]))
      if let epithet = name.infraspecificEpithet, text("infraspecificEpithet") == nil {
        objects.append(RecordingFields(["infraspecificEpithet": epithet]))
      }
    }
    let licence = text("license")
    let media = row.media.map { item in
      // Where no licence is given for the sound, it is that of the record.
      guard let licence, item["license"] == nil else { return item }
      return RecordingFields(
        canonical: item.bytes.dropLast() + ",\"license\":\(JSONText.quoted(licence))}".utf8)
    }
    return GBIFArchive.recordings(
      of: row, RecordingID(catalogue: .darwinCoreArchive, value: id), objects, media)
  }

  private static let tableColumns: [Catalogue.TableColumn] = [
    .init(.catalogNumber, "Number"), .init(.vernacularName, "English name"),
    .init(.scientificName, "Species", rank: 1, leastWidth: 16),
    .init(.country, "Country", rank: 4, leastWidth: 8),
    .init(.behavior, "Type", rank: 3, leastWidth: 8), .init(.eventDate, "Date", rank: 2),
    .init(.recordedBy, "Recordist", rank: 5, leastWidth: 8),
    .init(.licenseName, "Licence", rank: 6, leastWidth: 8), .init(.locality, "Place"),
  ]
}

#endif
