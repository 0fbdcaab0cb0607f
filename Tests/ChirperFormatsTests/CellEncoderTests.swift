import ChirperModel
import Testing

@testable import ChirperFormats

struct CellEncoderTests {
  private func cell(_ json: String, _ encoder: CellEncoder) -> String {
    var out: [UInt8] = []
    Array(json.utf8).withUnsafeBufferPointer { encoder.append(json: $0, to: &out) }
    return String(decoding: out, as: UTF8.self)
  }

  @Test(arguments: [
    (#""plain""#, "plain"), (#""""#, ""), ("null", ""), ("-8.652", "-8.652"), ("true", "true"),
    (#""a,b""#, #""a,b""#), (#""say \"hi\"""#, #""say ""hi""""#),
    (#""one\r\ntwo""#, "\"one\r\ntwo\""),
    (#""a\tb""#, "a\tb"), (#""back\\slash""#, #"back\slash"#), (#"["a","b"]"#, #""[""a"",""b""]""#),
    ("[]", "[]"),
    (#""null""#, "null"),
  ])
  func `a CSV cell is the value as sent, quoted only where necessary`(
    json: String, expected: String
  ) {
    #expect(cell(json, CellEncoder(form: .csv)) == expected)
  }

  @Test(arguments: [
    (#""a,b""#, "a,b"), (#""one\r\ntwo\tthree""#, #"one\r\ntwo\tthree"#),
    (#""back\\slash""#, #"back\\slash"#),
    (#""say \"hi\"""#, #"say "hi""#),
  ])
  func `a TSV cell stays on its line and can be read back`(json: String, expected: String) {
    #expect(cell(json, CellEncoder(form: .tsv)) == expected)
  }

  @Test(arguments: [
    (#""=1+1""#, "'=1+1"), (#""@SUM(A1)""#, "'@SUM(A1)"), (#""+49 30""#, "'+49 30"),
    (#""-cmd""#, "'-cmd"),
    (#""-8.652""#, "-8.652"), (#""+3""#, "+3"), ("-8.652", "-8.652"), (#""-""#, "'-"),
    (#""-1.2.3""#, "'-1.2.3"),
    (#""call""#, "call"), (#""=a,b""#, #""'=a,b""#), (#""＝1+1""#, "'＝1+1"), (#""＋1""#, "'＋1"),
    ("\"\u{200B}=1\"", "'\u{200B}=1"),
    ("\"\u{FEFF}\u{2060}@a\"", "'\u{FEFF}\u{2060}@a"), ("\"\u{200B}a\"", "\u{200B}a"),
    (#""é=1""#, "é=1"), (#""鳥""#, "鳥"),
  ])
  func `--spreadsheet-safe marks formulas as text and leaves numbers`(
    json: String, expected: String
  ) {
    #expect(cell(json, CellEncoder(form: .csv, isSpreadsheetSafe: true)) == expected)
  }

  @Test func `on a terminal control characters are replaced`() {
    let json = #""\u001b[31m\u202ered\u0007\u0301""#
    #expect(
      cell(json, CellEncoder(form: .csv, escapesControls: true)) == #"\x1b[31m\u202ered\x07"#
        + "\u{301}")
  }

  @Test func `a quote that carries a combining accent is still doubled`() {
    #expect(cell("\"\\\"\u{301}\"", CellEncoder(form: .csv)) == "\"\"\"\u{301}\"")
  }

  @Test func `a comma that carries a combining accent still quotes its cell`() {
    #expect(cell("\",\u{301}\"", CellEncoder(form: .csv)) == "\",\u{301}\"")
  }
}
