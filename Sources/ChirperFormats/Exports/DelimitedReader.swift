import ChirperModel

/// Reads lines of cells: CSV (RFC 4180) with any separator, and TSV as chirper writes it.
struct DelimitedReader {
  private let separator: UInt8
  /// Whether a cell may be in quotes.
  private let hasQuotes: Bool
  /// Whether cells have the escapes of chirper's TSV.
  private let hasEscapes: Bool
  private var (row, cell) = ([String](), [UInt8]())
  private var (isQuoted, isAfterQuote) = (false, false)
  private(set) var size = 0

  /// A reader of a file that a spreadsheet or another program wrote.
  init(separator: UInt8) {
    (self.separator, hasQuotes, hasEscapes) = (separator, true, false)
  }

  private init(separator: UInt8, hasQuotes: Bool, hasEscapes: Bool) {
    (self.separator, self.hasQuotes, self.hasEscapes) = (separator, hasQuotes, hasEscapes)
  }

  /// A reader of a file that chirper wrote.
  static func ofExport(isTSV: Bool) -> DelimitedReader {
    DelimitedReader(
      separator: UInt8(ascii: isTSV ? "\t" : ","), hasQuotes: !isTSV, hasEscapes: isTSV)
  }

  /// Whether the last quote was not closed.
  var endsInQuotes: Bool { isQuoted && !isAfterQuote }

  /// The cells of the row that ends with the byte.
  mutating func add(_ byte: UInt8) -> [String]? {
    size += 1
    if isAfterQuote {
      isAfterQuote = false
      // Two quotes are one; a quote alone is the last of the cell.
      isQuoted = byte == 0x22
      if isQuoted {
        cell.append(byte)
        return nil
      }
    }
    switch byte {
    case 0x22 where isQuoted: isAfterQuote = true
    case 0x22 where hasQuotes && cell.isEmpty: isQuoted = true
    case _ where isQuoted: cell.append(byte)
    case separator: endCell()
    case 0x0A:
      if cell.last == 0x0D { cell.removeLast() }
      return end()
    default:
      cell.append(byte)
      // A spreadsheet puts a byte order mark before the first row.
      if size == 3, cell == [0xEF, 0xBB, 0xBF] { cell = [] }
    }
    return nil
  }

  /// The cells of the last row; `nil` if nothing follows the last line end.
  mutating func end() -> [String]? {
    guard size > 0 else { return nil }
    endCell()
    defer { (row, size, isQuoted, isAfterQuote) = ([], 0, false, false) }
    return row
  }

  private mutating func endCell() {
    // The escapes of TSV are among those of JSON.
    row.append(hasEscapes ? JSONText.unescaped(cell) : String(decoding: cell, as: UTF8.self))
    cell.removeAll(keepingCapacity: true)
  }
}
