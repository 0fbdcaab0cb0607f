import ChirperModel
import ChirperTestSupport
import Testing

@testable import ChirperFormats

struct RawColumnsTests {
  private func written(
    _ format: RecordFormat, columns: [String]? = nil, fields: [String] = ["id", "en", "rmk"],
    _ rows: [String],
    isSafe: Bool = false
  ) throws -> String {
    let recordings = try rows.map { try RecordingFields(json: $0) }
    let table = RowTable(
      count: rows.count, isCopied: true,
      read: { positions, body in for fields in recordings[positions] { fields.withRow(body) } },
      columns: { _ in RawColumns(columns ?? fields, isWhole: columns == nil) },
      frame: { JSONFrame(head: ["rows": rows.count]) })
    let memory = Memory()
    var options = WriteOptions(now: Written.fetched)
    options.isSpreadsheetSafe = isSafe
    try table.write(format, options, to: memory)
    return String(decoding: memory.written, as: UTF8.self)
  }

  @Test func `values go to the right columns whatever the order and set of fields`() throws {
    let rows = [
      #"{"id":"1","en":"Parrot","rmk":"x"}"#, #"{"rmk":"y","id":"2"}"#,
      #"{"en":"Macaw","new":1,"id":"3","rmk":null}"#,
      #"{"id":"4","en":"Lory","rmk":"z"}"#, "{}",
    ]
    #expect(
      try written(.csv, rows) == "id,en,rmk\r\n1,Parrot,x\r\n2,,y\r\n3,Macaw,\r\n4,Lory,z\r\n,,\r\n"
    )
  }

  @Test func `a name that is escaped in JSON is found`() throws {
    let rows = [#"{"a\"b":"1","tab\t":"2"}"#]
    #expect(try written(.tsv, columns: ["tab\t", "a\"b"], rows) == "tab\\t\ta\"b\n2\t1\n")
  }

  @Test func `a single empty cell is still a row`() throws {
    #expect(
      try written(.csv, columns: ["en"], [#"{"en":""}"#, #"{"en":"x"}"#]) == "en\r\n\"\"\r\nx\r\n")
  }

  @Test func `JSON contains the recordings unchanged, after the head`() throws {
    let rows = [#"{"id":"1","lat":-8.650,"x":{"y":[1,2]}}"#, #"{"id":"2"}"#]
    #expect(
      try written(.json, rows) == "{\"rows\":2,\"recordings\":[\n\(rows[0]),\n\(rows[1])\n]}\n")
    #expect(try written(.json, []) == "{\"rows\":0,\"recordings\":[\n]}\n")
    #expect(try written(.jsonl, rows) == "\(rows[0])\n\(rows[1])\n")
  }

  @Test func `JSON with columns holds only those, in that order`() throws {
    #expect(
      try written(.jsonl, columns: ["rmk", "id"], [#"{"id":"1","en":"e","rmk":null}"#, "{}"])
        == "{\"rmk\":null,\"id\":\"1\"}\n{}\n")
  }

  /// The plain way to the same output: each field's text by the one function for cells, each object
  /// from its members.
  private func plain(
    _ form: CellEncoder.Form, _ columns: [String], _ rows: [RecordingFields], isSafe: Bool
  ) -> String {
    let cells = CellEncoder(form: form, isSpreadsheetSafe: isSafe)
    var out: [UInt8] = []
    cells.appendLine(columns.count, to: &out) { cells.append(text: columns[$0], to: &$1) }
    for row in rows {
      cells.appendLine(columns.count, to: &out) { index, out in
        guard let field = row[columns[index]] else { return }
        cells.append(isText: field.json.hasPrefix("\""), to: &out) { $0 += field.text.utf8 }
      }
    }
    return String(decoding: out, as: UTF8.self)
  }

  @Test(arguments: [(RecordFormat.csv, false), (.csv, true), (.tsv, false)])
  func `rows of any fields are written as the plain way does`(format: RecordFormat, isSafe: Bool)
    throws
  {
    var random = SeededRandom(seed: 11)
    let names = ["id", "en", "rmk", "lat", "also", "new"]
    let values = [
      #""""#, #""a,b""#, #""say \"hi\"""#, #""one\r\ntwo""#, #""back\\slash\t""#, "null", "-8.652",
      "-1e5", "true",
      #"["a","b,c"]"#,
      #"{"x":[1,{"y":"}"}]}"#, #""=1+1""#, #""é\u202e日本""#, #""plain text""#,
    ]
    let rows = try (0..<300).map { _ in
      let members = names.shuffled(using: &random).prefix(Int.random(in: 0...6, using: &random)).map
      { name in
        "\"\(name)\":\(values.randomElement(using: &random) ?? "1")"
      }
      return try RecordingFields(json: "{\(members.joined(separator: ","))}")
    }
    guard case .cells(let form) = format.content else { return }
    let mark = isSafe ? "\u{FEFF}" : ""
    #expect(
      try written(format, fields: names, rows.map(\.json), isSafe: isSafe)
        == mark + plain(form, names, rows, isSafe: isSafe))
    let objects = try written(.jsonl, columns: names, rows.map(\.json)).split(separator: "\n")
    for (object, row) in zip(objects, rows) {
      let members = names.compactMap { name in row[name].map { "\"\(name)\":\($0.json)" } }
      #expect(object == "{\(members.joined(separator: ","))}")
    }
  }

  @Test func `CSV is read back with the same values`() throws {
    let values = [
      "", "a,b", "\"", "\"\"", "\r\n", "\n", "\r", ",", "\t", "é", "日本", "x\u{301},", "'", " lead",
      "=1",
    ]
    let rows = values.map { "{\"id\":\(JSONText.quoted($0)),\"en\":\"e\"}" }
    let read = try #require(readCSV(try written(.csv, columns: ["id", "en"], rows)))
    #expect(read.dropFirst().map { $0[0] } == values)
  }
}
