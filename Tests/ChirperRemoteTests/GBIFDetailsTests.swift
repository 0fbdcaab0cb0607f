import ChirperModel
import ChirperTestSupport
import Foundation
import Testing

@testable import ChirperRemote

/// What the fields of an occurrence mean, in the shapes that were seen.
@Suite struct `Details of GBIF` {
  private func details(_ json: String, id: String = "7") throws -> RecordingDetails {
    GBIF.catalogue.details(
      of: Recording(
        id: RecordingID(catalogue: .gbif, value: id), fields: try RecordingFields(json: json)))
  }

  private func media(_ sound: String) throws -> RecordingDetails {
    try details(#"{"media":[{"type":"Sound",\#(sound)}]}"#)
  }

  @Test func `of a row are those of its own sound`() async throws {
    let record = #"""
      {"key":7,"license":"http://creativecommons.org/licenses/by-nc/4.0/legalcode","media":[
      {"type":"Sound","description":"9 s","identifier":"https://x.example/a.mp3","license":"http://creativecommons.org/licenses/by-nc-sa/4.0/"},
      {"type":"Sound","description":"12 s","identifier":"https://x.example/b.mp3","license":"All rights reserved"}]}
      """#
    let rows = try await Wire.gbif.page(of: [record]).recordings
    let both = rows.map { GBIF.catalogue.details(of: $0) }
    #expect(both.map(\.seconds) == [9, 12])
    #expect(both.map(\.audioAddress) == ["https://x.example/a.mp3", "https://x.example/b.mp3"])
    #expect(both.map(\.licence?.name) == ["CC BY-NC-SA 4.0", "All rights reserved"])
    #expect(both[1].licence?.allowsDerivatives == false)
    #expect(both[0].credit == "CC BY-NC-SA 4.0")
  }

  @Test func `never have the licence of the record for a sound without one`() throws {
    let record =
      #"{"license":"http://creativecommons.org/licenses/by-nc/4.0/legalcode","media":[{"type":"Sound"}]}"#
    #expect(try details(record).licence == nil)
  }

  @Test(arguments: [
    ("9 s", 9.0), ("1.5 s", 1.5), ("9", nil), ("Sonogram", nil), ("-1 s", nil), ("9 sec", nil),
    ("", nil),
  ])
  func `have the length that the description is`(_ text: String, _ seconds: Double?) throws {
    #expect(try media(#""description":"\#(text)""#).seconds == seconds)
  }

  @Test(
    arguments: [
      (#""year":2022,"month":1,"day":1,"eventDate":"2022-01-01T18:27""#, "2022-01-01"),
      (#""year":2010,"month":5,"eventDate":"2010-05""#, "2010-05"),
      (#""year":2010,"eventDate":"2010""#, "2010"),
      (#""year":2010,"month":5,"eventDate":"2010-05-03/2010-05-09""#, "2010-05"),
      (#""eventDate":"2022-01-01T00:00:00Z""#, "2022-01-01"),
      (#""eventDate":"2010-05-03/2011-01-09""#, nil),
      (#""month":5"#, nil),
    ] as [(String, String?)])
  func `have the date as far as it is known`(_ members: String, _ date: String?) throws {
    #expect(try details("{\(members)}").eventDate?.description == date)
  }

  @Test(
    arguments: [
      (#""eventTime":"9:30""#, "09:30"), (#""eventTime":"18:22:20.513+02:00""#, "18:22"),
      (#""eventTime":"08:30:51-07:00","eventDate":"2024-01-28T09:00""#, "08:30"),
      (#""eventTime":"10:18:00Z""#, nil),
      (#""eventDate":"2022-01-01T18:27""#, "18:27"),
      (#""eventDate":"2022-01-01T18:27:59.5+02:00""#, "18:27"),
      (#""eventDate":"2022-01-01T00:00:00""#, nil), (#""eventDate":"2022-01-01T18:27:00Z""#, nil),
      (#""eventDate":"2022-01-01T18:27/2022-01-01T19:27""#, nil),
      (#""eventDate":"2022-01-01""#, nil),
      (#""eventDate":"2022-01-09T16:09:00","eventTime":"16:09:00Z""#, nil),
    ] as [(String, String?)])
  func `have the time on the clock of the place`(_ members: String, _ time: String?) throws {
    #expect(try details("{\(members)}").eventTime?.description == time)
  }

  @Test func `have what people typed without character references`() throws {
    #expect(
      try details(#"{"behavior":"call, &quot;tick&quot; call"}"#).behavior == [
        "call", #""tick" call"#,
      ])
    let found = try details(
      #"{"recordedBy":"O&#039;Brien","verbatimLocality":"A &amp; B","fieldNotes":"&lt;x&gt;","vernacularName":"Cetti&#39;s Warbler"}"#
    )
    #expect(
      found.recordedBy == "O'Brien" && found.locality == "A & B" && found.occurrenceRemarks == "<x>"
    )
    #expect(found.vernacularName == "Cetti's Warbler")
    let media =
      #"{"type":"Sound","identifier":"https://x/1.mp3","creator":"O&#039;Brien","rightsHolder":"A &amp;amp; B"}"#
    let sound = try details("{\"media\":[\(media)]}")
    #expect(sound.recordedBy == "O'Brien" && sound.rightsHolder == "A & B")
  }

  @Test func `have sex and stage apart from the sound types`() throws {
    let found = try details(#"{"behavior":"adult, call, female, flight call, male, uncertain"}"#)
    #expect(
      found.behavior == ["call", "flight call"] && found.sex == ["female", "male"]
        && found.lifeStage == ["adult"])
    #expect(try details(#"{"behavior":"male","sex":"FEMALE"}"#).sex == ["female"])
  }

  @Test func `name the accepted species, or the group above it that is known`() throws {
    let synonym = try details(
      #"{"scientificName":"Parus caeruleus L.","genus":"Cyanistes","species":"Cyanistes caeruleus","specificEpithet":"caeruleus"}"#
    )
    #expect(synonym.scientificName == "Cyanistes caeruleus" && synonym.genus == "Cyanistes")
    #expect(try details(#"{"genus":"Parus"}"#).scientificName == "Parus")
    #expect(
      try details(#"{"scientificName":"Animalia","taxonRank":"KINGDOM"}"#).scientificName
        == "Animalia")
    let family = try details(
      #"{"scientificName":"Strigidae Leach, 1820","taxonRank":"FAMILY","family":"Strigidae"}"#)
    #expect(
      family.scientificName == "Strigidae" && family.taxonRank == "family" && family.genus == nil)
    let subspecies = try details(
      #"{"species":"Alauda arvensis","infraspecificEpithet":"dulcivox"}"#)
    #expect(subspecies.scientificName == "Alauda arvensis dulcivox")
    let form = try details(
      #"{"taxonRank":"FORM","species":"Cycas circinalis","specificEpithet":"rumphii","infraspecificEpithet":"undulata"}"#
    )
    #expect(
      form.scientificName == "Cycas circinalis" && form.taxonRank == "species"
        && form.infraspecificEpithet == nil)
    #expect(try details(#"{"taxonRank":"SPECIES","genus":"Parus"}"#).taxonRank == "genus")
  }

  @Test func `have the rank and the higher groups that were sent`() throws {
    let species = try details(
      #"{"taxonRank":"SPECIES","kingdom":"Animalia","phylum":"Chordata","class":"Aves","order":"Passeriformes","family":"Paridae"}"#
    )
    #expect(
      species.taxonRank == "species" && species.kingdom == "Animalia"
        && species.phylum == "Chordata")
    #expect(
      species.taxonClass == "Aves" && species.order == "Passeriformes"
        && species.family == "Paridae")
    let animal = try details(#"{"taxonRank":"KINGDOM","kingdom":"Animalia"}"#)
    #expect(animal.taxonRank == "kingdom" && animal.phylum == nil && animal.family == nil)
  }

  @Test func `have kind of evidence, identifier and dataset as sent`() throws {
    let found = try details(
      #"{"basisOfRecord":"MACHINE_OBSERVATION","occurrenceID":"urn:x:7","datasetKey":"b1047888-ae52-4179-9dd5-5448ea342a24","datasetName":"Example sounds","datasetID":"doi:10.1/x"}"#
    )
    #expect(found.basisOfRecord == "MACHINE_OBSERVATION" && found.datasetName == "Example sounds")
    #expect(
      found.datasetKey == "b1047888-ae52-4179-9dd5-5448ea342a24" && found.occurrenceID == "urn:x:7")
    #expect(found.datasetID == "doi:10.1/x")
  }

  @Test(
    arguments: [
      (#""2023-08-13T00:00Z/2023-08-16T00:00Z""#, "2023-08-13/2023-08-16", "2023-08"),
      (#""2023-08-30/2023-09-02""#, "2023-08-30/2023-09-02", "2023"),
      (#""2022/2023""#, "2022/2023", nil),
      (#""2023-08-13T06:00/2023-08-13T09:30""#, "2023-08-13", "2023-08-13"),
      (#""2023-08-16/2023-08-13""#, nil, nil), (#""2023-08-13/later""#, nil, nil),
      (#""2023-08-13/""#, nil, nil), (#""2007-11-13/15""#, "2007-11-13/2007-11-15", "2007-11"),
      (#""1966-05/06""#, "1966-05/1966-06", "1966"),
      (#""2021-05-03T05:30/06:10""#, "2021-05-03", "2021-05-03"),
      (#""2021-05-30T22:00/06-01T02:00""#, "2021-05-30/2021-06-01", "2021"),
      (#""2021-05-03T05:30/T06:10""#, "2021-05-03", "2021-05-03"), (#""2021-05-03/5""#, nil, nil),
      (#""2021-05-03/2""#, nil, nil), (#""2021-05-03/02""#, nil, nil), (#""2021/05/03""#, nil, nil),
      (#""/""#, nil, nil), (#""2023-08-13/2023-08-14/2023-08-15""#, nil, nil),
      (#""2023-08-13""#, "2023-08-13", "2023-08-13"),
    ] as [(String, String?, String?)])
  func `keep an interval of dates, and the month or year that it lies in`(
    sent: String, shown: String?, date: String?
  ) throws {
    let details = try details(#"{"eventDate":\#(sent)}"#)
    #expect(DetailColumn.eventDate.value(of: details).text() == shown)
    #expect(details.eventDate?.description == date)
  }

  @Test(
    arguments: [
      (#""countryCode":"PL","country":"Poland""#, "PL"), (#""country":"Poland""#, "PL"),
      (#""countryCode":"ZZ""#, nil),
      (#""countryCode":"ZZ","country":"unknown or invalid""#, nil), (#""countryCode":"pl""#, "PL"),
      (#""countryCode":616"#, nil),
    ] as [(String, String?)])
  func `have the country's code as sent, else from its name`(_ members: String, _ code: String?)
    throws
  {
    #expect(try details("{\(members)}").countryCode == code)
  }

  @Test func `say how exact a place is, and what was made less exact`() throws {
    let rounded = try details(
      #"""
      {"decimalLatitude":52.2,"decimalLongitude":21.0,"coordinateUncertaintyInMeters":27500.0,
      "dataGeneralizations":"Coordinates rounded","informationWithheld":"Place withheld"}
      """#)
    #expect(
      rounded.coordinateUncertaintyInMeters == 27_500
        && rounded.dataGeneralizations == "Coordinates rounded")
    #expect(rounded.informationWithheld == "Place withheld")
    let withheld = try details(#"{"informationWithheld":"Place withheld"}"#)
    #expect(withheld.dataGeneralizations == nil && withheld.isObscured)
    for metres in ["0", "-5", "1e12", "null", "\"far\""] {
      #expect(
        try details(#"{"coordinateUncertaintyInMeters":\#(metres)}"#).coordinateUncertaintyInMeters
          == nil,
        "\(metres)")
    }
  }

  @Test(arguments: [
    (#"["ZERO_COORDINATE","COORDINATE_ROUNDED"]"#, [RecordingDetails.Issue.coordinate]),
    (
      #"["TAXON_MATCH_FUZZY","RECORDED_DATE_MISMATCH","COUNTRY_COORDINATE_MISMATCH","ZERO_COORDINATE"]"#,
      [.coordinate, .date, .name]
    ),
    (#"["GEODETIC_DATUM_ASSUMED_WGS84","A_WORD_OF_TOMORROW",7,null,{}]"#, []),
    ("[]", []), ("null", []), (#"{"a":"ZERO_COORDINATE"}"#, []),
  ])
  func `what GBIF says against a record is read in standard words`(
    sent: String, issues: [RecordingDetails.Issue]
  ) throws {
    #expect(try details(#"{"issues":\#(sent)}"#).issues == issues)
  }

  @Test func `a name of the Catalogue of Life has the issues of its match there`() throws {
    func issues(_ sent: String, there: String) throws -> [RecordingDetails.Issue] {
      let life = GBIFTaxonomy.catalogueOfLife.rawValue
      let entry = #"{"usage":{"name":"Larus canus","rank":"SPECIES"},"issues":\#(there)}"#
      return try details(#"{"issues":\#(sent),"classifications":{"\#(life)":\#(entry)}}"#).issues
    }
    #expect(try issues("[]", there: #"["TAXON_MATCH_FUZZY"]"#) == [.name])
    #expect(try issues(#"["TAXON_MATCH_NONE","ZERO_COORDINATE"]"#, there: "[]") == [.coordinate])
    #expect(try issues(#"["TAXON_MATCH_NONE"]"#, there: "7") == [])
  }

  @Test(arguments: ["7", #""7""#])
  func `a record is the same whether its keys are numbers or texts`(key: String) async throws {
    let life = GBIFTaxonomy.catalogueOfLife.rawValue
    let usage = #"{"key":\#(key),"name":"Larus canus Linnaeus, 1758","rank":"SPECIES"}"#
    let species = #"{"key":\#(key),"rank":"SPECIES","name":"Larus canus"}"#
    let names = #"{"usage":\#(usage),"classification":[\#(species)]}"#
    let keys = ["key", "gbifID", "taxonKey", "speciesKey", "acceptedTaxonKey"].map {
      #""\#($0)":\#(key)"#
    }.joined(separator: ",")
    let sound = #""media":[{"type":"Sound","identifier":"https://x.example/a.mp3"}]"#
    let older = #"{\#(keys),"species":"Larus kamtschatschensis",\#(sound)}"#
    let newer =
      #"{\#(keys),"species":"Larus brachyrhynchus",\#(sound),"classifications":{"\#(life)":\#(names)}}"#
    for (record, name) in [(older, "Larus kamtschatschensis"), (newer, "Larus canus")] {
      let rows = try await Wire.gbif.page(of: [record]).recordings
      #expect(rows.map { $0.id.value.prefix(2) } == ["7-"])
      let details = try #require(rows.first.map { GBIF.catalogue.details(of: $0) })
      #expect(details.scientificName == name)
      #expect(details.pageAddress == "https://www.gbif.org/occurrence/7")
    }
  }

  @Test func `have quality and sample rate of the same file, the quality for xeno-canto only`()
    throws
  {
    func record(_ dataset: String, rating: String = "5") -> String {
      #"""
      {"datasetKey":"\#(dataset)","media":[{"type":"Sound","identifier":"https://x/b.mp3"},{"type":"Sound","identifier":"https://x/a.mp3"}],
      "extensions":{"http://rs.tdwg.org/ac/terms/Multimedia":[{"http://purl.org/dc/elements/1.1/type":"StillImage"},
      {"http://purl.org/dc/elements/1.1/type":"Sound","http://rs.tdwg.org/ac/terms/accessURI":"https://x/b.mp3",
      "http://ns.adobe.com/xap/1.0/Rating":"\#(rating)","http://rs.tdwg.org/ac/terms/resourceCreationTechnique":
      "bitrate: 163113 bps; bitrate mode: vbr; audio sampling rate: 44100 Hz; number of channels: 2; lossy"}]}}
      """#
    }
    let xenoCanto = "b1047888-ae52-4179-9dd5-5448ea342a24"
    let first = try details(record(xenoCanto))
    #expect(first.quality == .a && first.sampleRate == 44_100)
    #expect(try details(record(xenoCanto, rating: "1")).quality == .e)
    #expect(try details(record(xenoCanto, rating: "0")).quality == nil)
    #expect(try details(record("another")).quality == nil)
  }

  @Test(
    arguments: [
      ("audio sampling rate: 44100 Hz", 44_100),
      ("x; audio sampling rate: 8 Hz; audio sampling rate: 9 Hz", 8),
      ("audio sampling rate: 0 Hz", nil), ("audio sampling rate: 44100 kHz", nil),
      ("audio sampling rate: 12345678 Hz", nil),
      ("audio sampling rate: Hz", nil), ("", nil),
    ] as [(String, Int?)])
  func `have the sample rate among the words on how the file was made`(
    _ technique: String, _ rate: Int?
  ) throws {
    let file =
      #"{"http://purl.org/dc/elements/1.1/type":"Sound","http://rs.tdwg.org/ac/terms/resourceCreationTechnique":"\#(technique)"}"#
    let found = try details(
      #"{"media":[{"type":"Sound"}],"extensions":{"http://rs.tdwg.org/ac/terms/Multimedia":[\#(file)]}}"#
    )
    #expect(found.sampleRate == rate)
  }

  @Test func `have remarks without xeno-canto's two fields`() throws {
    #expect(
      try details(#"{"fieldNotes":"By a lake.  bird-seen:no  playback-used:no"}"#).occurrenceRemarks
        == "By a lake.")
    #expect(
      try details(#"{"fieldNotes":"bird-seen:no  playback-used:no"}"#).occurrenceRemarks == nil)
  }

  @Test func `have the number of xeno-canto, a page and a sonogram`() throws {
    #expect(try details(#"{"identifier":"695654@XC"}"#).catalogNumber == "XC695654")
    #expect(try details(#"{"identifier":"urn:x","catalogNumber":"XC1"}"#).catalogNumber == "XC1")
    #expect(
      try details(#"{"key":5006703001}"#).pageAddress
        == "https://www.gbif.org/occurrence/5006703001")
    let sonogram =
      #"{"type":"StillImage","description":"Sonogram of the first ten seconds","identifier":"https://x.example/s.png"}"#
    #expect(
      try details(
        #"{"media":[{"type":"StillImage","identifier":"https://x.example/b.jpg"},\#(sonogram)]}"#
      ).sonogramAddress
        == "https://x.example/s.png")
  }

  @Test func `name the recording that the row is a copy of, by numbers only`() async throws {
    func origin(_ dataset: String, _ members: String, sounds: Int = 1) throws -> String? {
      let sound =
        #"{"type":"Sound","identifier":"https://static.inaturalist.org/sounds/1747269.wav?1769017493"}"#
      let media = Array(repeating: sound, count: sounds).joined(separator: ",")
      return try details(#"{"datasetKey":"\#(dataset)",\#(members),"media":[\#(media)]}"#).alsoIn?
        .description
    }
    let xenoCanto = "b1047888-ae52-4179-9dd5-5448ea342a24"
    let iNaturalist = "50c9509d-22c7-4a22-a47d-8c48425ef4a7"
    #expect(try origin(xenoCanto, #""catalogNumber":"XC695654""#) == "xeno-canto 695654")
    #expect(try origin(xenoCanto, #""identifier":"695654@XC""#) == "xeno-canto 695654")
    #expect(try origin(xenoCanto, #""catalogNumber":"XC695654""#, sounds: 2) == nil)
    #expect(try origin(xenoCanto, #""catalogNumber":"A 7""#) == nil)
    func own(_ addresses: String..., row: Int = 0) async throws -> String? {
      let media = addresses.map {
        #"{"type":"Sound","identifier":"https://xeno-canto.org/\#($0)"}"#
      }.joined(separator: ",")
      let record = #"{"key":7,"datasetKey":"\#(xenoCanto)","media":[\#(media)]}"#
      return GBIF.catalogue.details(of: try await Wire.gbif.page(of: [record]).recordings[row])
        .alsoIn?.description
    }
    #expect(try await own("u/XC17-a.mp3") == "xeno-canto 17")
    #expect(try await own("u/XC17-a.mp3", "18/download", row: 1) == "xeno-canto 18")
    #expect(try await own("u/XC17-a.mp3", "u/XC17-b.mp3") == nil)
    #expect(try await own("u/XC17-a.mp3", "u/b.mp3", row: 1) == nil)
    let observation = #""occurrenceID":"https://www.inaturalist.org/observations/340989664""#
    #expect(try origin(iNaturalist, observation) == "inaturalist 340989664-1747269")
    #expect(try origin(iNaturalist, #""catalogNumber":"340989664""#) == nil)
    #expect(try origin("another", #""catalogNumber":"XC695654",\#(observation)"#) == nil)
  }

  @Test func `say how exact the place is`() throws {
    let found = try details(
      #"{"decimalLatitude":50.0,"decimalLongitude":8.0,"coordinateUncertaintyInMeters":27520.0,"informationWithheld":"Coordinate uncertainty increased"}"#
    )
    #expect(
      found.coordinateUncertaintyInMeters == 27520
        && found.informationWithheld == "Coordinate uncertainty increased")
  }
}

@Suite struct `Parts of remote texts` {
  @Test(arguments: [
    ("By a lake.  bird-seen:no  playback-used:no", "By a lake."),
    ("bird-seen:no playback-used:", ""),
    ("a bird-seen:yes\n\tplayback-used:no", "a"), ("abird-seen:x playback-used:y", "a"),
    ("bird-seen:no playback-used:no ", "bird-seen:no playback-used:no "),
    ("bird-seen:no xplayback-used:no", "bird-seen:no xplayback-used:no"),
    ("bird-seen:noplayback-used:no", "bird-seen:noplayback-used:no"),
    ("playback-used:no", "playback-used:no"),
    ("a bird-seen:no b playback-used:no", "a bird-seen:no b playback-used:no"), ("", ""),
  ]) func `The last words are left out only as a pair`(text: String, rest: String) {
    #expect(text.withoutLast(named: ["bird-seen", "playback-used"]) == rest)
  }

  @Test func `Digits are found between what must be around them`() {
    #expect("XC12".digits(between: ["XC"]) == "12")
    for text in ["XC", "XC12a", "xc12", "12", "XC٣"] {
      #expect(text.digits(between: ["XC"]) == nil)
    }
    #expect("http://a/7.mp3".digits(between: ["https://a/", "http://a/"], and: ".") == "7")
    #expect("http://a/7".digits(between: ["http://a/"], and: ".") == nil)
  }

  @Test func `rows of large records that alternate have each its own details`() throws {
    let catalogue = try #require(Catalogues.named(.gbif))
    let remarks = String(repeating: "x", count: 20_000)
    let rows = (1...6).map { number in
      let address = "https://x.example/\(number % 2).mp3"
      let media = #"[{"type":"Sound","identifier":"\#(address)"}]"#
      let fields = RecordingFields(
        canonical: #"{"occurrenceRemarks":"\#(remarks)","media":\#(media)}"#)
      return Recording(id: RecordingID(catalogue: .gbif, value: "\(number)-s1"), fields: fields)
    }
    let found = rows.map { catalogue.details(of: $0).audioAddress }
    #expect(found == (1...6).map { "https://x.example/\($0 % 2).mp3" })
  }

  @Test(
    .enabled(if: LinearTime.isMeasured),
    arguments: [" ", "bird-seen:", "a bird-seen:no ", "\u{1F1E6}", "rate: 1"])
  func `Time is in proportion to the text`(part: String) {
    let excess = LinearTime.excess(50_000) { size in
      String(repeating: part, count: size / part.utf8.count) + " playback-used:no"
    } _: { text in
      _ = text.withoutLast(named: ["bird-seen", "playback-used"])
      _ = text.digits(between: ["XC"])
    }
    #expect(excess == nil)
  }
}
