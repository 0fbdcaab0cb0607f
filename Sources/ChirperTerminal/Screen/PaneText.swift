import Chirper
import ChirperFormats
import ChirperModel

/// Text that scrolls over the rows: everything that the catalogue sent about a recording,
/// or the keys.
///
/// A field may have megabytes, so only the text near the visible lines is wrapped: each
/// text is cut into pieces of two thousand bytes, and every piece is wrapped alone. The
/// number of all lines is therefore never known.
struct PaneText: Sendable {
  /// The recording that the text is about; `nil` for the keys.
  let recording: Recording?
  /// The seconds of the annotations that have times, each of which can be chosen.
  private(set) var parts: [ClosedRange<Double>] = []
  /// The chosen one of `parts`.
  private(set) var chosen: Int?
  private var pieces: [Piece] = []
  private var widestLabel = 0
  private let labelStyle: Style
  var wrap: @Sendable (_ raw: String, _ columns: Int) -> [String] = {
    CellText.wrapped($0, columns: $1)
  }

  private struct Piece {
    let text: Substring
    let style: Style
    /// The label to the left of its first line; without a label the text takes the whole
    /// width.
    let label: String?
    /// The index in `parts` of the part that it is about; `nil` if it is about none.
    let part: Int?
  }

  /// A line: that one of a piece; both from 0.
  struct Position: Hashable, Comparable, Sendable {
    var piece = 0
    var line = 0

    static func < (left: Position, right: Position) -> Bool {
      (left.piece, left.line) < (right.piece, right.line)
    }
  }

  /// - Parameters:
  ///   - lists: the lists that it is in, where it was found in everything stored.
  ///   - names: the names of animals in the language that was chosen.
  init(
    recording: Recording, catalogue: Catalogue, lists: [String] = [], names: ShownNames? = nil
  ) {
    self.recording = recording
    labelStyle = .faint
    var details = catalogue.details(of: recording.withoutLongFields)
    details.shownName = try? names?.name(of: details)
    let names = [details.nameForPeople, details.scientificName].compactMap(\.self).joined(
      separator: " · ")
    add(names.isEmpty ? recording.id.value : names, .strong)
    // Recordist, number and licence, as catalogues ask for them, and the address of the licence.
    add([details.credit, details.licence?.address].compactMap(\.self).joined(separator: ", "))
    if let other = details.alsoIn { add("also in \(other)") }
    if !details.issues.isEmpty {
      add("the catalogue doubts: \(details.issues.map(\.rawValue).joined(separator: ", "))")
    }
    if !lists.isEmpty {
      add("in \(lists.count == 1 ? "the list" : "the lists") \(lists.joined(separator: ", "))")
    }
    add("")
    for annotation in catalogue.annotations(of: recording) {
      if let stretch = annotation.stretch { parts.append(stretch) }
      let part = annotation.stretch == nil ? nil : parts.count - 1
      add(annotation.text, label: "annotation", part: part)
    }
    let sent = recording.fields.members
    var left = Dictionary(sent.map { ($0.name, $0.value) }) { first, _ in first }
    // What people read first, then the other fields in the catalogue's order, then any that were
    // sent besides.
    for name in Self.first.compactMap({ catalogue.mapping.fields(of: $0).first }) + catalogue.fields
      + sent.map(\.name)
    {
      guard let value = left.removeValue(forKey: name) else { continue }
      add(Self.text(of: value), label: Self.label(of: name, in: catalogue))
    }
  }

  /// The texts of an array or an object, with commas between them; a long one is shown as its JSON.
  private static func text(of value: RecordingFields.Value) -> String {
    guard value.json.utf8.count <= 65_536 else { return value.text }
    switch value.json.utf8.first {
    case UInt8(ascii: "["): return value.list.joined(separator: ", ")
    case UInt8(ascii: "{"):
      let members = (try? RecordingFields(parsing: value.json))?.members ?? []
      return members.map { "\($0.name): \($0.value.text)" }.joined(separator: ", ")
    default: return value.text
    }
  }

  /// The heading of the detail that a field alone gives, such as `Recordist` for `rec`, or that of
  /// the catalogue's table; else the name of the detail or of the field.
  private static func label(of field: String, in catalogue: Catalogue) -> String {
    let details = DetailColumn.allCases.filter { catalogue.mapping.fields(of: $0) == [field] }
    let shown = catalogue.tableColumns.first { $0.field == field }
    return details.first { $0.heading != $0.name }?.heading ?? shown?.heading ?? details.first?.name
      ?? CellText.beginning(of: field)
  }

  private static let first: [DetailColumn] = [
    .recordedBy, .eventDate, .country, .locality, .behavior, .quality, .mediaDuration, .licenseName,
    .associatedTaxa,
    .occurrenceRemarks,
  ]

  static let keys = PaneText()

  private init() {
    recording = nil
    labelStyle = .strong
    add("keys", .strong)
    for binding in KeyTable.bindings { add(binding.help, label: binding.label) }
    add("")
    add("left of a row and of the headings", .strong)
    for (sign, meaning) in [
      (">", "the selected row"), ("♪", "its audio is playing"),
      ("↓", "its audio is being downloaded"),
      ("•", "its audio is kept and plays offline"),
      ("*", "it entered the list in the last seven days"),
      ("!", "its catalogue has a doubt about it; Enter shows which"),
      ("‹ ›", "there are more columns on that side"),
    ] { add(meaning, label: sign) }
    add("")
    add("what the words about a list promise", .strong)
    for (word, meaning) in StoredQuery.Completeness.meanings { add(meaning, label: word) }
  }

  /// Adds a text in pieces, each without the space or the line end at which it was cut.
  private mutating func add(
    _ raw: String, _ style: Style = .plain, label: String? = nil, part: Int? = nil
  ) {
    if let label {
      widestLabel = max(widestLabel, CellText.cut(label, columns: ColumnFit.widest).columns)
    }
    var rest = raw.utf8[...]
    var label = label
    repeat {
      let end = Self.endOfPiece(rest)
      var piece = rest[..<end]
      rest = rest[end...]
      if !rest.isEmpty {
        let last = piece.last
        if last == UInt8(ascii: "\n") || last == UInt8(ascii: " ") { piece.removeLast() }
        if last == UInt8(ascii: "\n"), piece.last == UInt8(ascii: "\r") { piece.removeLast() }
      }
      pieces.append(Piece(text: Substring(piece), style: style, label: label, part: part))
      label = label.map { _ in "" }
    } while !rest.isEmpty
  }

  /// The size of a piece in bytes.
  static let pieceSize = 2048

  /// The end of a piece: after the last line end or space just before the usual size, else
  /// between two scalars.
  private static func endOfPiece(_ text: Substring.UTF8View) -> String.Index {
    guard let pieceEnd = text.index(text.startIndex, offsetBy: pieceSize, limitedBy: text.endIndex),
      pieceEnd < text.endIndex
    else {
      return text.endIndex
    }
    let near = text[text.index(pieceEnd, offsetBy: -pieceSize / 8)..<pieceEnd]
    let last = near.lastIndex(of: UInt8(ascii: "\n")) ?? near.lastIndex(of: UInt8(ascii: " "))
    if let last { return near.index(after: last) }
    var end = pieceEnd
    while end > near.startIndex, text[end] & 0xC0 == 0x80 { end = text.index(before: end) }
    return end
  }
}

/// The annotations that can be chosen.
extension PaneText {
  /// The seconds of the chosen annotation.
  var chosenPart: ClosedRange<Double>? { chosen.map { parts[$0] } }

  /// Chooses one of `parts`; none if the index is not one of theirs.
  mutating func choose(_ part: Int?) {
    chosen = part.flatMap { parts.indices.contains($0) ? $0 : nil }
  }

  /// Chooses the next annotation, or the one before; before the first none is chosen.
  ///
  /// - Returns: Whether there was one to choose.
  mutating func choose(further: Bool) -> Bool {
    let next = further ? chosen.map { $0 + 1 } ?? 0 : chosen.map { $0 - 1 }
    if further, next == parts.count { return false }
    choose(next)
    return true
  }

  /// The position nearest to `top` from which the chosen annotation is in sight.
  func position(showingChosenFrom top: Position, height: Int, columns: Int) -> Position {
    guard let chosen, let first = pieces.firstIndex(where: { $0.part == chosen }),
      let last = pieces.lastIndex(where: { $0.part == chosen })
    else { return top }
    let end = move(Position(piece: last, line: .max), by: 1 - height, columns)
    return clamped(min(max(top, end), Position(piece: first)), height: height, columns: columns)
  }
}

extension PaneText {
  /// Returns `height` lines, starting at `top`; fewer if the end comes first.
  func lines(from top: Position, height: Int, columns: Int) -> [Line] {
    var lines: [Line] = []
    var at = top
    while pieces.indices.contains(at.piece), lines.count < height {
      lines += self.lines(of: at.piece, columns).dropFirst(at.line).prefix(height - lines.count)
      at = Position(piece: at.piece + 1)
    }
    return lines
  }

  /// The position `count` lines further down, or up if `count` is negative; no further than
  /// the first line and the last full screen.
  func position(_ position: Position, movedBy count: Int, height: Int, columns: Int) -> Position {
    min(move(position, by: count, columns), lastTop(height: height, columns: columns))
  }

  /// The position, or one near it if the text or the terminal has changed since.
  func clamped(_ position: Position, height: Int, columns: Int) -> Position {
    let piece = min(position.piece, pieces.count - 1)
    return self.position(
      Position(piece: piece, line: position.line), movedBy: 0, height: height, columns: columns)
  }

  /// The first line of the last full screen.
  func lastTop(height: Int, columns: Int) -> Position {
    move(Position(piece: pieces.count - 1, line: .max), by: 1 - height, columns)
  }

  private func move(_ position: Position, by count: Int, _ columns: Int) -> Position {
    var at = position
    var left = count
    var last = lines(of: at.piece, columns).count - 1
    // In a narrower terminal a piece had more lines.
    at.line = min(at.line, last)
    while left != 0 {
      let step = max(-at.line, min(left, last - at.line))
      at.line += step
      left -= step
      guard left != 0, pieces.indices.contains(at.piece + left.signum()) else { break }
      at.piece += left.signum()
      last = lines(of: at.piece, columns).count - 1
      at.line = left > 0 ? 0 : last
      left -= left.signum()
    }
    return at
  }

  /// The lines of a piece; never none.
  private func lines(of index: Int, _ columns: Int) -> [Line] {
    let piece = pieces[index]
    guard let label = piece.label else {
      return wrap(String(piece.text), columns).map { Line(Line.Span(text: $0, style: piece.style)) }
    }
    let width = min(widestLabel, max(1, columns / 3))
    let isChosen = chosen != nil && piece.part == chosen
    return wrap(String(piece.text), max(1, columns - width - 2)).enumerated().map { index, part in
      let label = CellText.fitted(index == 0 ? label : "", columns: width)
      let sign = isChosen && index == 0 ? "> " : "  "
      return Line(
        Line.Span(text: label, style: labelStyle),
        Line.Span(text: sign + part, style: isChosen ? .selected : piece.style))
    }
  }
}
