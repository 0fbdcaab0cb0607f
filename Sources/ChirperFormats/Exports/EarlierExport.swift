import ChirperModel
import Foundation

/// The recordings of a file that was exported earlier, to find the new and the gone ones.
package struct EarlierExport: Sendable {
  /// The file's name, for messages.
  package let name: String
  /// The ids in it that were not met again.
  private var ids: Set<RecordingID> = []
  /// The catalogue of all rows that the file is compared with; `nil` if they are from
  /// several.
  private let catalogue: Catalogue?

  /// The limit for the ids of a file. More of them are not a list of a catalogue, and would
  /// fill the memory.
  private static let countLimit = 10_000_000
  /// The bytes of a row; no catalogue sends more in one answer.
  private static let rowLimit = 1 << 26

  /// Reads the ids of a CSV, TSV, JSON, JSON lines or GeoJSON file that chirper wrote.
  ///
  /// A tidy file names the catalogue of each id. In a file with raw fields the ids are the
  /// values of the catalogue's own `id` field, which identifies a recording only in some
  /// catalogues.
  ///
  /// - Parameters:
  ///   - catalogue: the catalogue of all rows that the file is compared with; `nil` if they
  ///     are from several.
  ///   - read: returns the next piece of the file, empty at its end. Only one row and the
  ///     ids are kept.
  /// - Throws: `UserFacingError`, and the errors of `read`.
  package init(name: String, catalogue: Catalogue?, read: () throws -> [UInt8]) throws {
    self.name = name
    self.catalogue = catalogue
    var piece: [UInt8]
    repeat { piece = try read() } while !piece.isEmpty && piece.allSatisfy(ExportedObjects.isBlank)
    if piece.first(where: { !ExportedObjects.isBlank($0) }) == UInt8(ascii: "{") {
      do {
        try readObjects(from: piece, read)
      } catch is JSONFault {
        throw notAnExport("it is not complete JSON")
      }
    } else {
      try readLines(from: piece, read)
    }
  }

  private mutating func readObjects(from start: [UInt8], _ read: () throws -> [UInt8]) throws {
    var (piece, objects) = (start, ExportedObjects())
    while !piece.isEmpty {
      for byte in piece { if let row = try objects.add(byte) { try add(row) } }
      try check(size: objects.size)
      piece = try read()
    }
    try objects.end()
  }

  private mutating func readLines(from start: [UInt8], _ read: () throws -> [UInt8]) throws {
    var (piece, next) = (start, start)
    // The first line says what separates cells.
    while !next.isEmpty, !next.contains(0x0A) {
      try check(size: piece.count)
      next = try read()
      piece += next
    }
    var reader = DelimitedReader.ofExport(isTSV: piece.prefix { $0 != 0x0A }.contains(0x09))
    var header: [String]?
    func row(_ cells: [String]) throws -> ExportedRow? {
      guard let header else {
        header = cells
        if !cells.contains("id") { throw notAnExport("it has no column \"id\"") }
        return nil
      }
      let row = Dictionary(zip(header, cells), uniquingKeysWith: { first, _ in first })
      return ExportedRow(catalogue: row["catalogue"], id: row["id"])
    }
    while !piece.isEmpty {
      for byte in piece {
        if let cells = reader.add(byte), let row = try row(cells) { try add(row) }
      }
      try check(size: reader.size)
      piece = try read()
    }
    // The rows after an open quote would be a part of one cell.
    if reader.endsInQuotes { throw notAnExport("a quote is not closed") }
    if let cells = reader.end(), let row = try row(cells) { try add(row) }
  }

  private mutating func add(_ row: ExportedRow) throws {
    guard let id = row.id, !id.isEmpty else { throw notAnExport("it has no column \"id\"") }
    let own = catalogue.flatMap { $0.sendsIDs ? $0.id : nil }
    guard let catalogue = row.catalogue.map(CatalogueID.init(rawValue:)) ?? own else {
      let name = catalogue.map { "of \($0.name) " } ?? ""
      throw notAnExport("the field \"id\" \(name)does not identify a recording; export with --tidy")
    }
    ids.insert(RecordingID(catalogue: catalogue, value: id))
    guard ids.count <= Self.countLimit else {
      throw notAnExport("it has more than \(Self.countLimit) rows")
    }
  }

  private func check(size: Int) throws {
    guard size <= Self.rowLimit else {
      throw notAnExport("a row has more than \(Self.rowLimit) bytes")
    }
  }

  private func notAnExport(_ reason: String) -> UserFacingError {
    UserFacingError(
      .usage, kind: "not-an-export", subject: name,
      problem: "this file cannot be compared: \(reason)",
      hint: "Name a CSV, TSV, JSON, JSON lines or GeoJSON file that chirper exported.")
  }

  /// Removes a recording that is still there; `false` if it was not in the file.
  mutating func remove(_ id: RecordingID) -> Bool {
    ids.remove(id) != nil
  }

  /// The ids of the file that are no longer in the list, once every row of the list was asked for.
  var gone: [RecordingID] {
    ids.sorted { $0.value.compare($1.value, options: .numeric) == .orderedAscending }
  }
}

private struct ExportedRow {
  var catalogue: String?
  var id: String?
}

/// Cuts JSON into objects that are read one by one: those at the top, as in JSON lines, and in
/// these the recordings or features.
private struct ExportedObjects {
  /// The bytes read so far: of the object at the top, without its rows and without white
  /// space, and of the row in it.
  private var (top, row) = ([UInt8](), [UInt8]())
  private var depth = 0
  private var (isInRow, isInString, isEscaped) = (false, false, false)

  /// Bytes that are kept.
  var size: Int { top.count + row.count }

  static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  /// The row that ends with the byte.
  mutating func add(_ byte: UInt8) throws(JSONFault) -> ExportedRow? {
    if isInString {
      isInString = byte != UInt8(ascii: "\"") || isEscaped
      isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
    } else {
      if Self.isBlank(byte) { return nil }
      let isFirst =
        depth == 2 && (top.ends(with: "\"recordings\":[") || top.ends(with: "\"features\":["))
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        isInRow = isInRow || isFirst
        depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: ",") where isFirst: return nil
      default: break
      }
    }
    if isInRow { row.append(byte) } else { top.append(byte) }
    if isInRow, depth == 2 {
      defer { (row, isInRow) = ([], false) }
      return try Self.read(row)
    }
    guard depth <= 0 else { return nil }
    defer { top = [] }
    return try Self.read(top)
  }

  func end() throws(JSONFault) {
    // An object that was not closed cannot be read.
    if !top.isEmpty { _ = try Self.read(top) }
  }

  /// The id in an object; `nil` if the object has rows and is not a row itself.
  private static func read(_ bytes: [UInt8]) throws(JSONFault) -> ExportedRow? {
    var reader = JSONReader(bytes)
    let row = try read(&reader)
    try reader.end()
    return row
  }

  /// A recording, or a feature whose properties are one.
  private static func read(_ reader: inout JSONReader) throws(JSONFault) -> ExportedRow? {
    var (own, inner, hasRows) = (ExportedRow(), ExportedRow?.none, false)
    try reader.object { name, reader throws(JSONFault) in
      switch (name, reader.kind) {
      case ("recordings", .array), ("features", .array):
        hasRows = true
        try reader.skipValue()
      case ("properties", .object): inner = try read(&reader)
      case ("catalogue", .string): own.catalogue = try reader.value().text
      case ("id", .string), ("id", .number): own.id = try reader.value().text
      default: try reader.skipValue()
      }
    }
    return hasRows ? nil : inner ?? own
  }
}

extension [UInt8] {
  fileprivate func ends(with text: String) -> Bool {
    last == text.utf8.last && suffix(text.utf8.count).elementsEqual(text.utf8)
  }
}
