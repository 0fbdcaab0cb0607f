import ChirperModel

/// xeno-canto, the sound archive: API v3 (https://xeno-canto.org/explore/api).
enum XenoCanto {
  static let catalogue = Catalogue(
    id: .xenoCanto, name: "xeno-canto",
    service: Catalogue.Service(baseURL: "https://xeno-canto.org", hosts: ["xeno-canto.org", "www.xeno-canto.org"]),
    key: Catalogue.KeyRequirement(variable: "XENO_CANTO_API_KEY", helpURL: "https://xeno-canto.org/account"),
    queryHelpURL: "https://xeno-canto.org/help/search", pageSizes: 50...500, defaultPageSize: 500,
    // One request a second was v2's rule; v3's documentation only says that a limiter exists.
    minimumInterval: .seconds(1),
    fields: fields, tableColumns: tableColumns, mapping: XenoCantoDetails.mapping,
    audio: .download(hosts: ["xeno-canto.org", "www.xeno-canto.org"], withheld: XenoCantoDetails.withheldAudio),
    incrementalSync: XenoCantoOrder.incrementalSync,
    // People write numbers as XC535692; answers have 535692.
    idAliases: { [number($0)] },
    idQuery: { typed in
      let number = number(typed)
      return !number.isEmpty && number.utf8.allSatisfy { (0x30...0x39).contains($0) } ? "nr:\(number)" : nil
    },
    makeQuery: { cleaned, scientific throws(QueryError) in
      try XenoCantoLanguage.query(cleaned, scientific: scientific)
    })

  /// In the order in which the service sends them.
  static let fields = [
    "id", "gen", "sp", "ssp", "grp", "status", "en", "rec", "cnt", "loc", "lat", "lon", "alt", "type", "sex", "stage",
    "method", "url", "file", "file-name", "sono", "osci", "lic", "q", "length", "time", "date", "uploaded", "also", "rmk",
    "animal-seen", "playback-used", "temp", "regnr", "auto", "dvc", "mic", "smp", "annotation-set", "_meta",
  ]

  static let tableColumns: [Catalogue.TableColumn] = [
    .init("id", "ID", alignRight: true), .init("en", "English name"), .init("cnt", "Country"), .init("type", "Type"),
    .init("q", "Q"), .init("length", "Length", alignRight: true), .init("date", "Date"), .init("rec", "Recordist"),
    .init("gen", "Genus"), .init("sp", "Species"), .init("loc", "Place"),
  ]

  private static func number(_ typed: String) -> String {
    typed.uppercased().hasPrefix("XC") ? String(typed.dropFirst(2)) : typed
  }
}
