import ChirperModel

/// Writes lines of cells, from values, from text or from canonical JSON (`RecordingFields`).
struct CellEncoder: Sendable {
  enum Form: Sendable {
    /// RFC 4180, and with tabs and escapes.
    case csv, tsv
    /// Tabs, without quotes and escapes. A tab or a line end in a value becomes a space.
    case plain
  }

  let form: Form
  /// Whether characters that a terminal could act on are spelled out.
  var escapesControls = false
  /// Puts `'` before text that a spreadsheet would run.
  var isSpreadsheetSafe = false

  func appendLine(
    _ count: Int, to out: inout [UInt8], _ cell: (_ index: Int, _ out: inout [UInt8]) -> Void
  ) {
    let start = out.count
    for index in 0..<count {
      if index > 0 { out.append(form == .csv ? UInt8(ascii: ",") : UInt8(ascii: "\t")) }
      cell(index, &out)
    }
    // A single empty cell: an empty line would be read as no row at all.
    if count == 1, out.count == start, form == .csv { out += "\"\"".utf8 }
    if form == .csv { out.append(UInt8(ascii: "\r")) }
    out.append(UInt8(ascii: "\n"))
  }

  /// Appends a line of cells, of which each becomes one plain line.
  func append(plain texts: [String], to out: inout [UInt8]) {
    appendLine(texts.count, to: &out) { append(text: PlainLine.text(texts[$0]) ?? "", to: &$1) }
  }

  func append(_ value: DetailColumn.Value, to out: inout [UInt8]) {
    switch value {
    case .none: break
    case .text(let text): append(text: text, to: &out)
    case .date(let date): date.append(to: &out)
    case .number, .integer, .flag, .rating: out.append(utf8: value.text() ?? "")
    case .list, .field: append(text: value.text() ?? "", to: &out)
    }
  }

  func append(text: String, to out: inout [UInt8]) {
    append(to: &out) { $0.append(utf8: text) }
  }

  /// - Parameter isText: whether the cell is a text, which a spreadsheet may run.
  func append(isText: Bool = true, to out: inout [UInt8], _ write: (inout [UInt8]) -> Void) {
    let start = out.count
    write(&out)
    let isMarked = isSpreadsheetSafe && isText
    if isMarked || escapesControls {
      var cell = Array(out[start...])
      out.removeSubrange(start...)
      if isMarked, Self.wouldRun(cell) { cell.insert(UInt8(ascii: "'"), at: 0) }
      if escapesControls {
        cell = Array(TerminalText.escaped(String(decoding: cell, as: UTF8.self)).utf8)
      }
      out += cell
    }
    // Most cells are written as they are.
    guard out[start...].contains(where: isSpecial) else { return }
    guard form != .csv else { return ByteScan.quote(&out, from: start, with: 0x22) }
    let cell = Array(out[start...])
    out.removeSubrange(start...)
    for byte in cell {
      switch (form, byte) {
      // So that a line is a row, a tab ends a cell, and every value can be read back exactly.
      case (.tsv, 0x09): out += "\\t".utf8
      case (.tsv, 0x0A): out += "\\n".utf8
      case (.tsv, 0x0D): out += "\\r".utf8
      case (.tsv, 0x5C) where !escapesControls: out += "\\\\".utf8
      case (.plain, 0x09), (.plain, 0x0A), (.plain, 0x0D): out.append(0x20)
      default: out.append(byte)
      }
    }
  }

  /// Whether a cell with the byte is not written as it is.
  private func isSpecial(_ byte: UInt8) -> Bool {
    switch form {
    case .csv: byte == 0x22 || byte == 0x2C || byte == 0x0A || byte == 0x0D
    case .tsv: byte == 0x09 || byte == 0x5C || byte == 0x0A || byte == 0x0D
    case .plain: byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
  }

  /// Whether a spreadsheet would take the text as a formula; numbers such as `-8.652` are not. The
  /// full-width forms of the signs count, and invisible characters before a sign do not hide it.
  private static func wouldRun(_ text: [UInt8]) -> Bool {
    guard let byte = text.first else { return false }
    let scalars = String(decoding: text.prefix(64), as: UTF8.self).unicodeScalars
    guard let scalar = scalars.first(where: { $0.properties.generalCategory != .format }) else {
      return true
    }
    let sign = (0xFF01...0xFF5E).contains(scalar.value) ? scalar.value - 0xFEE0 : scalar.value
    switch Unicode.Scalar(sign) {
    case "=", "@", "\t", "\n", "\r": return true
    case "+", "-": return byte >= 0x80 || !isNumber(text.dropFirst())
    default: return false
    }
  }

  private static func isNumber(_ text: ArraySlice<UInt8>) -> Bool {
    let parts = text.split(
      separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    return parts.allSatisfy { part in
      !part.isEmpty && part.allSatisfy { $0.isDigit }
    }
  }
}
