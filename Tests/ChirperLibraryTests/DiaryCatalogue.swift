import Chirper
import Foundation
import Synchronization

/// A service that can be asked for what was added since a day, or updated since a day.
final class DiaryCatalogue: PageFetcher {
  struct Entry: Sendable {
    let number: Int
    var bird: String
    /// In May 2024.
    let written: Int
    var updated: Int
    var note = ""

    init(_ number: Int, _ bird: String, written: Int) {
      (self.number, self.bird, self.written, updated) = (number, bird, written, written)
    }
  }

  let catalogue: Catalogue
  private let isListOfUploads: Bool
  /// What is upstream.
  let entries: Mutex<[Entry]>

  /// Thirty entries about three birds.
  ///
  /// - Parameter uploads: whether it can be asked for what was added, and not for updates.
  init(uploads: Bool) {
    isListOfUploads = uploads
    var catalogue = Catalogue(id: "diary", name: "Diary")
    catalogue.defaultPageSize = 5
    catalogue.minimumInterval = .zero
    catalogue.sync = uploads ? Self.uploads : Self.updates
    self.catalogue = catalogue
    entries = Mutex(
      (0..<30).map { Entry($0, ["Dodo", "Moa", "Rhea"][$0 % 3], written: 1 + $0 / 2) })
  }

  /// The list is sorted by birds, and by numbers within a bird.
  static let uploads = Catalogue.Sync.uploads(
    uploaded: { entry in entry.text("written") },
    narrowed: { sent, day in "\(sent) since:\(day)" },
    position: { entry in
      guard let bird = entry.text("bird"), let number = Int(entry.id.value) else { return nil }
      return (group: bird, rank: [-number])
    })

  /// The list has the highest number first.
  static let updates = Catalogue.Sync.updates(
    created: { entry in entry.text("written") },
    narrowed: { sent, time in "\(sent) since:\(time)" },
    idsOnly: { sent in "\(sent) ids:only" },
    record: { id in Int64(id.value) })

  /// The ids of the list as it is upstream.
  var ids: [String] { listed().map { "\($0.number)" } }

  private func listed(since day: String = "") -> [Entry] {
    let entries = entries.withLock(\.self).filter { Self.text($0.updated) >= day }
    if isListOfUploads {
      return entries.sorted { ($0.bird, -$0.number) < ($1.bird, -$1.number) }
    }
    return entries.sorted { $0.number > $1.number }
  }

  private static func text(_ day: Int) -> String { "2024-05-\(day < 10 ? "0" : "")\(day)" }

  func page(_ request: PageRequest) async throws(FetchError) -> RecordingPage {
    let size = request.query.pageSize
    let words = request.query.requestText.split(separator: " ")
    let all = listed(
      since: words.first { $0.hasPrefix("since:") }.map { String($0.dropFirst(6)) } ?? "")
    let hasIDsOnly = words.contains("ids:only")
    // Numbers of pages, or a cursor: after which number, and how many entries come before it.
    let cursor = request.token?.position
    var ahead = all.dropFirst((request.number - 1) * size)
    if !isListOfUploads {
      ahead = all.drop { entry in
        cursor.flatMap { Int($0.lastID) }.map { entry.number >= $0 } ?? false
      }
    }
    let before = cursor?.recordsBefore ?? (request.number - 1) * size
    let rows = ahead.prefix(size).map { entry in
      let id = RecordingID(catalogue: catalogue.id, value: "\(entry.number)")
      let whole: KeyValuePairs = [
        "bird": entry.bird, "written": Self.text(entry.written), "note": entry.note,
      ]
      return Recording(id: id, fields: RecordingFields(hasIDsOnly ? [:] : whole))
    }
    let total = before + ahead.count
    var token: PageRequest.Token?
    if !isListOfUploads, let last = rows.last {
      token = PageRequest.Token.after(last.id.value, recordsBefore: before + rows.count)
    }
    return RecordingPage(
      number: request.number, recordings: rows,
      totals: RecordingPage.Totals(recordings: total, pages: (total + size - 1) / size),
      next: rows.count < ahead.count ? request.number + 1 : nil, nextToken: token)
  }
}
