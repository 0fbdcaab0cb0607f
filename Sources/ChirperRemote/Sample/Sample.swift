import ChirperModel

/// The built-in catalogue: made-up recordings of real species, so that everything works without network and key.
///
/// Nobody may take it for data: its ids are `sample:N`, its recordist is "Sample recordist", it has no audio.
enum Sample {
  static let catalogue = Catalogue(
    // The default is small, so that a search runs over several pages.
    id: .sample, name: "sample", notice: "The sample catalogue is built in and made up; nothing in it is data.",
    pageSizes: 10...500, defaultPageSize: 50, minimumInterval: .zero,
    fields: [
      "id", "gen", "sp", "ssp", "grp", "en", "rec", "cnt", "loc", "lat", "lon", "type", "url", "file", "lic", "q", "length",
      "date", "uploaded", "also", "rmk",
    ],
    tableColumns: XenoCanto.tableColumns, mapping: SampleDetails.mapping,
    audio: .made(extension: "wav") { Chirp(of: $0).wav },
    makeQuery: { cleaned, scientific throws(QueryError) in
      try SampleLanguage.query(cleaned, scientific: scientific)
    })
}
