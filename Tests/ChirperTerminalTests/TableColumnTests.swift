import Chirper
import ChirperFormats
import ChirperModel
import Testing

@testable import ChirperTerminal

/// Which columns the table shows, and the marks left of its rows.
@Suite struct TableColumnTests {
  private func recording(_ id: Int, _ fields: [(String, String)]) -> Recording {
    ScreenDriver.recording(id: "\(id)", fields)
  }

  private func driver(_ recordings: [Recording], columns: Int = 80) -> ScreenDriver {
    var driver = ScreenDriver(columns: columns, rows: 24, recordings: recordings)
    driver.open(.populated([]), completeness: .complete)
    return driver
  }

  private func headings(_ driver: ScreenDriver) -> String {
    String(driver.screen.render().text.split(separator: "\n", omittingEmptySubsequences: false)[1])
  }

  private func row(_ driver: ScreenDriver, _ number: Int = 0) -> String {
    String(
      driver.screen.render().text.split(separator: "\n", omittingEmptySubsequences: false)[
        2 + number])
  }

  private let wide = [
    ("en", "Black-and-white Tody-Flycatcher"), ("q", "no score"), ("length", "1:02:07"),
    ("type", "adult, begging call, male"),
    ("cnt", "Russian Federation"), ("date", "2024-05-17"),
    ("lic", "//creativecommons.org/licenses/by-nc-sa/4.0/"),
    ("rec", "Sample recordist with a long name"), ("loc", "Sample wood, far away"),
  ]

  @Test
  func
    `A terminal of 80 columns shows name, quality, length, type, country, date and licence, and the number`()
  {
    let driver = driver((1...30).map { recording(1_000_000 + $0, wide) })
    #expect(
      headings(driver)
        == " ›  English name      Q  Length Type      Country   Date       Licence        ID")
    #expect(
      row(driver)
        == ">   Black-and-white … - 1:02:07 adult, b… Russian … 2024-05-17 BY-NC-SA  1000001")
  }

  @Test(arguments: Catalogues.all) func `Every catalogue's columns with a rank fit into 80`(
    _ catalogue: Catalogue
  ) {
    let cells = TableCells(catalogue.terminalColumns, in: catalogue)
    // The cells of what is never cut, at its widest.
    func widest(_ column: Catalogue.TableColumn) -> Int? {
      let fields = catalogue.mapping.fields
      let detail =
        column.detail ?? DetailColumn.allCases.first { fields[$0] == [column.field] }
        ?? DetailColumn(rawValue: column.field)
      return switch detail {
      case .mediaDuration: 7
      // A number, or two of a record with several sounds.
      case .catalogNumber: column.showsID ? 19 : 11
      // A kind and a number.
      case nil: column.showsID ? 16 : nil
      case let detail?:
        switch detail.type {
        case .rating: 1
        case .date: 10
        default: nil
        }
      }
    }
    let needs = cells.columns.enumerated().map { index, column in
      cells.need(
        ofColumn: index,
        wanted: max(DisplayWidth.columns(column.heading), widest(column) ?? 80))
    }
    let ranked = catalogue.tableColumns.filter { $0.rank != nil }.count
    #expect(ranked >= 5)
    #expect(ColumnFit.layout(needs, in: 77).columns.count >= ranked)
  }

  @Test(arguments: Catalogues.all, [80, 132])
  func `Each l shows a column that was not shown, until all were`(
    _ catalogue: Catalogue, _ columns: Int
  ) {
    let cells = TableCells(catalogue.terminalColumns, in: catalogue)
    let long = cells.columns.map { ($0.field, String(repeating: "wide ", count: 12)) }
    for rows in [[recording(1, long)], [recording(1, [])]] {
      var driver = ScreenDriver(columns: columns, rows: 24, recordings: rows)
      driver.open(.populated([]), completeness: .complete, catalogue: catalogue)
      var seen = Set(driver.screen.table?.layout(columns: columns).fit.columns.map(\.index) ?? [])
      while seen.count < cells.columns.count {
        driver.press(.character("l"))
        let shown = Set(
          driver.screen.table?.layout(columns: columns).fit.columns.map(\.index) ?? [])
        guard !shown.isSubset(of: seen) else {
          Issue.record("\(catalogue.id) at \(columns): \(shown) after \(seen)")
          break
        }
        seen.formUnion(shown)
      }
    }
  }

  @Test func `l and h scroll the columns sideways, and the name stays`() {
    var driver = driver((1...30).map { recording($0, wide) })
    let first = headings(driver)
    driver.press(.character("h"), .left)
    #expect(headings(driver) == first)
    for _ in 0..<30 { driver.press(.right) }
    #expect(headings(driver).hasPrefix("‹   English name"))
    #expect(headings(driver).contains("Place") && !headings(driver).contains("Length"))
    #expect(row(driver).contains("Black-and-white") && row(driver).contains("Sample wood"))
    driver.press(.character("h"))
    #expect(headings(driver).hasPrefix("‹›  English name"))
    for _ in 0..<30 { driver.press(.character("h")) }
    #expect(headings(driver) == first)
    // Where there is room for all, nothing is hidden.
    driver.press(.character("l"), .character("l"))
    driver.send(.resize(TerminalSize(columns: 200, rows: 24)))
    #expect(headings(driver).hasPrefix("    English name"))
  }

  @Test func `A wide cell makes its column wide only near it`() {
    var rows = (1...200).map { recording($0, [("en", "Kea"), ("q", "A"), ("length", "0:10")]) }
    rows[3] = recording(4, wide)
    var driver = driver(rows)
    #expect(row(driver).hasPrefix(">   Kea        "))
    driver.press(.end)
    #expect(row(driver, 19).hasPrefix(">   Kea           A    0:10"))
  }

  @Test func `Kept audio has a mark, which playing replaces`() {
    var driver = driver(ScreenDriver.parrots(5))
    #expect(row(driver, 1).hasPrefix("    Kea"))
    driver.send(.downloaded(driver.recordings[1].id))
    #expect(row(driver, 1).hasPrefix(" •  Kea"))
    driver.send(.playback(.playing(driver.recordings[1].id)))
    #expect(row(driver, 1).hasPrefix(" ♪  Kea"))
    driver.send(.playback(.finished(driver.recordings[1].id)))
    driver.downloaded = [driver.recordings[1].id]
    driver.show(.populated([]))
    #expect(row(driver, 1).hasPrefix(" •  Kea"))
  }

  @Test func `A row that entered the list lately has a mark beside that of its audio`() {
    var driver = driver(ScreenDriver.parrots(5))
    driver.new = [driver.recordings[1].id, driver.recordings[2].id]
    driver.downloaded = [driver.recordings[2].id]
    driver.show(.populated([]))
    #expect(row(driver, 1).hasPrefix("  * Kea"))
    #expect(row(driver, 2).hasPrefix(" •* Kākāpō"))
    #expect(row(driver, 3).hasPrefix("    Budgerigar"))
  }

  @Test func `iTunes rows show the id that play takes`() throws {
    let itunes = try #require(Catalogues.named(.itunes))
    let album = Recording(
      id: RecordingID(catalogue: .itunes, value: "collection-77"),
      fields: RecordingFields(canonical: #"{"collectionId":77,"artistName":"Sample singer"}"#))
    var driver = ScreenDriver(columns: 80, rows: 24, recordings: [album])
    driver.open(.populated([]), catalogue: itunes)
    #expect(row(driver).contains(" collection-77"))
  }
}
