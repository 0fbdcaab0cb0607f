import ChirperModel
import Foundation
import Testing

@testable import Chirper
@testable import ChirperFormats

/// `export --per-species`.
@Suite struct SpeciesLimitTests {
  @Test func `at most some rows of a species are the first in their order`() throws {
    let now = Date(timeIntervalSince1970: 1_790_000_000)
    let repository = try RecordingRepository.inMemory()
    let query = try #require(repository.catalogue(.xenoCanto)).query("a")
    let recordings = (1...6).map { number in
      let name = number % 3 == 0 ? #""Turdus","sp":"merula""# : #""Troglodytes","sp":"troglodytes""#
      return Recording(
        id: RecordingID(catalogue: .xenoCanto, value: "\(number)"),
        fields: RecordingFields(canonical: #"{"id":"\#(number)","gen":\#(name)}"#))
    }
    let page = RecordingPage(number: 1, recordings: recordings, totals: nil, next: nil)
    _ = try repository.store.store(page, of: query, startsWalk: true, now: now)
    _ = try repository.store.closeWalk(of: query, evenIfShifted: false, now: now)
    var selection = Selection([query])
    selection.sort = [SortKey(\.catalogNumber, descending: true)]
    let rows = try repository.rows(of: selection).limited(perSpecies: 1)
    #expect(try rows.rows(0..<rows.count).map(\.id.value) == ["6", "5"])
    #expect(rows.beyondLimits == 4)
    #expect(rows.report.choiceNotes == ["4 rows left out, more than 1 of a species"])
    let facts = try rows.report.provenance(now: now)
    #expect(facts.lines.contains("Chosen: at most 1 of a species"), "\(facts.lines)")
    #expect(facts.object.text.contains(#""perSpecies":1,"beyondLimits":4"#))
    #expect(try rows.window(offset: 1, limit: 1).rows(0..<1).map(\.id.value) == ["5"])
  }
}
