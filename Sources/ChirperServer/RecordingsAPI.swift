import Chirper
import ChirperFormats
import ChirperModel
import ChirperPlatform
import Foundation

/// Answers as xeno-canto's API does, from what is stored: version 3, and version 2, which the service no longer has.
///
/// - SeeAlso: https://xeno-canto.org/explore/api
struct RecordingsAPI: Sendable {
  enum Version: Sendable {
    case two
    case three
  }

  /// What a query finds, kept while clients read its pages, so that they get pages of one list.
  private struct Found: Sendable {
    let reader: ListReader
    let species: Int
    let headers: [(name: String, value: String)]
    /// Of the store when it was made.
    let version: [Int]
    let made = ContinuousClock.now
    var used = ContinuousClock.now
  }

  private let repository: RecordingRepository
  private let found = Locked<[String: Found]>([:])

  /// The one whose API it is.
  private static let catalogue = CatalogueID.xenoCanto
  /// Queries whose keys are kept.
  private static let queriesKept = 8
  /// A client that has asked for no page for so long has finished.
  private static let pauseInAWalk = Duration.seconds(10)
  /// No answer is older than that, however many clients read its pages.
  private static let greatestAge = Duration.seconds(300)

  init(_ repository: RecordingRepository) { self.repository = repository }

  func answer(_ request: Request, _ version: Version) throws -> Answer {
    do {
      return try page(request, version)
    } catch StoreError.recordingForgotten {
      // Some of what was found is no longer stored: it is looked up anew.
      found.withLock { $0 = [:] }
      return try page(request, version)
    }
  }

  private func page(_ request: Request, _ version: Version) throws -> Answer {
    guard let query = request["query"]?.trimmingCharacters(in: .whitespacesAndNewlines), !query.isEmpty else {
      return .clientError("No query specified.")
    }
    // Version 2 had one size.
    let asked = request["per_page"].map { Int($0) ?? 0 } ?? 100
    let size = version == .two ? 500 : min(max(asked, 50), 500)
    let number = max(1, request["page"].flatMap { Int($0) } ?? 1)
    do {
      let expression = try repository.searchExpression(query)
      guard version == .two || expression.terms.allSatisfy({ $0.tag != nil }) else {
        return .clientError("This version of the API only accepts queries using tags: en:\"robin\" q:A")
      }
      let found = try find(query, expression, request, isFirstPage: number == 1)
      let count = found.reader.count
      let pages = max(1, (count + size - 1) / size)
      let rows = number > pages ? 0..<0 : ((number - 1) * size)..<min(number * size, count)
      var body = Array("{\"numRecordings\":\"\(count)\",\"numSpecies\":\"\(found.species)\",\"page\":\(number),".utf8)
      body += "\"numPages\":\(pages),\"recordings\":[".utf8
      try append(found.reader, rows, version, to: &body)
      body += "]}".utf8
      return Answer(body: .bytes(body), headers: found.headers)
    } catch let error as SearchExpressionError {
      return .clientError(UserFacingError(error).message)
    }
  }

  private func append(_ reader: ListReader, _ rows: Range<Int>, _ version: Version, to body: inout [UInt8]) throws {
    var isFirst = true
    func separate() {
      if !isFirst { body.append(UInt8(ascii: ",")) }
      isFirst = false
    }
    guard version == .two else {
      return try reader.forEachRow(rows) { row in
        separate()
        body += row
      }
    }
    for recording in try reader.rows(rows) {
      separate()
      var object = JSONObject()
      for (name, value) in recording.fields.members {
        object.add(Self.namesInVersion2[name] ?? name, raw: value.json)
        if name == "animal-seen" { object.add("bird-seen", raw: value.json) }
      }
      body += object.text.utf8
    }
  }

  private static let namesInVersion2 = ["lon": "lng", "grp": "group"]

  private func find(
    _ query: String, _ expression: SearchExpression, _ request: Request, isFirstPage: Bool
  ) throws -> Found {
    let now = ContinuousClock.now
    let state = try repository.version()
    if let known = found.withLock({ $0[query] }), now - known.made < Self.greatestAge,
      known.version == state || !isFirstPage || now - known.used < Self.pauseInAWalk
    {
      found.withLock { $0[query]?.used = now }
      return known
    }
    guard request.hasTurn else { throw TurnNeeded(searches: true) }
    let made = try search(query, expression, state)
    found.withLock { all in
      all[query] = made
      while all.count > Self.queriesKept, let oldest = all.min(by: { $0.value.used < $1.value.used }) { all[oldest.key] = nil }
    }
    return made
  }

  private func search(_ query: String, _ expression: SearchExpression, _ state: [Int]) throws -> Found {
    let stored = try repository.storedQueries()
    // Its rows are made up, so they are for those who have no others.
    let hasReal = stored.contains { $0.query.catalogue == Self.catalogue && $0.count > 0 }
    let catalogue = hasReal ? Self.catalogue : Catalogues.builtIn.id
    var headers = hasReal ? [] : Catalogues.builtIn.notice.map { [("X-Chirper-Notice", $0)] } ?? []
    let reader: ListReader
    let typed = try? repository.catalogue(catalogue)?.query(query)
    let lists = stored.filter { $0.count > 0 && $0.query.catalogue == catalogue }
    if let typed, let list = lists.first(where: { $0.query.text == typed.text }) {
      reader = try repository.reader(of: list.query)
      if let damage = reader.damage { throw damage }
      headers += [
        ("X-Chirper-List", Self.ascii(list.query.sent)), ("X-Chirper-Completeness", list.completeness.word),
        ("X-Chirper-Fetched", list.oldestFetchedAt.formatted(.iso8601)),
      ]
    } else {
      let own = try expression.and(SearchExpression("source:\(catalogue)", catalogues: [catalogue]))
      reader = try repository.search(own, findsUnlisted: true, preparing: []).reader
      headers.append(("X-Chirper-List", "everything stored"))
    }
    let species = try CountKey.all.first { $0.name == "species" }.map { try reader.counts(by: [$0]).rows.count } ?? 0
    return Found(reader: reader, species: species, headers: headers, version: state)
  }

  /// The text as a header may have it.
  private static func ascii(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: CharacterSet(charactersIn: "!"..."~").union([" "])) ?? ""
  }
}
