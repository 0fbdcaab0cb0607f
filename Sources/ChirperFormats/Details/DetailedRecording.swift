import Chirper
import ChirperModel

/// A recording with its details and the place of its audio: what every format but the raw ones is written from.
package struct DetailedRecording: Sendable {
  package let recording: Recording
  package let details: RecordingDetails
  /// The path of its kept audio; `nil` where none is kept.
  package let audioPath: String?

  package init(_ recording: Recording, _ details: RecordingDetails, audioPath: String? = nil) {
    self.recording = recording
    self.details = details
    self.audioPath = audioPath
  }

  /// The name that identifies it among all catalogues: `xeno-canto:535692`. The sample's ids begin with its name already.
  package var identifier: String {
    let id = recording.id
    let prefix = id.catalogue.rawValue + ":"
    return id.value.hasPrefix(prefix) ? id.value : prefix + id.value
  }

  /// The number that people cite, else the catalogue's id; one line.
  var number: String { PlainLine.text(details.catalogueNumber ?? recording.id.value) ?? identifier }

  /// `Great Reed Warbler (Acrocephalus arundinaceus)`, or the one of the two names that is known, else the number; one line.
  var title: String {
    let names = [details.vernacularName, details.scientificName].compactMap { $0.flatMap(PlainLine.text) }
    return names.count == 2 && names[0] != names[1] ? names[0] + " (" + names[1] + ")" : names.first ?? number
  }

  /// The types of sound in one line: `song, alarm call`; `nil` where none is known.
  var soundTypes: String? { PlainLine.text(details.soundType.joined(separator: ", ")) }
}

/// Writes recordings into a buffer, one at a time, from their details. Copies of a writer write parts of a list concurrently.
package protocol DetailWriter: Sendable {
  /// Whether a row begins with its place among the rows before it.
  static var hasPlaces: Bool { get }

  /// What is between the rows.
  var separator: String { get }

  mutating func begin(_ out: inout [UInt8])

  /// Writes what follows the row's place, if there is one.
  ///
  /// - Returns: whether the recording was written; a format that needs more than the recording has leaves it out.
  mutating func append(_ row: DetailedRecording, to out: inout [UInt8]) -> Bool

  /// Writes the place of the next row that was written: its number, or what the lengths of the rows before it add up to.
  ///
  /// - Parameter length: of the recording, in seconds.
  mutating func appendPlace(length: Double, to out: inout [UInt8])

  /// - Parameter summary: what was seen in all rows.
  mutating func end(_ out: inout [UInt8], _ summary: ExportSummary)
}

extension DetailWriter {
  package static var hasPlaces: Bool { false }
  package var separator: String { "" }
  package mutating func appendPlace(length: Double, to out: inout [UInt8]) {}

  /// The rows without their places.
  package func written(_ rows: some Sequence<DetailedRecording>) -> WrittenRows {
    var (writer, written) = (self, WrittenRows())
    for row in rows {
      let end = written.bytes.count
      if written.summary.written > 0 { written.bytes += separator.utf8 }
      let isWritten = writer.append(row, to: &written.bytes)
      if !isWritten { written.bytes.removeSubrange(end...) }
      written.summary.add(row, wasWritten: isWritten)
      if isWritten, Self.hasPlaces { written.ends.append((written.bytes.count, row.details.duration ?? 0)) }
    }
    return written
  }

  /// Appends the rows that follow those of `summary`, with their places, and adds them to it.
  package mutating func append(_ rows: WrittenRows, to out: inout [UInt8], _ summary: inout ExportSummary) {
    if summary.written > 0, rows.summary.written > 0 { out += separator.utf8 }
    if Self.hasPlaces {
      var start = 0
      for (end, length) in rows.ends {
        appendPlace(length: length, to: &out)
        out += rows.bytes[start..<end]
        start = end
      }
    } else {
      out += rows.bytes
    }
    summary.add(rows.summary)
  }
}

/// Rows as a writer wrote them, without their places.
package struct WrittenRows: Sendable {
  fileprivate var bytes: [UInt8] = []
  /// Where each row ends in `bytes`, and its length in seconds; empty for a writer without places.
  fileprivate var ends: [(end: Int, length: Double)] = []
  fileprivate var summary = ExportSummary()
}

/// What a writer of details needs to know before the first recording.
package struct DetailWriterOptions: Sendable {
  /// The columns to write, each once.
  package var columns: [TidyColumn]
  package var provenance: Provenance
  /// Escapes what a terminal could act on.
  package var escapesControls = false
  /// Puts `'` before text that a spreadsheet would run.
  package var isSpreadsheetSafe = false

  package init(columns: [TidyColumn] = TidyColumn.all, provenance: Provenance) {
    self.columns = columns
    self.provenance = provenance
  }
}

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
  private var highestDigits: UInt64 = 0

  /// - Parameter written: recordings of which only the count is known.
  package init(written: Int = 0) {
    self.written = written
  }

  mutating func add(_ row: DetailedRecording, wasWritten: Bool) {
    guard wasWritten else {
      leftOut += 1
      return
    }
    written += 1
    licences[row.details.licence?.name ?? "", default: 0] += 1
    if let day = row.details.uploaded, lastUploaded.map({ $0 < day }) ?? true { lastUploaded = day }
    guard let number = row.details.catalogueNumber, let digits = Self.digits(of: number) else { return }
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

  /// `363793` of `XC363793` and of `sample:363793`; `nil` where the text does not end in a number.
  private static func digits(of number: String) -> UInt64? {
    var (value, scale, count): (UInt64, UInt64, Int) = (0, 1, 0)
    for byte in number.utf8.reversed() {
      guard (0x30...0x39).contains(byte), count < 19 else { break }
      value += UInt64(byte - 0x30) * scale
      scale *= 10
      count += 1
    }
    return count > 0 ? value : nil
  }

  /// Up to which number and upload date the recordings go.
  var upTo: JSONObject {
    var object = JSONObject()
    object.add("catalogNumber", highestNumber)
    object.add("uploaded", lastUploaded?.description)
    return object
  }

  /// `CC BY-NC-SA 4.0: 120`, the most frequent first.
  var licenceCounts: [(name: String, count: Int)] {
    licences.map { (PlainLine.text($0.key) ?? "no licence given", $0.value) }
      .sorted { ($1.1, $0.0) < ($0.1, $1.0) }
  }

  /// `up to XC535692, uploaded 2024-05-17`; `nil` where neither is known.
  var upToText: String? {
    let parts = [highestNumber.flatMap(PlainLine.text), lastUploaded.map { "uploaded \($0)" }].compactMap(\.self)
    return parts.isEmpty ? nil : "up to " + parts.joined(separator: ", ")
  }
}
