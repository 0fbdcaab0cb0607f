import Chirper
import ChirperFormats
import ChirperModel
import ChirperPlatform
import Foundation

/// Runs a fetch or sync, reports its progress, and stops it on a signal.
struct FetchReporter {
  let repository: RecordingRepository
  let common: CommonOptions
  let isQuiet: Bool
  /// Of the query among several that have one summary: `3 of 12`. Only the progress line shows what happens.
  var place: String?

  /// Whether each query has lines of its own.
  var printsText: Bool { !common.json && !isQuiet && place == nil }

  func printHeader(_ query: CatalogueQuery, _ catalogue: Catalogue?, isFallback: Bool) {
    guard printsText, let catalogue else { return }
    if isFallback { Console.line(catalogue.fallbackNotice) }
    if let notice = catalogue.notice { Console.line(notice) }
    Console.line("\(catalogue.name): \(query.sent)")
  }

  func fetch(_ query: CatalogueQuery, _ plan: FetchPlan) async -> FetchOutcome {
    await run(query) { [repository] observe in await repository.fetch(query, plan, observe: observe) }
  }

  func sync(_ stored: StoredQuery, within: Duration) async -> FetchOutcome {
    await run(stored.query) { [repository] observe in await repository.sync(stored, within: within, observe: observe) }
  }

  func printSummary(_ outcome: FetchOutcome, next: String? = nil) {
    guard printsText else { return }
    for line in outcome.summary(next: outcome.error == nil ? next : nil, now: Dependencies.live.now()) { Console.line(line) }
  }

  /// Shows the progress on standard error: one rewritten line on a terminal, plain lines in a pipe, or nothing.
  private func run(
    _ query: CatalogueQuery,
    _ work: @escaping @Sendable (_ observe: @escaping @Sendable (FetchEvent) -> Void) async -> FetchReport
  ) async -> FetchOutcome {
    let catalogue = repository.catalogue(query.catalogue)
    let (rewrites, printsText, place) = (!isQuiet && TerminalDevice.canRewriteError, printsText, place)
    let (progress, display) = (Locked(FetchProgress(query, in: catalogue)), ProgressLine(isShown: rewrites))
    let (report, signal) = await SignalHandling.cancelling {
      await work { event in
        let line = progress.withLock { progress in
          let line = progress.apply(event, now: .now, wallClock: Dependencies.live.now())
          display.show { [progress] in (place.map { $0 + ", " } ?? "") + progress.text(now: .now) }
          return line
        }
        guard let line, place == nil, rewrites ? line.isLasting : printsText else { return }
        if rewrites { display.above(line.text) } else { Console.line(line.text) }
      }
    }
    display.close()
    return FetchOutcome(query, in: catalogue, report, signal: signal, now: Dependencies.live.now())
  }
}

extension FetchReporter {
  /// Fetches the audio of the stored list, unless the fetch was interrupted or its catalogue cannot be reached, and prints a
  /// summary; what goes wrong becomes part of the outcome.
  func fetchAudio(of outcome: inout FetchOutcome) async {
    guard outcome.report.stored != nil, !outcome.isStopped, !outcome.isServiceUnavailable else { return }
    let query = outcome.query
    let line = ProgressLine(isShown: TerminalDevice.canRewriteError && !isQuiet && !common.json)
    let (result, signal) = await SignalHandling.cancelling { [repository] () -> Result<AudioReport, any Error> in
      do {
        return .success(
          try await repository.fetchAudio(of: query) { [place] position, count in
            line.show { "\(place.map { "\($0), \(query.typed): " } ?? "")audio \(position) of \(count)" }
          })
      } catch {
        return .failure(error)
      }
    }
    line.close()
    if let signal { outcome.add(.interrupted(terminated: signal != SIGINT)) }
    switch result {
    case .failure(let error): outcome.add(.of(error))
    case .success(let report):
      outcome.audio = report
      if printsText, signal == nil { Console.line(report.summary) }
      if let error = report.error, let id = report.failedID {
        outcome.add(
          UserFacingError(error, id).with(
            status: .partly, hint: "Type the same command again: it continues with what is missing."))
      }
    }
  }
}

extension AudioReport {
  /// `audio: 1 new, 4 already kept, 0 without audio; 5 files, 3.4 MB`.
  var summary: String {
    let parts = ["\(new) new", "\(kept) already kept", "\(without) without audio"] + (failed > 0 ? ["\(failed) failed"] : [])
    let files = new + kept
    let all = files > 0 ? "; \(Plural.words(files, "file")), \(SizeText.words(bytes))" : ""
    return "audio: \(parts.joined(separator: ", "))\(all)"
  }

  var json: JSONObject {
    ["new": new, "kept": kept, "without": without, "failed": failed, "files": new + kept, "bytes": bytes]
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
