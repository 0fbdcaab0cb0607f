import ChirperModel
import ChirperTestSupport
import Testing

@testable import ChirperFormats

struct RawColumnsTests {
  private func written(
    _ format: RecordFormat, columns: [String]? = nil, fields: [String] = ["id", "en", "rmk"], _ rows: [String]
  ) throws -> String {
    let recordings = try rows.map { try RecordingFields(json: $0) }
    let table = RowTable(
      count: rows.count, isCopied: true,
      read: { positions, body in for fields in recordings[positions] { fields.bytes.withUnsafeBufferPointer(body) } },
      columns: { _ in RawColumns(columns ?? fields, isWhole: columns == nil) },
      frame: {
        var head = JSONObject()
        head.add("rows", rows.count)
        return JSONFrame(head: head)
      })
    let memory = Memory()
    try table.write(format, WriteOptions(now: Written.fetched), to: memory)
    return String(decoding: memory.written, as: UTF8.self)
  }

  @Test func `values go to the right columns whatever the order and set of fields`() throws {
    let rows = [
      #"{"id":"1","en":"Parrot","rmk":"x"}"#, #"{"rmk":"y","id":"2"}"#, #"{"en":"Macaw","new":1,"id":"3","rmk":null}"#,
      #"{"id":"4","en":"Lory","rmk":"z"}"#, "{}",
    ]
    #expect(
      try written(.csv, rows) == "id,en,rmk\r\n1,Parrot,x\r\n2,,y\r\n3,Macaw,\r\n4,Lory,z\r\n,,\r\n")
  }

  @Test func `a name that is escaped in JSON is found`() throws {
    let rows = [#"{"a\"b":"1","tab\t":"2"}"#]
    #expect(try written(.tsv, columns: ["tab\t", "a\"b"], rows) == "tab\\t\ta\"b\n2\t1\n")
  }

  @Test func `a single empty cell is still a row`() throws {
    #expect(try written(.csv, columns: ["en"], [#"{"en":""}"#, #"{"en":"x"}"#]) == "en\r\n\"\"\r\nx\r\n")
  }

  @Test func `JSON contains the recordings unchanged, after the head`() throws {
    let rows = [#"{"id":"1","lat":-8.650,"x":{"y":[1,2]}}"#, #"{"id":"2"}"#]
    #expect(try written(.json, rows) == "{\"rows\":2,\"recordings\":[\n\(rows[0]),\n\(rows[1])\n]}\n")
    #expect(try written(.json, []) == "{\"rows\":0,\"recordings\":[\n]}\n")
    #expect(try written(.jsonl, rows) == "\(rows[0])\n\(rows[1])\n")
  }

  @Test func `JSON with columns holds only those, in that order`() throws {
    #expect(
      try written(.jsonl, columns: ["rmk", "id"], [#"{"id":"1","en":"e","rmk":null}"#, "{}"])
        == "{\"rmk\":null,\"id\":\"1\"}\n{}\n")
  }

  @Test func `CSV is read back with the same values`() throws {
    let values = ["", "a,b", "\"", "\"\"", "\r\n", "\n", "\r", ",", "\t", "é", "日本", "x\u{301},", "'", " lead", "=1"]
    let rows = values.map { "{\"id\":\(JSONText.quoted($0)),\"en\":\"e\"}" }
    let read = try #require(readCSV(try written(.csv, columns: ["id", "en"], rows)))
    #expect(read.dropFirst().map { $0[0] } == values)
  }
}
