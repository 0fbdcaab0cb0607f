import ChirperTestSupport
import Foundation
import Testing

@testable import ChirperModel

@Suite struct `A search expression` {
  private static let catalogues = ["xeno-canto", "itunes", "sample"].map {
    CatalogueID(rawValue: $0)
  }

  private func read(_ text: String) throws(SearchExpressionError) -> SearchExpression {
    try SearchExpression(text, catalogues: Self.catalogues)
  }

  private func refusal(_ text: String) -> SearchExpressionError? {
    do throws(SearchExpressionError) {
      _ = try read(text)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [
    ("robin", "robin"), ("  robin \t\n q:A ", "robin q:A"), (#""song thrush""#, #""song thrush""#),
    ("-robin", "-robin"),
    (#"-"song thrush""#, #"-"song thrush""#), ("cnt:Poland", "cnt:Poland"),
    (#"cnt:"Poland""#, "cnt:Poland"),
    ("CNT:Poland", "cnt:Poland"), ("q:>C", #"q:">C""#), (#"q:">C""#, #"q:">C""#), ("-q:a", "-q:a"),
    (#"en:"=Song Thrush""#, #"en:"=Song Thrush""#),
    (#"rmk:"say \"hi\" \\ \n""#, #"rmk:"say \"hi\" \\ \\n""#),
    ("lat:-5--3", "lat:-5--3"), ("o'brien", #""o'brien""#), (#"5"x"#, #""5\"x""#),
    ("3:45", #""3:45""#), ("--x", #"-"-x""#),
    (#""-x""#, #""-x""#), (#""a:b""#, #""a:b""#), ("rec:a:b", "rec:a:b"), ("Źdźbło", "Źdźbło"),
    ("robin\u{A0}owl", "robin owl"),
    ("robin robin", "robin robin"), ("and or not NEAR", "and or not NEAR"), (#""OR""#, #""OR""#),
    ("type:song,CALL", "type:song,CALL"), (#"loc:"a,b",c,"d e""#, #"loc:"a,b",c,"d e""#),
    ("box:1,2,3,4", "box:1,2,3,4"), ("near:1,2,3.5", "near:1,2,3.5"),
    ("country:poland length:10-60 -quality:D", "cnt:poland len:10-60 -q:D"),
    ("len>60 q>C -YEAR<2020", #"len:">60" q:">C" -year:"<2020""#), ("x>60", #""x>60""#),
    (#"q:">C",none"#, #"q:">C",none"#), ("-also:none", "-also:none"), ("nr:1,2,5-9", "nr:1,2,5-9"),
    ("x*", #""x*""#), ("日本", "日本"),
  ]) func `is printed as it can be typed`(_ typed: String, _ printed: String) throws {
    let expression = try read(typed)
    #expect(expression.description == printed)
    #expect(try read(printed) == expression)
  }

  @Test func `has terms with their places, and is the same wherever these are`() throws {
    let expression = try read(#"  Łoś  -q:A "e\#u{301}l" in:"my list""#)
    #expect(expression.terms.map(\.position) == [3, 8, 13, 18])
    #expect(expression.terms.map(\.isNegated) == [false, true, false, false])
    #expect(expression.terms.map(\.tag) == [nil, .q, nil, .list])
    #expect(expression == (try read(#"Łoś -q:A "e\#u{301}l" in:"my list""#)))
    #expect(expression != (try read(#"Łoś q:A "e\#u{301}l" in:"my list""#)))
    #expect(Set([expression, try read(#"Łoś -q:A "e\#u{301}l" in:"my list""#)]).count == 1)
  }

  @Test func `names its lists and what it needs to know`() throws {
    #expect(try read(#"in:b -in:a in:b robin"#).listNames == [.typed("b"), .typed("a")])
    for (text, asksForLists, asksForAudio) in [
      ("robin cnt:poland since:3 q:A", false, false), ("in:a", true, false),
      ("-gone:yes source:itunes", true, false),
      ("-audio:yes", false, true), ("new:7d", true, false), ("changed:7d", true, false),
    ] {
      let expression = try read(text)
      #expect(
        (expression.asksForLists, expression.asksForAudio) == (asksForLists, asksForAudio),
        "\(text)")
    }
  }

  @Test(arguments: [
    ("robin, wren", ["robin, wren"] as [String]), ("robin,wren q:A", ["robin, wren", "q:A"]),
    ("q:A song thrush , robin", ["q:A", "song thrush, robin"]),
    (#""song thrush",robin"#, [#""song thrush", robin"#]),
    ("-robin, song thrush", ["-robin, song thrush"]),
    ("-song thrush, robin", ["-song", "thrush, robin"]), ("robin,", ["robin"]),
    ("robin, q:A", ["robin", "q:A"]),
    ("robin , -wren", ["robin", "-wren"]), ("song thrush,", ["song", "thrush"]),
    (",robin", ["robin"]),
    ("1,000", [#""1,000""#]), ("a1,b", ["a1, b"]), ("robin,, wren,", ["robin, wren"]),
    ("robin wren", ["robin", "wren"]),
  ]) func `takes any of the words between commas`(_ text: String, _ terms: [String]) throws {
    let expression = try read(text)
    #expect(expression.terms.map(\.description) == terms)
    #expect(try read(expression.description) == expression)
  }

  @Test(
    arguments: [
      ("robin, OR wren", 8, .operatorWord("OR", instead: SearchExpression.operators["OR"] ?? "")),
      ("robin, &", 8, .nothingToFind("&")), (", robin", 1, .nothingToFind(",")),
      (#"robin, "wren"#, 8, .unclosedQuote),
    ] as [(String, Int, SearchExpressionError.Reason)])
  func `refuses what is no word between commas`(
    _ text: String, _ position: Int, _ reason: SearchExpressionError.Reason
  ) {
    #expect(refusal(text) == SearchExpressionError(reason, at: position))
  }

  @Test func `takes digits alone for a number and a word`() throws {
    #expect(try read("363793").terms[0].condition.parts.count == 2)
    #expect(try read("363793 q:A").terms[0].condition.parts.count == 1)
    #expect(try read("-363793").terms[0].condition.parts.count == 1)
    #expect(try read("363793").wordNumbers == [.number(.catalogNumber, .within(363_793...363_793))])
    #expect(try read("xc5 robin").wordNumbers.count == 1 && read("-xc5").wordNumbers.isEmpty)
  }

  @Test func `gives an index the words and the bounds that it is decided by`() throws {
    let terms = try read(#""Song  Thrush's" len:10 gen:"=Łoś" month:11-2"#).terms
    #expect(terms[0].condition == .words(FoldedText.words(of: "song thrush s")))
    guard case .words(let words) = terms[0].condition else { return }
    #expect(words.map { String(decoding: $0, as: UTF8.self) } == ["song", "thrush", "s"])
    #expect(terms[1].condition == .number(.mediaDuration, .within((10 * 0.99)...(10 * 1.01))))
    #expect(terms[2].condition == .text(.genus, try #require(SearchText("los", .whole))))
    #expect(terms[3].condition == .number(.month, .around(from: 11, through: 2)))
  }

  @Test(
    arguments: [
      ("", 1, .empty), (" \n", 1, .empty), ("cnt:", 1, .missingValue(tag: "cnt")),
      ("robin cnt: poland", 7, .missingValue(tag: "cnt")),
      (#"cnt:"""#, 1, .missingValue(tag: "cnt")), (#"en:" ""#, 1, .missingValue(tag: "en")),
      ("q:>", 1, .missingValue(tag: "q")),
      (#"en:"= ""#, 1, .missingValue(tag: "en")), (#"en:"song thrush"#, 1, .unclosedQuote),
      (#"robin "thrush"#, 7, .unclosedQuote),
      (#"en:"song"thrush"#, 1, .misplacedQuote), (#"cnt:po"land"#, 1, .misplacedQuote),
      (#""song"thrush"#, 1, .misplacedQuote),
      ("-", 1, .emptyNegation), ("a - b", 3, .emptyNegation), ("?", 1, .nothingToFind("?")),
      ("a & b", 3, .nothingToFind("&")),
      (#""""#, 1, .nothingToFind("")), ("\u{301}", 1, .nothingToFind("\u{301}")),
      ("en:\u{301}\u{302}", 1, .nothingToFind("\u{301}\u{302}")),
      ("a\0", 2, .controlCharacter(0)), ("e\u{301}\u{1B}[2J", 2, .controlCharacter(0x1B)),
      ("robin \u{202E}x", 7, .controlCharacter(0x202E)),
      ("ctn:poland", 1, .unknownTag("ctn", nearest: ["cnt"])),
      ("robin q_gt:C", 7, .unknownTag("q_gt", nearest: [#"q:">C""#])),
      ("-http://x", 1, .unknownTag("http", nearest: [])),
      ("time:x", 1, .unknownTag("time", nearest: [])),
      ("tyep:x", 1, .unknownTag("tyep", nearest: ["type"])),
      ("methdo:x", 1, .unknownTag("methdo", nearest: ["method"])),
      ("list:x", 1, .unknownTag("list", nearest: ["in"])),
    ] as [(String, Int, SearchExpressionError.Reason)])
  func `is refused with the place and the reason`(
    _ text: String, _ position: Int, _ reason: SearchExpressionError.Reason
  ) {
    #expect(refusal(text) == SearchExpressionError(reason, at: position))
  }

  @Test(
    arguments: [
      ("q:F", []), ("q:A-C", []), ("q:AB", []), ("len:abc", []), ("len:10-", []), ("len:30-10", []),
      ("len:-5", []),
      (#"len:"<10-20""#, []), ("len:1:30", []), ("len:١٠", []), ("len:1e5", []), ("len:inf", []),
      ("year:20x", []),
      ("month:13", []), ("month:0", []), ("month:1.5", []), ("month:5-13", []),
      (#"month:"<3-5""#, []), (#"month:">5-3""#, []),
      ("nr:5x", []), ("nr:XC5-9", []),
      ("nr:1.5", []),
      ("nr:-3", []), ("lat:north", []), ("box:1,2,3", []), ("box:60,1,50,2", []),
      ("box:-91,0,0,0", []), ("near:1,2", []), ("near:1,2,-3", []), ("near:91,2,3", []),
      ("box:0,0,0,181", []),
      ("box:1,,2,3", []), ("box:1,2,3,4-5", []), ("since:yesterday", []), ("since:2021-02-30", []),
      ("since:2021-02", []),
      ("since:123456", []), ("since:-3", []), ("since:2021-02-00", []), ("new:7", []),
      ("new:x", []), ("new:-3d", []),
      ("changed:x", []),
      ("audio:maybe", []),
      ("gone:1", []),
      ("source:xenocanto", ["xeno-canto"]), ("source:gbif", []), ("type:sonng", ["song"]),
      ("type:calls", ["call"]),
      ("sex:femal", ["female"]), ("stage:adlut", ["adult"]), ("method:roped?", ["roped"]),
      ("lic:BY-NC-AS", ["BY-NC-SA", "BY-NC"]), ("lic:BY-", ["BY"]), ("lic:-BY", ["BY"]),
      ("nr:<5-9", []), ("nr:<XC5-9", []),
    ] as [(String, [String])])
  func `is refused where a tag does not take a value, with the nearest`(
    _ text: String, _ expected: [String]
  ) throws {
    let error = try #require(refusal("robin -" + text))
    #expect(error.position == 7)
    guard case .badValue(let tag, let value, _, let nearest, _) = error.reason else {
      Issue.record("\(error)")
      return
    }
    #expect("\(tag):\(value)" == text.replacing("\"", with: ""))
    #expect(nearest.first == expected.first)
  }

  @Test(arguments: [
    "type:\"=sonng\"", "type:feature-movie", "sex:unknown", "stage:larva", "method:\"hydrophone\"",
    "lic:sample",
    "lic:\"All rights reserved\"", "lic:\"=BY-NC-AS\"", "grp:birdies", "year:0", "len:0",
    "lat:\"<-90\"", "new:0d", "new:100000w",
    "since:0", "since:99999", "nr:0-999999999999999", "source:XENO-CANTO", "audio:YES",
  ]) func `takes any value that could be one`(_ text: String) {
    #expect(refusal(text) == nil)
  }

  @Test func `is refused in a sentence where it is too long`() {
    let words = Array(repeating: "a", count: 10_000).joined(separator: " ")
    #expect(refusal(words)?.reason == .tooLong(count: 19_999, limit: 4096))
    #expect(
      refusal(String(repeating: "x", count: 100_000))?.reason
        == .tooLong(count: 100_000, limit: 4096))
    #expect(refusal(String(repeating: "x", count: 4096)) == nil)
    #expect(
      refusal(String(repeating: "x", count: 4097))?.reason == .tooLong(count: 4097, limit: 4096))
    #expect(refusal(String(repeating: "e\u{301}", count: 2048)) == nil)
    let hundred = Array(repeating: "ab", count: 100).joined(separator: " ")
    #expect(refusal(hundred) == nil)
    #expect(refusal(hundred + " c") == SearchExpressionError(.tooManyTerms(limit: 100), at: 301))
  }

  /// A text of pieces that mean something, and of scalars from every plane.
  private func text(_ random: inout SeededRandom) -> String {
    let pieces = [
      "\"", "\\", " ", "-", ":", "=", "<", ">", ",", "10", "2024-05-17", "5-7", "song", "A", "yes",
      "7d", "\u{301}", "é", "*",
      "(",
      "'", ";--", "NEAR", "^", "\u{1F99C}", "xeno-canto", "1,2,3,4", "BY-NC",
    ]
    var text = ""
    for _ in 0..<Int.random(in: 0...14, using: &random) {
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<4: text += pieces.randomElement(using: &random) ?? ""
      case 4..<7: text += (SearchTag.allCases.randomElement(using: &random)?.rawValue ?? "") + ":"
      case 7: text += " "
      default:
        let plane = UInt32.random(in: 0...16, using: &random) << 16
        let scalar = Unicode.Scalar(plane | UInt32.random(in: 0...0xFFFF, using: &random))
        text.unicodeScalars.append(scalar ?? "x")
      }
    }
    return text
  }

  @Test func `is read or refused and never a trap, printed and read again the same`() throws {
    var random = SeededRandom(seed: 11)
    let now = Date(timeIntervalSince1970: 1_781_524_800)
    var details = RecordingDetails()
    (details.vernacularName, details.seconds) = ("Éa 10\u{301}", 10)
    var context = SearchContext(catalogue: Self.catalogues[0])
    (context.lists, context.entered) = ([1], [1: now])
    var (taken, refused, found) = (0, 0, 0)
    for _ in 0..<8_000 {
      let text = text(&random)
      do throws(SearchExpressionError) {
        let expression = try read(text)
        taken += 1
        #expect(try read(expression.description) == expression, "\(text)")
        let lists = Dictionary(
          uniqueKeysWithValues: expression.listNames.map { ($0, Set([Int64(1)])) })
        let matcher = try SearchMatcher(expression, now: now, lists: lists)
        if matcher.matches(details, context) { found += 1 }
      } catch {
        refused += 1
        #expect((1...max(1, text.count)).contains(error.position), "\(text)")
      }
    }
    #expect(
      taken > 1000 && refused > 1000 && (50..<taken).contains(found), "\(taken) \(refused) \(found)"
    )
  }
}
