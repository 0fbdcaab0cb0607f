import Chirper
import ChirperModel
import Foundation

extension RecordFormat {
  /// A selection table for Raven.
  public static let raven = RecordFormat(
    name: "raven", title: "Raven selection table", needs: "length", selectsSound: true,
    { _ in RavenWriter() })

  /// Labels for Audacity.
  public static let audacity = RecordFormat(
    name: "audacity", title: "Audacity labels", needs: "length", selectsSound: true,
    { _ in AudacityWriter() })
}

/// A selection table of Raven: one selection for each annotation of a recording, and one from its
/// beginning to its end if it has none.
///
/// Raven opens the files of the table as one sequence, so times count from the start of the first
/// of them; `File Offset (s)` is the beginning within the file.
struct RavenWriter: RowWriter {
  /// The path of the recording's file, as the table names it; `nil` if the row is to have
  /// no file.
  private let location: @Sendable (RecordingRow) -> String?
  private var selection = 0
  private var sequence = SoundSequence()
  private let cells = CellEncoder(form: .plain)

  init(location: @escaping @Sendable (RecordingRow) -> String? = { $0.shownAudioPath }) {
    self.location = location
  }

  private static let headings = [
    "Selection", "View", "Channel", "Begin Time (s)", "End Time (s)", "Low Freq (Hz)",
    "High Freq (Hz)", "Begin File", "Begin Path", "File Offset (s)", "Annotation", "Species",
    "Common Name", "Confidence", "Sound Type", "Catalog Number", "Credit", "Annotator", "Comments",
  ]

  mutating func begin(_ out: inout [UInt8]) {
    cells.append(plain: Self.headings, to: &out)
  }

  /// The confidence of a label; 1.0 for those that people or catalogues made without one.
  /// BirdNET-Analyzer cuts no clip of a label without a confidence.
  static func confidence(_ known: Double?) -> String { LabelText.decimal(known ?? 1) }

  /// The class of a sound without a name.
  static let unknown = "unknown"

  /// The name of a class of sounds: BirdNET-Analyzer makes a folder of clips for each. It is the
  /// English one, of the list of birds if the record has none, else the scientific name.
  static func commonName(_ english: String?, of scientific: String?) -> String {
    english ?? scientific.flatMap { NameTable.species(named: $0)?.englishName } ?? scientific
      ?? unknown
  }

  mutating func append(_ row: RecordingRow, to out: inout [UInt8]) -> Bool {
    let header = row.audioHeader
    guard let length = SoundLength(header, details: row.details), length.seconds > 0 else {
      return false
    }
    let details = row.details
    let rate = header?.sampleRate ?? details.sampleRate
    let location = location(row)
    let parts = row.soundSelections(length).compactMap { part in
      SelectedFrequencies(
        low: part.annotation?.lowFrequency, high: part.annotation?.highFrequency, rate
      ).map { (stretch: part.stretch, annotation: part.annotation, frequencies: $0) }
    }
    for (index, part) in parts.enumerated() {
      // `join` puts the number and the times in the place of the first cell.
      SoundSequence.append(length: index == 0 ? length.seconds : nil, part.stretch, to: &out)
      let note = part.annotation
      // Of an annotation without a species nothing is known but its type.
      let name = note == nil ? details.scientificName : note?.scientificName
      let isOwn = note == nil || name != nil && name == details.scientificName
      let english = isOwn ? details.vernacularName : nil
      let types = note.map(\.behavior) ?? details.behavior
      let texts: [String?] = [
        LabelText.decimal(part.frequencies.low), LabelText.decimal(part.frequencies.high),
        location?.split(separator: "/").last.map(String.init), location,
        LabelText.decimal(part.stretch.lowerBound), name ?? english, name,
        Self.commonName(english, of: name), Self.confidence(note?.confidence),
        types.joined(separator: ", "), row.number, details.credit, note?.identifiedBy,
        note?.remarks,
      ]
      cells.appendLine(texts.count, to: &out) { index, out in
        if let text = texts[index] { LabelText.append(text, to: &out) }
      }
    }
    return true
  }

  mutating func join(_ rows: [UInt8], to out: inout [UInt8]) {
    LabelText.forEachLine(of: rows) { line in
      let part = sequence.read(line, of: rows)
      selection += 1
      for text in ["\(selection)", "\tSpectrogram 1\t1\t", part.begin, "\t", part.end, "\t"] {
        out.append(utf8: text)
      }
      out += rows[part.rest]
    }
  }
}

/// Labels of Audacity: one for each annotation of a recording, and one for all of it if it has
/// none; end to end in the order of the list, as its files are when they are joined one after the
/// other.
struct AudacityWriter: RowWriter {
  private var sequence = SoundSequence()

  mutating func append(_ row: RecordingRow, to out: inout [UInt8]) -> Bool {
    guard let length = SoundLength(row.audioHeader, details: row.details), length.seconds > 0 else {
      return false
    }
    for (index, part) in row.soundSelections(length).enumerated() {
      // `join` puts times in the place of the first cell.
      SoundSequence.append(length: index == 0 ? length.seconds : nil, part.stretch, to: &out)
      let note = part.annotation
      let types = note.map { $0.behavior.joined(separator: ", ") } ?? row.soundTypes
      let isOther = note.map { $0.scientificName != row.details.scientificName } ?? false
      let author = note?.identifiedBy.map { "annotated by \($0)" }
      let texts = [
        isOther ? note?.scientificName : row.title, types, note?.remarks, row.details.credit,
        author,
      ]
      let label = texts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: ", ")
      LabelText.append(label, to: &out)
      out.append(UInt8(ascii: "\n"))
    }
    return true
  }

  mutating func join(_ rows: [UInt8], to out: inout [UInt8]) {
    LabelText.forEachLine(of: rows) { line in
      let part = sequence.read(line, of: rows)
      for text in [part.begin, "\t", part.end, "\t"] { out.append(utf8: text) }
      out += rows[part.rest]
    }
  }
}

/// The start of each file in a sequence of files. Rows are written concurrently, so a line first
/// has the length of its file and the times within it, and gets its times in the sequence when it
/// is joined with the lines before.
private struct SoundSequence {
  private var start = 0.0
  private var length = 0.0

  /// - Parameter length: of the file, with its first line; `nil` with the further ones.
  static func append(length: Double?, _ stretch: ClosedRange<Double>, to out: inout [UInt8]) {
    append(length, to: &out)
    append(stretch.lowerBound, to: &out)
    append(stretch.upperBound, to: &out)
  }

  /// Appends a cell with the bits of a number, four as a letter. To write it in digits and to read
  /// these would take longer than all other cells.
  private static func append(_ number: Double?, to out: inout [UInt8]) {
    if let bits = number?.bitPattern {
      for shift in stride(from: 60 as UInt64, through: 0, by: -4) {
        out.append(UInt8(ascii: "a") + UInt8(bits >> shift & 0xF))
      }
    }
    out.append(UInt8(ascii: "\t"))
  }

  /// The times of a line in the sequence, and the rest of the line.
  mutating func read(
    _ line: Range<Int>, of rows: [UInt8]
  ) -> (begin: String, end: String, rest: Range<Int>) {
    var at = line.lowerBound
    func number() -> Double? {
      let cell = rows[at..<line.upperBound].prefix { $0 != UInt8(ascii: "\t") }
      at = cell.endIndex + 1
      let bits = cell.reduce(0 as UInt64) { $0 << 4 | UInt64($1 &- UInt8(ascii: "a")) }
      return cell.isEmpty ? nil : Double(bitPattern: bits)
    }
    if let next = number() {
      start += length
      length = next
    }
    let begin = number() ?? 0
    let end = number() ?? 0
    return (Self.seconds(start + begin), Self.seconds(start + end), at..<line.upperBound)
  }

  /// Times have microseconds at most, so a sum of them is not longer.
  private static func seconds(_ seconds: Double) -> String {
    LabelText.decimal((seconds * 1_000_000).rounded() / 1_000_000)
  }
}

extension RecordingRow {
  /// The selections in the recording: each annotation whose times are known, else all of
  /// the recording.
  fileprivate func soundSelections(
    _ length: SoundLength
  ) -> [(stretch: ClosedRange<Double>, annotation: RecordingDetails.Annotation?)] {
    let marked = details.annotations.compactMap { annotation in
      length.part(of: annotation.stretch).map { (stretch: $0, annotation: annotation) }
    }
    return marked.isEmpty ? [(0...length.seconds, nil)] : marked
  }
}

/// Text and numbers of tables that have neither quotes nor escapes.
private enum LabelText {
  /// The number with a point, as Raven and Audacity write numbers. Some readers take a
  /// column without points for integers and refuse it.
  static func decimal(_ number: Double) -> String {
    let text = DecimalText.text(number)
    return text.utf8.contains(UInt8(ascii: ".")) ? text : text + ".0"
  }

  /// Calls `body` with each line, its end included.
  static func forEachLine(of rows: [UInt8], _ body: (Range<Int>) -> Void) {
    var at = 0
    while at < rows.count {
      let end = (rows[at...].firstIndex(of: 0x0A) ?? rows.count - 1) + 1
      body(at..<end)
      at = end
    }
  }

  /// Appends the text as one line. Readers that take `"` for the beginning of a quoted cell would
  /// join it with the rows after it.
  static func append(_ text: String, to out: inout [UInt8]) {
    let start = out.count
    out += (PlainLine.text(text) ?? "").utf8
    for index in start..<out.count where out[index] == UInt8(ascii: "\"") {
      out[index] = UInt8(ascii: "'")
    }
  }
}

extension ExportSummary {
  /// The annotations that select nothing of the sound, and those that its file cannot have, a
  /// sentence each.
  static func annotationLines(withoutTimes: Int, above: Int) -> [String] {
    [
      (withoutTimes, "without a beginning and an end in the sound"),
      (above, "above half the sample rate of the file"),
    ].filter { $0.0 > 0 }.map { "\(Plural.words($0.0, "annotation")) left out, \($0.1)" }
  }

  /// Notes on rows and annotations that a format with audio files, or with selections of them,
  /// leaves out or writes without files, a sentence each; empty for other formats.
  package func soundLines(_ format: RecordFormat) -> [String] {
    var lines: [String] = []
    if withoutAudio > 0 {
      let rows = Plural.words(withoutAudio, "row")
      let all = format.selectsSound ? " (--all-rows)" : ""
      lines.append("\(rows) left out, whose audio is not on this machine\(all)")
    }
    guard format.selectsSound else { return lines }
    if namesNoAudio {
      lines.append("no row has its audio on this machine, so all rows are written without files")
    }
    return lines
      + Self.annotationLines(
        withoutTimes: annotationsWithoutTimes, above: format == .raven ? annotationsAbove : 0)
  }
}
