import Chirper
import ChirperModel
import Foundation

/// How a fetch or sync ended: its numbers, its words and its exit code.
struct FetchOutcome {
  let query: SearchQuery
  let report: FetchReport
  /// What went wrong; `nil` where nothing did.
  let explanation: Explanation?

  /// - Parameter signal: the signal that stopped the run.
  init(_ query: SearchQuery, _ report: FetchReport, signal: Int32?, now: Date) {
    self.query = query
    self.report = report
    explanation = Self.explanation(of: report, query.catalogue, signal: signal).map { explanation in
      guard let stored = report.stored, stored.count > 0, explanation.status != .interrupted else { return explanation }
      let there = "\(Plural.words(stored.count, "row")) stored, \(DurationText.ago(stored.oldestFetchedAt, now: now))"
      let hint = [explanation.hint, "\(there): \(CommandText.line("list", query.typed))"].compactMap(\.self)
      return explanation.with(hint: hint.joined(separator: " "))
    }
  }

  var status: ExitStatus { explanation?.status ?? .done }

  private static func explanation(of report: FetchReport, _ catalogue: CatalogueID, signal: Int32?) -> Explanation? {
    if let signal { return Explanation(CommandError.interrupted(terminated: signal == SIGTERM)) }
    guard let failure = report.failure else { return missing(report.failedPages, catalogue) }
    let explanation = Explanation(failure)
    guard case .fetch(let error, _, _) = failure, report.pagesFetched > 0, error.isPassing else { return explanation }
    if case .rateLimited = error { return explanation }
    return explanation.with(status: .partly, hint: nil)
  }

  private static func missing(_ pages: [FetchReport.FailedPage], _ catalogue: CatalogueID) -> Explanation? {
    guard let first = pages.first else { return nil }
    let numbers = pages.map { String($0.number) }.joined(separator: ", ")
    let error = Explanation(first.error, catalogue: catalogue, page: nil)
    return Explanation(
      .partly, "pages-missing",
      "Page\(pages.count == 1 ? "" : "s") \(numbers) could not be had (\(error.kind)); all others are stored.",
      hint: "Type the same command again later: it asks only for what is missing.")
  }

  /// The lines that sum it up.
  func summary(next: String?) -> [String] {
    var lines: [String] = []
    if report.joined { lines.append("another chirper fetched the same query; its result is shown") }
    let repeated = report.pagesFetched == 0 ? ", no page was asked for" : ""
    lines.append("\(report.new) new, \(report.changed) changed, \(report.gone) gone\(report.failure == nil ? repeated : "")")
    if report.skipped > 0 { lines.append("\(report.skipped) records could not be read and were left out") }
    lines.append("\(query.typed): " + (report.stored?.extent ?? "nothing stored"))
    if let next, report.stored != nil { lines.append("next: \(next)") }
    return lines
  }

  /// For `--json`.
  var json: JSONObject {
    var object = JSONObject()
    query.addMembers(to: &object)
    object.add("new", report.new)
    object.add("changed", report.changed)
    object.add("gone", report.gone)
    object.add("pagesFetched", report.pagesFetched)
    object.add("requests", report.requests)
    object.add("skipped", report.skipped)
    object.add(
      "failedPages",
      report.failedPages.map { page in
        var failed = JSONObject()
        failed.add("page", page.number)
        failed.add("kind", Explanation(page.error, catalogue: query.catalogue, page: page.number).kind)
        return failed
      })
    if let stored = report.stored {
      stored.addMembers(to: &object)
    } else {
      object.add("rows", 0)
    }
    object.add("exit", Int(status.rawValue))
    object.add("error", explanation?.json)
    return object
  }
}
