import ChirperModel
import ChirperRemote
import Testing

@testable import Chirper

struct SortKeyTests {
  private func sorted(_ values: [SortKey.Value], descending: Bool = false) -> [SortKey.Value] {
    var order = KeySorter([SortKey(.id, descending: descending)], window: 0..<Int.max)
    for (index, value) in values.enumerated() { order.append(Int64(index)) { _ in value } }
    return order.keys().map { values[Int($0)] }
  }

  @Test(arguments: [
    ["\"0:59\"", "\"9:15\"", "\"10:31\"", "\"1:02:07\"", "\"A:10\"", "\"no score\"", "\"\""],
    [
      "\"-1e300\"", "\"-8.6\"", "\"-8.5\"", "-1e-300", "0", "1e-300", "\"51.15\"", "1e3", "\"?\"",
      "\"about 12\"", "null",
    ],
    ["\"2016-05-16\"", "\"2016-05-17\"", "\"2019-05-01\""],
    ["\"12:34:56:78\"", "\"12:3x\"", "\"a\"", "\"B\"", "\"c\""],
  ])
  func `numbers and lengths sort by value, then come texts, then empty fields`(inOrder: [String]) {
    let values = inOrder.map { SortKey.Value(RecordingFields.Value(json: $0)) }
    #expect(sorted(values.shuffled()) == values)
    // Texts follow numbers in either direction, and nothing comes last.
    func isNumber(_ value: SortKey.Value) -> Bool {
      if case .number = value { true } else { false }
    }
    let texts = values.filter { !isNumber($0) && $0 != .nothing }
    let others = [SortKey.Value](repeating: .nothing, count: values.count { $0 == .nothing })
    #expect(
      sorted(values.shuffled(), descending: true) == values.filter(isNumber).reversed()
        + texts.reversed() + others)
    #expect(SortKey.Value(nil) == SortKey.Value(RecordingFields.Value(json: "null")))
  }

  @Test(arguments: [
    ("q", ["A", "B", "E"], ["no score", ""]),
    ("date", ["2009-00-00", "2009-05-00", "2009-05-17"], ["0000-00-00", "?"]),
    ("length", ["0:59", "9:15", "1:02:07"], ["?", "long"]),
  ])
  func `what a detail cannot read comes last in both directions`(
    field: String, known: [String], unknown: [String]
  ) throws {
    let order = SortKey.Resolved(SortKey(.field(field)), in: [Catalogues.defaultCatalogue])
    func value(_ text: String) throws -> SortKey.Value {
      let fields = try RecordingFields(json: "{\"id\":\"1\",\"\(field)\":\(JSONText.quoted(text))}")
      let recording = Recording(id: RecordingID(catalogue: .xenoCanto, value: "1"), fields: fields)
      return order.value(
        of: RecordingRow(
          recording: recording, details: Catalogues.defaultCatalogue.details(of: recording)))
    }
    for descending in [false, true] {
      let found = try sorted((unknown + known.shuffled()).map(value), descending: descending)
      #expect(try found == ((descending ? known.reversed() : known) + unknown).map(value))
    }
  }

  @Test func `text sorts without regard to case and accents`() {
    let values = ["\"Łódź\"", "\"lund\"", "\"Øland\"", "\"oslo\""].map {
      SortKey.Value(RecordingFields.Value(json: $0))
    }
    #expect(sorted(values.shuffled()) == values)
  }

  @Test func `equal values stay in the order of the list, both zeros are equal`() {
    let values = [
      SortKey.Value.number(1), .number(-0.0), .text("a"), .number(0), .text("a"), .nothing,
    ]
    for descending in [false, true] {
      var order = KeySorter([SortKey(.id, descending: descending)], window: 0..<Int.max)
      for key in 0..<600 { order.append(Int64(key)) { _ in values[key % 6] } }
      let found = order.keys()
      let groups = [Set([1, 3]), [0], [2, 4], [5]].map { group in
        (0..<600).filter { group.contains($0 % 6) }.map(Int64.init)
      }
      #expect(
        found == (descending ? groups[1] + groups[0] : groups[0] + groups[1]) + groups[2]
          + groups[3])
    }
  }
}
