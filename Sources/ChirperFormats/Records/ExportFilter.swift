import Chirper
import ChirperModel

/// Which rows of a list an export has, apart from a filter: those that a licence allows to use, and those that are new since an
/// earlier export.
package struct ExportFilter: Sendable {
  private var licences: LicenceReport?
  private var earlier: EarlierExport?
  private var newCount = 0

  /// Every row, unless something is chosen.
  package init(purposes: [LicencePurpose] = [], since earlier: EarlierExport? = nil) {
    licences = purposes.isEmpty ? nil : LicenceReport(purposes)
    self.earlier = earlier
  }

  var isEverything: Bool { licences == nil && earlier == nil }

  /// The rows that were not in the earlier export.
  ///
  /// - Parameter reader: of the whole list, so that what is not met is gone from it.
  mutating func newRows(of reader: ListReader) throws -> ListReader {
    guard var earlier else { return reader }
    let rows = try Self.rows(of: reader) { earlier.isNew($0.id) }
    self.earlier = earlier
    newCount = rows.count
    return rows
  }

  /// The rows that may be used for the purposes chosen.
  mutating func allowedRows(of reader: ListReader, in catalogue: Catalogue?) throws -> ListReader {
    guard var licences else { return reader }
    let rows = try Self.rows(of: reader) { licences.allows(catalogue?.details(of: $0).licence) }
    self.licences = licences
    return rows
  }

  private static let batch = 250

  private static func rows(of reader: ListReader, where isChosen: (Recording) -> Bool) throws -> ListReader {
    var positions: [Int] = []
    for start in stride(from: 0, to: reader.count, by: batch) {
      try Task.checkCancellation()
      let range = start..<min(start + batch, reader.count)
      for (position, row) in zip(range, try reader.rows(range)) where isChosen(row) { positions.append(position) }
    }
    return reader.subset(at: positions)
  }

  /// What was left out and why, for people; empty where everything was chosen.
  package var lines: [String] {
    var lines: [String] = []
    if let earlier {
      let gone = earlier.gone
      lines.append("since \(earlier.name): \(Plural.words(newCount, "row")) new, \(gone.count) gone")
      if !gone.isEmpty {
        let more = gone.count > 20 ? " and \(gone.count - 20) more" : ""
        lines.append("gone: \(gone.prefix(20).map(\.value).joined(separator: ", "))\(more)")
      }
    }
    return lines + (licences?.lines ?? [])
  }

  /// The choice in a few words, for provenance.
  var words: [String] {
    [
      earlier.map { "not in \(PlainLine.text($0.name) ?? "the earlier export")" },
      licences.map { "licence allows \($0.purposeText) (\($0.count) left out)" },
    ].compactMap(\.self)
  }

  /// The same for programs.
  func addMembers(to object: inout JSONObject) {
    if let earlier {
      let since: JSONObject = ["file": earlier.name, "new": newCount, "gone": earlier.gone.map(\.value)]
      object.add("sinceExport", since)
    }
    if let licences {
      object.add("for", licences.purposes.map(\.rawValue))
      object.add("leftOut", licences.count)
    }
  }
}
