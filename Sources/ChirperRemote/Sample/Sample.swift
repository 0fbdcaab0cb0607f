import ChirperModel

extension CatalogueID {
  /// The built-in sample.
  public static let sample = CatalogueID(rawValue: "sample")
}

/// The built-in catalogue: made-up recordings of real species, so that everything works without
/// network and key. Nobody may take it for data: its ids are `sample:N`, its recordist is "Sample
/// recordist", its audio is synthetic.
enum Sample {
  static let catalogue = Catalogue(
    // The default is small, so that a search runs over several pages.
    id: .sample, name: "sample",
    notice: "The sample catalogue is built in and made up; nothing in it is data.",
    pageSizes: 10...500, defaultPageSize: 50, minimumInterval: .zero,
    fields: fields, tableColumns: TagFields.tableColumns,
    mapping: Catalogue.DetailsMapping(
      fields: TagFields.sources.compactMapValues { sources in
        let own = sources.filter(fields.contains)
        return own.isEmpty ? nil : own
      },
      read: { recording, details in
        TagFields.read(recording, &details)
        details.catalogueNumber = recording.id.value
      }),
    audio: .generated(extension: "wav", bytes: Chirp.wav(of:)),
    makeQuery: { cleaned, scientific throws(QueryError) in
      try SampleLanguage.query(cleaned, scientific: scientific)
    })

  /// The names in the order in which `SampleRecording` writes them.
  private static let fields = [
    "id", "gen", "sp", "ssp", "grp", "en", "rec", "cnt", "loc", "lat", "lon", "type", "url", "file",
    "lic", "q", "length",
    "date", "uploaded", "also", "rmk",
  ]
}
