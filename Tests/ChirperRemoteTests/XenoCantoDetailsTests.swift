import ChirperModel
import ChirperTestSupport
import Foundation
import Testing

@testable import ChirperRemote

/// Every odd value that xeno-canto was seen to send, or that its documentation allows for.
@Suite struct `Details of xeno-canto` {
  private func details(_ members: String, id: String = "1") throws -> RecordingDetails {
    let fields = try RecordingFields(json: "{\(members)}")
    return XenoCanto.catalogue.details(
      of: Recording(id: RecordingID(catalogue: .xenoCanto, value: id), fields: fields))
  }

  /// The details of a record that has only this field; `value` is JSON.
  private func details(_ field: String, _ value: String) throws -> RecordingDetails {
    try details("\"\(field)\":\(value)")
  }

  @Test func `are read from a whole record`() throws {
    let details = try details(
      #"""
      "id":"4711","gen":"Passer","sp":"exemplaris","ssp":"minor","grp":"birds","status":"identified","en":"Example Sparrow",
      "rec":"Ada Example","cnt":"Poland","loc":"Example Wood, near Example","lat":"52.2297","lon":"-21.0122","alt":"110",
      "type":"call, song","sex":"male, female","stage":"adult","method":"field recording","url":"https://xeno-canto.org/4711",
      "file":"https://xeno-canto.org/4711/download","file-name":"XC4711-example.mp3",
      "sono":{"small":"https://xeno-canto.org/s.png","med":"https://xeno-canto.org/m.png",
      "large":"https://xeno-canto.org/l.png","full":null},
      "osci":{"small":null,"med":null,"large":null},"lic":"https://creativecommons.org/licenses/by-nc-sa/4.0/","q":"A",
      "length":"1:05","time":"07:30","date":"2024-05-17","uploaded":"2024-06-01","also":["Turdus merula","Parus major"],
      "rmk":"First line.\r\nSecond line.","animal-seen":"yes","playback-used":"no","temp":"12","regnr":"","auto":"no","dvc":"",
      "mic":"","smp":"48000","annotation-set":[],"_meta":null
      """#, id: "4711")
    var expected = RecordingDetails()
    expected.scientificName = "Passer exemplaris minor"
    expected.genus = "Passer"
    expected.specificEpithet = "exemplaris"
    expected.infraspecificEpithet = "minor"
    expected.vernacularName = "Example Sparrow"
    expected.group = "birds"
    expected.recordedBy = "Ada Example"
    expected.country = "Poland"
    expected.countryCode = "PL"
    expected.locality = "Example Wood, near Example"
    expected.coordinate = RecordingDetails.Coordinate(latitude: 52.2297, longitude: -21.0122)
    expected.elevation = 110
    expected.eventDate = PartialDate(year: 2024, month: 5, day: 17)
    expected.eventTime = PartialDate.TimeOfDay(hour: 7, minute: 30)
    expected.behavior = ["call", "song"]
    expected.sex = ["male", "female"]
    expected.lifeStage = ["adult"]
    expected.quality = .a
    expected.seconds = 65
    expected.sampleRate = 48_000
    expected.samplingProtocol = "field recording"
    expected.licence = RecordingDetails.Licence(creativeCommonsCode: "by-nc-sa", version: "4.0")
    expected.occurrenceRemarks = "First line.\r\nSecond line."
    expected.associatedTaxa = ["Turdus merula", "Parus major"]
    expected.available = PartialDate(year: 2024, month: 6, day: 1)
    expected.pageAddress = "https://xeno-canto.org/4711"
    expected.audioAddress = "https://xeno-canto.org/4711/download"
    expected.sonogramAddress = "https://xeno-canto.org/l.png"
    expected.catalogNumber = "XC4711"
    #expect(details == expected)
    #expect(details.credit == "Ada Example, XC4711, CC BY-NC-SA 4.0")
  }

  @Test func `number a recording whose id is a number or a text`() async throws {
    let page = try await Wire.xenoCanto.page(of: [#"{"id":"31"}"#, #"{"id":32}"#])
    #expect(
      page.recordings.map { XenoCanto.catalogue.details(of: $0).catalogNumber } == [
        "XC31", "XC32",
      ])
    #expect(try details("", id: "a\u{1B}").catalogNumber == nil)
  }

  @Test(
    arguments: [
      (#""gen":"Turdus","sp":"merula","ssp":"""#, "Turdus merula"),
      (#""gen":"Turdus","sp":"","ssp":"""#, "Turdus"),
      (#""gen":"Pipistrellus","sp":"sp.""#, "Pipistrellus"), (#""gen":"","sp":"merula""#, nil),
      (#""ssp":"merula""#, nil),
      (#""gen":"Turdus","sp":null,"ssp":"merula""#, "Turdus"),
      (#""gen":"Sonus","sp":"naturalis","ssp":"""#, nil),
      (#""gen":"Mystery","sp":"mystery","ssp":"""#, nil),
      (#""sp":"merula","gen":" Turdus ""#, "Turdus merula"),
    ] as [(String, String?)])
  func `join the scientific name, and have none for what is not a species`(
    _ members: String, _ name: String?
  ) throws {
    let details = try details(members)
    #expect(details.scientificName == name)
    if name == nil { #expect(details.genus == nil) }
  }

  @Test(arguments: ["Soundscape", "Identity unknown"])
  func `keep the English words for what is not a species`(_ words: String)
    throws
  {
    #expect(try details("en", "\"\(words)\"").vernacularName == words)
  }

  @Test(arguments: ["null", #""""#, #""?""#, #""-""#, #""   ""#, "[]", "{}", "true"])
  func `have nothing for a value that says nothing, whatever the field`(_ value: String) throws {
    for field in XenoCanto.fields where field != "id" {
      var expected = RecordingDetails()
      expected.catalogNumber = "XC1"
      #expect(try details(field, value) == expected, "\(field)")
    }
  }

  @Test(
    arguments: [
      (#""1300""#, 1300), ("1300", 1300), (#""0.5""#, 0.5), (#""-5""#, -5), (#""+30""#, 30),
      (#"" 12 ""#, 12),
      (#""1300 m""#, 1300),
      (#""1300m""#, 1300), (#""100-200""#, nil), (#""~100""#, nil), (#""1,200""#, nil),
      (#""400 ft""#, nil), (#""nan""#, nil),
      (#""1e3""#, nil), (#""0x10""#, nil), (#""1.""#, nil), (#"".5""#, nil), (#""--5""#, nil),
      (#""99999""#, nil),
      (#""sea level""#, nil), (#""1.200 m""#, nil), (#""-1.200""#, nil), ("1.200", 1.2),
      (#""0.500""#, 0.5), (#""1200.125""#, 1200.125), (#""12.25 m""#, 12.25),
    ] as [(String, Double?)])
  func `give an elevation in metres, and no guess at a range or a unit`(
    _ value: String, _ elevation: Double?
  ) throws {
    #expect(try details("alt", value).elevation == elevation)
  }

  @Test(
    arguments: [
      (#""lat":"52.5","lon":"-3""#, RecordingDetails.Coordinate(latitude: 52.5, longitude: -3)),
      (#""lat":52.5,"lon":-3"#, RecordingDetails.Coordinate(latitude: 52.5, longitude: -3)),
      (#""lat":"-90","lon":"180""#, RecordingDetails.Coordinate(latitude: -90, longitude: 180)),
      (#""lat":"91.5","lon":"0""#, nil),
      (#""lat":"0","lon":"-180.1""#, nil),
      (#""lat":null,"lon":null"#, nil), (#""lat":"","lon":"""#, nil), (#""lat":"52.5""#, nil),
      (#""lon":"3","lat":"?""#, nil),
      (#""lat":"52.5N","lon":"3""#, nil), (#""lat":"52,5","lon":"3""#, nil),
      (#""lat":"1e1","lon":"3""#, nil),
      (#""lat":"inf","lon":"nan""#, nil),
    ] as [(String, RecordingDetails.Coordinate?)])
  func `have a coordinate only where both numbers are within range`(
    _ members: String, _ coordinate: RecordingDetails.Coordinate?
  ) throws {
    #expect(try details(members).coordinate == coordinate)
  }

  /// Digits are added up without Foundation, so this compares with what the standard library reads
  /// from the same text.
  @Test func `have the nearest number to what was sent, however many digits`() throws {
    var random = ChirperTestSupport.SeededRandom(seed: 23)
    for _ in 0..<2_000 {
      let digits = (0..<Int.random(in: 1...22, using: &random)).map { _ in
        "\(Int.random(in: 0...9, using: &random))"
      }
      let text =
        (random.chance(50) ? "-" : "") + "\(Int.random(in: 0...89, using: &random))."
        + digits.joined()
      #expect(
        try details("\"lat\":\"\(text)\",\"lon\":0").coordinate?.latitude == Double(text), "\(text)"
      )
    }
    let zero = try #require(try details(#""lat":"-0.0","lon":0"#).coordinate)
    #expect(zero.latitude.sign == .minus)
  }

  @Test(arguments: [
    ("song", ["song"]), ("call, male, song", ["call", "male", "song"]),
    ("call,song", ["call", "song"]),
    ("call?", ["call?"]), ("Song of male (B)", ["Song of male (B)"]),
    ("mimicry/imitation", ["mimicry/imitation"]),
    (", song, , ?, -", ["song"]), ("uncertain", []), (" song ", ["song"]),
    ("\\tsong\\n, call", ["song", "call"]),
  ])
  func `list the sound types as sent`(_ value: String, _ types: [String]) throws {
    #expect(try details("type", "\"\(value)\"").behavior == types)
  }

  @Test(arguments: [
    ("", []), ("uncertain", []), ("male", ["male"]), ("male, female", ["male", "female"]),
    ("male, uncertain", ["male"]),
  ])
  func `list sex and stage without what is uncertain`(_ value: String, _ terms: [String]) throws {
    #expect(try details("sex", "\"\(value)\"").sex == terms)
    #expect(try details("stage", "\"\(value)\"").lifeStage == terms)
  }

  @Test(
    arguments: [
      ("//xeno-canto.org/1", "https://xeno-canto.org/1"),
      (#"\/\/xeno-canto.org\/1"#, "https://xeno-canto.org/1"),
      ("https://xeno-canto.org/1", "https://xeno-canto.org/1"),
      ("HTTPS://xeno-canto.org:443/1?a=b#c", "https://xeno-canto.org:443/1?a=b#c"),
      (" //xeno-canto.org/a b/\u{142}.png ", "https://xeno-canto.org/a%20b/%C5%82.png"),
      ("http://xeno-canto.org/1", "http://xeno-canto.org/1"),
      ("xeno-canto.org/1", nil), ("/1", nil), ("//", nil), ("https://", nil), ("https:///1", nil),
      ("https://user@xeno-canto.org/1", nil),
      ("https://xeno-canto.org:x/1", nil), ("javascript:alert(1)", nil),
      ("file:///etc/passwd", nil),
      (#"https://xeno-canto.org/\u001b"#, nil),
      (#"https://xeno-canto.org/\""#, nil), ("https://[::1]/1", nil),
      ("https://xeno canto.org/1", nil),
    ] as [(String, String?)])
  func `have absolute addresses of the web in the old and the new shape`(
    _ value: String, _ url: String?
  ) throws {
    #expect(try details("url", "\"\(value)\"").pageAddress == url)
    #expect(try details("sono", "{\"med\":\"\(value)\"}").sonogramAddress == url)
    #expect(try details("file", "\"\(value)\"").audioAddress == url)
  }

  @Test func `leave it to the download whether audio may come without HTTPS`() throws {
    #expect(
      try details("file", #""http://127.0.0.1:8080/1/download""#).audioAddress
        == "http://127.0.0.1:8080/1/download")
  }

  @Test(
    arguments: [
      (
        #"{"small":"//x.org/s","med":"//x.org/m","large":"//x.org/l","full":"//x.org/f"}"#,
        "https://x.org/l"
      ),
      (
        #"{"small":"https://x.org/s","med":"https://x.org/m","large":"https://x.org/l","full":null}"#,
        "https://x.org/l"
      ),
      (#"{"full":"//x.org/f","small":"//x.org/s"}"#, "https://x.org/f"),
      (#"{"small":"//x.org/s","large":null}"#, "https://x.org/s"),
      (#"{"small":null,"med":null,"large":null,"full":null}"#, nil), ("{}", nil), ("[]", nil),
      (#""//x.org/s""#, nil),
      (#"{"large":"javascript:x","med":"//x.org/m"}"#, "https://x.org/m"),
      (#"{"huge":"//x.org/h"}"#, nil),
    ] as [(String, String?)])
  func `show the largest sonogram that fits a screen`(_ value: String, _ url: String?) throws {
    #expect(try details("sono", value).sonogramAddress == url)
  }

  @Test(arguments: ["null", #""""#]) func `have no place and no audio of a restricted species`(
    _ nothing: String
  ) throws {
    let details = try details(
      """
      "id":"9","gen":"Passer","rec":"Ada Example","loc":\(nothing),"lat":\(nothing),"lon":\(nothing),"file":\(nothing),
      "file-name":\(nothing),"url":"//xeno-canto.org/9","_meta":{"redacted_fields":{"loc":"restricted_species"}}
      """)
    #expect(details.locality == nil && details.coordinate == nil && details.audioAddress == nil)
    #expect(details.pageAddress == "https://xeno-canto.org/9")
    #expect(details.credit == "Ada Example, XC1, no licence given")
  }

  @Test(
    arguments: [
      ("//creativecommons.org/licenses/by-nc-nd/2.5/", "CC BY-NC-ND 2.5"),
      ("//creativecommons.org/licenses/by-nc-sa/3.0/", "CC BY-NC-SA 3.0"),
      ("https://creativecommons.org/licenses/by-sa/4.0/", "CC BY-SA 4.0"),
      ("//creativecommons.org/publicdomain/zero/1.0/", "CC0 1.0"),
      ("All rights reserved", "All rights reserved"), ("", nil), ("?", nil),
    ] as [(String, String?)])
  func `name the licence of every version, and other rights as they are worded`(
    _ value: String, _ name: String?
  ) throws {
    #expect(try details("lic", "\"\(value)\"").licence?.name == name)
  }

  @Test func `link rights of another kind where they are an address`() throws {
    let licence = try details("lic", #""//example.org/rights""#).licence
    #expect(
      licence
        == RecordingDetails.Licence(
          other: "//example.org/rights", address: "https://example.org/rights"))
  }

  @Test(
    arguments: [
      ("A", RecordingDetails.Quality.a), ("E", .e), ("no score", nil), ("", nil), ("F", nil),
      ("a", nil),
      ("AB", nil), ("0", nil),
    ] as [(String, RecordingDetails.Quality?)])
  func `rate from A to E`(_ value: String, _ quality: RecordingDetails.Quality?) throws {
    #expect(try details("q", "\"\(value)\"").quality == quality)
  }

  @Test(
    arguments: [
      ("0:07", 7), ("4:13", 253), ("75:12", 4512), ("1:02:03", 3723), ("0:00", 0), ("12", nil),
      ("1:2", nil), ("1:60", nil),
      ("1:60:00", nil), ("1:2:03", nil), ("-1:00", nil), (":30", nil), ("1:00:00:00", nil),
      ("1:0a", nil), ("12345:00", nil),
      ("0:07.5", nil), ("long", nil), ("", nil), (":", nil), ("1:00:", nil),
      (String(repeating: "59:", count: 40) + "59", nil),
    ] as [(String, Double?)])
  func `measure a length in seconds`(_ value: String, _ seconds: Double?) throws {
    #expect(try details("length", "\"\(value)\"").seconds == seconds)
  }

  @Test(
    arguments: [
      ("07:30", "07:30"), ("9:30", "09:30"), ("06.00", "06:00"), ("9:45am", "09:45"),
      ("2:15 pm", "14:15"), ("11", nil),
      ("11:20 AST", nil), ("morning", nil), ("?", nil), ("xx:xx", nil),
    ] as [(String, String?)])
  func `read a time that can mean one thing only`(_ value: String, _ time: String?) throws {
    #expect(try details("time", "\"\(value)\"").eventTime?.description == time)
  }

  @Test(
    arguments: [
      ("2024-05-17", "2024-05-17"), ("2009-05-00", "2009-05"), ("2004-00-00", "2004"),
      ("0000-00-00", nil), ("2021-02-30", nil),
      ("17/05/2024", nil), ("2024-05-17 and a very long remark behind it", nil),
    ] as [(String, String?)])
  func `read a date as precisely as it is known`(_ value: String, _ date: String?) throws {
    #expect(try details("date", "\"\(value)\"").eventDate?.description == date)
    #expect(try details("uploaded", "\"\(value)\"").available?.description == date)
  }

  @Test(arguments: [
    (#"["Turdus merula","Pipistrellus sp."]"#, ["Turdus merula", "Pipistrellus sp."]),
    (#"[""]"#, []), ("[]", []),
    (#"["", "Parus major", null, 7, ["x"], {"a":"]"}, " "]"#, ["Parus major"]),
    (#""Parus major""#, ["Parus major"]),
    (#"["A \"quoted\" bird, with ] and ,"]"#, ["A \"quoted\" bird, with ] and ,"]),
  ])
  func `list background species without empty ones`(_ value: String, _ species: [String]) throws {
    #expect(try details("also", value).associatedTaxa == species)
  }

  @Test(
    arguments: [
      (#""48000""#, 48_000), ("48000", 48_000), ("44100.0", 44_100), (#""""#, nil),
      (#""48 kHz""#, nil), (#""0""#, nil),
      (#""-48000""#, nil), (#""44100.5""#, nil), (#""999999999999999999999999""#, nil),
    ] as [(String, Int?)])
  func `give a sample rate from a text or a number`(_ value: String, _ rate: Int?) throws {
    #expect(try details("smp", value).sampleRate == rate)
  }

  @Test(arguments: [
    ("O&#039;Brien", "O'Brien"), ("Smith &amp; Sons", "Smith & Sons"),
    ("&lt;b&gt; &quot;x&quot; &apos;", "<b> \"x\" '"),
    ("Caf&#233; &#xE9;&#XE9;", "Café éé"), ("Caf&amp;#233;", "Café"), ("A &amp;amp; B", "A & B"),
    ("A &amp;amp;amp; B", "A &amp; B"), ("&eacute; &nbsp;", "&eacute; &nbsp;"),
    ("A & B; C", "A & B; C"), ("&", "&"),
    ("&;", "&;"),
    ("&#; &#x; &#xZZ; &#-1; &#1114112; &#55296;", "&#; &#x; &#xZZ; &#-1; &#1114112; &#55296;"),
    ("&#27;[2J &#8238; &#0;", "&#27;[2J &#8238; &#0;"), ("&&amp;amp", "&&amp"),
  ])
  func `replace HTML entities, once and twice escaped, and leave the raw field as sent`(
    _ sent: String, _ read: String
  ) throws {
    let json = JSONText.quoted(sent)
    for field in ["rec", "cnt", "loc", "rmk", "en", "method", "also"] {
      let recording = Recording(
        id: RecordingID(catalogue: .xenoCanto, value: "1"),
        fields: try RecordingFields(json: "{\"\(field)\":\(json)}"))
      let details = XenoCanto.catalogue.details(of: recording)
      let texts = [
        details.recordedBy, details.country, details.locality, details.occurrenceRemarks,
        details.vernacularName, details.samplingProtocol,
      ]
      #expect(texts.compactMap(\.self) + details.associatedTaxa == [read])
      #expect(recording.text(field) == sent)
    }
  }

  @Test(
    arguments: [
      ("Poland", "PL"), ("United States", "US"), ("Congo (Democratic Republic)", "CD"),
      ("Bosnia Herzegovina", "BA"),
      ("C&ocirc;te d'Ivoire", nil), ("cote d'ivoire", "CI"), ("PL", "PL"), ("pl", nil),
      ("Pol", nil),
      ("Unknown", nil), ("unknown country", nil), ("", nil),
    ] as [(String, String?)])
  func `have the code of a country that is named in full, or by its code`(
    _ name: String, _ code: String?
  ) throws {
    let details = try details("cnt", JSONText.quoted(name))
    #expect(details.countryCode == code)
    #expect((details.country == nil) == ["", "Unknown", "unknown country"].contains(name))
  }

  @Test(
    arguments: [
      (
        #"{"redacted_fields":{"file":"restricted_species","lat":"restricted_species"}}"#,
        "the place is withheld: restricted_species"
      ),
      (#"{"redacted_fields":{"loc":"private"}}"#, "the place is withheld: private"),
      (#"{"redacted_fields":{"file":"restricted_species"}}"#, nil),
      (#"{"redacted_fields":[]}"#, nil), ("null", nil),
      (#"{"lat":"restricted_species"}"#, nil),
    ] as [(String, String?)])
  func `say that the place of a restricted species is withheld`(_ meta: String, _ text: String?)
    throws
  {
    #expect(try details(#""lat":null,"lon":null,"_meta":\#(meta)"#).dataGeneralizations == text)
  }

  @Test func `a questioned species is an issue`() throws {
    for (status, issues) in [
      ("questioned", [RecordingDetails.Issue.identification]), ("identified", []), ("", []),
    ] {
      #expect(try details(#""status":"\#(status)""#).issues == issues)
    }
  }

  @Test func `read the names of API v2 too`() throws {
    let details = try details(#""group":"birds","lat":"52.5","lng":"13.4""#)
    #expect(details.group == "birds")
    #expect(details.coordinate == RecordingDetails.Coordinate(latitude: 52.5, longitude: 13.4))
    // A soundscape had no group.
    #expect(try self.details("group", "null").group == nil)
  }

  @Test func `have the annotations of a set, with their numbers and what is heard in them`() throws
  {
    let set = #"""
      {"set_name":"A set","set_creator":null,"set_creation_date":"2026-05-01 10:00:00",
      "annotations":[
      {"annotation_id":"71","annotator":"A. Name","start_time":"0.5","end_time":"1.25","frequency_low":"1000",
      "frequency_high":"5000.5","scientific_name":"Turdus merula","sound_type":"song, call","sex":"male",
      "life_stage":"adult","annotation_remarks":"Two &amp; more"},
      {"annotation_id":72,"start_time":3,"end_time":3,"frequency_low":"","frequency_high":null,
      "scientific_name":"Parus major","sound_type":"uncertain","sex":"?"}],
      "set_license":"//creativecommons.org/licenses/by/4.0/"}
      """#
    var (first, second) = (RecordingDetails.Annotation(), RecordingDetails.Annotation())
    (first.id, first.identifiedBy, first.remarks) = ("71", "A. Name", "Two & more")
    (first.startTime, first.endTime) = (0.5, 1.25)
    (first.lowFrequency, first.highFrequency) = (1000, 5000.5)
    (first.scientificName, first.behavior) = ("Turdus merula", ["song", "call"])
    (first.sex, first.lifeStage) = (["male"], ["adult"])
    (second.id, second.startTime, second.endTime) = ("72", 3, 3)
    second.scientificName = "Parus major"
    first.licence = RecordingDetails.Licence(creativeCommonsCode: "by", version: "4.0")
    second.licence = first.licence
    let details = try details("annotation-set", set)
    #expect(details.annotations == [first, second])
    #expect(details.text(of: .annotatedTaxa) == "Turdus merula, Parus major")
    #expect(details.text(of: .annotatedBehavior) == "song, call")
    let json = try #require(details.text(of: .annotations))
    let objects = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]]
    #expect(objects?.count == 2 && objects?[0]["freqHigh"] as? Double == 5000.5)
    #expect(objects?[1]["freqLow"] is NSNull && objects?[1]["behavior"] as? [String] == [])
    // Several sets are read one after the other.
    let sets = try self.details("annotation-set", "[\(set),{},7,\(set)]")
    #expect(sets.annotations == [first, second, first, second])
  }

  @Test(arguments: [
    "[]", "{}", "null", "7", #""x""#, "[[]]", #"{"annotations":{}}"#, #"{"annotations":"x"}"#,
    #"{"annotations":[null,7,"x",[],{},{"annotation_id":"1"}]}"#,
    #"{"set_name":"x","set_creator":null,"annotations":[{"type":"song","q":"A","length":"0:01"}]}"#,
  ])
  func `have no annotation that a set does not have`(_ value: String) throws {
    #expect(try details("annotation-set", value) == details(""))
  }

  @Test(arguments: [
    (#""start_time":"2","end_time":"1","sex":"male""#, #""sex":"male""#),
    (#""frequency_low":"900","frequency_high":"100","sex":"male""#, #""sex":"male""#),
    (#""start_time":"-1","end_time":"x","sex":"male""#, #""sex":"male""#),
    (#""start_time":"1e3","end_time":"nan","frequency_low":"1,5","sex":"male""#, #""sex":"male""#),
    (#""start_time":"5","end_time":"","sex":"male""#, #""start_time":"5","sex":"male""#),
  ])
  func `take no time or frequency of an annotation that cannot be`(_ sent: String, _ read: String)
    throws
  {
    func annotations(_ members: String) throws -> [RecordingDetails.Annotation] {
      try details("annotation-set", #"{"annotations":[{\#(members)}]}"#).annotations
    }
    #expect(try annotations(sent) == annotations(read) && annotations(sent).count == 1)
  }

  @Test func `have each of 10000 annotations`() throws {
    let items = (0..<10_000).map {
      #"{"annotation_id":"\#($0)","start_time":"\#($0)","end_time":"\#($0 + 1)"}"#
    }
    let set = #"{"annotations":[\#(items.joined(separator: ","))]}"#
    let read = try details("annotation-set", set).annotations
    #expect(read.map(\.id) == (0..<10_000).map { "\($0)" } && read.last?.endTime == 10_000)
  }

  @Test func `read fields in any order`() throws {
    let members = [
      #""lic":"?""#, #""smp":"48000""#, #""new-field":[1,2]"#, #""gen":"Turdus""#, #""q":"B""#,
      #""sp":"merula""#,
    ]
    let expected = try details(members.joined(separator: ","))
    #expect(
      expected.scientificName == "Turdus merula" && expected.sampleRate == 48_000
        && expected.quality == .b)
    #expect(try details(members.reversed().joined(separator: ",")) == expected)
  }
}
