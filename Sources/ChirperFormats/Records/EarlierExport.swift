import ChirperModel
import Foundation

/// The recordings of a file that was exported earlier, to find what is new and what is gone since then.
package struct EarlierExport: Sendable {
  /// The file's name, for messages.
  package let name: String
  /// The ids in it that were not met again.
  private var ids: Set<RecordingID> = []

  /// What identifies a row of the file.
  private struct Row {
    var catalogue: String?
    var id: String?
  }

  /// Reads the ids of a CSV, TSV, JSON, JSON lines or GeoJSON file that chirper wrote.
  ///
  /// A tidy file names the catalogue of each id. In one with raw fields the ids are those of the catalogue's own `id` field,
  /// which identifies a recording only in some catalogues.
  ///
  /// - Parameter catalogue: of the list that the file is compared with.
  /// - Throws: `RowTableError.notAnExport`.
  package init(name: String, bytes: [UInt8], catalogue: Catalogue) throws(RowTableError) {
    self.name = name
    let rows: [Row]
    if bytes.first(where: { !Self.isBlank([$0]) }) == UInt8(ascii: "{") {
      do throws(JSONFault) {
        rows = try Self.objects(in: bytes)
      } catch {
        throw .notAnExport(name, "it is not complete JSON")
      }
    } else {
      guard let lines = Self.lines(in: bytes) else { throw .notAnExport(name, "a quote is not closed") }
      rows = lines
    }
    let usesOwnID = catalogue.mapping.fields[.catalogNumber] == ["id"]
    for row in rows {
      guard let id = row.id, !id.isEmpty else { throw .notAnExport(name, "it has no column \"id\"") }
      guard row.catalogue != nil || usesOwnID else {
        throw .notAnExport(name, "the field \"id\" of \(catalogue.name) does not identify a recording; export with --tidy")
      }
      ids.insert(RecordingID(catalogue: row.catalogue.map { CatalogueID(rawValue: $0) } ?? catalogue.id, value: id))
    }
  }

  /// Whether a recording was not in the file; remembers that it is still there.
  mutating func isNew(_ id: RecordingID) -> Bool {
    ids.remove(id) == nil
  }

  /// The ids of the file that are no longer in the list, once every row of the list was asked for.
  var gone: [RecordingID] {
    ids.sorted { $0.value.compare($1.value, options: .numeric) == .orderedAscending }
  }

  // MARK: JSON

  private static func objects(in bytes: [UInt8]) throws(JSONFault) -> [Row] {
    if let rows = try? reading(bytes) { return rows }
    // JSON lines: one object after the other.
    var rows: [Row] = []
    for line in bytes.split(separator: 0x0A) where !isBlank(line) { rows += try reading(Array(line)) }
    return rows
  }

  private static func reading(_ bytes: [UInt8]) throws(JSONFault) -> [Row] {
    var reader = JSONReader(bytes)
    let rows = try rows(&reader)
    try reader.end()
    return rows
  }

  private static func isBlank(_ bytes: some Sequence<UInt8>) -> Bool {
    bytes.allSatisfy { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
  }

  /// The recordings of an object that contains them, else the object itself as one.
  private static func rows(_ reader: inout JSONReader) throws(JSONFault) -> [Row] {
    var rows: [Row]?
    var own = Row()
    try reader.object { name, reader throws(JSONFault) in
      switch (name, reader.kind) {
      case ("recordings", .array), ("features", .array):
        var found: [Row] = []
        try reader.array { item throws(JSONFault) in found.append(try row(&item)) }
        rows = found
      case ("catalogue", .string): own.catalogue = try reader.string()
      case ("id", .string): own.id = try reader.string()
      case ("id", .number): own.id = try reader.number()
      default: try reader.skipValue()
      }
    }
    return rows ?? [own]
  }

  /// A recording, or a feature whose properties are one.
  private static func row(_ reader: inout JSONReader) throws(JSONFault) -> Row {
    var own = Row()
    var inner: Row?
    try reader.object { name, reader throws(JSONFault) in
      switch (name, reader.kind) {
      case ("properties", .object): inner = try row(&reader)
      case ("catalogue", .string): own.catalogue = try reader.string()
      case ("id", .string): own.id = try reader.string()
      case ("id", .number): own.id = try reader.number()
      default: try reader.skipValue()
      }
    }
    return inner ?? own
  }

  // MARK: CSV and TSV

  /// `nil` if a quote is not closed: the rows after it would be a part of one cell.
  private static func lines(in bytes: [UInt8]) -> [Row]? {
    if isBlank(bytes) { return [] }
    var table = DelimitedReader(bytes)
    let header = table.next() ?? []
    guard let id = header.firstIndex(of: "id") else { return [Row()] }
    let catalogue = header.firstIndex(of: "catalogue")
    var rows: [Row] = []
    while let cells = table.next() {
      func cell(_ index: Int) -> String? { cells.indices.contains(index) ? cells[index] : nil }
      rows.append(Row(catalogue: catalogue.flatMap(cell), id: cell(id)))
    }
    return table.endsInQuotes ? nil : rows
  }
}

/// Reads CSV (RFC 4180) and TSV as chirper writes them.
struct DelimitedReader {
  private let bytes: [UInt8]
  private var at = 0
  private let isTSV: Bool
  /// Whether the last quote was not closed.
  private(set) var endsInQuotes = false

  /// It is TSV if the first line has a tab.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    isTSV = bytes.prefix { $0 != 0x0A }.contains(0x09)
    // A program that saved the file again may have put a byte order mark before it.
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
  }

  /// The cells of the next row; `nil` at the end.
  mutating func next() -> [String]? {
    guard at < bytes.count else { return nil }
    var row: [String] = []
    var cell: [UInt8] = []
    var isQuoted = false
    while at < bytes.count {
      let byte = bytes[at]
      at += 1
      switch byte {
      case 0x22 where isQuoted:
        if at < bytes.count, bytes[at] == 0x22 {
          cell.append(0x22)
          at += 1
        } else {
          isQuoted = false
        }
      case 0x22 where !isTSV && cell.isEmpty: isQuoted = true
      case _ where isQuoted: cell.append(byte)
      case 0x09 where isTSV, UInt8(ascii: ",") where !isTSV:
        row.append(text(cell))
        cell.removeAll(keepingCapacity: true)
      case 0x0A:
        if cell.last == 0x0D { cell.removeLast() }
        row.append(text(cell))
        return row
      default: cell.append(byte)
      }
    }
    endsInQuotes = isQuoted
    row.append(text(cell))
    return row
  }

  private func text(_ cell: [UInt8]) -> String {
    guard isTSV, cell.contains(0x5C) else { return String(decoding: cell, as: UTF8.self) }
    var out: [UInt8] = []
    var bytes = cell.makeIterator()
    while let byte = bytes.next() {
      guard byte == 0x5C, let escape = bytes.next() else {
        out.append(byte)
        continue
      }
      switch escape {
      case UInt8(ascii: "t"): out.append(0x09)
      case UInt8(ascii: "n"): out.append(0x0A)
      case UInt8(ascii: "r"): out.append(0x0D)
      default: out.append(escape)
      }
    }
    return String(decoding: out, as: UTF8.self)
  }
}
