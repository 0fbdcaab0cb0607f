import Chirper
import ChirperModel

/// The columns of a table, and how the values of a row become cells of CSV or members of JSON.
protocol ColumnEncoder<Row>: Sendable {
  associatedtype Row: TableRow
  var headings: [String] { get }
  mutating func appendLine(_ row: Row, with cells: CellEncoder, to out: inout [UInt8])
  mutating func appendObject(_ row: Row, to out: inout [UInt8])
}

/// Columns whose values are computed from a row. All objects have the same members, `null` where a
/// value is missing.
struct ValueColumns<Row: TableRow>: ColumnEncoder {
  let headings: [String]
  /// Whether several texts are one text in JSON too, as a table schema wants it.
  private let joinsLists: Bool
  private let values: @Sendable (Row) -> [DetailColumn.Value]
  /// The texts before the values of an object: `{"id":`, `,"catalogue":`.
  private let names: [[UInt8]]

  /// - Parameter values: one for each heading.
  init(
    _ headings: [String], joinsLists: Bool = false,
    values: @escaping @Sendable (Row) -> [DetailColumn.Value]
  ) {
    self.headings = headings
    self.joinsLists = joinsLists
    self.values = values
    names = headings.enumerated().map { index, heading in
      Array("\(index == 0 ? "{" : ",")\(heading.json):".utf8)
    }
  }

  func appendLine(_ row: Row, with cells: CellEncoder, to out: inout [UInt8]) {
    let values = values(row)
    cells.appendLine(values.count, to: &out) { index, out in cells.append(values[index], to: &out) }
  }

  func appendObject(_ row: Row, to out: inout [UInt8]) {
    for (name, value) in zip(names, values(row)) {
      out += name
      value.append(to: &out, joinsLists: joinsLists)
    }
    out.append(UInt8(ascii: "}"))
  }
}

extension ValueColumns<RecordingRow> {
  init(_ columns: [RecordingColumn], joinsLists: Bool = false) {
    self.init(columns.map(\.name), joinsLists: joinsLists) { $0.values(of: columns) }
  }
}

extension DetailColumn.Value {
  func append(to out: inout [UInt8], joinsLists: Bool = false) {
    switch self {
    case .none: out.append(utf8: "null")
    case .text(let text): JSONText.append(quoted: text, to: &out)
    case .list(let texts) where !joinsLists: out += texts.json.utf8
    case .list(let texts) where texts.isEmpty: out += "null".utf8
    case .number, .integer, .flag: out.append(utf8: text() ?? "")
    case .date(let date):
      out.append(UInt8(ascii: "\""))
      date.append(to: &out)
      out.append(UInt8(ascii: "\""))
    case .field(let field): out += field.json.utf8
    default: JSONText.append(quoted: text() ?? "", to: &out)
    }
  }

  /// The value for people: a length as `3:45`, and an empty text for no.
  func shown(isLength: Bool = false) -> String {
    switch self {
    case .number(let seconds) where isLength: AgeText.length(seconds: seconds)
    case .flag(let isTrue): isTrue ? "yes" : ""
    default: text(separator: ", ") ?? ""
    }
  }
}
