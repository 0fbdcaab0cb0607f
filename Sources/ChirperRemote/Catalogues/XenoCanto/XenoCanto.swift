import ChirperModel

extension CatalogueID {
  /// xeno-canto, the sound archive.
  public static let xenoCanto = CatalogueID(rawValue: "xeno-canto")
}

/// xeno-canto, the sound archive: API v3 (https://xeno-canto.org/explore/api).
enum XenoCanto {
  private static let hosts: Set = ["xeno-canto.org", "www.xeno-canto.org"]

  static let catalogue: Catalogue = {
    var catalogue = Catalogue(id: .xenoCanto, name: "xeno-canto")
    catalogue.service = Catalogue.Service("https://xeno-canto.org")
    catalogue.service?.hosts = hosts
    catalogue.keyHelpAddress = "https://xeno-canto.org/account"
    catalogue.queryHelpAddress = "https://xeno-canto.org/help/search"
    catalogue.pageSizes = 50...500
    catalogue.defaultPageSize = 500
    catalogue.firstList = Catalogue.FirstList(
      "turdus merula", action: "Fetch from xeno-canto",
      effect:
        "Asks xeno-canto, with your key, "
        + "for the common blackbird, and stores up to 500 recordings. Playing one fetches its sound."
    )
    // One request a second was v2's rule; v3's documentation only says that a limiter exists.
    catalogue.minimumInterval = .seconds(1)
    catalogue.fields = fields
    catalogue.tableColumns = TagFields.tableColumns
    // The time of the request, in every answer seen.
    catalogue.volatileFields = ["annotation-set.set_creation_date"]
    catalogue.mapping = TagFields.table.mapping(from: TagFields.sources) {
      recording, reading, details in
      TagFields.read(reading, &details)
      details.catalogNumber = recording.id.value.isDigits ? "XC\(recording.id.value)" : nil
    }
    catalogue.recordings = { fields in
      ([Recording(fields, of: .xenoCanto, id: fields["id"]?.idText)].compactMap(\.self), 0)
    }
    catalogue.audio = .download(hosts: hosts, nameField: "file-name", withheld: withheldAudio)
    catalogue.sync = .uploads(uploaded: uploaded, narrowed: narrowed, position: position)
    // People write numbers as XC535692; answers have 535692.
    catalogue.idAliases = { [number(cited: $0) ?? $0] }
    catalogue.idQuery = idQuery
    catalogue.triesScientificNames = true
    #if Collection
    catalogue.fieldTags = fieldTags
    #endif
    catalogue.knowsTag = tags.knows
    catalogue.makeQuery = { cleaned, scientific throws(QueryError) in
      try query(cleaned, scientific: scientific)
    }
    return catalogue
  }()

  /// The known tags, open to further ones: annotations brought new tags in 2026, and more
  /// may follow.
  private static let tags = TagTable.all.open

  /// The names in the order in which the service sends them; `group` and `lng` are from the
  /// time of API v2.
  static let fields = [
    "id", "gen", "sp", "ssp", "grp", "group", "status", "en", "rec", "cnt", "loc", "lat", "lon",
    "lng", "alt", "type",
    "sex", "stage", "method", "url", "file", "file-name", "sono", "osci", "lic", "q", "length",
    "time", "date", "uploaded",
    "also", "rmk", "animal-seen", "playback-used", "temp", "regnr", "auto", "dvc", "mic", "smp",
    "annotation-set", "_meta",
  ]

  @Sendable static func withheldAudio(of recording: Recording) -> Catalogue.WithheldAudio? {
    guard recording.text("file") == nil else { return nil }
    guard let meta = recording["_meta"], !meta.isNull else {
      return recording["file"] == nil ? nil : Catalogue.WithheldAudio(reason: nil)
    }
    return Catalogue.WithheldAudio(
      reason: meta.withRaw { TagFields.reason(forWithholding: ["file"], $0) })
  }

  /// A recording is found by its number only; `XC535692` and `535692` are both numbers.
  @Sendable private static func idQuery(_ typed: String) -> String? {
    (typed.isDigits ? typed : number(cited: typed)).map { "nr:\($0)" }
  }

  /// The digits of `XC535692`, `xc 535692` and of the address of the recording's page;
  /// `nil` for any other text.
  static func number(cited typed: String) -> String? {
    if let page = typed.page(on: hosts) { return page.numberOfPage }
    let digits =
      typed.uppercased().hasPrefix("XC") ? typed.dropFirst(2).drop { $0 == " " || $0 == "-" } : ""
    return digits.isDigits ? String(digits) : nil
  }

  /// The service takes tags only, so plain words become an English or a scientific name.
  private static func query(_ cleaned: String, scientific: Bool) throws(QueryError) -> (
    identity: String, requestText: String
  ) {
    if let number = idQuery(cleaned) { return (number, number) }
    let query = try TagQuery(cleaned, tags: tags).replacingValues(of: "cnt", country)
      .naming(scientific: scientific)
    return (query.normalised, query.requestText)
  }

  /// The country as the service calls it, which finds countries that begin so and knows no codes.
  private static func country(_ typed: String) -> String {
    guard let country = Countries.named(typed) else { return typed }
    let isCode = [country.code, country.longCode].contains(typed.uppercased())
    guard let name = country.nameInXenoCanto ?? (isCode ? country.names[0] : nil) else {
      return typed
    }
    let folded = TextFolding.folded(name)
    let isBeginning = Countries.all.contains { other in
      other.code != country.code && other.foldedNames.contains { $0.hasPrefix(folded) }
    }
    if isBeginning { return "=\(name)" }
    return !isCode && folded.hasPrefix(TextFolding.folded(typed)) ? typed : name
  }

  /// The upload day. Every recorded row has a whole date; a value of a different form is
  /// not compared.
  @Sendable private static func uploaded(_ recording: Recording) -> String? {
    recording.text("uploaded").flatMap { $0.utf8.count == 10 && PartialDate($0) != nil ? $0 : nil }
  }

  /// `since:` is the upload date. A query that has one already would be narrowed twice.
  @Sendable private static func narrowed(_ requestText: String, day: String) -> String? {
    requestText.lowercased().split(separator: " ").contains { $0.hasPrefix("since:") }
      ? nil : "\(requestText) since:\(day)"
  }

  /// Lists are in taxonomic order of species, within a species by quality from A to E and unrated
  /// last, then by number, the latest first. It held without exception in 2,620 recorded rows of
  /// 2020 and 2025.
  @Sendable private static func position(of recording: Recording) -> (
    group: String, rank: [Int]
  )? {
    guard let genus = recording.text("gen"), let species = recording.text("sp"),
      let number = Int(recording.id.value),
      number >= 0, let quality = recording.text("q")
    else { return nil }
    let rank =
      RecordingDetails.Quality(rawValue: quality).flatMap(
        RecordingDetails.Quality.allCases.firstIndex) ?? RecordingDetails.Quality.allCases.count
    return ("\(genus) \(species)", [rank, -number])
  }
}
