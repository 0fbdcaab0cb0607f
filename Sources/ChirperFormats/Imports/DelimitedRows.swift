import ChirperModel

/// Reads the rows of a table as a stream: lines of cells with a separator, in quotes or without.
/// A row that is too long or is not text is named and passed over.
struct DelimitedRows {
  /// The form of a table, as its description says.
  struct Form: Equatable, Sendable {
    var separator = UInt8(ascii: "\t")
    /// The mark around cells; `nil` if cells have none.
    var quote: UInt8?
    /// The byte after each row, before which a carriage return may stand: a line feed, or the
    /// carriage return of old Macintosh programs.
    var lineEnd = UInt8(ascii: "\n")
    var encoding = TextEncoding.utf8
    var headerLines = 0
    /// The cells of a whole row of a table without a heading; 0 if the number is not known.
    var cells = 0
    /// Whether a last row that no line feed ends may be half of one. An entry of a zip file has a
    /// checksum.
    var mayBeCut = false

    /// Comma-separated values with a heading, in a file of their own.
    static let csv = Form(separator: 0x2C, quote: 0x22, headerLines: 1, mayBeCut: true)
  }

  struct Row {
    /// The line on which it begins, from 1.
    let line: Int
    /// The cells without their quotes, in UTF-8, with a byte between each and the next.
    fileprivate let bytes: [UInt8]
    /// The index in `bytes` after each cell.
    fileprivate var ends: [Int]
    /// The reason why a part of it may be missing; `nil` for a whole row.
    fileprivate(set) var fault: String?

    var count: Int { ends.count }
    var byteCount: Int { bytes.count }
    var cells: [String] { ends.indices.map { self[$0] } }

    subscript(index: Int) -> String { String(decoding: bytes[range(index)], as: UTF8.self) }

    /// The text of a cell; `nil` if it is empty or not there.
    func text(_ index: Int?) -> String? {
      index.flatMap { isEmpty($0) ? nil : self[$0] }
    }

    /// Whether a cell is empty, not there, or the `\N` that databases export for no value.
    func isEmpty(_ index: Int) -> Bool {
      guard ends.indices.contains(index) else { return true }
      let range = range(index)
      return range.isEmpty || range.count == 2 && bytes[range].elementsEqual("\\N".utf8)
    }

    private func range(_ index: Int) -> Range<Int> {
      (index == 0 ? 0 : ends[index - 1] + 1)..<ends[index]
    }
  }

  enum Result {
    case row(Row)
    case unreadable(line: Int, reason: String)
  }

  /// The most bytes of a row and the most cells, far more than any catalogue has.
  static let (rowLimit, cellLimit) = (4 << 20, 10_000)

  private let form: Form
  private let next: () throws -> [UInt8]
  private var decoder: TextEncoding.Decoder
  private var buffer: [UInt8] = []
  private var at = 0
  private var isAtEnd = false
  private var endsWithoutLine = false
  private var hasBegun = false
  /// The line that comes next, from 1.
  private var line = 1
  /// The offset in the row of the latest quote that ended a cell; below zero if none did.
  private var closedAt = -1
  /// The cells of the last header line; `nil` before the first row was read, and without one.
  private(set) var headings: [String]?

  /// - Parameter next: returns the next piece of the file, empty at its end.
  init(_ form: Form, _ next: @escaping () throws -> [UInt8]) {
    self.form = form
    self.next = next
    decoder = TextEncoding.Decoder(form.encoding)
  }

  /// The next row, after the header lines; `nil` at the end. Empty lines are passed over.
  mutating func row() throws -> Result? {
    if !hasBegun {
      hasBegun = true
      while buffer.count < 3, !isAtEnd { try fill() }
      if buffer.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
      for _ in 0..<form.headerLines {
        if case .line(let range)? = try bytes() { headings = row(range, line: 1)?.cells }
      }
    }
    while true {
      let start = line
      switch try bytes() {
      case nil: return nil
      case .unreadable(let reason)?: return .unreadable(line: start, reason: reason)
      case .line(let range)?:
        guard !range.isEmpty else { continue }
        guard var row = row(range, line: start) else {
          return .unreadable(line: start, reason: "it is not text in UTF-8")
        }
        guard row.count <= Self.cellLimit else {
          return .unreadable(line: start, reason: "it has more than \(Self.cellLimit) cells")
        }
        let fewest = headings?.lastIndex { !$0.isEmpty }.map { $0 + 1 } ?? form.cells
        guard row.count <= headings?.count ?? .max else {
          return .unreadable(line: start, reason: "it has more cells than the heading")
        }
        if row.count < fewest {
          // Half a cell, if a line end is within it.
          row.ends.removeLast()
          row.fault = "it has fewer cells than the heading"
        } else if form.mayBeCut, endsWithoutLine {
          row.fault = "the file ends in it and may be cut"
        }
        return .row(row)
      }
    }
  }

  private enum Line {
    /// The bytes of a row in the buffer, without the end of its line.
    case line(Range<Int>)
    /// A row that is passed over, and the reason.
    case unreadable(String)

    static let tooLong = Line.unreadable("it has more than \(rowLimit) bytes")
  }

  private mutating func fill() throws {
    if at > 0 {
      buffer.removeFirst(at)
      at = 0
    }
    let piece = try next()
    isAtEnd = piece.isEmpty
    buffer += form.encoding == .utf8 ? piece : decoder.utf8(piece)
  }

  /// The next row as bytes; `nil` at the end.
  private mutating func bytes() throws -> Line? {
    var scanned = at
    var isQuoted = false
    var isTooLong = false
    closedAt = -1
    while true {
      let end = end(from: &scanned, &isQuoted)
      if let end {
        let start = at
        at = end + 1
        if isTooLong { return .tooLong }
        let isReturn = end > start && buffer[end - 1] == 0x0D
        return .line(start..<(isReturn ? end - 1 : end))
      }
      if isAtEnd {
        let range = at..<buffer.count
        at = buffer.count
        if range.isEmpty, !isTooLong { return nil }
        line += 1
        endsWithoutLine = true
        if isTooLong { return .tooLong }
        return isQuoted ? .unreadable("a quote in it is not closed") : .line(range)
      }
      if scanned - at > Self.rowLimit {
        // The rest of the row is passed over; a quote that is not closed ends with the line.
        isTooLong = true
        isQuoted = false
        closedAt = -1
        at = scanned
      }
      let offset = scanned - at
      try fill()
      scanned = at + offset
    }
  }

  /// The index of the line end that ends the row, scanning from `position` on; `nil` if it is not
  /// in the buffer.
  private mutating func end(from position: inout Int, _ isQuoted: inout Bool) -> Int? {
    let quote = form.quote ?? form.lineEnd
    let lineEnd = form.lineEnd
    while let found = buffer[position...].firstIndex(where: { $0 == lineEnd || $0 == quote }) {
      position = found + 1
      if buffer[found] == form.lineEnd {
        line += 1
        if !isQuoted { return found }
      } else if isQuoted {
        isQuoted = false
        closedAt = found - at
      } else {
        // A quote begins a cell, or is the second of two within it.
        isQuoted =
          found == at || buffer[found - 1] == form.separator || closedAt == found - at - 1
      }
    }
    position = buffer.count
    return nil
  }

  /// The row in that part of the buffer; `nil` if it is not UTF-8.
  private func row(_ range: Range<Int>, line: Int) -> Row? {
    var (bytes, ends): ([UInt8], [Int])
    if let quote = form.quote, buffer[range].contains(quote) {
      (bytes, ends) = unquoted(range, quote)
    } else {
      bytes = Array(buffer[range])
      ends = []
      ends.reserveCapacity(headings?.count ?? 1)
      var start = 0
      while ends.count < Self.cellLimit,
        let end = bytes[start...].firstIndex(of: form.separator)
      {
        ends.append(end)
        start = end + 1
      }
      ends.append(bytes[start...].firstIndex(of: form.separator) ?? bytes.count)
    }
    guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
    return Row(line: line, bytes: bytes, ends: ends)
  }

  private func unquoted(_ range: Range<Int>, _ quote: UInt8) -> (bytes: [UInt8], ends: [Int]) {
    var bytes = [UInt8]()
    var ends = [Int]()
    var start = 0
    var isQuoted = false
    var at = range.lowerBound
    while at < range.upperBound {
      let byte = buffer[at]
      at += 1
      if byte == quote {
        if isQuoted, at < range.upperBound, buffer[at] == quote {
          bytes.append(byte)
          at += 1
        } else if isQuoted || bytes.count == start {
          isQuoted.toggle()
        } else {
          bytes.append(byte)
        }
      } else {
        if byte == form.separator, !isQuoted {
          ends.append(bytes.count)
          start = bytes.count + 1
        }
        bytes.append(byte)
      }
    }
    return (bytes, ends + [bytes.count])
  }
}

extension DelimitedRows.Form {
  /// The form of a table as spreadsheets save it: with commas, semicolons or tabs, in UTF-8, UTF-16
  /// or Windows-1252.
  ///
  /// - Parameter next: returns the next piece of the file, empty at its end.
  init(ofTable next: () throws -> [UInt8]) throws {
    var start: [UInt8] = []
    let encoding = try TextEncoding {
      let piece = try next()
      if start.count < Self.startSize { start += piece }
      return piece
    }
    while start.count < Self.startSize, case let piece = try next(), !piece.isEmpty {
      start += piece
    }
    self = .csv
    self.encoding = encoding
    var decoder = TextEncoding.Decoder(encoding)
    start = decoder.utf8(start)
    let carriageReturn = UInt8(ascii: "\r")
    if !start.contains(lineEnd), start.contains(carriageReturn) { lineEnd = carriageReturn }
    separator = Self.separator(of: start.prefix { $0 != lineEnd })
  }

  /// The least bytes of the beginning of a table, if it has them, that say how it is written.
  private static let startSize = 1 << 12

  /// The separator that a line has most of, outside of quotes.
  private static func separator(of line: ArraySlice<UInt8>) -> UInt8 {
    var isQuoted = false
    var counts = [UInt8: Int]()
    for byte in line {
      if byte == 0x22 { isQuoted.toggle() }
      if !isQuoted { counts[byte, default: 0] += 1 }
    }
    let separators = [",", ";", "\t"].map { UInt8(ascii: $0) }
    return separators.max { counts[$0, default: 0] < counts[$1, default: 0] } ?? separators[0]
  }

  /// The headings of a table of which this is the beginning.
  func headings(_ start: [UInt8]) -> [String] {
    var pieces = [start]
    var rows = DelimitedRows(self) { pieces.popLast() ?? [] }
    _ = try? rows.row()
    return rows.headings ?? []
  }
}

extension DelimitedRows {
  /// Reads a table in full, and hands on what each row means.
  ///
  /// - Parameters:
  ///   - progress: called now and then.
  ///   - imported: gets a row and the cells of the heading; returns `nil` for a row that is kept for
  ///     later.
  mutating func read(
    _ progress: () throws -> Void, _ body: (ImportedRow) throws -> Void,
    _ imported: (Row, [String]) throws -> ImportedRow?
  ) throws {
    var count = 0
    while let result = try row() {
      switch result {
      case .unreadable(let line, let reason): try body(.unreadable(line: line, reason: reason))
      case .row(let row):
        if let found = try imported(row, headings ?? []) { try body(found) }
        if let fault = row.fault { try body(.incomplete(line: row.line, reason: fault)) }
      }
      count += 1
      if count.isMultiple(of: 300) { try progress() }
    }
    try progress()
  }
}

/// The bytes of a file that are read, and those that its rows become: each has the names of its
/// columns, and the values that a description gives to every row.
final class ReadBytes {
  private(set) var read: Int64 = 0
  private var written: Int64 = 0

  /// The bytes that each byte of a file may become, and those that any file may have besides.
  private static let (ratio, free) = (Int64(32), Int64(8 << 20))

  /// The piece of the file, counted.
  func counted(_ piece: [UInt8]) -> [UInt8] {
    read += Int64(piece.count)
    return piece
  }

  /// Counts what a row of the file has become.
  ///
  /// - Parameter name: of the file, in messages.
  func write(_ record: RecordingFields, _ name: String) throws(UserFacingError) {
    written += Int64(record.bytes.count)
    guard written <= Self.free + Self.ratio * read else {
      throw .badArchive(
        name, "its rows become more than \(Self.ratio) bytes for each byte of the file")
    }
  }
}
