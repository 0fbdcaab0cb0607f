import Chirper
import ChirperModel

/// The choice of rows by `--for` and `--since-export`: those fit for a purpose, and those that
/// an earlier export does not have. The conditions of a search are not part of it.
package struct ExportFilter: Sendable {
  private var purposes: PurposeReport?
  private var earlier: EarlierExport?
  /// The number of rows that are chosen, before `--offset` and `--limit`.
  var newCount = 0

  /// Every row, unless something is chosen.
  package init(purposes: [Export.Purpose] = [], since earlier: EarlierExport? = nil) {
    self.purposes = purposes.isEmpty ? nil : PurposeReport(purposes)
    self.earlier = earlier
  }

  var isEverything: Bool { purposes == nil && earlier == nil }

  var comparesEarlier: Bool { earlier != nil }

  /// The rows that were not in the earlier export.
  ///
  /// - Parameter reader: a reader of all rows. Recordings of the file that it does not have
  ///   are gone.
  mutating func newRows(of reader: ListReader) throws -> ListReader {
    guard var earlier else { return reader }
    let rows = try Self.rows(of: reader, []) { !earlier.remove($0.recording.id) }
    self.earlier = earlier
    return rows
  }

  /// Takes an id that no row had off the ids that are gone if it is still in a list. The
  /// search did not find it for a different reason.
  mutating func forgetListed(in repository: RecordingRepository) throws {
    guard let ids = earlier?.gone else { return }
    for id in try repository.listedIDs(among: ids) { _ = earlier?.remove(id) }
  }

  /// The rows that are fit for the purposes chosen.
  mutating func allowedRows(of reader: ListReader) throws -> ListReader {
    guard var purposes else { return reader }
    let rows = try Self.rows(of: reader, .details) { purposes.count($0.details) }
    self.purposes = purposes
    return rows
  }

  static func rows(
    of reader: ListReader, _ contents: RowContents, where isChosen: (RecordingRow) -> Bool
  ) throws -> ListReader {
    var positions: [Int] = []
    for range in (0..<reader.count).batches() {
      try Task.checkCancellation()
      for (position, row) in zip(range, try reader.rows(range, with: contents)) where isChosen(row)
      {
        positions.append(position)
      }
    }
    return reader.subset(at: positions)
  }

  /// Recordings left out because of the purposes.
  var notAllowed: Int { purposes?.leftOut ?? 0 }

  /// The rows left out and why, for people, a sentence each; empty if everything was
  /// chosen.
  package var lines: [String] {
    var lines: [String] = []
    if let earlier {
      let gone = earlier.gone
      lines.append(
        "since \(earlier.name): \(Plural.words(newCount, "row")) new, \(gone.count) gone")
      if !gone.isEmpty {
        lines.append("gone: \(FirstNames(gone.map(\.value)).text)")
      }
    }
    return lines + (purposes?.lines ?? [])
  }

  /// The choice in a few words, for provenance.
  var words: [String] {
    [
      earlier.map { "not in \(PlainLine.text($0.name) ?? "the earlier export")" },
      purposes.map { "\($0.words) (\($0.leftOut) left out)" },
    ].compactMap(\.self)
  }

  /// Adds the rows left out and why, for programs.
  func addMembers(to object: inout JSONObject) {
    if let earlier {
      let since: JSONObject = [
        "file": earlier.name, "new": newCount, "gone": earlier.gone.map(\.value),
      ]
      object.add("sinceExport", since)
    }
    if let purposes {
      object.add("for", purposes.purposes.map(\.text))
      object.add("leftOut", purposes.leftOut)
    }
  }
}
