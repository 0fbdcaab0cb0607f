import Chirper
import ChirperFormats
import ChirperModel
import Foundation
import NIOHTTP1

/// Answers as xeno-canto's API does, from the store: version 3, and version 2, which the
/// service no longer has.
///
/// - SeeAlso: https://xeno-canto.org/explore/api
struct RecordingsAPI: Sendable {
  enum Version: Sendable {
    case two
    case three
  }

  /// The results of a query.
  private struct Found {
    let reader: ListReader
    let species: Int
    let headers: [(name: String, value: String)]
  }

  let repository: RecordingRepository
  /// The results, so that clients get pages of one list.
  private let found = AnswerCache<String, Found>()

  /// The one whose API it is.
  private static let catalogue = CatalogueID.xenoCanto
  /// The time without a request after which a client counts as finished.
  private static let pauseInAWalk = Duration.seconds(10)
  /// The greatest age of an answer, however many clients read its pages.
  private static let greatestAge = Duration.seconds(300)

  func answer(_ request: Request, _ version: Version) throws -> Answer {
    // Rows are read after their list, so those of a list that changes meanwhile could be newer than
    // the claim in the answer.
    for _ in 0..<5 {
      let state = try repository.version()
      let answer = try found.retryingIfForgotten { try page(request, version) }
      if try !request.wantsList || repository.version() == state { return answer }
    }
    throw UserFacingError(
      .tryLater, kind: "list-changing", problem: "The list changes while it is read",
      hint: "Ask again in a moment.")
  }

  private func page(_ request: Request, _ version: Version) throws -> Answer {
    guard let query = request["query"]?.trimmingCharacters(in: .whitespacesAndNewlines),
      !query.isEmpty
    else {
      return .clientError("No query specified.")
    }
    // Version 2 had one size.
    let asked = request["per_page"].map { Self.number($0) ?? 0 } ?? 100
    let size = version == .two ? 500 : min(max(asked, 50), 500)
    let number = max(1, request["page"].flatMap(Self.number) ?? 1)
    do {
      let found = try find(query, version, request, isFirstPage: number == 1)
      let count = found.reader.count
      let pages = max(1, (count + size - 1) / size)
      let rows = number > pages ? 0..<0 : ((number - 1) * size)..<min(number * size, count)
      var body = Array(
        "{\"numRecordings\":\"\(count)\",\"numSpecies\":\"\(found.species)\",\"page\":\(number),"
          .utf8)
      body += "\"numPages\":\(pages),\"recordings\":[".utf8
      try append(found.reader, rows, version, request.audioServer, to: &body)
      body += "]}".utf8
      return Answer(body: .bytes(body), headers: found.headers)
    } catch let error as SearchExpressionError {
      return .clientError(UserFacingError(error).message)
    } catch let refusal as Refusal {
      return .clientError(refusal.message, status: refusal.status)
    }
  }

  /// A number that a client sent, or the greatest for one that is greater; `nil` if the text is not a
  /// number.
  private static func number(_ text: String) -> Int? {
    Int(text) ?? (!text.isEmpty && text.utf8.allSatisfy(\.isDigit) ? Int.max : nil)
  }

  /// The reason why a query that can be read is not answered.
  private struct Refusal: Error {
    let message: String
    var status = HTTPResponseStatus.badRequest
  }

  /// - Parameter server: the address to which the records with kept audio lead; `nil` for none.
  private func append(
    _ reader: ListReader, _ rows: Range<Int>, _ version: Version, _ server: String?,
    to body: inout [UInt8]
  ) throws {
    var isFirst = true
    func separate() {
      if !isFirst { body.append(UInt8(ascii: ",")) }
      isFirst = false
    }
    guard version == .two || server != nil else {
      return try reader.forEachRow(rows) { row in
        separate()
        body += row
      }
    }
    func append(_ recording: Recording, file: String?) {
      separate()
      guard version == .two || file != nil else { return body += recording.fields.json.utf8 }
      var object = JSONObject()
      for (name, value) in recording.fields.members {
        let shown = version == .two ? Self.namesInVersion2[name] ?? name : name
        object.add(shown, name == "file" ? file.map { $0 as any JSONValue } ?? value : value)
        if version == .two, name == "animal-seen" { object.add("bird-seen", value) }
      }
      body += object.text.utf8
    }
    guard let server else {
      return try reader.rows(rows).forEach { append($0, file: nil) }
    }
    var reader = reader
    try reader.prepare(for: .audio)
    try reader.forEachRow(rows, with: .audio) { row in
      append(
        row.recording,
        file: row.isAudioDownloaded ? "\(server)/\(row.id.value)/download" : nil)
    }
  }

  private static let namesInVersion2 = ["lon": "lng", "grp": "group"]

  private func find(
    _ query: String, _ version: Version, _ request: Request, isFirstPage: Bool
  ) throws -> Found {
    let state = try repository.version()
    return try found.value(
      for: "\(version) \(request.wantsList) \(query)", version: state,
      isFresh: { known, now in
        if request.wantsList { return known.version == state }
        return now - known.made < Self.greatestAge
          && (known.version == state || !isFirstPage || now - known.used < Self.pauseInAWalk)
      }
    ) {
      let meaning = try meaning(of: query, version)
      if request.wantsList, meaning.list == nil {
        let lists = try repository.storedQueries().filter {
          $0.query.catalogue == Self.catalogue && $0.imported == nil
        }
        let names = FirstNames(lists.map(\.query.typed)).text
        throw Refusal(
          message: lists.isEmpty
            ? "No list of xeno-canto was fetched here" : "The lists here are: \(names)",
          status: .notFound)
      }
      try request.needExclusiveAccess(searches: true)
      return try selected(by: meaning)
    }
  }

  /// The source of a query's answer: a stored list, or a search of the rows of one
  /// catalogue.
  private struct Meaning {
    let catalogue: Catalogue
    var list: StoredQuery?
    var search: SearchExpression?
  }

  private func meaning(of text: String, _ version: Version) throws -> Meaning {
    let stored = try repository.storedQueries()
    // The sample's rows are made up, so they are for those who have no others.
    let hasReal = stored.contains { $0.query.catalogue == Self.catalogue && $0.count > 0 }
    let catalogue =
      (hasReal ? repository.catalogue(Self.catalogue) : nil) ?? Catalogues.defaultWithoutKey
    let lists = stored.filter { $0.count > 0 && $0.query.catalogue == catalogue.id }
    var meaning = Meaning(catalogue: catalogue)
    // Of a whole list it need not be known what its text means.
    // Version 3 takes tags only, also where words are the text of a list.
    let isTaken = version == .two || text.contains(":")
    meaning.list = lists.first { list in
      isTaken && list.isComplete
        && [list.query.typed, list.query.requestText, list.query.identity].contains(text)
    }
    guard meaning.list == nil else { return meaning }
    let service = Catalogues.named(Self.catalogue)
    let query = version == .two ? service?.idQuery(text) ?? text : text
    // What no record says is answered by a list of the same query, if that is whole.
    let asked = try? service?.query(query)
    let unknown = asked.flatMap { service?.unknownTags(of: $0).first }
    if let tag = service?.unansweredTag(in: query) ?? unknown {
      let hasTagsOnly = TagScanner.words(ofQuery: query).words.isEmpty
      meaning.list = lists.first { list in
        list.isComplete && (version == .two || hasTagsOnly)
          && list.query.identity == asked?.identity
      }
      guard meaning.list == nil else { return meaning }
      let reason = "No stored record says what \"\(tag):\" asks for."
      throw Refusal(message: "\(reason) Fetch the query with chirper to have its list.")
    }
    let typed = try SearchExpression(
      query, in: repository.known, furtherTags: service?.furtherTags(asking: catalogue.id) ?? [:])
    guard version == .two || typed.terms.allSatisfy({ !$0.isWords }) else {
      throw Refusal(
        message: "This version of the API only accepts queries using tags: en:\"robin\" q:A")
    }
    meaning.search = (version == .two ? typed.takingWordsAsName : typed).and(
      .sources([catalogue.id]))
    let same = try? catalogue.query(query)
    meaning.list = same.flatMap { same in
      let named = lists.filter { $0.query.identity == same.identity }
      return named.first(where: \.isComplete) ?? named.first
    }
    return meaning
  }

  private func selected(by meaning: Meaning) throws -> Found {
    let notice = meaning.catalogue.id == Self.catalogue ? nil : meaning.catalogue.notice
    var headers = notice.map { [("X-Chirper-Notice", $0)] } ?? []
    var reader: ListReader
    var species: Int?
    if let list = meaning.list {
      reader = try ListReader(repository, [list.query])
      if let damage = reader.damage { throw damage }
      // Of a part of a list, everything is counted.
      if list.isComplete { species = list.totals?.species }
      headers += [
        ("X-Chirper-List", Self.ascii(list.query.requestText)),
        ("X-Chirper-Completeness", list.completeness.word),
        ("X-Chirper-Fetched", list.oldestFetchedAt.formatted(.iso8601)),
      ]
    } else {
      let search = meaning.search ?? SearchExpression(terms: [])
      reader = try repository.search(search, takesNamesAsTyped: true, preparing: []).reader
      headers.append(("X-Chirper-List", "everything stored"))
    }
    return Found(
      reader: reader, species: try species ?? reader.counts(by: [.scientificName]).rows.count,
      headers: headers)
  }

  /// The text as a header may have it.
  private static func ascii(_ text: String) -> String {
    text.addingPercentEncoding(
      withAllowedCharacters: CharacterSet(charactersIn: "!"..."~").union([" "])) ?? ""
  }
}

extension Request {
  /// Whether a chirper asks, which takes only a list, and pages of different states of it. Other
  /// people's clients get an answer from everything stored, too, and all pages of one state.
  fileprivate var wantsList: Bool { headers.contains(name: "X-Chirper-Lists-Only") }
}
