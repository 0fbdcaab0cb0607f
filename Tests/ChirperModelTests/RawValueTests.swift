import ChirperTestSupport
import Testing

@testable import ChirperModel

/// What reads JSON in place against plain code, with texts and records made at random.
@Suite struct RawValueTests {
  private static let wanted = ["id", "lat", "latitude", "latitudes", "longitude", "longitudes", "é", "file-name", "keys"]

  private static func text(_ random: inout SeededRandom, of letters: [String], atMost count: Int) -> String {
    (0..<Int.random(in: 0...count, using: &random)).map { _ in letters.randomElement(using: &random) ?? "" }.joined()
  }

  private static func trimmed(_ text: String) -> String {
    let rest = text.drop(while: \.isWhitespace)
    return rest.lastIndex { !$0.isWhitespace }.map { String(rest[...$0]) } ?? ""
  }

  private static func raw<Result>(_ text: String, _ body: (RawValue) -> Result) -> Result {
    FieldValue(json: JSONText.quoted(text)).withRaw(body)
  }

  @Test func `members are found by name as a reader of the whole record finds them`() throws {
    var random = SeededRandom(seed: 21)
    let values = ["1", "null", "{\"id\":2}", "[{\"lat\":1},\"]\"]", "\"a\\\"b,\\\\\"", "\"\"", "true"]
    let scan = NameScan(Self.wanted)
    for _ in 0..<2000 {
      let names = (Self.wanted + ["la", "idx", "latituda", "longitudez", "e"]).shuffled(using: &random)
        .prefix(Int.random(in: 0...14, using: &random))
      let members = names.map { "\"\($0)\":\(values.randomElement(using: &random) ?? "1")" }
      let fields = try RecordingFields(json: "{\(members.joined(separator: ","))}")
      var expected: [String] = []
      var reader = JSONReader(fields.bytes)
      try reader.object { name, reader throws(JSONFault) in
        var value: [UInt8] = []
        try reader.copyValue(into: &value)
        if Self.wanted.contains(name) { expected.append("\(name) \(String(decoding: value, as: UTF8.self))") }
      }
      var found: [String] = []
      scan.forEach(in: fields) { found.append("\(Self.wanted[$0]) \(String(decoding: $1.json, as: UTF8.self))") }
      #expect(found == expected)
    }
  }

  @Test func `texts and their parts are read without the white space around them`() {
    var random = SeededRandom(seed: 22)
    for _ in 0..<5000 {
      let text = Self.text(&random, of: [" ", "a", "é", "\n", "\"", "\\", ",", ", ", "\u{85}x"], atMost: 12)
      let plain = Self.trimmed(text)
      #expect(Self.raw(text, \.text) == (plain.isEmpty ? nil : plain), "\(text.debugDescription)")
      let parts = text.split(separator: ",").map { Self.trimmed(String($0)) }.filter { !$0.isEmpty }
      #expect(Self.raw(text, \.commaList) == parts, "\(text.debugDescription)")
    }
  }

  @Test func `numbers and durations are those that a regular expression accepts`() {
    var random = SeededRandom(seed: 23)
    for _ in 0..<20_000 {
      let text = Self.text(&random, of: ["1", "27", "059", ".", "-", "+", ":", " ", "e"], atMost: 7)
      let plain = Self.trimmed(text)
      let number = plain.wholeMatch(of: /[+-]?[0-9]+(\.[0-9]+)?/).flatMap { Double(String($0.0)) }
      #expect(Self.raw(text, \.decimal) == number, "\(text)")
      let duration = plain.wholeMatch(of: /[0-9]{1,4}(:[0-5][0-9]){1,2}/).map { match in
        match.0.split(separator: ":").reduce(0.0) { $0 * 60 + (Double($1) ?? 0) }
      }
      #expect(Self.raw(text, \.duration) == duration, "\(text)")
    }
  }
}
