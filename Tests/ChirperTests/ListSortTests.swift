import ChirperModel
import ChirperRemote
import Testing

@testable import Chirper

struct ListSortTests {
  @Test(arguments: [
    ["\"0:59\"", "\"9:15\"", "\"10:31\"", "\"1:02:07\"", "\"A:10\"", "\"no score\"", "\"\""],
    ["\"-8.6\"", "0", "\"51.15\"", "1e3", "\"?\"", "\"about 12\"", "null"],
    ["\"2016-05-16\"", "\"2016-05-17\"", "\"2019-05-01\""],
    ["\"12:34:56:78\"", "\"12:3x\"", "\"a\"", "\"B\"", "\"c\""],
  ])
  func `numbers and lengths sort by value, then come texts, then empty fields`(inOrder: [String]) {
    let values = inOrder.map { SortValue(FieldValue(json: $0)) }
    for (index, value) in values.enumerated() {
      for other in values[(index + 1)...] { #expect(value < other && !(other < value), "\(value), \(other)") }
    }
    #expect(SortValue(nil) == SortValue(FieldValue(json: "null")))
  }

  @Test(arguments: [
    ("q", ["A", "B", "E"], ["no score", ""]), ("date", ["2009-00-00", "2009-05-00", "2009-05-17"], ["0000-00-00", "?"]),
    ("length", ["0:59", "9:15", "1:02:07"], ["?", "long"]),
  ])
  func `what a detail cannot read comes last in both directions`(field: String, known: [String], unknown: [String]) throws {
    let order = SortOrder(.field(field), in: [Catalogues.standard])
    func value(_ text: String) throws -> SortValue {
      let fields = try RecordingFields(json: "{\"id\":\"1\",\"\(field)\":\(JSONText.quoted(text))}")
      let recording = Recording(id: RecordingID(catalogue: .xenoCanto, value: "1"), fields: fields)
      return order.value(of: FoundRecording(recording: recording, details: Catalogues.standard.details(of: recording)))
    }
    for descending in [false, true] {
      let sorted = try (unknown + known.shuffled()).sorted { try value($0).comes(before: value($1), descending: descending) }
      #expect(sorted == (descending ? known.reversed() : known) + unknown)
    }
  }

  @Test func `text sorts without regard to case and accents`() {
    let values = ["\"Łódź\"", "\"lund\"", "\"Øland\"", "\"oslo\""].map { SortValue(FieldValue(json: $0)) }
    #expect(values == values.sorted())
  }
}
