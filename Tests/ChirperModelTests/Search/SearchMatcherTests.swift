import ChirperTestSupport
import Foundation
import Testing

@testable import ChirperModel

/// What each tag finds, in the meanings that xeno-canto documents for its own.
@Suite struct `A search` {
  /// A term, and the values of a detail that satisfy it and that do not.
  struct Case: Sendable {
    let text: String
    let yes: [String]
    let no: [String]

    init(_ text: String, _ yes: [String], not no: [String]) {
      (self.text, self.yes, self.no) = (text, yes, no)
    }
  }

  private static let now = Date(timeIntervalSince1970: 1_781_524_800)  // 2026-06-15 12:00 UTC

  private func finds(_ text: String, _ details: RecordingDetails, _ context: SearchContext? = nil)
    throws -> Bool
  {
    let catalogues = ["xeno-canto", "itunes"].map { CatalogueID(rawValue: $0) }
    let expression = try SearchExpression(text, catalogues: catalogues)
    let lists: [ListName: Set<Int64>] = [
      .typed("a"): [1], .typed("b"): [2], .typed("both"): [1, 2],
    ]
    let matcher = try SearchMatcher(
      expression, now: Self.now, lists: lists, storedNames: ["a", "b", "both", "gbif:own"])
    return matcher.matches(details, context ?? SearchContext(catalogue: catalogues[0]))
  }

  private func check(_ cases: Case, _ set: (inout RecordingDetails, String) -> Void) throws {
    for (values, expected) in [(cases.yes, true), (cases.no, false)] {
      for value in values {
        var details = RecordingDetails()
        set(&details, value)
        #expect(try finds(cases.text, details) == expected, "\(cases.text) in \(value)")
        #expect(try finds("-" + cases.text, details) == !expected, "-\(cases.text) in \(value)")
      }
    }
    #expect(try !finds(cases.text, RecordingDetails()))
    #expect(try finds("-" + cases.text, RecordingDetails()))
  }

  @Test func `any and none ask whether there is a value`() throws {
    var known = RecordingDetails()
    known.genus = "Turdus"
    known.specificEpithet = "merula"
    known.infraspecificEpithet = "merula"
    known.vernacularName = "Common Blackbird"
    known.group = "birds"
    (known.country, known.countryCode) = ("Poland", "PL")
    known.locality = "Kew"
    known.recordedBy = "Ewa"
    known.occurrenceRemarks = "any"
    known.associatedTaxa = ["Strix aluco"]
    known.behavior = ["song"]
    known.sex = ["male"]
    known.lifeStage = ["adult"]
    known.samplingProtocol = "field recording"
    known.quality = .a
    known.seconds = 0
    known.licence = RecordingDetails.Licence(other: "ours")
    known.eventDate = PartialDate("2024-05")
    known.eventTime = PartialDate.TimeOfDay("07:30")
    known.available = PartialDate("2024-05-06")
    known.catalogNumber = "XC1"
    known.coordinate = RecordingDetails.Coordinate(latitude: 0, longitude: 0)
    known.elevation = 0
    known.coordinateUncertaintyInMeters = 5
    known.dataGeneralizations = "the place is obscured"
    known.issues = [.coordinate]
    var annotation = RecordingDetails.Annotation()
    annotation.scientificName = "Strix aluco"
    (annotation.behavior, annotation.sex, annotation.lifeStage) = (["song"], ["male"], ["adult"])
    annotation.identifiedBy = "Ewa"
    known.annotations = [annotation]
    for tag in SearchTag.allCases where !tag.columns.isEmpty {
      #expect(
        try finds("\(tag.rawValue):any", known) && !finds("\(tag.rawValue):none", known), "\(tag)")
      #expect(
        try !finds("\(tag.rawValue):any", RecordingDetails())
          && finds("\(tag.rawValue):NONE", RecordingDetails()), "\(tag)")
    }
    var inList = SearchContext(catalogue: .xenoCanto)
    (inList.lists, inList.leftLists, inList.isAudioDownloaded) = ([1], [2], true)
    (inList.entered, inList.changedAt) = ([1: Self.now], Self.now)
    for tag in [SearchTag.list, .new, .changed, .audio] {
      #expect(
        try finds("\(tag.rawValue):any", known, inList)
          && !finds("\(tag.rawValue):none", known, inList), "\(tag)")
      #expect(
        try !finds("\(tag.rawValue):any", known) && finds("\(tag.rawValue):none", known), "\(tag)")
    }
    for context in [inList, SearchContext(catalogue: .xenoCanto)] {
      #expect(try finds("gone:any", known, context) && !finds("-gone:any", known, context))
    }
    #expect(try !finds("gone:none", known, inList) && finds("gone:none", known))
    #expect(
      try finds("q:none,A", known) && finds("q:none,A", RecordingDetails())
        && !finds("q:none,B", known))
    #expect(try finds(#"rmk:"=any""#, known) && !finds(#"rmk:"=any""#, RecordingDetails()))
    #expect(
      try finds(#"uncertain:"<1000" obscured:yes"#, known)
        && finds("obscured:no", RecordingDetails()))
    var withheld = RecordingDetails()
    withheld.informationWithheld = "the place"
    #expect(try finds("obscured:yes", withheld))
  }

  @Test(arguments: [Case("nr:999999999999999", ["XC999999999999999"], not: ["XC9999999999999990"])])
  func `by number finds a catalogue number of at most fifteen digits`(_ cases: Case) throws {
    try check(cases) { $0.catalogNumber = $1 }
  }

  @Test(arguments: [("OR", "commas"), ("AND", "leave"), ("NOT", "-type"), ("|", "commas")])
  func `what joins conditions elsewhere is refused with what does it here`(
    _ word: String, _ instead: String
  ) throws {
    let error = #expect(throws: SearchExpressionError.self) {
      try finds("robin \(word) wren", RecordingDetails())
    }
    #expect(error?.position == 7)
    guard case .operatorWord(word, let text)? = error?.reason else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(text.lowercased().contains(instead))
    _ = try finds("robin \"\(word == "|" ? "or" : word)\" wren", RecordingDetails())
  }

  @Test(arguments: [
    Case(
      "sp:fus", ["Larus fuscus", "Larus fuscus intermedius", "Fuscus major"],
      not: ["Larus infuscus", "Larus"]),
    Case(
      #"sp:"larus fuscus""#, ["Larus fuscus", "Larus fuscus intermedius"],
      not: ["Larus fuscu", "Xema fuscus"]),
    Case(
      #"sp:"=fuscus""#, ["Larus fuscus", "Larus fuscus graellsii"],
      not: ["Larus fuscusa", "Fuscus major"]),
    Case(
      #"sp:"=larus fuscus""#, ["Larus fuscus", "Larus fuscus graellsii"], not: ["Larus fuscusa"]),
    Case(#"sp:"=larus""#, ["Larus"], not: ["Larus fuscus"]),
  ]) func `by species finds the epithet and the scientific name`(_ cases: Case) throws {
    try check(cases) { details, name in
      let parts = name.split(separator: " ").map(String.init)
      (details.scientificName, details.genus) = (name, parts[0])
      if parts.count > 1 { details.specificEpithet = parts[1] }
    }
  }

  @Test(
    arguments: [
      ("date:2023", true), ("date:2023-08", true), ("date:2023-08-13", true),
      ("date:2023-08-15", true),
      ("date:2023-08-16", true), ("date:2023-08-12", false), ("date:2023-08-17", false),
      ("date:2023-09", false), ("date:2022", false), ("date:any", true), ("date:none", false),
      ("month:8", true), ("date:2022-2023", true), ("date:2023-07-2023-08", true),
      (#"date:">2023-08-15""#, true), (#"date:">2023-08-16""#, false), ("date<2023-08-14", true),
      ("date<2023-08-13", false),
    ])
  func `an interval is found by each date that overlaps it`(text: String, isFound: Bool) throws {
    var details = RecordingDetails()
    let (first, last) = try (
      #require(PartialDate("2023-08-13")), #require(PartialDate("2023-08-16"))
    )
    details.eventInterval = PartialDate.Interval(from: first, through: last)
    details.eventDate = details.eventInterval?.common
    #expect(try finds(text, details) == isFound && finds("-" + text, details) == !isFound)
  }

  @Test(arguments: [
    ("2024-05-17", ["date:2024", "date>2024-05-16", "date<2024-06", "date:2023-2024"]),
    ("2024-05", ["date:2024-05", "date:2024-05-2024-05", "date>2024-04", "date<2024-06-01"]),
    ("2024", ["date:2024", "date>2023-12-31", "date<2025"]),
  ])
  func `a date is found by a range that has every day that it may be`(
    date: String, found: [String]
  ) throws {
    var details = RecordingDetails()
    details.eventDate = PartialDate(date)
    for text in found { #expect(try finds(text, details), "\(text)") }
    for text in [
      "date:2024-05-01-2024-05-16", "date<2024-05-17", "date>2024-05-17", "date:2025-2026",
      "date:2024-06-2024-12",
    ] {
      #expect(try !finds(text, details), "\(text)")
    }
    for text in ["date:2025-2024", "date:2024-2024-05", #"date:">2023-2024""#, "date:2024-13"] {
      #expect(throws: SearchExpressionError.self) { try finds(text, details) }
    }
  }

  @Test func `an interval of two years is found by both, and counts in neither`() throws {
    var details = RecordingDetails()
    let (first, last) = try (#require(PartialDate("2022-12")), #require(PartialDate("2023-01")))
    details.eventInterval = PartialDate.Interval(from: first, through: last)
    #expect(details.eventInterval?.common == nil)
    #expect(try finds("date:2022-12-24 date:2023-01-31 date:any -year:2022 year:none", details))
    #expect(try !finds("date:2023-02-01", details) && !finds("date:2022-11-30", details))
  }

  @Test func `a country without a part of the world is in none`() throws {
    for (text, code, isKnown) in [("Poland", "PL", true), ("Antarctica", "AQ", false)] {
      var details = RecordingDetails()
      (details.country, details.countryCode) = (text, code)
      #expect(try finds("area:any", details) == isKnown && finds("area:none", details) != isKnown)
    }
    var details = RecordingDetails()
    details.country = "Atlantis"
    #expect(try !finds("area:any", details) && finds("cnt:any area:none", details))
    (details.country, details.countryCode) = (nil, "PL")
    #expect(try finds("cnt:any cnt:poland area:europe", details))
  }

  @Test func `what a code or another name was taken for is known`() throws {
    let search = try SearchExpression(
      #"cnt:UK,poland,"=us",new -cnt:"cote d'ivoire" cnt:XK"#, catalogues: [])
    #expect(
      search.countryReadings == [
        "cnt:UK is taken as United Kingdom", #"cnt:"cote d'ivoire" is taken as Ivory Coast"#,
        "cnt:XK is taken as Kosovo",
      ])
  }

  @Test(arguments: ["type:male", "TYPE:Male", #"type:" male ""#, "type:måle"])
  func `by a type that is a sex finds that type and that sex`(_ text: String) throws {
    try check(Case(text, ["male", "female,male"], not: ["female"])) {
      $0.sex = $1.split(separator: ",").map(String.init)
    }
    try check(Case(text, ["male"], not: ["female"])) { $0.behavior = ["song", $1] }
  }

  @Test
  func
    `by a type that is a stage finds that type and that stage, and the type alone with an equals sign`()
    throws
  {
    try check(Case("type:adult", ["adult"], not: ["subadult"])) { $0.lifeStage = [$1] }
    try check(Case("type:adult", ["adult"], not: ["subadult"])) { $0.behavior = [$1] }
    try check(Case(#"type:"=adult""#, ["adult"], not: ["song"])) { $0.behavior = [$1] }
    try check(Case(#"type:"=adult""#, [], not: ["adult"])) { $0.lifeStage = [$1] }
  }

  @Test(arguments: [
    Case("since:3", ["2026-06-12", "2026-06-15", "2027"], not: ["2026-06-11", "2026-06", "2026"]),
    Case("since:0", ["2026-06-15"], not: ["2026-06-14"]),
    Case("since:2026-01-31", ["2026-01-31", "2026-02"], not: ["2026-01-30", "2026-01", "2026"]),
    Case("since:99999", ["1800-01-01"], not: ["1700-01-01"]),
  ]) func `by upload date finds what is surely not older`(_ cases: Case) throws {
    try check(cases) { $0.available = PartialDate($1) }
  }

  @Test(arguments: [
    Case("lat:52", ["51,0", "53,0"], not: ["50.9,0", "53.1,0"]),
    Case("lat:-5--3", ["-4,0", "-3,0"], not: ["-2.9,0"]),
    Case(#"lat:"<0""#, ["-0.1,0"], not: ["0,0"]),
    Case("lon:-180", ["0,-180", "0,-179"], not: ["0,179.5"]),
    Case(#"lon:">10""#, ["0,10.1"], not: ["0,10"]),
    Case(#"lon:"=10.5""#, ["0,10.5"], not: ["0,10"]),
    Case("box:51,12,53,18", ["51,12", "53,18", "52,15"], not: ["50.9,15", "52,18.1", "15,52"]),
    Case(
      "box:-10,170,10,-170", ["0,175", "0,-175", "0,180", "0,-180"],
      not: ["0,0", "0,169", "11,175"]),
    // A degree of a great circle is 111.2 km.
    Case("near:52,15,112", ["52,15", "53,15", "51,15", "52,16.6"], not: ["53.01,15", "52,16.7"]),
    Case("near:0,179.9,25", ["0,-179.9", "0,179.8"], not: ["0,-179.8", "0,0"]),
    Case("near:90,0,112", ["89,180", "89,0"], not: ["88.9,0"]),
    Case("near:-33.25,13.4,0", ["-33.25,13.4"], not: ["-33.2501,13.4"]),
    Case("near:0,0,20016", ["0,180", "90,0"], not: []),
  ]) func `by place in degrees finds coordinates`(_ cases: Case) throws {
    try check(cases) { details, text in
      let parts = text.split(separator: ",").compactMap { Double($0) }
      details.coordinate = RecordingDetails.Coordinate(latitude: parts[0], longitude: parts[1])
    }
  }

  @Test(arguments: [
    Case("fam:muscicapidae", ["Erithacus rubecula", "Luscinia sp."], not: ["Turdus merula"]),
    Case("family:Turd", ["Turdus merula mauritanicus", "Turdus", "Turdidae"], not: ["Sturnus"]),
    Case(#"fam:"=turdidae""#, ["Turdus merula"], not: ["Strix aluco"]),
    Case(#"fam:"=turd""#, [], not: ["Turdus merula"]),
    // A plant, and a frog whose catalogue has its family.
    Case("fam:ranidae", ["Rana temporaria;Rana;Ranidae;Amphibia"], not: ["Rana temporaria"]),
    Case("fam:muscicapidae", [], not: ["Oenanthe crocata;;Apiaceae;Magnoliopsida"]),
    // The list has Bubo scandiacus, and another catalogue's family does not count.
    Case("fam:strigidae", ["Nyctea scandiaca;Snowy Owl", "Bubo bubo;;Bubonidae"], not: ["?"]),
    Case("fam:any", ["Turdus", "X y;;Ranidae"], not: ["Animalia", "Rana temporaria"]),
  ]) func `by family finds those of its species and genera in the list`(_ cases: Case) throws {
    try check(cases) { details, text in
      let parts = text.split(separator: ";", omittingEmptySubsequences: false).map(String.init)
      details.scientificName = parts[0]
      for (index, part) in parts.enumerated() where !part.isEmpty {
        switch index {
        case 1: details.vernacularName = part
        case 2: details.family = part
        case 3: details.taxonClass = part
        default: break
        }
      }
    }
  }

  @Test(arguments: [
    Case("alt:100", ["100"], not: ["101"]),
    Case(#"alt:"<0""#, ["-3"], not: ["0"]),
    Case("alt:-5-5", ["-5", "5"], not: ["6"]),
  ]) func `by elevation finds metres`(_ cases: Case) throws {
    try check(cases) { $0.elevation = Double($1) }
  }

  @Test(arguments: [
    Case("lic:BY", ["by/4.0", "by/2.5"], not: ["by-nc/4.0", "by-sa/4.0", "zero", "sample"]),
    Case("lic:BY", ["cc-by", "http://creativecommons.org/licenses/by/"], not: ["cc-by-nc", "by"]),
    Case(#"lic:"BY 4.0""#, ["by/4.0"], not: ["cc-by", "http://creativecommons.org/licenses/by/"]),
    Case("lic:BY-NC", ["CC BY-NC", "by-nc/4.0"], not: ["cc-by", "cc-by-nc-nd"]),
    Case("lic:by-nc-sa", ["by-nc-sa/3.0", "by-nc-sa/4.0"], not: ["by-nc-nd/4.0", "by-nc/4.0"]),
    Case(#"lic:" BY-SA ""#, ["by-sa/3.0"], not: ["by/4.0"]),
    Case(#"lic:"CC BY-SA 4.0""#, ["by-sa/4.0"], not: ["by-sa/3.0"]),
    Case("lic:CC-BY-4.0", ["by/4.0"], not: ["by/3.0"]),
    Case("lic:PD", ["zero", "mark"], not: ["by/4.0", "sample"]),
    Case("lic:CC0", ["zero"], not: ["by/4.0"]),
    Case("lic:CC", ["by/4.0", "zero"], not: ["sample", "mark"]),
    Case("lic:sam", ["sample"], not: ["by/4.0", "a sample"]),
    Case(#"lic:"=sample""#, ["Sample"], not: ["samples"]),
    Case(#"lic:"=BY""#, ["by/4.0"], not: ["by-nc/4.0"]),
  ]) func `by licence finds its code in any version, or its name`(_ cases: Case) throws {
    try check(cases) { details, text in
      let path = text == "zero" || text == "mark" ? "publicdomain/\(text)/1.0" : "licenses/\(text)"
      details.licence =
        RecordingDetails.Licence(creativeCommons: "//creativecommons.org/\(path)/")
        ?? RecordingDetails.Licence(other: text)
    }
  }

  @Test func `by bare words looks into types and background species, and into nothing else`() throws
  {
    var details = RecordingDetails()
    details.behavior = ["song", "needle call"]
    #expect(try finds("needle", details))
    details.behavior = []
    details.associatedTaxa = ["x", "Needle bird"]
    #expect(try finds("needle", details))
    details.associatedTaxa = []
    (details.rightsHolder, details.pageAddress, details.audioAddress) = (
      "needle", "https://needle", "https://needle"
    )
    (details.sex, details.lifeStage, details.samplingProtocol) = (["needle"], ["needle"], "needle")
    (details.catalogNumber, details.group, details.licence) = (
      "needle", "needle", RecordingDetails.Licence(other: "needle")
    )
    #expect(try !finds("needle", details))
  }

  @Test func `finds what satisfies every term, in any order and in different details`() throws {
    var details = RecordingDetails()
    (details.vernacularName, details.country, details.quality) = ("Tawny Owl", "Åland", .b)
    details.associatedTaxa = ["Łoś"]
    #expect(try finds("owl aland los q:B", details))
    #expect(try finds("q:B los -robin owl", details))
    #expect(try !finds("owl robin", details))
    #expect(try !finds("owl -los", details))
    #expect(try !finds("-los owl", details))
    #expect(try !finds("owl q:A", details))
    let most = Array(repeating: "owl", count: 99).joined(separator: " ")
    #expect(try finds("\(most) los", details))
    #expect(try !finds("\(most) robin", details))
    #expect(try !finds("\(most) -los", details))
  }

  @Test(
    arguments: [
      ("in:a", [1], [], true), ("in:a", [2], [], false), ("in:a", [], [1], false),
      ("in:both", [2], [], true),
      ("-in:a", [], [], true),
      ("in:a in:b", [1, 2], [], true), ("in:a in:b", [1], [], false), ("in:a -in:b", [1], [], true),
      ("in:a -in:b", [1, 2], [], false),
      ("gone:yes", [], [1], true), ("gone:yes", [2], [1], true), ("gone:yes", [1], [], false),
      ("gone:no", [1], [], true),
      ("gone:no", [], [1], false), ("-gone:no", [], [1], true), ("in:a gone:yes", [], [1], true),
      ("in:a gone:yes,any", [], [1], true), ("in:a gone:yes,no", [1], [], true),
      ("in:a gone:yes,no", [], [1], false),
      ("in:a gone:yes", [1], [2], false),
      ("in:a -gone:no", [2], [1], true), ("in:a gone:no", [1], [], true),
      ("in:a -gone:yes", [1], [2], false),
      ("in:a gone:any", [1], [], true), ("in:a gone:any", [], [1], true),
      ("in:a gone:any", [2], [2], false),
      ("in:a gone:any gone:yes", [1], [], false), ("in:a -gone:any", [1], [1], false),
    ] as [(String, [Int64], [Int64], Bool)])
  func `finds what is in a list, or was until its catalogue removed it`(
    _ text: String, _ lists: [Int64], _ left: [Int64], _ expected: Bool
  ) throws {
    var context = SearchContext(catalogue: CatalogueID(rawValue: "itunes"))
    (context.lists, context.leftLists) = (lists, left)
    #expect(try finds(text, RecordingDetails(), context) == expected)
  }

  @Test(arguments: [
    ("robin", false), ("gone:yes", true), ("gone:any", true), ("gone:no", false),
    ("gone:none", false),
    ("-gone:yes", false), ("-gone:no", true), ("gone:yes,no", true), ("robin gone:any", true),
    ("in:any", false),
    ("in:none", true), ("-in:any", true), ("-in:none", false), ("in:a", false), ("-in:a", false),
    ("nr:12", true),
    ("nr:XC12", true), ("nr:=12", true), ("nr:12,14", true), ("nr:12-14", false),
    ("nr:12,14-16", false),
    (#"nr:"<12""#, false), ("-nr:12", false), ("nr:any", false), ("XC12", false), ("-XC12", false),
    (#""XC12 robin""#, false), ("363793", false), ("new:7d", false), ("changed:7d", false),
    ("source:itunes", false),
  ])
  func `what is in no list any more is left out unless it, or its number, is asked for`(
    _ text: String, _ isFound: Bool
  ) throws {
    let expression = try SearchExpression(text, catalogues: [CatalogueID(rawValue: "itunes")])
    #expect(expression.findsUnlisted == isFound)
    #expect(
      try SearchMatcher(
        expression, now: Self.now, lists: [.typed("a"): [1]], leavesOutUnlisted: true
      )
      .leavesOutUnlisted == !isFound)
    #expect(
      try !SearchMatcher(expression, now: Self.now, lists: [.typed("a"): [1]]).leavesOutUnlisted)
  }

  @Test func `finds what a catalogue has, what is kept and what is new`() throws {
    var context = SearchContext(catalogue: CatalogueID(rawValue: "itunes"))
    for (text, expected) in [
      ("source:itunes", true), ("source:xeno-canto", false), ("-source:xeno-canto", true),
      ("audio:yes", false),
      ("audio:no", true),
      ("new:7d", false), ("-new:7d", true), ("changed:7d", false), ("-changed:7d", true),
    ] { #expect(try finds(text, RecordingDetails(), context) == expected, "\(text)") }
    context.isAudioDownloaded = true
    context.lists = [1, 2]
    context.entered = [
      1: Self.now.addingTimeInterval(-7 * 86_400), 2: Self.now.addingTimeInterval(-9 * 86_400),
    ]
    context.changedAt = Self.now.addingTimeInterval(-3 * 86_400)
    for (text, expected) in [
      ("audio:yes", true), ("audio:no", false), ("new:7d", true), ("new:1w", true),
      ("new:167h", false), ("-new:6d", true),
      ("changed:3d", true), ("changed:71h", false), ("in:a new:7d", true), ("in:b new:7d", false),
      ("in:b new:9d", true),
      ("in:a,b new:7d", true), ("in:a new:9d -source:xeno-canto", true), ("in:any new:7d", true),
      ("in:b -new:8d", true),
    ] { #expect(try finds(text, RecordingDetails(), context) == expected, "\(text)") }
  }

  @Test func `of a list that is not stored is an error with its place and the nearest`() {
    #expect(throws: SearchExpressionError(.unknownList("bath", nearest: ["both"]), at: 7)) {
      try finds("robin -in:bath", RecordingDetails())
    }
    #expect(throws: SearchExpressionError(.unknownList("gbif:own", nearest: []), at: 7)) {
      try finds(#"robin -in:"gbif:own""#, RecordingDetails())
    }
  }

  @Test func `is the same as a plain search in folded text`() throws {
    var random = SeededRandom(seed: 12)
    let context = SearchContext(catalogue: CatalogueID(rawValue: "itunes"))
    let letters = Array("aAbB oO.-'’4éłØß\u{301}日")
    func word(_ length: ClosedRange<Int>) -> String {
      String(
        (0..<Int.random(in: length, using: &random)).map { _ in
          letters.randomElement(using: &random) ?? "a"
        })
    }
    var found = 0
    for _ in 0..<10_000 {
      let (text, needle) = (word(0...12), word(1...3))
      let folded = TextFolding.folded(text)
      var details = RecordingDetails()
      details.locality = text
      if let search = SearchText(needle, .part) {
        let wanted = TextFolding.folded(needle)
        let contains =
          folded.utf8.count >= wanted.utf8.count && Array(folded.utf8).contains(Array(wanted.utf8))
        #expect(search.matches(text) == contains, "\(needle) in \(text)")
        #expect(
          SearchText(needle, .prefix)?.matches(text)
            == Array(folded.utf8).starts(with: Array(wanted.utf8)))
        if contains { found += 1 }
      }
      let words = FoldedText.words(of: needle)
      guard !words.isEmpty else { continue }
      let expected = Self.isPlainlyFound(words, in: folded)
      if expected, words.joined().contains(UInt8(ascii: "4")) { found += 1 }
      let term = SearchTerm(position: 1, tag: nil, values: [needle], condition: .words(words))
      let matcher = try SearchMatcher(SearchExpression(terms: [term]), now: Self.now)
      #expect(matcher.matches(details, context) == expected, "\(needle) in \(text)")
    }
    #expect(found > 500)
  }

  /// The plain way: the words of the text, of which up to four with one sign between letters can be
  /// one, follow each other, and the last begins so.
  private static func isPlainlyFound(_ words: [[UInt8]], in folded: String) -> Bool {
    var parts: [(text: String, isJoined: Bool)] = []
    var between = ""
    func isLetter(_ scalar: Unicode.Scalar?) -> Bool {
      scalar.map { FoldedText.isPartOfWord($0) && !("0"..."9").contains($0) } ?? false
    }
    var last: Unicode.Scalar?
    for scalar in folded.unicodeScalars {
      guard FoldedText.isPartOfWord(scalar) else {
        between.unicodeScalars.append(scalar)
        continue
      }
      if parts.isEmpty || !between.isEmpty {
        let isSign = ["-", "'", "\u{2019}"].contains(between)
        parts.append(("", isSign && isLetter(last) && isLetter(scalar)))
      }
      parts[parts.count - 1].text.unicodeScalars.append(scalar)
      (last, between) = (scalar, "")
    }
    func follow(_ start: Int, _ words: ArraySlice<[UInt8]>) -> Bool {
      guard let word = words.first else { return false }
      return (1...4).contains { count in
        guard start + count <= parts.count,
          parts[start..<(start + count)].dropFirst().allSatisfy(\.isJoined)
        else { return false }
        let together = parts[start..<(start + count)].flatMap { Array($0.text.utf8) }
        return words.count == 1
          ? together.starts(with: word)
          : together == word && follow(start + count, words.dropFirst())
      }
    }
    return parts.indices.contains { follow($0, words[...]) }
  }
}

@Suite struct PartialDateOfMomentTests {
  @Test(arguments: [
    (0.0, "1970-01-01"), (-1, "1969-12-31"), (951_782_400, "2000-02-29"),
    (951_868_799, "2000-02-29"),
    (951_868_800, "2000-03-01"),
    (4_107_542_400, "2100-03-01"), (1_781_524_800, "2026-06-15"), (-62_135_596_800, "0001-01-01"),
    (-1e15, "0001-01-01"),
    (253_402_300_799, "9999-12-31"), (1e15, "9999-12-31"),
  ]) func `the day of a moment is that in UTC`(_ seconds: Double, _ day: String) {
    #expect(PartialDate(utcDayOf: Date(timeIntervalSince1970: seconds)).description == day)
  }

  @Test func `each day is followed by the next`() {
    var day = PartialDate(utcDayOf: Date(timeIntervalSince1970: -86_400))
    for number in 0..<60_000 {
      let next = PartialDate(utcDayOf: Date(timeIntervalSince1970: Double(number) * 86_400))
      #expect(next > day && PartialDate(next.description) == next)
      day = next
    }
  }
}
