import Chirper
import ChirperModel

/// The columns of a table, and how the values of a row become cells of CSV or members of JSON.
protocol ColumnEncoder<Row>: Sendable {
  associatedtype Row: TableRow
  /// The headings of a table.
  var headings: [String] { get }
  mutating func appendLine(_ row: Row, with cells: inout CellEncoder, to out: inout [UInt8])
  /// Appends a JSON object.
  mutating func appendObject(_ row: Row, to out: inout [UInt8])
}

/// A column whose value is computed from a row.
protocol RowColumn<Row>: Sendable {
  associatedtype Row: TableRow
  /// In headers and in JSON.
  var name: String { get }
  func value(of row: Row) -> ColumnValue
}

/// A column of any table.
struct ComputedColumn<Row: TableRow>: RowColumn {
  let name: String
  let compute: @Sendable (Row) -> ColumnValue

  init(_ name: String, _ compute: @escaping @Sendable (Row) -> ColumnValue) {
    self.name = name
    self.compute = compute
  }

  func value(of row: Row) -> ColumnValue { compute(row) }
}

/// Columns whose values are computed from a row. All objects have the same members, `null` where a value is missing.
struct ValueColumns<Column: RowColumn>: ColumnEncoder {
  private let columns: [Column]
  /// Whether several texts are one text in JSON too, as a table schema wants it.
  private let joinsLists: Bool
  /// `{"id":,"catalogue":`: what comes before each value, one after the other, and where each ends.
  private var names: [UInt8] = []
  private var ends: [Int] = []

  var headings: [String] { columns.map(\.name) }

  init(_ columns: [Column], joinsLists: Bool = false) {
    self.columns = columns
    self.joinsLists = joinsLists
    for column in columns {
      names += "\(ends.isEmpty ? "{" : ",")\(JSONText.quoted(column.name)):".utf8
      ends.append(names.count)
    }
  }

  func appendLine(_ row: Column.Row, with cells: inout CellEncoder, to out: inout [UInt8]) {
    // By index, because a copy of a column costs more than its value.
    cells.appendLine(columns.count, to: &out) { index, cells, out in cells.append(columns[index].value(of: row), to: &out) }
  }

  func appendObject(_ row: Column.Row, to out: inout [UInt8]) {
    var start = 0
    for index in columns.indices {
      names.withUnsafeBufferPointer { out.append(contentsOf: UnsafeBufferPointer(rebasing: $0[start..<ends[index]])) }
      start = ends[index]
      columns[index].value(of: row).append(to: &out, joinsLists: joinsLists)
    }
    out.append(UInt8(ascii: "}"))
  }
}

/// Raw fields of recordings, copied as they are stored. An object has the members that were sent.
struct RawColumns: ColumnEncoder {
  let headings: [String]
  private let members: [[UInt8]]
  private let isWhole: Bool
  private var locator: ColumnLocator

  /// - Parameters:
  ///   - fields: the fields to write, each once.
  ///   - headings: the header, if it is not the names of the fields.
  ///   - isWhole: whether those are all the fields there are, so that objects can be copied whole.
  init(_ fields: [String], headings: [String]? = nil, isWhole: Bool = false) {
    self.headings = headings ?? fields
    self.isWhole = isWhole
    members = fields.map { Array("\(JSONText.quoted($0)):".utf8) }
    locator = ColumnLocator(fields)
  }

  mutating func appendLine(
    _ row: UnsafeBufferPointer<UInt8>, with cells: inout CellEncoder, to out: inout [UInt8]
  ) {
    locator.locate(in: row)
    cells.appendLine(locator.ranges.count, to: &out) { index, cells, out in
      let range = locator.ranges[index]
      if !range.isEmpty { cells.append(json: UnsafeBufferPointer(rebasing: row[range]), to: &out) }
    }
  }

  mutating func appendObject(_ row: UnsafeBufferPointer<UInt8>, to out: inout [UInt8]) {
    guard !isWhole else {
      out.append(contentsOf: row)
      return
    }
    locator.locate(in: row)
    var start: UInt8 = UInt8(ascii: "{")
    for (member, range) in zip(members, locator.ranges) where !range.isEmpty {
      out.append(start)
      start = UInt8(ascii: ",")
      out += member
      out.append(contentsOf: row[range])
    }
    out += start == UInt8(ascii: "{") ? "{}".utf8 : "}".utf8
  }
}

extension ColumnValue {
  /// Appends the value as JSON.
  func append(to out: inout [UInt8], joinsLists: Bool = false) {
    switch self {
    case .none: out += "null".utf8
    case .text(let text): JSONText.append(quoted: text, to: &out)
    case .list(let texts) where !joinsLists: out += "[\(texts.map(JSONText.quoted).joined(separator: ","))]".utf8
    case .list(let texts) where texts.isEmpty: out += "null".utf8
    case .number, .integer, .flag: out += (text() ?? "").utf8
    case .field(let field): out += field.json.utf8
    default: JSONText.append(quoted: text() ?? "", to: &out)
    }
  }

  /// For people: a length as `3:45`, and nothing in place of no.
  func shown(isLength: Bool = false) -> String {
    switch self {
    case .number(let seconds) where isLength: AgeText.length(seconds: seconds)
    case .flag(let isTrue): isTrue ? "yes" : ""
    default: text(separator: ", ") ?? ""
    }
  }
}
