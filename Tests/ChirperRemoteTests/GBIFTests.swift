import ChirperModel
import ChirperTestSupport
import Foundation
import Testing

@testable import ChirperRemote

@Suite struct GBIFTests {
  private let wire = Wire.gbif

  private func ids(_ media: String, key: Int = 7) async throws -> [String] {
    try await wire.page(of: [#"{"key":\#(key),"media":\#(media)}"#]).recordings.map(\.id.value)
  }

  // MARK: Pages

  @Test func `sounds are asked for by position`() async throws {
    let server = try wire.server((1...120).map(wire.record))
    let fetcher = wire.fetcher(server.url, .small)
    for number in 1...3 { _ = try await fetcher.page(number, of: wire.query()) }
    #expect(
      server.requests.map(\.target)
        == [0, 50, 100].map {
          "/v1/occurrence/search?mediaType=Sound&country=PL&checklistKey=\(Self.catalogueOfLife)&limit=50&offset=\($0)"
        })
  }

  @Test func `the next page begins where a smaller page than requested ended`() async throws {
    let server = try ScriptedServer { request in
      let offset = request.query("offset").flatMap { Int($0) } ?? 0
      let rows = (offset..<min(offset + 20, 45)).map { #"{"key":\#($0)}"# }.joined(separator: ",")
      return .json(
        200,
        #"{"offset":\#(offset),"limit":20,"endOfRecords":\#(offset + 20 >= 45),"count":45,"results":[\#(rows)]}"#
      )
    }
    let fetcher = wire.fetcher(server.url, .small)
    let query = try wire.query()
    let first = try await fetcher.page(PageRequest(query: query, number: 1))
    let second = try await fetcher.page(
      PageRequest(query: query, number: 2, token: first.nextToken))
    let third = try await fetcher.page(
      PageRequest(query: query, number: 3, token: second.nextToken))
    #expect(
      [first, second, third].flatMap(\.recordings).map(\.id.value) == (0..<45).map { "\($0)" })
    #expect(
      [first, second, third].map(\.next) == [2, 3, nil]
        && first.totals == RecordingPage.Totals(recordings: 45, pages: 3))
  }

  @Test func `the last page within reach is shorter, and none is asked for beyond it`() async throws
  {
    let server = try ScriptedServer { request in
      let offset = request.query("offset") ?? ""
      return .json(
        200,
        #"{"offset":\#(offset),"limit":100,"endOfRecords":false,"count":200000,"results":[{"key":1}]}"#
      )
    }
    let fetcher = wire.fetcher(server.url, .small)
    _ = try await fetcher.page(334, of: wire.query(pageSize: 300))
    #expect(
      server.requests.last?.query("limit") == "100"
        && server.requests.last?.query("offset") == "99900")
    await #expect(throws: FetchError(.tooDeep(total: nil, limit: 100_000))) {
      try await fetcher.page(335, of: wire.query(pageSize: 300))
    }
    #expect(server.requests.count == 1)
  }

  @Test func `an answer for another position is malformed`() async throws {
    let body = #"{"offset":50,"limit":50,"endOfRecords":true,"count":1,"results":[]}"#
    #expect(
      try await wire.failure(.json(200, body))
        == .malformed("position 0 was requested, but 50 came"))
    #expect(try await wire.failure(.json(200, #"{"results":[]}"#)) == .malformed("it has no count"))
    let huge = #"{"offset":0,"limit":9223372036854775807,"count":1,"results":[]}"#
    #expect(
      try await wire.failure(.json(200, huge))
        == .malformed("limit is not a count: 9223372036854775807"))
  }

  @Test func `a page that is read again from a cache is marked, and a new answer is not`()
    async throws
  {
    for (age, isReread, isFromCache) in [
      ("25", true, true), ("0", true, false), ("25", false, false),
    ] {
      let server = try ScriptedServer { _ in
        .json(200, wire.body([], 1, 1, 0), headers: ["Age": age])
      }
      let page = try await wire.fetcher(server.url, .small).page(
        PageRequest(query: try wire.query(), number: 1, isReread: isReread))
      #expect(page.isFromCache == isFromCache, "\(age)")
    }
  }

  // MARK: Sounds

  @Test func `each sound of an occurrence is a row with the whole record`() async throws {
    let media =
      #"[{"type":"StillImage","identifier":"https://x.example/p.png"},{"type":"Sound","identifier":"https://x.example/a.mp3"},{"type":"Sound","identifier":"https://x.example/b.mp3"}]"#
    let page = try await wire.page(of: [#"{"key":5006703001,"media":\#(media),"license":"x"}"#])
    #expect(page.recordings.count == 2 && page.records == 1 && page.totals?.recordings == 1)
    #expect(Set(page.recordings.map(\.id)).count == 2)
    #expect(
      page.recordings.allSatisfy {
        $0.fields == page.recordings[0].fields && $0.id.value.hasPrefix("5006703001-")
      })
  }

  @Test func `a sound keeps its id when others come, and its host, scheme or version change`()
    async throws
  {
    let alone = try await ids(
      #"[{"type":"Sound","identifier":"https://www.xeno-canto.org/u/XC1-a%20b.mp3"}]"#)
    let moved = try await ids(
      #"[{"type":"Sound","identifier":"http://x/new.mp3"},{"type":"StillImage"},{"type":"Sound","identifier":"http://xeno-canto.org/u/XC1-a%20b.mp3?1769017493"}]"#
    )
    #expect(moved.count == 2 && moved[1] == alone[0])
    #expect(
      alone
        != (try await ids(
          #"[{"type":"Sound","identifier":"https://www.xeno-canto.org/u/XC1-c.mp3"}]"#)))
    #expect(
      alone
        != (try await ids(
          #"[{"type":"Sound","identifier":"https://www.xeno-canto.org/u/XC1-a%20b.mp3"}]"#, key: 8))
    )
  }

  @Test func `what follows a question mark distinguishes two sounds, unless it is a number alone`()
    async throws
  {
    func id(_ address: String) async throws -> String {
      try await ids(#"[{"type":"Sound","identifier":"\#(address)"}]"#).joined(separator: " ")
    }
    let image = "https://images.example/image/proxyImage"
    let two = try await ids(
      #"[{"type":"Sound","identifier":"\#(image)?imageId=7b35"},{"type":"Sound","identifier":"\#(image)?imageId=9556"}]"#
    )
    #expect(Set(two).count == 2)
    #expect(try await id("http://other.example/image/proxyImage?imageId=9556#t=1") == two[1])
    // Ids must stay what they are: audio is kept under them.
    #expect(two == ["7-2c9d8c88", "7-92241bf2"])
    #expect(try await id("https://static.inaturalist.org/sounds/1747269.wav") == "7-00b8d3e3")
    for end in ["?", "?1769017493", "?1769017494#x"] {
      #expect(
        try await id("https://static.inaturalist.org/sounds/1747269.wav\(end)") == "7-00b8d3e3")
    }
  }

  @Test
  func
    `a sound without an address has the id of its place, and its format counts before its type`()
    async throws
  {
    #expect(
      try await ids(#"[{"type":"StillImage"},{"type":"Sound"},{"format":"audio/mpeg"}]"#) == [
        "7-s1", "7-s2",
      ])
    #expect(
      try await ids(#"[{"format":"image/png"},{"type":"StillImage","format":"audio/mpeg"}]"#) == [
        "7-s1"
      ])
    #expect(
      try await ids(#"[{"type":"StillImage"},{"type":"Sound","format":"image/png"}]"#) == ["7"])
    for media in ["null", "{}", "[]", "[null,1,[]]", #""Sound""#] {
      #expect(try await ids(media) == ["7"], "\(media)")
    }
  }

  private static func media(_ addresses: [String]) -> String {
    let sounds = addresses.map { #"{"type":"Sound","identifier":"\#($0)"}"# }
    return "[\(sounds.joined(separator: ","))]"
  }

  @Test(arguments: [
    ["https://a.example/x.mp3", "https://b.example/x.mp3"],
    ["https://a.example/x.mp3#1", "https://a.example/x.mp3#2"],
    ["https://a.example/x.mp3", "https://a.example/x.mp3#2"],
    ["https://a.example/get?101", "https://a.example/get?102"],
    ["https://a.example/get?101", "https://a.example:8443/get?101"],
  ])
  func `each of two different addresses is a row, and the first keeps its id`(
    _ addresses: [String]
  ) async throws {
    let media = Self.media(addresses)
    let page = try await wire.page(of: [#"{"key":7,"media":\#(media)}"#])
    #expect(page.recordings.count == 2 && page.leftOut == 0 && page.repeated == 0)
    let ids = page.recordings.map(\.id.value)
    #expect(try await self.ids(Self.media([addresses[0]])) == [ids[0]])
    #expect(ids[1].split(separator: "-")[1].count == 16)
    let found = page.recordings.map { wire.catalogue.details(of: $0).audioAddress }
    #expect(found == addresses)
  }

  @Test func `the same address twice is one sound, and nothing is left out`() async throws {
    for twin in ["https://x.example/a.mp3", "http://x.example/a.mp3"] {
      let media = Self.media(["https://x.example/a.mp3", twin])
      let page = try await wire.page(of: [#"{"key":7,"media":\#(media)}"#])
      #expect(page.recordings.count == 1 && page.leftOut == 0 && page.records == 1)
    }
  }

  @Test func `of too many sounds those that only an old id names are rows first`() async throws {
    // Two hosts for each path, next to each other.
    let addresses = (1...150).flatMap { n in ["a", "b"].map { "https://\($0).example/\(n).mp3" } }
    let page = try await wire.page(of: [#"{"key":7,"media":\#(Self.media(addresses))}"#])
    #expect(page.recordings.count == 200 && page.leftOut == 100)
    let short = page.recordings.filter { $0.id.value.utf8.count == 10 }
    let found = short.map { wire.catalogue.details(of: $0).audioAddress }
    #expect(found == (1...150).map { "https://a.example/\($0).mp3" })
  }

  private static func sounds(_ count: Int) -> [String] {
    (1...count).map { "https://x.example/\($0).mp3" }
  }

  @Test func `of 700 sounds of one occurrence 200 are rows, and its fields have the others`()
    async throws
  {
    let media = Self.media(Self.sounds(700))
    let page = try await wire.page(of: [wire.record(1), #"{"key":7,"media":\#(media)}"#])
    #expect(page.recordings.count == 201 && page.leftOut == 500 && page.records == 2)
    #expect(Set(page.recordings.map(\.id)).count == 201 && page.repeated == 0)
    #expect(page.recordings.last?["media"]?.objects.count == 700)
  }

  @Test func `the rows of one large record have at most 8 MiB, and one is always there`()
    async throws
  {
    let limit = 8 << 20
    let media = Self.media(Self.sounds(5000))
    let page = try await wire.page(of: [wire.record(1), #"{"key":7,"media":\#(media)}"#])
    let rows = page.recordings.dropFirst()
    let size = try #require(rows.first?.fields.bytes.count)
    #expect(rows.count == limit / size && rows.count < 200 && page.leftOut == 5000 - rows.count)
    #expect(rows.first.map { wire.catalogue.details(of: $0).audioAddress } == Self.sounds(1)[0])

    let remarks = String(repeating: "x", count: limit)
    let two = Self.media(Self.sounds(2))
    let fields = RecordingFields(canonical: #"{"remarks":"\#(remarks)","media":\#(two)}"#)
    let record = Recording(id: RecordingID(catalogue: .gbif, value: "7"), fields: fields)
    let huge = GBIFSound.rows(of: [record], in: "media")
    #expect(huge.rows.count == 1 && huge.leftOut == 1)
  }

  // MARK: Errors

  @Test func `a refusal is reported in the service's words`() async throws {
    let text = "Max offset of 100000 exceeded: 99900 + 300"
    #expect(
      try await wire.failure(
        .bytes(400, Array("\(text)\n".utf8), headers: ["Content-Type": "text/plain"]))
        == .refused(status: 400, message: text))
    let body =
      #"{"timestamp":"2025-11-13T08:08:30.147+00:00","status":404,"error":"","message":"Entity not found"}"#
    #expect(
      try await wire.failure(.json(404, body)) == .refused(status: 404, message: "Entity not found")
    )
    #expect(
      try await wire.failure(
        .json(429, #"["Please use downloads.","Contact us."]"#, headers: ["Retry-After": "31"]))
        == .rateLimited(retryAfter: .seconds(31)))
  }

  // MARK: Queries

  private func sent(_ typed: String) throws -> String {
    try wire.catalogue.query(typed).requestText
  }

  @Test(arguments: [
    ("Accipiter", "name=Accipiter"), ("grey  PARROT", "name=grey PARROT"),
    ("en:\"=Grey Parrot\"", "vernacularName=Grey Parrot"),
    ("gen:turdus", "genus=turdus"), ("gen:turdus sp:merula", "scientificName=turdus merula"),
    ("sp:\"turdus merula\" cnt:Poland", "scientificName=turdus merula&country=PL"),
    ("fam:strigidae", "family=strigidae"),
    ("cnt:\"united states\"", "country=US"), ("cnt:de", "country=DE"), ("cnt:UK", "country=GB"),
    ("cnt:usa", "country=US"),
    ("cnt:turkiye", "country=TR"),
    ("cnt:\"Côte d'Ivoire\"", "country=CI"), ("cnt:switz", "country=CH"),
    ("year:2020", "year=2020"),
    ("year:2010-2020", "year=2010,2020"), ("year:\"<2010\"", "year=0,2009"),
    ("year:\">2010\"", "year=2011,9999"),
    ("month:5", "month=5"), ("month:\">10\"", "month=11&month=12"),
    ("month:3-5", "month=3&month=4&month=5"),
    ("box:50.1,-2,52,1.5", "decimalLatitude=50.1,52&decimalLongitude=-2,1.5"),
    ("lic:PD", "license=CC0_1_0"),
    ("lic:by-nc", "license=CC_BY_NC_4_0"), ("rec:\"A & B (UK)\"", "recordedBy=A %26 B %28UK%29"),
    ("nr:695654", "catalogNumber=XC695654"), ("xc695654", "catalogNumber=XC695654"),
    ("https://xeno-canto.org/695654", "catalogNumber=XC695654"),
    ("5006703001-1a2b3c4d", "gbifId=5006703001"),
    ("https://www.gbif.org/occurrence/5006703001", "gbifId=5006703001"),
  ])
  func `words and tags become parameters`(_ typed: String, _ sent: String) throws {
    #expect(try self.sent(typed) == sent)
  }

  @Test(arguments: [
    "q:A", "type:song", "since:3", "cnt:atlantis", "cnt:united", "cnt:q", "year:<0", "year:20x",
    "month:13", "box:1,2,3,4,5",
    "box:52,1,50,2", "box:50,170,52,-170", "lic:by-nc-sa", "nr:1-5", "sp:merula",
    "gen:turdus en:blackbird", "cnt:pl cnt:de",
    "parrot gen:turdus",
  ])
  func `what has no equivalent is refused`(_ typed: String) {
    #expect(throws: QueryError.self) { try sent(typed) }
  }

  @Test func `a tag of xeno-canto without an equivalent is named with the tags that there are`() {
    let supported = ["box", "cnt", "en", "fam", "gen", "lic", "month", "nr", "rec", "sp", "year"]
    #expect(throws: QueryError(.unsupportedTag("type", catalogue: "GBIF", supported: supported))) {
      try sent("type:song")
    }
    #expect(throws: QueryError(.unknownTag("yeer", nearest: ["year"]))) { try sent("yeer:2020") }
  }

  @Test func `the typed text identifies the query, whatever is sent`() throws {
    let query = try wire.catalogue.query("  Accipiter ")
    #expect(query.identity == "accipiter")
    let genus = try wire.catalogue.query("accipiter", scientific: true)
    #expect(
      try genus.requestText == "genus=accipiter" && genus == wire.catalogue.query("gen:accipiter"))
    #expect(
      try wire.catalogue.query("year:2020 cnt:pl") == (try wire.catalogue.query("cnt:PL year:2020"))
    )
    #expect(query == query.requested(as: "taxonKey=2480528 (Accipiter, genus)"))
  }

  // MARK: Names of records

  private static let accepted =
    #"{"key":"9","name":"Curruca communis (Latham, 1787)","rank":"SPECIES","specificEpithet":"communis"}"#
  private static let synonym =
    #"{"key":"7","name":"Sylvia communis Latham, 1787","rank":"SPECIES"}"#
  private static let steps = #"""
    [{"key":"V2","name":"Aves","rank":"CLASS"},{"key":"5","name":"Curruca","rank":"GENUS"},
    {"key":"9","name":"Curruca communis","rank":"SPECIES"}]
    """#

  /// A record of the backbone's Sylvia communis, with this in the Catalogue of Life.
  private func fields(_ newer: String?, lastCrawled: Int = 1) throws -> RecordingFields {
    let older = #""\#(Self.backbone)":{"usage":{"name":"x"}}"#
    let all = newer.map {
      #","classifications":{\#(older),"\#(Self.catalogueOfLife)":\#($0)}"#
    }
    return try RecordingFields(
      json: #"""
        {"key":1,"species":"Sylvia communis","genus":"Sylvia","specificEpithet":"communis","family":"Sylviidae",
        "class":"Aves","taxonRank":"SPECIES","lastCrawled":"\#(lastCrawled)"\#(all ?? "")}
        """#)
  }

  private func details(_ fields: RecordingFields) -> RecordingDetails {
    wire.catalogue.details(
      of: Recording(id: RecordingID(catalogue: .gbif, value: "1"), fields: fields))
  }

  @Test func `the names of a record are those of the accepted taxon in the Catalogue of Life`()
    throws
  {
    let newer =
      #"{"usage":\#(Self.synonym),"acceptedUsage":\#(Self.accepted),"classification":\#(Self.steps)}"#
    let found = details(try fields(newer))
    #expect(found.scientificName == "Curruca communis" && found.genus == "Curruca")
    #expect(found.specificEpithet == "communis" && found.taxonRank == "species")
    // It has no family, so that of the backbone stays.
    #expect(found.family == "Sylviidae" && found.taxonClass == "Aves")
    let subspecies = #"""
      {"usage":{"name":"Curruca communis icterops (Ménétries, 1832)","rank":"SUBSPECIES","specificEpithet":"communis"},
      "classification":[{"name":"Curruca","rank":"GENUS"},{"name":"Curruca communis","rank":"SPECIES"},
      {"name":"Curruca communis icterops","rank":"SUBSPECIES"}]}
      """#
    #expect(details(try fields(subspecies)).scientificName == "Curruca communis icterops")
    #expect(details(try fields(subspecies)).infraspecificEpithet == "icterops")
    let genus = #"""
      {"usage":{"name":"Curruca Bechstein, 1802","rank":"GENUS"},
      "classification":[{"name":"Curruca","rank":"GENUS"}]}
      """#
    #expect(details(try fields(genus)).scientificName == "Curruca")
    #expect(details(try fields(genus)).specificEpithet == nil)
  }

  @Test(arguments: [
    nil, "null", "[]", "7", "\"x\"", "{}", #"{"usage":null}"#, #"{"usage":[],"classification":{}}"#,
    #"{"usage":{"key":7},"acceptedUsage":{"name":""},"classification":[null,1,[],{"name":null}]}"#,
  ])
  func `a record without names there has those of the top level`(_ newer: String?) throws {
    let found = details(try fields(newer))
    #expect(found.scientificName == "Sylvia communis" && found.genus == "Sylvia")
    #expect(found.family == "Sylviidae" && found.taxonRank == "species")
    let odd = try RecordingFields(
      json: #"{"key":1,"species":"Sylvia communis","classifications":[1]}"#)
    #expect(details(odd).scientificName == "Sylvia communis")
  }

  @Test func `of the classifications, the names in the Catalogue of Life count and nothing else`()
    throws
  {
    let volatile = wire.catalogue.volatility
    func isSame(_ first: String?, _ second: String?) throws -> Bool {
      try fields(first).saysSame(as: fields(second, lastCrawled: 2), ignoring: volatile)
    }
    let newer =
      #"{"usage":\#(Self.synonym),"acceptedUsage":\#(Self.accepted),"classification":\#(Self.steps)}"#
    func replaced(_ text: String, _ with: String) -> String { newer.replacing(text, with: with) }
    #expect(try isSame(newer, newer))
    // Keys, further ranks, the name that was found and further members.
    #expect(try isSame(newer, replaced(#""key":"9""#, #""key":"10""#)))
    #expect(try isSame(newer, replaced("Sylvia communis Latham", "Sylvia cinerea Latham")))
    #expect(try isSame(newer, replaced(#"{"usage""#, #"{"issues":["x"],"usage""#)))
    let domain = #""classification":[{"name":"Eukaryota","rank":"DOMAIN"},"#
    #expect(try isSame(newer, replaced(#""classification":["#, domain)))
    #expect(try !isSame(newer, replaced("(Latham, 1787)", "Latham, 1787")))
    #expect(try !isSame(newer, replaced(#""name":"Curruca","#, #""name":"Sylvia","#)))
    #expect(try isSame(nil, #"{"usage":null}"#))
    let unaccepted = #"{"usage":\#(Self.synonym)}"#
    #expect(try !isSame(unaccepted, #"{"usage":\#(Self.accepted)}"#))
  }

  // MARK: Names

  private static let catalogueOfLife = "7ddf754f-d193-4cc9-b351-99906754a03b"
  private static let backbone = "d7dddbf4-2cf0-4f39-9b2a-bb099caae36c"
  private static let nothing =
    #"{"diagnostics":{"matchType":"NONE","confidence":100},"synonym":false}"#

  /// The service's answers to names, and the requests.
  ///
  /// - Parameter older: the answers to keys of the backbone.
  private func lookedUp(
    _ typed: String, match: String? = nothing, older: [String: String] = [:],
    usages: ScriptedAnswer? = nil, backbone: String = #"{"matchType":"NONE"}"#
  ) async throws -> (found: LookedUpQuery, targets: [String]) {
    let server = try ScriptedServer { request in
      if request.path == "/v1/species/match" { return .json(200, backbone) }
      guard request.path == "/v2/species/match" else {
        return usages ?? .json(200, #"{"results":[]}"#)
      }
      let key = request.query("scientificNameID")
      guard let match else { return .json(404, #"{"message":"Entity not found"}"#) }
      return .json(200, key.map { older[$0] ?? Self.nothing } ?? match)
    }
    let query = try wire.catalogue.query(typed)
    let found = try await wire.fetcher(server.url, .small).lookUpNames(of: query)
    return (found, server.requests.map(\.target))
  }

  private func match(
    _ type: String, _ name: String, rank: String = "SPECIES", key: String = "9XYZ"
  ) -> String {
    let usage =
      #"{"key":"\#(key)","name":"\#(name) L.","canonicalName":"\#(name)","rank":"\#(rank)"}"#
    return #"{"usage":\#(usage),"diagnostics":{"matchType":"\#(type)"},"synonym":false}"#
  }

  @Test func `a scientific name becomes a key of the Catalogue of Life, with the name beside it`()
    async throws
  {
    let body = match("EXACT", "Accipiter", rank: "GENUS", key: "62RT4")
    let (found, targets) = try await lookedUp("accipiter", match: body)
    #expect(
      targets == [
        "/v2/species/match?scientificName=accipiter&checklistKey=\(Self.catalogueOfLife)"
      ])
    #expect(
      found.query.requestText
        == "taxonKey=62RT4 (Accipiter, genus)&checklistKey=\(Self.catalogueOfLife)")
    #expect(found.query == (try wire.catalogue.query("accipiter")))
    #expect(
      found.lookup?.taxa == [NameLookup.Taxon(key: "62RT4", name: "Accipiter", rank: "genus")])
  }

  @Test(arguments: [nothing, nil]) func `a name that only the backbone has becomes its key`(
    match: String?
  ) async throws {
    let taxon = #""usageKey":5,"canonicalName":"Larus canus","rank":"SPECIES""#
    let sent = try await lookedUp(
      "larus canus", match: match, backbone: "{\(taxon),\"matchType\":\"EXACT\"}"
    ).found.query.requestText
    #expect(sent == "taxonKey=5 (Larus canus, species)&checklistKey=\(Self.backbone)")
    let fuzzy = try await lookedUp(
      "larus canis", match: match, backbone: "{\(taxon),\"matchType\":\"FUZZY\"}")
    #expect(fuzzy.found.lookup?.taxa.isEmpty == true)
  }

  @Test func `a synonym becomes the accepted taxon`() async throws {
    let body = #"""
      {"usage":{"key":"5","canonicalName":"Parus caeruleus","rank":"SPECIES","status":"SYNONYM"},
      "acceptedUsage":{"key":"6B","canonicalName":"Cyanistes caeruleus","rank":"SPECIES"},
      "diagnostics":{"matchType":"EXACT"},"synonym":true}
      """#
    let sent = try await lookedUp("parus caeruleus", match: body).found.query.requestText
    #expect(sent.hasPrefix("taxonKey=6B (Cyanistes caeruleus, species)&"))
  }

  @Test func `a group that is found as a higher rank under its own name is that group`()
    async throws
  {
    let (found, _) = try await lookedUp(
      "aves", match: match("HIGHERRANK", "Aves", rank: "CLASS", key: "V2"))
    #expect(found.query.requestText.hasPrefix("taxonKey=V2 (Aves, class)&"))
  }

  /// Every form in which a query is stored, and what is requested for it.
  @Test(arguments: [
    ("taxonKey=2480528 (Accipiter, genus)&year=2020", "taxonKey=2480528&year=2020", backbone),
    (
      "taxonKey=62RT4 (A, genus)&checklistKey=\(catalogueOfLife)", "taxonKey=62RT4", catalogueOfLife
    ),
    ("taxonKey=234 (A, genus)&checklistKey=\(catalogueOfLife)", "taxonKey=234", catalogueOfLife),
    ("taxonKey=2480528&checklistKey=\(backbone)", "taxonKey=2480528", backbone),
    ("taxonKey=62RT4", "taxonKey=62RT4", catalogueOfLife),
    ("country=PL", "country=PL", catalogueOfLife),
  ])
  func `the taxonomy of the key is always sent, and the name beside the key is not`(
    _ stored: String, _ sent: String, _ taxonomy: String
  ) async throws {
    let server = try wire.server([])
    let query = try wire.catalogue.query("accipiter").requested(as: stored)
    _ = try await wire.fetcher(server.url, .small).page(1, of: query)
    let target =
      "/v1/occurrence/search?mediaType=Sound&\(sent)&checklistKey=\(taxonomy)&limit=300&offset=0"
    #expect(server.requests.map(\.target) == [target])
  }

  @Test(arguments: [
    (
      "https://www.gbif.org/species/2490719", "https://www.gbif.org/species/2490719", "2490719",
      backbone
    ),
    ("gbif.org/species/2490719/", "https://www.gbif.org/species/2490719", "2490719", backbone),
    (
      "https://www.gbif.org/species/72pql#about", "https://www.gbif.org/species/72PQL", "72PQL",
      catalogueOfLife
    ),
    (
      "https://www.gbif.org/occurrence/search?taxonKey=72PQL", "https://www.gbif.org/species/72PQL",
      "72PQL", catalogueOfLife
    ),
    (
      "https://www.gbif.org/occurrence/search?taxon_key=2490719&view=GALLERY",
      "https://www.gbif.org/species/2490719", "2490719", backbone
    ),
    (
      "https://www.gbif.org/occurrence/search?checklistKey=\(catalogueOfLife)&taxonKey=234",
      "https://www.gbif.org/occurrence/search?taxonKey=234&checklistKey=\(catalogueOfLife)", "234",
      catalogueOfLife
    ),
  ])
  func `the address of a taxon's page is a query`(
    _ typed: String, _ text: String, _ key: String, _ taxonomy: String
  ) throws {
    let query = try wire.catalogue.query(typed)
    #expect(
      query.identity == text && query.requestText == "taxonKey=\(key)&checklistKey=\(taxonomy)")
    #expect(try wire.catalogue.query(query.identity) == query)
    #expect(wire.catalogue.namesTaxon(typed))
  }

  @Test(arguments: [
    "https://www.gbif.org/species/", "https://www.gbif.org/species/search?q=merula",
    "https://www.gbif.org/species/2490719-x", "https://www.gbif.org/occurrence/search?country=PL",
    "https://www.gbif.org/occurrence/search?taxonKey=1&taxonKey=2",
    "https://www.gbif.org/occurrence/search?taxonKey=1&country=PL",
    "https://www.gbif.org/occurrence/search?taxonKey=1&checklistKey=x",
    "https://example.org/species/2490719", "species/2490719", "2490719",
  ])
  func `no other text is the address of a taxon`(_ typed: String) {
    #expect(!wire.catalogue.namesTaxon(typed))
  }

  @Test
  func `an English name is the taxon that has it, and its plural, among the vernacular names`()
    async throws
  {
    let usages = #"""
      {"results":[{"key":1,"nubKey":1,"canonicalName":"Scarus","rank":"GENUS","vernacularNames":[{"vernacularName":"Parrotfish"}]},
      {"key":2,"canonicalName":"Psittaciformes","rank":"ORDER","vernacularNames":[{"vernacularName":"Perroquets","language":"fra"},
      {"vernacularName":"PARROTS","language":"eng"}]}]}
      """#
    let older = ["gbif:2": match("EXACT", "Psittaciformes", rank: "ORDER", key: "3Z9")]
    let (found, targets) = try await lookedUp("parrot", older: older, usages: .json(200, usages))
    let sent = "taxonKey=3Z9 (Psittaciformes, order)&checklistKey=\(Self.catalogueOfLife)"
    #expect(found.query.requestText == sent && found.lookup?.isExact == true)
    #expect(
      targets.dropFirst() == [
        "/v1/species/search?q=parrot&qField=VERNACULAR&datasetKey=\(Self.backbone)&status=ACCEPTED&limit=300",
        "/v2/species/match?scientificNameID=gbif%3A2&checklistKey=\(Self.catalogueOfLife)",
      ])
    // A tag says that it is no scientific name.
    let tagged = try await lookedUp("en:parrot", older: older, usages: .json(200, usages))
    #expect(tagged.targets.count == 2 && tagged.found.query.requestText == sent)
  }

  @Test func `several taxa of one English name are all asked for`() async throws {
    let usages = #"""
      {"results":[{"key":1,"canonicalName":"Erithacus rubecula","rank":"SPECIES","vernacularNames":[{"vernacularName":"Robin"}]},
      {"key":2,"canonicalName":"Turdus migratorius","rank":"SPECIES","vernacularNames":[{"vernacularName":"robin"}]}]}
      """#
    var older = ["gbif:1": match("EXACT", "Erithacus rubecula", key: "3B")]
    // A taxonomy holds for all keys of a request, so both keep theirs if one has none in the newer.
    let kept = try await lookedUp("robin", older: older, usages: .json(200, usages)).found.query
      .requestText
    let keys = "taxonKey=1 (Erithacus rubecula, species)&taxonKey=2 (Turdus migratorius, species)"
    #expect(kept == "\(keys)&checklistKey=\(Self.backbone)")
    older["gbif:2"] = match("EXACT", "Turdus migratorius", key: "3C")
    let sent = try await lookedUp("robin", older: older, usages: .json(200, usages)).found.query
      .requestText
    let newer =
      "taxonKey=3B (Erithacus rubecula, species)&taxonKey=3C (Turdus migratorius, species)"
    #expect(sent == "\(newer)&checklistKey=\(Self.catalogueOfLife)")
  }

  @Test func `a name that is spelled a little differently is asked for and named`() async throws {
    let found = try await lookedUp("turdus merulla", match: match("FUZZY", "Turdus merula")).found
    #expect(found.query.requestText.hasPrefix("taxonKey=9XYZ (Turdus merula, species)&"))
    #expect(found.lookup?.isExact == false)
  }

  @Test func `neither a higher taxon nor a similar name is asked for, but both are suggested`()
    async throws
  {
    let usages =
      #"{"results":[{"key":1,"canonicalName":"Scarus","rank":"GENUS","vernacularNames":[]}]}"#
    let found = try await lookedUp(
      "passer nonexistus", match: match("HIGHERRANK", "Passer", rank: "GENUS"),
      usages: .json(200, usages)
    ).found
    #expect(found.query.requestText == "name=passer nonexistus")
    #expect(
      found.lookup?.taxa == [] && found.lookup?.suggestions.map(\.name) == ["Passer", "Scarus"])
  }

  @Test func `a name that no taxon has finds nothing, without a request`() async throws {
    let (found, _) = try await lookedUp("xyzzy", usages: .json(404, "{}"))
    #expect(found.lookup?.taxa == [])
    let server = try wire.server([wire.record(1)])
    let page = try await wire.fetcher(server.url, .small).page(1, of: found.query)
    #expect(page.recordings == [] && page.next == nil && page.totals?.recordings == 0)
    #expect(server.requests == [])
  }

  @Test func `the taxon of a stored list is kept, unless the query has changed`() throws {
    let fetcher = wire.fetcher(try #require(URL(string: "http://127.0.0.1:1")), .small)
    let query = try wire.catalogue.query("en:parrot year:2020")
    let stored = "taxonKey=2 (Psittaciformes, order)&year=2020"
    #expect(fetcher.knownNames(of: query, stored: stored)?.query.requestText == stored)
    #expect(
      fetcher.knownNames(of: query, stored: stored)?.lookup?.taxa.map(\.name) == ["Psittaciformes"])
    for taxonomy in [Self.backbone, Self.catalogueOfLife] {
      let scoped = "taxonKey=2 (Psittaciformes, order)&checklistKey=\(taxonomy)&year=2020"
      #expect(fetcher.knownNames(of: query, stored: scoped)?.query.requestText == scoped)
    }
    #expect(fetcher.knownNames(of: query, stored: nil) == nil)
    #expect(fetcher.knownNames(of: query, stored: "vernacularName=parrot&year=2020") == nil)
    #expect(fetcher.knownNames(of: query, stored: "taxonKey=2 (Psittaciformes, order)") == nil)
    #expect(fetcher.knownNames(of: try wire.query(), stored: nil)?.lookup == nil)
  }

  @Test func `a lookup fails as a page does`() async throws {
    let server = try ScriptedServer { _ in .json(429, "[]", headers: ["Retry-After": "3"]) }
    await #expect(throws: FetchError.rateLimited(retryAfter: .seconds(3))) {
      try await wire.fetcher(server.url, .small).lookUpNames(of: wire.catalogue.query("parrot"))
    }
    for body in ["{}", "[]", "{"] {
      let server = try ScriptedServer { _ in .json(200, body) }
      await #expect(throws: FetchError.self) {
        try await wire.fetcher(server.url, .small).lookUpNames(of: wire.catalogue.query("parrot"))
      }
    }
  }
}
