import ArgumentParser
import Chirper
import ChirperModel
import Foundation

/// `chirper sync [QUERY]`.
struct SyncCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Bring one stored query, or all, up to date.",
    discussion: """
      Asks again for what is stored and tells what is new, changed and gone. For a complete xeno-canto list the first \
      page and the uploads since the last look suffice where they explain the total; what was edited in older \
      recordings meanwhile, a fetch --all finds. Without QUERY every stored query is brought up to date, the stalest \
      first; one that fails does not stop the others.

        chirper sync parrot
        chirper sync
        chirper sync --json
      """
  )

  @Argument(help: "A stored query; all without it.")
  var query: String?

  @OptionGroup var source: SourceOption
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let session = try Session()
    if let query { _ = try SearchQuery.cleaned(query) }
    let repository = try session.repository()
    let queries = try stored(repository)
    if queries.contains(where: { $0.query.catalogue == .xenoCanto }) { try session.checkKey(for: .xenoCanto) }

    let run = FetchRunner(repository: repository, common: common)
    var outcomes: [FetchOutcome] = []
    for stored in queries {
      let catalogue = try Session.catalogue(stored.query.catalogue.rawValue, from: "the store")
      run.introduce(stored.query, catalogue, isFallback: false)
      let outcome = await run.sync(stored)
      run.sumUp(outcome)
      outcomes.append(outcome)
      if [.interrupted, .terminated].contains(outcome.status) { break }
      // One of several tells its error at once; the only one tells it at the end.
      if queries.count > 1, !common.json, let explanation = outcome.explanation { Console.line(explanation.message) }
    }
    try finish(outcomes)
  }

  private func stored(_ repository: RecordingRepository) throws -> [StoredQuery] {
    if let query { return try StoredLookup(repository, query, source: source.name).all() }
    if let name = source.name { _ = try Session.catalogue(name, from: "--source") }
    let all = try repository.storedQueries().filter { source.name == nil || $0.query.catalogue.rawValue == source.name }
    if all.isEmpty, !common.json { Console.line("Nothing is stored yet. Type: chirper fetch parrot") }
    return all.sorted { ($0.checkedAt ?? $0.oldestFetchedAt) < ($1.checkedAt ?? $1.oldestFetchedAt) }
  }

  private func finish(_ outcomes: [FetchOutcome]) throws {
    if common.json {
      var object = JSONObject()
      object.add("queries", outcomes.map(\.json))
      let sink = ByteSink.standardOutput()
      try sink.line(object.text)
      try sink.flush()
    }
    let failed = outcomes.compactMap(\.explanation)
    if let stop = failed.last, [.interrupted, .terminated].contains(stop.status) { throw stop }
    guard let first = failed.first else { return }
    guard outcomes.count > 1 else { throw first }
    let all = failed.count == outcomes.count && failed.allSatisfy { $0.status == first.status }
    throw UserFacingError(
      all ? first.status : .partly, all ? first.kind : "queries-failed",
      "\(failed.count) of \(outcomes.count) queries could not be brought up to date.",
      hint: first.hint.map { "\(first.message) \($0)" } ?? first.message)
  }
}
