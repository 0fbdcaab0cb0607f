#if Collection

import ChirperModel

extension CatalogueID {
  /// iNaturalist.
  public static let iNaturalist = CatalogueID(rawValue: "inaturalist")
}

/// iNaturalist: observations with sounds, by an id cursor (https://api.inaturalist.org/v1/docs).
enum INaturalist {
  static let catalogue: Catalogue = {
    var catalogue = Catalogue(id: .iNaturalist, name: "iNaturalist")
    catalogue.service = Catalogue.Service("https://api.inaturalist.org")
    // 200 observations are 4 to 10 MB.
    catalogue.service?.bodyLimit = 64 << 20
    catalogue.pageSizes = 1...200
    catalogue.defaultPageSize = 200
    // At most 60 a minute are asked for, and exactly 60 were too many.
    catalogue.minimumInterval = .milliseconds(1100)
    catalogue.fields = fields
    catalogue.tableColumns = tableColumns
    catalogue.volatileFields = volatileFields
    catalogue.mapping = INaturalistDetails.mapping
    catalogue.recordings = { fields in
      let record = Recording(fields, of: .iNaturalist, id: fields["id"]?.idText)
      return INaturalistSound.rows(of: [record].compactMap(\.self), in: "sounds")
    }
    catalogue.audio = .download(
      hosts: ["static.inaturalist.org"], withheld: INaturalistDetails.withheldAudio)
    catalogue.sync = .updates(
      created: { $0.text("created_at") },
      narrowed: { requestText, time in adding(.init("updated_since", time), to: requestText) },
      idsOnly: { requestText in adding(.init("only_id", "true"), to: requestText) },
      record: { id in Int64(id.value.prefix { $0 != "-" }) })
    catalogue.idAliases = { [INaturalistQuery.observation($0) ?? $0] }
    catalogue.idQuery = INaturalistQuery.idQuery
    catalogue.namesTaxon = { INaturalistQuery.taxon($0) != nil }
    catalogue.makeQuery = { cleaned, scientific throws(QueryError) in
      try INaturalistQuery.query(cleaned, scientific: scientific)
    }
    return catalogue
  }()

  private static func adding(_ parameter: RequestParameters.Parameter, to requestText: String)
    -> String
  {
    RequestParameters(all: RequestParameters(text: requestText).all + [parameter]).text
  }

  static let taxa = TaxonParameter(
    key: "taxon_id", names: ["taxon", "scientificName", "commonName"])

  /// Counts that change with every upload of a user and every observation of a species, while the
  /// observation stays.
  static let volatileFields: Set = [
    "taxon.observations_count", "taxon.universal_search_rank", "user.observations_count",
    "user.identifications_count",
    "user.journal_posts_count", "user.activity_count", "user.species_count",
    "user.universal_search_rank", "identifications",
  ]

  /// The names in the order in which the service sends them.
  static let fields = [
    "quality_grade", "taxon_geoprivacy", "annotations", "uuid", "observed_on_details", "id",
    "cached_votes_total",
    "identifications_most_agree", "created_at", "created_at_details", "created_time_zone",
    "time_zone_offset",
    "time_observed_at", "observed_on", "observed_time_zone", "observed_on_string", "updated_at",
    "species_guess",
    "identifications_most_disagree", "tags", "positional_accuracy", "comments_count", "site_id",
    "license_code",
    "quality_metrics", "public_positional_accuracy", "reviewed_by", "oauth_application_id", "flags",
    "description",
    "project_ids_with_curator_id", "sounds", "place_ids", "captive", "taxon", "ident_taxon_ids",
    "outlinks", "faves_count",
    "ofvs", "num_identification_agreements", "preferences", "comments", "map_scale", "uri",
    "project_ids",
    "community_taxon_id", "geojson", "owners_identification_from_vision", "identifications_count",
    "obscured",
    "num_identification_disagreements", "geoprivacy", "location", "votes", "spam", "user",
    "mappable",
    "identifications_some_agree", "project_ids_without_curator_id", "place_guess",
    "identifications",
    "project_observations", "photos", "observation_photos", "faves", "non_owner_ids",
  ]

  static let tableColumns: [Catalogue.TableColumn] = [
    .init("id", "ID", rank: 6, showsID: true),
    .init(.vernacularName, "English name", rank: 1, leastWidth: 16),
    .init(.scientificName, "Species"), .init("place_guess", "Place", rank: 4, leastWidth: 8),
    .init("observed_on", "Date", rank: 3), .init(.recordedBy, "Recordist"),
    .init("quality_grade", "Grade", rank: 2, leastWidth: 5),
    .init(.licenseName, "Licence", rank: 5, leastWidth: 8),
  ]
}

#endif
