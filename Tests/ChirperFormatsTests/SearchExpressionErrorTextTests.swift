import Chirper
import ChirperModel
import Foundation
import Testing

@testable import ChirperFormats

struct SearchExpressionErrorTextTests {
  private func shown(_ text: String) throws -> UserFacingError {
    let error = try #require(throws: SearchExpressionError.self) {
      let expression = try SearchExpression(text, catalogues: Catalogues.all.map(\.id))
      _ = try SearchMatcher(
        expression, now: Date(timeIntervalSince1970: 0),
        storedNames: ["parrot", "grey parrot", "cnt:poland"])
    }
    #expect(UserFacingError(library: error) == UserFacingError(error))
    return UserFacingError(error)
  }

  @Test(arguments: [
    ("", "The search is empty.", "Type words, tags with a value, or both, as in: 'robin q:A'"),
    (
      String(repeating: "x", count: 100_000),
      "The search has 100000 characters; the limit is 4096.", "Type a shorter one."
    ),
    (
      String(repeating: "x ", count: 101),
      "search, column 201: the search has more than 100 terms.",
      "Type fewer words and tags."
    ),
    (
      "robin\0", "search, column 6: the search contains a control character (U+0000).",
      "Type it without this character."
    ),
    (
      "robin \u{301}", "search, column 6: \"\u{301}\" has no letter or digit to search for.",
      "Type at least one letter or digit."
    ),
    (
      "robin ctn:poland", "search, column 7: unknown tag \"ctn:\".",
      "Did you mean cnt:? To search for the text itself, put it in double quotes."
    ),
    (
      "q_gt:C", "search, column 1: unknown tag \"q_gt:\".",
      "Did you mean q:\">C\"? To search for the text itself, put it in double quotes."
    ),
    (
      "http://x", "search, column 1: unknown tag \"http:\".",
      "The tags are gen:, sp:, ssp:, fam:, en:, grp:, cnt:, area:, loc:, rec:, type:, sex:, stage:, q:, len:, lic:, date:, year:, month:, "
        + "hour:, since:, nr:, lat:, lon:, box:, near:, alt:, also:, rmk:, method:, uncertain:, obscured:, issue:, ann:, ann_sp:, ann_type:, ann_sex:, "
        + "ann_stage:, ann_by:, in:, text:, source:, audio:, new:, changed: and gone:. "
        + "To search for the text itself, put it in double quotes."
    ),
    (
      "robin cnt:", "search, column 7: the tag \"cnt:\" has no value.",
      "Type the value directly after the colon: cnt:value"
    ),
    (
      "len:abc", "search, column 1: the tag \"len:\" does not accept \"abc\".",
      "It accepts a number, a range 10-20, \"<10\" or \">10\", in seconds."
    ),
    (
      "hour:24", "search, column 1: the tag \"hour:\" does not accept \"24\".",
      "It accepts an hour from 0 to 23, or a range such as 5-8."
    ),
    (
      "-month:13", "search, column 1: the tag \"month:\" does not accept \"13\".",
      "It accepts a month from 1 to 12, or its name."
    ),
    (
      "box:1,2,3", "search, column 1: the tag \"box:\" does not accept \"1,2,3\".",
      "It accepts south,west,north,east in degrees, without spaces."
    ),
    (
      "new:tuesday", "search, column 1: the tag \"new:\" does not accept \"tuesday\".",
      "It accepts an age such as 12h, 7d or 2w."
    ),
    (
      "audio:maybe", "search, column 1: the tag \"audio:\" does not accept \"maybe\".",
      "It accepts yes or no."
    ),
    (
      "since:soon", "search, column 1: the tag \"since:\" does not accept \"soon\".",
      "It accepts a number of days or a date, 2026-03-31."
    ),
    (
      "source:itune", "search, column 1: the tag \"source:\" does not accept \"itune\".",
      "Did you mean itunes?"
    ),
    (
      "source:nowhere", "search, column 1: the tag \"source:\" does not accept \"nowhere\".",
      "It accepts one of \(Catalogues.all.map(\.id.rawValue).joined(separator: ", "))."
    ),
    (
      "type:\"alarm cal\"", "search, column 1: the tag \"type:\" does not accept \"alarm cal\".",
      "Did you mean alarm call? To search for exactly this text, type: type:\"=alarm cal\""
    ),
    (
      "lic:BYNC", "search, column 1: the tag \"lic:\" does not accept \"BYNC\".",
      "Did you mean BY-NC, BY or BY-ND? To search for exactly this text, type: lic:\"=BYNC\""
    ),
    (
      "q:\(String(repeating: "x", count: 100))",
      "search, column 1: the tag \"q:\" does not accept \"\(String(repeating: "x", count: 59))…\".",
      "It accepts A, B, C, D, E, \"<C\" or \">C\"."
    ),
    (
      "robin \"song thrush", "search, column 7: a quotation mark is not closed.",
      "Close it. In a shell, put the whole text in single quotes: 'en:\"song thrush\"'"
    ),
    (
      "rmk:5\"x", "search, column 1: a quotation mark is in the middle of a value.",
      "Put the whole value in quotes, and type \\\" for a quotation mark in it: 'rmk:\"5\\\" of rain\"'"
    ),
    (
      "robin -", "search, column 7: nothing follows the \"-\".",
      "Type what to leave out directly after it, as in: -type:call"
    ),
  ]) func `an error names the column, what is wrong and what to type`(
    _ text: String, _ message: String, _ hint: String
  ) throws {
    let error = try shown(text)
    #expect(error.message == message)
    #expect(error.hint == hint)
    #expect(error.status == .usage)
  }

  @Test func `a list that is not stored ends with 66 and names the nearest`() throws {
    let error = try shown("robin in:parot")
    #expect(error.message == "search, column 7: no list \"parot\" is stored.")
    #expect(error.hint == "Did you mean in:\"parrot\"?")
    #expect(error.status == .notFetched)
    #expect(try shown("in:zzz").hint == "chirper list shows the stored lists.")
  }
}
