import ChirperTestSupport
import Testing

@testable import ChirperModel

/// What reads JSON in place against plain code, with texts and records made at random.
@Suite struct RawValueTests {
  private static let wanted = [
    "id", "lat", "latitude", "latitudes", "longitude", "longitudes", "é", "file-name", "keys",
  ]

  private static func text(_ random: inout SeededRandom, of letters: [String], atMost count: Int)
    -> String
  {
    (0..<Int.random(in: 0...count, using: &random)).map { _ in
      letters.randomElement(using: &random) ?? ""
    }.joined()
  }

  private static func trimmed(_ text: String) -> String {
    let rest = text.drop(while: \.isWhitespace)
    return rest.lastIndex { !$0.isWhitespace }.map { String(rest[...$0]) } ?? ""
  }

  private static func raw<Result>(_ text: String, _ body: (RawValue) -> Result) -> Result {
    RecordingFields.Value(json: JSONText.quoted(text)).withRaw(body)
  }

  @Test func `members are found by name as a reader of the whole record finds them`() throws {
    var random = SeededRandom(seed: 21)
    let values = [
      "1", "null", "{\"id\":2}", "[{\"lat\":1},\"]\"]", "\"a\\\"b,\\\\\"", "\"\"", "true",
    ]
    let scan = NameScan(Self.wanted)
    for _ in 0..<2000 {
      let names = (Self.wanted + ["la", "idx", "latituda", "longitudez", "e"]).shuffled(
        using: &random
      )
      .prefix(Int.random(in: 0...14, using: &random))
      let members = names.map { "\"\($0)\":\(values.randomElement(using: &random) ?? "1")" }
      let fields = try RecordingFields(json: "{\(members.joined(separator: ","))}")
      var expected: [String] = []
      var reader = JSONReader(fields.bytes)
      try reader.object { name, reader throws(JSONFault) in
        var value: [UInt8] = []
        try reader.copyValue(into: &value)
        if Self.wanted.contains(name) {
          expected.append("\(name) \(String(decoding: value, as: UTF8.self))")
        }
      }
      var found: [String] = []
      scan.forEach(in: fields) {
        found.append("\(Self.wanted[$0]) \(String(decoding: $1.json, as: UTF8.self))")
      }
      #expect(found == expected)
    }
  }

  @Test func `texts and their parts are read without the white space around them`() {
    var random = SeededRandom(seed: 22)
    for _ in 0..<5000 {
      let text = Self.text(
        &random, of: [" ", "a", "é", "\n", "\"", "\\", ",", ", ", "\u{85}x"], atMost: 12)
      let plain = Self.trimmed(text)
      #expect(Self.raw(text, \.text) == (plain.isEmpty ? nil : plain), "\(text.debugDescription)")
      let parts = text.split(separator: ",").map { Self.trimmed(String($0)) }.filter { !$0.isEmpty }
      #expect(Self.raw(text, \.commaList) == parts, "\(text.debugDescription)")
    }
  }

  @Test func `numbers and durations are those that a regular expression accepts`() {
    var random = SeededRandom(seed: 23)
    for _ in 0..<20_000 / RandomCases.step {
      let text = Self.text(
        &random, of: ["1", "27", "059", ".", "-", "+", ":", " ", "e"], atMost: 7)
      let plain = Self.trimmed(text)
      let number = plain.wholeMatch(of: /[+-]?[0-9]+(\.[0-9]+)?/).flatMap { Double(String($0.0)) }
      #expect(Self.raw(text, \.decimal) == number, "\(text)")
      let duration = plain.wholeMatch(of: /[0-9]{1,4}(:[0-5][0-9]){1,2}/).map { match in
        match.0.split(separator: ":").reduce(0.0) { $0 * 60 + (Double($1) ?? 0) }
      }
      #expect(Self.raw(text, \.duration) == duration, "\(text)")
    }
  }

  @Test func `heights, lengths and lists of numbers are those that a regular expression accepts`() {
    var random = SeededRandom(seed: 24)
    var found = (metres: 0, seconds: 0, numbers: 0, ambiguous: 0)
    for _ in 0..<30_000 / RandomCases.step {
      let letters = ["1", "27", "0.5", ".200", ".", "-", "+", " ", "m", "s", ","]
      let text = Self.text(&random, of: letters, atMost: 6)
      let plain = Self.trimmed(text)
      let isAmbiguous = plain.wholeMatch(of: /[+-]?[1-9][0-9]{0,2}\.[0-9]{3} *m?/) != nil
      let number = plain.wholeMatch(of: /([+-]?[0-9]+(?:\.[0-9]+)?) *m?/)
      let metres = isAmbiguous ? nil : number.flatMap { Double($0.output.1) }
      #expect(Self.raw(text, \.metres) == metres, "\(text)")
      let seconds = plain.wholeMatch(of: /([+-]?[0-9]+(?:\.[0-9]+)?) *s/).flatMap {
        Double($0.output.1)
      }
      #expect(Self.raw(text, \.seconds) == seconds.flatMap { $0 >= 0 ? $0 : nil }, "\(text)")
      let numbers = plain.split(separator: ",", omittingEmptySubsequences: false).map { part in
        Self.trimmed(String(part)).wholeMatch(of: /[+-]?[0-9]+(\.[0-9]+)?/).flatMap {
          Double($0.output.0)
        }
      }
      #expect(Self.raw(text, \.numbers) == numbers, "\(text)")
      found.metres += metres == nil ? 0 : 1
      found.ambiguous += isAmbiguous ? 1 : 0
      found.seconds += seconds == nil ? 0 : 1
      found.numbers += numbers.count > 1 && !numbers.contains(nil) ? 1 : 0
    }
    #expect(found.metres > 500 / RandomCases.step && found.seconds > 100 / RandomCases.step)
    #expect(found.numbers > 100 / RandomCases.step)
    #expect(found.ambiguous > 50 / RandomCases.step)
  }

  /// The address by a regular expression, character by character.
  private static func address(_ text: String) -> String? {
    let pattern =
      /(?:([hH][tT][tT][pP][sS]?):)?\/\/([a-zA-Z0-9][a-zA-Z0-9.\-]*(?::[0-9]{1,5})?(?:[\/?#].*)?)/
    guard let match = text.wholeMatch(of: pattern),
      !match.output.2.contains(where: { "\"\\".contains($0) })
    else { return nil }
    let scheme = match.output.1?.lowercased() ?? "https"
    let rest = match.output.2.utf8.map { byte in
      let character = Unicode.Scalar(byte)
      return byte >= 0x80 || " <>[]^`{|}".unicodeScalars.contains(character)
        ? "%" + String(byte, radix: 16).uppercased() : String(character)
    }
    return "\(scheme)://\(rest.joined())"
  }

  @Test
  func `addresses are those that a regular expression accepts, with other characters encoded`() {
    var random = SeededRandom(seed: 25)
    let parts = [
      "https:", "HTTP:", "http:", "//", "//", "//a", "/", "a", "9", "-", ".", ".example", "é", " ",
      "@", ":", ":80", ":123456",
      "?",
      "#", "<", "|", "\\", "\"", "[::1]", "~", "%20",
    ]
    var found = 0
    for number in 0..<40_000 / RandomCases.step {
      let text = (number % 2 == 0 ? "https://a" : "") + Self.text(&random, of: parts, atMost: 7)
      let address = Self.address(Self.trimmed(text))
      #expect(Self.raw(text) { $0.url() } == address, "\(text)")
      found += address == nil ? 0 : 1
    }
    #expect(found > 5_000 / RandomCases.step)
  }
}
