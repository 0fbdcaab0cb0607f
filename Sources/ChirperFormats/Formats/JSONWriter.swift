extension RecordFormat {
  /// One object: the query, its age and completeness, and `recordings`.
  public static let json = RecordFormat(
    name: "json", title: "JSON", mediaType: "application/json", fileExtension: "json",
    content: .objects(isLines: false))

  /// One recording per line.
  public static let jsonl = RecordFormat(
    name: "jsonl", title: "JSON lines", mediaType: "application/x-ndjson", fileExtension: "jsonl",
    content: .objects(isLines: true))
}

struct JSONWriter<Columns: ColumnEncoder>: RowWriter {
  var columns: Columns
  /// The object that contains the rows; `nil` if each row is a line.
  let frame: JSONFrame?

  var separator: String { frame == nil ? "" : "," }

  mutating func begin(_ out: inout [UInt8]) {
    guard let frame else { return }
    // The object stays open: the rows are among its last members.
    let head = frame.head.text.dropLast()
    out += "\(head)\(head == "{" ? "" : ",")\"\(frame.name)\":[".utf8
  }

  mutating func append(_ row: Columns.Row, to out: inout [UInt8]) -> Bool {
    if frame?.isOneLine == false { out.append(UInt8(ascii: "\n")) }
    columns.appendObject(row, to: &out)
    if frame == nil { out.append(UInt8(ascii: "\n")) }
    return true
  }

  mutating func end(_ out: inout [UInt8], _ summary: ExportSummary) {
    guard let frame else { return }
    out +=
      "\(frame.isOneLine ? "" : "\n")]\(frame.endsWithRange ? ",\"upTo\":\(summary.upTo.text)" : "")}\n"
      .utf8
  }
}

/// The part of a JSON file that is not its rows.
struct JSONFrame {
  /// The members before the rows: the query, its age and its completeness.
  let head: JSONObject
  var name = "recordings"
  /// Whether a member after the rows says up to which number and upload date they go.
  var endsWithRange = false
  /// Whether the rows are on one line; otherwise each is on its own.
  var isOneLine = false
}
