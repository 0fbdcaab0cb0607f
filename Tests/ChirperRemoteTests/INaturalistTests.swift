import ChirperModel
import ChirperTestSupport
import Foundation
import Testing

@testable import ChirperRemote

@Suite struct INaturalistTests {
  private let wire = Wire.iNaturalist

  // MARK: Pages

  @Test func `each page is asked for below the last id of the page before`() async throws {
    let server = try wire.server((1...120).map(wire.record))
    let fetcher = wire.fetcher(server.url, .small)
    var request = PageRequest(query: try wire.query(), number: 1)
    var totals: [Int?] = []
    for number in 1...3 {
      let page = try await fetcher.page(request)
      totals.append(page.totals?.recordings)
      request = PageRequest(query: request.query, number: number + 1, token: page.nextToken)
    }
    let start =
      "/v1/observations?sounds=true&d1=2024-01-01&d2=2024-12-31&order_by=id&order=desc&per_page=50"
    #expect(
      server.requests.map(\.target) == [
        start, "\(start)&id_below=999950", "\(start)&id_below=999900",
      ])
    // The service counts 120, 70 and 20.
    #expect(totals == [120, 120, 120])
  }

  @Test func `a total that changes ahead of the cursor shows`() async throws {
    let server = try ScriptedServer { request in
      .json(
        200,
        #"{"total_results":\#(request.query("id_below") == nil ? 4 : 3),"results":[{"id":9},{"id":8}]}"#
      )
    }
    let fetcher = wire.fetcher(server.url, .small)
    let first = try await fetcher.page(PageRequest(query: wire.query(), number: 1))
    let second = try await fetcher.page(
      PageRequest(query: wire.query(), number: 2, token: first.nextToken))
    #expect([first, second].map(\.totals?.recordings) == [4, 5])
  }

  @Test func `a page that is read again goes past the service's cache`() async throws {
    let server = try wire.server([wire.record(1)])
    let fetcher = wire.fetcher(server.url, .small)
    for isReread in [false, true] {
      _ = try await fetcher.page(PageRequest(query: wire.query(), number: 1, isReread: isReread))
    }
    #expect(server.requests.map { $0.query("ttl") } == [nil, "-1"])
  }

  @Test func `a page of which nothing can be read is followed by no page`() async throws {
    let page = try await wire.page(.json(200, #"{"total_results":7,"results":[]}"#))
    #expect(page.next == nil && page.totals?.recordings == 7)
    #expect(
      try await wire.failure(.json(200, #"{"results":[]}"#))
        == .malformed("it has no total_results"))
    for count in ["-1", "9223372036854775807"] {
      #expect(
        try await wire.failure(.json(200, #"{"total_results":\#(count),"results":[]}"#))
          == .malformed("total_results is not a count: \(count)"))
    }
  }

  @Test func `a damaged token is no cursor`() {
    for text in ["", "x", "1", "-3 1", "3 -1", "1 2 3", "1 "] {
      #expect(
        INaturalistPosition(page: 3, token: PageRequest.Token(rawValue: text))
          == INaturalistPosition(page: 3, token: nil))
    }
  }

  @Test func `each sound of an observation is a row with the whole record`() async throws {
    let page = try await wire.page(of: [
      #"{"id":7,"sounds":[{"id":1},{"id":2,"file_url":null},{"license_code":null}],"comments":[{"body":"x"}]}"#,
      #"{"id":6,"sounds":[]}"#, #"{"id":5,"sounds":null}"#,
    ])
    #expect(page.recordings.map(\.id.value) == ["7-1", "7-2", "7-s3", "6", "5"])
    #expect(page.records == 3 && page.totals?.recordings == 3)
    #expect(page.recordings[1].fields.json.contains(#""comments":[{"body":"x"}]"#))
  }

  @Test func `bodies of ten megabytes pass`() async throws {
    let record =
      #"{"id":7,"sounds":[{"id":1}],"comments":"\#(String(repeating: "x", count: 10 << 20))"}"#
    let server = try wire.server([record])
    let page = try await wire.fetcher(server.url, HTTPLimits()).page(1, of: wire.query())
    #expect(page.recordings.count == 1)
  }

  // MARK: Errors

  @Test func `a refusal of a page far into the list is neither about a key nor about a rate`()
    async throws
  {
    let text = "Result window is too large"
    #expect(
      try await wire.failure(.json(403, #"{"error":"\#(text)","status":403}"#))
        == .refused(status: 403, message: text))
    #expect(
      try await wire.failure(.json(500, #"{"error":{"original":"x"},"status":500}"#))
        == .serverBusy(status: 500, retryAfter: nil))
    #expect(
      try await wire.failure(.json(422, #"{"error":{"original":"Too many IDs"},"status":422}"#))
        == .refused(status: 422, message: "Too many IDs"))
  }

  // MARK: Queries

  @Test(arguments: [
    ("Common Blackbird", "taxon=Common Blackbird"),
    ("gen:turdus sp:merula", "scientificName=turdus merula"),
    ("en:blackbird lic:by-nc", "commonName=blackbird&sound_license=cc-by-nc"),
    ("lic:pd", "sound_license=cc0"),
    ("fam:strigidae year:2020", "scientificName=strigidae&d1=2020-01-01&d2=2020-12-31"),
    ("year:2010-2020", "d1=2010-01-01&d2=2020-12-31"), ("year:\">2010\"", "d1=2011-01-01"),
    ("year:\"<2010\"", "d2=2009-12-31"), ("since:2026-03-31", "created_d1=2026-03-31"),
    ("nr:340989664", "id=340989664"), ("340989664", "id=340989664"),
    ("340989664-2100000", "id=340989664"),
    ("https://www.inaturalist.org/observations/340989664?locale=de", "id=340989664"),
    ("https://www.inaturalist.org/taxa/12716-Turdus-merula", "taxon_id=12716"),
    ("inaturalist.org/taxa/12716?locale=de", "taxon_id=12716"),
  ])
  func `words and tags become parameters`(_ typed: String, _ sent: String) throws {
    #expect(try wire.catalogue.query(typed).requestText == sent)
  }

  @Test(arguments: [
    "cnt:poland", "q:A", "nr:1-2", "since:3", "lic:mit", "sp:merula", "gen:a fam:b",
    "year:2020-2010", "year:1 year:2",
  ])
  func `what has no equivalent is refused`(_ typed: String) {
    #expect(throws: QueryError.self) { try wire.catalogue.query(typed) }
  }

  // MARK: Names

  private func lookedUp(_ typed: String, _ taxa: String) async throws -> (
    found: LookedUpQuery, targets: [String]
  ) {
    let server = try ScriptedServer { _ in .json(200, #"{"total_results":1,"results":[\#(taxa)]}"#)
    }
    let found = try await wire.fetcher(server.url, .small).lookUpNames(
      of: wire.catalogue.query(typed))
    return (found, server.requests.map(\.target))
  }

  private static let parrots =
    #"{"id":18874,"name":"Psittaciformes","rank":"order","preferred_common_name":"Parrots","matched_term":"Parrots","is_active":true}"#
  private static let grey =
    #"{"id":2,"name":"Psittacus erithacus","rank":"species","preferred_common_name":"Grey Parrot","matched_term":"Grey Parrot"}"#

  @Test func `an English name is the taxon that has it`() async throws {
    let (found, targets) = try await lookedUp("parrot", "\(Self.grey),\(Self.parrots)")
    #expect(targets == ["/v1/taxa/autocomplete?q=parrot&per_page=30&locale=en"])
    #expect(found.query.requestText == "taxon_id=18874 (Psittaciformes, order)")
  }

  @Test func `a scientific name comes before an English one, and an inactive taxon is left out`()
    async throws
  {
    let taxa = #"""
      {"id":1,"name":"Penelope","rank":"genus"},{"id":2,"name":"Penelope","rank":"genus","is_active":false},
      {"id":3,"name":"Aix","rank":"genus","preferred_common_name":"Penelope"}
      """#
    #expect(
      try await lookedUp("penelope", taxa).found.query.requestText == "taxon_id=1 (Penelope, genus)"
    )
    #expect(
      try await lookedUp("gen:aix", taxa).found.query.requestText == "taxon_id=3 (Aix, genus)")
    // A tag, and `--scientific`, ask for one kind of name only.
    #expect(
      try await lookedUp("en:penelope", taxa).found.query.requestText == "taxon_id=3 (Aix, genus)")
    let common = #"{"id":3,"name":"Aix","rank":"genus","preferred_common_name":"Penelope"}"#
    #expect(
      try await lookedUp("gen:penelope", common).found.query.requestText
        == "scientificName=penelope")
  }

  @Test func `a name that no taxon has finds nothing, and similar ones are suggested`() async throws
  {
    let found = try await lookedUp("parro", "\(Self.grey),\(Self.parrots)").found
    #expect(found.query.requestText == "taxon=parro" && found.lookup?.suggestions.count == 2)
    let server = try wire.server([wire.record(1)])
    let page = try await wire.fetcher(server.url, .small).page(1, of: found.query)
    #expect(page.recordings == [] && page.totals?.recordings == 0 && server.requests == [])
  }

  @Test func `several taxa of one name are one parameter`() async throws {
    let server = try wire.server([])
    let query = try wire.catalogue.query("robin").requested(
      as: "taxon_id=1 (A b, species)&taxon_id=2 (C d, species)&d1=2020-01-01")
    _ = try await wire.fetcher(server.url, .small).page(1, of: query)
    #expect(
      server.requests[0].target.hasPrefix(
        "/v1/observations?sounds=true&taxon_id=1%2C2&d1=2020-01-01&order_by=id"))
  }
}

@Suite struct `Sounds of iNaturalist` {
  @Test func `are rows up to the 200th of an observation, each id once`() async throws {
    let sounds = ((1...250).map { "{\"id\":\($0)}" } + ["{\"id\":7}"]).joined(separator: ",")
    let page = try await Wire.iNaturalist.page(of: ["{\"id\":9,\"sounds\":[\(sounds)]}"])
    #expect(page.recordings.map(\.id.value) == (1...200).map { "9-\($0)" } && page.leftOut == 50)
  }
}

/// What the fields of an observation mean, in the shapes that were seen.
@Suite struct `Details of iNaturalist` {
  private func recording(_ json: String, id: String = "7-1") throws -> Recording {
    Recording(
      id: RecordingID(catalogue: .iNaturalist, value: id), fields: try RecordingFields(json: json))
  }

  private func details(_ json: String, id: String = "7-1") throws -> RecordingDetails {
    INaturalist.catalogue.details(of: try recording(json, id: id))
  }

  @Test(
    arguments: [
      ("Białowieża, Podlaskie, PL", "52.7,23.9", "PL"), ("Poland", nil, "PL"),
      ("Skåne, Sverige", "55.7,13.4", nil), ("Exampleton, USA", "40.1,-75.0", "US"),
      ("Tel Aviv, IL", "32.1,34.8", "IL"), ("Chicago, IL", "41.9,-87.6", nil),
      ("Chicago, IL", nil, nil), ("San Diego, CA", "32.7,-117.2", nil),
      ("Vancouver, CA", "49.3,-123.1", "CA"),
      ("Bogotá , CO ", "4.7,-74.1", "CO"), ("Denver, CO", "39.7,-105.0", nil),
      ("Athens, Georgia", "33.9,-83.4", nil), ("Batumi, Georgia", "41.6,41.6", "GE"),
      ("Ljubljana, SI", "46.1,14.5", "SI"), ("Siena, SI", "43.3,11.3", nil),
      ("il", "32.1,34.8", nil),
      ("", "1,1", nil), (",", "1,1", nil),
    ] as [(String, String?, String?)])
  func `have the country that a place's name ends with, if its coordinate agrees with a code`(
    place: String, location: String?, code: String?
  ) throws {
    let location = location.map { "\"\($0)\"" } ?? "null"
    let details = try details(#"{"place_guess":"\#(place)","location":\#(location)}"#)
    #expect(details.countryCode == code && (details.country == nil) == (code == nil))
    #expect(code != "PL" || details.country == "Poland")
  }

  @Test func `of a row are those of its own sound`() throws {
    let record = #"""
      {"id":7,"license_code":"cc0","sounds":[{"id":1,"license_code":null,"file_url":null},
      {"id":2,"license_code":"cc-by-nc","file_url":"https://static.inaturalist.org/sounds/2.wav?1624793769"}]}
      """#
    #expect(try details(record).licence == RecordingDetails.Licence(other: "all rights reserved"))
    #expect(try details(record).audioAddress == nil)
    let second = try details(record, id: "7-2")
    #expect(second.licence?.spdx == "CC-BY-NC-4.0" && second.licence?.allowsCommercialUse == false)
    #expect(second.audioAddress == "https://static.inaturalist.org/sounds/2.wav?1624793769")
  }

  @Test(
    arguments: [
      ("\"cc0\"", "CC0 1.0"), ("\"cc-by-nc-nd\"", "CC BY-NC-ND 4.0"), ("\"other\"", "other"),
      ("null", "all rights reserved"),
      ("7", "7"), ("[]", nil),
    ] as [(String, String?)])
  func `name the licence of its code`(_ code: String, _ name: String?) throws {
    #expect(try details(#"{"sounds":[{"id":1,"license_code":\#(code)}]}"#).licence?.name == name)
  }

  @Test func `have no audio that moderators have hidden, and say so`() throws {
    let hidden =
      #"{"sounds":[{"id":1,"hidden":true,"file_url":"https://static.inaturalist.org/sounds/1.mp3"}]}"#
    #expect(try details(hidden).audioAddress == nil)
    #expect(
      INaturalistDetails.withheldAudio(of: try recording(hidden))
        == Catalogue.WithheldAudio(reason: "hidden"))
    #expect(
      INaturalistDetails.withheldAudio(of: try recording(#"{"sounds":[{"id":1,"hidden":false}]}"#))
        == nil)
  }

  @Test func `grades, captive animals and flagged sounds are issues of their record`() throws {
    func issues(_ fields: String) throws -> [RecordingDetails.Issue] {
      try details("{\(fields)}").issues
    }
    #expect(try issues(#""quality_grade":"research","captive":false"#) == [])
    #expect(try issues(#""quality_grade":"needs_id""#) == [.identification])
    #expect(try issues(#""captive":true,"quality_grade":"casual""#) == [.casual, .captive])
    func flagged(_ flags: String) throws -> [RecordingDetails.Issue] {
      try issues(#""sounds":[{"id":1,"file_url":"https://x.example/1.wav","flags":\#(flags)}]"#)
    }
    #expect(try flagged(#"[{"id":9,"flag":"spam","resolved":false}]"#) == [.sound])
    #expect(try flagged(#"[{"id":9,"flag":"spam","resolved":true}]"#) == [])
    #expect(try flagged("[]") == [] && flagged(#"["spam"]"#) == [] && flagged("null") == [])
  }

  @Test func `mark an obscured place with the accuracy of the place that is shown`() throws {
    let place =
      #""location":"53.2690141698,22.7266465331","positional_accuracy":324,"public_positional_accuracy":27520"#
    let obscured = try details("{\(place),\"obscured\":true}")
    #expect(
      obscured.coordinateUncertaintyInMeters == 27520
        && obscured.dataGeneralizations == "the place is obscured")
    #expect(
      obscured.coordinate
        == RecordingDetails.Coordinate(latitude: 53.269_014_169_8, longitude: 22.726_646_533_1))
    let open = try details(
      #"{"location":"-5,8","positional_accuracy":12,"public_positional_accuracy":null,"obscured":false}"#
    )
    #expect(open.coordinateUncertaintyInMeters == 12 && open.dataGeneralizations == nil)
    #expect(
      try details(#"{"positional_accuracy":12,"obscured":true}"#).coordinateUncertaintyInMeters
        == nil)
    for location in ["null", "\"1\"", "\"a,b\"", "\"91,0\"", "\"nan,nan\"", "[1,2]"] {
      #expect(try details("{\"location\":\(location)}").coordinate == nil, "\(location)")
    }
  }

  @Test func `name the observer by name, else by login`() throws {
    #expect(
      try details(#"{"user":{"login":"ada","name":"Ada Example"}}"#).recordedBy == "Ada Example")
    for name in ["null", "\"\"", "\" \""] {
      #expect(try details("{\"user\":{\"login\":\"ada\",\"name\":\(name)}}").recordedBy == "ada")
    }
  }

  @Test func `name the taxon as far as it is determined`() throws {
    func named(_ name: String, _ rank: String) throws -> RecordingDetails {
      try details(
        #"{"taxon":{"name":"\#(name)","rank":"\#(rank)","preferred_common_name":"Example"}}"#)
    }
    #expect(try named("Turdus merula", "species").specificEpithet == "merula")
    #expect(
      try named("Turdus merula merula", "subspecies").scientificName == "Turdus merula merula")
    #expect(try named("Turdus", "genus").scientificName == "Turdus")
    #expect(try named("Turdus merula merula", "subspecies").taxonRank == "subspecies")
    let birds = try named("Aves", "class")
    #expect(birds.scientificName == "Aves" && birds.taxonRank == "class" && birds.genus == nil)
    #expect(try named("Russulaceae", "family").scientificName == "Russulaceae")
    let complex = try named("Xeromphalina campanella", "complex")
    #expect(complex.scientificName == "Xeromphalina campanella" && complex.genus == "Xeromphalina")
    #expect(complex.specificEpithet == nil && complex.taxonRank == "complex")
    #expect(try named("Caesareae", "section").scientificName == "Caesareae")
    #expect(try named("Turdus merula", "species").basisOfRecord == nil)
    #expect(try named("Aves", "class").vernacularName == "Example")
    #expect(try details(#"{"taxon":null,"species_guess":"a bird"}"#).vernacularName == nil)
  }

  @Test func `have the time on the observer's clock`() throws {
    #expect(
      try details(#"{"time_observed_at":"2018-05-12T06:07:59+02:00"}"#).eventTime?.description
        == "06:07")
    for value in ["null", "\"\"", "\"T\"", "\"2018-05-12\"", "\"T99:99\""] {
      #expect(try details("{\"time_observed_at\":\(value)}").eventTime == nil, "\(value)")
    }
  }

  @Test func `credit recordist, observation and licence`() throws {
    let credit = try details(
      #"{"id":7,"user":{"login":"ada"},"sounds":[{"id":1,"license_code":"cc-by"}]}"#
    ).credit
    #expect(credit == "ada, 7, CC BY 4.0")
  }
}
