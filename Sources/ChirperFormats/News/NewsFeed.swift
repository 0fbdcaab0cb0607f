import Chirper
import ChirperModel
import Foundation

/// What is new, changed and gone in lists, as an Atom feed (RFC 4287) with an entry for each
/// recording of each list, the latest first.
package struct NewsFeed {
  package static let mediaType = "application/atom+xml"
  /// The days that the feed of a server goes back.
  package static let days = 30
  private static let mostEntries = 200

  package let lists: [StoredQuery]
  private let title: String
  private let id: String
  private let updatedAt: Date
  private var entries: [Entry] = []

  private struct Entry {
    /// New, changed or gone.
    let event: String
    let date: Date
    let row: RecordingRow
    let list: StoredQuery
  }

  /// - Parameters:
  ///   - named: the lists that it is about; none for all that are stored.
  ///   - among: the recordings that it is about; all if `nil`.
  package init(
    of named: [StoredQuery] = [], since: Date, among: Rows? = nil,
    in repository: RecordingRepository
  ) throws(StoreError) {
    lists = named.isEmpty ? repository.withoutSample(try repository.storedQueries()) : named
    let names = named.map(Self.name(of:))
    title = "chirper: \(names.isEmpty ? "all lists" : names.joined(separator: ", "))"
    id = Self.identifier(["feed"] + names)
    for list in lists {
      let parts: [(event: String, part: ListReader.Part)] = [
        ("new", .new(since: since)), ("changed", .changed(since: since)), ("gone", .gone),
      ]
      for (event, part) in parts {
        // What is gone is in that order already.
        let sort =
          part == .gone ? [] : part.dateColumn.map { [SortKey($0, descending: true)] } ?? []
        var reader = try ListReader(
          repository, [list.query], part: part, sort: sort,
          window: 0..<(among == nil ? Self.mostEntries : .max))
        if let among { reader = reader.subset(in: among, limit: Self.mostEntries) }
        for row in try reader.rows(0..<reader.count, with: [.details, .dates]) {
          guard let date = row.date, date >= since else { continue }
          entries.append(Entry(event: event, date: date, row: row, list: list))
        }
      }
    }
    entries.sort { $0.date > $1.date }
    entries.removeLast(max(0, entries.count - Self.mostEntries))
    updatedAt = entries.first?.date ?? lists.map(\.newestFetchedAt).max() ?? since
  }

  /// The document.
  ///
  /// - Parameter address: of the feed itself, if it has one.
  package func text(at address: String? = nil) -> String {
    let link = address.map { "<link rel=\"self\" href=\"\(XMLText.escaped($0))\"/>\n" } ?? ""
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <feed xmlns="http://www.w3.org/2005/Atom">
      \(Self.element("title", title))\(Self.element("id", id))\
      \(Self.element("updated", Provenance.time(updatedAt)))\(link)\
      <author><name>chirper</name></author>
      <generator uri="\(ProgramVersion.homepage)" version="\(ProgramVersion.current)">chirper</generator>
      \(entries.map(Self.text).joined())</feed>

      """
  }

  private static func text(of entry: Entry) -> String {
    let recording = entry.row.recording
    let details = entry.row.details
    let source = name(of: entry.list)
    let id = identifier([
      entry.event, source, recording.id.value, Provenance.time(entry.date),
    ])
    let lines: [String?] = [
      "\(entry.event.capitalized) in \(source)", details.locality,
      details.behavior.isEmpty ? nil : details.behavior.joined(separator: ", "),
      details.occurrenceRemarks, details.credit,
    ]
    var text = "<entry>\n"
    text += element("title", "\(entry.event): \(StoredQuery.News.line(recording, details))")
    text += element("id", id)
    text += element("updated", Provenance.time(entry.date))
    if let name = details.recordedBy { text += "<author>\(element("name", name))</author>\n" }
    text += "<category term=\"\(entry.event)\"/>\n"
    if let page = details.pageAddress { text += "<link href=\"\(XMLText.escaped(page))\"/>\n" }
    text += element("content", lines.compactMap(\.self).joined(separator: "\n"))
    return "\(text)</entry>\n"
  }

  private static func name(of list: StoredQuery) -> String {
    "\(list.query.catalogue): \(list.query.typed)"
  }

  private static func element(_ name: String, _ text: String) -> String {
    XMLText.element(name, text) + "\n"
  }

  /// An address for what these words name: a UUID of version 8 (RFC 9562), of the SHA-256 of the
  /// words.
  private static func identifier(_ words: [String]) -> String {
    let digits = Array(SHA256.text(SHA256.digest(Array(words.joined(separator: "\n").utf8))))
    let parts = [digits[0..<8], digits[8..<12], ["8"] + digits[13..<16], ["a"] + digits[17..<20]]
    return "urn:uuid:" + (parts + [digits[20..<32]]).map { String($0) }.joined(separator: "-")
  }
}
