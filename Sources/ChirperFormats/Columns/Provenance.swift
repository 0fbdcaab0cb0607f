import Chirper
import ChirperModel
import Foundation

/// The origin of exported recordings: the lists, their catalogues, when they were fetched,
/// how complete they are, and the program that wrote the file.
struct Provenance: Sendable {
  /// The members of JSON files: those that every JSON object about a stored query has.
  let object: JSONObject
  /// The provenance in words, one fact to a line: `Query: parrot`. No line has a control
  /// character.
  let lines: [String]
  /// The content of the file in a few words: `parrot, from xeno-canto`.
  let title: String
  /// The catalogues of the lists.
  let sources: [Source]
  /// The time at which the newest page was fetched, UTC.
  let fetchedAt: Date
  /// The time that the file says it is of, UTC.
  let exportedAt: Date

  /// A catalogue of recordings in an export.
  struct Source: Sendable {
    let id: CatalogueID
    /// The catalogue's name for people: `xeno-canto`.
    let name: String
    /// The address of the catalogue; `nil` if it is built in.
    let url: String?
    /// The time at which the newest page of the catalogue's lists was fetched, UTC.
    let fetchedAt: Date
    /// The day of that: `2026-11-21`.
    let fetchedOn: String
  }

  /// - Parameters:
  ///   - lists: the lists that recordings can be in, with their catalogues, if the
  ///     repository has them.
  ///   - search: the expression, if everything stored was searched; `nil` for lists.
  ///   - object: the members of JSON files.
  ///   - choice: the conditions that rows were chosen by, in words.
  init(
    _ lists: [(stored: StoredQuery, catalogue: Catalogue?)], search: String? = nil,
    object: JSONObject, choice: [String],
    now: Date
  ) {
    let ids = lists.map(\.stored.query.catalogue).uniqued
    sources = ids.map { id in
      let own = lists.filter { $0.stored.query.catalogue == id }
      let fetchedAt = own.map(\.stored.newestFetchedAt).max() ?? now
      return Source(
        id: id, name: own[0].catalogue?.name ?? id.rawValue,
        url: own[0].catalogue?.service?.baseAddress, fetchedAt: fetchedAt,
        fetchedOn: Self.day(fetchedAt))
    }
    var lines = lists.count == 1 && search == nil ? Self.facts(lists[0], now: now) : []
    if lines.isEmpty {
      lines = (search.map { ["Search: \($0)"] } ?? [])
      lines += lists.map {
        "List: \(Self.facts($0, now: now).map { String($0.trimmingPrefix("Query: ")) }.joined(separator: "; "))"
      }
    }
    let volatile = lists.flatMap { $0.catalogue?.volatileFields ?? [] }
    if !volatile.isEmpty {
      lines.append(
        "As of when a recording was stored or last changed: \(Set(volatile).sorted().joined(separator: ", "))"
      )
    }
    if !choice.isEmpty { lines.append("Chosen: \(choice.joined(separator: "; "))") }
    lines.append("Written by: chirper \(ProgramVersion.current)")
    lines += lists.compactMap(\.catalogue?.notice).uniqued.map { "Note: \($0)" }
    self.object = object
    self.lines = lines
    let names = lists.map { PlainLine.text($0.stored.query.typed) ?? "" }.uniqued
    let what = search ?? (names.count > 3 ? "\(names.count) lists" : WordList.and(names))
    title = sources.isEmpty ? what : "\(what), from \(WordList.and(sources.map(\.name)))"
    fetchedAt = sources.map(\.fetchedAt).max() ?? now
    exportedAt = now
  }

  /// The facts about a list, one to a line.
  private static func facts(_ list: (stored: StoredQuery, catalogue: Catalogue?), now: Date)
    -> [String]
  {
    let stored = list.stored
    let query = PlainLine.text(stored.query.typed) ?? ""
    let sent = PlainLine.text(stored.query.requestText) ?? ""
    let oldest = time(stored.oldestFetchedAt)
    let newest = time(stored.newestFetchedAt)
    let facts: [String?] = [
      "Query: \(query)" + (sent == query ? "" : ", sent as \(sent)"),
      "Catalogue: \(list.catalogue?.name ?? stored.query.catalogue.rawValue)"
        + (list.catalogue?.service.map { " (\($0.baseAddress))" } ?? ""),
      "Fetched: " + (oldest == newest ? newest : "\(oldest) to \(newest)"),
      stored.checkedAt.map { "Checked: \(time($0))" },
      "Completeness: \(stored.extent(now: now))",
      stored.imported?.citation.map { "Cite: \($0)" },
    ]
    return facts.compactMap(\.self)
  }

  /// The names of the catalogues: `xeno-canto and GBIF`.
  var catalogueNames: String { WordList.and(sources.map(\.name)) }

  func name(of id: CatalogueID) -> String { sources.first { $0.id == id }?.name ?? id.rawValue }

  /// The day on which the newest page of a row's catalogue was fetched: `2026-11-21`.
  func fetchedOn(of id: CatalogueID) -> String {
    sources.first { $0.id == id }?.fetchedOn ?? Self.day(fetchedAt)
  }

  /// `2026-11-21T22:00:00Z`.
  static func time(_ date: Date) -> String { date.formatted(.iso8601) }

  /// `2026-11-21`, UTC.
  static func day(_ date: Date) -> String { String(time(date).prefix(10)) }

  /// The file that `export --provenance` writes.
  func file(format: String, _ summary: ExportSummary) -> String {
    var licences: JSONObject = [:]
    for (name, count) in summary.licenceCounts { licences.add(name, count) }
    var file = object
    file.add([
      "format": format, "written": summary.written, "upTo": summary.upTo, "licences": licences,
    ])
    return file.text
  }
}
