import ChirperTestSupport
import Testing

@testable import ChirperTerminal

@Suite struct KeyDecoderTests {
  @Test(arguments: [
    ("j", [Key.character("j")]), ("\u{1B}[A", [.up]), ("\u{1B}OB", [.down]),
    ("\u{1B}[5~", [.pageUp]), ("\u{1B}[5;5~", [.pageUp]),
    ("\u{1B}[6~", [.pageDown]), ("\u{1B}[H", [.home]), ("\u{1B}[1;5C", [.right]),
    ("\u{1B}[3~", [.delete]),
    ("\r", [.enter]), ("\u{7F}", [.backspace]), ("\u{3}", [.control("c")]),
    ("\u{1A}", [.control("z")]), ("\t", [.tab]),
    ("é", [.character("é")]), ("漢🦜", [.character("漢"), .character("🦜")]),
    ("\u{1B}\u{1B}[A", [.escape, .up]), ("\u{0}x", [.character("x")]),
    ("\u{9B}A", [.character("A")]), ("\u{1B}jk", [.character("k")]),
  ])
  func `Bytes become keys`(bytes: String, keys: [Key]) {
    var decoder = KeyDecoder()
    #expect(decoder.feed(bytes.utf8) == keys)
    #expect(decoder.isWaiting == false)
  }

  @Test func `A key may arrive in several reads`() {
    let bytes = Array("é\u{1B}[5~漢\u{1B}[1;2Aq".utf8)
    for first in 0...bytes.count {
      for second in first...bytes.count {
        var decoder = KeyDecoder()
        let keys = [bytes[..<first], bytes[first..<second], bytes[second...]].flatMap {
          decoder.feed($0)
        }
        #expect(keys == [.character("é"), .pageUp, .character("漢"), .up, .character("q")])
      }
    }
  }

  @Test(arguments: [
    ("kea", "kea"), ("grey parrot\r\nkea\n", "grey parrot kea"), ("a\rb\tc\u{2028}d", "a b c d"),
    ("q\u{3}\u{1A}\u{0}q", "qq"),
    ("\u{1B}[A\u{9B}31mx\u{202E}", "[A31mx"), ("漢字\n", "漢字"), ("", ""), ("\u{1B}[200~x", "[200~x"),
  ])
  func `A paste is one line of text, wherever the reads split it`(pasted: String, text: String) {
    let bytes = Array("j\u{1B}[200~\(pasted)\u{1B}[201~k".utf8)
    for split in 0...bytes.count {
      var decoder = KeyDecoder()
      var keys = decoder.feed(bytes[..<split])
      // A paste may pause; an Escape before it must not be taken for the key, and Ctrl-C before a
      // pause is the key.
      if split > 7, bytes[split - 1] != 0x03 { keys += decoder.flush() }
      keys += decoder.feed(bytes[split...])
      #expect(keys == [.character("j"), .paste(text), .character("k")], "split at \(split)")
      #expect(decoder.isWaiting == false)
    }
  }

  @Test func `A long paste is cut, and one without an end ends with Ctrl-C`() {
    var decoder = KeyDecoder()
    #expect(decoder.feed("\u{1B}[200~".utf8).isEmpty)
    for _ in 0..<100 {
      #expect(decoder.feed(Array(repeating: UInt8(ascii: "x"), count: 10_000)).isEmpty)
    }
    let text = String(repeating: "x", count: 65_536)
    #expect(decoder.feed("\u{1B}[201~".utf8) == [.paste(text)])
    #expect(decoder.feed("\u{1B}[200~x\u{3}".utf8).isEmpty)
    #expect(decoder.flush() == [.control("c")])
    #expect(decoder.isWaiting == false)
  }

  @Test func `A sequence too long to be a key is skipped up to its end`() {
    var decoder = KeyDecoder()
    #expect(decoder.feed("\u{1B}[\(String(repeating: "1;", count: 5000))".utf8).isEmpty)
    #expect(decoder.isWaiting)
    #expect(decoder.feed("5;5~j".utf8) == [.character("j")])
    #expect(decoder.feed("\u{1B}[\(String(repeating: "1", count: 100))".utf8).isEmpty)
    #expect(decoder.flush().isEmpty)
    #expect(decoder.feed("k".utf8) == [.character("k")])
  }

  private static let parts = ["\u{1B}[1;", "\u{1B}[", "1", "\u{1B}", "\u{1B}[200~", "é", "\u{3}"]

  @Test(arguments: parts) func `Few bytes are read again with the next ones`(part: String) {
    var decoder = KeyDecoder()
    for byte in "\u{1B}[\(String(repeating: part, count: 2000))".utf8 {
      _ = decoder.feed([byte])
      #expect(decoder.pending.count < 32)
    }
  }

  @Test(.enabled(if: LinearTime.isMeasured), arguments: parts)
  func `Time is in proportion to the bytes, read one by one or at once`(part: String) {
    for isAtOnce in [true, false] {
      let excess = LinearTime.excess(20_000) { size in
        Array("\u{1B}[".utf8) + String(repeating: part, count: size / part.utf8.count).utf8
      } _: { bytes in
        var decoder = KeyDecoder()
        if isAtOnce {
          _ = decoder.feed(bytes)
        } else {
          for byte in bytes { _ = decoder.feed([byte]) }
        }
      }
      #expect(excess == nil)
    }
  }

  @Test func `Escape alone is a key once nothing follows`() {
    var decoder = KeyDecoder()
    #expect(decoder.feed([0x1B]).isEmpty)
    #expect(decoder.isWaiting)
    #expect(decoder.flush() == [.escape])
    #expect(decoder.feed("j".utf8) == [.character("j")])
  }

  @Test func `Broken UTF-8 is skipped, and the next key is read`() {
    for broken: [UInt8] in [
      [0xFF], [0xC3], [0xE6, 0xBC], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0x80], [0xF5],
    ] {
      var decoder = KeyDecoder()
      #expect(decoder.feed(broken + Array("jk".utf8)) == [.character("j"), .character("k")])
    }
  }

  @Test func `Random bytes never trap and leave nothing behind`() {
    var generator = SeededRandom(seed: 1)
    var decoder = KeyDecoder()
    for _ in 0..<20_000 {
      let bytes = (0..<3).map { _ in
        [0x1B, 0x5B, 0x4F, UInt8.random(in: 0...255, using: &generator)][
          Int.random(in: 0..<4, using: &generator)]
      }
      _ = decoder.feed(bytes)
    }
    _ = decoder.feed("\u{1B}[201~".utf8)
    _ = decoder.flush()
    #expect(decoder.isWaiting == false)
  }
}
