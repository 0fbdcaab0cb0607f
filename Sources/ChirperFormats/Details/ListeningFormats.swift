import ChirperModel
import Foundation

extension RecordFormat {
  /// A playlist for audio players.
  public static let m3u8 = RecordFormat(name: "m3u8", fileExtension: "m3u8", needs: "audio", { PlaylistWriter(provenance: $0) })

  /// A selection table for Raven.
  public static let raven = RecordFormat(name: "raven", needs: "length", { _ in RavenWriter() })

  /// Labels for Audacity.
  public static let audacity = RecordFormat(name: "audacity", needs: "length", { _ in AudacityWriter() })
}

/// A playlist (extended M3U in UTF-8): the kept audio of each recording, else its address.
struct PlaylistWriter: RowWriter {
  let provenance: Provenance
  /// The line of a recording; one without is left out.
  var place: @Sendable (DetailedRecording) -> String? = { $0.audioPath.map(Self.line) ?? $0.details.audioAddress }

  mutating func begin(_ out: inout [UInt8]) {
    out += "#EXTM3U\n".utf8
    for line in provenance.lines { out += "# \(line)\n".utf8 }
  }

  mutating func append(_ row: DetailedRecording, to out: inout [UInt8]) -> Bool {
    guard let place = place(row) else { return false }
    let title = PlainLine.text([row.title, row.soundTypes].compactMap(\.self).joined(separator: ", ")) ?? row.number
    // -1 is an unknown length.
    let length = row.audioDuration.map(DecimalText.text) ?? "-1"
    out += "#EXTINF:\(length),\(title) - \(row.details.credit)\n\(place)\n".utf8
    return true
  }

  mutating func end(_ out: inout [UInt8], _ summary: ExportSummary) {
    if let upTo = summary.upToText { out += "# \(upTo)\n".utf8 }
  }

  /// A path that is no line by itself becomes a `file:` address.
  private static func line(_ path: String) -> String {
    let isLine = !path.unicodeScalars.contains(where: JSONText.isControl)
    return isLine ? path : URL(filePath: path, directoryHint: .notDirectory).absoluteString
  }
}

/// A selection table of Raven: one selection per recording, from its beginning to its end.
///
/// Times are within the file of the recording (`File Offset (s)` is 0), so the table can be opened together with the kept
/// audio, and read by programs that take a table for many files.
struct RavenWriter: RowWriter {
  private var selection = 0
  private let cells = CellEncoder(form: .plain)

  private static let headings = [
    "Selection", "View", "Channel", "Begin Time (s)", "End Time (s)", "Low Freq (Hz)", "High Freq (Hz)", "Begin File",
    "Begin Path",
    "File Offset (s)", "Annotation", "Common Name", "Sound Type", "Catalog Number", "Credit",
  ]

  mutating func begin(_ out: inout [UInt8]) {
    cells.appendLine(Self.headings.count, to: &out) { index, out in out += Self.headings[index].utf8 }
  }

  mutating func append(_ row: DetailedRecording, to out: inout [UInt8]) -> Bool {
    let details = row.details
    guard let length = row.audioDuration, length > 0 else { return false }
    // A selection needs frequencies. Nothing is above half the sample rate, which is 48 kHz for most catalogues' files.
    let highest = row.sampleRate.map { Double($0) / 2 } ?? 24_000
    let file = row.audioPath?.split(separator: "/").last.map(String.init)
    let texts: [String?] = [
      nil, "Spectrogram 1", "1", "0.0", LabelText.decimal(length), "0.0", LabelText.decimal(highest), file,
      row.audioPath,
      "0.0", details.scientificName ?? details.vernacularName, details.vernacularName, details.soundType.joined(separator: ", "),
      row.number, details.credit,
    ]
    // `join` writes the first cell.
    cells.appendLine(texts.count, to: &out) { index, out in
      if let text = texts[index] { LabelText.append(text, to: &out) }
    }
    return true
  }

  mutating func join(_ rows: [UInt8], to out: inout [UInt8]) {
    LabelText.forEachLine(of: rows) { line in
      selection += 1
      out.append(utf8: String(selection))
      ByteScan.append(line, of: rows, to: &out)
    }
  }
}

/// Labels of Audacity: one per recording, end to end in the order of the list, as its files are when they are joined one
/// after the other.
struct AudacityWriter: RowWriter {
  private var start = 0.0

  mutating func append(_ row: DetailedRecording, to out: inout [UInt8]) -> Bool {
    guard let length = row.audioDuration, length > 0 else { return false }
    // `join` puts times in its place.
    out += "\(length)\t".utf8
    LabelText.append([row.title, row.soundTypes, row.details.credit].compactMap(\.self).joined(separator: ", "), to: &out)
    out.append(UInt8(ascii: "\n"))
    return true
  }

  mutating func join(_ rows: [UInt8], to out: inout [UInt8]) {
    LabelText.forEachLine(of: rows) { line in
      let length = rows[line].prefix { $0 != 0x09 }
      let end = start + (Double(String(decoding: length, as: UTF8.self)) ?? 0)
      for part in [Self.seconds(start), "\t", Self.seconds(end)] { out.append(utf8: part) }
      ByteScan.append(length.endIndex..<line.upperBound, of: rows, to: &out)
      start = end
    }
  }

  /// Lengths have milliseconds at most, so a sum of them is not longer.
  private static func seconds(_ seconds: Double) -> String { LabelText.decimal((seconds * 1000).rounded() / 1000) }
}

/// Text and numbers of tables that have neither quotes nor escapes.
private enum LabelText {
  /// With a point, as Raven and Audacity write numbers: some readers take a column without points for integers and refuse it.
  static func decimal(_ number: Double) -> String {
    let text = DecimalText.text(number)
    return ByteScan.contains(".", in: text) ? text : text + ".0"
  }

  /// Calls `body` with each line, its end included.
  static func forEachLine(of rows: [UInt8], _ body: (Range<Int>) -> Void) {
    var at = 0
    while at < rows.count {
      let end = ByteScan.first(of: SIMD4(repeating: 0x0A), in: rows, from: at) + 1
      body(at..<end)
      at = end
    }
  }

  /// Appends the text as one line. Readers that take `"` for the beginning of a quoted cell would join it with the rows after
  /// it.
  static func append(_ text: String, to out: inout [UInt8]) {
    let start = out.count
    out += (PlainLine.text(text) ?? "").utf8
    for index in start..<out.count where out[index] == UInt8(ascii: "\"") { out[index] = UInt8(ascii: "'") }
  }
}
