import Chirper
import ChirperModel
import Foundation

/// Where exported recordings come from: the query, the catalogue, when it was fetched, how complete it is, and what wrote it.
package struct Provenance: Sendable {
  /// The members of JSON files: those that every JSON object about a stored query has.
  package let object: JSONObject
  /// The same in words, one fact to a line: `Query: parrot`. No line has a control character.
  package let lines: [String]
  /// What the file contains, in a few words: `parrot, from xeno-canto`.
  package let title: String
  /// The catalogue's name for people: `xeno-canto`.
  package let catalogueName: String
  /// Where the catalogue is; `nil` for one that is built in.
  package let catalogueURL: String?
  /// When the newest page was fetched, UTC.
  package let fetchedAt: Date
  /// The day of `fetchedAt`: `2026-11-21`.
  let fetchedOn: String
  /// When the file is written, UTC.
  package let exportedAt: Date

  /// - Parameters:
  ///   - catalogue: of the list, if the repository has it.
  ///   - object: the members of JSON files.
  ///   - choice: which rows of the list were chosen, in words.
  package init(_ stored: StoredQuery, in catalogue: Catalogue?, object: JSONObject, choice: [String], now: Date) {
    let name = catalogue?.name ?? stored.query.catalogue.rawValue
    let query = PlainLine.text(stored.query.typed) ?? ""
    let sent = PlainLine.text(stored.query.sent) ?? ""
    let (oldest, newest) = (Self.time(stored.oldestFetchedAt), Self.time(stored.newestFetchedAt))
    var lines = [
      "Query: \(query)" + (sent == query ? "" : ", sent as \(sent)"),
      "Catalogue: \(name)" + (catalogue?.service.map { " (\($0.baseURL))" } ?? ""),
      "Fetched: " + (oldest == newest ? newest : "\(oldest) to \(newest)"),
    ]
    if let checked = stored.checkedAt { lines.append("Checked: \(Self.time(checked))") }
    lines.append("Completeness: \(stored.extent(now: now))")
    if let names = catalogue?.volatileFields.sorted(), !names.isEmpty {
      lines.append("As of when a recording was stored or last changed: \(names.joined(separator: ", "))")
    }
    if !choice.isEmpty { lines.append("Chosen: \(choice.joined(separator: "; "))") }
    lines.append("Written by: chirper \(ProgramVersion.current), \(Self.time(now))")
    if let notice = catalogue?.notice { lines.append("Note: \(notice)") }
    self.object = object
    self.lines = lines
    title = "\(query), from \(name)"
    catalogueName = name
    catalogueURL = catalogue?.service?.baseURL
    fetchedAt = stored.newestFetchedAt
    fetchedOn = Self.day(fetchedAt)
    exportedAt = now
  }

  /// `2026-11-21T22:00:00Z`.
  static func time(_ date: Date) -> String { date.formatted(.iso8601) }

  /// `2026-11-21`, UTC.
  static func day(_ date: Date) -> String { String(time(date).prefix(10)) }

  /// The file that `export --provenance` writes.
  package func file(format: String, _ summary: ExportSummary) -> String {
    var file = object
    file.add("format", format)
    file.add("written", summary.written)
    file.add("upTo", summary.upTo)
    var licences: JSONObject = [:]
    for (name, count) in summary.licenceCounts { licences.add(name, count) }
    file.add("licences", licences)
    return file.text
  }
}
