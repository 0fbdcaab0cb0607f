import ChirperModel
import Foundation
import Testing

@testable import ChirperRemote

/// What holds for every catalogue; a new one is added to `Catalogues`, and a record of it to
/// `wholeRecords`, and inherits all of it.
@Suite struct `Every catalogue` {
  /// A record that sets every detail the catalogue has.
  static let wholeRecords: [CatalogueID: String] = [
    .xenoCanto: #"""
    {"id":"4711","gen":"Passer","sp":"exemplaris","ssp":"minor","grp":"birds","en":"Example Sparrow","rec":"Ada Example",
    "cnt":"Poland","loc":"Example Wood","lat":"52.2","lon":"21.0","alt":"110","type":"call, song","sex":"male","stage":"adult",
    "method":"field recording","url":"//xeno-canto.org/4711","file":"https://xeno-canto.org/4711/download","sono":{"med":"//xeno-canto.org/m.png"},
    "lic":"//creativecommons.org/licenses/by-sa/4.0/","q":"B","length":"1:05","time":"07:30","date":"2024-05-17",
    "uploaded":"2024-06-01","also":["Parus major"],"rmk":"A remark.","smp":"48000",
    "annotation-set":{"set_name":"Example set","set_creation_date":"2026-05-01 10:00:00","annotations":[{"annotation_id":"7",
    "annotator":"Ada Example","start_time":"0.5","end_time":"1.5","frequency_low":"1000","frequency_high":"5000",
    "scientific_name":"Parus major","sound_type":"song","sex":"male","life_stage":"adult","annotation_remarks":"Faint."}]},
    "_meta":{"redacted_fields":{"loc":"restricted_species"}},"status":"questioned"}
    """#,
    .itunes: #"""
    {"wrapperType":"track","kind":"song","trackId":4711,"artistName":"Ada Example","collectionName":"Example Album",
    "trackName":"Example Song","trackViewUrl":"https://music.apple.com/t",
      "previewUrl":"https://audio-ssl.itunes.apple.com/p.m4a",
    "releaseDate":"2018-04-12T07:00:00Z","trackTimeMillis":169872,"country":"USA","copyright":"℗ 2019 Ada Example",
    "longDescription":"A remark."}
    """#,
    .gbif: #"""
    {"key":4711,"datasetKey":"b1047888-ae52-4179-9dd5-5448ea342a24","extensions":{"http://rs.tdwg.org/ac/terms/Multimedia":
    [{"http://purl.org/dc/elements/1.1/type":"Sound","http://rs.tdwg.org/ac/terms/accessURI":"https://xeno-canto.org/a.mp3",
    "http://ns.adobe.com/xap/1.0/Rating":"4","http://rs.tdwg.org/ac/terms/resourceCreationTechnique":
    "audio sampling rate: 48000 Hz; lossy"}]},"sex":"MALE","lifeStage":"Adult","genus":"Passer","species":"Passer exemplaris",
    "infraspecificEpithet":"minor","decimalLongitude":21.0,"decimalLatitude":52.2,"coordinateUncertaintyInMeters":250.0,
    "dataGeneralizations":"Coordinates rounded","informationWithheld":"A place","issues":["ZERO_COORDINATE"],"verbatimElevation":"110 m","year":2024,"month":5,"day":17,
    "eventDate":"2024-05-17T07:30","references":"https://example.org/4711","media":[{"type":"StillImage",
    "description":"Sonogram of the first ten seconds","identifier":"https://xeno-canto.org/a.png"},{"type":"Sound",
    "description":"65 s","creator":"Ada Example","license":"http://creativecommons.org/licenses/by-sa/4.0/",
    "rightsHolder":"Ada Example","identifier":"https://xeno-canto.org/a.mp3"}],"recordedBy":"Ada Example","country":"Poland",
    "locality":"Example Wood","catalogNumber":"XC4711","vernacularName":"Example Sparrow","fieldNotes":"A remark.",
    "eventTime":"07:30","behavior":"call, song","taxonRank":"SUBSPECIES","kingdom":"Animalia","phylum":"Chordata","class":"Aves",
    "order":"Passeriformes","family":"Passeridae","countryCode":"PL","basisOfRecord":"HUMAN_OBSERVATION",
    "datasetName":"Example dataset","datasetID":"doi:10.15468/example","occurrenceID":"urn:example:4711"}
    """#,
    .iNaturalist: #"""
    {"id":4711,"created_at":"2024-06-01T10:00:00+02:00","time_observed_at":"2024-05-17T07:30:00+02:00",
    "observed_on":"2024-05-17","positional_accuracy":12,"public_positional_accuracy":27500,"description":"A remark.",
    "sounds":[{"id":1,"license_code":"cc-by-sa","file_url":"https://static.inaturalist.org/sounds/1.mp3?1"}],
    "taxon":{"name":"Passer exemplaris minor","rank":"subspecies","preferred_common_name":"Example Sparrow",
    "iconic_taxon_name":"Aves"},"uri":"https://www.inaturalist.org/observations/4711","obscured":true,
    "location":"52.2,21.0","user":{"login":"ada","name":"Ada Example"},"place_guess":"Example Wood, PL",
    "quality_grade":"needs_id","captive":true}
    """#,
    .sample: #"""
    {"id":"sample:4711","gen":"Passer","sp":"exemplaris","ssp":"minor","grp":"birds","en":"Example Sparrow",
    "rec":"Sample recordist","cnt":"Poland","loc":"Sample place 7","lat":"52.0","lon":"21.0","type":"song",
    "url":"https://example.org/4711","file":"https://example.org/4711.wav","lic":"sample","q":"B","length":"1:05",
    "date":"2024-05-17","uploaded":"2024-06-01","also":["Parus major"],"rmk":"Made up."}
    """#,
  ]

  /// JSON that no field expects, and JSON that looks like what a field expects.
  private static let hostileValues =
    [
      #"{"annotations":{"start_time":"1"}}"#,
      #"{"annotations":[[],7,null,{"start_time":"9","end_time":"1"}]}"#,
      #"[{"annotations":[{"sound_type":["a"],"start_time":1e99,"frequency_low":-1}]}]"#,
      "null", "true", "0", "-1", "7", "91.5", "1e999", "-0.0", "123456789012345678901234567890",
      "[]", "{}", #"[""]"#, "[null]",
      #"["a",["b"],{"c":"d"}]"#, #"{"large":"javascript:x","full":{"a":1}}"#,
      #"{"small":null,"large":["//x"]}"#,
      #"{"redacted_fields":{"file":7}}"#, #"[[[[[[[[]]]]]]]]"#,
    ]
    + [
      "", " ", "?", "-", ",", ",,,", ":", "::", "//", "///", "https://", "https://@", "http://x",
      "//user:pw@x/",
      "//x:99999999/", "//\u{202E}evil.example/", "javascript:alert(1)", "file:///etc/passwd",
      "data:text/html,x", "//x/%zz",
      "//x/\u{1F426}?a b#c d",
      "0000-00-00", "2021-02-30", "9999-99-99", "2024-05", "-2024-05-17", "24:00", "12:60",
      "99:99:99", "0:00:00", "1:1:1",
      "9999:59:59", "-90.0000001", "180.0000001", "nan", "inf", "0x1p3", "1e5", "+", "+-5", "..",
      "5.", "100-200", "1 000",
      "\u{0}", "\u{1B}[2J\u{7}", "\r\n\r\n", "\u{2028}\u{2029}", "\u{9B}31m", "\u{301}", "\"", "\\",
      "\\u0000", "\"\\\"",
      "&#0;", "&#x1b;[2J", "&#1114112;", "&amp;#27;", "&&&&;;;;", "&#99999999999999999999;",
      "//creativecommons.org/licenses//",
      "//creativecommons.org/licenses/by\u{1B}/4.0/", "=cmd|' /C calc'!A0", "../../etc/passwd",
      String(repeating: "x", count: 1_000), String(repeating: "a,", count: 500),
      String(repeating: "9", count: 400),
      String(repeating: "&amp;", count: 200), "//" + String(repeating: "a.", count: 500) + "org/",
    ].map(JSONText.quoted)

  private static func details(_ catalogue: Catalogue, _ json: String, id: String = "4711") throws
    -> RecordingDetails
  {
    catalogue.details(
      of: Recording(
        id: RecordingID(catalogue: catalogue.id, value: id), fields: try RecordingFields(json: json)
      ))
  }

  /// What holds of the details of any record, however it is made.
  private func check(_ details: RecordingDetails, _ record: @autoclosure () -> String) {
    var faults: [String] = []
    func check(_ isSound: Bool, _ what: String) { if !isSound { faults.append(what) } }
    if let coordinate = details.coordinate {
      check(
        (-90...90).contains(coordinate.latitude) && (-180...180).contains(coordinate.longitude),
        "coordinate")
    }
    for url in [
      details.pageAddress, details.sonogramAddress, details.audioAddress, details.licence?.address,
    ].compactMap({ $0 }) {
      let parsed = URL(string: url)
      check(parsed?.host()?.isEmpty == false && parsed?.user() == nil, "host of \(url)")
      let isPlain = url.utf8.allSatisfy { (0x21...0x7E).contains($0) }
      check(["https", "http"].contains(parsed?.scheme ?? "") && isPlain, "shape of \(url)")
    }
    for date in [details.eventDate, details.available].compactMap({ $0 }) {
      check(PartialDate(date.description) == date && (1...9999).contains(date.year), "date \(date)")
    }
    if let time = details.eventTime {
      check((0..<24).contains(time.hour) && (0..<60).contains(time.minute), "time")
    }
    if let duration = details.seconds { check(duration.isFinite && duration >= 0, "duration") }
    if let metres = details.coordinateUncertaintyInMeters {
      check(metres > 0 && metres <= 1e9, "uncertainty")
    }
    if let elevation = details.elevation { check(elevation.isFinite, "elevation") }
    if let rate = details.sampleRate { check(rate > 0, "sample rate") }
    check(
      !details.credit.isEmpty
        && !details.credit.unicodeScalars.contains(where: PlainLine.isControl),
      "credit")
    for column in DetailColumn.allCases {
      check(details.texts(of: column).allSatisfy { !$0.isEmpty }, "empty \(column)")
    }
    if let code = details.countryCode {
      check(Countries.code(sent: code) != nil, "country code \(code)")
    }
    if !faults.isEmpty { Issue.record("\(faults) in \(record().prefix(300))") }
  }

  @Test(arguments: Catalogues.all) func `is described without contradiction`(_ catalogue: Catalogue)
    throws
  {
    #expect(catalogue.id.rawValue.wholeMatch(of: /[a-z0-9-]+/) != nil && !catalogue.name.isEmpty)
    #expect(catalogue.pageSizes.contains(catalogue.defaultPageSize))
    #expect(Set(catalogue.fields).count == catalogue.fields.count)
    for column in catalogue.tableColumns {
      let isKnown =
        column.detail.map { !catalogue.mapping.fields(of: $0).isEmpty }
        ?? catalogue.fields.contains(column.field)
      #expect(isKnown && !column.heading.isEmpty, "\(column)")
    }
    // `taxon.observations_count` is a field of the object `taxon`.
    #expect(
      catalogue.volatileFields.allSatisfy {
        catalogue.fields.contains(String($0.prefix { $0 != "." }))
      })
    for url in [
      catalogue.service?.baseAddress, catalogue.keyHelpAddress, catalogue.queryHelpAddress,
    ].compactMap({ $0 }) {
      #expect(URL(string: url)?.scheme == "https")
    }
    if let service = catalogue.service {
      #expect(service.hosts.contains(try #require(service.baseURL?.host())))
      #expect(service.hosts.allSatisfy { $0 == $0.lowercased() } && service.bodyLimit > 0)
      #expect(catalogue.minimumInterval > .zero)
    }
    if case .download(let hosts, _, _) = catalogue.audio {
      #expect(hosts.allSatisfy { $0 == $0.lowercased() } && !hosts.isEmpty)
    }
  }

  @Test(arguments: Catalogues.all) func `takes a plain word as a query, in its page sizes only`(
    _ catalogue: Catalogue
  ) throws {
    #expect(try catalogue.query("parrot").pageSize == catalogue.defaultPageSize)
    for size in [catalogue.pageSizes.lowerBound - 1, catalogue.pageSizes.upperBound + 1] {
      #expect(
        throws: QueryError(
          .pageSize(
            asked: size, served: catalogue.pageSizes, catalogue: catalogue.name))
      ) {
        try catalogue.query("parrot", pageSize: size)
      }
    }
  }

  @Test(arguments: Catalogues.all) func `maps documented fields only`(_ catalogue: Catalogue) {
    #expect(!catalogue.mapping.fields.isEmpty)
    for (detail, fields) in catalogue.mapping.fields {
      #expect(!fields.isEmpty && Set(fields).count == fields.count, "\(detail)")
      #expect(Set(fields).isSubset(of: catalogue.fields), "\(detail)")
    }
  }

  @Test(arguments: Catalogues.all) func `takes each detail from the fields it names only`(
    _ catalogue: Catalogue
  )
    throws
  {
    let json = try #require(Self.wholeRecords[catalogue.id])
    let record = try RecordingFields(json: json)
    let whole = try Self.details(catalogue, json)
    func part(_ names: [String]) -> String {
      let members = names.compactMap { name in
        record[name].map { "\(JSONText.quoted(name)):\($0.json)" }
      }
      return "{\(members.joined(separator: ","))}"
    }
    // A credit is made of several details, and the parts of a detail may be missing: not every
    // licence has an address.
    for detail in DetailColumn.allCases where detail != .credit && detail == detail.parent {
      let sources = catalogue.mapping.fields(of: detail)
      #expect(whole.texts(of: detail).isEmpty == sources.isEmpty, "\(detail) of the whole record")
      let alone = try Self.details(catalogue, part(sources))
      #expect(alone.texts(of: detail) == whole.texts(of: detail), "\(detail) from its own fields")
      // The number is the id, which is no field once the record has been read.
      guard detail != .catalogNumber else { continue }
      let without = try Self.details(catalogue, part(record.names.filter { !sources.contains($0) }))
      #expect(without.texts(of: detail).isEmpty, "\(detail) without its fields")
    }
  }

  @Test(arguments: Catalogues.all) func `has sound details for hostile values in every field`(
    _ catalogue: Catalogue
  ) throws {
    for value in Self.hostileValues {
      let members = catalogue.fields.map { "\(JSONText.quoted($0)):\(value)" }.joined(
        separator: ",")
      check(try Self.details(catalogue, "{\(members)}", id: "\u{1B}\n\(value.prefix(20))"), value)
    }
    // Every value in every field, each beside others.
    for shift in Self.hostileValues.indices {
      let members = catalogue.fields.enumerated().map { index, field in
        "\(JSONText.quoted(field)):\(Self.hostileValues[(index + shift) % Self.hostileValues.count])"
      }
      let json = "{\(members.joined(separator: ","))}"
      check(try Self.details(catalogue, json), json)
    }
  }

  @Test(arguments: Catalogues.all) func `has sound details for hostile values mixed at random`(
    _ catalogue: Catalogue
  ) throws {
    var random = SeededRandom(seed: 8)
    let whole = try RecordingFields(json: try #require(Self.wholeRecords[catalogue.id]))
    for _ in 0..<50 {
      var members: [String] = []
      for field in catalogue.fields where random.number(0...3) > 0 {
        let value = random.number(0...2) > 0 ? whole[field]?.json : nil
        members.append("\(JSONText.quoted(field)):\(value ?? random.element(Self.hostileValues))")
      }
      for index in members.indices.reversed() { members.swapAt(index, random.number(0...index)) }
      let json = "{\(members.joined(separator: ","))}"
      let details = try Self.details(catalogue, json)
      check(details, json)
      let recording = Recording(
        id: RecordingID(catalogue: catalogue.id, value: "4711"),
        fields: try RecordingFields(json: json))
      for column in DetailColumn.allCases {
        let alone = catalogue.mapping.reading(only: [column]).details(of: recording)
        #expect(
          column.value(of: alone) == column.value(of: details), "\(column) alone in \(json)")
      }
      let named = catalogue.mapping.reading(only: Set(RecordedNames.columns))
      #expect(RecordedNames(named.details(of: recording)) == RecordedNames(details), "\(json)")
    }
  }

  @Test(arguments: Catalogues.all) func `reads a damaged record without a trap`(
    _ catalogue: Catalogue
  ) throws {
    var random = SeededRandom(seed: 9)
    let whole = Array(
      try RecordingFields(json: try #require(Self.wholeRecords[catalogue.id])).json.utf8)
    for _ in 0..<500 {
      var bytes = Array(whole.prefix(random.number(0...whole.count)))
      for _ in 0..<random.number(0...6) where !bytes.isEmpty {
        bytes[random.number(0...(bytes.count - 1))] = random.element([
          0, 0x22, 0x5C, 0x2C, 0x3A, 0x5B, 0x5D, 0x7B, 0x7D, 0x41, 0xFF,
        ])
      }
      let fields = RecordingFields(canonical: String(decoding: bytes, as: UTF8.self))
      _ =
        catalogue.details(
          of: Recording(id: RecordingID(catalogue: catalogue.id, value: "1"), fields: fields)
        ).credit
    }
  }

  @Test(arguments: Catalogues.all) func `gives an id that is not known to it as typed`(
    _ catalogue: Catalogue
  ) {
    for typed in ["4711", "XC4711", "", "\u{1B}", "track-"] {
      let ids = catalogue.ids(for: typed)
      #expect(!ids.isEmpty && ids.allSatisfy { $0.catalogue == catalogue.id })
    }
  }

  @Test(arguments: Catalogues.all) func `knows its audio or that it has none`(
    _ catalogue: Catalogue
  )
    throws
  {
    for value in Self.hostileValues {
      let members = catalogue.fields.map { "\(JSONText.quoted($0)):\(value)" }.joined(
        separator: ",")
      let recording = Recording(
        id: RecordingID(catalogue: catalogue.id, value: "4711"),
        fields: try RecordingFields(json: "{\(members)}"))
      switch catalogue.audio {
      case .none: #expect(catalogue.details(of: recording).audioAddress == nil)
      case .download(_, _, let withheld): _ = withheld(recording)
      case .file: Issue.record("a file of this machine")
      case .generated(let fileExtension, let make):
        #expect(
          fileExtension.wholeMatch(of: /[a-z0-9]+/) != nil
            && make(recording.id) == make(recording.id))
        return
      }
    }
  }
}

extension Catalogue: CustomTestStringConvertible {
  public var testDescription: String { id.rawValue }
}

extension RecordingDetails {
  /// A detail as texts, to compare any two of them; empty where it is not set.
  fileprivate func texts(of column: DetailColumn) -> [String] {
    if case .list(let texts) = column.value(of: self) { return texts }
    return text(of: column).map { [$0] } ?? []
  }
}
