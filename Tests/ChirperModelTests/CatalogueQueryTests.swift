import ChirperModel
import Testing

@Suite struct CatalogueQueryTests {
  @Test func `white space is reduced, and text is put into composed form`() throws {
    #expect(try CatalogueQuery.cleaned("  grey \t\n parrot ") == "grey parrot")
    #expect(Array(try CatalogueQuery.cleaned("e\u{301}").unicodeScalars) == ["\u{E9}"])
  }

  @Test(
    arguments: [
      ("", .blank), (" \n ", .blank), ("a\u{1B}b", .controlCharacter(0x1B)),
      ("a\u{202E}b", .controlCharacter(0x202E)),
    ] as [(String, QueryError.Reason)])
  func `an empty query and control characters are refused`(
    typed: String, reason: QueryError.Reason
  ) {
    #expect(throws: QueryError(reason)) { try CatalogueQuery.cleaned(typed) }
  }

  @Test func `a query that is too long for a URL is refused with its length`() {
    #expect(throws: QueryError(.tooLong(count: 10_000, limit: 1000))) {
      try CatalogueQuery.cleaned(String(repeating: "x", count: 10_000))
    }
  }

  @Test func `queries are equal by catalogue, text and page size alone`() {
    let one = CatalogueQuery(
      catalogue: .sample, identity: "a", pageSize: 5, typed: "A", requestText: "en:A")
    #expect(
      one
        == CatalogueQuery(
          catalogue: .sample, identity: "a", pageSize: 5, typed: "a", requestText: "en:a"))
    #expect(
      one
        != CatalogueQuery(
          catalogue: .itunes, identity: "a", pageSize: 5, typed: "A", requestText: "en:A"))
    #expect(
      one
        != CatalogueQuery(
          catalogue: .sample, identity: "a", pageSize: 6, typed: "A", requestText: "en:A"))
  }
}
