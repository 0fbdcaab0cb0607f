import ChirperModel

/// Writes lines of cells, from values, from text or from canonical JSON (`RecordingFields`), mostly without a copy of them.
struct CellEncoder: Sendable {
  enum Form: Sendable {
    /// RFC 4180, and with tabs and escapes.
    case csv, tsv
    /// With tabs, without quotes and escapes: a tab or a line end in a value becomes a space.
    case plain
  }

  let form: Form
  /// Spells out what a terminal could act on.
  let escapesControls: Bool
  /// Puts `'` before text that a spreadsheet would run.
  let isSpreadsheetSafe: Bool
  private var scratch: [UInt8] = []

  init(_ form: Form, escapesControls: Bool = false, isSpreadsheetSafe: Bool = false) {
    self.form = form
    self.escapesControls = escapesControls
    self.isSpreadsheetSafe = isSpreadsheetSafe
  }

  /// Appends a line of that many cells, each written by `cell`.
  mutating func appendLine(
    _ count: Int, to out: inout [UInt8],
    _ cell: (_ index: Int, _ cells: inout CellEncoder, _ out: inout [UInt8]) -> Void
  ) {
    let start = out.count
    for index in 0..<count {
      if index > 0 { out.append(form == .csv ? UInt8(ascii: ",") : UInt8(ascii: "\t")) }
      cell(index, &self, &out)
    }
    // A single empty cell: an empty line would be read as no row at all.
    if count == 1, out.count == start, form == .csv { out += "\"\"".utf8 }
    if form == .csv { out.append(UInt8(ascii: "\r")) }
    out.append(UInt8(ascii: "\n"))
  }

  /// Appends a value; nothing if there is none.
  mutating func append(_ value: ColumnValue, to out: inout [UInt8]) {
    switch value {
    case .none: break
    case .text(let text): append(text: text, to: &out)
    case .number, .integer, .flag: out += (value.text() ?? "").utf8
    default: append(text: value.text() ?? "", to: &out)
    }
  }

  mutating func append(text: String, to out: inout [UInt8]) {
    var text = text
    let isCopied = text.withUTF8 { bytes in
      guard !isSpreadsheetSafe, ByteScan.plainEnd(bytes, from: 0) == bytes.count,
        ByteScan.first(UInt8(ascii: ","), or: UInt8(ascii: ","), in: bytes, from: 0) == bytes.count
      else { return false }
      out.append(contentsOf: bytes)
      return true
    }
    if isCopied { return }
    scratch.removeAll(keepingCapacity: true)
    scratch.append(contentsOf: text.utf8)
    appendScratch(to: &out)
  }

  /// Appends a JSON value: a string's own text, nothing for null, anything else as its JSON.
  mutating func append(json value: UnsafeBufferPointer<UInt8>, to out: inout [UInt8]) {
    guard let first = value.first, first != UInt8(ascii: "n") else { return }
    let isString = first == UInt8(ascii: "\"")
    let text = isString ? UnsafeBufferPointer(rebasing: value[1..<max(1, value.count - 1)]) : value
    // Canonical strings have no quote and no control character except after a backslash, so most cells are copied whole.
    var needsWork = false
    var hasComma = false
    for byte in text {
      if byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "\"") {
        needsWork = true
        break
      }
      if byte == UInt8(ascii: ",") { hasComma = true }
    }
    if needsWork || (isSpreadsheetSafe && isString) {
      scratch.removeAll(keepingCapacity: true)
      if isString { JSONText.unescape(text, into: &scratch) } else { scratch.append(contentsOf: text) }
      appendScratch(to: &out)
    } else if hasComma, form == .csv {
      out.append(UInt8(ascii: "\""))
      out.append(contentsOf: text)
      out.append(UInt8(ascii: "\""))
    } else {
      out.append(contentsOf: text)
    }
  }

  private mutating func appendScratch(to out: inout [UInt8]) {
    if isSpreadsheetSafe, Self.wouldRun(scratch) { scratch.insert(UInt8(ascii: "'"), at: 0) }
    if escapesControls { scratch = Array(TerminalText.escaped(String(decoding: scratch, as: UTF8.self)).utf8) }
    switch form {
    case .csv: appendQuoted(to: &out)
    case .tsv: appendEscaped(to: &out)
    case .plain:
      for byte in scratch { out.append(byte == 0x09 || byte == 0x0A || byte == 0x0D ? UInt8(ascii: " ") : byte) }
    }
  }

  private func appendQuoted(to out: inout [UInt8]) {
    guard scratch.contains(where: { $0 == 0x22 || $0 == 0x2C || $0 == 0x0D || $0 == 0x0A }) else {
      out.append(contentsOf: scratch)
      return
    }
    out.append(0x22)
    for byte in scratch {
      if byte == 0x22 { out.append(0x22) }
      out.append(byte)
    }
    out.append(0x22)
  }

  /// `\t`, `\n`, `\r` and `\\`, so that a line is a row, a tab ends a cell, and every value can be read back exactly.
  private func appendEscaped(to out: inout [UInt8]) {
    for byte in scratch {
      switch byte {
      case 0x09: out.append(contentsOf: [0x5C, UInt8(ascii: "t")])
      case 0x0A: out.append(contentsOf: [0x5C, UInt8(ascii: "n")])
      case 0x0D: out.append(contentsOf: [0x5C, UInt8(ascii: "r")])
      case 0x5C where !escapesControls: out.append(contentsOf: [0x5C, 0x5C])
      default: out.append(byte)
      }
    }
  }

  /// Whether a spreadsheet would take the text as a formula; numbers such as `-8.652` are not. The full-width forms of the signs
  /// count, and invisible characters before a sign do not hide it.
  private static func wouldRun(_ text: [UInt8]) -> Bool {
    guard let byte = text.first else { return false }
    if byte < 0x80 { return wouldRun(byte, isNumber(text.dropFirst())) }
    let scalars = String(decoding: text.prefix(64), as: UTF8.self).unicodeScalars
    guard let scalar = scalars.first(where: { $0.properties.generalCategory != .format }) else { return true }
    guard let sign = UInt8(exactly: (0xFF01...0xFF5E).contains(scalar.value) ? scalar.value - 0xFEE0 : scalar.value) else {
      return false
    }
    return sign < 0x80 && wouldRun(sign, false)
  }

  private static func wouldRun(_ sign: UInt8, _ isNumber: Bool) -> Bool {
    switch sign {
    case UInt8(ascii: "="), UInt8(ascii: "@"), 0x09, 0x0A, 0x0D: true
    case UInt8(ascii: "+"), UInt8(ascii: "-"): !isNumber
    default: false
    }
  }

  private static func isNumber(_ text: ArraySlice<UInt8>) -> Bool {
    let parts = text.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    return parts.allSatisfy { part in
      !part.isEmpty && part.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    }
  }
}
