import ChirperStore
import ChirperTestSupport
import Testing

@testable import Chirper
@testable import ChirperModel

/// What typed texts mean, as a search, a list and a recording. `ChirperCommandTests` and
/// `ChirperTerminalTests` hold the front ends to the same table.
struct TypedSearchTests {
  @Test(arguments: typedSearches)
  func `a typed text means the same search in the library as anywhere`(
    row: (typed: String, means: String)
  ) throws {
    let repository = RecordingRepository(
      store: try .inMemory(), dependencies: ManualClock().dependencies())
    #expect(
      (try? repository.searchExpression(row.typed))?.description ?? "an error" == row.means)
  }

  @Test func `searches of values are those that their texts are read as`() throws {
    let ids = Catalogues.all.map(\.id)
    let query = try #require(Catalogues.named(.gbif)).query("song thrush")
    let values: [(SearchExpression?, String)] = [
      (.everything, "source:any"), (SearchExpression(.gone, ["yes"], [.gone(true)]), "gone:yes"),
      (.sources([.gbif]), "source:gbif"),
      (.sources([.gbif, .xenoCanto]), "source:gbif,xeno-canto"),
      (.sources([.sample], isNegated: true), "-source:sample"), (.number("XC12"), "nr:XC12"),
      (.number("12"), "nr:12"), (.number("gull"), ""),
      (SearchExpression(.new, ["12h"], [.entered(.seconds(43_200))]), "new:12h"),
      (SearchExpression(.changed, ["2w"], [.changed(.seconds(1_209_600))]), "changed:2w"),
      (.words("song thrush"), "\"song thrush\""),
      (.words("?!"), ""),
    ]
    for (made, text) in values {
      guard !text.isEmpty else {
        #expect(made == nil)
        continue
      }
      let read = try SearchExpression(text, catalogues: ids)
      #expect(made == read)
      #expect(made?.terms.map(\.condition) == read.terms.map(\.condition), "\(text)")
    }
    // A list that is given is meant by itself, also if other lists have its name.
    let list = SearchExpression.lists([query])
    #expect(list?.description == "in:\"gbif:song thrush\"")
    #expect(list?.listNames == [.query(query)])
  }

  @Test func `the examples of searches are in the language`() throws {
    for (search, finds) in SearchExpression.examples {
      #expect(!finds.isEmpty)
      let read = try SearchExpression(search, catalogues: [])
      #expect(read.description == search)
    }
  }

  @Test func `a catalogue reads the text of a list once as words and once as a scientific name`()
    throws
  {
    let readings = Locked<[String]>([])
    var catalogue = Catalogue(id: "field-notes", name: "Field notes")
    catalogue.pageSizes = 1...50
    catalogue.defaultPageSize = 10
    catalogue.minimumInterval = .zero
    catalogue.triesScientificNames = true
    catalogue.makeQuery = { text, scientific in
      readings.withLock { $0.append("\(text) \(scientific)") }
      return (scientific ? "sp:\(text)" : text, text)
    }
    let clock = ManualClock()
    let repository = RecordingRepository(
      store: try .inMemory(), own: [StoredCatalogue(catalogue: catalogue)],
      dependencies: clock.dependencies())
    for size in [10, 20] {
      _ = try repository.store.store(
        RecordingPage(
          number: 1,
          recordings: [
            Recording(
              id: RecordingID(catalogue: catalogue.id, value: "1"),
              fields: RecordingFields(canonical: "{\"id\":\"1\"}"))
          ],
          totals: nil, next: nil),
        of: catalogue.query("turdus", scientific: true, pageSize: size), startsWalk: true,
        now: clock.now)
    }
    readings.withLock { $0 = [] }
    let typed = try TypedText(" turdus", in: catalogue.id)
    let stored = try typed.stored(in: repository)
    #expect(stored.map(\.query.pageSize).sorted() == [10, 20])
    let named = try typed.named(in: repository)
    #expect(!named.isEmpty)
    let query = try typed.query(in: catalogue, stored: stored)
    #expect(query.identity == "sp:turdus" && query.pageSize == stored[0].query.pageSize)
    #expect(query.alternatives.isEmpty)
    #expect(try typed.query(in: catalogue, pageSize: 30).alternatives.map(\.pageSize) == [30])
    #expect(throws: QueryError.self) { try typed.query(in: catalogue, pageSize: 51) }
    #expect(readings.withLock { $0 } == ["turdus false", "turdus true"])
  }

  @Test func `a text names a catalogue by its prefix or its address`() throws {
    for (typed, given, otherwise, text, catalogue) in [
      ("gbif:parrot", nil, nil, "parrot", "gbif"),
      ("GBIF:parrot", nil, "itunes", "parrot", "gbif"),
      ("gbif:parrot", "gbif", nil, "parrot", "gbif"),
      ("cnt:poland", nil, nil, "cnt:poland", nil),
      ("parrot", nil, "itunes", "parrot", "itunes"),
      (
        "https://www.inaturalist.org/observations/31", nil, "itunes",
        "https://www.inaturalist.org/observations/31", "inaturalist"
      ),
    ] as [(String, String?, String?, String, String?)] {
      let read = try TypedText(
        typed, in: given.map(CatalogueID.init(rawValue:)),
        otherwise: otherwise.map(CatalogueID.init(rawValue:)))
      #expect(read.text == text && read.catalogue?.rawValue == catalogue, "\(typed)")
    }
    #expect(throws: QueryError(.severalCatalogues("gbif", "itunes"))) {
      try TypedText("gbif:parrot", in: .itunes)
    }
  }
}

private struct StoredCatalogue: PageFetcher {
  let catalogue: Catalogue

  func page(_ request: PageRequest) async throws(FetchError) -> RecordingPage {
    throw FetchError(.unknownCatalogue)
  }
}
