import Chirper
import ChirperFormats
import ChirperModel
import Foundation
import Testing

@testable import ChirperCommand

struct WordsTests {
  @Test(
    arguments: [
      (0, "just now"), (4, "just now"), (5, "5 seconds ago"), (59, "59 seconds ago"),
      (60, "1 minute ago"),
      (3599, "59 minutes ago"), (3600, "1 hour ago"), (86_400, "24 hours ago"),
      (172_800, "2 days ago"),
      (1_209_600, "14 days ago"), (5_259_599, "60 days ago"), (5_259_600, "2 months ago"),
      (63_115_200, "2 years ago"),
      (-3, "just now"),
      (-60, "in the future (clock?)"), (1e15, "31688087 years ago"),
    ] as [(Double, String)])
  func `an age has one unit and is never negative`(seconds: Double, expected: String) {
    let then = Date(timeIntervalSince1970: 1_700_000_000)
    #expect(AgeText.ago(then, now: then.addingTimeInterval(seconds)) == expected)
  }

  @Test(
    arguments: [
      (0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1000, "1 kB"), (9_999, "9 kB"),
      (999_999, "999 kB"),
      (1_000_000, "1.0 MB"), (3_456_789, "3.4 MB"), (34_567_890, "34 MB"),
      (2_500_000_000, "2.5 GB"), (.max, "9223372 TB"),
    ] as [(Int, String)])
  func `a size has one unit and is never rounded up`(bytes: Int, expected: String) {
    #expect(SizeText.words(bytes) == expected)
  }

  @Test func `a wait is rounded up`() {
    #expect(AgeText.words(.milliseconds(1200)) == "2 seconds")
    #expect(AgeText.words(.seconds(60)) == "1 minute")
  }

  @Test(
    arguments: [("30m", 1800), ("12h", 43_200), ("7d", 604_800), ("2w", 1_209_600), ("0s", 0)]
      as [(String, Int64)])
  func `an age is a number with a unit`(typed: String, seconds: Int64) throws {
    #expect(try Age(option: typed).duration == .seconds(seconds))
  }

  @Test(arguments: ["", "7", "d", "-1d", "1.5h", "7 d", "7y", "99999999999999999999d", "7d\u{301}"])
  func `a malformed age is refused`(typed: String) {
    #expect(throws: (any Error).self) { try Age(option: typed) }
  }

  @Test(
    arguments: [("0.5", 2), ("1", 1), ("30/min", 2), ("0.5/s", 2), ("360/h", 10)]
      as [(String, Int64)])
  func `a rate is per second, minute or hour`(typed: String, seconds: Int64) throws {
    #expect(try Rate(option: typed).interval == .seconds(seconds))
  }

  @Test(arguments: ["", "0", "-1", "x", "1/day", "1/", "nan", "inf", "1e3", "1/s/s", "0.0000001"])
  func `a malformed rate is refused`(typed: String) {
    #expect(throws: (any Error).self) { try Rate(option: typed) }
  }

  @Test func `a query in a hint can be pasted into a shell`() {
    #expect(CommandText.line("fetch", "parrot") == "chirper fetch parrot")
    #expect(
      CommandText.line("fetch", "song thrush", source: "itunes")
        == "chirper fetch 'song thrush' --source itunes")
    #expect(CommandText.line("fetch", "it's $HOME") == "chirper fetch 'it'\\''s $HOME'")
    #expect(
      CommandText.line("list", "-x", source: "sample") == "chirper list --source sample -- -x")
    #expect(CommandText.quoted("") == "''")
    #expect(CommandText.quoted("größe") == "größe")
  }

  @Test func `the nearest names come first, far ones not at all`() {
    #expect(NearestNames.to("enn", among: ["en", "gen", "rec", "id"]) == ["en"])
    #expect(NearestNames.to("legnth", among: ["length", "loc"]) == ["length"])
    #expect(NearestNames.to("zzzzz", among: ["en", "gen"]) == [])
  }

  @Test func `control characters from outside are printed as escapes`() {
    #expect(
      TerminalText.escaped("a\u{1B}[2Jb\u{9B}\u{7F}\u{202E}\u{2028}\n")
        == #"a\x1b[2Jb\x9b\x7f\u202e\u2028\n"#)
    #expect(TerminalText.escaped("a\nb\r", keepingLines: true) == "a\nb\\r")
    #expect(TerminalText.escaped("Ñandú 日本") == "Ñandú 日本")
  }
}
