import Chirper
import ChirperFormats
import ChirperModel
import Foundation

/// The end of a fetch or sync: its numbers, its summary and its exit code.
struct FetchOutcome {
  let query: CatalogueQuery
  private let catalogue: Catalogue?
  let report: FetchReport
  private(set) var error: UserFacingError?
  var audio: AudioLibrary.Report?
  /// The names that were probably meant, if nothing was found.
  var suggestions = NameSuggestions()

  init(
    _ query: CatalogueQuery, in catalogue: Catalogue?, _ report: FetchReport, signal: Int32?,
    now: Date
  ) {
    self.query = query
    self.catalogue = catalogue
    self.report = report
    error = Self.error(of: report, in: catalogue, query, signal: signal).map { error in
      guard signal == nil, let stored = report.stored, stored.count > 0 else { return error }
      let there =
        "\(Plural.words(stored.count, "row")) stored, \(AgeText.ago(stored.oldestFetchedAt, now: now))"
      let list = "\(there): \(CommandText.line("list", query.typed))"
      return error.with(hint: [error.hint, list].joinedTexts(by: "\n"))
    }
  }

  /// Adds a later error; the first error is the one that is reported.
  mutating func add(_ later: UserFacingError?) {
    error = error ?? later
  }

  var foundNothing: Bool { error == nil && report.foundNothing }

  var status: ExitStatus { error?.status ?? .done }

  /// Whether a signal ended it.
  var isStopped: Bool { status == .interrupted || status == .terminated }

  /// Whether the answers are made on this machine.
  var isBuiltIn: Bool { catalogue?.isBuiltIn ?? true }

  /// Whether no request to the catalogue can succeed now, because it cannot be reached, or
  /// refuses the key.
  var isServiceUnavailable: Bool { report.failure?.fetchError?.scope == .service }

  /// Whether the claim of the list is that of the chirper it was read from: not where fewer pages
  /// were asked for than that has.
  var hasClaimOfServer: Bool {
    if let error = report.failure?.fetchError { return error.reason == .listUnfinished }
    return report.stored?.next == nil
  }

  private static func error(
    of report: FetchReport, in catalogue: Catalogue?, _ query: CatalogueQuery, signal: Int32?
  ) -> UserFacingError? {
    if let signal {
      let error = UserFacingError.interrupted(by: signal)
      return report.stored == nil
        ? error.with(hint: "Nothing had arrived; the same command starts again.") : error
    }
    guard let failure = report.failure else {
      return missing(report.failedPages, query.catalogue) ?? fall(of: report.stored, in: catalogue)
    }
    let error = UserFacingError(failure)
    guard let cause = failure.fetchError else { return error }
    if case .serverIsOlder = cause.reason {
      let fetch = CommandText.line(
        "fetch", query.typed, source: query.catalogue.rawValue, also: "--all")
      return error.with(
        hint: "Type: \(fetch), which asks \(catalogue?.name ?? query.catalogue.rawValue).")
    }
    guard report.pagesFetched > 0 else { return error }
    switch cause.reason {
    case .rateLimited: return error
    // What arrived is stored, although the list has no end.
    case .endless: return error.with(status: .partly, hint: nil)
    default: return cause.isTransient ? error.with(status: .partly, hint: nil) : error
    }
  }

  private static func missing(_ pages: [FetchReport.FailedPage], _ catalogue: CatalogueID)
    -> UserFacingError?
  {
    guard let first = pages.first else { return nil }
    let numbers = pages.map { String($0.number) }.joined(separator: ", ")
    let error = UserFacingError(first.error, catalogue: catalogue, page: nil)
    let again = "Type the same command again later: it requests only what is missing."
    return UserFacingError(
      .partly, kind: "pages-missing",
      problem:
        "Page\(pages.count == 1 ? "" : "s") \(numbers) could not be fetched (\(error.kind)); all others are stored",
      hint: first.error.isTransient ? again : "\(error.message) \(again)")
  }

  /// The reason why rows stay that the catalogue does not list any more, and the time at
  /// which that is decided.
  private static func fall(of stored: StoredQuery?, in catalogue: Catalogue?) -> UserFacingError? {
    guard let stored, let fall = stored.fall else { return nil }
    let name = catalogue?.name ?? stored.query.catalogue.rawValue
    let found = "\(fall.found) of the \(Plural.words(stored.count, "row"))"
    let query = stored.query
    let size = query.pageSize == catalogue?.defaultPageSize ? "" : "--per-page \(query.pageSize) "
    let typed = CommandText.line(
      "fetch", query.typed, source: query.catalogue.rawValue, also: size + "--all --verify")
    return UserFacingError(
      .partly, kind: "list-fell",
      problem: "\(name) lists only \(found) now, so all stay until \(fall.decision)",
      hint: "To decide at once: \(typed)")
  }

  /// The command to type next: for the list, for the rest of it, or for a name that may be found.
  ///
  /// - Parameters:
  ///   - text: the query as it was typed.
  ///   - source: the catalogue, if the command has to name it.
  func next(after text: String, isScientific: Bool, source: String?) -> String? {
    if foundNothing {
      if suggestions.best != nil { return nil }
      let similar = report.lookup?.suggestions.first?.name
      return similar.map { "for a similar name: \(CommandText.line("fetch", $0, source: source))" }
    }
    let list = CommandText.line("list", text, source: source)
    guard let stored = report.stored, stored.next != nil else { return list }
    let all = CommandText.line(
      "fetch", text, source: source, scientific: isScientific, also: "--all")
    return "\(list), or for the rest: \(all)"
  }

  /// What was probably meant, and the command for it.
  func suggestion(source: String?) -> String? {
    suggestions.text(for: query.typed) { CommandText.line("fetch", $0, source: source) }
  }

  func summary(next: String?, now: Date) -> [String] {
    var lines: [String] = []
    if report.joined { lines.append("another chirper fetched the same query; its result is shown") }
    if !foundNothing, report.failure == nil || report.pagesFetched > 0 {
      var change = report.change
      if report.isIncremental {
        change += ", according to the catalogue's \(evidence) and its total\(rechecked)"
      } else if report.pagesFetched == 0, report.requests == 0 {
        change += ", no page was requested"
      }
      lines.append(change)
    }
    if report.skipped > 0 {
      lines.append(
        "\(Plural.words(report.skipped, "record")) could not be read and "
          + "\(Plural.were(report.skipped)) skipped")
    }
    if report.leftOut > 0 {
      lines.append(
        "\(Plural.words(report.leftOut, "sound")) left out: "
          + "a record gives at most 200 rows, and 8 MB of rows, because each has the whole record")
    }
    if report.repeated > 0 {
      lines.append(
        "\(Plural.words(report.repeated, "row")) came twice on a page; each id is stored once")
    }
    if report.redactions > 0 {
      lines.append(
        "the catalogue repeated your key \(Plural.words(report.redactions, "time")); *** is stored in its place"
      )
    }
    lines.append(
      "\(query.typed): "
        + (foundNothing
          ? "nothing found" : report.stored?.extent(now: now) ?? "nothing stored"))
    if let next, report.stored != nil { lines.append("next: \(next)") }
    return lines
  }

  /// The kind of records that an incremental sync asked for.
  private var evidence: String {
    if case .updates? = catalogue?.incrementalSync { return "updates" }
    return "uploads"
  }

  /// `; page 4 was read again`.
  private var rechecked: String {
    let numbers = report.recheckedPages.map(String.init).joined(separator: ", ")
    switch report.recheckedPages.count {
    case 0: return ""
    case 11...: return "; \(report.recheckedPages.count) pages were read again"
    case 1: return "; page \(numbers) was read again"
    default: return "; pages \(numbers) were read again"
    }
  }

  /// The pages that could not be fetched, with the one that ended the run.
  private var failedPages: [JSONObject] {
    var pages = report.failedPages.map { ($0.number, $0.error) }
    if case .fetch(let error, _, let page?)? = report.failure, error != .cancelled,
      !pages.contains(where: { $0.0 == page })
    {
      pages.append((page, error))
    }
    return pages.map { page, error in
      ["page": page, "kind": UserFacingError(error, catalogue: query.catalogue, page: page).kind]
    }
  }

  var json: JSONObject {
    var object = query.object(in: catalogue)
    object.add([
      "new": report.new, "changed": report.changed, "gone": report.gone,
      "ids": [
        "new": report.newIDs, "changed": report.changedIDs, "gone": report.goneIDs,
        "foundAgain": report.foundAgainIDs,
      ] as JSONObject,
      "pagesFetched": report.pagesFetched, "requests": report.requests,
    ])
    let asked = report.lookup?.text(in: catalogue) ?? query.reading
    object.add(known: ["notes": query.notes(in: catalogue), "asked": asked])
    if suggestions.best != nil {
      object.add("suggestions", suggestions.near + suggestions.taxa.map(\.name))
    }
    object.add("skipped", report.skipped)
    if report.leftOut > 0 { object.add("soundsLeftOut", report.leftOut) }
    if report.repeated > 0 { object.add("repeatedRows", report.repeated) }
    if report.redactions > 0 { object.add("redactions", report.redactions) }
    if report.isIncremental { object.add("recheckedPages", report.recheckedPages) }
    object.add("failedPages", failedPages)
    object.add(report.stored?.object ?? ["rows": 0])
    object.add(known: ["audio": audio?.json])
    object.add(["exit": Int(status.rawValue), "error": error?.json])
    return object
  }
}
