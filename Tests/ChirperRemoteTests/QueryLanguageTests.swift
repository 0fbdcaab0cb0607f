import ChirperModel
import Testing

@testable import ChirperRemote

@Suite struct `The language of tags` {
  private func error(_ typed: String) -> QueryError? {
    do throws(QueryError) {
      _ = try XenoCanto.catalogue.query(typed)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [
    ("blackbird", #"en:"blackbird""#, "en:blackbird"),
    ("Grey  Parrot", #"en:"Grey Parrot""#, #"en:"grey parrot""#),
    (#""grey parrot""#, #"en:"grey parrot""#, #"en:"grey parrot""#),
    (#"par"rot \ "#, #"en:"parrot""#, "en:parrot"),
    (#"x" cnt"#, #"en:"x cnt""#, #"en:"x cnt""#),
    (#""a cnt:b""#, #"en:"a cnt:b""#, #"en:"a cnt:b""#),
    ("Cafe\u{301}", "en:\"Caf\u{e9}\"", "en:caf\u{e9}"),
    ("3:1 5%_'", #"en:"3:1 5%_'""#, #"en:"3:1 5%_'""#),
    ("\"\u{301}x", "en:\"\u{301}x\"", "en:\u{301}x"),
    ("cnt:poland", "cnt:poland", "cnt:poland"),
    ("cnt:UK", #"cnt:"United Kingdom""#, #"cnt:"united kingdom""#),
    ("cnt:pl", "cnt:Poland", "cnt:poland"),
    ("cnt:Czechia", #"cnt:"Czech Republic""#, #"cnt:"czech republic""#),
    ("cnt:deu", "cnt:Germany", "cnt:germany"),
    ("cnt:russ", "cnt:russ", "cnt:russ"),
    ("cnt:niger", #"cnt:"=Niger""#, #"cnt:"=niger""#),
    (#"cnt:"=UK""#, #"cnt:"=UK""#, #"cnt:"=uk""#),
    ("cnt:holland", "cnt:Netherlands", "cnt:netherlands"),
    (#"cnt:"ivory coast""#, #"cnt:"ivory coast""#, #"cnt:"ivory coast""#),
    ("cnt:new", "cnt:new", "cnt:new"),
    (#"cnt:"Poland""#, #"cnt:"Poland""#, "cnt:poland"),
    ("CNT:Poland  q:A", "cnt:Poland q:A", "cnt:poland q:a"),
    ("q:a cnt:poland", "q:a cnt:poland", "cnt:poland q:a"),
    (
      #"cnt:"south africa" gen:ara"#, #"cnt:"south africa" gen:ara"#, #"cnt:"south africa" gen:ara"#
    ),
    (#"en:"=Common Blackbird""#, #"en:"=Common Blackbird""#, #"en:"=common blackbird""#),
    ("q:>C", #"q:">C""#, #"q:">c""#), (#"q:">C""#, #"q:">C""#, #"q:">c""#),
    ("q:<c", #"q:"<c""#, #"q:"<c""#),
    ("len:10-15", "len:10-15", "len:10-15"), (#"len:"10-15""#, "len:10-15", "len:10-15"),
    ("len:>120", #"len:">120""#, #"len:">120""#),
    (#"len:"=19.8""#, #"len:"=19.8""#, #"len:"=19.8""#),
    ("lat:-12.5 lon:<-3", #"lat:-12.5 lon:"<-3""#, #"lat:-12.5 lon:"<-3""#),
    ("box:-1,2.5,3,-4", "box:-1,2.5,3,-4", "box:-1,2.5,3,-4"),
    (#"rmk:"say \"hi\" \\ \n""#, #"rmk:"say \"hi\" \\ \\n""#, #"rmk:"say \"hi\" \\ \\n""#),
    ("since:3", "since:3", "since:3"), ("since:2026-03-31", "since:2026-03-31", "since:2026-03-31"),
    ("nr:88888-88890", "nr:88888-88890", "nr:88888-88890"),
    ("area:Europe", "area:Europe", "area:europe"),
    ("Country:Poland family:turdidae", "cnt:Poland fam:turdidae", "cnt:poland fam:turdidae"),
    (
      "seen:YES auto:no month:12 year:>2020", #"seen:YES auto:no month:12 year:">2020""#,
      #"auto:no month:12 seen:yes year:">2020""#
    ),
    ("rec:a:b", "rec:a:b", "rec:a:b"),
    ("type:song type:call type:song", "type:song type:call type:song", "type:call type:song"),
  ]) func `turns typed text into the text that is sent and the normalised text`(
    _ typed: String, _ sent: String, _ text: String
  )
    throws
  {
    let query = try XenoCanto.catalogue.query(typed)
    #expect(query.requestText == sent)
    #expect(query.identity == text)
    #expect(query.typed == (try CatalogueQuery.cleaned(typed)))
    // What is sent, typed again, is the same query.
    #expect(try XenoCanto.catalogue.query(sent) == query)
    #expect(try XenoCanto.catalogue.query(text) == query)
  }

  @Test func `takes plain words as a scientific name if asked to`() throws {
    let query = try XenoCanto.catalogue.query("Larus fuscus", scientific: true)
    #expect(query.requestText == #"sp:"Larus fuscus""#)
    #expect(query == (try XenoCanto.catalogue.query(#"sp:"larus fuscus""#)))
    #expect(
      try XenoCanto.catalogue.query("cnt:poland", scientific: true).requestText == "cnt:poland")
    #expect(try XenoCanto.catalogue.query("Larus", scientific: true).requestText == "gen:Larus")
    #expect(
      try XenoCanto.catalogue.query("larus fuscus graellsii", scientific: true).requestText
        == #"sp:"larus fuscus" ssp:graellsii"#)
  }

  @Test(arguments: [
    ("turdus", ["gen:turdus"]), ("Turdus Merula", [#"sp:"Turdus Merula""#]),
    ("blyth's reed warbler", []), ("słowik", []),
    ("a b c d", []), ("en:turdus", []), ("XC1", []),
  ]) func `asks letters as a scientific name next`(_ typed: String, _ sent: [String]) throws {
    #expect(try XenoCanto.catalogue.query(typed).alternatives.map(\.requestText) == sent)
  }

  @Test(arguments: [
    "363793", "XC363793", "xc 363793", "XC-363793", "https://xeno-canto.org/363793",
    "http://www.xeno-canto.org/363793/",
    "xeno-canto.org/363793?x=1", "//xeno-canto.org/363793",
  ]) func `knows a recording by its number and by its page`(_ typed: String) throws {
    #expect(try XenoCanto.catalogue.query(typed).requestText == "nr:363793")
    #expect(XenoCanto.catalogue.ids(for: typed).map(\.value) == ["363793"])
  }

  @Test(arguments: [
    (INaturalist.catalogue, "https://www.inaturalist.org/observations/329926439", "329926439"),
    (GBIF.catalogue, "http://gbif.org/occurrence/4049637966?x=1", "4049637966"),
    (GBIF.catalogue, "4049637966-1a2b3c4d", "4049637966-1a2b3c4d"),
  ]) func `knows a record by its page`(_ catalogue: Catalogue, _ typed: String, _ id: String) {
    #expect(catalogue.ids(for: typed).map(\.value) == [id])
  }

  @Test(arguments: [
    "https://xeno-canto.org/explore?query=x", "https://example.org/363793",
    "https://xeno-canto.org/363793x",
  ])
  func `takes no other address`(_ typed: String) {
    #expect(throws: QueryError.self) { try XenoCanto.catalogue.query(typed) }
  }

  @Test(arguments: [
    ("ann:yes grp:bats", "ann:yes grp:bats"),
    (#"ann_sp:"corvus corax""#, #"ann_sp:"corvus corax""#),
    ("ann_type:song ANN_SEX:male", "ann_type:song ann_sex:male"),
  ]) func `takes the tags of annotations`(_ typed: String, _ sent: String) throws {
    #expect(try XenoCanto.catalogue.query(typed).requestText == sent)
    #expect(throws: QueryError.self) { try XenoCanto.catalogue.query("ann:perhaps") }
  }

  @Test(arguments: [
    ("ctn:poland", "ctn", ["cnt", "en"] as [String]),
    ("genus:larus", "genus", ["gen"]),
    ("q_gt:C", "q_gt", [#"q:">C""#]), ("len_lt:30", "len_lt", [#"len:"<30""#]),
    ("bird-seen:yes", "bird-seen", ["seen"]),
    ("playback-used:no", "playback-used", ["playback"]), ("lng:3", "lng", ["lon"]),
    ("http://x", "http", []),
    ("sic:x", "sic", ["lic", "mic", "sex"]), ("date:2019-05-01", "date", ["year:2019 month:5"]),
    ("date:2019", "date", ["year:2019"]),
  ]) func `suggests the tag that was meant`(_ typed: String, _ tag: String, _ nearest: [String]) {
    switch error(typed)?.reason {
    case .unknownTag(tag, let found), .mistypedTag(tag, let found, _):
      #expect(found.first == nearest.first)
    case let other: Issue.record("\(String(describing: other))")
    }
  }

  @Test(arguments: [
    ("qq:A", "q", #"=qq:A"#), ("tpye:song", "type", "=tpye:song"),
    ("typ:song", "type", "=typ:song"),
    ("tyqe:song", "type", "=tyqe:song"), ("mmethod:x", "method", "=mmethod:x"),
    (#"loc:x ccnt:"south africa""#, "cnt", #"=ccnt:"south africa""#),
  ]) func `a slip of a tag is refused, and an equals sign sends it`(
    _ typed: String, _ meant: String, _ exact: String
  ) throws {
    guard case .mistypedTag(_, let nearest, exact) = error(typed)?.reason else {
      Issue.record("\(String(describing: error(typed)))")
      return
    }
    #expect(nearest.contains(meant))
    let query = try XenoCanto.catalogue.query(exact)
    #expect(query.requestText == String(exact.dropFirst()) && query.typed == exact)
    #expect(XenoCanto.catalogue.unknownTags(of: query).count == 1)
  }

  @Test func `a word for a tag is sent as it is after an equals sign`() throws {
    let query = try XenoCanto.catalogue.query("=country:poland")
    #expect(query.requestText == "country:poland")
    #expect(XenoCanto.catalogue.unknownTags(of: query) == ["country"])
  }

  @Test(arguments: [
    ("foo:bar q:a", "foo:bar q:a", ["foo"] as [String]),
    (#"foo:"Bar" foo:2"#, #"foo:"Bar" foo:2"#, ["foo"]),
    ("tyope:song", "tyope:song", ["tyope"]), ("x:1,2 y-z:3", "x:1,2 y-z:3", ["x", "y-z"]),
    (#"foo:"a b,c""#, #"foo:"a b,c""#, ["foo"]), (#"foo:">3""#, #"foo:">3""#, ["foo"]),
    ("ann_sp:merula ann:yes q:A", "ann_sp:merula ann:yes q:A", []), ("parrot", #"en:"parrot""#, []),
    (#"en:"foo:bar""#, #"en:"foo:bar""#, []),
  ]) func `sends a tag that is not known as it is typed`(
    _ typed: String, _ sent: String, _ unknown: [String]
  ) throws {
    let query = try XenoCanto.catalogue.query(typed)
    #expect(query.requestText == sent)
    #expect(XenoCanto.catalogue.unknownTags(of: query) == unknown)
    #expect(try XenoCanto.catalogue.query(query.identity).identity == query.identity)
  }

  @Test(arguments: ["foo:bar", "=foo:bar", "=q:A foo:bar"])
  func `only xeno-canto takes tags that are not known`(_ typed: String) throws {
    for catalogue in [GBIF.catalogue, INaturalist.catalogue, Sample.catalogue] {
      #expect(throws: QueryError.self, "\(catalogue.id)") { try catalogue.query(typed) }
    }
    #expect(throws: QueryError(.missingValue(tag: "foo"))) { try XenoCanto.catalogue.query("foo:") }
    #expect(throws: QueryError(.unknownTag("https", nearest: []))) {
      try XenoCanto.catalogue.query("https://example.org/x")
    }
  }

  @Test(arguments: [
    ("cnt:", "cnt"), ("cnt: poland", "cnt"), (#"cnt:"""#, "cnt"), (#"en:" ""#, "en"),
  ]) func `needs a value after the colon`(_ typed: String, _ tag: String) {
    #expect(error(typed) == QueryError(.missingValue(tag: tag)))
  }

  @Test(arguments: [
    ("q:F", "q", "F", "A, B, C, D, E, \"<C\" or \">C\""),
    ("q:>", "q", ">", "A, B, C, D, E, \"<C\" or \">C\""),
    ("area:asiaa", "area", "asiaa", "africa, america, asia, australia or europe"),
    ("seen:maybe", "seen", "maybe", "yes or no"),
    ("month:13", "month", "13", "a month from 1 to 12"),
    ("since:yesterday", "since", "yesterday", "a number of days or a date, 2026-03-31"),
    ("len:long", "len", "long", "a number, a range 10-20, \"<10\" or \">10\""),
    ("box:1,2,3", "box", "1,2,3", "south,west,north,east in degrees, without spaces"),
    ("nr:XC5", "nr", "XC5", "numbers and ranges, 76967,88888-88890"),
    ("nr:5,", "nr", "5,", "numbers and ranges, 76967,88888-88890"),
    ("q:A,B", "q", "A,B", "A, B, C, D, E, \"<C\" or \">C\""),
    (
      "cnt:poland,germany", "cnt", "poland,germany",
      "one value, in double quotes if the comma is part of it; several are for chirper search"
    ),
    (#"en:par"rot"#, "en", #"par"rot"#, "quotes around all of it or none"),
    (#"en:"par"rot"#, "en", "par", "quotes around all of it or none"),
  ]) func `reports which values a tag takes`(
    _ typed: String, _ tag: String, _ value: String, _ expected: String
  ) {
    #expect(error(typed) == QueryError(.badValue(tag: tag, value: value, expected: expected)))
  }

  @Test(arguments: [
    ("parrot cnt:peru", #"en:"parrot" cnt:peru"#),
    ("cnt:peru grey parrot", #"en:"grey parrot" cnt:peru"#),
    (#"blackbird type:song q:A"#, #"en:"blackbird" type:song q:A"#),
    (#"cnt:peru "grey parrot" sp:x"#, #"en:"grey parrot" cnt:peru sp:x"#),
  ]) func `sends words beside tags as an English name`(_ typed: String, _ sent: String) throws {
    let query = try XenoCanto.catalogue.query(typed)
    #expect(query.requestText == sent)
    #expect(try query == XenoCanto.catalogue.query(sent))
  }

  @Test func `asks for words beside tags as a scientific name too`() throws {
    let query = try XenoCanto.catalogue.query("turdus merula q:A")
    #expect(query.alternatives.map(\.requestText) == [#"sp:"turdus merula" q:A"#])
    #expect(try XenoCanto.catalogue.isScientific(#require(query.alternatives.first)))
    #expect(
      try XenoCanto.catalogue.query("q:A turdus m a", scientific: true).requestText
        == #"sp:"turdus m" ssp:a q:A"#)
    // A genus has no hyphen, and a name with a tag is one already.
    #expect(try XenoCanto.catalogue.query("barn-swallow").alternatives == [])
    #expect(try XenoCanto.catalogue.query("polygonia c-album").alternatives.count == 1)
    #expect(try XenoCanto.catalogue.query("merula gen:turdus").alternatives == [])
  }

  @Test(arguments: [
    ("en:grey parrot", "parrot", #"en:"grey parrot""#),
    ("en:grey parrot cnt:south africa", "parrot africa", #"en:"grey parrot" cnt:"south africa""#),
  ]) func `suggests one name for words beside a name`(
    _ typed: String, _ words: String, _ suggestion: String
  ) throws {
    #expect(error(typed) == QueryError(.mixed(words: words, suggestion: suggestion)))
    _ = try XenoCanto.catalogue.query(suggestion)
  }

  @Test(arguments: [
    (GBIF.catalogue, "blackbird year:2020", "name=blackbird&year=2020"),
    (GBIF.catalogue, "year:2020 Turdus merula", "name=Turdus merula&year=2020"),
    (INaturalist.catalogue, "blackbird lic:BY", "taxon=blackbird&license=cc-by"),
  ]) func `takes words beside tags as a name of either kind`(
    _ catalogue: Catalogue, _ typed: String, _ sent: String
  ) throws {
    let query = try catalogue.query(typed)
    #expect(query.requestText.hasPrefix(String(sent.prefix(while: { $0 != "&" }))))
    #expect(query.requestText.split(separator: "&").count >= 2)
    #expect(
      try catalogue.query(query.identity).requestText.lowercased() == query.requestText.lowercased()
    )
    #expect(throws: QueryError.self) { try catalogue.query("\(typed) gen:turdus") }
    #expect(throws: QueryError.self) { try catalogue.query("blackbird year:2020 year:2021") }
  }

  @Test(arguments: [#"en:"parrot"#, #"en:"par\""#, #"cnt:""#]) func `needs closing quotes`(
    _ typed: String
  ) {
    #expect(error(typed) == QueryError(.unclosedQuote))
  }

  @Test(arguments: ["", " \t\n", "\"", "\\ \"\""]) func `refuses a query without words`(
    _ typed: String
  ) {
    #expect(error(typed) == QueryError(.blank))
  }

  @Test func `accepts or refuses any text without a trap`() throws {
    var random = SeededRandom(seed: 1)
    let pieces = [
      "en:", "q:", "\"", "\\", " ", "a", ":", ">", "=", "\u{301}", "é", "%", "_", "-", "1",
      "\u{1F99C}", "'", ";--", "cnt",
    ]
    var taken = 0
    for _ in 0..<3000 {
      let typed = (0...random.number(0...12)).map { _ in random.element(pieces) }.joined()
      guard let query = try? XenoCanto.catalogue.query(typed) else { continue }
      taken += 1
      #expect(try XenoCanto.catalogue.query(query.requestText) == query, "\(typed)")
      #expect(try XenoCanto.catalogue.query(query.identity) == query, "\(typed)")
      #expect(try XenoCanto.catalogue.query(query.identity).identity == query.identity, "\(typed)")
    }
    #expect(taken > 300)
  }
}
