import ChirperFormats
import ChirperModel

/// Everything that the catalogue sent about one recording, as lines that scroll.
///
/// A field may have megabytes, so only what is near the visible lines is wrapped: each text is taken in pieces of
/// two thousand bytes, and every piece is wrapped alone. The number of all lines is therefore never known.
struct DetailPane: Sendable {
  let recording: Recording
  private let texts: [Text]
  private let widestLabel: Int
  private let wrap: @Sendable (_ raw: String, _ columns: Int) -> [String]

  /// A text, and what is written left of it; without a label it takes the whole width.
  fileprivate struct Text: Sendable {
    var label: String?
    var raw: String
    var style = Style.plain
  }

  /// A line: that one of a piece of a text; all from 0.
  struct Position: Hashable, Comparable, Sendable {
    var text = 0
    var piece = 0
    var line = 0

    static func < (left: Position, right: Position) -> Bool {
      (left.text, left.piece, left.line) < (right.text, right.piece, right.line)
    }
  }

  /// - Parameters:
  ///   - lists: the lists that it is in, where it was found in everything stored.
  ///   - wrap: breaks a text into lines of so many columns.
  init(
    recording: Recording, catalogue: Catalogue, lists: [String] = [],
    wrap: @escaping @Sendable (_ raw: String, _ columns: Int) -> [String] = { CellText.wrapped($0, columns: $1) }
  ) {
    self.recording = recording
    self.wrap = wrap
    let details = catalogue.details(of: recording.withoutLongFields)
    var texts = [
      Text(raw: Self.heading(details, recording), style: .strong), Text(raw: Self.credit(details)),
    ]
    if let other = details.alsoIn { texts.append(Text(raw: "also in \(other)")) }
    if !lists.isEmpty {
      texts.append(Text(raw: "in \(lists.count == 1 ? "the list" : "the lists") \(lists.joined(separator: ", "))"))
    }
    texts.append(Text(raw: ""))
    // The fields are read in one pass.
    var values: [String: Text] = [:]
    var sent: [String] = []
    recording.fields.forEach { key, value in
      let name = JSONText.unescaped(key)
      guard values[name] == nil else { return }
      sent.append(name)
      values[name] = Text(name: name, json: value)
    }
    texts += Self.ordered(sent, catalogue).compactMap { values[$0] }
    widestLabel = texts.reduce(0) { max($0, $1.label.map { CellText.cut($0, columns: ColumnFit.widest).columns } ?? 0) }
    self.texts = texts
  }

  private static func heading(_ details: RecordingDetails, _ recording: Recording) -> String {
    let names = [details.vernacularName, details.scientificName].compactMap { $0 }.joined(separator: " · ")
    return names.isEmpty ? recording.id.value : names
  }

  /// Recordist, number and licence, as catalogues ask for them, and the address of the licence.
  private static func credit(_ details: RecordingDetails) -> String {
    [details.credit, details.licence?.url].compactMap { $0 }.joined(separator: ", ")
  }

  /// What people read first, then the other fields in the catalogue's order, then any that were sent besides.
  private static func ordered(_ sent: [String], _ catalogue: Catalogue) -> [String] {
    let first = first.compactMap { catalogue.mapping.fields(of: $0).first }
    let known = Set(sent)
    var seen: Set<String> = []
    return (first + catalogue.fields + sent).filter { known.contains($0) && seen.insert($0).inserted }
  }

  private static let first: [DetailColumn] = [
    .recordedBy, .eventDate, .country, .locality, .behavior, .quality, .mediaDuration, .licenseName, .associatedTaxa,
    .occurrenceRemarks,
  ]
}

/// The lines of some height, from some position.
extension DetailPane {
  /// In bytes.
  static let pieceSize = 2048

  /// So many lines from a position; fewer where the end comes first.
  func lines(from top: Position, height: Int, columns: Int) -> [Line] {
    var lines: [Line] = []
    var at: Position? = top
    while let here = at, lines.count < height {
      lines += self.lines(of: here, columns: columns).dropFirst(here.line).prefix(height - lines.count)
      at = pieceAfter(here)
    }
    return lines
  }

  /// The position so many lines further down, or up where `count` is negative; no further than the first line and the last
  /// full screen.
  func position(_ position: Position, movedBy count: Int, height: Int, columns: Int) -> Position {
    let moved = move(position, by: count, columns: columns)
    return min(moved, lastTop(height: height, columns: columns))
  }

  /// The position, or one near it where the text or the terminal has changed since.
  func clamped(_ position: Position, height: Int, columns: Int) -> Position {
    var position = position
    position.text = min(position.text, texts.count - 1)
    position.piece = min(position.piece, texts[position.text].pieceCount - 1)
    return self.position(position, movedBy: 0, height: height, columns: columns)
  }

  /// The first line of the last full screen.
  func lastTop(height: Int, columns: Int) -> Position {
    var last = Position(text: texts.count - 1, piece: texts[texts.count - 1].pieceCount - 1)
    last.line = lines(of: last, columns: columns).count - 1
    return move(last, by: 1 - height, columns: columns)
  }

  private func move(_ position: Position, by count: Int, columns: Int) -> Position {
    var position = position
    var left = count
    // In a narrower terminal a piece had more lines.
    var lineCount = lines(of: position, columns: columns).count
    position.line = min(position.line, lineCount - 1)
    while left > 0 {
      let step = min(left, lineCount - 1 - position.line)
      position.line += step
      left -= step
      guard left > 0, let next = pieceAfter(position) else { break }
      position = next
      left -= 1
      lineCount = lines(of: position, columns: columns).count
    }
    while left < 0 {
      let step = min(-left, position.line)
      position.line -= step
      left += step
      guard left < 0, let previous = pieceBefore(position) else { break }
      position = previous
      position.line = lines(of: position, columns: columns).count - 1
      left += 1
    }
    return position
  }

  private func pieceAfter(_ position: Position) -> Position? {
    if position.piece + 1 < texts[position.text].pieceCount { return Position(text: position.text, piece: position.piece + 1) }
    return position.text + 1 < texts.count ? Position(text: position.text + 1) : nil
  }

  private func pieceBefore(_ position: Position) -> Position? {
    if position.piece > 0 { return Position(text: position.text, piece: position.piece - 1) }
    guard position.text > 0 else { return nil }
    return Position(text: position.text - 1, piece: texts[position.text - 1].pieceCount - 1)
  }

  /// The lines of the piece that a position is in; never none.
  private func lines(of position: Position, columns: Int) -> [Line] {
    let text = texts[position.text]
    guard let label = text.label else {
      return wrap(text.piece(position.piece), columns).map { Line(Line.Span(text: $0, style: text.style)) }
    }
    let width = min(widestLabel, max(1, columns / 3))
    return wrap(text.piece(position.piece), max(1, columns - width - 2)).enumerated().map { index, part in
      let label = CellText.fitted(index == 0 && position.piece == 0 ? label : "", columns: width)
      return Line(Line.Span(text: label, style: .faint), Line.Span(text: "  " + part, style: text.style))
    }
  }
}

extension DetailPane.Text {
  /// The value of a field: a string's own text, the strings of an array, nothing for null, else its JSON.
  init(name: String, json: Slice<UnsafeBufferPointer<UInt8>>) {
    label = CellText.beginning(of: name)
    switch json.first {
    case UInt8(ascii: "\""): raw = JSONText.unescaped(inPlace: UnsafeBufferPointer(rebasing: json.dropFirst().dropLast()))
    case UInt8(ascii: "[") where json.count <= Self.longestArray:
      raw = FieldValue(json: String(decoding: json, as: UTF8.self)).list.joined(separator: ", ")
    case UInt8(ascii: "n"): raw = ""
    default: raw = String(decoding: json, as: UTF8.self)
    }
  }

  /// In bytes; a longer one is shown as its JSON.
  private static let longestArray = 65_536

  var pieceCount: Int { max(1, (raw.utf8.count + DetailPane.pieceSize - 1) / DetailPane.pieceSize) }

  /// A piece, from 0, without the space or the line end at which it ends.
  func piece(_ number: Int) -> String {
    let bytes = raw.utf8
    let (start, end) = (boundary(number), boundary(number + 1))
    let slice = bytes[bytes.index(bytes.startIndex, offsetBy: start)..<bytes.index(bytes.startIndex, offsetBy: end)]
    var piece = String(decoding: slice, as: UTF8.self).unicodeScalars
    if end < bytes.count {
      if piece.last == "\n" {
        piece.removeLast()
        if piece.last == "\r" { piece.removeLast() }
      } else if piece.last == " " {
        piece.removeLast()
      }
    }
    return String(piece)
  }

  /// Where a piece begins, in bytes: after the last line end or space just before its usual place; if there is none, between
  /// two scalars.
  private func boundary(_ number: Int) -> Int {
    let bytes = raw.utf8
    let usual = number * DetailPane.pieceSize
    guard usual > 0 else { return 0 }
    guard usual < bytes.count else { return bytes.count }
    let reach = DetailPane.pieceSize / 8
    let from = bytes.index(bytes.startIndex, offsetBy: usual - reach)
    // The last one is the byte at the usual place.
    let near = Array(bytes[from...bytes.index(from, offsetBy: reach)])
    let before = near.dropLast()
    if let last = before.lastIndex(of: UInt8(ascii: "\n")) ?? before.lastIndex(of: UInt8(ascii: " ")) {
      return usual - reach + last + 1
    }
    var place = reach
    while place > 0, near[place] & 0xC0 == 0x80 { place -= 1 }
    return usual - reach + place
  }
}
