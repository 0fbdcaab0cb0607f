import Chirper
import ChirperFormats
import ChirperModel

/// Fetches of several queries, one after the other. After a failure the rest are fetched
/// all the same, except from a catalogue that cannot be reached, or rejects the key: its
/// other lists would fail too.
struct FetchBatch {
  /// The number of queries.
  let count: Int
  /// The lines that are not understood, a sentence each.
  private let unread: [String]
  private(set) var outcomes: [FetchOutcome] = []
  private(set) var notTried: [CatalogueQuery] = []
  private var unavailable: Set<CatalogueID> = []

  init(count: Int, unread: [String] = []) {
    self.count = count
    self.unread = unread
  }

  /// Fetches the next query; returns whether it is the last, because a signal has come.
  mutating func run(_ query: CatalogueQuery, _ fetch: () async throws -> FetchOutcome)
    async rethrows -> Bool
  {
    guard !unavailable.contains(query.catalogue) else {
      notTried.append(query)
      return false
    }
    let outcome = try await fetch()
    outcomes.append(outcome)
    if outcome.isServiceUnavailable { unavailable.insert(outcome.query.catalogue) }
    return outcome.isStopped
  }

  var json: JSONObject {
    var object: JSONObject = [
      "queries": outcomes.map(\.json), "notTried": notTried.map(\.typed),
    ]
    object.add(known: ["unread": unread])
    return object
  }

  /// The numbers of new, changed and gone recordings; `nil` if no page was read.
  var sums: NewsSums? {
    let reports = outcomes.map(\.report).filter { $0.failure == nil || $0.pagesFetched > 0 }
    return reports.isEmpty ? nil : NewsSums(reports.map { ($0.new, $0.changed, $0.gone) })
  }

  /// The sums of all queries, and the queries that found nothing or were not tried.
  var summary: [String] {
    let rows = outcomes.reduce(0) { $0 + ($1.report.stored?.count ?? 0) }
    let done = outcomes.count { $0.error == nil }
    var lines = [
      "\(done) of \(Plural.words(count, "query")) done, \(Plural.words(rows, "row")) stored"
    ]
    if let sums { lines.append(sums.text) }
    let audio = outcomes.compactMap(\.audio)
    if !audio.isEmpty { lines.append(AudioLibrary.Report(sumOf: audio).summary) }
    func add(_ heading: String, _ queries: [CatalogueQuery]) {
      if !queries.isEmpty {
        lines.append("\(heading): \(queries.map(\.typed).joined(separator: ", "))")
      }
    }
    add("nothing found", outcomes.filter(\.foundNothing).map(\.query))
    add("not tried", notTried)
    if done > 0 { lines.append("next: chirper list") }
    return lines
  }

  /// The error that the command ends with: the signal, the error of a single query, the number that
  /// failed, or that of lines that are not understood; `nil` if all went well.
  ///
  /// - Parameter done: the word for the queries that did not fail, as in "updated".
  func error(done: String) -> UserFacingError? {
    let failed = outcomes.filter { $0.error != nil }
    if let last = failed.last, last.isStopped { return last.error }
    if failed.isEmpty, !unread.isEmpty {
      return UserFacingError(
        .partly, kind: "lines-not-understood",
        problem: "\(Plural.words(unread.count, "line")) of the file could not be read",
        hint: "A line is a query, or a species as in: Turdus merula_Common Blackbird")
    }
    guard let first = failed.first, let error = first.error, count > 1 else {
      return failed.first?.error
    }
    // What the built-in catalogue answers says nothing about the network.
    let all = outcomes.allSatisfy { $0.isBuiltIn && $0.error == nil || $0.status == error.status }
    return UserFacingError(
      all ? error.status : .partly, kind: all ? error.kind : "queries-failed",
      problem: "\(failed.count + notTried.count) of \(count) queries could not be \(done)",
      hint: "\(first.query.typed): \(error.message)\(error.hint.map { " " + $0 } ?? "")")
  }
}
