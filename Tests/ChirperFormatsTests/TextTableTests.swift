import Testing

@testable import ChirperFormats

struct TextTableTests {
  private let columns = [
    TextTable.Column(heading: "id", alignRight: true), TextTable.Column(heading: "name"),
    TextTable.Column(heading: "place"),
  ]

  @Test func `columns are as wide as their content, and numbers are aligned to the right`() {
    let rows = [["7", "Grey Parrot", "Lomé"], ["1234", "Kea", ""]]
    let table = TextTable(columns, rows: rows, width: 80)
    #expect(
      [table.header, table.line(rows[0]), table.line(rows[1])] == [
        "  id  name         place",
        "   7  Grey Parrot  Lomé",
        "1234  Kea",
      ])
  }

  @Test func `a narrow terminal leaves out the last columns and keeps the first readable`() {
    let rows = [["1", "Blue-and-yellow Macaw", "Parque Nacional del Manu"]]
    func line(_ width: Int) -> String { TextTable(columns, rows: rows, width: width).line(rows[0]) }
    #expect(line(60) == " 1  Blue-and-yellow Macaw  Parque Nacional del Manu")
    #expect(line(30) == " 1  Blue-and-yellow Macaw")
    #expect(line(12) == " 1")
    let alone = TextTable([columns[1]], rows: [["Blue-and-yellow Macaw"]], width: 12)
    #expect(alone.line(["Blue-and-yellow Macaw"]) == "Blue-and-ye…")
  }

  @Test func `a long column is cut before another is left out, and gets the space that remains`() {
    let place = "Parque Nacional del Manu, Madre de Dios"
    let columns = [TextTable.Column(heading: "place"), TextTable.Column(heading: "q")]
    func line(_ width: Int) -> String {
      TextTable(columns, rows: [[place, "A"]], width: width).line([place, "A"])
    }
    #expect(line(25) == "Parque Nacional del M…  A")
    #expect(line(33) == "Parque Nacional del Manu, Mad…  A")
    #expect(line(24) == "Parque Nacional del Man…")
  }

  @Test func `a required column stays, and others make room`() {
    let row = ["1", "Blue-and-yellow Macaw", "Parque Nacional del Manu", "9:15"]
    let columns = self.columns + [TextTable.Column(heading: "length", alignRight: true)]
    func line(_ width: Int) -> String {
      TextTable(columns, rows: [row], width: width, needed: 3).line(row)
    }
    #expect(line(60) == " 1  Blue-and-yellow Macaw  Parque Nacional del Manu    9:15")
    #expect(line(34) == " 1  Blue-and-yellow Macaw    9:15")
    #expect(line(11) == " 1    9:15")
    #expect(line(6) == " 1")
  }

  @Test func `essential columns are cut, and then moved together, before one is left out`() {
    let columns = [
      TextTable.Column(heading: "name", least: 6, isEssential: true),
      TextTable.Column(heading: "type", least: 4, isEssential: true),
      TextTable.Column(heading: "date", isEssential: true),
      TextTable.Column(heading: "place"),
    ]
    let row = ["Grey Parrot", "alarm call", "2024-05-17", "Lomé"]
    func line(_ width: Int) -> String { TextTable(columns, rows: [row], width: width).line(row) }
    #expect(line(80) == "Grey Parrot  alarm call  2024-05-17  Lomé")
    #expect(line(36) == "Grey Parrot  alarm call  2024-05-17")
    #expect(line(30) == "Grey Par…  alarm …  2024-05-17")
    #expect(line(23) == "Grey P… ala… 2024-05-17")
    #expect(line(21) == "Grey Parrot alarm ca…")
  }
}
