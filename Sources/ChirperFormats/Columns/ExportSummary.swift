import Chirper
import ChirperModel

/// The facts about an export that are known only after its last row.
package struct ExportSummary: Equatable, Sendable {
  /// Recordings written.
  package private(set) var written = 0
  /// Recordings that the format had to leave out.
  package private(set) var leftOut = 0
  /// Rows left out of a format with audio files, or with selections of them, because their audio
  /// is not downloaded.
  var withoutAudio = 0
  /// Whether a format with selections of audio files names none.
  var namesNoAudio = false
  /// Whether a row of a table on a terminal has the mark of what its catalogue doubts.
  var hasMarks = false
  /// Annotations of the recordings written that select nothing of the sound.
  private(set) var annotationsWithoutTimes = 0
  /// Annotations of the recordings written that are above half the sample rate of the file.
  private(set) var annotationsAbove = 0
  /// The number of recordings under each licence, by its short name; an empty name for
  /// recordings without a licence.
  private(set) var licences: [String: Int] = [:]
  /// The datasets of GBIF that recordings are from, by their keys.
  private var datasets: [String: Dataset] = [:]
  /// The latest day on which one of the recordings was added to its catalogue.
  private(set) var lastUploaded: PartialDate?
  /// The highest catalogue number of each catalogue, by its digits.
  private var highest: [CatalogueID: Number] = [:]

  private let describesRows: Bool

  /// - Parameters:
  ///   - written: recordings of which only the count is known.
  ///   - describesRows: whether rows are read with `columns`; else they are only counted.
  package init(written: Int = 0, describesRows: Bool = true) {
    self.written = written
    self.describesRows = describesRows
  }

  mutating func add(_ row: some TableRow, wasWritten: Bool) {
    guard wasWritten else {
      leftOut += 1
      return
    }
    written += 1
    if describesRows { row.describe(in: &self) }
  }

  /// The columns of the details that it knows of every format; annotations, only of formats with
  /// selections of the sound.
  static let columns: Set<DetailColumn> = [
    .licenseName, .available, .catalogNumber, .datasetKey, .datasetName, .datasetID,
  ]

  mutating func add(_ details: RecordingDetails, of catalogue: CatalogueID) {
    licences[details.licence?.name ?? "", default: 0] += 1
    if let key = details.datasetKey {
      datasets[key, default: Dataset(key: key)].add(
        Dataset(key: key, name: details.datasetName, id: details.datasetID, count: 1))
    }
    if let day = details.available, lastUploaded.map({ $0 < day }) ?? true { lastUploaded = day }
    guard let text = details.catalogNumber, let digits = DetailColumn.digits(text) else { return }
    if let known = highest[catalogue], known.digits >= digits { return }
    highest[catalogue] = Number(text: text, digits: digits)
  }

  /// Counts the annotations that select nothing of the row's file.
  mutating func countAnnotations(_ row: RecordingRow) {
    guard !row.details.annotations.isEmpty else { return }
    let header = row.audioHeader
    guard let length = SoundLength(header, details: row.details) else { return }
    let rate = header?.sampleRate ?? row.details.sampleRate
    for annotation in row.details.annotations {
      if length.part(of: annotation.stretch) == nil {
        annotationsWithoutTimes += 1
      } else if SelectedFrequencies(low: annotation.lowFrequency, high: nil, rate) == nil {
        annotationsAbove += 1
      }
    }
  }

  mutating func add(_ other: ExportSummary) {
    written += other.written
    leftOut += other.leftOut
    annotationsWithoutTimes += other.annotationsWithoutTimes
    annotationsAbove += other.annotationsAbove
    licences.merge(other.licences, uniquingKeysWith: +)
    for (key, dataset) in other.datasets { datasets[key, default: Dataset(key: key)].add(dataset) }
    lastUploaded = [lastUploaded, other.lastUploaded].compactMap(\.self).max()
    highest.merge(other.highest) { $0.digits >= $1.digits ? $0 : $1 }
  }

  /// The meaning of the mark in a table on a terminal; `nil` if no row has it.
  package var markLine: String? {
    hasMarks ? "!: the catalogue doubts something of that row; --columns id,issues shows what" : nil
  }

  private struct Number: Equatable {
    let text: String
    let digits: Double
  }

  /// The highest catalogue number; `nil` for recordings of several catalogues, whose
  /// numbers cannot be compared.
  private var highestNumber: String? { highest.count == 1 ? highest.first?.value.text : nil }

  /// The highest catalogue number and the latest upload date of the recordings.
  var upTo: JSONObject {
    ["catalogNumber": highestNumber, "uploaded": lastUploaded?.description]
  }

  /// `CC BY-NC-SA 4.0: 120`, the most frequent first.
  var licenceCounts: [(name: String, count: Int)] {
    licences.map { (PlainLine.text($0.key) ?? "no licence given", $0.value) }
      .sorted { ($1.1, $0.0) < ($0.1, $1.0) }
  }

  /// `CC BY-NC-SA 4.0: 120, CC0 1.0: 3`.
  var licenceText: String {
    licenceCounts.map { "\($0.name): \($0.count)" }.joined(separator: ", ")
  }

  /// The datasets of GBIF, the one of most recordings first.
  var sortedDatasets: [Dataset] {
    datasets.values.sorted { ($1.count, $0.key) < ($0.count, $1.key) }
  }

  /// `up to XC535692, uploaded 2024-05-17`; `nil` if neither is known.
  var upToText: String? {
    let parts = [highestNumber.flatMap(PlainLine.text), lastUploaded.map { "uploaded \($0)" }]
      .compactMap(\.self)
    return parts.isEmpty ? nil : "up to " + parts.joined(separator: ", ")
  }

  /// A dataset of GBIF, which asks to cite each with the number of its records
  /// (https://www.gbif.org/citation-guidelines).
  struct Dataset: Hashable, Sendable {
    let key: String
    /// The name of the data set in the first record that has one.
    private(set) var name: String?
    /// The publisher's identifier, which can be a DOI.
    private(set) var id: String?
    /// The number of recordings from the data set.
    private(set) var count = 0

    mutating func add(_ other: Dataset) {
      name = name ?? other.name
      id = id ?? other.id
      count += other.count
    }

    /// The name of the data set, else its key; one line.
    var title: String { name.flatMap(PlainLine.text) ?? PlainLine.text(key) ?? "" }

    /// `10.15468/qv0ksn`; `nil` if the record does not have it.
    var doi: String? {
      let beginnings = [
        "doi:", "https://doi.org/", "http://doi.org/", "https://dx.doi.org/", "http://dx.doi.org/",
      ]
      guard let id, let beginning = beginnings.first(where: { id.lowercased().hasPrefix($0) })
      else { return nil }
      let doi = id.dropFirst(beginning.count)
      let isPlain = doi.utf8.allSatisfy {
        (0x21...0x7E).contains($0) && !"\\{}<>\"".utf8.contains($0)
      }
      return doi.hasPrefix("10.") && isPlain ? String(doi) : nil
    }

    /// The DOI as an address, else GBIF's page of the data set; `nil` if the key is not one
    /// of GBIF's.
    var address: String? {
      if let doi { return "https://doi.org/\(doi)" }
      let isKey =
        key.utf8.count == 36 && key.utf8.allSatisfy { "0123456789abcdef-".utf8.contains($0) }
      return isKey ? "https://www.gbif.org/dataset/\(key)" : nil
    }
  }
}
