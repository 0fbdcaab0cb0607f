import ChirperTerminal

@testable import ChirperFormats

/// What a terminal would show: understands exactly the sequences that chirper writes, and records
/// any other.
struct VirtualScreen {
  private(set) var unknown: [String] = []
  private(set) var isAlternate = false
  private(set) var marksPastes = false
  private(set) var cursor = (row: 0, column: 0)
  private var lines: [[String]]
  private let columns: Int
  private var pending: [UInt8] = []

  init(columns: Int, rows: Int) {
    self.columns = columns
    lines = Array(repeating: Array(repeating: " ", count: columns), count: rows)
  }

  var text: String {
    lines.map { line in
      let text = line.joined()
      return String(
        text[..<(text.lastIndex { $0 != " " }.map(text.index(after:)) ?? text.startIndex)])
    }.joined(separator: "\n")
  }

  mutating func write(_ bytes: [UInt8]) {
    pending += bytes
    while let length = sequenceLength() {
      let piece = String(decoding: pending.prefix(length), as: UTF8.self)
      pending.removeFirst(length)
      act(on: piece)
    }
  }

  /// Bytes of the first sequence or scalar; `nil` while it is incomplete.
  private func sequenceLength() -> Int? {
    guard let first = pending.first else { return nil }
    guard first == 0x1B else {
      let length = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
      return pending.count >= length ? length : nil
    }
    guard pending.count > 1 else { return nil }
    if pending[1] == UInt8(ascii: "]") { return pending.firstIndex(of: 7).map { $0 + 1 } }
    guard pending[1] == UInt8(ascii: "[") else { return 2 }
    return pending.dropFirst(2).firstIndex { (0x40...0x7E).contains($0) }.map { $0 + 1 }
  }

  private mutating func act(on piece: String) {
    guard piece.hasPrefix("\u{1B}") else { return put(piece) }
    let parameters = piece.dropFirst(2).dropLast().split(separator: ";").map { Int($0) ?? 1 }
    switch (piece, piece.last) {
    case ("\u{1B}[?1049h", _): isAlternate = true
    case ("\u{1B}[?1049l", _): isAlternate = false
    case ("\u{1B}[?2004h", _): marksPastes = true
    case ("\u{1B}[?2004l", _): marksPastes = false
    case ("\u{1B}[?25l", _), ("\u{1B}[?25h", _), ("\u{1B}[?7l", _), ("\u{1B}[?7h", _), (_, "m"):
      break
    case ("\u{1B}[2J", _):
      for row in lines.indices { lines[row] = Array(repeating: " ", count: columns) }
    case ("\u{1B}[K", _): for column in cursor.column..<columns { lines[cursor.row][column] = " " }
    case (_, "H"): cursor = (min(lines.count, parameters[0]) - 1, min(columns, parameters[1]) - 1)
    case (_, "G"): cursor.column = min(columns, parameters[0]) - 1
    default: unknown.append(piece)
    }
  }

  private mutating func put(_ piece: String) {
    guard let scalar = piece.unicodeScalars.first else { return }
    if piece == "\r" || piece == "\n" {
      if isAlternate { unknown.append(piece) }
      return
    }
    let width = DisplayWidth.columns(scalar)
    guard isAlternate else { return }
    if width == 0 {
      lines[cursor.row][max(0, cursor.column - 1)] += piece
      return
    }
    lines[cursor.row][cursor.column] = piece
    if width == 2, cursor.column + 1 < columns { lines[cursor.row][cursor.column + 1] = "" }
    cursor.column = min(columns - 1, cursor.column + width)
  }
}
