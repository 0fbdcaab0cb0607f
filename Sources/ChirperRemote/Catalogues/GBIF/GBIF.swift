#if Collection

import ChirperModel

extension CatalogueID {
  /// GBIF, the Global Biodiversity Information Facility.
  public static let gbif = CatalogueID(rawValue: "gbif")
}

/// GBIF: occurrences with sounds from xeno-canto, iNaturalist and thousands of other datasets
/// (https://techdocs.gbif.org/en/openapi/v1/occurrence).
enum GBIF {
  static let catalogue: Catalogue = {
    var catalogue = Catalogue(id: .gbif, name: "GBIF")
    catalogue.service = Catalogue.Service("https://api.gbif.org")
    catalogue.pageSizes = 1...largestLimit
    catalogue.defaultPageSize = largestLimit
    catalogue.firstList = Catalogue.FirstList(
      "turdus merula", action: "Fetch from GBIF",
      effect:
        "Asks GBIF, without a key, "
        + "for the common blackbird, and stores up to 300 recordings. Playing one fetches its sound."
    )
    // Two or three a second were answered before a 429; no rate is documented, only that requests
    // follow each other.
    catalogue.minimumInterval = .seconds(1)
    catalogue.depth = Catalogue.Depth(records: reach, narrowing: "year:, month: or cnt:")
    catalogue.fields = fields
    catalogue.tableColumns = tableColumns
    catalogue.volatileFields = volatileFields
    catalogue.countedTexts = GBIFNames.counted
    catalogue.mapping = GBIFDetails.mapping
    catalogue.imports = GBIFArchive.rules
    catalogue.recordings = { fields in
      let record = Recording(fields, of: .gbif, id: id(fields))
      return GBIFSound.rows(of: [record].compactMap(\.self), in: GBIFSound.field)
    }
    // Media are on the hosts of their publishers. These are the ones whose answers are known.
    catalogue.audio = .download(
      hosts: ["xeno-canto.org", "www.xeno-canto.org", "static.inaturalist.org"])
    catalogue.idAliases = { [GBIFQuery.occurrence($0) ?? $0] }
    catalogue.idQuery = GBIFQuery.idQuery
    catalogue.namesTaxon = { GBIFTaxonPage($0) != nil }
    catalogue.makeQuery = { cleaned, scientific throws(QueryError) in
      try GBIFQuery.query(cleaned, scientific: scientific)
    }
    return catalogue
  }()

  /// The key of an occurrence.
  static func id(_ fields: RecordingFields) -> String? {
    fields["key"]?.idText ?? fields["gbifID"]?.idText
  }

  /// A larger `limit` is answered as this one.
  static let largestLimit = 300

  /// `offset` and `limit` together must not be more.
  static let reach = 100_000

  static let taxa = TaxonParameter(
    key: "taxonKey", names: [GBIFQuery.language.words] + GBIFQuery.language.names.values,
    taxonomy: GBIFTaxonomy.parameter)

  /// Changed by every crawl of the dataset; the names in `classifications` count (`GBIFNames`): of
  /// 747 records read again after 45 days, all differed in these and 7 in others.
  static let volatileFields: Set = [
    "lastCrawled", "lastParsed", "lastInterpreted", "crawlId", GBIFNames.field,
  ]

  /// The names in the order in which the service sends them. Of 188 names that were seen,
  /// these are in most records.
  static let fields = [
    "key", "datasetKey", "publishingOrgKey", "installationKey", "hostingOrganizationKey",
    "publishingCountry", "protocol",
    "lastCrawled", "lastParsed", "crawlId", "projectId", "extensions", "basisOfRecord",
    "occurrenceStatus", "sex",
    "lifeStage", "taxonKey", "kingdomKey", "phylumKey", "classKey", "orderKey", "familyKey",
    "genusKey", "speciesKey",
    "acceptedTaxonKey", "scientificName", "acceptedScientificName", "kingdom", "phylum", "class",
    "order", "family", "genus",
    "species", "genericName", "specificEpithet", "infraspecificEpithet", "taxonRank",
    "taxonomicStatus",
    "iucnRedListCategory", "dateIdentified", "decimalLongitude", "decimalLatitude",
    "coordinateUncertaintyInMeters",
    "elevation", "continent", "stateProvince", "gadm", "year", "month", "day", "eventDate",
    "issues", "lastInterpreted",
    "references", "license", "identifiers", "media", "facts", "relations", "isInCluster",
    "datasetID", "datasetName",
    "recordedBy", "identifiedBy", "recordedByIDs", "identifiedByIDs", "geodeticDatum",
    "countryCode", "country", "rightsHolder",
    "identifier", "verbatimEventDate", "nomenclaturalCode", "locality", "verbatimLocality",
    "collectionCode",
    "institutionCode", "gbifID", "occurrenceID", "catalogNumber", "vernacularName", "fieldNotes",
    "occurrenceRemarks",
    "eventTime", "behavior", "verbatimElevation", "higherClassification", "informationWithheld",
    "dataGeneralizations", "verbatimScientificName", "identificationQualifier",
    "classifications",
  ]

  static let tableColumns: [Catalogue.TableColumn] = [
    .init("catalogNumber", "Number"), .init("vernacularName", "English name"),
    .init(.scientificName, "Species", rank: 1, leastWidth: 16),
    .init(.country, "Country", rank: 5, leastWidth: 8),
    .init("behavior", "Type", rank: 4, leastWidth: 8), .init(.quality, "Q", rank: 2),
    .init(.mediaDuration, "Length", alignRight: true, rank: 3),
    .init(.eventDate, "Date", rank: 6),
    .init("recordedBy", "Recordist"), .init(.licenseName, "Licence", rank: 7, leastWidth: 8),
    .init("locality", "Place"),
    .init("key", "ID", showsID: true),
  ]
}

#endif
