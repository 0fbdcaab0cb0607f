import Testing

@testable import ChirperCommand

struct TextTableTests {
  private let columns = [
    TextTable.Column(heading: "id", alignRight: true), TextTable.Column(heading: "name"), TextTable.Column(heading: "place"),
  ]

  @Test func `columns are as wide as they must be, numbers to the right`() {
    let rows = [["7", "Grey Parrot", "Lomé"], ["1234", "Kea", ""]]
    let table = TextTable(columns, rows: rows, width: 80)
    #expect(
      [table.header, table.line(rows[0]), table.line(rows[1])] == [
        "  id  name         place",
        "   7  Grey Parrot  Lomé",
        "1234  Kea",
      ])
  }

  @Test func `a narrow terminal cuts the widest cells, then leaves out the last columns`() {
    let rows = [["1", "Blue-and-yellow Macaw", "Parque Nacional del Manu"]]
    let table = TextTable(columns, rows: rows, width: 30)
    #expect(table.line(rows[0]) == " 1  Blue-and-ye…  Parque Naci…")
    #expect(TextTable(columns, rows: rows, width: 12).line(rows[0]) == " 1  Blue-an…")
  }

  @Test(arguments: [("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("👍", 2), ("", 0), ("ﾊ", 1)])
  func `a wide sign takes two cells and a mark none`(text: String, width: Int) {
    #expect(DisplayWidth.of(text) == width)
  }

  @Test func `a cut never goes over the width`() {
    #expect(DisplayWidth.truncated("日本語", to: 4) == "日…")
    #expect(DisplayWidth.truncated("日本語", to: 6) == "日本語")
  }
}
