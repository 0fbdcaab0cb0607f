import Testing

@testable import ChirperModel

@Suite struct NearestNamesTests {
  @Test(arguments: [
    ("cnt", "cnt", 0), ("ctn", "cnt", 1), ("", "abc", 3), ("kitten", "sitting", 3),
    ("gen", "en", 1), ("legnth", "length", 1),
    ("größe", "große", 1),
  ])
  func `edits are counted with swapped neighbours as one`(
    left: String, right: String, distance: Int
  ) {
    #expect(NearestNames.editDistance(left, right) == distance)
    #expect(NearestNames.editDistance(right, left) == distance)
  }

  @Test(arguments: [
    ("legnth", ["length"]), ("LENGTH", ["length"]), ("enn", ["en"]), ("zzzzz", []), ("x", []),
    ("", []),
    ("loc", ["loc", "lic"]),
  ])
  func `the nearest names come first, far ones not at all`(name: String, nearest: [String]) {
    #expect(NearestNames.to(name, among: ["q", "length", "lic", "loc", "gen", "en"]) == nearest)
  }

  @Test func `no more than three names are given, equally near ones in alphabetical order`() {
    #expect(
      NearestNames.to("bat", among: ["rat", "mat", "hat", "cat", "bath"]) == ["bath", "cat", "hat"])
  }

  @Test func `a very long name takes no longer than forty letters`() {
    let long = String(repeating: "a", count: 100_000)
    #expect(NearestNames.editDistance(long, long + "b") == 0)
    #expect(NearestNames.to(long, among: ["list"]) == [])
  }
}

@Suite struct StableHashTests {
  /// The published test vectors of FNV-1a.
  @Test(
    arguments: [
      ("", 0xCBF2_9CE4_8422_2325), ("a", 0xAF63_DC4C_8601_EC8C), ("foobar", 0x8594_4171_F739_67E8),
    ]
      as [(String, UInt64)])
  func `the hash is FNV-1a`(text: String, hash: UInt64) {
    #expect(StableHash.fnv1a(text) == hash)
  }
}

@Suite struct LoopbackTests {
  @Test(arguments: [
    "localhost", "LOCALHOST", "localhost.", "127.0.0.1", "127.0.0.1.", "127.255.255.255", "::1",
    "[::1]",
  ])
  func `this machine is found by each of its names`(host: String) {
    #expect(Loopback.contains(host))
  }

  @Test(arguments: [
    "", ".", "127.evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "127.0.0",
    "127.0.0.0.1", "127.0.0.256",
    "127.0.0.+1", "127.0.0.-1", "127.0.0.", "0.0.0.0", "128.0.0.1", "::2", "[::1", "127..0.1",
    "127.0.0.\u{661}",
  ])
  func `another machine is not taken for this one`(host: String) {
    #expect(!Loopback.contains(host))
  }
}

@Suite struct PlainLineTests {
  @Test(
    arguments: [
      ("a  b", "a  b"), ("é \"x\" \\ &", "é \"x\" \\ &"), ("a\u{1B}[2J b", "a [2J b"),
      ("  a \n\t b \r\n", "a b"),
      ("x\u{202E}y\u{2028}z\u{85}", "x y z"), ("\u{61C}a\u{FFFE}b\u{1FFFE}", "a b"), ("\n", nil),
      ("", nil),
      ("Âôé؁†ﬁ\u{FFFD}", "Âôé؁†ﬁ\u{FFFD}"),
    ] as [(String, String?)])
  func `a text becomes one line that nothing can act on, and keeps its spaces where it is one`(
    _ text: String, _ line: String?
  ) {
    #expect(PlainLine.text(text) == line)
  }
}
