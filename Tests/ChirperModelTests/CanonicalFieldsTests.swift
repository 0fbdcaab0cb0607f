import ChirperModel
import Testing

/// Records in the form that is hashed.
struct CanonicalFieldsTests {
  private func canonical(_ json: String, without names: Set<String> = []) throws -> String {
    String(
      decoding: try RecordingFields(json: json).canonical(without: names), as: UTF8.self)
  }

  /// - SeeAlso: RFC 8785, section 3.2.3, without its numbers, which are kept as they are spelled
  @Test func `members have the order of UTF-16, and strings the fewest escapes`() throws {
    let sent = #"""
      {"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh",
       "1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin O"}
      """#
    #expect(
      try canonical(sent)
        == "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u{80}\":\"Control\",\"ö\":\"Latin O\","
        + "\"€\":\"Euro Sign\",\"\u{1F600}\":\"Emoji: Grinning Face\","
        + "\"\u{FB33}\":\"Hebrew Letter Dalet With Dagesh\"}")
    #expect(
      try canonical(#"{"a":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/"}"#)
        == #"{"a":"€$\u000f\nA'B\"\\\\\"/"}"#)
  }

  @Test func `numbers are as they were spelled, and white space does not count`() throws {
    #expect(
      try canonical(#"{ "b" : [ 1.50 , 1e3, {"d":null,"c":true} ], "a" : -0.0 }"#)
        == #"{"a":-0.0,"b":[1.50,1e3,{"c":true,"d":null}]}"#)
  }

  @Test func `volatile fields are left out at any depth`() throws {
    #expect(
      try canonical(
        #"{"a":{"b":1,"c":2},"d":[{"b":3,"e":4}],"b":5}"#, without: ["a.b", "d.b"])
        == #"{"a":{"c":2},"b":5,"d":[{"e":4}]}"#)
  }
}
