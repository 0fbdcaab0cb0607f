import ChirperTestSupport
import Foundation
import Testing

@testable import ChirperModel

@Suite struct JSONReaderTests {
  private func canonical(_ text: String) throws -> String { try RecordingFields(json: text).json }

  private func fault(_ bytes: [UInt8]) -> JSONFault.Reason? {
    do throws(JSONFault) {
      var reader = JSONReader(bytes)
      var out: [UInt8] = []
      try reader.copyValue(into: &out)
      try reader.end()
      return nil
    } catch {
      return error.reason
    }
  }

  @Test
  func `canonical form drops white space and escapes, and keeps numbers and the order of names`()
    throws
  {
    #expect(
      try canonical(" { \"b\" : \"a\\/\\u00e9\" ,\n\"a\":[ 1.50 , -0e+2 ,null]} ")
        == #"{"b":"a/é","a":[1.50,-0e+2,null]}"#)
  }

  /// Every scalar reaches the reader escaped, so it cannot copy one as it is.
  @Test func `a written text is the canonical form of the same text`() throws {
    var random = SeededRandom(seed: 19)
    let ranges: [ClosedRange<UInt32>] = [
      0...0x7F, 0x80...0xFF, 0x600...0x61F, 0x2000...0x206F, 0x10000...0x10FFFF,
    ]
    for _ in 0..<3_000 {
      let scalars = (0..<Int.random(in: 0...24, using: &random)).map { _ in
        let range = random.chance(50) ? 0x20...0x7E : ranges.randomElement(using: &random)!
        return Unicode.Scalar(UInt32.random(in: range, using: &random)) ?? " "
      }
      let text = String(String.UnicodeScalarView(scalars))
      let escapes = text.utf16.map { "\\u" + String(UInt32($0) + 0x1_0000, radix: 16).dropFirst() }
      #expect(
        try canonical("{\"x\":\"\(escapes.joined())\"}") == "{\"x\":\(JSONText.quoted(text))}")
    }
  }

  @Test func `control characters stay escaped`() throws {
    let text = #"{"x":"\u001b[2J\u0085\u202e\u2028\u007f\u0000\ttab"}"#
    #expect(try canonical(text) == text)
    #expect(try canonical("{\"x\":\"\u{9B}\u{202E}\u{7F}\"}") == #"{"x":"\u009b\u202e\u007f"}"#)
  }

  @Test func `surrogate pairs become the scalar`() throws {
    #expect(try canonical(#"{"x":"\ud83d\udc26"}"#) == #"{"x":"🐦"}"#)
  }

  @Test(arguments: [
    (#"{"a":1,"a":2}"#, JSONFault.Reason.duplicateName("a")),
    (#"{"x":"\ud800"}"#, .loneSurrogate),
    (#"{"x":"\udc00\ud800"}"#, .loneSurrogate),
    (#"{"x":"\x"}"#, .badEscape),
    (#"{"x":01}"#, .unexpected("a comma or }")),
    (#"{"x":1.}"#, .badNumber),
    (#"{"x":nul}"#, .unexpected("a value")),
    (#"{"x":1"#, .truncated),
    (#"{"x":1} 2"#, .trailingBytes),
    ("{\"x\":\"\n\"}", .controlCharacter),
    ("\u{FEFF}{}", .byteOrderMark),
    (String(repeating: "[", count: 100_000), .tooDeep(limit: JSONReader.depthLimit)),
    ("", .truncated),
  ])
  func `each violation of strict JSON has its own reason`(text: String, reason: JSONFault.Reason) {
    #expect(fault(Array(text.utf8)) == reason)
  }

  @Test(
    arguments: [[0x22, 0xFF, 0x22], [0x22, 0xC0, 0xAF, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22]]
      as [[UInt8]])
  func `bytes that are not UTF-8 are refused`(bytes: [UInt8]) {
    #expect(fault(bytes) == .invalidUTF8)
  }

  /// What this reader accepts, Foundation accepts too, with the same value.
  @Test func `it agrees with Foundation on mutated text`() throws {
    var random = SeededRandom(seed: 7)
    let sound = Array(#"{"id":"1","a":[true,{"b":null}],"n":-1.5e3,"s":"é\u00e9\n","e":{}}"#.utf8)
    var read = 0
    for _ in 0..<3_000 {
      var bytes = sound
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
          in: 0x20...0x7E, using: &random)
      }
      guard fault(bytes) == nil else { continue }
      read += 1
      let ours = try canonical(String(decoding: bytes, as: UTF8.self))
      let theirs = try JSONSerialization.jsonObject(with: Data(bytes)) as? NSDictionary
      #expect(try JSONSerialization.jsonObject(with: Data(ours.utf8)) as? NSDictionary == theirs)
    }
    #expect(read > 100)
  }

  @Test func `objects after others are read as if they were alone`() {
    var random = SeededRandom(seed: 5)
    let names = [
      #""id""#, #""gen" "#, #" "sp""#, #""a\"b""#, #""é""#, #""\u00e9""#, #""sono""#, #""osci""#,
    ]
    let values = [
      #""x""#, "7", " null", #"{"small":"a","med":"b"}"#, #"{"small":"a","med":"b","small":"c"}"#,
      #"{"med":[{}]}"#,
    ]
    var (read, refused) = (0, 0)
    for _ in 0..<2000 {
      var members = names.prefix(Int.random(in: 0...names.count, using: &random)).map { name in
        "\(name):\(values[random.chance(20) ? Int.random(in: 0..<values.count, using: &random) : 0])"
      }
      if random.chance(20) { members.shuffle(using: &random) }
      if random.chance(20), let member = members.randomElement(using: &random) {
        members.append(member)
      }
      let object = "{\(members.joined(separator: ","))}"
      let others = #"{"id":"1","gen":"a","sp":"b","sono":{"small":""}},{"id":"2","gen":"c"}"#
      let alone = Result { () throws(JSONFault) in try canonicalText(of: "[\(object)]") }
      let after = Result { () throws(JSONFault) in try canonicalText(of: "[\(others),\(object)]") }
      switch (alone, after) {
      case (.success(let alone), .success(let after)):
        read += 1
        #expect(after == "[\(others),\(alone.dropFirst())")
      case (.failure(let alone), .failure(let after)):
        refused += 1
        #expect(
          alone.reason == after.reason && alone.offset + others.utf8.count + 1 == after.offset)
      default: Issue.record("\(object)")
      }
    }
    #expect(read > 500 && refused > 100)
  }

  private func canonicalText(of text: String) throws(JSONFault) -> String {
    var reader = JSONReader(Array(text.utf8))
    var copy: [UInt8] = []
    try reader.copyValue(into: &copy)
    return String(decoding: copy, as: UTF8.self)
  }

  @Test func `fields are found by name, unescaped, and listed in order`() throws {
    let fields = try RecordingFields(
      json: #"{"a\"b":"x\ny","n":7,"l":["p","","q"],"z":null,"e":""}"#)
    #expect(fields.names == ["a\"b", "n", "l", "z", "e"])
    #expect(fields["n"]?.text == "7")
    #expect(fields["l"]?.list == ["p", "q"])
    #expect(fields["z"]?.isNull == true)
    #expect(fields["missing"] == nil)
    let recording = Recording(id: RecordingID(catalogue: .sample, value: "1"), fields: fields)
    #expect(recording.text("e") == nil)
    #expect(recording.text("n") == "7")
  }

  @Test func `reading fields from random damage never traps`() {
    var random = SeededRandom(seed: 11)
    let sound = Array(#"{"id":"1","a":[1,{"b":"\"}"}],"s":"é"}"#.utf8)
    for _ in 0..<5_000 {
      var bytes = Array(sound.prefix(Int.random(in: 0...sound.count, using: &random)))
      for index in bytes.indices where random.chance(10) {
        bytes[index] = UInt8.random(in: 0...255, using: &random)
      }
      let fields = RecordingFields(canonical: String(decoding: bytes, as: UTF8.self))
      _ = fields.names
      _ = fields["a"]?.list
      _ = fields["id"]?.text
    }
  }
}
