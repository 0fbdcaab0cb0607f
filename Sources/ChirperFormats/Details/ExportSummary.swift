import ChirperModel

/// What is known about an export only after its last row.
package struct ExportSummary: Equatable, Sendable {
  /// Recordings written.
  package private(set) var written = 0
  /// Recordings that the format had to leave out.
  package private(set) var leftOut = 0
  /// How many of the recordings are under each licence, by its short name; without a licence under an empty name.
  private(set) var licences: [String: Int] = [:]
  /// The latest day on which one of the recordings was added to its catalogue.
  private(set) var lastUploaded: PartialDate?
  /// The highest catalogue number, by its digits.
  private(set) var highestNumber: String?
  private var highestDigits = 0.0

  /// - Parameter written: recordings of which only the count is known.
  package init(written: Int = 0) {
    self.written = written
  }

  mutating func add(_ row: some TableRow, wasWritten: Bool) {
    guard wasWritten else {
      leftOut += 1
      return
    }
    written += 1
    row.describe(in: &self)
  }

  mutating func add(_ details: RecordingDetails) {
    licences[details.licence?.name ?? "", default: 0] += 1
    if let day = details.uploaded, lastUploaded.map({ $0 < day }) ?? true { lastUploaded = day }
    guard let number = details.catalogueNumber, let digits = DetailColumn.catalogNumber.number(of: details) else { return }
    if highestNumber == nil || digits > highestDigits { (highestNumber, highestDigits) = (number, digits) }
  }

  mutating func add(_ other: ExportSummary) {
    written += other.written
    leftOut += other.leftOut
    licences.merge(other.licences, uniquingKeysWith: +)
    lastUploaded = [lastUploaded, other.lastUploaded].compactMap(\.self).max()
    if other.highestNumber != nil, highestNumber == nil || other.highestDigits > highestDigits {
      (highestNumber, highestDigits) = (other.highestNumber, other.highestDigits)
    }
  }

  /// Up to which number and upload date the recordings go.
  var upTo: JSONObject {
    ["catalogNumber": highestNumber, "uploaded": lastUploaded?.description]
  }

  /// `CC BY-NC-SA 4.0: 120`, the most frequent first.
  var licenceCounts: [(name: String, count: Int)] {
    licences.map { (PlainLine.text($0.key) ?? "no licence given", $0.value) }
      .sorted { ($1.1, $0.0) < ($0.1, $1.0) }
  }

  /// `CC BY-NC-SA 4.0: 120, CC0 1.0: 3`.
  var licenceText: String { licenceCounts.map { "\($0.name): \($0.count)" }.joined(separator: ", ") }

  /// `up to XC535692, uploaded 2024-05-17`; `nil` if neither is known.
  var upToText: String? {
    let parts = [highestNumber.flatMap(PlainLine.text), lastUploaded.map { "uploaded \($0)" }].compactMap(\.self)
    return parts.isEmpty ? nil : "up to " + parts.joined(separator: ", ")
  }
}
