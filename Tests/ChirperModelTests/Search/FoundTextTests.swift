import Testing

@testable import ChirperModel

/// Where the words of a search are in a recording.
@Suite struct FoundTextTests {
  private func note(
    _ search: String, shown: Set<DetailColumn> = [.vernacularName],
    _ change: (inout RecordingDetails) -> Void
  ) throws -> String? {
    var details = RecordingDetails()
    details.vernacularName = "Great Tit"
    details.scientificName = "Parus major"
    change(&details)
    return try SearchExpression(search, catalogues: []).foundTexts(in: details).note(besides: shown)
  }

  @Test func `a word in no shown column is said with its text`() throws {
    let background = { (details: inout RecordingDetails) in
      details.associatedTaxa = ["Common Blackbird", "Robin"]
    }
    #expect(try note("blackbird", background) == "in background: Common Blackbird")
    #expect(try note("blackbird", shown: [.associatedTaxa], background) == nil)
    #expect(try note("tit", background) == nil)
    #expect(try note("great parus", background) == "in scientific name: Parus major")
    #expect(
      try note("common blackbird tit robin", background) == "in background: Common Blackbird, Robin"
    )
    #expect(try note("-wren en:tit", background) == nil)
    // The best column of each word, and of several alternatives the best.
    let several = { (details: inout RecordingDetails) in
      details.locality = "Robin Hill"
      details.occurrenceRemarks = "robin and wren"
      details.associatedTaxa = ["Wren"]
    }
    #expect(try note("robin wren", several) == "in place: Robin Hill; in remarks: robin and wren")
    #expect(try note("wren, robin", several) == "in place: Robin Hill")
    #expect(try note("wren, tit", several) == nil)
    let both = "in remarks: robin and wren; in place: Robin Hill"
    #expect(try note("wren robin, wren", several) == both)
  }

  @Test func `of a long text the part from the word on is shown, in one line`() throws {
    let filler = String(repeating: "many words\n", count: 40)
    let long = { (details: inout RecordingDetails) in
      details.occurrenceRemarks = filler + "a  BLÁCKBIRD\tsings (" + filler
    }
    let found = try #require(try note("blackbird", long))
    #expect(found.hasPrefix("in remarks: … BLÁCKBIRD sings (many words many"))
    #expect(found.unicodeScalars.count <= "in remarks: ".count + FoundText.longest)
    #expect(try note(#""blackbird sings""#, long) == found)
    // Megabytes are not searched several times.
    let huge = { (details: inout RecordingDetails) in
      details.occurrenceRemarks = String(repeating: filler, count: 2_000) + "blackbird"
    }
    #expect(try note("blackbird", huge)?.hasPrefix("in remarks: many words many") == true)
  }
}
