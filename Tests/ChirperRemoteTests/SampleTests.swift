import ChirperModel
import Foundation
import Testing

@testable import ChirperRemote

@Suite struct `The sample catalogue` {
  private let fetcher = SampleFetcher(now: RemoteConfiguration().now)

  private func list(_ typed: String, pageSize: Int? = nil) async throws -> [Recording] {
    let query = try Sample.catalogue.query(typed, pageSize: pageSize)
    var list: [Recording] = []
    var next: Int? = 1
    while let number = next {
      let page = try await fetcher.page(number, of: query)
      #expect(page.number == number)
      #expect(page.next == nil || page.recordings.count == query.pageSize)
      list += page.recordings
      next = page.next
      if next == nil {
        #expect(page.totals?.recordings == list.count)
        #expect(page.totals?.pages == number || list.isEmpty)
      }
    }
    return list
  }

  @Test func `is a few thousand recordings of sixty species`() {
    let all = SampleWorld.recordings
    #expect((2_500...3_500).contains(all.count))
    #expect(Set(all.map(\.number)) == Set(1...all.count))
    #expect(SampleSpecies.all.count == 60)
  }

  @Test func `is the same on every machine`() async throws {
    let first = try await fetcher.page(1, of: Sample.catalogue.query("grey parrot")).recordings
      .first
    #expect(SampleWorld.recordings.count == 2_860)
    let expected =
      #"{"id":"sample:2814","gen":"Psittacus","sp":"erithacus","ssp":"","grp":"birds","en":"Grey Parrot","#
      + #""rec":"Sample recordist","cnt":"Ghana","loc":"Sample place 298","lat":"7.8","lon":"-0.3","type":"alarm call","#
      + #""url":"sample:2814","file":"","lic":"sample","q":"A","length":"0:40","date":"2006-06-04","#
      + #""uploaded":"2007-01-18","also":["Botaurus stellaris"],"rmk":"Made up by chirper; not a recording."}"#
    #expect(first?.fields.json == expected)
  }

  @Test func `has several hundred parrots, several pages deep`() async throws {
    let parrots = try await list("parrot")
    #expect((300...900).contains(parrots.count))
    #expect(Set(parrots.map(\.id)).count == parrots.count)
    #expect(parrots.allSatisfy { $0.text("en")?.contains("Parrot") == true })
    #expect(try await list("Parrot", pageSize: 10) == parrots)
    #expect(try await list("en:parrot", pageSize: 500) == parrots)
  }

  @Test func `is in xeno-canto's order`() {
    let positions = Dictionary(
      uniqueKeysWithValues: SampleSpecies.all.enumerated().map { ($1.englishName, $0) })
    let keys = SampleWorld.recordings.map {
      [positions[$0.species.englishName] ?? 0, $0.rank, -$0.number]
    }
    #expect(zip(keys, keys.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) })
  }

  @Test func `cannot be mistaken for data`() async throws {
    let recordings = try await list("a").prefix(100)
    #expect(recordings.count == 100)
    for recording in recordings {
      #expect(recording.id.value.hasPrefix("sample:"))
      #expect(recording.text("id") == recording.id.value)
      #expect(recording.text("rec") == "Sample recordist")
      #expect(recording.text("loc")?.hasPrefix("Sample place ") == true)
      #expect(recording.text("file") == nil)
    }
  }

  @Test func `writes its fields in canonical form and in order`() async throws {
    let recordings = try await list("meyer")
    #expect(!recordings.isEmpty)
    for recording in recordings {
      #expect(try RecordingFields(json: recording.fields.json) == recording.fields)
      #expect(recording.fields.names == Sample.catalogue.fields)
    }
  }

  @Test(arguments: [
    "parrot", "psittacus erithacus", "poland", "gen:larus", "sp:fuscus", #"sp:"larus fuscus""#,
    "cnt:pol", "q:a", #"q:">C""#,
    "q:<C", "type:song", #"rec:"sample recordist""#, "nr:10-20", "len:20-30", "len:<10",
    "year:2010", "month:5", "fam:laridae",
    "grp:birds", "since:2020-01-01", #"also:"turdus merula""#, #"en:"=grey parrot""#, "lic:sample",
    #"loc:"sample place""#,
  ]) func `finds something by every tag, and not everything`(_ typed: String) async throws {
    let found = try await list(typed, pageSize: 500)
    #expect(!found.isEmpty)
    let isAll =
      typed.hasPrefix("rec:") || typed.hasPrefix("grp:") || typed.hasPrefix("lic:")
      || typed.hasPrefix("loc:")
    #expect((found.count == SampleWorld.recordings.count) == isAll)
  }

  @Test func `takes quality and days as xeno-canto does`() async throws {
    #expect(
      Set(try await list(#"q:">C""#, pageSize: 500).compactMap { $0.text("q") }) == ["A", "B"])
    #expect(Set(try await list("q:<C", pageSize: 500).compactMap { $0.text("q") }) == ["D", "E"])
    let now = Date(timeIntervalSince1970: 1_735_689_600)  // 2025-01-01
    let page = try await SampleFetcher { now }.page(1, of: Sample.catalogue.query("since:30"))
    #expect(page == (try await fetcher.page(1, of: Sample.catalogue.query("since:2024-12-02"))))
  }

  @Test func `returns an empty last page for no results and beyond the end`() async throws {
    #expect(try await list("dodo") == [])
    let beyond = try await fetcher.page(.max, of: Sample.catalogue.query("kea"))
    #expect(beyond.recordings == [])
    #expect(beyond.next == nil)
    #expect(beyond.totals?.species == 1)
  }

  @Test func `knows only the tags its recordings have`() {
    #expect(throws: QueryError.self) { try Sample.catalogue.query("lat:5") }
    #expect(throws: QueryError(.mixed(words: "grey", suggestion: #"en:"parrot grey""#))) {
      try Sample.catalogue.query("en:parrot grey")
    }
  }

  @Test func `finds words beside tags in the English name`() async throws {
    let found = try await list("parrot q:A", pageSize: 500)
    #expect(!found.isEmpty && found.allSatisfy { $0.text("en")?.contains("Parrot") == true })
    #expect(found.allSatisfy { $0.text("q") == "A" })
  }

  @Test func `finds words that only look like tags`() async throws {
    let query = try Sample.catalogue.query(#""grey cnt:x""#)
    #expect(try await fetcher.page(1, of: query).recordings == [])
    #expect(try Sample.catalogue.query(query.identity) == query)
  }

  @Test func `has details that cannot be taken for data either`() async throws {
    let recording = try #require(try await list("grey parrot").first)
    var expected = RecordingDetails()
    expected.scientificName = "Psittacus erithacus"
    expected.genus = "Psittacus"
    expected.specificEpithet = "erithacus"
    expected.vernacularName = "Grey Parrot"
    expected.group = "birds"
    expected.recordedBy = "Sample recordist"
    expected.country = "Ghana"
    expected.countryCode = "GH"
    expected.locality = "Sample place 298"
    expected.coordinate = RecordingDetails.Coordinate(latitude: 7.8, longitude: -0.3)
    expected.behavior = ["alarm call"]
    expected.quality = .a
    expected.seconds = 40
    expected.eventDate = PartialDate(year: 2006, month: 6, day: 4)
    expected.available = PartialDate(year: 2007, month: 1, day: 18)
    expected.licence = RecordingDetails.Licence(other: "sample")
    expected.occurrenceRemarks = "Made up by chirper; not a recording."
    expected.associatedTaxa = ["Botaurus stellaris"]
    expected.catalogNumber = "sample:2814"
    #expect(Sample.catalogue.details(of: recording) == expected)
    #expect(expected.credit == "Sample recordist, sample:2814, sample")
  }

  @Test func `rates some recordings and leaves others without a rating`() async throws {
    let ratings = try await list("a", pageSize: 500).map {
      ($0.text("q"), Sample.catalogue.details(of: $0).quality?.rawValue)
    }
    #expect(Set(ratings.map(\.0)) == ["A", "B", "C", "D", "E", "no score"])
    #expect(ratings.allSatisfy { $0 == "no score" ? $1 == nil : $1 == $0 })
  }

  @Test func `stops in a cancelled task`() async throws {
    let query = try Sample.catalogue.query("kea")
    let fetcher = fetcher
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await #expect(throws: FetchError.cancelled) { try await fetcher.page(1, of: query) }
    }
    await task.value
  }
}
