import ChirperTestSupport
import Foundation
import Testing

@testable import ChirperModel
@testable import ChirperRemote

/// Readers of remote and typed text take time in proportion to the text, whatever it is made of.
@Suite(.serialized, .enabled(if: LinearTime.isMeasured)) struct LinearReadingTests {
  /// What readers look for, again and again, mostly without what should come after it.
  private static let parts = [
    "a", "A b ", "  ", ",", "1", "1.", "-", "1:", "\"", "\\", "\n", "é", "\u{301}", "\u{1F1E6}",
    "&#1", "&amp;amp;", "<b>", "//a",
    "XC1",
    "song, ", "(", "bird-seen:no ", "audio sampling rate: 1", "cnt:a ", "-\"a\" ",
  ]

  /// Records an issue for each part of which four times as much takes more than eight times as long.
  private func check<Input>(
    _ reader: String, size: Int = 2_000, _ input: (String) throws -> Input,
    _ read: (Input) throws -> Void
  ) rethrows {
    for part in Self.parts {
      let excess = try LinearTime.excess(size) {
        try input(String(repeating: part, count: $0 / part.utf8.count))
      } _: {
        try read($0)
      }
      guard let excess else { continue }
      Issue.record(
        "\(reader) with \(part.debugDescription): \(excess) times as long for four times the text")
    }
  }

  private func check(_ reader: String, size: Int = 2_000, _ read: (String) throws -> Void) rethrows
  {
    try check(reader, size: size, { $0 }, read)
  }

  @Test func `work by the square of the size is seen`() {
    let excess = LinearTime.excess(200) {
      Array(0..<$0)
    } _: { numbers in
      for number in numbers { _ = numbers.firstIndex(of: numbers.count - number) }
    }
    #expect(excess != nil)
  }

  private static func details(_ catalogue: Catalogue, _ json: String) throws -> RecordingDetails {
    let fields = try RecordingFields(json: json)
    return catalogue.details(
      of: Recording(id: RecordingID(catalogue: catalogue.id, value: "4711-s1"), fields: fields))
  }

  /// The value with other texts in it, but for those that say what an object is.
  private static func changed(_ value: Any, _ change: (String) -> String) -> Any {
    switch value {
    case let object as [String: Any]: object.mapValues { changed($0, change) }
    case let array as [Any]: array.map { changed($0, change) }
    case let text as String: ["Sound", "StillImage"].contains(text) ? text : change(text)
    default: value
    }
  }

  @Test(arguments: [Catalogues.named(.gbif), Catalogues.named(.iNaturalist)])
  func `the rows of a record with many sounds`(_ catalogue: Catalogue?) throws {
    let catalogue = try #require(catalogue)
    let excess = LinearTime.excess(100) { count in
      let sounds = (1...count).map { number in
        #"{"type":"Sound","id":\#(number),"identifier":"https://x.example/\#(number).mp3","#
          + #""file_url":"https://x.example/\#(number).mp3","creator":"A. B.","#
          + #""license":"http://creativecommons.org/licenses/by/4.0/"}"#
      }
      let list = "[\(sounds.joined(separator: ","))]"
      let fields = RecordingFields(canonical: #"{"media":\#(list),"sounds":\#(list)}"#)
      let record = Recording(
        id: RecordingID(catalogue: catalogue.id, value: "7"), fields: fields)
      let rows =
        catalogue.id == .gbif
        ? GBIFSound.rows(of: [record], in: "media").rows
        : INaturalistSound.rows(of: [record], in: "sounds").rows
      // The fields of a row that was read from the store are bytes of its own.
      return rows.map {
        Recording(id: $0.id, fields: RecordingFields(canonical: $0.fields.bytes.map { $0 }))
      }
    } _: { (rows: [Recording]) in
      for row in rows { _ = catalogue.details(of: row) }
    }
    #expect(excess == nil)
  }

  @Test(arguments: Catalogues.all) func `details, credit and columns of a record`(
    _ catalogue: Catalogue
  ) throws {
    let whole = try #require(`Every catalogue`.wholeRecords[catalogue.id])
    let record = try JSONSerialization.jsonObject(with: Data(whole.utf8))
    func read(_ recording: Recording) {
      let details = catalogue.details(of: recording)
      for column in DetailColumn.allCases { _ = details.text(of: column) }
      if case .download(_, _, let withheld) = catalogue.audio { _ = withheld(recording) }
    }
    for (name, change) in [("in place of", { $1 }), ("after", { $0 + $1 })]
      as [(String, (String, String) -> String)]
    {
      try check("\(catalogue.name), text \(name) each text", size: 500) { text in
        let json = try JSONSerialization.data(
          withJSONObject: Self.changed(record) { change($0, text) })
        let fields = try RecordingFields(json: String(decoding: json, as: UTF8.self))
        return Recording(id: RecordingID(catalogue: catalogue.id, value: "4711-s1"), fields: fields)
      } _: {
        read($0)
      }
    }
  }

  @Test(arguments: Catalogues.all) func `details of a record with many items in every list`(
    _ catalogue: Catalogue
  ) throws {
    let whole = try #require(`Every catalogue`.wholeRecords[catalogue.id])
    func longer(_ value: Any, _ count: Int) -> Any {
      switch value {
      case let object as [String: Any]: object.mapValues { longer($0, count) }
      case let array as [Any]: Array(repeatElement(array, count: count).joined())
      default: value
      }
    }
    let record = try JSONSerialization.jsonObject(with: Data(whole.utf8))
    let excess = try LinearTime.excess(100) { count in
      String(
        decoding: try JSONSerialization.data(withJSONObject: longer(record, count)), as: UTF8.self)
    } _: { json in
      _ = try Self.details(catalogue, json).credit
    }
    #expect(excess == nil)
  }

  @Test func `values of fields`() {
    check("a text", { RecordingFields.Value(json: JSONText.quoted($0)) }) { field in
      field.withRaw { raw in
        _ = (
          raw.text, raw.commaList, raw.texts, raw.decimal, raw.numbers, raw.metres, raw.count,
          raw.duration, raw.seconds
        )
        _ = (raw.date, raw.time, raw.url())
      }
    }
    check(
      "an array of texts",
      { RecordingFields.Value(json: "[\(JSONText.quoted($0)),\(JSONText.quoted($0))]") }
    ) { field in
      _ = (field.list, field.objects, field.withRaw(\.texts))
    }
  }

  @Test func `JSON`() throws {
    check("a value") { _ = try? RecordingFields(json: "{\"a\":\(JSONText.quoted($0))}") }
    check("a name") { _ = try? RecordingFields(json: "{\(JSONText.quoted($0)):1}").names }
    check("an object") { _ = try? RecordingFields(json: "{\($0)") }
    check("an array") { _ = try? RecordingFields(json: "{\"a\":[\($0)") }
    let excess = try LinearTime.excess(2_000) { count in
      "{\((0..<count).map { "\"name\($0)\":[{}]" }.joined(separator: ","))}"
    } _: {
      _ = try RecordingFields(json: $0).names
    }
    #expect(excess == nil)
  }

  @Test func `dates, times, licences and names`() {
    check("a date") { _ = PartialDate($0) }
    check("a date with more") { _ = PartialDate("2024-05-17T" + $0) }
    check("a time") { _ = (PartialDate.TimeOfDay($0), PartialDate.TimeOfDay("07:30 " + $0)) }
    check("a licence") {
      _ = (
        RecordingDetails.Licence(creativeCommons: $0),
        RecordingDetails.Licence(creativeCommons: "https://creativecommons.org/" + $0)
      )
    }
    check("a country") { _ = (Countries.beginning($0)?.code, Countries.sent($0)?.code) }
    check("nearest names") { _ = NearestNames.to($0, among: ["song", "alarm call"]) }
    check("a host") { _ = Loopback.contains("127." + $0) }
    check("a path") { _ = $0.folderOfPath }
    check("an age") { _ = Age(rawValue: $0 + "d") }
    check("one line") { _ = PlainLine.text($0) }
    check("HTML entities") { _ = HTMLEntities.decoded($0) }
  }

  @Test func `folding, and searches in a text`() throws {
    check("folding") { _ = (TextFolding.folded($0), FoldedText.words(of: $0)) }
    check("folding by properties") { _ = TextFolding.foldedByUnicode($0.utf8) }
    let search = try SearchExpression(
      #"aab "a b" "b a" text:aab text:"a a" sp:"a a" en:"=aa" rmk:1-1"#, catalogues: [])
    let matcher = try SearchMatcher(search, now: Date(timeIntervalSince1970: 0))
    for condition in search.terms {
      let one = try SearchMatcher(SearchExpression(terms: [condition]), now: matcher.now)
      check("\(condition)") { text in
        var details = RecordingDetails()
        (details.vernacularName, details.scientificName, details.occurrenceRemarks) = (
          text, text, text
        )
        details.associatedTaxa = [text]
        _ = one.matches(details, SearchContext(catalogue: .sample))
      }
    }
  }

  /// Longer ones are refused, so the sizes are below the limits.
  @Test func `typed searches and queries`() {
    check("a search", size: 1_500) { _ = try? SearchExpression($0, catalogues: []) }
    check("a search in quotes", size: 1_500) {
      _ = try? SearchExpression(TagScanner.quoting($0), catalogues: [])
    }
    for tag in SearchTag.allCases {
      check("\(tag.rawValue):", size: 300) {
        _ = try? SearchExpression(TagScanner.spelled(tag.rawValue, $0), catalogues: [])
      }
    }
    check("a long search", size: 5_000) { _ = try? SearchExpression($0, catalogues: []) }
    check("a long query", size: 5_000) { _ = try? CatalogueQuery.cleaned($0) }
    for catalogue in Catalogues.all {
      check("a query to \(catalogue.name)", size: 450) { text in
        _ = (
          try? catalogue.query(text), try? catalogue.query(text, scientific: true),
          try? catalogue.query("cnt:\(text)")
        )
        _ = (catalogue.ids(for: text), catalogue.idQuery(text))
      }
    }
    check("stored parameters") { _ = RequestParameters(text: $0).text }
  }

  @Test func `heads of answers, and messages of services`() {
    func read(_ lines: [String]) {
      var reader = HeadReader(limit: .max)
      for line in ["HTTP/1.1 503 Busy"] + lines + [""] {
        _ = reader.read(Array("\(line)\r\n".utf8))
      }
    }
    check("a long line") { read(["X-Long: " + $0]) }
    check("a line without a name") { read([$0]) }
    check("many lines") { text in read((0..<(text.utf8.count / 8)).map { "X: \($0)" }) }
    check("folded lines") { text in read(["X: a"] + (0..<(text.utf8.count / 8)).map { " \($0)" }) }
    check("a time to wait") { _ = RetryAfter.parse($0, now: Date(timeIntervalSince1970: 0)) }
    let plain = HTTPHeaders(["Content-Type": "text/plain"])
    check("a message", size: 5_000) {
      _ = ServiceMessage.read(
        CatalogueClient.Response(status: 400, headers: plain, body: Array($0.utf8)))
      _ = ServiceMessage.read(
        CatalogueClient.Response(
          status: 400, headers: plain, body: Array("{\"message\":\"\($0)\"}".utf8)))
    }
    check("a page") { text in
      let body = Array("{\"results\":[{\"id\":\"\(text)\"}]}".utf8)
      _ = try? Envelope(body, of: .itunes, list: "results") { $0["id"]?.idText }
    }
  }
}
