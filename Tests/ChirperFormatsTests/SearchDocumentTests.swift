import Chirper
import ChirperTestSupport
import Foundation
import Testing

@testable import ChirperFormats
@testable import ChirperModel

/// Every example of docs/search.md is run.
struct SearchDocumentTests {
  /// The recordings of the page's table, in its order.
  private static let stored: [(details: RecordingDetails, context: SearchContext)] = [
    recording(
      ("Song Thrush", "Turdus philomelos", "birds"),
      ("Poland", "Białowieża Forest", 52.70, 23.87, 165), "Ewa Nowak",
      "2024-05-17", ["song"], .a, 45,
      RecordingDetails.Licence(creativeCommonsCode: "by-nc-sa", version: "4.0")
    ) { details, context in
      (details.sex, details.lifeStage, details.eventTime) = (
        ["male"], ["adult"], PartialDate.TimeOfDay("05:20")
      )
      (details.associatedTaxa, details.occurrenceRemarks) = (
        ["Turdus merula"], "Dawn chorus,\nlight rain."
      )
      (details.catalogNumber, details.available) = ("XC1001", PartialDate("2026-06-13"))
      details.annotations = [
        annotation("Turdus philomelos", ["song"], ["male"], ["adult"], by: "Ewa Nowak"),
        annotation("Turdus merula", ["alarm call"], [], [], by: "Ewa Nowak"),
      ]
      (context.lists, context.isAudioDownloaded, context.entered) = (
        [1], true, [1: now.addingTimeInterval(-86_400)]
      )
    },
    recording(
      ("Common Blackbird", "Turdus merula", "birds"), ("Poland", "Wrocław", 51.11, 17.03, 120),
      "Stein Ø. Nilsen",
      "2023-12-02", ["call", "alarm call"], .b, 12,
      RecordingDetails.Licence(creativeCommonsCode: "by", version: "4.0")
    ) { details, context in
      (details.sex, details.lifeStage, details.samplingProtocol) = (
        ["female"], ["adult"], "field recording"
      )
      (details.catalogNumber, details.available) = ("XC1002", PartialDate("2024-01-05"))
      (context.lists, context.entered) = ([1, 2], [2: now.addingTimeInterval(-86_400)])
    },
    recording(
      ("Common Blackbird", "Turdus merula merula", "birds"),
      ("Germany", "Tiergarten, Berlin", 52.51, 13.35, 34), "Ewa Nowak",
      "2022-05", ["song", "call"], nil, 130,
      RecordingDetails.Licence(creativeCommons: "//creativecommons.org/publicdomain/zero/1.0/")
    ) { details, context in
      (details.associatedTaxa, details.occurrenceRemarks) = (
        ["Strix aluco", "Tawny Owl"], "Traffic."
      )
      (details.catalogNumber, details.available) = ("XC1003", PartialDate("2022-06-01"))
      details.annotations = [annotation("Strix aluco", ["call"], [], [], by: "BirdNET")]
      (context.lists, context.changedAt) = ([2], now.addingTimeInterval(-5 * 86_400))
    },
    recording(
      ("Tawny Owl", "Strix aluco", "birds"), ("United Kingdom", "Kew Gardens", 51.48, -0.29, 10),
      "Ann O'Brien",
      "2021-02-11", ["flight call"], .c, 60,
      RecordingDetails.Licence(creativeCommonsCode: "by-nc-nd", version: "4.0")
    ) { details, context in
      (details.lifeStage, details.eventTime) = (["juvenile"], PartialDate.TimeOfDay("23:10"))
      (details.catalogNumber, details.available) = ("XC1004", PartialDate("2021-02-12"))
      (context.lists, context.leftLists) = ([4], [2])
    },
    recording(
      ("Common Pipistrelle", "Pipistrellus pipistrellus", "bats"),
      ("Norway", "Tromsø", 69.65, 18.96, 5), "Stein Ø. Nilsen",
      "2025-07-30", ["echolocation"], .e, 5,
      RecordingDetails.Licence(creativeCommonsCode: "by-sa", version: "4.0")
    ) { details, context in
      details.samplingProtocol = "in the hand"
      (details.coordinateUncertaintyInMeters, details.dataGeneralizations) = (
        500, "the place is obscured"
      )
      details.issues = [.coordinate]
      (details.catalogNumber, details.available) = ("XC1005", PartialDate("2025-08-01"))
      context.lists = [3]
    },
    recording(
      ("Soundscape", nil, "soundscape"), ("New Zealand", "Chatham Islands", -43.95, -176.55, nil),
      "Ann O'Brien",
      "2019", [], .d, 3600,
      RecordingDetails.Licence(creativeCommonsCode: "by-nc-sa", version: "3.0")
    ) { details, context in
      (details.catalogNumber, details.available) = ("XC1006", PartialDate("2020-01-01"))
    },
    recording(
      ("Nightingale Song", nil, "track"), ("USA", "Birdsong Collection", nil, nil, nil),
      "The Example Ensemble", "2018-04-12",
      ["song"], nil, 181.5, RecordingDetails.Licence(other: "℗ 2019 Example Records")
    ) { details, context in
      context.catalogue = .itunes
    },
    recording(
      ("Redwing", "Turdus iliacus", "birds"), ("Iceland", "Reykjavík", 64.15, -21.94, 40),
      "Ann O'Brien", "2020-06-10",
      ["song"], .a, 30, RecordingDetails.Licence(creativeCommonsCode: "by-sa", version: "4.0")
    ) { details, context in
      (details.catalogNumber, details.available) = ("XC1008", PartialDate("2020-06-11"))
      context.leftLists = [1]
    },
  ]

  private static let now = Date(timeIntervalSince1970: 1_781_524_800)  // 2026-06-15 12:00 UTC
  private static let lists: [ListName: Set<Int64>] = [
    .typed("thrush"): [1], .typed("gbif:thrush"): [2], .typed("blackbird"): [2],
    .typed("cnt:norway"): [3],
  ]

  private static func annotation(
    _ species: String, _ types: [String], _ sexes: [String], _ stages: [String],
    by annotator: String
  ) -> RecordingDetails.Annotation {
    var annotation = RecordingDetails.Annotation()
    (annotation.scientificName, annotation.behavior) = (species, types)
    (annotation.sex, annotation.lifeStage) = (sexes, stages)
    annotation.identifiedBy = annotator
    return annotation
  }

  private static func recording(
    _ names: (String, String?, String), _ place: (String, String, Double?, Double?, Double?),
    _ recordist: String,
    _ date: String, _ types: [String], _ quality: RecordingDetails.Quality?, _ seconds: Double,
    _ licence: RecordingDetails.Licence?,
    _ rest: (inout RecordingDetails, inout SearchContext) -> Void
  ) -> (RecordingDetails, SearchContext) {
    var details = RecordingDetails()
    (details.vernacularName, details.scientificName, details.group) = names
    let parts = names.1.map { $0.split(separator: " ").map(String.init) } ?? []
    if parts.count > 1 { (details.genus, details.specificEpithet) = (parts[0], parts[1]) }
    if parts.count > 2 { details.infraspecificEpithet = parts[2] }
    (details.country, details.locality, details.elevation) = (place.0, place.1, place.4)
    details.countryCode = Countries.sent(place.0)?.code
    if let latitude = place.2, let longitude = place.3 {
      details.coordinate = RecordingDetails.Coordinate(latitude: latitude, longitude: longitude)
    }
    (details.recordedBy, details.eventDate) = (recordist, PartialDate(date))
    (details.behavior, details.quality, details.seconds, details.licence) = (
      types, quality, seconds, licence
    )
    var context = SearchContext(catalogue: .xenoCanto)
    rest(&details, &context)
    return (details, context)
  }

  private func lines() throws -> [Substring] {
    let page = BuiltProgram.repository.appending(path: "docs/search.md")
    return try String(contentsOf: page, encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false)
  }

  /// The cells of every row of every table whose first heading is this one.
  private func rows(of heading: String) throws -> [[String]] {
    var rows: [[String]] = []
    var isWanted = false
    for line in try lines() {
      guard line.hasPrefix("|") else {
        isWanted = false
        continue
      }
      let cells = line.dropFirst().dropLast().split(
        separator: "|", omittingEmptySubsequences: false
      )
      .map { $0.trimmingCharacters(in: .whitespaces) }
      if cells[0] == heading {
        isWanted = true
      } else if isWanted, !cells[0].hasPrefix("---") {
        rows.append(cells)
      }
    }
    return rows
  }

  /// The texts between backticks.
  private func examples(_ cell: String) -> [String] {
    cell.matches(of: /`([^`]+)`/).map { String($0.output.1) }
  }

  /// The numbers of the recordings that a search finds, in the page's words.
  private func found(_ text: String) throws -> String {
    let expression = try SearchExpression(text, catalogues: Catalogues.all.map(\.id))
    let matcher = try SearchMatcher(
      expression, now: Self.now, lists: Self.lists, leavesOutUnlisted: true,
      storedNames: Self.lists.keys.map(\.text).sorted())
    let numbers = Self.stored.indices.filter { index in
      let (details, context) = Self.stored[index]
      let isUnlisted = context.lists.isEmpty && !context.leftLists.isEmpty
      let isLeftOut = matcher.leavesOutUnlisted && isUnlisted && !matcher.isNumbered(details)
      return matcher.matches(details, context) && !isLeftOut
    }
    return numbers.isEmpty ? "nothing" : numbers.map { "\($0 + 1)" }.joined(separator: ", ")
  }

  @Test func `the recordings of docs/search.md are those of the test`() throws {
    let rows = try rows(of: "number")
    let stored = Self.stored.enumerated().map { index, recording -> [String] in
      let details = recording.details
      let seconds = details.seconds.map { $0 == $0.rounded() ? "\(Int($0))" : "\($0)" }
      return [
        "\(index + 1)", details.vernacularName, details.scientificName, details.country,
        details.locality, details.recordedBy,
        details.behavior.joined(separator: ", "), details.quality?.rawValue, seconds,
        details.eventDate?.description,
      ].map { $0 ?? "" }
    }
    #expect(rows == stored)
  }

  @Test func `every search of docs/search.md finds what the page shows`() throws {
    let rows = try rows(of: "search").filter { !$0[1].hasPrefix("search,") }
    #expect(rows.count > 20)
    for row in rows {
      #expect(try found(try #require(examples(row[0]).first)) == row[1], "\(row[0])")
    }
  }

  @Test func `every search in the text of docs/search.md is in the language`() throws {
    let lines = try lines()
    // The section about names shows commands and their output.
    let searches = lines.prefix { !$0.hasPrefix("### Your own names") }
    let shown = searches.filter { $0.hasPrefix("    ") }.map(String.init)
    #expect(try shown.map(found) == ["1"])
    // In the text, a tag alone names the tag and is no search.
    let inText = lines.filter { !$0.hasPrefix("|") }.flatMap { examples(String($0)) }.filter {
      $0.contains(/:.|^"/)
    }
    #expect(inText.count > 5)
    for text in inText { _ = try found(text) }
  }

  @Test func `every example of a tag in docs/search.md finds some recordings and not all`() throws {
    let rows = try rows(of: "tag")
    for row in rows {
      let examples = examples(row[2])
      #expect(!examples.isEmpty)
      for example in examples {
        let found = try found(example)
        #expect(found != "nothing" && found != "1, 2, 3, 4, 5, 6, 7", "\(example)")
      }
    }
    let tags = rows.flatMap { examples($0[0]) }
    #expect(
      Set(tags) == Set(SearchTag.allCases.map { "\($0.rawValue):" })
        && tags.count == SearchTag.allCases.count)
  }

  @Test func `every error of docs/search.md has the text that the page shows`() throws {
    let rows = try rows(of: "search").filter { $0[1].hasPrefix("search,") }
    #expect(rows.count > 5)
    for row in rows {
      let text = try #require(examples(row[0]).first)
      let error = try #require(throws: SearchExpressionError.self) { try found(text) }
      let shown = UserFacingError(error)
      #expect("\(shown.message) \(shown.hint ?? "")" == row[1])
      #expect(shown.status == (text.hasPrefix("in:") ? .notFetched : .usage))
    }
  }

  @Test func `the limits are those of docs/search.md`() throws {
    let page = try lines().joined(separator: "\n")
    let length =
      "\(SearchExpression.lengthLimit / 1000),\(String(format: "%03d", SearchExpression.lengthLimit % 1000))"
    #expect(page.contains("at most \(SearchExpression.termLimit) terms and \(length) characters"))
  }
}
