import Chirper
import ChirperModel
import Foundation
import Testing

@testable import ChirperFormats

/// Texts about catalogues that look names up and count records.
@Suite struct CatalogueTextTests {
  private func lookup(
    _ taxa: [(String, String, String)], isExact: Bool = true,
    suggestions: [(String, String, String)] = []
  ) -> NameLookup {
    func taxon(_ taxon: (String, String, String)) -> NameLookup.Taxon {
      .init(key: taxon.0, name: taxon.1, rank: taxon.2)
    }
    return NameLookup(
      name: "acipiter", parameter: "taxonKey", taxa: taxa.map(taxon), isExact: isExact,
      suggestions: suggestions.map(taxon))
  }

  @Test func `a name that was looked up is shown with its taxon`() {
    #expect(
      lookup([("2480528", "Accipiter", "genus")]).text(in: Catalogues.named(.gbif))
        == "Asked GBIF for taxonKey 2480528 (Accipiter, genus)")
    #expect(
      lookup([("1", "A b", "species"), ("2", "C d", "")]).text(in: Catalogues.named(.gbif))
        == "Asked GBIF for taxonKey 1 (A b, species) and 2 (C d)")
    #expect(
      lookup([("7", "Accipiter", "genus")], isExact: false).text(in: Catalogues.named(.gbif))
        == "Asked GBIF for taxonKey 7 (Accipiter, genus), the nearest that it has to \"acipiter\"")
  }

  @Test func `a name that no taxon has comes with names to try`() {
    #expect(
      lookup([]).text(in: Catalogues.named(.iNaturalist))
        == "iNaturalist has no taxon named \"acipiter\"; try its scientific name")
    #expect(
      lookup([], suggestions: [("1", "Accipiter", "genus"), ("2", "Aves", "")]).text(
        in: Catalogues.named(.gbif))
        == "GBIF has no taxon named \"acipiter\"; similar: Accipiter (genus), Aves")
  }

  private func stored(
    count: Int, records: Int, total: Int, _ completeness: StoredQuery.Completeness
  )
    -> StoredQuery
  {
    let query = CatalogueQuery(
      catalogue: CatalogueID(rawValue: "gbif"), identity: "a", pageSize: 300, typed: "a",
      requestText: "taxonKey=1 (A, genus)")
    let now = Date(timeIntervalSince1970: 1_780_000_000)
    return StoredQuery(
      query: query, count: count, pagesStored: 3,
      totals: RecordingPage.Totals(recordings: total, pages: 3),
      next: nil,
      completeness: completeness, oldestFetchedAt: now, newestFetchedAt: now, skipped: 0,
      records: records)
  }

  @Test func `records are counted apart from rows where they differ`() {
    let list = stored(count: 925, records: 900, total: 900, .complete)
    #expect(
      list.extent(now: list.newestFetchedAt)
        == "925 rows (900 of 900 records), 3 of 3 pages, complete")
    #expect(
      list.origin(in: Catalogues.named(.gbif), now: list.newestFetchedAt)
        == "925 recordings (900 of 900 records) from GBIF, fetched just now, complete")
    #expect(
      stored(count: 925, records: 900, total: 903, .shifted(rows: 900, total: 903)).extent(
        now: .distantPast
      ).hasSuffix(
        "shifted (900 records, the catalogue counts 903; run chirper sync to fix it)"))
    let plain = stored(count: 900, records: 900, total: 900, .complete)
    #expect(plain.extent(now: plain.newestFetchedAt) == "900 of 900 rows, 3 of 3 pages, complete")
  }

  @Test func `a list that is too long is refused with what makes it shorter`() {
    let error = UserFacingError(
      FetchError(.tooDeep(total: 120_345, limit: 100_000)),
      catalogue: CatalogueID(rawValue: "gbif"), page: 1)
    #expect(
      error.message
        == "GBIF gives only the first 100000 records of a list (this one has 120345).")
    #expect(
      error.hint == "Narrow the query with year:, month: or cnt:, and fetch its parts one by one.")
  }

  @Test func `a tag without an equivalent is named with those that have one`() {
    let error = UserFacingError(
      QueryError(.unsupportedTag("type", catalogue: "GBIF", supported: ["cnt", "en"])))
    #expect(error.message == "GBIF cannot search by \"type:\".")
    #expect(error.hint == "Its tags are cnt: en:.")
  }
}
