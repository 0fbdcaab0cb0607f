import Chirper
import ChirperFormats
import ChirperModel
import Foundation

/// Runs a fetch or sync, reports its progress, and stops it on a signal.
struct FetchRunner {
  let repository: RecordingRepository
  let common: CommonOptions
  /// Whether only errors are printed.
  let isQuiet: Bool

  private var mode: ProgressReporter.Mode {
    if isQuiet { return .silent }
    return TerminalDevice.canRewriteError ? .progressLine : common.json ? .silent : .plainLines
  }

  var printsText: Bool { !common.json && !isQuiet }

  /// Prints which catalogue is asked, and for what.
  func printHeader(_ query: CatalogueQuery, _ catalogue: Catalogue, isFallback: Bool) {
    guard printsText else { return }
    if isFallback { Console.line(catalogue.fallbackNotice) }
    if let notice = catalogue.notice { Console.line(notice) }
    Console.line("\(catalogue.name): \(query.sent)")
  }

  func printNote(_ text: String) {
    if printsText { Console.line(text) }
  }

  func fetch(_ query: CatalogueQuery, _ plan: FetchPlan) async -> FetchOutcome {
    await run(query) { [repository] reporter in
      await repository.fetch(query, plan) { reporter.observe($0) }
    }
  }

  func sync(_ stored: StoredQuery, recheck: Int) async -> FetchOutcome {
    await run(stored.query) { [repository] reporter in
      await repository.sync(stored, recheck: recheck) { reporter.observe($0) }
    }
  }

  func printSummary(_ outcome: FetchOutcome, next: String? = nil) {
    guard printsText else { return }
    for line in outcome.summary(next: outcome.error == nil ? next : nil) { Console.line(line) }
  }

  private func run(
    _ query: CatalogueQuery, _ work: @escaping @Sendable (ProgressReporter) async -> FetchReport
  ) async -> FetchOutcome {
    let catalogue = repository.catalogue(query.catalogue)
    let reporter = ProgressReporter(mode, query, in: catalogue)
    let (report, signal) = await SignalHandling.cancelling { await work(reporter) }
    reporter.finish()
    return FetchOutcome(query, in: catalogue, report, signal: signal, now: Dependencies.live.now())
  }
}

extension Catalogue {
  /// Why this built-in catalogue answers in place of the standard one.
  var fallbackNotice: String {
    let standard = Catalogues.standard
    let help = standard.key.map { " " + UserFacingError.howToGetAKey($0) } ?? ""
    let keyless = Catalogues.all.filter { $0.service != nil && $0.key == nil }.map { "--source \($0.id)" }
    let others = keyless.isEmpty ? "" : "; \(UserFacingError.orList(keyless)) \(keyless.count == 1 ? "needs" : "need") none"
    return "No \(standard.name) key is set, so the built-in \(name) catalogue answers\(others).\(help)"
  }
}
