import Chirper
import ChirperModel
import Foundation

/// A fetch or sync with its telling and its interruption.
struct FetchRunner {
  let repository: RecordingRepository
  let common: CommonOptions

  private var manner: ProgressReporter.Manner {
    TerminalDevice.canRewriteError ? .progressLine : common.json ? .silent : .plainLines
  }

  /// Says which catalogue is asked, and for what.
  func introduce(_ query: SearchQuery, _ catalogue: Catalogue, isFallback: Bool) {
    guard !common.json else { return }
    if isFallback { Console.line(SampleNotice.fallback) }
    if query.catalogue == .sample { Console.line(SampleNotice.short) }
    Console.line("\(catalogue.name): \(query.sent)")
  }

  func fetch(_ query: SearchQuery, _ plan: FetchPlan) async -> FetchOutcome {
    await run(query) { [repository] narrator in
      await repository.fetch(query, plan) { narrator.observe($0) }
    }
  }

  func sync(_ stored: StoredQuery) async -> FetchOutcome {
    await run(stored.query) { [repository] narrator in
      await repository.sync(stored) { narrator.observe($0) }
    }
  }

  func sumUp(_ outcome: FetchOutcome, next: String? = nil) {
    guard !common.json else { return }
    for line in outcome.summary(next: outcome.explanation == nil ? next : nil) { Console.line(line) }
  }

  private func run(
    _ query: SearchQuery, _ work: @escaping @Sendable (ProgressReporter) async -> FetchReport
  ) async -> FetchOutcome {
    let narrator = ProgressReporter(manner, label: query.typed)
    let (report, signal) = await SignalHandling.cancelling { await work(narrator) }
    narrator.finish()
    return FetchOutcome(query, report, signal: signal, now: Dependencies.live.now())
  }
}
