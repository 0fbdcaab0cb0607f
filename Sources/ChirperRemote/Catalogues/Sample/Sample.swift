import ChirperModel

extension CatalogueID {
  /// The built-in sample.
  public static let sample = CatalogueID(rawValue: "sample")
}

/// The built-in catalogue: made-up recordings of real species, so that everything works without
/// network and key. Nobody may take it for data: its ids are `sample:N`, its recordist is "Sample
/// recordist", its audio is synthetic.
enum Sample {
  static let catalogue: Catalogue = {
    var catalogue = Catalogue(id: .sample, name: "sample")
    catalogue.notice = "The sample catalogue is built in and made up; nothing in it is data."
    catalogue.pageSizes = 10...500
    // Small, so that a search runs over several pages.
    catalogue.defaultPageSize = 50
    catalogue.firstList = Catalogue.FirstList(
      "parrot", action: "Show the sample",
      effect: "Stores 50 made-up recordings with sound. They are built in: nothing is requested.")
    catalogue.minimumInterval = .zero
    catalogue.fields = fields
    catalogue.tableColumns = TagFields.tableColumns
    let sources = TagFields.sources.compactMapValues { sources in
      let own = sources.filter(fields.contains)
      return own.isEmpty ? nil : own
    }
    catalogue.mapping = TagFields.table.mapping(from: sources) { recording, reading, details in
      TagFields.read(reading, &details)
      details.catalogNumber = recording.id.value
    }
    catalogue.recordings = { fields in
      ([Recording(fields, of: .sample, id: fields["id"]?.idText)].compactMap(\.self), 0)
    }
    catalogue.audio = .generated(extension: "wav", bytes: Chirp.wav(of:))
    catalogue.makeQuery = { cleaned, scientific throws(QueryError) in
      try SampleLanguage.query(cleaned, scientific: scientific)
    }
    return catalogue
  }()

  /// The names in the order in which `SampleRecording` writes them.
  private static let fields = [
    "id", "gen", "sp", "ssp", "grp", "en", "rec", "cnt", "loc", "lat", "lon", "type", "url", "file",
    "lic", "q", "length",
    "date", "uploaded", "also", "rmk",
  ]
}
