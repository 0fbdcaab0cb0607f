import Chirper
import ChirperFormats
import ChirperModel
import Foundation

/// Runs a fetch or sync, reports its progress, and stops it on a signal.
struct FetchReporter {
  let repository: RecordingRepository
  let printer: Printer
  /// The position of the query among several that have one summary: `3 of 12`. Only the
  /// progress line shows what happens.
  var position: String?

  /// Whether each query has lines of its own.
  var printsText: Bool { printer.hasNotes && position == nil }

  func printHeader(_ query: CatalogueQuery, _ catalogue: Catalogue?, isFallback: Bool) {
    guard printsText, let catalogue else { return }
    printer.note(isFallback ? catalogue.fallbackNotice : catalogue.notice)
    printer.note("\(catalogue.name): \((query.forms.first ?? query).requestText)")
    printer.notes(query.notes(in: catalogue))
  }

  func fetch(_ query: CatalogueQuery, _ plan: FetchPlan) async -> FetchOutcome {
    await run(query) { [repository] observe in await repository.fetch(query, plan, observe: observe)
    }
  }

  func sync(_ stored: StoredQuery, within: Duration) async -> FetchOutcome {
    await run(stored.query) { [repository] observe in
      await repository.sync(stored, rereadingWithin: within, observe: observe)
    }
  }

  func printSummary(_ outcome: FetchOutcome, next: String? = nil) {
    guard printsText else { return }
    let now = WallClock.now()
    printer.notes(outcome.summary(next: outcome.error == nil ? next : nil, now: now))
  }

  /// Shows the progress on standard error: one rewritten line on a terminal, plain lines in a pipe,
  /// or nothing.
  private func run(
    _ query: CatalogueQuery,
    _ work:
      @escaping @Sendable (_ observe: @escaping @Sendable (FetchEvent) -> Void) async -> FetchReport
  ) async -> FetchOutcome {
    let catalogue = repository.catalogue(query.catalogue)
    let rewrites = !printer.isQuiet && TerminalDevice.canRewriteError
    let printsText = printsText
    let position = position
    let progress = Locked(FetchProgress(query, in: catalogue))
    let display = printer.progress(after: .zero)
    let (report, signal) = await SignalHandling.cancelling {
      await work { event in
        let line = progress.withLock { progress in
          let line = progress.apply(event, now: .now, wallClock: WallClock.now())
          display.show { [progress] in (position.map { $0 + ", " } ?? "") + progress.text(now: .now)
          }
          return line
        }
        guard let line, position == nil, rewrites ? line.isLasting : printsText else { return }
        if rewrites { display.above(line.text) } else { Console.line(line.text) }
      }
    }
    display.close()
    // An alternative may have been asked in its place.
    return FetchOutcome(
      report.stored?.query ?? query, in: catalogue, report, signal: signal, now: WallClock.now())
  }
}

extension FetchReporter {
  /// Fetches the audio of the stored list, unless the fetch was interrupted or its
  /// catalogue cannot be reached, and prints a summary. An error becomes part of the
  /// outcome.
  func fetchAudio(of outcome: inout FetchOutcome) async {
    guard let stored = outcome.report.stored, !outcome.isStopped, !outcome.isServiceUnavailable
    else { return }
    do {
      let rows = try await repository.rows(of: Selection([stored.query]))
      let (report, error) = try await fetchAudio(
        of: rows, position.map { "\($0), \(stored.query.typed): " } ?? "")
      outcome.audio = report
      outcome.add(error)
    } catch {
      outcome.add(.of(error))
    }
  }

  /// Fetches the audio of the rows and prints a summary.
  ///
  /// - Parameter name: the beginning of the progress line.
  /// - Returns: The result, and the error that ended it or of the first file that failed.
  func fetchAudio(of rows: Rows, _ name: String = "") async throws -> (
    AudioLibrary.Report, UserFacingError?
  ) {
    let line = printer.progress(after: .zero)
    let (result, signal) = await SignalHandling.cancelling {
      () -> Result<AudioLibrary.Report, any Error> in
      do {
        return .success(
          try await rows.fetchAudio { position, count in
            line.show { "\(name)audio \(position) of \(count)" }
          })
      } catch {
        return .failure(error)
      }
    }
    line.close()
    let report = try result.get()
    if let signal { return (report, .interrupted(by: signal)) }
    if printsText { printer.notes(report.lines) }
    do {
      try report.checkIsComplete()
    } catch {
      return (report, error)
    }
    return (report, rows.damage.map { UserFacingError($0) })
  }
}

extension Catalogue {
  /// The notice of this built-in catalogue, with the reason why it answers in place of the default
  /// one.
  var fallbackNotice: String {
    "No \(Catalogues.defaultCatalogue.name) key is set (chirper auth set), so the built-in \(name) answers; nothing in it is data."
  }
}
